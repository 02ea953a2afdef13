package profiles

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/internal/timing"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/profile"
)

// traces are those of the launches of a program, which share the steps that are kept.
type traces struct {
	begun int // launches
	runs  []liveRun
	steps int // of runs
	held  map[ir.Code]bool
	bytes int // of what is held
	lost  int // launches without a trace
	at    map[ir.Code]placed
}

// A liveRun is the trace of a launch, or of a stage.
type liveRun struct {
	profile.Trace
	launch, stage int
}

// A placed is the code that is kept of several with the same bytes, and how much higher it is.
type placed struct {
	ir.Code
	shift uint64
}

// mostRuns is how many launches and stages are modelled; tests set another.
var mostRuns = 1 << 16

// begin begins the trace of a launch, and returns its number.
func (t *traces) begin(timed bool, p *profile.Profiler) int {
	if timed {
		p.Record(max(0, mostTraced-t.steps))
	}
	t.begun++
	return t.begun
}

// end keeps the traces of a launch that has ended, if there is room for them. Of one that ended by an error they are
// not whole.
func (t *traces) end(list []profile.Trace, number int, err error) {
	for i, x := range list {
		size := 0
		if !t.held[x.Code] {
			size = bytesOf(x.Code)
		}
		if err != nil || len(t.runs) >= mostRuns || t.steps+x.Steps > mostTraced || t.bytes+size > mostBytes {
			t.lost++
			continue
		}
		if t.held == nil {
			t.held = map[ir.Code]bool{}
		}
		t.held[x.Code] = true
		t.runs, t.steps, t.bytes = append(t.runs, liveRun{x, number, i}), t.steps+x.Steps, t.bytes+size
	}
}

// place says which code is kept of those with the same bytes.
func (t *traces) place(code, kept ir.Code, shift uint64) {
	if t.at == nil {
		t.at = map[ir.Code]placed{}
	}
	if t.held[code] {
		t.at[code] = placed{kept, shift}
	}
}

// Time adds a model of the launches to what Profiles returned last, in the order in which they began; waves are drawn,
// too, if draws says so. It returns how many launches it has no trace of.
func (l *Live) Time(list []Profile, draws bool, chip Chooser) (lost int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &l.traces
	slices.SortFunc(t.runs, func(a, b liveRun) int {
		return cmp.Or(cmp.Compare(a.launch, b.launch), cmp.Compare(a.stage, b.stage))
	})
	runs, lost := map[ir.Code][]timing.Run{}, t.lost
	for i := range t.runs {
		x := &t.runs[i]
		if at, ok := t.at[x.Code]; ok {
			runs[at.Code] = append(runs[at.Code], timing.Run{Trace: &x.Trace, Order: i, Shift: at.shift})
		} else {
			lost++
		}
	}
	return lost, model(list, l.codes, runs, draws, chip)
}
