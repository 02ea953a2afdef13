package manual

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Paint styles pieces of text for a terminal; the zero value leaves them plain.
type Paint struct{ Head, Dim, Warn func(string) string }

func apply(f func(string) string, s string) string {
	if f == nil || s == "" {
		return s
	}
	return f(s)
}

// Render returns the page for a terminal; with whole set, with the whole IR.
func (pg *Page) Render(c Paint, whole bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", apply(c.Head, pg.Text))
	fmt.Fprintf(&b, "%s, %s:%s\n", pg.sizeText(), pg.ISA, pg.Variant)
	named := slices.ContainsFunc(pg.Parts, func(p Part) bool { return p.entry })
	for _, i := range pg.order {
		if p := &pg.Parts[i]; p.Doc != "" && (!named || p.entry) { // in a group, not for its header and maps
			fmt.Fprintf(&b, "%s\n", p.Doc)
		}
	}
	pg.meaning(&b, c)
	for _, i := range pg.order {
		if len(pg.Parts) > 1 {
			fmt.Fprintf(&b, "\n%s\n", apply(c.Head, pg.Parts[i].Mnemonic+": "+orElse(pg.Parts[i].Doc, "a part of the group")))
		}
		pg.Parts[i].text(&b, c)
	}
	pg.cost(&b, c)
	fmt.Fprintf(&b, "\n%s: %s\n", apply(c.Head, "Fidelity"), pg.Fidelity)
	for _, w := range pg.Because {
		fmt.Fprintf(&b, "  %s\n", w)
	}
	if len(pg.Findings) > 0 {
		section(&b, c, "Findings")
		for _, f := range pg.Findings {
			fmt.Fprintf(&b, "  %s [%s]%s\n", apply(c.Warn, f.Msg), f.Rule, source(f.Source))
			for _, sec := range f.Sections {
				fmt.Fprintf(&b, "    %s\n", apply(c.Dim, sec.Path))
			}
		}
	}
	if whole && pg.IR != "" {
		section(&b, c, "IR")
		b.WriteString(ShortIR(pg.IR))
	}
	return b.String()
}

// mostFormulas limits the lines of formulas that are shown; longer ones need --ir.
const mostFormulas = 14

// meaning writes the semantics as formulas.
func (pg *Page) meaning(b *strings.Builder, c Paint) {
	section(b, c, "Meaning")
	switch {
	case pg.Lack != "":
		fmt.Fprintf(b, "  cannot run: %s\n", pg.Lack)
	case pg.IR == "" && len(pg.Waits) == 0:
		b.WriteString("  no effect\n")
	case len(pg.Formula) == 0 && len(pg.Waits) == 0:
		fmt.Fprintf(b, "  %s; --ir shows it as IR\n", pg.NoFormula())
	}
	for i, line := range pg.Formula {
		if i == mostFormulas && len(pg.Formula) > mostFormulas+1 {
			fmt.Fprintf(b, "  and %d lines more: --ir\n", len(pg.Formula)-i)
			break
		}
		fmt.Fprintf(b, "  %s\n", line)
	}
	for _, line := range pg.Waits {
		for i, part := range Wrap(line, wrapAt) {
			fmt.Fprintf(b, "%s%s\n", map[bool]string{true: "  ", false: "    "}[i == 0], part)
		}
	}
	if pg.Floats != "" {
		fmt.Fprintf(b, "  %s\n", apply(c.Dim, "floats: "+pg.Floats))
	}
	for _, note := range pg.Idle {
		fmt.Fprintf(b, "  %s\n", apply(c.Warn, note))
	}
}

// wrapAt is the width of prose, in bytes.
const wrapAt = 110

// Wrap splits a text at blanks into lines of at most that many bytes, unless a word is longer.
func Wrap(text string, most int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > most {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// NoFormula describes an instruction whose semantics write no register and no memory.
func (pg *Page) NoFormula() string {
	switch {
	case strings.Contains(pg.IR, "barrier"):
		return "waits for other waves of its group; writes no register and no memory"
	case len(pg.Parts) > 1:
		return "writes no register and no memory: results that its group does not name are lost when the group ends"
	}
	return "writes no register and no memory"
}

// constant matches a line of the IR that defines a constant: its number, bits, and for floats the value.
var constant = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^  %(\d+)w? = const\.\w+ (\S+)(?: ; (\S+))?$`) })

// value matches a use of a value.
var value = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%(\d+)w?`) })

// ShortIR returns the IR with constants substituted for their uses, for display. Page.IR is what ir.Parse reads.
func ShortIR(text string) string {
	consts := map[string]string{}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if m := constant().FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			consts[m[1]] = orElse(m[3], m[2])
			continue
		}
		b.WriteString(value().ReplaceAllStringFunc(line, func(v string) string {
			return orElse(consts[strings.Trim(v, "%w")], v)
		}))
	}
	return b.String()
}

func (pg *Page) sizeText() string {
	if pg.Hex == "" {
		return "no public encoding"
	}
	return fmt.Sprintf("%d bytes: %s", pg.Size, pg.Hex)
}

func section(b *strings.Builder, c Paint, title string) {
	fmt.Fprintf(b, "\n%s\n", apply(c.Head, title))
}

func source(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func (p *Part) text(b *strings.Builder, c Paint) {
	if p.Note != "" {
		fmt.Fprintf(b, "\n%s\n", p.Note)
	}
	if rows := p.operandRows(); len(rows) > 0 {
		section(b, c, "Operands")
		b.WriteString(Table(rows, "  "))
	}
	if len(p.Fields) > 0 {
		section(b, c, fmt.Sprintf("Bits (%s)", p.Encoding))
		p.diagram(b, c)
	}
	if len(p.Forms) > 0 {
		var list []string
		for _, f := range p.Forms {
			list = append(list, fmt.Sprintf("%s %#x (%s)", f.Encoding, f.Opcode, strings.Join(f.Variants, " ")))
		}
		fmt.Fprintf(b, "\n%s: %s\n", apply(c.Head, "Encodings"), strings.Join(list, ", "))
	}
	switch {
	case len(p.Sections) > 0:
		for _, sec := range p.Sections {
			fmt.Fprintf(b, "%s: %s\n  %s\n", apply(c.Head, "Source"), sec.Title, apply(c.Dim, sec.Path))
		}
	case p.Source != "":
		fmt.Fprintf(b, "%s: %s\n", apply(c.Head, "Source"), p.Source)
	}
}

// operandRows returns the operands and implicit state as rows, without empty ones.
func (p *Part) operandRows() (rows [][]string) {
	for _, o := range p.Operands {
		if o.Text == "" && o.Modifier && o.Value == 0 {
			continue
		}
		width := ""
		if o.Width != 0 {
			width = fmt.Sprintf("%d bits", o.Width)
		}
		rows = append(rows, []string{o.Letter, o.Name, orElse(o.Text, "-"), fmt.Sprintf("= %d", o.Value), o.Kind, o.Role, width})
	}
	for _, im := range p.Implicit {
		rows = append(rows, []string{"", im.Name, "", "", "not in the text", im.Role})
	}
	return rows
}

// diagram draws the bits, 32 per row of boxes: numbers, bits, owner, value.
func (p *Part) diagram(b *strings.Builder, c Paint) {
	for at := 0; at < len(p.Fields); {
		end := at
		for end < len(p.Fields) && p.Fields[end].Hi/32 == p.Fields[at].Hi/32 {
			end++
		}
		var lines [4]strings.Builder
		for i := range p.Fields[at:end] {
			f := &p.Fields[at+i]
			cells := [4]string{"", f.Bits, f.Owner, f.Text}
			w := 0
			for _, s := range cells {
				w = max(w, utf8.RuneCountInString(s))
			}
			hi, lo := fmt.Sprint(f.Hi), fmt.Sprint(f.Lo)
			if f.Hi == f.Lo {
				cells[0] = hi
			} else {
				w = max(w, len(hi)+len(lo)+1)
				cells[0] = hi + strings.Repeat(" ", w-len(hi)-len(lo)) + lo
			}
			for k, s := range cells {
				pad := s + strings.Repeat(" ", max(0, w-utf8.RuneCountInString(s)))
				if k == 0 {
					pad = apply(c.Dim, pad)
				}
				fmt.Fprintf(&lines[k], "%s|", pad)
			}
		}
		for k := range lines {
			fmt.Fprintf(b, "  |%s\n", lines[k].String())
		}
		if at = end; at < len(p.Fields) {
			b.WriteString("\n")
		}
	}
}

// Table formats cells in columns separated by two blanks, each line after the indent and without trailing blanks.
func Table(rows [][]string, indent string) string {
	var width []int
	for _, r := range rows {
		for i, s := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(s))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		line := indent
		for i, s := range r {
			line += s + strings.Repeat(" ", width[i]-utf8.RuneCountInString(s)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
