package valhall

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Rules of single messages and comparisons. docs/reference/valhall.md 9 and 10.

const (
	sectMemory   = "docs/reference/valhall.md 9.1"
	sectBuffers  = "docs/reference/valhall.md 9.2"
	sectTextures = "docs/reference/valhall.md 9.3"
	sectPixels   = "docs/reference/valhall.md 9.4"
	sectFloats   = "docs/reference/valhall.md 10.1"
	sectIntegers = "docs/reference/valhall.md 10.2"

	ruleHelpersCompute = "helpers-compute"
)

func messageRules() []isa.Rule {
	return []isa.Rule{
		{ID: "texture-results", Severity: isa.SeverityWarning, Source: sectTextures, Check: textureResults,
			Doc:     "A sample has the registers that its write mask fills.",
			Example: "TEX_SINGLE.slot0.f.32.2d.zero @r0:r1, @r48:r49, u0"},
		{ID: "texture-coordinates", Severity: isa.SeverityWarning, Source: sectTextures, Check: textureCoordinates,
			Doc:     "A sample reads as many registers as its dimension, array and comparison have coordinates, and twice as many of derivatives.",
			Example: "TEX_SINGLE.slot0.f.32.2d.zero @r0:r1:r2:r3, @r48, u0"},
		{ID: "integer-condition", Taken: true, Source: sectIntegers, Check: integerCondition,
			Doc:     "Integers are compared by eq, gt, ge, ne, lt, le: gtlt and total are of floats.",
			Example: "ICMP_OR.u32.total.i1 r0, r48, 0x0, 0x0"},
		{ID: "exchange-return", Severity: isa.SeverityWarning, Source: sectMemory, Check: exchangeReturn,
			Doc:     "An atomic exchange gives what was there: ATOM_RETURN.",
			Example: "ATOM.i32.slot0.axchg @r48, r50, offset:0x0"},
		{ID: "compare-exchange", Severity: isa.SeverityWarning, Source: sectMemory, Check: compareExchange,
			Doc:     "Only an exchange compares.",
			Example: "ATOM_RETURN.i32.slot0.compare.aadd @r0, @r48:r49, r50, offset:0x0"},
		{ID: "varying-format", Severity: isa.SeverityWarning, Source: sectPixels, Check: varyingFormat,
			Doc:     "A load of words takes no flat varyings of 16 bits, one of halves none of 32 bits.",
			Example: "LD_VAR_BUF_IMM.f32.slot0.src_flat16.center.store @r0, r61, index:0x0"},
		{ID: "message-special", Severity: isa.SeverityWarning, Source: sectSources, Check: messageSpecial,
			Doc:     "A message does not read lane_id, core_id, program_counter and warp_id.",
			Example: "LD_BUFFER.i32.slot0 @r0, lane_id, r48"},
		{ID: "atomic-offset", Severity: isa.SeverityWarning, Source: sectMemory, Check: atomicOffset,
			Doc:     "The offset of an atomic operation is a multiple of the bytes of its memory.",
			Example: "ATOM.i32.slot0.aadd @r48, r50, offset:0x2"},
		{ID: "buffer-lane", Taken: true, Source: sectBuffers, Check: bufferLane,
			Doc:     "A byte of a buffer is loaded into b0 or b2: hardware takes b1 and b3 for these.",
			Example: "LD_BUFFER.i8.slot0.b1 @r0, r48, r49"},
		{ID: ruleHelpersCompute, Severity: isa.SeverityWarning, Source: sectFlow, Options: map[string]string{"stage": "compute"},
			Doc:     "Flow discard is for fragment shaders: no thread of a compute shader is a helper.",
			Example: "NOP.discard\nNOP.end"},
	}
}

// textureResults reports fewer registers than results: components would be lost.
func textureResults(d *isa.Def) isa.RuleCheck {
	r := d.Data.(*row)
	a := d.Find(names[nameResult])
	if a == nil || r.moves == nil || d.Find(names[nameChannels]) == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		_, n := group(in, a)
		if need := r.moves(in, a); n < need {
			return &isa.Breach{Msg: fmt.Sprintf("%d result registers, where the write mask fills %d", n, need), Arg: a.Index()}
		}
		return nil
	}
}

// textureCoordinates: the other operands of a sample follow the coordinates.
func textureCoordinates(d *isa.Def) isa.RuleCheck {
	a := d.Find(names[nameStaging])
	if a == nil || d.Find(names[nameChannels]) == nil || d.Find(names[nameDimension]) == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		need := texShape{dim: int(in.Get(nameDimension))}.axes()<<in.Opt(nameDerivative) + int(in.Opt(nameArray)+in.Opt(nameShadow))
		if _, n := group(in, a); n < need {
			return &isa.Breach{Msg: fmt.Sprintf("%d registers of coordinates, where the texture has %d", n, need), Arg: a.Index()}
		}
		return nil
	}
}

func integerCondition(d *isa.Def) isa.RuleCheck {
	if d.Find(names[nameCond]) == nil || d.Data.(*row).form.srcs[0].typ.Elem().IsFloat() {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if c := in.Get(nameCond); c != condGtLt && c != condTotal {
			return nil
		}
		return &isa.Breach{Msg: "compares integers by a condition of floats", Arg: -1}
	}
}

// exchange is the code of the atomic operation that only replaces the old value.
const exchange = 15

func exchangeReturn(d *isa.Def) isa.RuleCheck {
	if a := d.Find(names[nameAtomic]); a == nil || a.Kind == atomicOne || d.Find(names[nameResult]) != nil {
		return nil
	}
	return brokenBy(nameAtomic, exchange, isa.Breach{Msg: "exchanges, and does not give what was there", Hint: "ATOM_RETURN", Arg: -1})
}

func compareExchange(d *isa.Def) isa.RuleCheck {
	if d.Find(names[nameAtomic]) == nil || d.Find(names[nameCompare]) == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if in.Get(nameCompare) == 0 || in.Get(nameAtomic) == exchange {
			return nil
		}
		return &isa.Breach{Msg: "compares, and does not exchange", Hint: ".axchg", Arg: -1}
	}
}

// Source formats of flat varyings.
const (
	flat32 = iota
	flat16
)

func varyingFormat(d *isa.Def) isa.RuleCheck {
	switch d.Name {
	case "LD_VAR_BUF_IMM.f32", "LD_VAR_BUF.f32":
		return brokenBy(nameSource, flat16, isa.Breach{Msg: "loads words of a flat varying of 16 bits", Hint: ".src_flat32", Arg: -1})
	case "LD_VAR_BUF_IMM.f16", "LD_VAR_BUF.f16":
		return brokenBy(nameSource, flat32, isa.Breach{Msg: "loads halves of a flat varying of 32 bits", Hint: ".src_flat16", Arg: -1})
	}
	return nil
}

// messageSpecial: the units that execute messages have no special values of a thread and its warp.
func messageSpecial(d *isa.Def) isa.RuleCheck {
	r := d.Data.(*row)
	if !r.isMessage() || len(r.form.srcs) == 0 {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for i := range r.form.srcs {
			arg := r.form.srcs[i].arg
			v := in.Def.Args[arg].Get(in.Word)
			if v < firstSpecial {
				continue
			}
			number, page := v>>1&(numSpecial-1), in.Get(namePage)
			if page == PageIdentity || page == PageDescriptors && number == SpecialWarp {
				return &isa.Breach{Msg: "a message reads " + specials[page][number], Hint: "move it into a register first", Arg: arg}
			}
		}
		return nil
	}
}

func atomicOffset(d *isa.Def) isa.RuleCheck {
	if d.Find(names[nameAtomic]) == nil {
		return nil
	}
	bytes := uint64(size32.bits() / 8)
	if strings.HasSuffix(d.Name, ".i64") {
		bytes *= 2
	}
	arg := d.Find(names[nameOffset]).Index()
	return func(in *isa.Inst) *isa.Breach {
		if off := in.Get(nameOffset); off%bytes != 0 {
			return &isa.Breach{Msg: fmt.Sprintf("offset %d of an atomic operation on %d bytes", off, bytes), Arg: arg}
		}
		return nil
	}
}

func bufferLane(d *isa.Def) isa.RuleCheck {
	if d.Name != "LD_BUFFER.i8" {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if lane := in.Get(nameLane); lane == 1 || lane == 3 {
			return &isa.Breach{Msg: fmt.Sprintf("loads a byte into b%d: hardware puts it into b%d", lane, lane-1), Hint: "b0, b2, or a shift", Arg: -1}
		}
		return nil
	}
}
