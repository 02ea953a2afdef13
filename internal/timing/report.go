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
	"github.com/heddle-gpu/heddle/ir"
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

// A Launch is the model of a launch, or of a stage of a draw.
type Launch struct {
	Kernel   string     `json:"kernel"`
	Draw     *Draw      `json:"draw,omitempty"` // that it is a stage of; nil: none
	Order    int        `json:"order"`          // among the launches and stages of all codes
	Begin    float64    `json:"begins"`         // the clock, if they run one after another
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

// A Draw is the draw of a stage.
type Draw struct {
	Number int    `json:"number"` // from 0
	Name   string `json:"name"`
	Stage  string `json:"stage"` // vertex, fragment
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

// A Run is the trace of a launch or of a stage of a draw.
type Run struct {
	*profile.Trace
	Order int    // among the runs of the program
	Shift uint64 // how much higher the addresses of the modelled code are, which has the same bytes
}

// Of models the runs of one code. Waves are drawn, too, as far as there is room for shapes, which is taken; nil: they
// are not.
func Of(code ir.Code, runs []Run, chip *chips.Chip, shapes *int) (*Report, error) {
	r := &Report{Says: Says, Chip: chip.Name, Default: chip.Default, Launches: []Launch{}, Figures: []chips.Figure{}}
	m, err := newModel(code, chip)
	if err != nil {
		return nil, err
	}
	m.read(runs)
	for range runtime.GOMAXPROCS(0) {
		m.stats = append(m.stats, newStats(m))
	}
	spent := total{}
	for i := range runs {
		l := m.launch(&runs[i], shapes, &spent)
		r.Launches = append(r.Launches, l)
		r.Clocks += l.Clocks
	}
	sum := m.stats[0]
	for _, s := range m.stats[1:] {
		sum.add(s)
	}
	m.report(r, sum, spent)
	return r, nil
}

// A total is ticks of all launches: of waves, and of cores that had a group.
type total struct{ waves, cores int64 }

// launch models a launch, and adds its times to the total.
func (m *model) launch(t *Run, shapes *int, spent *total) Launch {
	m.use(t.Trace)
	groups, waves := m.groups(t.Trace)
	takes := m.takes(t.Trace)
	room := chips.RoomOf(m.chip, takes)
	l := Launch{Kernel: t.Kernel, Order: t.Order, Groups: len(groups), Waves: waves, Left: t.Left, Cores: min(max(1, int(m.chip.Value("chip.cores"))), len(groups))}
	if d := t.Draw; d != nil {
		l.Draw, room = &Draw{d.Number, d.Name, stageNames[d.Fragment]}, chips.RoomOfWaves(m.chip, takes)
	}
	l.Room = room
	loads := m.loads(groups, &l, shapes)
	together(len(loads), len(m.stats), func(worker, i int) {
		loads[i].core.stats = m.stats[worker]
		loads[i].core.all()
	})
	alive, life, last := int64(0), int64(0), int64(0)
	for i := range loads {
		c := loads[i].core
		alive += c.same * c.now
		life += c.same * c.life
		busy := max(c.now, c.done, slices.Max(c.free)) // stores go on when waves have ended
		spent.cores += c.same * busy
		last = max(last, busy)
	}
	spent.waves += life
	l.Clocks, l.Wave = clocks(last), clocks(life)/float64(max(1, l.Waves))
	if alive > 0 {
		l.Resident = float64(life) / float64(alive)
	}
	if len(loads) > 0 && loads[0].core.chart != nil {
		l.Chart = drawn(loads)
		*shapes -= l.Chart.shapes()
	}
	return l
}

// stageNames are those of stages of draws, by whether they are of fragments.
var stageNames = map[bool]string{false: "vertex", true: "fragment"}

// together calls do with the numbers below n, on all processors, of workers at most so many.
func together(n, workers int, do func(worker, i int)) {
	var wg sync.WaitGroup
	workers = min(n, workers)
	for k := range workers {
		wg.Go(func() {
			for i := k; i < n; i += workers {
				do(k, i)
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
		h.Every = max(h.Every, clocks(c.chart.every))
	}
	return h
}

// shapes returns how many there are.
func (h *Chart) shapes() int {
	n := len(h.Counts) / 2
	for i := range h.Waves {
		n += 1 + len(h.Waves[i].Stalls)
	}
	return n
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

// report makes a report of what cores counted.
func (m *model) report(r *Report, s *stats, spent total) {
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
			r.Spent = append(r.Spent, part(m.reason(k), t, spent.waves))
		}
	}
	byClocks(r.Spent)
	for u, t := range s.busy {
		if t > 0 {
			of := spent.cores
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

// Name returns the kernel, or the draw and the stage.
func (l *Launch) Name() string {
	if d := l.Draw; d != nil {
		return fmt.Sprintf("draw %d %s: %s", d.Number, d.Name, l.Kernel)
	}
	return l.Kernel
}

// String describes a launch in a line.
func (l *Launch) String() string {
	name := l.Name()
	if l.Waves == 0 {
		return fmt.Sprintf("%s: not modelled, as the trace is too long: %s", name, spell.Count(l.Left, "wave"))
	}
	s := fmt.Sprintf("%s: %.0f clocks for ", name, l.Clocks)
	if l.Draw == nil {
		s += spell.Count(l.Groups, "group") + " with "
	}
	s += fmt.Sprintf("%s on %s, %.0f clocks a wave, %.1f waves a core", spell.Count(l.Waves, "wave"), spell.Count(l.Cores, "core"), l.Wave, l.Resident)
	if l.Left > 0 {
		s += fmt.Sprintf("; %d waves are not modelled, as the trace is too long", l.Left)
	}
	return s
}

// InOrder returns the launches of reports in their order, and sets when each begins if they run one after another.
func InOrder(list []*Report) (all []*Launch) {
	for _, r := range list {
		for i := range r.Launches {
			all = append(all, &r.Launches[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *Launch) int { return cmp.Compare(a.Order, b.Order) })
	begin := 0.0
	for _, l := range all {
		l.Begin = begin
		begin += l.Clocks
	}
	return all
}
