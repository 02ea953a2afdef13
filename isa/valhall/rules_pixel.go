package valhall

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

// Rules about fragment outputs, and about results that hardware changes. docs/reference/valhall.md 9.4 and 10.1.

func pixelRules() []isa.Rule {
	return []isa.Rule{
		{ID: "coverage-register", Severity: isa.SeverityWarning, Source: sectPixels, Check: coverageRegister,
			Doc:     "The coverage that ATEST, ZS_EMIT and BLEND read, and what the first two give, is r60.",
			Example: "ATEST.wait0 @r59, r60, 0x3F800000, atest_datum.w0"},
		{ID: "emit-nothing", Severity: isa.SeverityWarning, Source: sectPixels, Check: emitsNothing,
			Doc:     "ZS_EMIT gives depth or stencil.",
			Example: "ZS_EMIT.slot0.wait0 @r60, r58, r59, r60"},
		{ID: "reciprocal-half", Variants: archMask(firstArch, 10), Severity: isa.SeverityWarning, Source: sectFloats, Check: reciprocalHalf,
			Doc:     "FRCP.f16 and FRSQ.f16 do not write .h1: what they give is in the lower half of a word, and the upper half is 0.",
			Example: "FRCP.f16 r0.h1, r48.h00"},
	}
}

// coverage is the register that holds the coverage of a fragment.
const coverage = 60

func coverageRegister(d *isa.Def) isa.RuleCheck {
	r := d.Data.(*row)
	if r.coverage == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for _, n := range r.coverage {
			if v := in.Get(n); v>>6 > isLast || v&(NumR-1) != coverage {
				return &isa.Breach{Msg: "coverage is not in r60", Hint: fmt.Sprintf("r%d", coverage), Arg: in.Def.Find(names[n]).Index()}
			}
		}
		return nil
	}
}

func emitsNothing(d *isa.Def) isa.RuleCheck {
	if d.Data.(*row).traits&traitEmit == 0 {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if in.Get(nameZ)|in.Get(nameStencil) != 0 {
			return nil
		}
		return &isa.Breach{Msg: "gives neither depth nor stencil", Hint: ".z or .stencil", Arg: -1}
	}
}

func reciprocalHalf(d *isa.Def) isa.RuleCheck {
	if d.Name != "FRCP.f16" && d.Name != "FRSQ.f16" || d.Data.(*row).since > 10 {
		return nil
	}
	return brokenBy(nameMask, 2, isa.Breach{Msg: "writes the upper half of its result, which is 0", Hint: ".h0", Arg: d.Data.(*row).form.dst})
}
