package valhall

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Field values that only some architectures have, or that have no known semantics. docs/reference/valhall.md 13.

// archOf is the architecture that an instruction was decoded for.
func archOf(in *isa.Inst) int { return firstArch + int(in.Var) }

// A limit is field values that only some architectures have.
type limit struct {
	field        string
	values       uint64 // bit i: value i
	since, until int
	what         string // what the values are, as messages name it
	instead      string // what to write for other architectures
}

// limits are the limits of fields, by field name.
var limits = [...]limit{
	{"flow", 1 << flowResource, 10, lastArch, "flow .wait_resource", "write .wait, which waits for resources too"},
	{"flow", 1 << flowContinue, 14, lastArch, "flow .continue", "no other flow is known to do the same"},
	{"lod_mode", 1<<lodForced | 1<<lodBiasForced, 10, lastArch, "a level of detail with force_delta", "write .computed or .computed_bias"},
	{"lane_operation", 1<<laneLow | 1<<laneLowAlt | 1<<lanePrefix, 14, lastArch, "lane operation .low, .low_alt or .prefix", "leave it out, and give the number of the lane as second source"},
	{"force_delta", set, 10, lastArch, "modifier .force_delta", "write .derivative and give the differences of the coordinates, or neither"},
	{"varying_source", set, 10, lastArch, "modifier .src_f16", "load the varying with LD_VAR_BUF, and sample with TEX_*"},
	{"projection", set, 11, lastArch, "modifier .project", "divide the coordinates before the sample"},
	{"z_last_read", set, 11, lastArch, "modifier .z_last_read", "leave it out: what is read is the same"},
	{"saturate64", set, firstArch, 10, "modifier .saturate of 64-bit operations", "leave it out, and clamp the result"},
	{"absolute", 1 << 0, firstArch, 10, "a jump relative to the next instruction", "write .absolute and give the address in a register, or use BRANCHZ"},
	{"unsigned_a", set, 14, lastArch, "modifier .v4u8_a", "IDP.v4u8 takes bytes without signs from both sources"},
	{"unsigned_b", set, 14, lastArch, "modifier .v4u8_b", "IDP.v4u8 takes bytes without signs from both sources"},
	{"explicit_vertex", set, 14, lastArch, "modifier .explicit_vertex", "leave it out: the varying is then that of the last vertex"},
	{"vertex_id", 1<<1 | 1<<2 | 1<<3, 14, lastArch, "modifier .vertex_id1, .vertex_id2 or .vertex_id3", "leave it out: the varying is then that of the last vertex"},
}

// set is the value mask of a bit that is set.
const set = 1 << 1

// An unexplained field has values without known semantics.
type unexplained struct {
	field  string
	values uint64
	what   string // what the values are, as messages name it
}

var unknowns = [...]unexplained{
	{"flow", 1 << flowContinue, "flow .continue"}, {"sticky", set, ".sticky"}, {"table_offset", set, ".offset"}, {"adj", 1 << 2, ".low"}, {"z_stencil", set, ".z_stencil"},
	{"projection", set, ".project"}, {"varying_source", set, ".src_f16"}, {"explicit_vertex", set, ".explicit_vertex"},
	{"vertex_id", 1<<1 | 1<<2 | 1<<3, "the number of a vertex"},
}

// A bounded field of a form has an entry in limits or unknowns: arg is its index in the form, at that of the entry.
type bounded struct{ arg, at int }

// A refusal is a field, and the values that an architecture does not have.
type refusal struct {
	at     bits.Range
	values uint64
}

// boundFields records the fields of the form that have limits or values without known semantics.
func (f *form) boundFields() {
	for i := range f.args {
		var values [numArchs]uint64
		for at := range limits {
			l := &limits[at]
			if l.field != f.args[i].Name {
				continue
			}
			f.limits = append(f.limits, bounded{i, at})
			for arch := range values {
				if !l.in(firstArch + arch) {
					values[arch] |= l.values
				}
			}
		}
		for arch, v := range values {
			if v != 0 {
				f.refused[arch] = append(f.refused[arch], refusal{f.args[i].At[0], v})
			}
		}
		for at := range unknowns {
			if unknowns[at].field == f.args[i].Name {
				f.unknowns = append(f.unknowns, bounded{i, at})
			}
		}
	}
}

// beyond reports a field value that the architecture does not have; "": none.
func (f *form) beyond(in *isa.Inst) string {
	for _, r := range f.refused[in.Var] {
		if r.values>>in.Word.Get(r.at)&1 != 0 {
			return f.whyBeyond(in)
		}
	}
	return ""
}

func (f *form) whyBeyond(in *isa.Inst) string {
	for _, b := range f.limits {
		if l := &limits[b.at]; l.values>>in.Def.Args[b.arg].Get(in.Word)&1 != 0 && !l.in(archOf(in)) {
			return l.why()
		}
	}
	return ""
}

// in reports whether an architecture has the values.
func (l *limit) in(arch int) bool { return arch >= l.since && arch <= l.until }

// why says which architectures have the values, and what to write for others.
func (l *limit) why() string { return l.what + " is only in " + l.archs() + "; " + l.instead }

// archs names the architectures that have the values.
func (l *limit) archs() string {
	first, last := variants[l.since-firstArch].Name, variants[l.until-firstArch].Name
	switch l.until - l.since {
	case 0:
		return last
	case 1:
		return first + " and " + last
	}
	return first + " to " + last
}

// barsOfLimits is beyond as data.
func (f *form) barsOfLimits(d *isa.Def) (list []isa.Forbidden) {
	all := archMask(firstArch, lastArch)
	for _, b := range f.limits {
		l := &limits[b.at]
		no := all &^ archMask(l.since, l.until)
		var values []uint64
		for v := range uint64(64) {
			if l.values>>v&1 != 0 {
				values = append(values, v)
			}
		}
		list = append(list, isa.Forbidden{Variants: no, If: []isa.FieldIn{{At: d.Args[b.arg].At, Values: values}}, Why: l.why()})
	}
	return list
}

// explained reports whether the semantics of all fields are known; if not, the instruction traps.
func explained(l *isa.Lift) bool {
	for _, b := range rowOf(l.In).form.unknowns {
		u := &unknowns[b.at]
		if u.values>>l.In.Def.Args[b.arg].Get(l.In.Word)&1 != 0 {
			l.Fail(ir.TrapUndefined, l.In.Def.Name+": no source says what "+u.what+" does")
			return false
		}
	}
	return true
}
