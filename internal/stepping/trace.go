package stepping

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
)

// A TraceSpec selects what a trace shows.
type TraceSpec struct {
	Waves Waves
	Lanes LaneRange
	All   bool   // show all lanes in JSON, because none were selected
	From  *Point // nil: the beginning
	Max   uint64 // lines; 0: no limit
	File  string // "": where other output goes
}

// ParseTrace reads a list of wave:N[-M], group:X.Y.Z, lanes:N[-M], from:PLACE, max:N, file:PATH, which may be empty.
func ParseTrace(text string) (t TraceSpec, err error) {
	t.Lanes, t.All = SomeLanes, true
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}
		key, value, _ := strings.Cut(part, ":")
		switch key {
		case "lanes":
			t.Lanes.First, t.Lanes.Last, err = span(value)
			t.All = false
		case "max":
			t.Max, err = strconv.ParseUint(value, 0, 64)
			if err != nil || t.Max == 0 {
				err = fmt.Errorf("want a number of lines from 1")
			}
		case "file":
			if t.File = value; value == "" {
				err = fmt.Errorf("want a path")
			}
		case "from":
			var p Point
			p, err = ParsePoint(value)
			t.From = &p
		default:
			var known bool
			if known, err = t.Waves.set(key, value); !known {
				return t, fmt.Errorf("%q is none of wave:N, group:X.Y.Z, lanes:N-M, from:PLACE, max:N, file:PATH", part)
			} else if err != nil {
				return t, err
			}
		}
		if err != nil {
			return t, fmt.Errorf("%s: %w", part, err)
		}
	}
	return t, nil
}

// A Trace writes a line for each instruction that runs. It does not affect the run.
type Trace struct {
	spec  TraceSpec
	to    *bufio.Writer
	json  bool
	err   error // from writing
	lines uint64
	begun bool // From has been reached
	this  bool // the current step is shown
	was   *exec.State
	line  traceLine
}

// NewTrace returns a trace to a writer, in lines of text or of JSON.
func NewTrace(spec TraceSpec, to io.Writer, json bool) *Trace {
	return &Trace{spec: spec, to: bufio.NewWriter(to), json: json, begun: spec.From == nil}
}

// A traceLine is a line of JSON.
type traceLine struct {
	Kernel string    `json:"kernel,omitempty"`
	Group  [3]uint32 `json:"group"`
	Wave   int       `json:"wave"`
	PC     uint64    `json:"pc"` // as in addr
	loc.JSON
	Source  string         `json:"source,omitempty"` // FILE:LINE:COL
	Repeat  uint8          `json:"repeat,omitempty"`
	Text    string         `json:"text"`
	Lanes   string         `json:"lanes"` // that executed it
	Changed map[string]any `json:"changed"`
	Stop    string         `json:"stop,omitempty"` // why the wave does not continue at once
}

// Before implements exec.Stepper.
func (t *Trace) Before(s *exec.Step) error {
	t.this = false
	if t.err != nil || t.spec.Max != 0 && t.lines == t.spec.Max || !t.begun && !t.spec.Waves.Has(&s.Env.Where) {
		return t.err
	}
	text := s.Text()
	if !t.begun {
		at, err := t.spec.From.At(s, text)
		if err != nil {
			return err
		}
		t.begun = at
	}
	if t.this = t.begun && t.spec.Waves.Has(&s.Env.Where); !t.this {
		return nil
	}
	if t.was == nil || t.was.Layout != s.State.Layout {
		t.was = s.State.Snapshot()
	} else {
		t.was.Restore(s.State)
	}
	p := ir.PlaceOf(s.Program, s.PC)
	t.line = traceLine{Kernel: s.Env.Kernel, Group: s.Env.Group, Wave: s.Env.Wave, PC: p.Addr, JSON: p.JSON(), Source: p.Source.String(), Repeat: s.Sub,
		Text: text, Lanes: fmt.Sprintf("%#x", s.State.Exec)}
	return nil
}

// After implements exec.Stepper.
func (t *Trace) After(s *exec.Step, stop exec.Stop) {
	if !t.this {
		return
	}
	t.lines++
	d, _ := ir.Describe(s.Program)
	list := Changes(t.was, s.State, d)
	if stop.Reason != exec.StopBudget {
		t.line.Stop = stop.Reason.String()
	}
	if t.json {
		lanes := t.spec.Lanes
		if t.spec.All {
			lanes = LaneRange{0, ir.MaxLanes - 1}
		}
		t.line.Changed = map[string]any{}
		for i := range list {
			t.line.Changed[list[i].Name] = list[i].value(lanes)
		}
		e := json.NewEncoder(t.to)
		e.SetEscapeHTML(false)
		t.err = e.Encode(&t.line)
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s", WhoText(&s.Env.Where), placeText(s))
	text := oneLine(t.line.Text)
	if len(list) > 0 || t.line.Stop != "" {
		text = fmt.Sprintf("%-40s", text)
	}
	b.WriteString("  " + text)
	for i := range list {
		b.WriteString(" " + list[i].Text(t.spec.Lanes))
	}
	if t.line.Stop != "" && t.line.Stop != "yield" {
		b.WriteString(" -- " + t.line.Stop)
	}
	b.WriteByte('\n')
	if t.lines == t.spec.Max {
		fmt.Fprintf(&b, "(the trace ends here: max:%d)\n", t.spec.Max)
	}
	_, t.err = t.to.WriteString(b.String())
}

// End writes buffered output.
func (t *Trace) End() error {
	if err := t.to.Flush(); t.err == nil {
		t.err = err
	}
	return t.err
}

// Reached returns an error if no wave came to the place where the trace should begin.
func (t *Trace) Reached() error {
	if t.begun {
		return nil
	}
	return &NotReached{t.spec.From.Text}
}

// A NotReached is a place that no wave reached.
type NotReached struct{ Text string }

func (n *NotReached) Error() string { return n.Text + ": no wave came there" }

// WhoText names a wave: its workgroup and its number there.
func WhoText(at *exec.Where) string {
	return fmt.Sprintf("(%d,%d,%d) w%d", at.Group[0], at.Group[1], at.Group[2], at.Wave)
}

// placeText returns an address as in listings, with symbol, text and source, in a column. Code without symbols and
// lines is identified by the program's name.
func placeText(s *exec.Step) string {
	p := ir.PlaceOf(s.Program, s.PC)
	text := fmt.Sprintf("%#06x", p.Addr)
	if name := p.Name(); name != "" {
		text += " <" + name + ">"
	} else if s.Env.Kernel != "" && !p.Position().Known() {
		text += " in " + s.Env.Kernel
	}
	if lines := p.Lines(); lines != "" {
		text += " " + lines
	}
	return fmt.Sprintf("%-40s", printable(text))
}

// oneLine returns the text of an instruction, which may have several lines, on one line.
func oneLine(text string) string { return printable(strings.Join(strings.Fields(text), " ")) }

// printable returns a text without characters that control a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
