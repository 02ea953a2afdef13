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
// semantics and one-line doc. A row without semantics and doc is listed by other tools but described by no source.
//
// In docs a, b and c are the sources and d the old value of the destination. For memory instructions a is the
// address, d and e are the data, and m is the element of memory at the address.
type row struct {
	op6, op7, op8 int
	name          string
	sig           string
	mean          isa.Meaning
	doc           string
}

// op returns the row's opcode in a generation, or -1.
func (r *row) op(gen int) int {
	switch gen {
	case gfx6:
		return r.op6
	case gfx7:
		return r.op7
	}
	return r.op8
}

// A family is the rows of one encoding: the vocabulary of their signatures, their possible forms, and common
// properties.
type family struct {
	name   string
	rows   []row
	words  lexicon
	forms  []form
	lack   isa.Lack // for rows that are described but have no semantics
	source string   // of the rows; "": that of the layout
	cells  []touch  // touched by every row, unless it says no:
	scalar bool     // its instructions run once per wave
	unit   unit
}

// A form is one way in which rows of a family are encoded and written: the layout, and the operands with the way to
// read or write each.
type form struct {
	layout layoutID
	suffix string       // of the mnemonic
	also   string       // a suffix that is accepted and not printed
	rank   int          // among the forms of a row: lower is tried first
	add    [numGens]int // the difference between the opcode and that of the family's own encoding
	fits   func(s *sig) bool
	// operands adds the row's operands in the form, in the order of the text.
	operands func(b *builder)
	// lacks returns why a row with semantics has none in this form; nil: all have them.
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
	room    []isa.Arg // for the operands of later shapes
	entries []entry   // for later shapes
	also    []string  // of the present row: its name without suffix, and its other name; nil: not computed yet

	// The present shape.
	sig  sig
	enc  *isa.Encoding
	k    *kinds
	e    *entry
	made *shape
	args []isa.Arg // at the start of room
}

// A shape is what the rows of one signature share in one form and generation: all that does not depend on the
// mnemonic, the opcode or the semantics. Most rows share a shape with others, so it is made once.
type shape struct {
	args     []isa.Arg
	fix      []isa.Fixed
	implicit []isa.Implicit
	canon    func(in *isa.Inst)
	entry    *entry
}

// newBuilder returns a builder for the rows of the generations in a mask; 0: of all.
func newBuilder(gens []gen, options []isa.Option, only uint32) *builder {
	b := &builder{gens: gens, options: options}
	common := newCommonKinds()
	for i := range gens {
		g := &gens[i]
		var l layouts
		if only == 0 || only>>i&1 != 0 {
			l = g.layouts()
			b.share(&l)
		}
		b.layouts = append(b.layouts, l)
		b.kinds = append(b.kinds, newKinds(&g.codes, common))
	}
	return b
}

// share replaces layouts that an earlier generation has, too.
func (b *builder) share(l *layouts) {
	for id, e := range l {
		for _, before := range b.layouts {
			if f := before[id]; e != nil && f != nil && sameLayout(e, f) {
				l[id] = f
			}
		}
	}
}

// A signature is a parsed signature of rows of a family: the forms that fit it, and the shapes of its rows.
type signature struct {
	f      *family
	sig    sig
	err    error
	common []touch  // the cells of the family that it touches
	forms  []uint8  // indices in the family's forms
	shapes []*shape // by index in forms and generation; nil: not made yet
}

// A reading is a row with its signature.
type reading struct {
	r *row
	x *signature
}

// families makes the rows of families. The error joins the faults of all signatures.
func (b *builder) families(fs []family) error {
	all := 0
	for i := range fs {
		all += len(fs[i].rows)
	}
	list := make([]reading, 0, all)
	var errs []error
	n := 0
	for i := range fs {
		f, known := &fs[i], map[string]*signature{}
		for j := range f.rows {
			r := &f.rows[j]
			x := known[r.sig]
			if x == nil {
				x = b.signature(f, r.sig)
				known[r.sig] = x
			}
			if x.err != nil {
				errs = append(errs, fmt.Errorf("gcn: %s (%s): %w", r.name, f.name, x.err))
			}
			list = append(list, reading{r, x})
			n += b.most(x, r)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	b.defs = make([]isa.Def, 0, n)
	for _, l := range list {
		b.also = nil
		for i := range l.x.forms {
			b.row(l.x, i, l.r)
		}
	}
	return nil
}

// most returns the limit of the number of Defs of a row: one for each form in each generation.
func (b *builder) most(x *signature, r *row) int {
	n := 0
	for _, i := range x.forms {
		for g := range b.gens {
			if r.op(g) >= 0 && b.layouts[g][x.f.forms[i].layout] != nil {
				n++
			}
		}
	}
	return n
}

// signature parses a signature of a family and finds the forms that fit it.
func (b *builder) signature(f *family, text string) *signature {
	x := &signature{f: f}
	if x.sig, x.err = f.words.parse(text, b.options); x.err != nil {
		return x
	}
	x.common, x.forms = f.touches(&x.sig), make([]uint8, 0, len(f.forms))
	for i := range f.forms {
		if fm := &f.forms[i]; fm.fits == nil || fm.fits(&x.sig) {
			x.forms = append(x.forms, uint8(i))
		}
	}
	if len(x.forms) == 0 {
		x.err = fmt.Errorf("signature %q: no form fits it", text)
	}
	x.shapes = make([]*shape, len(x.forms)*len(b.gens))
	return x
}

// touches returns the cells of the family, without those that the row excludes.
func (f *family) touches(s *sig) []touch {
	return slices.DeleteFunc(slices.Clone(f.cells), func(t touch) bool {
		return t.cell == hiddenExec && s.has(fNoExec) || t.cell == hiddenM0 && s.has(fNoM0)
	})
}

// row makes a row in form i of its signature for all generations that have it; rows that are equal in two generations
// are made once.
func (b *builder) row(x *signature, i int, r *row) {
	from, fm := len(b.defs), &x.f.forms[x.forms[i]]
next:
	for g := range b.gens {
		op, enc := r.op(g), b.layouts[g][fm.layout]
		if op < 0 || enc == nil {
			continue
		}
		at := &x.shapes[i*len(b.gens)+g]
		if *at == nil {
			*at = b.shape(x, fm, g)
		}
		s := *at
		op += fm.add[g]
		for j := from; j < len(b.defs); j++ {
			if d := &b.defs[j]; d.Enc == enc && d.Op == uint64(op) && s.same(d) {
				d.Variants |= 1 << g
				continue next
			}
		}
		b.def(x, fm, r, s)
		d := &b.defs[len(b.defs)-1]
		d.Enc, d.Op, d.Variants = enc, uint64(op), 1<<g
		if d.Source == "" {
			d.Source = enc.Source
		}
	}
}

// shape makes what does not depend on the row.
func (b *builder) shape(x *signature, fm *form, g int) *shape {
	s := new(shape)
	if len(b.entries) == 0 {
		b.entries = make([]entry, 64)
	}
	if len(b.room) < maxArgs {
		b.room = make([]isa.Arg, 256)
	}
	b.sig, b.enc, b.k, b.made = x.sig, b.layouts[g][fm.layout], b.kinds[g], s
	b.e, b.args = &b.entries[0], b.room[:0:maxArgs]
	*b.e = entry{gen: &b.gens[g], in: b.sig.inType(), out: b.sig.result(), vector: !x.f.scalar}
	b.e.unit, b.e.class = x.f.unit.of(&b.sig)
	for _, t := range b.sig.touches {
		b.touch(t)
	}
	fm.operands(b)
	for _, t := range x.common {
		b.touch(t)
	}
	n := len(b.args)
	s.args, s.entry = b.args[:n:n], b.e
	b.room, b.entries = b.room[n:], b.entries[1:]
	return s
}

// same reports whether the shape is that of a Def of another generation.
func (s *shape) same(d *isa.Def) bool {
	return slices.Equal(d.Fix, s.fix) && slices.Equal(d.Implicit, s.implicit) &&
		slices.EqualFunc(d.Args, s.args, func(x, y isa.Arg) bool { return x.Name == y.Name && x.Kind == y.Kind })
}

// def adds the Def of a row with a shape.
func (b *builder) def(x *signature, fm *form, r *row, s *shape) {
	b.defs = append(b.defs, isa.Def{Name: r.name, Rank: fm.rank, Doc: r.doc, Source: x.f.source, Form: fm.lift,
		Args: s.args, Fix: s.fix, Implicit: s.implicit, Canon: s.canon, Data: s.entry})
	d := &b.defs[len(b.defs)-1]
	suffixed, read := fm.suffix != "" && !x.sig.has(fBare), fm.also
	if b.also == nil && (suffixed || x.sig.also != "") {
		b.also = []string{r.name, x.sig.also}
	}
	if suffixed {
		d.Name, d.Also = r.name+fm.suffix, b.also[:1:1]
	} else if read == "" {
		read = fm.suffix
	}
	if x.sig.also != "" {
		d.Also = b.also[1-len(d.Also) : 2 : 2]
	}
	if read != "" {
		d.Also = append(d.Also, r.name+read)
	}
	d.Twin = x.sig.has(fSwizzle) || x.sig.has(fBare) && fm.suffix != ""
	d.Meaning, d.Lack = r.mean, x.lack(r, fm)
	switch {
	case d.Lack != isa.LackNone:
		d.Meaning, d.Fidelity = nil, ir.NotRunnable
	case x.sig.option != "":
		d.Fidelity, d.Options = ir.Modelled, []string{x.sig.option}
	case x.sig.has(fApprox):
		d.Fidelity = ir.Approximate
	default:
		d.Fidelity = ir.Exact
	}
}

// lack returns why a row cannot run in a form: it is not described, not implemented, or the form's own reason.
func (x *signature) lack(r *row, fm *form) isa.Lack {
	switch {
	case r.mean == nil && (r.doc == "" || x.sig.has(fUndefined)):
		return isa.LackUndefined
	case r.mean == nil:
		return x.f.lack
	case fm.lacks != nil:
		return fm.lacks(&x.sig)
	}
	return isa.LackNone
}

// touch adds a cell that no operand names.
func (b *builder) touch(t touch) {
	h := &hiddenCells[t.cell]
	b.made.implicit = append(b.made.implicit, isa.Implicit{Name: h.name, Cell: h.cell(b.k.codes), N: h.n, Role: t.role})
}

// maxArgs is more than the operands and modifiers of any row.
const maxArgs = 32

// add adds an operand or modifier, fix a field that distinguishes the form from others.
func (b *builder) add(as ...isa.Arg) { b.args = append(b.args, as...) }

func (b *builder) fix(field string, v uint64) {
	b.made.fix = append(b.made.fix, isa.Fixed{At: placeOf(b.enc, field)[0], Value: v})
}

// flags adds modifiers of one bit, those that the layout has.
func (b *builder) flags(names ...string) {
	for _, n := range names {
		if placeOf(b.enc, n) == nil {
			continue
		}
		b.add(isa.Arg{Name: n, Kind: b.k.flag(n), Place: isa.Modifier})
	}
}

// word adds an operand that is one word without bits, wanted a required modifier.
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

// source adds an operand that the semantics read as their next source; one without text has no operand.
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

// constant is source for operands that name no register.
func (b *builder) constant(s source, a *isa.Arg) {
	b.e.src[b.e.sources] = s
	b.e.sources++
	if a != nil {
		b.add(*a)
	}
}

// result adds an operand for the next result; one without text has no operand.
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
