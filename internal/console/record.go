package console

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/loc"
)

// A Record is the effect of one command: an object of JSON Lines. The first record has no command: it is the stop at
// the first instruction.
type Record struct {
	Command string `json:"command"`
	Output  string `json:"output"`          // as printed at a terminal
	Error   string `json:"error,omitempty"` // why the command was not executed
	Stop    *Stop  `json:"stop,omitempty"`  // where the run has stopped afterwards
	End     *End   `json:"end,omitempty"`   // or how it ended
}

// A Stop is where a run has stopped: before an instruction of a wave.
type Stop struct {
	Reason string    `json:"reason"` // one of reasons
	Points []int     `json:"points"` // numbers of the breakpoints and watchpoints that stopped it
	What   string    `json:"what,omitempty"`
	Errors []string  `json:"errors,omitempty"` // from conditions that could not be evaluated
	Kernel string    `json:"kernel,omitempty"`
	Group  [3]uint32 `json:"group"`
	Wave   int       `json:"wave"`
	loc.JSON
	Text         string `json:"text"`         // of the instruction
	Instructions uint64 `json:"instructions"` // started in the run so far
}

// An End is the end of a run.
type End struct {
	Error        string          `json:"error,omitempty"`
	Instructions uint64          `json:"instructions"`
	Result       json.RawMessage `json:"result,omitempty"` // output of heddle run --json, with races, waits and faults
}

// reasons are the names of reasons.
var reasons = [...]string{debug.AtEntry: "entry", debug.AtPoint: "breakpoint", debug.AtWatch: "watchpoint", debug.AfterStep: "step", debug.AtPause: "pause",
	debug.AtFault: "fault", debug.AtStart: "start", debug.AtExit: "exit", debug.AtGoto: "jump", debug.AtLaunch: "launch", debug.AtFinding: "finding", debug.AtEnd: "end"}

// A recorder collects the output of a console into records.
type recorder struct {
	text   bytes.Buffer
	now    Record
	to     func(Record) error
	result func() []byte
}

// Record makes the console emit its commands as records, instead of printing; result returns what the run has printed
// to standard output at its end. What is written to the returned writer becomes part of the output of the current
// command.
func (c *Console) Record(to func(Record) error, result func() []byte) io.Writer {
	c.record = &recorder{to: to, result: result}
	c.out = &c.record.text
	return c.out
}

// stop records a stop.
func (r *recorder) stop(c *Console, h *debug.Halt) {
	at := c.run.ScopeOf(h.Wave, -1)
	s := &Stop{Reason: reasons[h.Reason], Points: []int{}, What: h.Text, Group: h.Wave.Where.Group, Wave: h.Wave.Where.Wave, JSON: at.Code.Place(at.PC).JSON(),
		Text: strings.Join(strings.Fields(at.Code.Program().Text(at.PC)), " "), Instructions: h.Pos}
	if at.Env != nil {
		s.Kernel = at.Env.Kernel
	}
	for _, p := range h.Points {
		if p.ID != 0 {
			s.Points = append(s.Points, p.ID)
		}
	}
	for _, f := range h.Failed {
		s.Errors = append(s.Errors, numbered(f.Point)+f.Error())
	}
	if h.Reason == debug.AtPoint && len(s.Points) == 0 {
		s.Reason = "until"
	}
	r.now.Stop, r.now.End = s, nil
}

// end records the end of the run.
func (r *recorder) end(text string, instructions uint64) {
	e := &End{Error: text, Instructions: instructions}
	if data := bytes.TrimSpace(r.result()); json.Valid(data) {
		e.Result = data
	}
	r.now.Stop, r.now.End = nil, e
}

// flush emits the record of the current command, and starts the next.
func (r *recorder) flush(next string) error {
	r.now.Output = r.text.String()
	r.text.Reset()
	err := r.to(r.now)
	r.now = Record{Command: next}
	return err
}
