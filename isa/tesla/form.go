package tesla

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// newForm makes a form of a layout. Fields that its operands share follow them as args without text.
func newForm(enc *isa.Encoding, ops ...operand) *form {
	f := &form{enc: enc, ops: ops, args: make([]isa.Arg, 0, len(ops)+2*moreArgs)}
	var shared []string
	for i, o := range ops {
		if enc != long && o.arg.At == nil {
			o.arg.Kind = lower(o.arg.Kind)
		}
		f.args = append(f.args, o.arg)
		f.carries = f.carries || o.arg.Kind == guardFlags || o.arg.Kind == guardCarry
		if o.get != nil {
			f.srcs = append(f.srcs, i)
		}
		if o.put != nil {
			f.dsts = append(f.dsts, i)
		}
		if o.located {
			f.located = append(f.located, i)
		} else if len(o.uses) > 0 {
			f.fulls = true
		}
		for _, name := range o.uses {
			if !slices.Contains(shared, name) {
				shared = append(shared, name)
			}
		}
	}
	for _, name := range shared {
		f.args = append(f.args, isa.Arg{Name: name, Kind: hidden, Place: isa.Hidden})
	}
	if f.flags() {
		f.args = append(f.args, isa.Arg{Name: "flags written", At: nothing, Kind: flagsWritten, Role: isa.Define, Width: flags, Place: isa.Hidden})
	}
	if len(f.located) > 0 {
		f.first = ops[f.located[0]].at
		f.fillLegal()
	}
	switch enc {
	case long:
		f.args = append(f.args, isa.Arg{Name: "flow", Place: isa.Prefix}, guardArg, forceLong)
	case control:
		f.args = append(f.args, forceLong)
	}
	return f
}

// moreArgs is the usual number of args of a form besides its operands, and of args that a row adds.
const moreArgs = 4

// flags reports whether a $c may precede a result.
func (f *form) flags() bool {
	for i := range f.args {
		for k := range f.args[i].Parts {
			if f.args[i].Parts[k].Name == mcdst.Name {
				return true
			}
		}
	}
	return false
}

// flagsWritten is the flags that mcdst names as written: parts of operands touch no cells.
var flagsWritten = &isa.Kind{Name: "a flag register",
	Cells: func(dst []isa.Span, in *isa.Inst, a *isa.Arg, _ uint64) []isa.Span {
		v := in.Get(nameCDst)
		if v&cdstOn == 0 {
			return dst
		}
		return flagCells(dst, in, a, v&^cdstOn)
	}}

// lower returns the kind of a register field of short and immediate forms.
func lower(k *isa.Kind) *isa.Kind {
	switch k {
	case register:
		return lowRegister
	case halfRegister:
		return lowHalf
	}
	return k
}

var guardArg = isa.Arg{Name: "guard", Place: isa.Prefix, Role: isa.Use, Width: 1, Default: condAlways}

// with returns the form with more args that are no operands.
func (f *form) with(args ...isa.Arg) *form {
	g := *f
	g.args = append(slices.Clone(f.args), args...)
	return &g
}

var (
	// ignoredGuard, ignoredFlag are fields that an instruction ignores.
	ignoredGuard = isa.Arg{Name: "ignored", Kind: ignored, At: bits.Ranges{bits.Span(39, 45)}, Place: isa.Hidden}
	ignoredFlag  = isa.Arg{Name: "ignored", Kind: ignored, At: bits.Ranges{bits.Span(38, 38)}, Place: isa.Hidden}
	laneArg      = isa.Arg{Name: "lanes", Kind: lanes, At: bits.Ranges{bits.Span(46, 49)}, Place: isa.Prefix, Default: 15}
)

// fillLegal records which combinations of the bits that select sources name existing sources.
func (f *form) fillLegal() {
	for stage := range f.legal {
		for signs := range memorySigns {
			legal := true
			for _, i := range f.located {
				legal = legal && whats[f.ops[i].at][stage][signs] != isIllegal
			}
			if legal {
				f.legal[stage] |= 1 << signs
			}
		}
	}
}

// check says why fields are illegal together; "": they are legal.
func (f *form) check(in *isa.Inst) string {
	if f.legal[in.Stage]>>signsOf(f.first, in.Word.Lo)&1 != 0 {
		return ""
	}
	return noSource(int(in.Stage))
}

func noSource(stage int) string { return "no source of a " + stages[stage] + " program has these bits" }

// bars returns check as data.
func (f *form) bars(*isa.Def) (list []isa.Forbidden) {
	at := signsAt(f.first)
	for stage, legal := range f.legal {
		var no []uint64
		for v := range uint64(1) << at.Len() {
			if legal>>signsOf(f.first, at.Put(bits.Word{}, v).Lo)&1 == 0 {
				no = append(no, v)
			}
		}
		if no != nil {
			list = append(list, isa.Forbidden{Stages: 1 << stage, If: []isa.FieldIn{{At: at, Values: no}}, Why: noSource(stage)})
		}
	}
	return list
}

// canon clears the shared fields that no operand reads: its text does not show them.
func (f *form) canon(in *isa.Inst) {
	if f.enc == long && in.Has(nameCDst) && in.Get(nameCDst) < cdstOn {
		in.Put(nameCDst, 0)
	}
	if in.Has(nameGuard) && !f.carries {
		if code := in.Get(nameGuard) & 31; code == condNever || code == condAlways {
			in.Put(nameGuard, code)
		}
	}
	if in.Has(nameQuadLane) && in.Get(nameQuadLane) >= quadNeighbour {
		in.Put(nameQuadLane, in.Get(nameQuadLane)&^2)
	}
	f.canonMemory(in)
}

// canonMemory is canon for the fields of memory operands.
func (f *form) canonMemory(in *isa.Inst) {
	reg, inc, bank := f.fulls, f.fulls, f.fulls
	first, sel := isRegister, uint64(0)
	rest := false
	for _, i := range f.located {
		s, _ := f.origin(in, i)
		reg = reg || s.own
		inc = inc || s.own && s.what != isPrimitive && !s.unlike
		bank = bank || s.what == isConst
		switch p := f.ops[i].at; {
		case p == longFirst || p == shortFirst || p == immFirst:
			first = s.what
		case s.what == isConst && p == longThird:
			sel = 2
		case s.what == isConst:
			sel = 1
		default:
			rest = true
		}
	}
	clear := func(n isa.Name, used bool) {
		if !used && in.Has(n) {
			in.Put(n, 0)
		}
	}
	clear(nameAddr, reg)
	clear(nameInc, inc)
	clear(nameBank, bank)
	if len(f.located) == 0 || f.enc == imm {
		return
	}
	if first == isPrimitive && f.enc == long {
		sel = selPrimitive
		clear(nameMem, rest)
	} else if first == isPrimitive {
		sel = 1
	}
	if in.Has(nameSel) {
		in.Put(nameSel, sel)
	}
}

// lifted reads sources and writes results as the form of the row says.
var lifted = &isa.Form{Src: readSource, Dst: writeResult}

func readSource(l *isa.Lift, i int) V {
	f := rowOf(l.In).form
	at := f.srcs[i]
	return f.ops[at].get(l, &l.In.Def.Args[at])
}

func writeResult(l *isa.Lift, i int, v V) {
	f := rowOf(l.In).form
	at := f.dsts[i]
	f.ops[at].put(l, &l.In.Def.Args[at], v)
}

// fixed returns fixed fields from triples of a bit range and its value: lo, hi, value.
func fixed(list ...int) (fs []isa.Fixed) {
	for i := 0; i < len(list); i += 3 {
		fs = append(fs, isa.Must(list[i], list[i+1], uint64(list[i+2])))
	}
	return fs
}

// Sets of variants by their features. docs/reference/tesla.md 1.
const (
	allVariants = 1<<numVariants - 1
	fromG84     = allVariants &^ (1 << G80)
	fromG200    = fromG84 &^ (1 << G84)
	onlyG200    = 1 << G200
	onlyGT215   = 1 << GT215
)

// def returns the row as an isa.Def.
func (r *row) def() isa.Def {
	f := r.form
	d := isa.Def{Name: r.name, Variants: r.variants, Stages: r.stages, Enc: f.enc, Op: r.op, Fix: r.fix, Args: f.args, Doc: r.doc,
		Source: "docs/reference/tesla.md " + r.ref, Meaning: r.mean, Form: lifted, Fidelity: ir.Exact, Note: r.note, Data: r}
	if d.Variants == 0 {
		d.Variants = allVariants
	}
	if r.option != "" {
		d.Fidelity, d.Options = ir.Modelled, []string{r.option}
	}
	if r.mean == nil {
		d.Lack = cmp.Or(r.lack, isa.LackUnbuilt)
	}
	d.Short = f.enc == short || f.enc == shortControl
	switch f.enc {
	case imm:
		d.Rank = 1
	case long, control:
		d.Rank = 2
	}
	if len(f.located) > 0 {
		d.Check, d.Forbids = f.check, f.bars
	}
	d.Canon = f.canon
	return d
}
