package x86

import (
	"fmt"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
)

// An Op is an instruction by name; z_op*.go have the constants.
type Op uint16

// compiled is the table of all rows.
var compiled = sync.OnceValue(func() *table { return compileRows(allRows()) })

// String is the mnemonic.
func (op Op) String() string {
	if t := compiled(); int(op) < len(t.names) {
		return t.names[op]
	}
	return fmt.Sprintf("op(%d)", uint16(op))
}

// An Asm is code under construction. It may be reused, and then allocates nothing more; it is not safe for concurrent
// use.
type Asm struct {
	t      *table
	has    cpu.Set
	buf    []byte
	marks  []mark // by label
	fixups []fixup
	shift  []int32 // by fixup: how much further on than in buf the code before it ends up
	err    error
}

// New returns an empty Asm for processors with those features.
func New(has cpu.Set) *Asm { return &Asm{t: compiled(), has: has} }

// Reset drops all code, labels and the error.
func (a *Asm) Reset() {
	a.buf, a.marks, a.fixups, a.err = a.buf[:0], a.marks[:0], a.fixups[:0], nil
}

// Has reports whether the code may use all these features.
func (a *Asm) Has(f cpu.Set) bool { return a.has.Has(f) }

// Len returns the bytes of code before jumps are shortened.
func (a *Asm) Len() int { return len(a.buf) }

// Err returns the first error.
func (a *Asm) Err() error { return a.err }

// Fail sets the error of a, if it has none yet.
func (a *Asm) Fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// Emit appends an instruction. A rounding operand comes last. If there is no such instruction, or not on these
// processors, the Asm gets an error and nothing is appended.
func (a *Asm) Emit(op Op, args ...Operand) {
	if a.err != nil {
		return
	}
	if int(op)+1 >= len(a.t.first) {
		a.err = fmt.Errorf("x86: there is no instruction %d", op)
		return
	}
	round := uint8(none)
	if n := len(args); n > 0 && args[n-1].kind == rounding {
		round, args = args[n-1].num, args[:n-1]
	}
	key, why, first := keyOf(args), wrongKinds, a.t.first[op]
	for i, k := range a.t.keys[first:a.t.first[op+1]] {
		if k&key != key {
			continue
		}
		in := &a.t.insts[first+i]
		m := in.fits(args, round)
		if m == fitting && !a.has.Has(in.need) {
			m = lacking
		}
		if m == fitting {
			a.encode(in, args, round)
			return
		}
		why = max(why, m)
	}
	a.err = a.refuse(op, args, round, why)
}

// refuse returns the error for operands that no inst of op accepts.
func (a *Asm) refuse(op Op, args []Operand, round uint8, why misfit) error {
	list := make([]string, len(args), len(args)+1)
	for i, o := range args {
		list[i] = o.String()
	}
	if round != none {
		list = append(list, roundOps[round])
	}
	text := misfits[why]
	if why == lacking {
		text += " " + a.lack(op, args, round).String()
	}
	return fmt.Errorf("x86: %s %s: %s", op, strings.Join(list, ", "), text)
}

// lack returns the features that the first matching inst needs beyond those allowed.
func (a *Asm) lack(op Op, args []Operand, round uint8) cpu.Set {
	for i := a.t.first[op]; i < a.t.first[op+1]; i++ {
		k := keyOf(args)
		if in := &a.t.insts[i]; a.t.keys[i]&k == k && in.fits(args, round) == fitting {
			return in.need &^ a.has
		}
	}
	return 0
}

// A misfit is why an inst does not accept operands; of several insts the largest is reported.
type misfit uint8

const (
	wrongKinds misfit = iota
	wrongRegister
	wrongImmediate
	wrongSize
	noSize
	wrongBroadcast
	wrongMask
	wrongZero
	noMask
	wrongRounding
	overlap
	lacking
	fitting
)

var misfits = [...]string{
	wrongKinds:     "no form of the instruction takes these operands",
	wrongRegister:  "a register cannot stand there",
	wrongImmediate: "the immediate does not fit",
	wrongSize:      "memory has another size",
	noSize:         "the size of memory must be said",
	wrongBroadcast: "no such broadcast",
	wrongMask:      "no write mask there",
	wrongZero:      "no zeroing there",
	noMask:         "a write mask is required",
	wrongRounding:  "no such rounding with these operands",
	overlap:        "destination, index and mask must be different registers",
	lacking:        "the processor lacks",
}

// A key is the kinds of up to four operands, 16 bits each. An inst accepts operands if it has each of their kinds.
type key uint64

// absent is the kind of missing operands.
const absent kind = 1 << 15

func keyOf(args []Operand) key {
	if len(args) > maxArgs {
		return ^key(0) // matches no inst
	}
	k := noOperands << (16 * len(args))
	for i := range args {
		k |= key(args[i].kind) << (16 * i)
	}
	return k
}

const noOperands = key(absent)<<48 | key(absent)<<32 | key(absent)<<16 | key(absent)

// key returns the kinds that the inst accepts.
func (in *inst) key() key {
	k := noOperands << (16 * in.n)
	for i, p := range in.args[:in.n] {
		k |= key(p.kinds) << (16 * i)
	}
	return k
}

// fits reports whether the inst accepts the operands, whose kinds match the key.
func (in *inst) fits(args []Operand, round uint8) misfit {
	mem := false
	for i := range args {
		o := &args[i]
		if m := in.operandFits(&in.args[i], o); m != fitting {
			return m
		}
		if o.mask != 0 && (i > 0 || !in.mask) {
			return wrongMask
		}
		mem = mem || o.kind&anyMem != 0
	}
	if len(args) > 0 {
		if m := in.maskFits(args); m != fitting {
			return m
		}
	}
	if round != none {
		allowed := in.er && round != sae || in.sae && round == sae
		if !allowed || mem || in.l < 2 && in.wholeLength() {
			return wrongRounding
		}
	}
	return fitting
}

// wholeLength reports whether the inst exists for several vector lengths, of which only the largest permits rounding.
func (in *inst) wholeLength() bool { return in.need.Has(cpu.AVX512VL) }

func (in *inst) maskFits(args []Operand) misfit {
	d := &args[0]
	switch {
	case d.zero && (!in.zero || d.kind&anyMem != 0):
		return wrongZero
	case in.must && d.mask == 0:
		return noMask
	}
	for i := range args {
		if args[i].kind&anyVSIB != 0 && in.clash(args, args[i].index) {
			return overlap
		}
	}
	return fitting
}

// clash reports whether a gather uses one register twice; scatters may.
func (in *inst) clash(args []Operand, index uint8) bool {
	if in.args[0].place != inReg {
		return false
	}
	d := args[0].num
	return d == index || len(args) == 3 && (args[2].num == index || args[2].num == d)
}

func (in *inst) operandFits(p *pattern, o *Operand) misfit {
	if o.kind&anyMem != 0 {
		return in.memoryFits(p, o)
	}
	switch o.kind {
	case imm:
		return in.immediateFits(p, o.imm)
	case target:
		return fitting
	}
	if p.fixed != none && o.num != p.fixed || o.num > 15 && in.enc != evex {
		return wrongRegister
	}
	return fitting
}

func (in *inst) memoryFits(p *pattern, o *Operand) misfit {
	switch {
	case o.kind != memory && o.index > 15 && in.enc != evex:
		return wrongRegister
	case o.bcst != 0:
		if in.bcst == 0 || o.bcst*in.bcst != p.mem || o.size != 0 && o.size != in.bcst {
			return wrongBroadcast
		}
	case o.size == 0:
		if in.sized {
			return noSize
		}
	case p.mem != 0 && o.size != p.mem:
		return wrongSize
	}
	return fitting
}

// immediateFits checks an immediate, which may be given as signed or unsigned.
func (in *inst) immediateFits(p *pattern, v int64) misfit {
	if p.imm == 0 { // the number that the opcode implies
		if v != int64(p.fixed) {
			return wrongImmediate
		}
		return fitting
	}
	if p.fixed == 0 { // sign-extended to the operand's size
		n, ok := normal(v, in.osize)
		if !ok || n != n<<(64-8*p.imm)>>(64-8*p.imm) {
			return wrongImmediate
		}
		return fitting
	}
	if _, ok := normal(v, p.imm); !ok {
		return wrongImmediate
	}
	return fitting
}

// normal returns v as a signed number of that many bytes; false if it fits neither signed nor unsigned.
func normal(v int64, bytes uint8) (int64, bool) {
	if bytes == 8 {
		return v, true
	}
	n := 8 * uint(bytes)
	if v < -1<<(n-1) || v >= 1<<n {
		return 0, false
	}
	return v << (64 - n) >> (64 - n), true
}
