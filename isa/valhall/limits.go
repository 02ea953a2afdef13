package valhall

import (
	"fmt"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// What values of fields are of: of some architectures only, or of no known meaning. docs/reference/valhall.md 13.

// archOf is the architecture that an instruction was decoded for.
func archOf(in *isa.Inst) int { return firstArch + int(in.Var) }

// A limit is values of a field that some architectures have only.
type limit struct {
	field        string
	values       uint64 // bit i: value i
	since, until int
}

// limits are those of fields, by their names.
var limits = [...]limit{
	{"flow", 1 << flowResource, 10, lastArch}, {"flow", 1 << flowContinue, 14, lastArch},
	{"lod_mode", 1<<lodForced | 1<<lodBiasForced, 10, lastArch}, {"lane_operation", 1<<laneLow | 1<<laneLowAlt | 1<<lanePrefix, 14, lastArch},
	{"force_delta", set, 10, lastArch}, {"varying_source", set, 10, lastArch}, {"projection", set, 11, lastArch}, {"z_last_read", set, 11, lastArch},
	{"saturate64", set, firstArch, 10}, {"absolute", 1 << 0, firstArch, 10}, {"unsigned_a", set, 14, lastArch}, {"unsigned_b", set, 14, lastArch},
	{"explicit_vertex", set, 14, lastArch}, {"vertex_id", 1<<1 | 1<<2 | 1<<3, 14, lastArch},
}

// set is the values of a bit that is set.
const set = 1 << 1

// An unexplained field has values of which no source says what they do.
type unexplained struct {
	field  string
	values uint64
	says   string
}

var unknowns = [...]unexplained{
	{"flow", 1 << flowContinue, "flow continue"}, {"sticky", set, "sticky"}, {"table_offset", set, "offset"}, {"adj", 1 << 2, "low"}, {"z_stencil", set, "z_stencil"},
	{"projection", set, "project"}, {"force_delta", set, "force_delta"}, {"varying_source", set, "src_f16"}, {"explicit_vertex", set, "explicit_vertex"},
	{"vertex_id", 1<<1 | 1<<2 | 1<<3, "a vertex"}, {"lod_mode", 1<<lodForced | 1<<lodBiasForced, "force_delta"},
}

// A bounded field of a form is one of limits or unknowns: its arg, and its place there.
type bounded struct{ arg, at int }

// A refusal is a field, and its values that an architecture does not have.
type refusal struct {
	at     bits.Range
	values uint64
}

// boundFields notes which of the form's fields have limits, and values without meaning.
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

// beyond says that a field holds what the architecture does not have; "": none does.
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

// in is whether an architecture has the values.
func (l *limit) in(arch int) bool { return arch >= l.since && arch <= l.until }

func (l *limit) why() string {
	if l.until < lastArch {
		return fmt.Sprintf("%s as in v%d and before", l.field, l.until)
	}
	return fmt.Sprintf("%s as in v%d and later", l.field, l.since)
}

// barsOfLimits is beyond as data.
func (f *form) barsOfLimits(d *isa.Def) (list []isa.Bar) {
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
		list = append(list, isa.Bar{Variants: no, If: []isa.Held{{At: d.Args[b.arg].At, Values: values}}, Why: l.why()})
	}
	return list
}

// explained is whether sources say what all fields do; if not, the instruction fails.
func explained(l *isa.Lift) bool {
	for _, b := range rowOf(l.In).form.unknowns {
		u := &unknowns[b.at]
		if u.values>>l.In.Def.Args[b.arg].Get(l.In.Word)&1 != 0 {
			l.Fail(ir.TrapUndefined, l.In.Def.Name+": no source says what "+u.says+" does")
			return false
		}
	}
	return true
}
