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

// WritePerfetto writes the waves of launches, one after another in their order, in the trace event format: a process is
// a core, a thread the place of a wave on a SIMD; waves have their stalls in them, and each core counts its waves and
// the operations that they have begun. Launches are a thread of a process of their own, as are draws with their stages
// in them.
func WritePerfetto(w io.Writer, list []Timeline) error {
	out := bufio.NewWriter(w)
	p := &perfetto{w: out, named: map[[2]int]bool{}}
	fmt.Fprintf(out, `{"displayTimeUnit":"ns","otherData":{"unit":"1 ns stands for 1 clock","model":%q},"traceEvents":[`, Says)
	of := map[*Launch]*Timeline{}
	var reports []*Report
	for i := range list {
		reports = append(reports, list[i].Report)
		for k := range list[i].Launches {
			of[&list[i].Launches[k]] = &list[i]
		}
	}
	p.name(0, -1, "process_name", "launches")
	p.name(0, 0, "thread_name", "launches, draws and their stages")
	launches := InOrder(reports)
	for i, l := range launches {
		if l.Draw != nil && (i == 0 || !sameDraw(launches[i-1], l)) {
			p.draw(launches[i:])
		}
		p.text = of[l].Text
		p.launch(l, of[l].Chip)
	}
	fmt.Fprint(out, "\n]}\n")
	if p.err != nil {
		return p.err
	}
	return out.Flush()
}

// sameDraw reports whether launches are stages of one draw.
func sameDraw(a, b *Launch) bool {
	return a.Draw != nil && b.Draw != nil && a.Draw.Number == b.Draw.Number
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

// draw writes the draw that begins with the first stage of a list.
func (p *perfetto) draw(list []*Launch) {
	d, clocks := list[0].Draw, 0.0
	for _, l := range list {
		if sameDraw(list[0], l) {
			clocks += l.Clocks
		}
	}
	p.write(event{Name: fmt.Sprintf("draw %d: %s", d.Number, d.Name), Ph: "X", Ts: micro(list[0].Begin), Dur: micro(clocks), Cat: "draw"})
}

// launch writes the waves of a launch.
func (p *perfetto) launch(l *Launch, chip string) {
	args := map[string]any{"chip": chip, "order": l.Order, "groups": l.Groups, "waves": l.Waves, "waves_not_modelled": l.Left, "cores": l.Cores}
	if l.Draw != nil {
		args["stage"] = l.Draw.Stage
	}
	h := l.Chart
	if h == nil {
		h = &Chart{}
		args["waves_left_out"] = l.Waves
	}
	args["left_out"] = h.Left
	if h.Every > 0 {
		args["counts_every_clocks"] = h.Every
	}
	p.write(event{Name: l.Kernel, Ph: "X", Ts: micro(l.Begin), Dur: micro(l.Clocks), Cat: "launch", Args: args})
	for i := range h.Waves {
		w := &h.Waves[i]
		pid, tid := w.Core+1, w.SIMD*threads+w.Slot+1
		p.name(pid, -1, "process_name", fmt.Sprintf("core %d", w.Core))
		p.name(pid, tid, "thread_name", fmt.Sprintf("SIMD %d, wave %d", w.SIMD, w.Slot))
		name := fmt.Sprintf("group %d,%d,%d wave %d", w.Group[0], w.Group[1], w.Group[2], w.Wave)
		if l.Draw != nil {
			name = fmt.Sprintf("draw %d, %s wave %d", l.Draw.Number, l.Draw.Stage, w.Group[0])
		}
		p.write(event{Name: name, Ph: "X", Ts: micro(l.Begin + w.From), Dur: micro(w.To - w.From), Pid: pid, Tid: tid, Cat: "wave"})
		for _, s := range w.Stalls {
			p.write(event{Name: s.Reason, Ph: "X", Ts: micro(l.Begin + s.From), Dur: micro(s.To - s.From), Pid: pid, Tid: tid, Cat: "stall", Args: map[string]any{"instruction": fmt.Sprintf("%#x %s", s.Addr, p.text(s.Addr))}})
		}
	}
	for _, c := range h.Counts {
		p.write(event{Name: c.Name, Ph: "C", Ts: micro(l.Begin + c.At), Pid: c.Core + 1, Args: map[string]any{"count": c.N}})
	}
}
