package heddle

import (
	"context"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/num"
)

// A Wave is one wave of an instruction set with registers, memory and code: a program of a few instructions, which
// Run executes repeatedly, or code loaded at addresses, which Step and RunTo execute from the current pc. Registers
// are read and set by name. After the first run, runs allocate no memory and lift no code. Registers and memory keep
// their contents between runs.
//
// Methods that take a register name panic if the instruction set has no such register, or the wave no such lane, as
// an index out of range does. For names that are not constants of the program use Wave.Reg, which returns an error
// and saves the lookup. A Wave is not safe for concurrent use, except for Stop.
type Wave struct {
	w      *eval.Wave
	regs   map[string]*Reg
	global []mem.Segment
	group  []byte
}

// NewWave assembles a program, in the syntax of Run, and creates a wave in the given state. The program is at address
// 0. A statement of hexadecimal digits that does not decode to an instruction is an error.
func (a *ISA) NewWave(program string, s State) (*Wave, error) {
	p, set, err := a.setup(program, s)
	if err != nil {
		return nil, err
	}
	if err := p.Instructions(); err != nil {
		return nil, Errors{isa.AsError(err)}
	}
	return start(p, set)
}

// EmptyWave creates a wave without a program. Load, LoadText and the Map functions give it code; its pc is 0 until it
// is set.
func (a *ISA) EmptyWave(s State) (*Wave, error) {
	p := eval.Empty(a.target)
	set, err := s.setup(p)
	if err != nil {
		return nil, err
	}
	return start(p, set)
}

func start(p *eval.Program, set eval.Setup) (*Wave, error) {
	w, err := p.Start(context.Background(), set, engines.Use{Brief: true})
	if err != nil {
		return nil, err
	}
	w.Hint = "; load code there, or map executable memory, before the run or in a fault hook"
	wave := &Wave{w: w}
	for i, g := range w.Memory {
		if set.Memory[i].Space == ir.GlobalSpace {
			wave.global = append(wave.global, g)
		} else {
			wave.group = g.Data
		}
	}
	return wave, nil
}

// ISA returns the instruction set of the wave.
func (w *Wave) ISA() *ISA { return &ISA{w.w.Program.Target} }

// Run runs the program from its first instruction to the end of its text, or until the wave terminates, with all
// lanes that NewWave started; those in the execution mask are active. Terminated lanes are live again afterwards,
// with their bits of the execution mask as before the run. The error is an *exec.Fault; registers and memory are then
// as before the faulting instruction.
func (w *Wave) Run() error { return w.w.Run() }

// RunContext is Run that also ends with the context, which is a fault then. Unlike Run it allocates memory.
func (w *Wave) RunContext(ctx context.Context) error { return w.w.RunContext(ctx) }

// Lanes returns how many lanes the wave has.
func (w *Wave) Lanes() int { return w.w.State.Lanes }

// Text returns the program, one entry per instruction.
func (w *Wave) Text() []string { return w.w.Program.Text() }

// Counters returns the counters of the last run.
func (w *Wave) Counters() exec.Counters { return w.w.Count() }

// Global returns the global memory of State.Global[i] itself: the program sees writes to it.
func (w *Wave) Global(i int) []byte { return w.global[i].Data }

// Group returns the memory of the workgroup itself; nil if State.Group had none.
func (w *Wave) Group() []byte { return w.group }

// A Reg is a register of a wave, or a range of registers such as v[2:3], of at most 64 bits. It is valid as long as
// its wave.
type Reg struct {
	w      *eval.Wave
	st     *exec.State
	reg    eval.Register
	status *eval.Status // if not nil, the register is that, and reg has only its name and shape
	rows   [2][]uint32  // its words in all lanes, the low ones first, if it consists of these only
}

// Reg finds a register by name: those of the instruction set, and in every set
//
//	pc           64 bits: the address of the next instruction of the active lanes. Setting it moves them; a wave that
//	             has terminated restarts with all its initial lanes.
//	exec         64 bits: the active lanes, bit i for lane i
//	live         64 bits: the lanes that have not terminated; read-only
//	lane_pc      64 bits per lane: the address of its next instruction, 0 if it has terminated. It is writable if each
//	             lane has its own pc (Valhall): a lane that has terminated restarts, and the lanes with the lowest pc
//	             run next. Elsewhere it is read-only.
//	stack_depth  32 bits: the number of entries of the control stack (Tesla only); read-only
//
// GCN's mode, status and trapsts are hardware registers. status has SCC, EXECZ, VCCZ and VALID as s_getreg_b32 reads
// them; writes to the last three have no effect.
func (w *Wave) Reg(name string) (*Reg, error) {
	if r := w.regs[name]; r != nil {
		return r, nil
	}
	r := &Reg{w: w.w, st: w.w.State}
	reg, err := eval.Lookup(w.w.Program.Target, name)
	switch s, ok := w.w.LookupStatus(name); {
	case err == nil && reg.Bits > 64:
		return nil, tooWide(name, reg.Bits)
	case err == nil:
		r.reg = reg
		r.find()
	case ok:
		r.status, r.reg = s, eval.Register{Name: s.Name, Bits: s.Bits, Lanes: s.Lanes}
	default:
		return nil, err
	}
	if w.regs == nil {
		w.regs = map[string]*Reg{}
	}
	w.regs[name] = r
	return r, nil
}

// find finds the rows.
func (r *Reg) find() {
	if r.reg.Compound != nil {
		return
	}
	for _, c := range r.reg.Cells {
		if r.st.Machine.Kind(c) != ir.Lane32 || len(r.reg.Cells) > len(r.rows) {
			return
		}
	}
	for i, c := range r.reg.Cells {
		r.rows[i] = r.st.Row(c)
	}
}

// must returns the register of a name, and panics if there is none.
func (w *Wave) must(name string) *Reg {
	r, err := w.Reg(name)
	if err != nil {
		panic("heddle: " + err.Error())
	}
	return r
}

// AllLanes in place of a lane sets all lanes of the wave to one value.
const AllLanes = -1

// Bits returns the width of a value, at most 64.
func (r *Reg) Bits() int { return r.reg.Bits }

// PerLane reports whether there is a value for each lane, rather than one for the wave. Methods of the latter ignore
// the lane.
func (r *Reg) PerLane() bool { return r.reg.Lanes }

// ReadOnly reports whether the register cannot be set: Set panics.
func (r *Reg) ReadOnly() bool { return r.status != nil && r.status.Set == nil }

// Get returns the register in a lane as a bit pattern.
func (r *Reg) Get(lane int) uint64 {
	r.check(lane, 0)
	switch low, high := r.rows[0], r.rows[1]; {
	case r.status != nil:
		return r.status.Get(r.w, lane)
	case low == nil:
		return r.reg.Get(r.st, lane)
	case high == nil:
		return uint64(low[lane])
	default:
		return uint64(low[lane]) | uint64(high[lane])<<32
	}
}

// Set sets the register in a lane, or in AllLanes. It panics if the bit pattern is too long, or the register cannot
// be set.
func (r *Reg) Set(lane int, v uint64) {
	r.check(lane, AllLanes)
	if r.reg.Bits < 64 && v>>r.reg.Bits != 0 {
		panic(fmt.Sprintf("heddle: %s has %d bits: %#x does not fit", r.reg.Name, r.reg.Bits, v))
	}
	if r.ReadOnly() {
		panic("heddle: " + r.reg.Name + " cannot be set")
	}
	first, last := r.span(lane)
	for i := first; i <= last; i++ {
		switch {
		case r.status != nil:
			r.status.Set(r.w, i, v)
			continue
		case r.rows[0] == nil:
			r.reg.Set(r.st, i, v)
			continue
		}
		r.rows[0][i] = uint32(v)
		if r.rows[1] != nil {
			r.rows[1][i] = uint32(v >> 32)
		}
	}
}

// span returns the lanes that a setter's lane stands for; one for a per-wave register.
func (r *Reg) span(lane int) (first, last int) {
	switch {
	case !r.reg.Lanes:
		return 0, 0
	case lane == AllLanes:
		return 0, r.st.Lanes - 1
	}
	return lane, lane
}

// check panics if a lane does not exist.
func (r *Reg) check(lane, first int) {
	if r.reg.Lanes && (lane < first || lane >= r.st.Lanes) {
		panic(fmt.Sprintf("heddle: %s: lane %d; the wave has %d", r.reg.Name, lane, r.st.Lanes))
	}
}

// typed returns the register, and panics if its width is another.
func (w *Wave) typed(name string, bits int) *Reg {
	r := w.must(name)
	if r.reg.Bits != bits {
		panic(fmt.Sprintf("heddle: %s has %d bits, not %d", name, r.reg.Bits, bits))
	}
	return r
}

// Bits returns a register of any width in a lane, as a bit pattern.
func (w *Wave) Bits(name string, lane int) uint64 { return w.must(name).Get(lane) }

// SetBits sets a register of any width in a lane, or in AllLanes.
func (w *Wave) SetBits(name string, lane int, v uint64) { w.must(name).Set(lane, v) }

// U32 returns a register of 32 bits in a lane as an unsigned integer.
func (w *Wave) U32(name string, lane int) uint32 { return uint32(w.typed(name, 32).Get(lane)) }

// SetU32 sets a register of 32 bits in a lane, or in AllLanes.
func (w *Wave) SetU32(name string, lane int, v uint32) { w.typed(name, 32).Set(lane, uint64(v)) }

// I32 returns a register of 32 bits in a lane as a signed integer.
func (w *Wave) I32(name string, lane int) int32 { return int32(w.U32(name, lane)) }

// SetI32 sets a register of 32 bits in a lane, or in AllLanes.
func (w *Wave) SetI32(name string, lane int, v int32) { w.SetU32(name, lane, uint32(v)) }

// F32 returns a register of 32 bits in a lane as a float. A signalling NaN may become quiet on the way: U32 returns
// its bits.
func (w *Wave) F32(name string, lane int) float32 { return math.Float32frombits(w.U32(name, lane)) }

// SetF32 sets a register of 32 bits in a lane, or in AllLanes.
func (w *Wave) SetF32(name string, lane int, v float32) { w.SetU32(name, lane, math.Float32bits(v)) }

// U64 returns a register of 64 bits in a lane, v[2:3] for example, as an unsigned integer.
func (w *Wave) U64(name string, lane int) uint64 { return w.typed(name, 64).Get(lane) }

// SetU64 sets a register of 64 bits in a lane, or in AllLanes.
func (w *Wave) SetU64(name string, lane int, v uint64) { w.typed(name, 64).Set(lane, v) }

// I64 returns a register of 64 bits in a lane as a signed integer.
func (w *Wave) I64(name string, lane int) int64 { return int64(w.U64(name, lane)) }

// SetI64 sets a register of 64 bits in a lane, or in AllLanes.
func (w *Wave) SetI64(name string, lane int, v int64) { w.SetU64(name, lane, uint64(v)) }

// F64 returns a register of 64 bits in a lane as a float.
func (w *Wave) F64(name string, lane int) float64 { return math.Float64frombits(w.U64(name, lane)) }

// SetF64 sets a register of 64 bits in a lane, or in AllLanes.
func (w *Wave) SetF64(name string, lane int, v float64) { w.SetU64(name, lane, math.Float64bits(v)) }

// F16 returns one of the two halves of a register of 32 bits in a lane, 0 the low one, as a float.
func (w *Wave) F16(name string, lane, half int) float32 {
	bits := w.U32(name, lane) >> (16 * place(half)) & 0xffff
	return math.Float32frombits(uint32(num.FCvt(16, 32, num.RNE, uint64(bits))))
}

// SetF16 sets one of the two halves of a register of 32 bits in a lane, or in AllLanes, to the half nearest to a
// float, ties to even. The other half is kept.
func (w *Wave) SetF16(name string, lane, half int, v float32) {
	r, shift := w.typed(name, 32), 16*place(half)
	bits := num.FCvt(32, 16, num.RNE, uint64(math.Float32bits(v))) << shift
	first, last := r.span(lane)
	for i := first; i <= last; i++ {
		r.Set(i, r.Get(i)&^(0xffff<<shift)|bits)
	}
}

// place returns the number of a half, and panics if there is none.
func place(half int) int {
	if half != 0 && half != 1 {
		panic(fmt.Sprintf("heddle: half %d; a register has halves 0 and 1", half))
	}
	return half
}
