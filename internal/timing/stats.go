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
}

func newStats(m *model) *stats {
	n := reasons + 2*len(m.units) + len(m.counters)
	return &stats{reasons: n, time: make([]int64, n*len(m.insts)), issued: make([]uint64, len(m.insts)), caused: make([]int64, len(m.insts)), busy: make([]int64, len(m.units))}
}

// add adds those of other cores.
func (s *stats) add(o *stats) {
	for i, t := range o.time {
		s.time[i] += t
	}
	for i, n := range o.issued {
		s.issued[i] += n
		s.caused[i] += o.caused[i]
	}
	for i, t := range o.busy {
		s.busy[i] += t
	}
}

// A Chart is the waves of a launch in time, for pictures.
type Chart struct {
	Waves []Span `json:"waves"`
	// Counts are those of waves of a core, and of operations of a counter that they have begun, when they change.
	Counts []Count `json:"counts"`
	// Left is the number of waves and stalls that are left out, being too many.
	Left int `json:"left_out,omitempty"`
	// Every is the clocks at whose multiples counts are told, being too many; 0: whenever they change.
	Every float64 `json:"every,omitempty"`
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

// MostShapes is how many waves and stalls, and how many counts, the charts of all launches may have. mostOfCore is how
// many waves, stalls and counts those of a core in a launch have, leastCount how many counts in any case, and shortest
// how many clocks a stall has at least.
const (
	MostShapes = 1 << 21
	mostOfCore = 1 << 14
	leastCount = 64
	shortest   = 8
)

// A chart is the waves of a core as they run; nil: they are not drawn.
type chart struct {
	most   int // waves, stalls and counts
	spans  []*span
	deltas []delta
	every  int64 // ticks, to whose multiples changes are rounded up; 0: they are exact
	stalls int
	left   int
}

// A delta is a change of the number of operations of a counter; -1: of waves.
type delta struct {
	counter int
	at      int64
	by      int
}

// change notes that there is one more of something for a time.
func (h *chart) change(counter int, from, to int64) {
	if h == nil {
		return
	}
	h.deltas = append(h.deltas, delta{counter, h.round(from), 1}, delta{counter, h.round(to), -1})
	if len(h.deltas) > 2*max(h.most, leastCount) {
		h.coarsen(max(h.most, leastCount))
	}
}

// round returns when a change counts: what is told at a multiple of every is exact there.
func (h *chart) round(at int64) int64 {
	if h.every == 0 {
		return at
	}
	return (at + h.every - 1) / h.every * h.every
}

// coarsen makes changes that there are together one, and tells counts less often until there are no more than most.
func (h *chart) coarsen(most int) {
	for h.merge(); len(h.deltas) > most; h.merge() {
		h.every = max(2*h.every, ticks)
		for i := range h.deltas {
			h.deltas[i].at = h.round(h.deltas[i].at)
		}
	}
}

// merge sorts changes, and adds those of one time.
func (h *chart) merge() {
	slices.SortFunc(h.deltas, func(a, b delta) int {
		return cmp.Or(cmp.Compare(a.counter, b.counter), cmp.Compare(a.at, b.at))
	})
	to := h.deltas[:0]
	for _, d := range h.deltas {
		if n := len(to); n > 0 && to[n-1].counter == d.counter && to[n-1].at == d.at {
			to[n-1].by += d.by
		} else {
			to = append(to, d)
		}
	}
	h.deltas = slices.DeleteFunc(to, func(d delta) bool { return d.by == 0 })
}

// counts returns the counts of a core.
func (h *chart) counts(c *core) (list []Count) {
	h.coarsen(max(h.most, leastCount))
	n := 0
	for _, d := range h.deltas {
		n += d.by
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
	drawn bool
}

// wave begins a wave.
func (h *chart) wave(c *core, w *wave) *span {
	if h == nil {
		return nil
	}
	if len(h.spans) >= h.most {
		h.left++
		return &span{Span{}, h, w.began, false}
	}
	s := &span{Span{Group: w.trace.group, Wave: w.trace.Wave, Core: c.number, SIMD: w.simd, Slot: w.slot, From: clocks(w.began)}, h, w.began, true}
	h.spans = append(h.spans, s)
	return s
}

// stall adds a stall.
func (s *span) stall(c *core, reason int, at int32, from, time int64) {
	if s == nil || time < shortest*ticks || !s.drawn {
		return
	}
	if s.chart.stalls >= s.chart.most {
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
