package manual

import (
	"fmt"
	"strings"
)

// Markdown returns the page for a window of an editor.
func (pg *Page) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "```%s\n%s\n```\n", pg.ISA, pg.Text)
	fmt.Fprintf(&b, "%s, %s:%s\n", pg.sizeText(), pg.ISA, pg.Variant)
	for i := range pg.Parts {
		if p := &pg.Parts[i]; p.Doc != "" {
			fmt.Fprintf(&b, "\n%s\n", escaped(p.Doc))
		}
	}
	var meaning strings.Builder
	pg.meaning(&meaning, Paint{})
	_, text, _ := strings.Cut(strings.TrimPrefix(meaning.String(), "\n"), "\n")
	fmt.Fprintf(&b, "\n**Meaning**\n%s", fenced(text))
	for i := range pg.Parts {
		pg.Parts[i].markdown(&b, len(pg.Parts) > 1)
	}
	fmt.Fprintf(&b, "\n**Fidelity** %s\n", pg.Fidelity)
	for _, w := range pg.Because {
		fmt.Fprintf(&b, "- %s\n", escaped(w))
	}
	for _, f := range pg.Findings {
		fmt.Fprintf(&b, "\n**%s** %s%s\n", f.Rule, escaped(f.Msg), links(f.Sections, f.Source))
	}
	return b.String()
}

// markdown writes one instruction of the page, with its name if there are several.
func (p *Part) markdown(b *strings.Builder, named bool) {
	if named {
		fmt.Fprintf(b, "\n---\n`%s`\n", p.Mnemonic)
	}
	if p.Note != "" {
		fmt.Fprintf(b, "\n%s\n", escaped(p.Note))
	}
	if rows := p.operandRows(); len(rows) > 0 {
		b.WriteString("\n**Operands**\n\n| | operand | text | bits | kind | | width |\n|---|---|---|---|---|---|---|\n")
		for _, r := range rows {
			for i := range r {
				r[i] = strings.ReplaceAll(escaped(r[i]), "|", `\|`)
			}
			line(b, r)
		}
	}
	if len(p.Fields) > 0 {
		var d strings.Builder
		p.diagram(&d, Paint{})
		fmt.Fprintf(b, "\n**Bits** (%s)\n%s", p.Encoding, fenced(d.String()))
	}
	if text := links(p.Sections, p.Source); text != "" {
		fmt.Fprintf(b, "\n**Source**%s\n", text)
	}
}

// fenced formats preformatted text.
func fenced(text string) string {
	return "```text\n" + strings.TrimRight(text, "\n") + "\n```\n"
}

// links returns links to the sections that a source cites, or its text.
func links(list []Section, source string) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, fmt.Sprintf("[%s](%s)", escaped(s.Title), s.URL))
	}
	if len(parts) == 0 && source != "" {
		parts = []string{escaped(source)}
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, ", ")
}

// escaped escapes all Markdown markup in a text.
func escaped(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte("\\`*_{}[]<>#|~", s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
