package spec

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/internal/reference"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// AllVariants selects all variants of a set.
const AllVariants = -1

// What selects the parts of an instruction set for a document.
type What struct {
	// Variant is the index of the only variant, or AllVariants.
	Variant int
	// Runs selects the rows whose semantics are included, which takes most of the time; nil: all rows.
	Runs func(d *isa.Def) bool
}

// Build makes the document of an instruction set. The error reports a fault of its tables.
func Build(s *isa.Set, w What) (*Document, error) {
	b := &builder{set: s, what: w, kinds: map[string]int{}, forms: map[string]int{}, meanings: map[string]int{}, encodings: map[*isa.Encoding]int{}, fields: map[fieldKey][]known{}, cited: map[string]bool{}}
	for v := range s.Variants {
		if w.Variant == AllVariants || w.Variant == v {
			b.variants = append(b.variants, v)
		}
	}
	b.doc = &Document{Format: Format, ISA: s.Name, Doc: s.Doc, Unit: s.Unit, Longest: s.Longest, Variants: []Variant{}, Stages: []Stage{}, Classes: []Class{}, Machines: []Machine{},
		Modes: []Mode{}, Options: []Option{}, Encodings: []Encoding{}, Kinds: []Kind{}, Forms: []Form{}, Rows: []Row{}, Meanings: []Meaning{}, Gaps: []Gap{}, Rules: []Rule{}, Entries: []Entry{}, Ops: []Op{}, Sources: []Source{}}
	b.head()
	b.machines()
	b.choices()
	b.gaps()
	if err := b.rows(); err != nil {
		return nil, err
	}
	b.ops()
	b.sources()
	return b.doc, nil
}

// A builder builds a document.
type builder struct {
	set       *isa.Set
	what      What
	doc       *Document
	variants  []int // of the document, by index in the set
	kinds     map[string]int
	forms     map[string]int
	meanings  map[string]int
	encodings map[*isa.Encoding]int
	fields    map[fieldKey][]known // kinds found so far
	cited     map[string]bool
}

// head fills in names and text.
func (b *builder) head() {
	s, d := b.set, b.doc
	for _, v := range b.variants {
		x := &s.Variants[v]
		d.Variants = append(d.Variants, Variant{x.Name, append([]string{}, x.Aliases...), x.Doc})
	}
	for i, name := range s.Stages {
		st := Stage{Name: name}
		if i < len(s.StageNames) {
			st.Also = s.StageNames[i]
		}
		d.Stages = append(d.Stages, st)
	}
	views := s.Group != nil && s.Group.View != nil
	for i, name := range s.Classes {
		d.Classes = append(d.Classes, Class{name, views && s.Group.View(i)})
	}
	d.Text = Text{Separator: s.Sep, Ends: "." + s.Suffix, Dialects: append([]string{}, s.Dialects...), Comments: append([]string{}, s.Comments...), Long: s.Long, AnyCase: s.AnyCase, Pairs: s.Pairs}
	if s.Group != nil {
		d.Group = &Group{s.Group.Rule, s.Group.Steps}
	}
	for i := range s.Entries {
		d.Entries = append(d.Entries, Entry{s.Entries[i].Name, s.Entries[i].Public})
	}
}

// machines fills in the state of waves; variants with the same state share it.
func (b *builder) machines() {
	known := map[string]int{}
	for i, v := range b.variants {
		m := b.set.Machine(v)
		out := Machine{Widths: m.Widths, Control: m.Control.String(), Files: []File{}, ModeMask: hexOf(bits.Word{Lo: uint64(m.ModeMask)})}
		for k := range m.Files {
			f := &m.Files[k]
			out.Files = append(out.Files, File{f.Name, f.Kind.String(), f.Count})
		}
		key := fmt.Sprint(out)
		at, ok := known[key]
		if !ok {
			at = len(b.doc.Machines)
			known[key], b.doc.Machines = at, append(b.doc.Machines, out)
		}
		b.doc.Machines[at].Variants = append(b.doc.Machines[at].Variants, i)
	}
}

// choices fills in modes, options and rules.
func (b *builder) choices() {
	s, d := b.set, b.doc
	for i := range s.Modes {
		m := &s.Modes[i]
		d.Modes = append(d.Modes, Mode{m.Name, m.Of, Field{runOf(m.At)}, m.Values, m.Doc, b.cite(m.Source)})
	}
	for i := range s.Options {
		o := &s.Options[i]
		d.Options = append(d.Options, Option{o.Name, o.Values, o.Default, o.Doc, b.cite(o.Source)})
	}
	for i := range s.Arch.Rules {
		r := &s.Arch.Rules[i]
		if in := b.in(r.Variants); len(in) > 0 {
			d.Rules = append(d.Rules, Rule{r.ID, r.Severity.String(), r.Doc, b.cite(r.Source), in, r.Example})
		}
	}
}

// in returns the variants of the document that are in a mask; 0 means all.
func (b *builder) in(mask uint32) []int {
	list := []int{}
	for i, v := range b.variants {
		if mask == 0 || mask>>v&1 != 0 {
			list = append(list, i)
		}
	}
	return list
}

func (b *builder) gaps() {
	if b.set.Gaps == nil {
		return
	}
	for _, g := range b.set.Gaps() {
		verdict := g.Code
		if verdict == "" {
			verdict = isa.ErrInvalid
		}
		b.doc.Gaps = append(b.doc.Gaps, Gap{g.Class, heldOf(g.If), verdict, g.Msg})
	}
}

func (b *builder) ops() {
	for op := range ir.Op(ir.Ops()) {
		info := op.Info()
		b.doc.Ops = append(b.doc.Ops, Op{info.Name, info.Rule, info.Fidelity.String(), info.Doc})
	}
}

// cite returns a source and records it.
func (b *builder) cite(source string) string {
	if source != "" {
		b.cited[source] = true
	}
	return source
}

func (b *builder) sources() {
	ix := reference.Built()
	for cite := range b.cited {
		x := Source{Cite: cite, Sections: []Section{}}
		for _, sec := range ix.Lookup(cite) {
			x.Sections = append(x.Sections, Section{sec.Number + " " + sec.Title, sec.Path(), sec.URL()})
		}
		b.doc.Sources = append(b.doc.Sources, x)
	}
	slices.SortFunc(b.doc.Sources, func(x, y Source) int {
		if x.Cite < y.Cite {
			return -1
		}
		return 1
	})
}

// once returns the index of a value in a list of distinct values, adding it if needed.
func once[T any](known map[string]int, list *[]T, v T) (int, error) {
	key, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	at, ok := known[string(key)]
	if !ok {
		at = len(*list)
		known[string(key)], *list = at, append(*list, v)
	}
	return at, nil
}

func runOf(r bits.Range) Run { return Run{int(r.Lo), int(r.Hi)} }

// hexOf returns a word as a hexadecimal number.
func hexOf(w bits.Word) Hex {
	if w.Hi != 0 {
		return Hex(fmt.Sprintf("0x%x%016x", w.Hi, w.Lo))
	}
	return Hex(fmt.Sprintf("0x%x", w.Lo))
}

func heldOf(list []isa.FieldIn) []FieldIn {
	out := []FieldIn{}
	for _, h := range list {
		out = append(out, FieldIn{fieldOf(h.At), spansOf(h.Values)})
	}
	return out
}

func fixedOf(list []isa.Fixed) []Fixed {
	out := []Fixed{}
	for _, f := range list {
		out = append(out, Fixed{runOf(f.At), hexOf(bits.Word{Lo: f.Value})})
	}
	return out
}
