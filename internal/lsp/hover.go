package lsp

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// hover describes what is at a position: a name, a directive, an operand, or the instruction.
func (d *snapshot) hover(p posParams) (any, error) {
	off := d.offset(p.Position)
	text, at := d.hoverText(off)
	if text == "" {
		return nil, nil
	}
	r := d.rangeOf(at.From, at.To)
	h := hover{markup{"markdown", text}, &r}
	if d.client.plain {
		h.Contents = markup{"plaintext", plain(text)}
	}
	return h, nil
}

// plain removes marks of Markdown that make plain text hard to read.
func plain(text string) string {
	return strings.NewReplacer("```text\n", "", "```\n", "", "**", "", "`", "", "\\", "").Replace(text)
}

// hoverText returns the description of a place, in Markdown, and its extent.
func (d *snapshot) hoverText(off int) (string, asm.Extent) {
	o := d.outline()
	i := pieceAt(o, off)
	if i < len(o.Pieces) && i+1 < len(o.Pieces) && o.Pieces[i].To == off && o.Pieces[i+1].From == off {
		i++
	}
	if i == len(o.Pieces) || o.Pieces[i].From > off {
		return "", asm.Extent{}
	}
	p := &o.Pieces[i]
	word := wordAt(o.Text, off)
	if at := d.names().at(off); at != nil {
		return d.nameText(at.name), at.Extent
	}
	switch {
	case p.Kind == asm.PieceDirective:
		return d.directiveText(p, word)
	case p.Kind == asm.PieceInstruction:
		return d.instructionText(i, word, off)
	}
	return "", asm.Extent{}
}

// wordAt returns the word around an offset, or directly before it, with a register sign before it, if there is one.
func wordAt(text []byte, off int) asm.Extent {
	e := asm.Extent{From: off, To: off}
	for e.From > 0 && isa.WordLen(text[e.From-1:e.From]) > 0 {
		e.From--
	}
	if e.To < len(text) {
		e.To += isa.WordLen(text[e.To:])
	}
	return e
}

// nameText describes a name.
func (d *snapshot) nameText(x *name) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** `%s`", x.kind, x.text)
	if x.kind == labelName {
		if v, section, ok := d.valueOf(x); ok {
			fmt.Fprintf(&b, " = `%#x`", v)
			if section != "" {
				fmt.Fprintf(&b, " in `%s`", section)
			}
		}
	}
	o := d.outline()
	p := &o.Pieces[x.piece]
	if x.kind != labelName {
		fmt.Fprintf(&b, "\n%s", "```text\n"+strings.Join(strings.Fields(string(o.Text[p.From:p.To])), " ")+"\n```")
	}
	if c := d.commentOf(p); c != "" {
		fmt.Fprintf(&b, "\n\n%s", c)
	}
	fmt.Fprintf(&b, "\n\ndefined in line %d", d.lineOf(x.defs[0].From)+1)
	if len(x.defs) > 1 {
		fmt.Fprintf(&b, " and %d more", len(x.defs)-1)
	}
	fmt.Fprintf(&b, ", named in %d more places\n", len(x.uses))
	return b.String()
}

// commentOf returns the comment after a piece on its line, or that on the previous line, without its opener.
func (d *snapshot) commentOf(p *asm.Piece) string {
	o := d.outline()
	here := d.lineOf(p.From)
	text := ""
	for _, c := range o.Comments {
		n := d.lineOf(c.From)
		if n > here {
			break
		}
		alone := n == here-1 && strings.TrimSpace(string(o.Text[d.lines[n]:c.From])) == ""
		if n == here && c.From >= p.To || alone {
			text = d.s[c.From:c.To]
		}
	}
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "/;#*"))
}

// directiveText describes a directive.
func (d *snapshot) directiveText(p *asm.Piece, word asm.Extent) (string, asm.Extent) {
	name := string(d.outline().Text[p.From : p.From+p.Name])
	for _, r := range d.directives() {
		if strings.EqualFold(r.Name, name) {
			return "```text\n" + strings.TrimSpace(r.Name+" "+r.Syntax) + "\n```\n" + r.Doc + "\n", asm.Extent{From: p.From, To: p.From + p.Name}
		}
	}
	return "", asm.Extent{}
}

// directives returns those that the document may use.
func (d *snapshot) directives() []asm.Directive {
	if f := d.target().format(); f != nil {
		return f.Directives()
	}
	return asm.Directives()
}

// bundle reads the instruction of a piece, with the document's names. Addresses are computed only if the text names
// something: it may take long.
func (d *snapshot) bundle(i int, b *isa.Bundle) error {
	o, asked := d.outline(), false
	p := &o.Pieces[i]
	s := isa.Scan{Target: o.Target(i), Kinds: d.target().program}
	s.Symbol = func(name string) (uint64, isa.SymbolKind) {
		asked = true
		return 0, d.kindOf(name)
	}
	read := func(addr uint64) error {
		s.Reset(string(o.Text[p.From:p.To]), addr)
		return s.ParseWhole(b)
	}
	err := read(0)
	if !asked {
		return err
	}
	n := d.lineOf(p.From)
	for _, x := range d.on(n) { // its assembled bytes tell what its names stand for
		if x.col == p.From-d.lines[n] && s.Target.DecodeBundle(x.code, x.addr, b) == nil && b.Size() == len(x.code) {
			return nil
		}
	}
	s.Symbol = d.symbol
	return read(0)
}

// instructionText describes the operand at an offset, or else the instruction.
func (d *snapshot) instructionText(i int, word asm.Extent, off int) (string, asm.Extent) {
	o := d.outline()
	p, t := &o.Pieces[i], o.Target(i)
	whole := p.Extent
	if r, ok := newRegisters(t).at(o.Text, p, off); ok {
		word = r.Extent
	}
	var b isa.Bundle
	err := d.bundle(i, &b)
	if err == nil {
		pg := manual.PageOf(t, &b, eval.StartMode(t))
		if text, at := d.operandText(t, p, pg, word); text != "" {
			return text, at
		}
		return pg.Markdown(), whole
	}
	name, at := mnemonicIn(t, o.Text, p)
	if name == "" {
		return "", asm.Extent{}
	}
	text := string(o.Text[word.From:word.To])
	if word != at {
		if r := registerText(t, text); r != "" {
			return r, word
		}
	}
	if manual.Parse(t, name, &b) != nil {
		return "", asm.Extent{}
	}
	e := isa.AsError(err)
	return fmt.Sprintf("This text does not assemble: %s. An instruction of that name:\n\n%s", e.Msg, manual.PageOf(t, &b, eval.StartMode(t)).Markdown()), at
}

// mnemonicIn returns the first word of a statement that has rows, and its extent.
func mnemonicIn(t *isa.Target, text []byte, p *asm.Piece) (string, asm.Extent) {
	for from := p.From; from < p.To; {
		e, ok := wordFrom(text[:p.To], from)
		if !ok {
			return "", e
		}
		word := string(text[e.From:e.To])
		for n := len(word); n > 0; n = strings.LastIndexByte(word[:n], '.') {
			for _, name := range [...]string{word[:n], strings.ToLower(word[:n])} {
				if hasRow(t, name) {
					return name, asm.Extent{From: e.From, To: e.From + n}
				}
			}
		}
		from = e.To
	}
	return "", asm.Extent{}
}

// hasRow reports whether the target has an instruction of that name.
func hasRow(t *isa.Target, name string) bool {
	for _, r := range t.Rows(name) {
		if r.InVariant(t.Variant) && r.InStage(t.Stage) {
			return true
		}
	}
	return false
}

// operandText describes the operand or modifier that the word is a part of.
func (d *snapshot) operandText(t *isa.Target, p *asm.Piece, pg *manual.Page, word asm.Extent) (string, asm.Extent) {
	text := d.outline().Text
	if word.From == word.To || word.From == p.From && p.Name > 0 {
		return "", word
	}
	w := string(text[word.From:word.To])
	nth := strings.Count(" "+string(text[p.From:word.From]), w) // of several equal ones
	var found []*manual.Operand
	for i := range pg.Parts {
		if name := pg.Parts[i].Mnemonic; strings.EqualFold(name, w) || strings.HasPrefix(w, name+".") && hasRow(t, name) && isHead(t, text, p, word) {
			return "", word
		}
		for k := range pg.Parts[i].Operands {
			if op := &pg.Parts[i].Operands[k]; holds(op.Text, w) || op.Name == w && op.Text != "" {
				found = append(found, op)
			}
		}
	}
	r := registerText(t, w)
	if len(found) == 0 {
		return r, word
	}
	op := found[min(nth, len(found)-1)]
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** `%s` of `%s`: %s", op.Name, op.Text, strings.Join(strings.Fields(pg.Text), " "), op.Kind)
	if op.Role != "" {
		fmt.Fprintf(&b, ", %s", op.Role)
	}
	if op.Width != 0 {
		fmt.Fprintf(&b, ", %d bits", op.Width)
	}
	fmt.Fprintf(&b, "; encoded as %d", op.Value)
	if op.Letter != "" {
		fmt.Fprintf(&b, "; formulas call it `%s`", op.Letter)
	}
	b.WriteString("\n")
	for _, more := range [...]string{r, numberText(w)} {
		if more != "" {
			b.WriteString("\n" + more)
		}
	}
	if n := len(pg.Formula); n > 0 {
		lines := pg.Formula[:min(n, mostFormulas)]
		if n > mostFormulas {
			lines = append(slices.Clone(lines), "…")
		}
		fmt.Fprintf(&b, "\n```text\n%s\n```\n", strings.Join(lines, "\n"))
	}
	return b.String(), word
}

// mostFormulas is how many lines of the semantics are shown for an operand; the page has all.
const mostFormulas = 8

// isHead reports whether a word is the one with the mnemonic.
func isHead(t *isa.Target, text []byte, p *asm.Piece, word asm.Extent) bool {
	_, at := mnemonicIn(t, text, p)
	return at.From == word.From
}

// holds reports whether a text contains a word, or several.
func holds(text, word string) bool {
	for at := 0; ; at++ {
		n := strings.Index(text[at:], word)
		if n < 0 {
			return false
		}
		at += n
		end := at + len(word)
		if (at == 0 || isa.WordLen(text[at-1:at]) == 0) && (end == len(text) || isa.WordLen(text[end:end+1]) == 0 || text[end] == '.') {
			return true
		}
	}
}

// registerText describes a register.
func registerText(t *isa.Target, name string) string {
	cells, err := t.RegisterCells(name)
	if err != nil || len(cells) == 0 {
		return ""
	}
	m := t.Machine()
	f := &m.Files[cells[0].File]
	text := fmt.Sprintf("`%s`: number %d of the %d cells of register file `%s`, ", name, cells[0].Index, f.Count, f.Name)
	if len(cells) > 1 {
		text = fmt.Sprintf("`%s`: %d cells from number %d of the %d of register file `%s` on, ", name, len(cells), cells[0].Index, f.Count, f.Name)
	}
	return text + cellText(f.Kind) + "\n"
}

// cellText describes the contents of a cell.
func cellText(k ir.CellKind) string {
	switch k {
	case ir.Lane32:
		return "32 bits per lane"
	case ir.Wave32:
		return "32 bits per wave"
	case ir.Wave1:
		return "one bit a wave"
	}
	return "one bit a lane"
}

// numberText returns a number in other forms.
func numberText(w string) string {
	v, err := strconv.ParseUint(w, 0, 64)
	if err != nil {
		return ""
	}
	text := fmt.Sprintf("`%s` = %d = %#x", w, v, v)
	if v>>32 == 0 && v>>16 != 0 {
		text += fmt.Sprintf(" = %v as f32", math.Float32frombits(uint32(v)))
	}
	return text + "\n"
}
