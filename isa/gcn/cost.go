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

// classOf returns the class of a row. The time of some instructions does not follow from their unit and what they move:
// CLRX-mirror 92efa3e0, doc/GcnTimings.md. It has no times of those of the last class.
func classOf(d *isa.Def) string {
	is := func(begin, end string) bool {
		return strings.HasPrefix(d.Name, begin) && strings.HasSuffix(d.Name, end)
	}
	switch {
	case is("s_setreg_", ""), is("s_", "_saveexec_b64"):
		return classState
	case is("ds_read_b96", ""):
		return classLoad96
	case is("ds_write_b64", ""):
		return classStore64
	case is("ds_write_b96", ""):
		return classStore96
	case is("ds_wrxchg2", "_rtn_b64"):
		return classExchange64
	case is("ds_", "_src2_b64"), is("ds_", "_src2_i64"), is("ds_", "_src2_u64"), is("ds_", "_src2_f64"):
		return classSource64
	case is("ds_permute_", ""), is("ds_bpermute_", ""), is("ds_append", ""), is("ds_consume", ""), is("ds_nop", ""),
		is("ds_condxchg32_", ""), is("ds_wrap_", ""), is("ds_add_", "f32"):
		return classOther
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
