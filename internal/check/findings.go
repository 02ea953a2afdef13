package check

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/sanitize"
)

// Findings are the findings of a run, in the form for JSON.
type Findings struct {
	Races  []Finding `json:"races"`
	Waits  []Finding `json:"waits"`
	Uninit []Finding `json:"uninit"`
	Faults []Fault   `json:"faults"`
}

// A Finding is a race or a missing wait: two instructions, in the order in which they ran; or a use of an undefined
// value: the first instruction that had it, which is the second if there is no other, and the one for which it matters.
type Finding struct {
	Kind     string      `json:"kind"` // race, wait or uninit
	Msg      string      `json:"msg"`
	Kernel   string      `json:"kernel,omitempty"`
	Group    [3]uint32   `json:"group"`
	Space    string      `json:"space,omitempty"` // of a race: the address space
	Addr     uint64      `json:"addr"`            // of a race: the first byte that both access
	Bytes    int         `json:"bytes"`           // of a race: how many bytes both access
	Register string      `json:"register,omitempty"`
	Count    uint64      `json:"count"` // how often it was found; for a race, in bytes
	First    Instruction `json:"first"`
	Second   Instruction `json:"second"`
	Origin   string      `json:"origin,omitempty"` // of an undefined value
}

// An Instruction is an instruction in a finding.
type Instruction struct {
	loc.JSON
	Text string `json:"text"`
	Does string `json:"does,omitempty"` // load, store or atomic; read or write of a register; issue of an operation
	Wave int    `json:"wave"`           // in the group
	Lane int    `json:"lane"`           // -1: the wave as a whole
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
}

// FaultOf converts a fault to its JSON form.
func FaultOf(f *exec.Fault) Fault {
	at := Instruction{f.Place().JSON(), strings.Join(strings.Fields(f.Instruction()), " "), "", f.Wave, f.Lane}
	j := Fault{Kind: f.Kind.String(), Msg: f.Reason(), Kernel: f.Kernel, Group: f.Group, At: at, Lanes: fmt.Sprintf("%#x", f.Lanes),
		Registers: map[string]string{}}
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

// Races returns the races found.
func (w *Watched) Races() []Finding {
	list := []Finding{}
	if w == nil || w.races == nil {
		return list
	}
	for _, r := range w.races.Found() {
		side := func(a *sanitize.Access) Instruction {
			return Instruction{a.Place.JSON(), a.Text, a.How.String(), a.Wave, a.Lane}
		}
		list = append(list, Finding{Kind: "race", Msg: r.String(), Kernel: r.Kernel, Group: r.Group, Space: "group", Addr: r.Addr, Bytes: r.Bytes,
			Count: r.Count, First: side(&r.First), Second: side(&r.Second)})
	}
	return list
}

// Waits returns the missing waits found.
func (w *Watched) Waits() []Finding {
	list := []Finding{}
	if w == nil || w.waits == nil {
		return list
	}
	for _, e := range w.waits.Found() {
		does := "read"
		if e.Writes {
			does = "write"
		}
		list = append(list, Finding{Kind: "wait", Msg: e.String(), Kernel: e.Kernel, Group: e.Group, Register: e.Register, Count: e.Count,
			First:  Instruction{e.From.Place.JSON(), e.From.Text, "issue", e.Wave, e.Lane},
			Second: Instruction{e.At.Place.JSON(), e.At.Text, does, e.Wave, e.Lane}})
	}
	return list
}

// Uninit returns the uses of undefined values found.
func (w *Watched) Uninit() []Finding {
	list := []Finding{}
	if w == nil || w.uninit == nil {
		return list
	}
	reads := w.HostReads
	if reads == nil {
		reads = func(string) bool { return true }
	}
	w.uninit.HostReads(reads)
	for _, u := range w.uninit.Found() {
		lane := bits.TrailingZeros64(u.Lanes)
		at := Instruction{u.At.Place.JSON(), u.At.Text, u.Kind, u.Wave, lane}
		first := at
		if len(u.Path) > 0 {
			first = Instruction{u.Path[0].Place.JSON(), u.Path[0].Text, "", u.Wave, lane}
		}
		list = append(list, Finding{Kind: "uninit", Msg: u.String(), Kernel: u.Kernel, Group: u.Group, Count: u.Count, Origin: u.Origin.String(),
			First: first, Second: at})
	}
	return list
}

// all returns all findings but faults.
func (f *Findings) all() []Finding { return slices.Concat(f.Races, f.Waits, f.Uninit) }

// told describes the first finding and says how many more there are; "" if there are none.
func (f *Findings) told() string {
	all := f.all()
	switch len(all) {
	case 0:
		return ""
	case 1:
		return all[0].Msg
	}
	return fmt.Sprintf("%s; and %d other pairs of instructions", all[0].Msg, len(all)-1)
}

// Findings returns all findings, with the fault in the error of the run. None of the lists is nil, so that JSON has all
// of them.
func (w *Watched) Findings(err error) Findings {
	return Findings{w.Races(), w.Waits(), w.Uninit(), FaultsOf(err)}
}

// Whole returns the findings with empty lists instead of nil, for JSON.
func (f Findings) Whole() Findings {
	for _, list := range []*[]Finding{&f.Races, &f.Waits, &f.Uninit} {
		if *list == nil {
			*list = []Finding{}
		}
	}
	if f.Faults == nil {
		f.Faults = []Fault{}
	}
	return f
}
