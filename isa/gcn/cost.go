package gcn

import (
	"cmp"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// words returns how many words each lane moves to LDS, of a load from there: 32 bits or less each.
func words(in *isa.Inst) int {
	var sent, got int
	for i := range in.Def.Args {
		switch a := &in.Def.Args[i]; a.Name {
		case "data0", "data1":
			sent += a.Width / 32
		case "vdst":
			got = a.Width / 32
		}
	}
	return max(1, cmp.Or(sent, got))
}

// classes are those of instructions whose time their unit and what they move do not decide, by the begin and end of
// their names: CLRX-mirror 92efa3e0, doc/GcnTimings.md. It has no times of the last ones.
var classes = [...]struct{ begin, end, class string }{
	{"s_setreg_", "", classState}, {"s_", "_saveexec_b64", classState},
	{"ds_read_b96", "", classLoad96}, {"ds_write_b64", "", classStore64}, {"ds_write_b96", "", classStore96},
	{"ds_wrxchg2", "_rtn_b64", classExchange64},
	{"ds_", "_src2_b64", classSource64}, {"ds_", "_src2_i64", classSource64}, {"ds_", "_src2_u64", classSource64}, {"ds_", "_src2_f64", classSource64},
	{"ds_permute_", "", classOther}, {"ds_bpermute_", "", classOther}, {"ds_append", "", classOther}, {"ds_consume", "", classOther}, {"ds_nop", "", classOther},
	{"ds_condxchg32_", "", classOther}, {"ds_wrap_", "", classOther}, {"ds_add_", "f32", classOther},
}

// classOf returns the class of a row.
func classOf(d *isa.Def) string {
	for _, c := range classes {
		if strings.HasPrefix(d.Name, c.begin) && strings.HasSuffix(d.Name, c.end) {
			return c.class
		}
	}
	return d.Data.(*entry).class
}

// costs returns the unit and the class of an instruction, and of LDS the words.
func costs(_ *isa.Target, b *isa.Bundle) []isa.Cost {
	in := &b.Parts[0]
	e := in.Def.Data.(*entry)
	u := e.unit
	if u == unitLDS && in.Opt(nameGDS) != 0 {
		u = unitGDS
	}
	c := isa.Cost{Unit: unitNames[u], Class: classOf(in.Def)}
	if u == unitLDS {
		c.Count = words(in)
	}
	return []isa.Cost{c}
}
