package check

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/sanitize"
)

// Findings are what a run shows, in the form for JSON.
type Findings struct {
	Findings []Finding `json:"findings"` // of the sanitizer
	Faults   []Fault   `json:"faults"`
}

// A Finding is a finding of the sanitizer.
type Finding struct {
	ID       string        `json:"id"` // sanitize.Finding.ID, with .2 and so on if findings are alike
	Check    string        `json:"check"`
	Rule     string        `json:"rule"`
	Severity string        `json:"severity"`
	Msg      string        `json:"msg"`
	Case     string        `json:"case,omitempty"` // sanitize.Finding.Case
	Kernel   string        `json:"kernel,omitempty"`
	Group    [3]uint32     `json:"group"`
	Count    uint64        `json:"count"` // how often it was found, in units
	Unit     string        `json:"unit"`  // byte, word, lane or time
	At       Instruction   `json:"at"`
	Others   []Instruction `json:"others"`         // in the order in which they ran
	Left     int           `json:"left,omitempty"` // how many are left out before the last one
	Space    string        `json:"space,omitempty"`
	Addr     *uint64       `json:"addr,omitempty"`  // of a race: the first byte that both access
	Bytes    int           `json:"bytes,omitempty"` // of a race: how many bytes both access
	Register string        `json:"register,omitempty"`
	Buffer   string        `json:"buffer,omitempty"`
	Offset   *uint64       `json:"offset,omitempty"` // in the buffer
	Origin   string        `json:"origin,omitempty"` // of an undefined value

	Found sanitize.Finding `json:"-"`
}

// An Instruction is an instruction in a finding.
type Instruction struct {
	loc.JSON
	Text string `json:"text"`
	Does string `json:"does,omitempty"` // load, store or atomic; read or write of a register; what an undefined value is for
	// Group of another instruction, if it is another group than the finding's.
	Group *[3]uint32 `json:"group,omitempty"`
	Wave  int        `json:"wave"` // in the group
	Lane  int        `json:"lane"` // -1: the wave as a whole
	Item  *Item      `json:"item,omitempty"`
}

// An Item is what a lane of a draw works on.
type Item struct {
	Draw     string `json:"draw"`
	Stage    string `json:"stage"` // vertex or fragment
	Instance int    `json:"instance"`
	Vertex   *int   `json:"vertex,omitempty"`
	// Of a fragment: the triangle in its instance, and the pixel.
	Primitive *int    `json:"primitive,omitempty"`
	Pixel     *[2]int `json:"pixel,omitempty"`
}

// itemOf converts an item to its JSON form.
func itemOf(i *exec.Item) *Item {
	switch {
	case i == nil:
		return nil
	case i.Fragment && i.Primitive < 0:
		return &Item{Draw: i.Draw, Stage: "fragment", Instance: i.Instance, Pixel: &[2]int{i.X, i.Y}}
	case i.Fragment:
		return &Item{Draw: i.Draw, Stage: "fragment", Instance: i.Instance, Primitive: &i.Primitive, Pixel: &[2]int{i.X, i.Y}}
	}
	return &Item{Draw: i.Draw, Stage: "vertex", Instance: i.Instance, Vertex: &i.Vertex}
}

// A Fault is the end of a wave by a fault; see exec.Fault.
type Fault struct {
	Kind      string            `json:"kind"`
	Msg       string            `json:"msg"`
	Kernel    string            `json:"kernel,omitempty"`
	Group     [3]uint32         `json:"group"`
	At        Instruction       `json:"at"`
	Lanes     string            `json:"lanes"` // with the fault, as a mask: bit i is lane i; 0x0: the wave as a whole
	Space     string            `json:"space,omitempty"`
	Access    string            `json:"access,omitempty"` // load, store or atomic
	Addr      uint64            `json:"addr"`             // of the access, as the code computed it
	SpaceAddr uint64            `json:"space_addr"`       // the address in its space, which differs for flat addresses
	Bytes     uint64            `json:"bytes"`
	Registers map[string]string `json:"registers"` // the registers that the instruction reads, in Lane

	Place loc.Place `json:"-"` // of At
}

// FaultOf converts a fault to its JSON form.
func FaultOf(f *exec.Fault) Fault {
	at := Instruction{f.Place().JSON(), strings.Join(strings.Fields(f.Instruction()), " "), "", nil, f.Wave, f.Lane, nil}
	j := Fault{Kind: f.Kind.String(), Msg: f.Reason(), Kernel: f.Kernel, Group: f.Group, At: at, Lanes: fmt.Sprintf("%#x", f.Lanes),
		Registers: map[string]string{}, Place: f.Place()}
	if m := f.Mem; m != nil {
		j.Space, j.Access, j.Addr, j.SpaceAddr, j.Bytes = m.Space, m.Op, f.Addr, m.Addr, m.Size
		j.At.Does = m.Op
	}
	for _, r := range f.Registers {
		j.Registers[r.Name] = fmt.Sprintf("%#x", r.Value)
	}
	return j
}

// FaultsOf returns the fault in an error, if there is one.
func FaultsOf(err error) []Fault {
	var f *exec.Fault
	if !errors.As(err, &f) {
		return []Fault{}
	}
	return []Fault{FaultOf(f)}
}

// findingOf converts a finding to its JSON form.
func findingOf(f *sanitize.Finding) Finding {
	side := func(s *sanitize.Side) Instruction {
		x := Instruction{s.Place.JSON(), s.Text, s.Role, nil, s.Wave, s.Lane, itemOf(s.Item)}
		if s.Group != f.Group {
			x.Group = &s.Group
		}
		return x
	}
	x := Finding{ID: f.ID(), Check: f.Check(), Rule: f.Rule, Severity: f.Severity().String(), Msg: f.Msg, Case: f.Case, Kernel: f.Kernel, Group: f.Group, Count: f.Count, Unit: f.Unit,
		At: side(&f.At), Others: []Instruction{}, Left: f.Left, Space: f.Space, Bytes: f.Bytes, Register: f.Register, Buffer: f.Buffer, Origin: f.Origin, Found: *f}
	for i := range f.Others {
		x.Others = append(x.Others, side(&f.Others[i]))
	}
	if f.Space != "" {
		x.Addr = &f.Addr
	}
	if f.Buffer != "" {
		x.Offset = &f.Offset
	}
	return x
}

// told describes the first finding that makes a case fail, and says how many more there are; "" if there are none.
func (f *Findings) told(o *Options) (first string) {
	n := 0
	for i := range f.Findings {
		if x := &f.Findings[i]; o.NeverFail || x.Found.Severity() > o.FailOn {
			continue
		} else if n++; n == 1 {
			first = fmt.Sprintf("%v [%s] %s", &x.Found, x.Rule, x.ID)
		}
	}
	if n > 1 {
		first += "; and " + spell.Count(n-1, "more finding")
	}
	return first
}

// Findings returns all findings, with the fault in the error of the run. No list is nil, so that JSON has both.
func (w *Watched) Findings(err error) Findings {
	f := Findings{[]Finding{}, FaultsOf(err)}
	if w == nil {
		return f
	}
	list, alike := w.Sanitizer.Findings(), map[string]int{}
	for i := range list {
		x := findingOf(&list[i])
		if alike[x.ID]++; alike[x.ID] > 1 {
			x.ID += fmt.Sprintf(".%d", alike[x.ID])
		}
		f.Findings = append(f.Findings, x)
	}
	return f
}

// look returns what the sanitizer has found in the run of a case, for Result.Found, without what is accepted.
func (c *checker) look(r *Result, w *Watched, err error) {
	if r.Found = w.Findings(err); w == nil {
		return
	}
	if r.Incomplete = w.Incomplete(); err != nil {
		r.Incomplete = CutShort
	}
	if c.Accept != nil {
		c.Accept(r)
	}
}

// CutShort is Result.Incomplete of a run that ended with a fault.
const CutShort = "a fault ended the run: what had not run by then was not checked"

// Whole returns the findings with empty lists instead of nil, for JSON.
func (f Findings) Whole() Findings {
	if f.Findings == nil {
		f.Findings = []Finding{}
	}
	if f.Faults == nil {
		f.Faults = []Fault{}
	}
	return f
}
