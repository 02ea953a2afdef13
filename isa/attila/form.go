package attila

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// defs are the rows, one for registers and one for an immediate.
func defs() (ds []isa.Def) {
	for i := range rows {
		r := &rows[i]
		ds = append(ds, r.def(false))
		if r.form.imm != nil {
			ds = append(ds, r.def(true))
		}
	}
	return ds
}

// def is the row in the register form, or with an immediate.
func (r *row) def(imm bool) isa.Def {
	f := r.form
	d := isa.Def{Name: r.name, Also: also[r.name], Variants: 1<<Text | 1<<Sim, Enc: regForm, Op: r.op, Doc: r.doc, Source: "docs/reference/attila.md 6",
		Meaning: r.mean.lift, Form: lifted, Fidelity: ir.Exact, Data: r}
	d.Idle = idle(imm || f.jump, f.idle...)
	switch {
	case imm:
		d.Enc, d.Rank = immForm, 1
	case f.jump:
		d.Enc = jumpForm
	}
	d.Args = f.operands(imm)
	d.Canon = f.canon
	if f.canon == nil && f.srcs > 0 {
		d.Canon = canonSources
	}
	if imm && f.typ == ir.F32 {
		d.Canon = canonFloatImm
	} else if imm {
		d.Canon = canonIntImm
	}
	return d
}

// operands are the operands of the row in text order between suffix and modifiers.
func (f *form) operands(imm bool) (args []isa.Arg) {
	if f.result {
		args = append(args, isa.Arg{Name: "sat", Place: isa.Suffix})
	}
	args = append(args, f.args...)
	if imm {
		args[len(args)-1] = isa.Arg{Name: "imm", Kind: f.imm, Role: isa.Use, Width: 32, Parts: immParts}
	}
	return append(args, isa.Arg{Name: "guard", Place: isa.Prefix, Role: isa.Use, Width: 1},
		isa.Arg{Name: "end", Place: isa.Modifier}, isa.Arg{Name: "wait", Place: isa.Modifier})
}

// rowOf is the row of the table that an instruction is.
func rowOf(in *isa.Inst) *row { return in.Def.Data.(*row) }

// registers is the number of sources that have a bank: an immediate takes the place of the second.
func (f *form) registers(in *isa.Inst) int {
	if f.immediate(in) {
		return f.srcs - 1
	}
	return f.srcs
}

// immediate reports whether an immediate takes the place of source 2.
func (f *form) immediate(in *isa.Inst) bool { return f.imm != nil && in.Has(nameImm) }

// sourceIndex is the number of a source operand: in front of the first there may be a suffix and a result.
func sourceIndex(in *isa.Inst, a *isa.Arg) int { return a.Index() - rowOf(in).form.first() }

// first is the index of the first source in the row's args.
func (f *form) first() int {
	n := 0
	if f.result {
		n++ // the suffix
	}
	return n + f.results
}

// usesRel reports whether the instruction addresses a constant relatively. A jump does not, though its text may say so.
// docs/reference/attila.md 12 no. 5.
func usesRel(in *isa.Inst) bool { return !rowOf(in).form.jump && showsRel(in) }

// showsRel reports whether the text of a constant is relative.
func showsRel(in *isa.Inst) bool {
	f := rowOf(in).form
	for i := range f.registers(in) {
		if isParam(srcBankOf(in, i)) {
			return relOf(in).on
		}
	}
	return false
}

// canonSources clears the field of relative addressing where it has no text: without effect, or no source is a constant.
func canonSources(in *isa.Inst) {
	if rowOf(in).form.srcs > 0 && !showsRel(in) {
		in.Put(nameRel, 0)
	}
}

func canonFloatImm(in *isa.Inst) {
	canonSources(in)
	canonImm(in, true)
}

func canonIntImm(in *isa.Inst) {
	canonSources(in)
	canonImm(in, false)
}

// canonKill: see killed.
func canonKill(in *isa.Inst) {
	canonKilled(in)
	canonSources(in)
}

// canonAndp: see boolean.
func canonAndp(in *isa.Inst) {
	canonBool(in, 0)
	canonBool(in, 1)
	canonSources(in)
	if rel := relOf(in); rel.on {
		rel.comp = relBoolComp
		in.Put(nameRel, rel.field())
	}
}

func canonJump(in *isa.Inst) {
	canonBool(in, 0)
	canonSources(in)
}
