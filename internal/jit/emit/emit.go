// Package emit emits host code for single ops of the IR: on 16 lanes of 32 bits at a time with AVX-512, 8 with AVX2.
// It does not know blocks, engines or register allocation: the caller says for each operand in which register it is,
// or where in memory, or that one word in memory is broadcast to all lanes.
//
// The rows of [ops] select the code. An op, type or mode without a row is an error; no other code is emitted in its
// place: the engine runs such a block by slower means. The code computes bit for bit what package num specifies, in
// every mode that is not rejected.
//
// Results of comparisons, and conditions, are one bit per lane: in a mask register with AVX-512, in the sign bits of a
// vector's lanes with AVX2.
package emit

import (
	"encoding/binary"
	"fmt"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// An Emitter emits code for vectors of one length. Registers from Free on, mask registers from FreeMasks on, and rax
// are reserved for it.
type Emitter struct {
	Asm    *x86.Asm
	bits   int
	ctl    uint32 // the value of MXCSR at this point of the code
	anyNaN bool   // Call.AnyNaN of the current call
	consts []constant
	tables []table
	later  []func() // out-of-line code: unlikely paths
}

// A constant is a word after the code, of 4 or 8 bytes.
type constant struct {
	v     uint64
	bytes int
	label x86.Label
}

// scratch is how many vector registers are reserved for the emitter.
const scratch = 8

// FreeMasks limits the caller's mask registers: k1 up to, but not including, k6.
const FreeMasks = 6

// mask is the emitter's mask register for results of float comparisons.
var mask, mask2 = x86.K(6), x86.K(7)

// New returns an emitter for vectors of 512 or 256 bits, for code that begins with the given MXCSR.
func New(a *x86.Asm, bits int, mxcsr uint32) (*Emitter, error) {
	need := map[int]cpu.Set{512: cpu.Level512, 256: cpu.Level2}[bits]
	if need == 0 || !a.Has(need) {
		return nil, fmt.Errorf("emit: no code of %d bits: that takes %v", bits, need)
	}
	return &Emitter{Asm: a, bits: bits, ctl: mxcsr}, nil
}

// Lanes returns the number of 32-bit lanes of a vector.
func (e *Emitter) Lanes() int { return e.bits / 32 }

// Free returns the number of the caller's vector registers, which begin at 0.
func (e *Emitter) Free() int {
	if e.bits == 512 {
		return 32 - scratch
	}
	return 16 - scratch
}

// Join sets the value of MXCSR at a label, where code from elsewhere arrives; it must be the same for all of it.
func (e *Emitter) Join(mxcsr uint32) { e.ctl = mxcsr }

// Control sets MXCSR, unless it has the value already.
func (e *Emitter) Control(mxcsr uint32) {
	if e.ctl != mxcsr {
		e.Asm.Emit(x86.VLDMXCSR, x86.RIP(e.constant(mxcsr)))
		e.ctl = mxcsr
	}
}

// A Call is one op on one vector. Args are read before Dst is written, which may be one of them. Dst is a register: a
// 32-bit value in a vector register below Free, a condition in a mask register from 1 on with AVX-512.
type Call struct {
	Op   ir.Op
	Type ir.Type
	From ir.Type // the type of a conversion's operand
	Mode num.Mode
	Imm  uint64 // of ops that have one
	Dst  x86.Operand
	Args []x86.Operand // registers, memory of a whole vector, or one word in memory (Bcst) for all lanes
	// Bit i of Known: operand i, a word in memory, always holds Numbers[i].
	Known   uint8
	Numbers [3]uint32
	Loose   bool // subnormals may stay in the result although the mode flushes them: see LeavesLoose
	AnyNaN  bool // a NaN result may be any NaN: see MayLeaveNaN
}

// known returns the constant value of operand i, if it has one.
func (c *Call) known(i int) (uint32, bool) { return c.Numbers[i], c.Known>>i&1 != 0 }

// Check returns the error that Emit would return for this op, type, mode and number of operands, with vectors of that
// length and these features. It does not read Args.
func Check(bits int, features interface{ Has(cpu.Set) bool }, c *Call, args int) error {
	row, from, ok := find(c.Op, c.Type)
	if !ok {
		return fmt.Errorf("emit: no code for %v of %v", c.Op, c.Type)
	}
	if !isSFU(c) {
		return fmt.Errorf("emit: no code for function %d", c.Imm)
	}
	if from != 0 && c.From != from {
		return fmt.Errorf("emit: no code for %v of %v", c.Op, c.From)
	}
	if args != row.args {
		return fmt.Errorf("emit: %v has %d operands, not %d", c.Op, row.args, args)
	}
	if bits == 512 && !features.Has(row.need) {
		return fmt.Errorf("emit: no code of 512 bits for %v without %v", c.Op, row.need)
	}
	if row.near && c.Mode.Round() != num.RNE {
		return fmt.Errorf("emit: no code for %v that rounds otherwise than to nearest", c.Op)
	}
	if row.typ.IsFloat() && c.Mode.Has(num.FlushOut) && c.Mode.Has(num.FlushBefore) {
		return fmt.Errorf("emit: no code for %v that flushes what is denormal before rounding", c.Op)
	}
	return nil
}

// Emit emits one op. The error says that there is no code for this op, type or mode.
func (e *Emitter) Emit(c *Call) error {
	if err := Check(e.bits, e.Asm, c, len(c.Args)); err != nil {
		return err
	}
	row, _, _ := find(c.Op, c.Type)
	e.anyNaN = c.AnyNaN
	row.code(e, c)
	e.anyNaN = false
	return e.Asm.Err()
}

// find returns the row of an op of that type, and the type that its operand must have; 0 if any.
func find(op ir.Op, t ir.Type) (r row, from ir.Type, ok bool) {
	list, froms, all := ops(), conversions, any32
	if t.Bits() == 16 {
		list, froms, all = ops16(), conversions16, any16
	}
	if int(op) >= len(list) || list[op].code == nil || list[op].typ != t && (list[op].typ != all || all == any32 && t.Bits() != 32) {
		return row{}, 0, false
	}
	return list[op], froms[op], true
}

// Finish emits out-of-line code, constants and tables. It is the end of the code.
func (e *Emitter) Finish() {
	for _, write := range e.later {
		write()
	}
	e.later = e.later[:0]
	for _, k := range e.consts {
		e.Asm.Align(k.bytes)
		e.Asm.Bind(k.label)
		e.Asm.Data(binary.LittleEndian.AppendUint64(nil, k.v)[:k.bytes]...)
	}
	e.consts = e.consts[:0]
	e.writeTables()
}

// outOfLine defers out-of-line code: it begins at label from and continues at label to, with MXCSR as it is now.
func (e *Emitter) outOfLine(from, to x86.Label, code func()) {
	ctl := e.ctl
	e.later = append(e.later, func() {
		e.Asm.Bind(from)
		e.Join(ctl)
		code()
		e.Control(ctl)
		e.Asm.Emit(x86.JMP, x86.To(to))
	})
}

// unlikely jumps to out-of-line code, which returns here.
func (e *Emitter) unlikely(jump x86.Op, code func()) {
	from, to := e.Asm.NewLabel(), e.Asm.NewLabel()
	e.Asm.Emit(jump, x86.To(from))
	e.Asm.Bind(to)
	e.outOfLine(from, to, code)
}

// constant returns the label of a word with the value v.
func (e *Emitter) constant(v uint32) x86.Label { return e.constantOf(uint64(v), 4) }

// constant64 returns the label of a 64-bit word with the value v.
func (e *Emitter) constant64(v uint64) x86.Label { return e.constantOf(v, 8) }

func (e *Emitter) constantOf(v uint64, bytes int) x86.Label {
	for _, k := range e.consts {
		if k.v == v && k.bytes == bytes {
			return k.label
		}
	}
	l := e.Asm.NewLabel()
	e.consts = append(e.consts, constant{v, bytes, l})
	return l
}

// word returns v in all lanes, as a memory operand.
func (e *Emitter) word(v uint32) x86.Operand { return x86.RIP(e.constant(v)).Bcst(e.Lanes()) }

// Label returns the label of a word with the value v.
func (e *Emitter) Label(v uint32) x86.Label { return e.constant(v) }

// Word returns v in all 32-bit lanes, as a memory operand.
func (e *Emitter) Word(v uint32) x86.Operand { return e.word(v) }

// Word64 returns v in all 64-bit lanes, as a memory operand.
func (e *Emitter) Word64(v uint64) x86.Operand { return x86.RIP(e.constant64(v)).Bcst(e.bits / 64) }

// reserved returns one of the emitter's registers. The first three hold operands loaded from memory, the fourth an
// unfinished result.
func (e *Emitter) reserved(i int) x86.Operand { return x86.V(e.bits, e.Free()+i) }

const result = 3

// inRegister returns o in a register: its own, or the emitter's i, into which it is loaded.
func (e *Emitter) inRegister(o x86.Operand, i int) x86.Operand {
	if !o.InMemory() {
		return o
	}
	r := e.reserved(i)
	if word, one := o.Element(); one {
		e.Asm.Emit(x86.VBROADCASTSS, r, word)
	} else {
		e.Asm.Emit(x86.VMOVUPS, r, o)
	}
	return r
}

// lastOperand returns o as the last operand of an instruction: only with AVX2 must a broadcast word be loaded into a
// register.
func (e *Emitter) lastOperand(o x86.Operand, i int) x86.Operand {
	if _, one := o.Element(); one && e.bits < 512 {
		return e.inRegister(o, i)
	}
	return o
}

// either returns the instruction for 512 bits or that for 256.
func (e *Emitter) either(wide, narrow x86.Op) x86.Op {
	if e.bits == 512 {
		return wide
	}
	return narrow
}

// And, Or and Xor emit bitwise instructions on vectors.
func (e *Emitter) And(d, a, b x86.Operand) { e.Asm.Emit(e.either(x86.VPANDD, x86.VPAND), d, a, b) }
func (e *Emitter) Or(d, a, b x86.Operand)  { e.Asm.Emit(e.either(x86.VPORD, x86.VPOR), d, a, b) }
func (e *Emitter) Xor(d, a, b x86.Operand) { e.Asm.Emit(e.either(x86.VPXORD, x86.VPXOR), d, a, b) }
