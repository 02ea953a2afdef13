package ir

import "github.com/heddle-gpu/heddle/num"

// An Op is one operation of the IR. Everything known about it is in its row in the op table.
type Op uint16

// A Class says which part of execution implements an op, and so what it may access.
type Class uint8

const (
	Pure     Class = iota + 1 // values only; once per lane, or once per wave if all its operands are uniform
	Cross                     // values only, but a lane's result depends on other lanes
	Reg                       // reads or writes a cell
	Memory                    // reads or writes memory; may fault
	Resource                  // reads through a handle: a texture unit, an attribute stream; may fault
	Marker                    // no effect on the wave; read by lint, sanitizer and profiler, or reported to an observer
	Ctl                       // ends the block
	numClasses
)

// A Scope says which lanes a lane's result depends on, and so into which parts an engine may divide a wave. It is
// declared in the op table, not inferred; [Inst.Scope] adds what depends on the instruction.
type Scope uint8

const (
	InLane    Scope = iota + 1 // on that lane only; InScalar if the op runs once per wave
	InQuad                     // on lanes 4k to 4k+3
	InRow                      // on an aligned group of at most 16 lanes
	InWave                     // on any lane
	InScalar                   // on no lane: accesses only uniform values
	InMemory                   // on that lane, and through memory on other writers
	InControl                  // determines where the wave continues
	InGroup                    // op table only: on an aligned group of Imm lanes; the whole wave if that is 0
	InCells                    // op table only: on that lane, but on the wave if a per-wave cell is written per lane
	numScopes
)

var scopeNames = [numScopes]string{"unset", "lane", "quad", "row", "wave", "scalar", "memory", "control", "group", "cells"}

func (s Scope) String() string {
	if s >= numScopes {
		return "scope?"
	}
	return scopeNames[s]
}

// Lanes returns the size of the aligned groups of lanes that a lane's result depends on: 1, 4, 16 or 64; 0 for the
// scopes that are not about lanes.
func (s Scope) Lanes() int {
	return int([numScopes]uint8{InLane: 1, InQuad: 4, InRow: 16, InWave: MaxLanes}[s])
}

// Scope returns the scope of an op of a verified block: never InGroup or InCells.
func (in *Inst) Scope(m *Machine) Scope {
	s := ops[in.Op].Scope
	switch {
	case in.Wave && (s == InLane || s == InCells):
		return InScalar
	case s == InCells && !m.Kind(in.Cell).PerLane():
		return InWave
	case s == InCells:
		return InLane
	case s != InGroup:
		return s
	case in.Imm == 0 || in.Imm > 16:
		return InWave
	case in.Imm > 4:
		return InRow
	}
	return InQuad
}

// A Shadow says how undefined bits of the operands propagate to the results (as in a memory sanitizer).
type Shadow uint8

const (
	ShadowNone    Shadow = iota // not stated: a test failure
	Bitwise                     // result bit i depends on bits i of the operands
	AnyToAll                    // one undefined bit makes all results undefined
	CarryUp                     // an undefined bit makes itself and the bits above it undefined
	Selects                     // the shadow of the selected operand; an undefined condition makes all undefined
	Permutes                    // the shadow moves like the bits
	ShadowLoad                  // the shadow of the memory or cell read
	ShadowStore                 // the shadow is stored to the memory or cell written
	AlwaysDefined               // the result is always defined
	numShadows
)

// Fidelity says how certain the bits of a result are. The source is in the doc of the op or row.
type Fidelity uint8

const (
	FidelityUnset Fidelity = iota
	Exact                  // the source defines the bits
	Approximate            // hardware is within the stated bound; the result here is correctly rounded
	Modelled               // a documented choice where sources are silent; a named option
	NotRunnable            // decodes, cannot run
	numFidelities
)

var fidelityNames = [numFidelities]string{"unset", "exact", "approximate", "modelled", "none"}

func (f Fidelity) String() string { return fidelityNames[f] }

// A Meaning is the exact semantics of a pure or cross-lane op: one of the function types below. Lane functions take
// bit patterns, zero above the width.
type Meaning interface{ meaning() }

type (
	// Int1 to Int4 take the width of the op's type.
	Int1 func(n int, a uint64) uint64
	Int2 func(n int, a, b uint64) uint64
	Int3 func(n int, a, b, c uint64) uint64
	// Int2x2 and Int3x2 return two results.
	Int2x2 func(n int, a, b uint64) (uint64, uint64)
	Int3x2 func(n int, a, b, c uint64) (uint64, uint64)
	// IntCvt takes the widths of the operand and the result.
	IntCvt func(from, to int, a uint64) uint64
	// BitsAt takes the widths of the operand and the result, and the op's Imm.
	BitsAt func(from, to int, imm, a uint64) uint64
	// BitsInto takes the widths of both operands, and the op's Imm.
	BitsInto func(n, piece int, imm, a, b uint64) uint64
	// Flt1 to Flt3 take the width and the float mode.
	Flt1 func(n int, m num.Mode, a uint64) uint64
	Flt2 func(n int, m num.Mode, a, b uint64) uint64
	Flt3 func(n int, m num.Mode, a, b, c uint64) uint64
	// FltCvt converts from or to a float. It takes the widths of the operand and the result, and the mode.
	FltCvt func(from, to int, m num.Mode, a uint64) uint64
	// WaveFn computes all lanes at once.
	WaveFn func(c *WaveCall)
)

func (Int1) meaning()     {}
func (Int2) meaning()     {}
func (Int3) meaning()     {}
func (Int2x2) meaning()   {}
func (Int3x2) meaning()   {}
func (IntCvt) meaning()   {}
func (BitsAt) meaning()   {}
func (BitsInto) meaning() {}
func (Flt1) meaning()     {}
func (Flt2) meaning()     {}
func (Flt3) meaning()     {}
func (FltCvt) meaning()   {}
func (WaveFn) meaning()   {}

// MaxLanes is the width of the widest wave.
const MaxLanes = 64

// A Vec holds one value in all lanes. A uniform value is in element 0; a varying I1 is a mask in element 0, bit i
// for lane i.
type Vec [MaxLanes]uint64

// A WaveCall holds the operands and results of a cross-lane op's meaning. Wide[i] is 0 if argument i is uniform,
// else MaxLanes-1, so that Args[i][lane&Wide[i]] is the lane's value.
type WaveCall struct {
	Lanes int // of the wave: 1 to 64
	Width int // bits of the op's type
	Imm   uint64
	Args  [4]*Vec
	Wide  [4]int
	Res   [2]*Vec
}

// Arg returns argument i in the lane.
func (c *WaveCall) Arg(i, lane int) uint64 { return c.Args[i][lane&c.Wide[i]] }

// An OpInfo is the row of an op: everything known about it.
type OpInfo struct {
	Name     string
	Rule     string // type rule: see Slot
	Class    Class
	Scope    Scope
	Flags    OpFlags
	Meaning  Meaning // Pure and Cross ops
	Shadow   Shadow
	Fidelity Fidelity
	Doc      string
}

// OpFlags are properties of an op.
type OpFlags uint8

const (
	Commutes OpFlags = 1 << iota // in the first two operands
	HasMode                      // depends on the float mode
	HasImm                       // uses Imm
	Masked                       // the last operand, if the op runs once per lane, is the mask of lanes it acts on; for getx: the lanes that may fault
	CanFault
	OptImm // the text form omits an Imm of 0
	OptAlt // the text form omits an Alt of 0
)

// Info is the op's row.
func (o Op) Info() *OpInfo { return &ops[o] }

// Told reports whether the op tells an observer of the code something. It is the only effect that such an op has.
func (o Op) Told() bool { return o == Probe || o == Tally }

// String is the op's name.
func (o Op) String() string {
	if int(o) >= len(ops) {
		return "op?"
	}
	return ops[o].Name
}

// Ops is the number of ops; they are 0 to Ops-1.
func Ops() int { return int(numOps) }
