package timing

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// An event is one of the trace event format, which Perfetto and chrome://tracing open. A clock is a nanosecond.
type event struct {
	Name string         `json:"name"`
	Ph   string         `json:"ph"`
	Ts   float64        `json:"ts"` // µs
	Dur  float64        `json:"dur,omitempty"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	Cat  string         `json:"cat,omitempty"`
	Args map[string]any `json:"args,omitempty"`
}

// threads is how many numbers of threads a SIMD has.
const threads = 1000

// A Timeline is a report, and the text of the instruction at an address.
type Timeline struct {
	*Report
	Text func(addr uint64) string
}

// WritePerfetto writes the waves of launches, one after another, in the trace event format: a process is a core, a
// thread the place of a wave on a SIMD; waves have their stalls in them, and each core counts its waves and the
// operations that they have begun.
func WritePerfetto(w io.Writer, list []Timeline) error {
	out := bufio.NewWriter(w)
	p := &perfetto{w: out, named: map[[2]int]bool{}}
	fmt.Fprintf(out, `{"displayTimeUnit":"ns","otherData":{"unit":"1 ns stands for 1 clock","model":%q},"traceEvents":[`, Says)
	begin := 0.0
	for _, r := range list {
		p.text = r.Text
		for i := range r.Launches {
			if l := &r.Launches[i]; l.Chart != nil {
				p.launch(l, r.Chip, begin)
			}
			begin += r.Launches[i].Clocks
		}
	}
	fmt.Fprint(out, "\n]}\n")
	if p.err != nil {
		return p.err
	}
	return out.Flush()
}

// A perfetto writes events.
type perfetto struct {
	w     io.Writer
	text  func(addr uint64) string
	named map[[2]int]bool // processes, and their threads
	some  bool
	err   error
}

func (p *perfetto) write(e event) {
	data, err := json.Marshal(e)
	if err != nil {
		p.err = err
		return
	}
	if p.some {
		fmt.Fprint(p.w, ",")
	}
	p.some = true
	fmt.Fprintf(p.w, "\n%s", data)
}

// micro returns clocks in µs, to a thousandth of a clock.
func micro(clocks float64) float64 { return math.Round(clocks*1000) / 1e6 }

// name names a process or thread once.
func (p *perfetto) name(pid, tid int, kind, name string) {
	if key := [2]int{pid, tid}; !p.named[key] {
		p.named[key] = true
		p.write(event{Name: kind, Ph: "M", Pid: pid, Tid: max(tid, 0), Args: map[string]any{"name": name}})
	}
}

// launch writes the waves of a launch that begins at a clock.
func (p *perfetto) launch(l *Launch, chip string, begin float64) {
	p.name(0, -1, "process_name", "launches")
	p.write(event{Name: l.Kernel, Ph: "X", Ts: micro(begin), Dur: micro(l.Clocks), Args: map[string]any{"chip": chip, "groups": l.Groups, "waves": l.Waves, "waves_not_modelled": l.Left, "cores": l.Cores, "stalls_left_out": l.Chart.Left}})
	for i := range l.Chart.Waves {
		w := &l.Chart.Waves[i]
		pid, tid := w.Core+1, w.SIMD*threads+w.Slot+1
		p.name(pid, -1, "process_name", fmt.Sprintf("core %d", w.Core))
		p.name(pid, tid, "thread_name", fmt.Sprintf("SIMD %d, wave %d", w.SIMD, w.Slot))
		p.write(event{Name: fmt.Sprintf("group %d,%d,%d wave %d", w.Group[0], w.Group[1], w.Group[2], w.Wave), Ph: "X", Ts: micro(begin + w.From), Dur: micro(w.To - w.From), Pid: pid, Tid: tid, Cat: "wave"})
		for _, s := range w.Stalls {
			p.write(event{Name: s.Reason, Ph: "X", Ts: micro(begin + s.From), Dur: micro(s.To - s.From), Pid: pid, Tid: tid, Cat: "stall", Args: map[string]any{"instruction": fmt.Sprintf("%#x %s", s.Addr, p.text(s.Addr))}})
		}
	}
	for _, c := range l.Chart.Counts {
		p.write(event{Name: c.Name, Ph: "C", Ts: micro(begin + c.At), Pid: c.Core + 1, Args: map[string]any{"count": c.N}})
	}
}
