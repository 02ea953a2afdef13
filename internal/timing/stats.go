package timing

import (
	"cmp"
	"slices"
)

// stats is what cores counted, in ticks.
type stats struct {
	reasons int     // of an instruction
	time    []int64 // of waves, by instruction and reason
	issued  []uint64
	caused  []int64 // that others waited for an instruction's result, by instruction
	busy    []int64 // by unit
	life    int64   // of waves
	waves   int
	order   int64 // of the core's issues
}

func newStats(m *model) *stats {
	n := reasons + 2*len(m.units) + len(m.counters)
	return &stats{reasons: n, time: make([]int64, n*len(m.insts)), issued: make([]uint64, len(m.insts)), caused: make([]int64, len(m.insts)), busy: make([]int64, len(m.units))}
}

// add adds those of n cores that counted the same.
func (s *stats) add(o *stats, n int) {
	for i, t := range o.time {
		s.time[i] += int64(n) * t
	}
	for i := range o.issued {
		s.issued[i] += uint64(n) * o.issued[i]
		s.caused[i] += int64(n) * o.caused[i]
	}
	for i, t := range o.busy {
		s.busy[i] += int64(n) * t
	}
	s.life += int64(n) * o.life
	s.waves += n * o.waves
}

// A Chart is the waves of a launch in time, for pictures.
type Chart struct {
	Waves []Span `json:"waves"`
	// Counts are those of waves of a core, and of operations of a counter that they have begun, when they change.
	Counts []Count `json:"counts"`
	// Left is the number of stalls and changes that are left out, being too many.
	Left int `json:"left_out,omitempty"`
}

// A Count is how many there are of something from a clock on.
type Count struct {
	Core int     `json:"core"`
	Name string  `json:"name"`
	At   float64 `json:"at"`
	N    int     `json:"n"`
}

// A Span is a wave. Times are clocks from the begin of the launch.
type Span struct {
	Group  [3]uint32 `json:"group"`
	Wave   int       `json:"wave"`
	Core   int       `json:"core"`
	SIMD   int       `json:"simd"`
	Slot   int       `json:"slot"` // of the SIMD
	From   float64   `json:"from"`
	To     float64   `json:"to"`
	Stalls []Stall   `json:"stalls,omitempty"`
}

// A Stall is a time in which a wave did not issue.
type Stall struct {
	Addr   uint64  `json:"address"` // of the instruction that could not
	Reason string  `json:"reason"`
	From   float64 `json:"from"`
	To     float64 `json:"to"`
}

// mostStalls is how many stalls and changes of counts a core draws, and shortest how many clocks one has at least.
const (
	mostStalls = 1 << 14
	shortest   = 8
)

// A chart is the waves of a core as they run; nil: they are not drawn.
type chart struct {
	spans  []*span
	deltas []delta
	stalls int
	left   int
}

// A delta is a change of the number of operations of a counter; -1: of waves.
type delta struct {
	counter int
	at      int64
	by      int
}

// change notes that there is one more of something for a time. Waves are never left out.
func (h *chart) change(counter int, from, to int64) {
	switch {
	case h == nil:
	case counter >= 0 && len(h.deltas) >= 2*mostStalls:
		h.left++
	default:
		h.deltas = append(h.deltas, delta{counter, from, 1}, delta{counter, to, -1})
	}
}

// counts returns the counts of a core.
func (h *chart) counts(c *core) (list []Count) {
	slices.SortStableFunc(h.deltas, func(a, b delta) int {
		return cmp.Or(cmp.Compare(a.counter, b.counter), cmp.Compare(a.at, b.at))
	})
	n := 0
	for i, d := range h.deltas {
		n += d.by
		if i+1 < len(h.deltas) && h.deltas[i+1].counter == d.counter && h.deltas[i+1].at == d.at {
			continue
		}
		name := "waves"
		if d.counter >= 0 {
			name = c.m.counters[d.counter] + " operations"
		}
		list = append(list, Count{c.number, name, clocks(d.at), n})
	}
	return list
}

// A span is a wave as it runs.
type span struct {
	Span
	chart *chart
	begin int64
}

// wave begins a wave.
func (h *chart) wave(c *core, w *wave) *span {
	if h == nil {
		return nil
	}
	s := &span{Span{Group: w.trace.Group, Wave: w.trace.Wave, Core: c.number, SIMD: w.simd, Slot: w.slot, From: clocks(w.began)}, h, w.began}
	h.spans = append(h.spans, s)
	return s
}

// stall adds a stall.
func (s *span) stall(c *core, reason int, at int32, from, time int64) {
	if s == nil || time < shortest*ticks {
		return
	}
	if s.chart.stalls >= mostStalls {
		s.chart.left++
		return
	}
	s.chart.stalls++
	s.Stalls = append(s.Stalls, Stall{c.m.insts[at].addr, c.m.reason(reason), clocks(from), clocks(from + time)})
}

// end ends the wave.
func (s *span) end(at int64) {
	if s != nil {
		s.To = clocks(at)
		s.chart.change(-1, s.begin, at)
	}
}
