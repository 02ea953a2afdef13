package exec

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/mem"
)

// A FaultKind says why a wave cannot continue.
type FaultKind uint8

const (
	FaultMemory  FaultKind = iota + 1 // an access that memory refused: Addr, Mem
	FaultTrap                         // a trap op: Trap, Text
	FaultRange                        // a register index computed at run time is outside its file: Text
	FaultCode                         // the pc is outside the code: Err
	FaultControl                      // a divergence step that the stack or the machine does not allow: Text
	FaultLimit                        // more guest instructions than the limit: Limit, Text
	FaultStopped                      // the context of the run ended: Err
	FaultBarrier                      // a barrier that other waves of the group can no longer reach: Text
	FaultHandle                       // a handle or slot without a texture unit, stream, input or output: Err
)

var faultKinds = [...]string{FaultMemory: "memory", FaultTrap: "trap", FaultRange: "range", FaultCode: "code", FaultControl: "control",
	FaultLimit: "limit", FaultStopped: "stopped", FaultBarrier: "barrier", FaultHandle: "handle"}

// String returns the kind in one word.
func (k FaultKind) String() string {
	if int(k) < len(faultKinds) && faultKinds[k] != "" {
		return faultKinds[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// A Fault is why a wave was stopped other than by its own program. It is the error of a run.
type Fault struct {
	Kind FaultKind
	Where
	PC    uint64
	Lane  int        // the lowest lane at fault; -1: the wave as a whole
	Lanes uint64     // all lanes at fault; 0 if the wave as a whole is
	Addr  uint64     // of Lane, as the code computed it; Mem has the address in its space
	Addrs []uint64   // per lane, of FaultMemory: for the lanes of Lanes, else 0
	Mem   *mem.Fault // what memory reported for Lane
	Trap  ir.TrapReason
	Limit uint64 // guest instructions
	Text  string
	Err   error
	// Registers are the registers that the instruction reads, with their values in Lane. Per-lane registers are
	// included only if there is such a lane. Runs under a Meter fill them in.
	Registers []FaultRegister

	code ir.Code
}

// A FaultRegister is a register that an instruction at fault reads.
type FaultRegister struct {
	Name  string // as users write it
	Value uint64
}

// maxFaultRegisters limits the registers that a fault names.
const maxFaultRegisters = 16

// fillRegisters fills in the registers; st is the state at the fault.
func (f *Fault) fillRegisters(st *State) {
	if f.Registers != nil || f.Kind == FaultLimit || f.Kind == FaultStopped || f.Kind == FaultCode {
		return
	}
	d, ok := ir.Describe(f.code)
	if !ok {
		return
	}
	seen := map[ir.Cell]bool{}
	reads, _ := d.Operands(f.PC)
	for _, sp := range reads {
		for i := range sp.Count {
			c := ir.Cell{File: sp.Cell.File, Index: sp.Cell.Index + i}
			file := &st.Machine.Files[c.File]
			if seen[c] || int(c.Index) >= file.Count || file.Kind.PerLane() && f.Lane < 0 || len(f.Registers) == maxFaultRegisters {
				continue
			}
			seen[c] = true
			f.Registers = append(f.Registers, FaultRegister{d.ValueName(c), st.Look(c, max(f.Lane, 0))})
		}
	}
}

// Place returns the source place of the instruction at fault.
func (f *Fault) Place() loc.Place { return ir.PlaceOf(f.code, f.PC) }

// NewFault makes a fault of the whole wave at pc; the caller adds the fields of its kind.
func NewFault(kind FaultKind, e *Env, code ir.Code, pc uint64) *Fault {
	return &Fault{Kind: kind, Where: e.Where, PC: pc, Lane: -1, code: code}
}

// SetLanes sets the lanes at fault, at least one.
func (f *Fault) SetLanes(lanes uint64) {
	f.Lane, f.Lanes = bits.TrailingZeros64(lanes), lanes
}

// Instruction returns the text of the guest instruction at fault, "" if the pc is outside the code.
func (f *Fault) Instruction() string {
	if f.code == nil || f.Kind == FaultCode {
		return ""
	}
	return f.code.Text(f.PC)
}

// Error names the place, as listings have it, then what was wrong and with which operands:
//
//	kernel matmul pc 0x40 <matmul+0x40> "flat_load_dword v2, v[13:14]" (matmul.cl:12:7) group (0,0,0) wave 2 lane 13: global load of 4 bytes at 0x1ffe: ends past "out" (0x1000-0x2000); v13=0x1ffe v14=0x0
func (f *Fault) Error() string {
	var b strings.Builder
	if f.Kernel != "" {
		fmt.Fprintf(&b, "kernel %s ", f.Kernel)
	}
	p := f.Place()
	fmt.Fprintf(&b, "pc %#x", p.Addr)
	if name := p.Name(); name != "" {
		fmt.Fprintf(&b, " <%s>", name)
	}
	if text := f.Instruction(); text != "" {
		fmt.Fprintf(&b, " %q", text)
	}
	if lines := p.Lines(); lines != "" {
		fmt.Fprintf(&b, " (%s)", lines)
	}
	if f.Kernel != "" {
		fmt.Fprintf(&b, " group (%d,%d,%d)", f.Group[0], f.Group[1], f.Group[2])
	}
	fmt.Fprintf(&b, " wave %d", f.Wave)
	if f.Lane >= 0 {
		fmt.Fprintf(&b, " lane %d", f.Lane)
	}
	b.WriteString(": " + f.Reason())
	for i, r := range f.Registers {
		b.WriteString([...]string{"; ", " "}[min(i, 1)])
		fmt.Fprintf(&b, "%s=%#x", r.Name, r.Value)
	}
	return b.String()
}

// Reason is Error without the place.
func (f *Fault) Reason() string {
	switch f.Kind {
	case FaultMemory:
		s := f.Mem.Error()
		if f.Addr != f.Mem.Addr {
			s = fmt.Sprintf("flat address %#x: %s", f.Addr, s)
		}
		return s
	case FaultTrap:
		if f.Text == "" {
			return f.Trap.String()
		}
		return f.Trap.String() + ": " + f.Text
	case FaultCode:
		return "no code here: " + f.Err.Error()
	case FaultHandle:
		return f.Err.Error()
	case FaultLimit:
		return fmt.Sprintf("%s of %d guest instructions reached: an endless loop, or a wait for a group that has not started", f.Text, f.Limit)
	case FaultStopped:
		return "stopped: " + f.Err.Error()
	}
	return f.Text
}

// Unwrap returns the mem.Fault, or the error that stopped the run.
func (f *Fault) Unwrap() error {
	if f.Mem != nil {
		return f.Mem
	}
	return f.Err
}
