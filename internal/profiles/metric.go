package profiles

import (
	"slices"

	"github.com/heddle-gpu/heddle/profile"
)

// A Metric is a count that every instruction has.
type Metric struct {
	Name string // in files and flags
	Unit string // count or bytes
	Doc  string
	inst func(in *Inst) uint64 // nil: it is the sum of use
	use  func(u *Use) uint64   // of what an instruction did to memory
}

// Of returns the count of an instruction.
func (m *Metric) Of(in *Inst) (n uint64) {
	if m.inst != nil {
		return m.inst(in)
	}
	for i := range in.Memory {
		n += m.use(&in.Memory[i])
	}
	return n
}

// Metrics are the counts in the order in which files have them.
var Metrics = []Metric{
	{"wave_instructions", "count", "times that a wave executed it", func(in *Inst) uint64 { return in.Waves }, nil},
	{"lane_instructions", "count", "times that an active lane did", func(in *Inst) uint64 { return in.Lanes }, nil},
	{"branches_taken", "count", "waves that took the branch", func(in *Inst) uint64 {
		if in.Branch == nil {
			return 0
		}
		return in.Branch.Taken
	}, nil},
	{"branches_diverged", "count", "waves of which some lanes took the branch and others did not", func(in *Inst) uint64 {
		if in.Branch == nil {
			return 0
		}
		return in.Branch.Both
	}, nil},
	{"memory_requests", "count", "requests to memory", nil, func(u *Use) uint64 { return u.Requests }},
	{"global_bytes", "bytes", "bytes of global memory, each lane's counted", nil, func(u *Use) uint64 { return u.bytesIn("global") }},
	{"const_bytes", "bytes", "bytes of read-only memory, each lane's counted", nil, func(u *Use) uint64 { return u.bytesIn("const") }},
	{"group_bytes", "bytes", "bytes of LDS or other memory of a workgroup", nil, func(u *Use) uint64 { return u.bytesIn("group") }},
	{"private_bytes", "bytes", "bytes of scratch memory", nil, func(u *Use) uint64 { return u.bytesIn("private") }},
	{"memory_lines", "count", "lines of memory that requests touch, or transactions", nil, func(u *Use) uint64 { return u.Lines }},
	{"conflict_passes", "count", "passes through LDS that bank conflicts add", nil, func(u *Use) uint64 { return less(u.Passes, u.Free) }},
	{"atomic_repeats", "count", "times that an atomic operation waits for one of another lane", nil, func(u *Use) uint64 {
		if u.Repeats == 0 {
			return 0
		}
		return less(u.Repeats, u.Requests)
	}},
	{"texture_requests", "count", "requests to texture units", func(in *Inst) uint64 {
		return in.resources(requestsOf, profile.Sample, profile.Texel)
	}, nil},
	{"texture_lanes", "count", "lanes of requests to texture units", func(in *Inst) uint64 {
		return in.resources(lanesOf, profile.Sample, profile.Texel)
	}, nil},
	{"stage_inputs", "count", "lanes that read an attribute or a varying", func(in *Inst) uint64 {
		return in.resources(lanesOf, profile.Element, profile.Input)
	}, nil},
	{"exports", "count", "lanes that write an output of a stage", func(in *Inst) uint64 { return in.resources(lanesOf, profile.Output) }, nil},
	{timePrefix + "clocks", "count", "clocks of waves that executed it, modelled: only with --timing", func(in *Inst) uint64 { return in.clocks(false) }, nil},
	{timePrefix + "stalls", "count", "of them those in which the wave waited, likewise", func(in *Inst) uint64 { return in.clocks(true) }, nil},
}

func requestsOf(r *profile.Resource) uint64 { return r.Requests }
func lanesOf(r *profile.Resource) uint64    { return r.Lanes }

// resources returns the sum of a count of what an instruction asked.
func (in *Inst) resources(of func(r *profile.Resource) uint64, kinds ...profile.Kind) (n uint64) {
	for i := range in.Resources {
		if r := &in.Resources[i]; slices.Contains(kinds, r.Kind) {
			n += of(r)
		}
	}
	return n
}

// timePrefix begins the names of counts that only profiles with a model of time have.
const timePrefix = "modelled_"

// MetricNames returns the names of the counts.
func MetricNames() (names []string) {
	for _, m := range Metrics {
		names = append(names, m.Name)
	}
	return names
}

// MetricOf returns the count of a name; nil: there is none.
func MetricOf(name string) *Metric {
	i := slices.IndexFunc(Metrics, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &Metrics[i]
}

// Total returns the sum over all instructions.
func (m *Metric) Total(p *Profile) (n uint64) {
	for i := range p.List {
		n += m.Of(&p.List[i])
	}
	return n
}

// bytesIn returns the bytes of a space.
func (u *Use) bytesIn(space string) uint64 {
	if u.Space != space {
		return 0
	}
	return u.Bytes
}

// less returns a-b, at least 0.
func less(a, b uint64) uint64 { return a - min(a, b) }
