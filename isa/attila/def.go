package attila

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// at is the sample of kls and zxs, in the place of the number of operand 2.
var at = isa.Arg{Name: "sample", Kind: sample, At: bits.Ranges{bits.Span(88, 95)}}

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
	d := isa.Def{Name: r.name, Also: also[r.name], Variants: 1<<Text | 1<<Sim, Enc: regForm, Op: r.op, Doc: r.doc, Source: "isa/attila.md 6",
		Meaning: r.mean, Form: lifted, Fidelity: ir.Exact, Data: r}
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

// operands are all fields of the row: those of the text, then those that others print and parse, then flags.
func (f *form) operands(imm bool) (args []isa.Arg) {
	if f.result {
		args = append(args, isa.Arg{Name: "sat", Glue: true})
	}
	args = append(args, f.args...)
	mods := []isa.Arg{}
	srcs := f.srcs
	if imm {
		args[len(args)-1] = isa.Arg{Name: "imm", Kind: f.imm, Role: isa.Use, Width: 32, Neg: 25, Abs: 26}
		srcs--
	}
	if f.result {
		mods = append(mods, isa.Arg{Name: "rbank"}, isa.Arg{Name: "mask"})
	}
	for i := range srcs {
		b := isa.Arg{Name: [...]string{"bank1", "bank2", "bank3"}[i]}
		if f.typ == ir.I1 {
			b.Kind = anyBank
		}
		mods = append(mods, b)
	}
	if srcs > 0 && !f.jump {
		mods = append(mods, isa.Arg{Name: "rel"})
	}
	mods = append(mods, isa.Arg{Name: "guard", Lead: true, Role: isa.Use, Width: 1}, isa.Arg{Name: "end"}, isa.Arg{Name: "wait"})
	for i := range mods {
		mods[i].Mod = true
	}
	return append(args, mods...)
}

// canonSources clears the field of relative addressing where it has no text: without effect, or no source is a constant.
func canonSources(in *isa.Inst) {
	f := in.Def.Data.(*row).form
	n := f.srcs
	if in.Def.Enc == immForm {
		n--
	}
	param := false
	for i := range n {
		param = param || isParam(bank(in.Word, i))
	}
	if !param || !relative(in.Word) {
		putLo(&in.Word, bitRel, 14, 0)
	}
}

func canonFloatImm(in *isa.Inst) {
	canonSources(in)
	canonImm(in, in.Def.Arg("imm"), true)
}

func canonIntImm(in *isa.Inst) {
	canonSources(in)
	canonImm(in, in.Def.Arg("imm"), false)
}

// canonKill: see killed.
func canonKill(in *isa.Inst) {
	canonKilled(&in.Word, in.Def.Arg("src1"))
	canonSources(in)
}

// canonAndp: see relBool.
func canonAndp(in *isa.Inst) {
	canonBool(&in.Word, in.Def.Arg("src1"))
	canonBool(&in.Word, in.Def.Arg("src2"))
	canonSources(in)
	if relative(in.Word) {
		putLo(&in.Word, bitRel+3, 2, 1)
	}
}

func canonJump(in *isa.Inst) { canonBool(&in.Word, in.Def.Arg("src1")) }
