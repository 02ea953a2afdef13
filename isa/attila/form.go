package attila

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

func src(i int) isa.Arg {
	return isa.Arg{Name: [...]string{"src1", "src2", "src3"}[i], Role: isa.Use, Width: 128, Parts: sourceParts(i)}
}

func condition(i int) isa.Arg {
	return isa.Arg{Name: [...]string{"src1", "src2"}[i], Kind: boolean, Role: isa.Use, Width: 1, Parts: conditionParts(i)}
}

func killer() isa.Arg {
	return isa.Arg{Name: "src1", Kind: killed, Role: isa.Use, Width: 128, Parts: killedParts()}
}

// jumpCondition is that of jmp, which is ignored if the end flag is set.
func jumpCondition() isa.Arg {
	a := condition(0)
	a.RoleIf = func(in *isa.Inst) isa.Role {
		if in.Get(nameEnd) != 0 {
			return isa.NoRole
		}
		return isa.Use
	}
	return a
}

var (
	result = isa.Arg{Name: "dst", Role: isa.Define, Width: 128, Parts: resultParts}
	pred   = isa.Arg{Name: "dst", Kind: predDest, Role: isa.Define, Width: 1}
	predN  = isa.Arg{Name: "dst", Kind: predDest, Role: isa.Define, Width: 1, Parts: []isa.Part{{Name: "sat", Kind: inverted, Side: isa.Before}}}
	atUnit = isa.Arg{Name: "src2", Kind: unit, Width: 128, Parts: unitParts}
	at     = isa.Arg{Name: "sample"}
)

// Idle fields of predicate results, texture and sample operands. docs/reference/attila.md 2.1.
var (
	predIdle   = []isa.Fixed{isa.Must(32, 34, 2), isa.Must(36, 39, 8)}
	andpIdle   = []isa.Fixed{isa.Must(32, 34, 2), isa.Must(112, 119, 0)}
	unitIdle   = []isa.Fixed{isa.Must(22, 24, 0)}
	sampleIdle = []isa.Fixed{isa.Must(22, 24, 1)}
)

// arith returns a form with a register result and n sources.
func arith(n int, t ir.Type, imm *isa.Kind) *form {
	f := &form{args: []isa.Arg{result}, results: 1, srcs: n, imm: imm, result: true, typ: t}
	for i := range n {
		f.args = append(f.args, src(i))
	}
	return f
}

// toAcc returns a form whose result goes to the accumulator: only its mask is used.
func toAcc(f *form) *form {
	f.args[0].Role = isa.NoRole
	return f
}

// forms are those of the rows, named by result and sources.
type forms struct {
	none, ff, fs, fff, iii, ffff, xff, xfff, xffff, pff, pii, pbb, ft *form
	ffffKill, kills, killsAt, exports, exportsAt, jumps               *form
}

func newForms() *forms {
	ffff := arith(3, ir.F32, nil)
	return &forms{
		none:  &form{},
		ff:    arith(1, ir.F32, nil),
		fs:    arith(1, ir.F32, nil),
		fff:   arith(2, ir.F32, floatImm),
		iii:   arith(2, ir.I32, intImm),
		ffff:  ffff,
		xff:   toAcc(arith(2, ir.F32, floatImm)),
		xfff:  arith(3, ir.F32, nil),
		xffff: toAcc(arith(3, ir.F32, nil)),
		pff:   &form{args: []isa.Arg{pred, src(0), src(1)}, results: 1, srcs: 2, imm: floatImm, typ: ir.F32, idle: predIdle},
		pii:   &form{args: []isa.Arg{pred, src(0), src(1)}, results: 1, srcs: 2, imm: intImm, typ: ir.I32, idle: predIdle},
		pbb:   &form{args: []isa.Arg{predN, condition(0), condition(1)}, results: 1, srcs: 2, typ: ir.I1, idle: andpIdle, canon: canonAndp},
		ft:    &form{args: []isa.Arg{result, src(0), atUnit}, results: 1, srcs: 1, result: true, unit: true, typ: ir.F32, idle: unitIdle},

		ffffKill:  &form{args: ffff.args, results: 1, srcs: 3, result: true, typ: ir.F32, kills: true},
		kills:     &form{args: []isa.Arg{killer()}, srcs: 1, typ: ir.F32, kills: true, canon: canonKill},
		killsAt:   &form{args: []isa.Arg{killer(), at}, srcs: 1, typ: ir.F32, kills: true, idle: sampleIdle, canon: canonKill},
		exports:   &form{args: []isa.Arg{killer()}, srcs: 1, typ: ir.F32, canon: canonKill},
		exportsAt: &form{args: []isa.Arg{killer(), at}, srcs: 1, typ: ir.F32, idle: sampleIdle, canon: canonKill},
		jumps:     &form{args: []isa.Arg{jumpCondition(), {Name: "imm", Kind: target}}, srcs: 1, typ: ir.I1, jump: true, canon: canonJump},
	}
}

// def returns the row in the register form, or with an immediate; also are more names that it accepts.
func (r *row) def(imm bool, also []string) isa.Def {
	f := r.form
	d := isa.Def{Name: r.name, Also: also, Variants: 1<<Text | 1<<Sim, Enc: regForm, Op: r.op, Doc: r.doc, Source: "docs/reference/attila.md 6",
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

// operands returns the operands of the row in text order between suffix and modifiers.
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

// canonSources clears the field of relative addressing if it has no text: because it has no effect, or no source is a
// constant.
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
