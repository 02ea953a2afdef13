package gcn

import (
	"errors"
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A row is an instruction: its opcodes by generation in the encoding of its family, mnemonic, signature (see sig),
// meaning and one-line doc. A row without meaning and doc is listed by other tools and described nowhere.
//
// In docs a, b and c are the sources and d the destination before. Of memory instructions a is the address, d and e
// are the data, and m is the element of memory at the address.
type row struct {
	op6, op7, op8 int
	name          string
	sig           string
	mean          isa.Meaning
	doc           string
}

// op is the row's opcode in a generation, or -1.
func (r *row) op(gen int) int {
	switch gen {
	case gfx6:
		return r.op6
	case gfx7:
		return r.op7
	}
	return r.op8
}

// A family is the rows of one encoding: the words of their signatures, the forms that they have where they fit, and what
// they have in common.
type family struct {
	name   string
	rows   []row
	words  lexicon
	forms  []form
	lack   isa.Lack // of rows that are described and have no meaning
	source string   // of the rows; "": that of the layout
	cells  []touch  // that every row touches, unless it says no:
}

// A form is one way in which rows of a family are encoded and written: the layout, and the operands with how each is
// read and each result written.
type form struct {
	layout layoutID
	suffix string       // of the mnemonic
	rank   int          // among the forms of a row: lower is tried first
	add    [numGens]int // what an opcode is greater by than in the family's own encoding
	fits   func(s *sig) bool
	// operands adds what the row has in the form, in the order of the text.
	operands func(b *builder)
	// lacks, where a row with a meaning has none in this form, says why; nil: all have it.
	lacks func(s *sig) isa.Lack
	lift  *isa.Form
}

// A builder makes the Defs of rows, one row in one form and one generation at a time.
type builder struct {
	gens    []gen
	layouts []layouts // by generation, as kinds
	kinds   []*kinds
	options []isa.Option
	defs    []isa.Def
	room    []isa.Arg // for the operands of rows to come
	entries []entry

	// What is made at present.
	sig    sig
	common []touch // of the family
	enc    *isa.Encoding
	k      *kinds
	e      *entry
	d      *isa.Def  // the last of defs
	args   []isa.Arg // of it, at the start of room
}

func newBuilder(gens []gen, options []isa.Option) *builder {
	b := &builder{gens: gens, options: options}
	common := newCommonKinds()
	for i := range gens {
		g := &gens[i]
		var l layouts
		if g.layouts != nil {
			l = g.layouts()
			b.share(&l)
		}
		b.layouts = append(b.layouts, l)
		b.kinds = append(b.kinds, newKinds(&g.codes, common))
	}
	return b
}

// share replaces layouts that an earlier generation has too.
func (b *builder) share(l *layouts) {
	for id, e := range l {
		for _, before := range b.layouts {
			if f := before[id]; e != nil && f != nil && sameLayout(e, f) {
				l[id] = f
			}
		}
	}
}

// A reading is a row with its signature taken apart.
type reading struct {
	f   *family
	r   *row
	sig sig
}

// families makes the rows of families. The error joins the faults of all signatures.
func (b *builder) families(fs []family) error {
	var list []reading
	var errs []error
	n := 0
	for i := range fs {
		f := &fs[i]
		for j := range f.rows {
			r := &f.rows[j]
			s, err := f.words.parse(r.sig, b.options)
			if err != nil {
				errs = append(errs, fmt.Errorf("gcn: %s (%s): %w", r.name, f.name, err))
			}
			list = append(list, reading{f, r, s})
			before := n
			for k := range f.forms {
				n += oneIf(f.forms[k].fit(&s))
			}
			if n == before && err == nil {
				errs = append(errs, fmt.Errorf("gcn: %s (%s): signature %q: no form fits it", r.name, f.name, r.sig))
			}
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	b.defs, b.entries = make([]isa.Def, 0, n), make([]entry, n)
	for i := range list {
		x := &list[i]
		b.sig, b.common = x.sig, x.f.touches(&x.sig)
		for j := range x.f.forms {
			if fm := &x.f.forms[j]; fm.fit(&b.sig) {
				b.row(x.f, x.r, fm)
			}
		}
	}
	return nil
}

func (fm *form) fit(s *sig) bool { return fm.fits == nil || fm.fits(s) }

// touches are the cells of the family, without those that the row says it does not touch.
func (f *family) touches(s *sig) []touch {
	return slices.DeleteFunc(slices.Clone(f.cells), func(t touch) bool {
		return t.cell == hiddenExec && s.has(fNoExec) || t.cell == hiddenM0 && s.has(fNoM0)
	})
}

// row makes a row in one form for all generations that have it; what is the same in two is made once.
func (b *builder) row(f *family, r *row, fm *form) {
	from := len(b.defs)
next:
	for g := range b.gens {
		op, enc := r.op(g), b.layouts[g][fm.layout]
		if op < 0 || enc == nil {
			continue
		}
		b.enc, b.k = enc, b.kinds[g]
		b.begin(f, r, fm)
		b.d.Op = uint64(op + fm.add[g])
		fm.operands(b)
		for _, t := range b.common {
			b.touch(t)
		}
		for i := from; i < len(b.defs)-1; i++ {
			if d := &b.defs[i]; b.same(d) {
				d.Variants |= 1 << g
				b.defs = b.defs[:len(b.defs)-1]
				continue next
			}
		}
		b.d.Variants = 1 << g
		b.end()
	}
}

// begin starts a Def with what does not depend on the form's operands.
func (b *builder) begin(f *family, r *row, fm *form) {
	s := &b.sig
	if len(b.entries) == 0 {
		b.entries = make([]entry, 64)
	}
	if len(b.room) < maxArgs {
		b.room = make([]isa.Arg, 512)
	}
	b.e, b.args = &b.entries[0], b.room[:0:maxArgs]
	*b.e = entry{codes: b.k.codes, in: s.inType(), out: s.result()}
	b.defs = append(b.defs, isa.Def{Name: r.name, Enc: b.enc, Rank: fm.rank, Doc: r.doc, Source: f.source, Form: fm.lift, Data: b.e})
	b.d = &b.defs[len(b.defs)-1]
	if b.d.Source == "" {
		b.d.Source = b.enc.Source
	}
	if fm.suffix != "" && !s.has(fBare) {
		b.d.Name += fm.suffix
		b.d.Also = append(b.d.Also, r.name)
	}
	if s.also != "" {
		b.d.Also = append(b.d.Also, s.also)
	}
	b.d.Meaning, b.d.Lack = r.mean, b.lack(f, r, fm)
	switch {
	case b.d.Lack != isa.LackNone:
		b.d.Meaning, b.d.Fidelity = nil, ir.NotRunnable
	case s.option != "":
		b.d.Fidelity, b.d.Option = ir.Modelled, s.option
	default:
		b.d.Fidelity = ir.Exact
	}
	for _, t := range s.touches {
		b.touch(t)
	}
}

// lack says why a row cannot run in a form: it is not described, not built, or the form's own reason.
func (b *builder) lack(f *family, r *row, fm *form) isa.Lack {
	switch {
	case r.mean == nil && (r.doc == "" || b.sig.has(fUndefined)):
		return isa.LackUndefined
	case r.mean == nil:
		return f.lack
	case fm.lacks != nil:
		return fm.lacks(&b.sig)
	}
	return isa.LackNone
}

// touch adds a cell that no operand names.
func (b *builder) touch(t touch) {
	h := &hiddenCells[t.cell]
	b.d.Implicit = append(b.d.Implicit, isa.Implicit{Name: h.name, Cell: h.cell(b.k.codes), N: h.n, Role: t.role})
}

// same reports whether what is made equals a Def of another generation.
func (b *builder) same(d *isa.Def) bool {
	return d.Enc == b.enc && d.Op == b.d.Op && slices.Equal(d.Fix, b.d.Fix) && slices.Equal(d.Implicit, b.d.Implicit) &&
		slices.EqualFunc(d.Args, b.args, func(x, y isa.Arg) bool { return x.Name == y.Name && x.Kind == y.Kind })
}

// end keeps the Def with its operands.
func (b *builder) end() {
	n := len(b.args)
	b.d.Args, b.room, b.entries = b.args[:n:n], b.room[n:], b.entries[1:]
}

// maxArgs is more than the operands and modifiers of any row.
const maxArgs = 32

// add adds an operand or modifier, fix a field that tells the form from others.
func (b *builder) add(as ...isa.Arg) { b.args = append(b.args, as...) }

func (b *builder) fix(field string, v uint64) {
	b.d.Fix = append(b.d.Fix, isa.Fixed{At: placeOf(b.enc, field)[0], Value: v})
}

// flags adds modifiers of one bit.
func (b *builder) flags(names ...string) {
	for _, n := range names {
		b.add(isa.Arg{Name: n, Kind: b.k.flag(n), Place: isa.Modifier})
	}
}

// word adds an operand that is one word and stands for no bits, wanted a modifier that the text must have.
func (b *builder) word(w string) {
	b.add(isa.Arg{Name: w, Kind: b.k.keyword(w), At: bits.Ranges{}})
}

func (b *builder) wanted(w string) {
	b.add(isa.Arg{Name: w, Kind: b.k.present(w), At: bits.Ranges{}, Place: isa.Required})
}

// vgprs adds an operand of n vector registers.
func (b *builder) vgprs(name string, n int, role isa.Role) {
	b.add(isa.Arg{Name: name, Kind: b.k.vgprs(n), Role: role, Width: 32 * n})
}

// source adds an operand that the meaning reads as its next source; one without text has no operand.
func (b *builder) source(s source, a *isa.Arg) {
	if a != nil && b.sig.has(fIndexSrc) {
		b.constant(s, a)
		return
	}
	if a != nil {
		a.Role = isa.Use
	}
	b.constant(s, a)
}

// constant is source for what reads no register.
func (b *builder) constant(s source, a *isa.Arg) {
	b.e.src[b.e.sources] = s
	b.e.sources++
	if a != nil {
		b.add(*a)
	}
}

// result adds an operand that takes the meaning's next result; one without text has no operand.
func (b *builder) result(r result, a *isa.Arg) {
	b.e.dst[b.e.results] = r
	b.e.results++
	if a == nil {
		return
	}
	a.Role = isa.Define
	if b.sig.reads(oAcc) && r.t != mask {
		a.Role = isa.UseDef
	}
	if b.sig.has(fIndexDst) && r.t != mask {
		a.Role, a.RoleIf = isa.NoRole, nil
	}
	b.add(*a)
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}
