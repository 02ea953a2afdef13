package profiles

import "slices"

// A Metric is a count that every instruction has.
type Metric struct {
	Name string // in files and flags
	Unit string // count or bytes
	Doc  string
	Of   func(in *Inst) uint64
}

// Metrics are the counts in the order in which files have them.
var Metrics = []Metric{
	{"wave_instructions", "count", "times that a wave executed it", func(in *Inst) uint64 { return in.Waves }},
	{"lane_instructions", "count", "times that an active lane did", func(in *Inst) uint64 { return in.Lanes }},
	{"branches_taken", "count", "waves that took the branch", func(in *Inst) uint64 {
		if in.Branch == nil {
			return 0
		}
		return in.Branch.Taken
	}},
	{"branches_diverged", "count", "waves of which some lanes took the branch and others did not", func(in *Inst) uint64 {
		if in.Branch == nil {
			return 0
		}
		return in.Branch.Both
	}},
	{"memory_requests", "count", "requests to memory", sum(func(u *Use) uint64 { return u.Requests })},
	{"global_bytes", "bytes", "bytes of global memory, each lane's counted", bytesOf("global")},
	{"const_bytes", "bytes", "bytes of read-only memory, each lane's counted", bytesOf("const")},
	{"group_bytes", "bytes", "bytes of LDS or other memory of a workgroup", bytesOf("group")},
	{"private_bytes", "bytes", "bytes of scratch memory", bytesOf("private")},
	{"memory_lines", "count", "lines of memory that requests touch", sum(func(u *Use) uint64 { return u.Lines })},
	{"conflict_passes", "count", "passes through LDS that bank conflicts add", sum(func(u *Use) uint64 { return less(u.Passes, u.Free) })},
	{"atomic_repeats", "count", "times that an atomic operation waits for one of another lane", sum(func(u *Use) uint64 {
		if u.Repeats == 0 {
			return 0
		}
		return less(u.Repeats, u.Requests)
	})},
}

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

// sum returns a count of what an instruction did to memory, over all spaces.
func sum(of func(u *Use) uint64) func(in *Inst) uint64 {
	return func(in *Inst) (n uint64) {
		for i := range in.Memory {
			n += of(&in.Memory[i])
		}
		return n
	}
}

func bytesOf(space string) func(in *Inst) uint64 {
	return sum(func(u *Use) uint64 {
		if u.Space != space {
			return 0
		}
		return u.Bytes
	})
}

// less returns a-b, at least 0.
func less(a, b uint64) uint64 { return a - min(a, b) }
