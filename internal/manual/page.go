package manual

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/internal/reference"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A Page describes one instruction, or the parts of one bundle.
type Page struct {
	Order    string   `json:"order,omitempty"` // byte order in which the bytes were read, if it is ambiguous
	ISA      string   `json:"isa"`
	Variant  string   `json:"variant"`
	Text     string   `json:"text"`
	Hex      string   `json:"hex"` // in memory order
	Size     int      `json:"size"`
	Parts    []Part   `json:"parts"`
	Formula  []string `json:"formula,omitempty"` // the semantics, one assignment per line, in the letters of the operands
	Floats   string   `json:"floats,omitempty"`  // how results of floats are rounded, and similar
	IR       string   `json:"ir,omitempty"`
	Lack     string   `json:"lack,omitempty"` // why it cannot run
	Fidelity string   `json:"fidelity"`
	// Because lists the reasons why the fidelity is not exact.
	Because []string `json:"because,omitempty"`
	Idle    []string `json:"idle,omitempty"` // modifiers without effect in the mode
	// Waits describes the counters, slots or fences that it waits for or counts in, and the threads that it waits for.
	Waits []string `json:"waits,omitempty"`
	// Costs is its cost for a thread, by execution unit.
	Costs    []isa.Cost `json:"costs,omitempty"`
	Findings []Finding  `json:"findings,omitempty"`

	order []int // of Parts, as they are shown: instructions before the other parts of a group
}

// A Part is one instruction of a page.
type Part struct {
	Mnemonic string    `json:"mnemonic"`
	Doc      string    `json:"doc,omitempty"`
	Encoding string    `json:"encoding"`
	Opcode   uint64    `json:"opcode"`
	Bits     int       `json:"bits"` // including the literal
	Fields   []Field   `json:"fields"`
	Operands []Operand `json:"operands,omitempty"`
	// Implicit is state that the instruction reads or writes although its text does not name it.
	Implicit []Touched `json:"implicit,omitempty"`
	Source   string    `json:"source,omitempty"`
	// Sections are the sections that the source cites.
	Sections []Section `json:"sections,omitempty"`
	Note     string    `json:"note,omitempty"`
	Forms    []Form    `json:"forms"`

	entry bool // it is an instruction by itself, not a header or map of a group
}

// A Section is a section of a page of docs/reference.
type Section struct {
	Title string `json:"title"`
	Path  string `json:"path"` // in the repository, with the anchor of the heading
	URL   string `json:"url"`
}

// A Touched is state that an instruction reads or writes implicitly.
type Touched struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// A Field is a run of bits with one owner.
type Field struct {
	Hi    int    `json:"hi"`
	Lo    int    `json:"lo"`
	Bits  string `json:"bits"`
	Owner string `json:"owner"` // fixed, opcode, literal, unclaimed, or the operand
	Text  string `json:"text,omitempty"`
}

// An Operand is an operand or modifier and its value.
type Operand struct {
	Letter   string `json:"letter,omitempty"` // its name in formulas, with modifiers: -a
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Role     string `json:"role,omitempty"`
	Width    int    `json:"width,omitempty"` // bits
	Value    uint64 `json:"value"`           // as encoded
	Text     string `json:"text"`
	Modifier bool   `json:"modifier,omitempty"`
}

// A Form is another row with the same mnemonic.
type Form struct {
	Encoding string   `json:"encoding"`
	Opcode   uint64   `json:"opcode"`
	Variants []string `json:"variants"`
}

// A Finding is a rule that the instruction breaks although it decodes.
type Finding struct {
	Rule   string `json:"rule"`
	Msg    string `json:"msg"`
	Source string `json:"source,omitempty"`
	// Sections are the sections that the source cites.
	Sections []Section `json:"sections,omitempty"`
}

// PageOf returns the page of a bundle of the target, lifted in the mode.
func PageOf(t *isa.Target, b *isa.Bundle, mode uint32) *Page {
	pg := BriefPage(t, b, mode)
	for _, f := range t.Lint(nil, b, nil) {
		pg.Findings = append(pg.Findings, Finding{f.Rule, f.Msg, f.Source, sections(f.Source)})
	}
	if pg.Lack == "" {
		pg.Idle = Idle(t, b, mode&t.Machine().ModeMask)
	}
	return pg
}

// BriefPage is PageOf without what requires trials: broken rules, and modifiers without effect.
func BriefPage(t *isa.Target, b *isa.Bundle, mode uint32) *Page {
	pg := bitsOf(t, b)
	pg.lift(t, b, mode)
	if t.Waits != nil {
		pg.Waits = t.Waits(t, b)
	}
	if t.Costs != nil {
		pg.Costs = t.Costs(t, b)
	}
	return pg
}

// bitsOf returns the page of a bundle without its semantics.
func bitsOf(t *isa.Target, b *isa.Bundle) *Page {
	pg := &Page{ISA: t.Name, Variant: t.Variants[t.Variant].Name, Text: string(t.Print(nil, b)), Size: b.Size()}
	code, err := b.Encode(nil)
	if err == nil {
		pg.Hex = fmt.Sprintf("%x", code)
	}
	for i := range b.Parts {
		p := part(t.Set, &b.Parts[i])
		if err != nil { // without public encoding its bits, and those of the group, are placeholders
			p.Encoding, p.Opcode, p.Bits, p.Fields, p.Forms = "", 0, 0, []Field{}, []Form{}
		}
		pg.Parts = append(pg.Parts, p)
		pg.order = append(pg.order, i)
	}
	frame := func(i int) int {
		if pg.Parts[i].entry {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(pg.order, func(i, j int) int { return cmp.Compare(frame(i), frame(j)) })
	return pg
}

// first moves the parts with a mnemonic to the start.
func (pg *Page) first(mnemonic string) {
	named := func(i int) int {
		if strings.EqualFold(pg.Parts[i].Mnemonic, mnemonic) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(pg.order, func(i, j int) int { return cmp.Compare(named(i), named(j)) })
}

func part(s *isa.Set, in *isa.Inst) Part {
	d := in.Def
	p := Part{Mnemonic: d.Name, Doc: d.Doc, Encoding: d.Enc.Name, Opcode: d.Op, Bits: 8 * int(in.Size),
		Source: sources(d), Note: d.Note, Fields: fields(in), entry: d.Entry != ""}
	p.Sections = sections(p.Source)
	for i := range d.Args {
		a := &d.Args[i]
		p.Operands = append(p.Operands, Operand{Name: a.Name, Kind: a.Kind.Name, Role: roleNames[a.Role], Width: a.Width,
			Value: a.Get(in.Word), Text: argText(in, a), Modifier: a.Place != isa.Operand})
	}
	for _, im := range d.Implicit {
		p.Implicit = append(p.Implicit, Touched{im.Name, roleNames[im.Role]})
	}
	for _, r := range s.Rows(d.Name) {
		if r.Class != d.Class || r.Private {
			continue // another part of a group is no form of this one; or it has no bits
		}
		f := Form{Encoding: r.Enc.Name, Opcode: r.Op}
		for v := range s.Variants {
			if r.InVariant(v) {
				f.Variants = append(f.Variants, s.Variants[v].Name)
			}
		}
		if slices.ContainsFunc(p.Forms, func(g Form) bool {
			return g.Encoding == f.Encoding && g.Opcode == f.Opcode && slices.Equal(g.Variants, f.Variants)
		}) {
			continue // fixed bits distinguish the rows
		}
		p.Forms = append(p.Forms, f)
	}
	return p
}

// sections returns the sections that a source cites.
func sections(source string) (list []Section) {
	for _, s := range reference.Built().Lookup(source) {
		list = append(list, Section{s.Number + " " + s.Title, s.Path(), s.URL()})
	}
	return list
}

// sources returns the sources of the row and of its encoding.
func sources(d *isa.Def) string {
	if d.Source == "" || d.Source == d.Enc.Source || d.Enc.Source == "" {
		return orElse(d.Source, d.Enc.Source)
	}
	return d.Source + "; " + d.Enc.Source
}

var roleNames = [...]string{isa.NoRole: "", isa.Use: "read", isa.Define: "written", isa.UseDef: "read, written"}

// argText returns the text of an operand with its modifiers.
func argText(in *isa.Inst, a *isa.Arg) string {
	var p isa.Printer
	return strings.TrimSpace(string(p.AppendArg([]byte{' '}, in, a))) // some remove the blank before them
}

// fields divides the instruction's bits into fields, highest first.
func fields(in *isa.Inst) (fs []Field) {
	owners := owners(in)
	for hi := len(owners) - 1; hi >= 0; {
		lo := hi
		for lo > 0 && owners[lo-1] == owners[hi] && lo%32 != 0 {
			lo--
		}
		r := bits.Span(lo, hi)
		f := Field{Hi: hi, Lo: lo, Bits: fmt.Sprintf("%0*b", r.Len(), in.Word.Get(r)), Owner: owners[hi]}
		switch a := in.Def.Find(f.Owner); {
		case a != nil:
			f.Text = argText(in, a)
		case f.Owner == "opcode":
			f.Text = fmt.Sprintf("%#x", in.Def.Op)
		case f.Owner == "literal":
			f.Text = fmt.Sprintf("%#x", in.Word.Get(r))
		}
		fs = append(fs, f)
		hi = lo - 1
	}
	return fs
}

// owners returns the owner of each bit of the instruction.
func owners(in *isa.Inst) []string {
	d := in.Def
	own := make([]string, 8*int(in.Size))
	for i := range own {
		own[i] = "unclaimed"
	}
	claim := func(name string, rs ...bits.Range) {
		for _, r := range rs {
			for i := int(r.Lo); i <= int(r.Hi) && i < len(own); i++ {
				own[i] = name
			}
		}
	}
	for _, f := range append(append([]isa.Fixed{}, d.Enc.Fixed...), d.Fix...) {
		claim("fixed", f.At)
	}
	claim("opcode", d.Enc.Opcode...)
	for i := range d.Args {
		a := &d.Args[i]
		claim(a.Name, a.At...)
		for j := range a.Parts {
			claim(a.Parts[j].Name+" "+a.Name, a.Parts[j].At...)
		}
	}
	if in.HasLiteral() {
		claim("literal", d.Enc.Literal.At)
	}
	return own
}

// lift fills in semantics and fidelity.
func (pg *Page) lift(t *isa.Target, b *isa.Bundle, mode uint32) {
	m := t.Machine()
	blk := t.LiftOne(b, mode&m.ModeMask)
	var defs []*isa.Def
	for i := range b.Parts {
		defs = append(defs, b.Parts[i].Def)
	}
	var f ir.Fidelity
	f, pg.Because = fidelity(blk, defs...)
	pg.Fidelity = f.String()
	var text []byte
	for i := range blk.Ops {
		switch in := &blk.Ops[i]; {
		case trapped(in):
			pg.Lack, pg.IR = blk.Why, ""
			return
		case in.Op == ir.Jump && in.Imm == blk.Next && in.Alt == 0: // added by the lift: every block needs a terminator
		default:
			text = append(ir.AppendOp(append(text, "  "...), m, blk, i), '\n')
		}
	}
	pg.IR = string(text)
	pg.Formula, pg.Floats = formulas(t, b, blk)
	pg.asLetters(b)
}
