package timing

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/profile"
)

// A Report is the model of the launches of a code.
type Report struct {
	Says    string         `json:"model"` // what the numbers are
	Chip    string         `json:"chip"`
	Default bool           `json:"chip_by_default"`
	Figures []chips.Figure `json:"figures"`
	Unused  []string       `json:"figures_without_use,omitempty"` // that were given, of units that no instruction uses
	// Clocks are those of the launches one after another.
	Clocks   float64  `json:"clocks"`
	Launches []Launch `json:"launches"`
	Spent    []Part   `json:"waves_spent"` // the most first
	Units    []Part   `json:"units_busy"`  // share of the time of the cores that had a group, the busiest first
	Bound    string   `json:"bottleneck"`
	Insts    []Inst   `json:"instructions"` // by address
	Lacks    int      `json:"instructions_without_figure"`
}

// A Launch is the model of a launch.
type Launch struct {
	Kernel   string     `json:"kernel"`
	Clocks   float64    `json:"clocks"`
	Groups   int        `json:"groups"`
	Waves    int        `json:"waves"`
	Left     int        `json:"waves_not_modelled,omitempty"` // the trace is too long
	Cores    int        `json:"cores"`                        // that had a group
	Room     chips.Room `json:"core_has_room_for"`
	Wave     float64    `json:"clocks_of_a_wave"` // on average
	Resident float64    `json:"waves_of_a_core"`  // on average while it has any
	Chart    *Chart     `json:"-"`
}

// A Part is a number of clocks, and their share of all.
type Part struct {
	Name   string  `json:"name"`
	Clocks float64 `json:"clocks"`
	Share  float64 `json:"share"`
}

// An Inst is the model of an instruction: where the time of waves went that executed it.
type Inst struct {
	Addr   uint64  `json:"address"`
	Waves  uint64  `json:"waves"`
	Clocks float64 `json:"clocks"` // of all waves
	Issue  float64 `json:"issue"`  // of them, those until the next instruction could issue
	Stalls []Part  `json:"stalls"` // what it waited for, the most first; shares are of Clocks
	Caused float64 `json:"others_waited,omitempty"`
	Lack   string  `json:"lack,omitempty"` // what no source says of it
}

// Of models the launches of one code, given as traces. draws is whether the waves are drawn, too.
func Of(traces []*profile.Trace, chip *chips.Chip, draws bool) (*Report, error) {
	r := &Report{Says: Says, Chip: chip.Name, Default: chip.Default, Launches: []Launch{}, Figures: []chips.Figure{}}
	m, err := newModel(traces[0].Code, chip)
	if err != nil {
		return nil, err
	}
	m.read(traces)
	sum, held := newStats(m), int64(0)
	for _, t := range traces {
		l, of, time := m.launch(t, draws)
		r.Launches = append(r.Launches, l)
		r.Clocks += l.Clocks
		sum.add(of, 1)
		held += time
	}
	m.report(r, sum, held)
	return r, nil
}

// launch models a launch. It also returns what its cores counted, and the sum of their times.
func (m *model) launch(t *profile.Trace, draws bool) (Launch, *stats, int64) {
	var groups [][]*profile.WaveTrace
	for i := range t.Waves {
		if w := &t.Waves[i]; i == 0 || w.Group != t.Waves[i-1].Group {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], &t.Waves[i])
	}
	s := t.Sizes
	room := chips.RoomOf(m.chip, chips.Resources{Vector: s.Vector, Scalar: s.Scalar, Memory: s.Group, Items: s.Items})
	l := Launch{Kernel: t.Kernel, Groups: len(groups), Waves: len(t.Waves), Left: t.Left, Cores: min(max(1, int(m.chip.Value("chip.cores"))), len(groups)), Room: room}
	loads := m.loads(groups, &l, draws)
	together(len(loads), func(i int) { loads[i].core.all() })
	sum, alive, time, last := newStats(m), int64(0), int64(0), int64(0)
	for i := range loads {
		c, n := loads[i].core, loads[i].cores
		sum.add(c.stats, n)
		alive += int64(n) * c.now
		busy := max(c.now, c.done, slices.Max(c.free)) // stores go on when waves have ended
		time += int64(n) * busy
		last = max(last, busy)
	}
	l.Clocks, l.Wave = clocks(last), clocks(sum.life)/float64(max(1, sum.waves))
	if alive > 0 {
		l.Resident = float64(sum.life) / float64(alive)
	}
	if draws {
		l.Chart = drawn(loads)
	}
	return l, sum, time
}

// together calls do with the numbers below n, on all processors.
func together(n int, do func(i int)) {
	var wg sync.WaitGroup
	workers := min(n, runtime.GOMAXPROCS(0))
	for k := range workers {
		wg.Go(func() {
			for i := k; i < n; i += workers {
				do(i)
			}
		})
	}
	wg.Wait()
}

// drawn returns the waves of the cores.
func drawn(loads []load) *Chart {
	h := &Chart{Waves: []Span{}, Counts: []Count{}}
	for i := range loads {
		c := loads[i].core
		for _, s := range c.chart.spans {
			h.Waves = append(h.Waves, s.Span)
		}
		h.Counts = append(h.Counts, c.chart.counts(c)...)
		h.Left += c.chart.left
	}
	return h
}

// reason returns the name of a reason.
func (m *model) reason(i int) string {
	switch {
	case i < reasons:
		return [...]string{issue: "issue", barrier: "barrier", branch: "branch"}[i]
	case i < reasons+len(m.units):
		return "result of " + m.units[i-reasons]
	case i < reasons+len(m.units)+len(m.counters):
		return "wait for " + m.counters[i-reasons-len(m.units)]
	}
	return m.units[i-reasons-len(m.units)-len(m.counters)] + " busy"
}

// mostBusy is the share from which on a unit is what bounds a launch.
const mostBusy = 0.8

// report makes a report of what cores counted, which had groups for a time.
func (m *model) report(r *Report, s *stats, held int64) {
	units := r.Launches[0].Room.Units
	all := make([]int64, s.reasons)
	for i := range m.insts {
		if s.issued[i] == 0 {
			continue
		}
		in := Inst{Addr: m.insts[i].addr, Waves: s.issued[i], Issue: clocks(s.time[i*s.reasons+issue]), Caused: clocks(s.caused[i]), Lack: m.insts[i].lack, Stalls: []Part{}}
		if in.Lack != "" {
			r.Lacks++
		}
		sum := int64(0)
		for k, t := range s.time[i*s.reasons : (i+1)*s.reasons] {
			sum += t
			all[k] += t
		}
		for k, t := range s.time[i*s.reasons : (i+1)*s.reasons] {
			if k != issue && t > 0 {
				in.Stalls = append(in.Stalls, part(m.reason(k), t, sum))
			}
		}
		in.Clocks = clocks(sum)
		byClocks(in.Stalls)
		r.Insts = append(r.Insts, in)
	}
	slices.SortFunc(r.Insts, func(a, b Inst) int { return cmp.Compare(a.Addr, b.Addr) })
	for k, t := range all {
		if t > 0 {
			r.Spent = append(r.Spent, part(m.reason(k), t, s.life))
		}
	}
	byClocks(r.Spent)
	for u, t := range s.busy {
		if t > 0 {
			of := held
			if u != m.lines && m.chip.Value(m.units[u]+".shared") <= 1 {
				of *= int64(units)
			}
			r.Units = append(r.Units, part(m.units[u], t, of))
		}
	}
	slices.SortStableFunc(r.Units, func(a, b Part) int { return cmp.Compare(b.Share, a.Share) })
	r.Bound = bound(r)
	r.figures(m, s)
}

// bound says what most limits the launches: a unit that is nearly always busy, else what waves waited for most.
func bound(r *Report) string {
	if len(r.Units) > 0 && r.Units[0].Share >= mostBusy {
		return r.Units[0].Name
	}
	if len(r.Spent) == 0 {
		return ""
	}
	return r.Spent[0].Name
}

// figures lists those of units that instructions used, and of waves and the chip.
func (r *Report) figures(m *model, s *stats) {
	used := []string{"wave", "simd", "chip", "branch", m.units[m.lines]}
	for at, n := range s.issued {
		for _, c := range m.steps[int32(at)].Costs {
			if n > 0 {
				used = append(used, c.Unit)
			}
		}
	}
	for _, f := range m.chip.Figures {
		if unit, _, _ := strings.Cut(f.Name, "."); slices.Contains(used, unit) {
			r.Figures = append(r.Figures, f)
		} else if f.Sure == chips.Given {
			r.Unused = append(r.Unused, f.Name)
		}
	}
}

// part returns a part of a whole.
func part(name string, t, of int64) Part {
	return Part{name, clocks(t), float64(t) / float64(max(of, 1))}
}

// byClocks sorts parts, the largest first.
func byClocks(list []Part) {
	slices.SortStableFunc(list, func(a, b Part) int { return cmp.Or(cmp.Compare(b.Clocks, a.Clocks), cmp.Compare(a.Name, b.Name)) })
}

// Left returns how many stalls and counts of operations the timelines leave out.
func (r *Report) Left() (n int) {
	for i := range r.Launches {
		if h := r.Launches[i].Chart; h != nil {
			n += h.Left
		}
	}
	return n
}

// String describes a launch in a line.
func (l *Launch) String() string {
	if l.Waves == 0 {
		return fmt.Sprintf("%s: not modelled, as the trace is too long: %s", l.Kernel, spell.Count(l.Left, "wave"))
	}
	s := fmt.Sprintf("%s: %.0f clocks for %s with %s on %s, %.0f clocks a wave, %.1f waves a core", l.Kernel, l.Clocks, spell.Count(l.Groups, "group"), spell.Count(l.Waves, "wave"), spell.Count(l.Cores, "core"), l.Wave, l.Resident)
	if l.Left > 0 {
		s += fmt.Sprintf("; %d waves are not modelled, as the trace is too long", l.Left)
	}
	return s
}
