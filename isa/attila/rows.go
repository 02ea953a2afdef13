package attila

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// The opcodes in order. 0x05, 0x06 and 0x1a are unassigned; 0x0e, flr, is not implemented anywhere: see missing.
// Where the page and the reference disagree on a name or an operand, the row follows docs/reference/attila.md 15.
func rows(f *forms) []row {
	return []row{
		// op name   class  form  scalar  meaning  doc
		{0x00, "nop", classBrief, f.none, whole, effect(nothing), "nothing"},
		{0x01, "add", classPlain, f.fff, single, each2(V.FAdd), "a + b"},
		{0x02, "addi", classInteger, f.iii, single, each2(V.Add), "a + b modulo 2^32"},
		{0x03, "arl", classPlain, f.ff, single, arlMean, "floor of a as an integer; 0x80000000 where it does not fit"},
		{0x04, "andp", classBrief, f.pbb, whole, effect(andp), "both conditions; inverted with !"},
		{0x07, "cos", classAngle, f.fs, single, scalar(V.FCos), "cosine of a radians"},
		{0x08, "dp3", classPlain, f.fff, noSOA, dot(3, false), "ax*bx + ay*by + az*bz, left to right, each step rounded"},
		{0x09, "dp4", classPlain, f.fff, noSOA, dot(4, false), "ax*bx + ay*by + az*bz + aw*bw, left to right"},
		{0x0a, "dph", classPlain, f.fff, noSOA, dot(3, true), "ax*bx + ay*by + az*bz + bw, left to right"},
		{0x0b, "dst", classLight, f.fff, whole, vector(dst, compY|compZ, compY|compW), "(1, ay*by, az, bw)"},
		{0x0c, "ex2", classPower, f.fs, single, scalar(V.FExp2), "2^a"},
		{0x0d, "exp", classParts, f.fs, whole, vector(exp, compW), "(2^floor a, a - floor a, 2^a, 1)"},
		{0x0f, "frc", classPlain, f.ff, single, each1(frc), "a - floor a; 1 for tiny negative a"},
		{0x10, "lg2", classPower, f.fs, single, scalar(V.FLog2), "logarithm to base 2"},
		{0x11, "lit", classLight, f.ff, whole, vector(lit, compX|compY|compW), "(1, max(ax,0), ax > 0 ? max(ay,0)^aw : 0, 1), aw within -128 to 128"},
		{0x12, "log", classParts, f.fs, whole, vector(log, compW), "(floor log2 |a|, a / 2^floor log2 a, log2 a, 1)"},
		{0x13, "mad", classPlain, f.ffff, single, each3(mad), "a*b + c, the product rounded first"},
		{0x14, "max", classPlain, f.fff, single, each2(V.FMaxSel), "a > b ? a : b, so b if either is NaN"},
		{0x15, "min", classPlain, f.fff, single, each2(V.FMinSel), "a < b ? a : b, so b if either is NaN"},
		{0x16, "mov", classPlain, f.ff, single, each1(same), "a"},
		{0x17, "mul", classPlain, f.fff, single, each2(V.FMul), "a * b"},
		{0x18, "muli", classInteger, f.iii, single, each2(V.Mul), "a * b modulo 2^32"},
		{0x19, "rcp", classReciprocal, f.fs, single, scalar(rcp), "1 / a"},
		{0x1b, "rsq", classReciprocal, f.fs, single, scalar(rsq), "1 / |a| rounded, then its square root; -0 stays negative: NaN"},
		{0x1c, "setpeq", classPlain, f.pff, whole, setp(V.FEq), "a = b"},
		{0x1d, "setpgt", classPlain, f.pff, whole, setp(fgt), "a > b"},
		{0x1e, "sge", classPlain, f.fff, single, each2(sge), "a < b ? 0 : 1, so 1 if either is NaN"},
		{0x1f, "setplt", classPlain, f.pff, whole, setp(V.FLt), "a < b"},
		{0x20, "sin", classAngle, f.fs, single, scalar(V.FSin), "sine of a radians"},
		{0x21, "stpeqi", classInteger, f.pii, whole, setp(V.Eq), "a = b as integers"},
		{0x22, "slt", classPlain, f.fff, single, each2(slt), "a < b ? 1 : 0"},
		{0x23, "stpgti", classInteger, f.pii, whole, setp(sgt), "a > b, signed"},
		{0x24, "stplti", classInteger, f.pii, whole, effect(stplti, compW, compW), "a < b, signed; the simulator compares for equality"},
		{0x25, "txl", classTexture, f.ft, whole, effect(texture(ir.LodExplicit), compAll), "texture, level of detail a.w"},
		{0x26, "tex", classTexture, f.ft, whole, effect(texture(ir.LodImplicit), compAll), "texture"},
		{0x27, "txb", classTexture, f.ft, whole, effect(texture(ir.LodBias), compAll), "texture, level of detail biased by a.w"},
		{0x28, "txp", classProjected, f.ft, whole, effect(txp, compAll), "texture at a / a.w"},
		{0x29, "kil", classPlain, f.kills, whole, effect(kil, compAll), "kills the current sample if a component of a is below 0"},
		{0x2a, "kls", classPlain, f.killsAt, whole, effect(kls, compAll), "kills the sample named if a component of a is below 0"},
		{0x2b, "zxp", classPlain, f.exports, whole, effect(zxp, compX), "the depth of sample 0 is a.x"},
		{0x2c, "zxs", classPlain, f.exportsAt, whole, effect(zxs, compAll), "the depths of four samples from the current one on are a; the sample named does not matter"},
		{0x2d, "cmp", classPlain, f.ffff, single, each3(cmp), "a < 0 ? b : c; -0 and NaN choose c"},
		{0x2e, "cmpkil", classPlain, f.ffffKill, single, effect(cmpkil, byMask, byMask, byMask), "cmp; kills the current sample if a component of the result is below 0"},
		{0x2f, "chs", classPlain, f.none, whole, effect(chs), "the next sample becomes the current one"},
		{0x30, "lda", classTexture, f.ft, whole, effect(lda, compX), "the attribute at index a.x of its stream"},
		{0x31, "fxmul", classPlain, f.xff, single, effect(fxmul, byMask, byMask), "accumulator = a * b in fixed point"},
		{0x32, "fxmad", classPlain, f.xfff, single, effect(fxmad, byMask, byMask), "a * b + accumulator as a float; c does not matter"},
		{0x33, "fxmad2", classPlain, f.xffff, single, effect(fxmad2, byMask, byMask, byMask), "accumulator = a * b + c in fixed point"},
		{0x34, "ddx", classDerivatives, f.ff, single, derivative(1), "difference between the columns of the quad"},
		{0x35, "ddy", classDerivatives, f.ff, single, derivative(2), "difference between the rows of the quad"},
		{0x36, "jmp", classControl, f.jumps, whole, effect(jmp), "jumps if the condition holds in all lanes"},
		{0x37, "end", classControl, f.none, noSOA, effect(end), "the program ends"},
	}
}

// also returns mnemonics that the page's syntax lines use for rows of another name.
func also(name string) []string {
	switch name {
	case "stpeqi":
		return []string{"setpeqi"}
	case "stpgti":
		return []string{"setpgti"}
	case "stplti":
		return []string{"setplti"}
	case "jmp":
		return []string{"jump"}
	}
	return nil
}

// defs returns the rows, one for registers and one for an immediate.
func defs() (ds []isa.Def) {
	rs := rows(newForms())
	for i := range rs {
		r := &rs[i]
		ds = append(ds, r.def(false, also(r.name)))
		if r.form.imm != nil {
			ds = append(ds, r.def(true, also(r.name)))
		}
	}
	return ds
}
