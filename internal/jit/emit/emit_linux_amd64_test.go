package emit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/emul"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// edges are edge values of 32-bit integers and floats.
var edges = []uint32{
	0, 1, 2, 31, 32, 33, 0x3f, 0xff, 0xffff, 0xffff0000, 0xaaaaaaaa, 0x55555555, 0xffffffff, 0xfffffffe, 0xffffffe0, 0x12345678, 0x80000001,
	0x00000000, 0x80000000, 0x007fffff, 0x807fffff, 0x00400000, 0x00800000, 0x80800000, 0x00800001, 0x00ffffff, // zeros, subnormals, the smallest normal number
	0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40400000, 0x3eaaaaab, 0x4b800001, 0x33800000, 0xb3800001, // about one
	0x1f800000, 0x20000001, 0x9f7fffff, 0x5f800000, 0x7f7fffff, 0xff7fffff, // products that are subnormal or too large
	0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x4b000001, 0x4a800001, 0x3f000000, 0xbf000000, 0x3fc00000, // bounds of integers, halves
	0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345, 0xffd54321, 0x7f812345, 0xff800001, 0x7fffffff, // infinities, NaNs of all kinds
}

// modes returns all roundings with all rules for subnormals that have code, and all rules for NaNs.
func modes() (list []num.Mode) {
	for _, r := range []num.Mode{num.RNE, num.RUp, num.RDown, num.RZ} {
		for _, d := range []num.Mode{0, num.FlushIn, num.FlushOut, num.FlushIn | num.FlushOut, num.FlushOut | num.FlushUnbounded, num.FlushIn | num.FlushOut | num.FlushUnbounded} {
			list = append(list, num.ModeSet|r|d|num.NaNCanon)
		}
	}
	for i, n := range []num.Mode{num.NaNFirst, num.NaNCanon, num.NaNOnes, num.NaNSecond, num.NaNFirst | num.NaNNegative} { // what some ops read
		f := []num.Mode{0, num.FlushIn, num.FlushOut, num.FlushIn | num.FlushOut}[i%4]
		list = append(list, num.ModeSet|num.IEEE|n|f, num.ModeSet|num.DX10Clamp|num.SatNegZero|n|f, num.ModeSet|num.SatNaNOne|n|num.RDown, num.ModeSet|num.SatNegZero|num.IEEE|num.FlushIn|n)
	}
	for _, n := range []num.Mode{num.NaNFirst, num.NaNOnes, num.NaNSecond, num.NaNFirst | num.NaNNegative, num.NaNSecond | num.NaNNegative} {
		list = append(list, num.ModeSet|num.RZ|n, num.ModeSet|num.RNE|num.FlushIn|num.FlushOut|n)
	}
	return list
}

// A level is the vectors and features that code is made for.
type level struct {
	bits int
	set  cpu.Set
	more bool // only ops that need more than Level512

	arena *code.Arena // for its code
}

// levels returns all levels. An emulator executes what the processor lacks.
func levels(t *testing.T) (list []level) {
	t.Helper()
	for _, l := range []level{{bits: 256, set: cpu.Level2}, {bits: 512, set: cpu.Level512}, {bits: 512, set: cpu.Level512 | cpu.AVX512VPOPCNTDQ, more: true}} {
		if raceEnabled && !cpu.Host().Has(l.set) { // which sees nothing of it
			t.Logf("NOT TESTED: an emulator under the race detector, with %d bits", l.bits)
			continue
		}
		arena, err := arenas(cpu.Host().Has(l.set))
		if err != nil {
			t.Logf("NOT TESTED with %d bits: %v", l.bits, err)
			continue
		}
		l.arena = arena
		list = append(list, l)
	}
	if len(list) == 0 {
		t.Skip("NOT TESTED: no code at all")
	}
	return list
}

// arenas returns the arena for the processor, or an emulated one.
func arenas(processor bool) (*code.Arena, error) {
	if processor {
		return onProcessor()
	}
	return inEmulator()
}

var (
	onProcessor = sync.OnceValues(func() (*code.Arena, error) { return code.NewArena(1 << 24) })
	inEmulator  = sync.OnceValues(func() (*code.Arena, error) { return code.NewEmulated(1<<24, emul.Call) })
)

// Locations of operands.
const (
	inRegister = iota
	inMemory
	ofAll // one word in all lanes
	places
)

// A bench is one op with its operands in given locations, as callable code.
type bench struct {
	t     *testing.T
	level level
	call  Call
	where [3]int
	alias int  // the operand whose register is also the destination, -1: none
	same  bool // the second operand is the first
	unit  *code.Unit
	ctx   *code.Context
	rows  *[4][16]uint32 // operands, result
	words *[4]uint32     // of operands that are broadcast
	bits  *uint32        // of a result in a mask register
	cond  bool           // the result is a condition
	half  int            // the half of the pairs of edges that lane 0 has
}

// isCondition reports whether an operand or the result of an op is one bit per lane.
func isCondition(op ir.Op, arg int) bool {
	if arg < 0 {
		switch op {
		case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe, ir.FEq, ir.FLt, ir.FLe, ir.FUnord:
			return true
		}
		return false
	}
	return op == ir.Select && arg == 0
}

// start is MXCSR at entry: different from what any op needs.
const start = cpu.Masked | 1<<cpu.RoundingAt | cpu.FlushOperands

func (b *bench) make() error {
	asm := x86.New(b.level.set)
	e, err := New(asm, b.level.bits, start)
	if err != nil {
		return err
	}
	b.cond = isCondition(b.call.Op, -1)
	asm.Emit(x86.MOV, x86.RSI, x86.At(x86.RDI, code.OffV))
	asm.Emit(x86.MOV, x86.RDX, x86.At(x86.RDI, code.OffS))
	row, _, _ := find(b.call.Op, b.call.Type)
	n := row.args
	b.call.Args = nil
	for i := range n {
		b.call.Args = append(b.call.Args, b.operand(e, i))
	}
	if b.same {
		b.call.Args[1] = b.call.Args[0]
	}
	b.call.Dst = x86.V(b.level.bits, 5)
	if b.alias >= 0 {
		b.call.Dst = b.call.Args[b.alias]
	}
	if b.cond && b.level.bits == 512 {
		b.call.Dst = x86.K(3)
	}
	if err := e.Emit(&b.call); err != nil {
		return err
	}
	if b.cond && b.level.bits == 512 {
		asm.Emit(x86.KMOVW, x86.R32(0), b.call.Dst)
		asm.Emit(x86.MOV, x86.At(x86.RDX, 16), x86.R32(0))
	} else {
		asm.Emit(x86.VMOVUPS, x86.At(x86.RSI, 64*3), b.call.Dst)
	}
	asm.Emit(x86.RET)
	e.Finish()
	text, err := asm.Finish(nil)
	if err != nil {
		return err
	}
	b.unit, err = b.level.arena.Add(text)
	return err
}

// operand puts operand i where it belongs.
func (b *bench) operand(e *Emitter, i int) x86.Operand {
	row := x86.At(x86.RSI, int32(64*i))
	if isCondition(b.call.Op, i) {
		b.where[i] = inRegister
		if b.level.bits == 512 {
			e.Asm.Emit(x86.VMOVUPS, e.reserved(0), row)
			e.Asm.Emit(x86.VPTESTMD, x86.K(1), e.reserved(0), e.reserved(0))
			return x86.K(1)
		}
	}
	switch b.where[i] {
	case inMemory:
		return row
	case ofAll:
		return x86.At(x86.RDX, int32(4*i)).Bcst(e.Lanes())
	}
	e.Asm.Emit(x86.VMOVUPS, x86.V(b.level.bits, i), row)
	return x86.V(b.level.bits, i)
}

// run computes one vector and compares each lane with the op's semantics.
func (b *bench) run(operands [3][16]uint32) bool {
	for i := range b.call.Args {
		b.rows[i] = operands[i]
		b.words[i] = operands[i][0]
	}
	b.unit.Call(b.ctx, 0)
	for lane := range b.level.bits / 32 {
		var args [3]uint64
		for i := range b.call.Args {
			args[i] = uint64(operands[i][lane])
			if b.where[i] == ofAll {
				args[i] = uint64(operands[i][0])
			}
		}
		if b.same {
			args[1] = args[0]
		}
		got := uint64(b.rows[3][lane])
		if b.cond && b.level.bits == 512 {
			got = uint64(*b.bits >> lane & 1)
		} else if b.cond {
			got &= 1
		}
		if want := meaning(&b.call, args); got != want {
			b.t.Errorf("%v %v of %x, %v, places %v, %d bits: %#x, want %#x", b.call.Op, b.call.Type, args[:len(b.call.Args)], b.call.Mode, b.where, b.level.bits, got, want)
			return false
		}
	}
	return true
}

// meaning computes the op according to package ir.
func meaning(c *Call, a [3]uint64) uint64 {
	n := c.Type.Bits()
	switch f := c.Op.Info().Meaning.(type) {
	case ir.Int1:
		return f(n, a[0])
	case ir.Int2:
		return f(n, a[0], a[1])
	case ir.Int3:
		if isCondition(c.Op, 0) {
			a[0] &= 1
		}
		return f(n, a[0], a[1], a[2])
	case ir.Flt1:
		return f(n, c.Mode, a[0])
	case ir.Flt2:
		return f(n, c.Mode, a[0], a[1])
	case ir.Flt3:
		return f(n, c.Mode, a[0], a[1], a[2])
	case ir.FltCvt:
		return f(c.From.Bits(), n, c.Mode, a[0])
	case ir.BitsAt:
		return f(n, n, c.Imm, a[0])
	}
	panic(fmt.Sprintf("the meaning of %v has another form", c.Op))
}

// operandType returns the type of operand i.
func operandType(c *Call, i int) ir.Type {
	if c.From != 0 && i == 0 {
		return c.From
	}
	return c.Type
}

// memory allocates the operands, laid out as rows of a state.
func (b *bench) memory() {
	buf := make([]uint32, 64+4+4+16+16)
	at := 0
	for uintptr(unsafe.Pointer(&buf[at]))%64 != 0 {
		at++
	}
	b.rows = (*[4][16]uint32)(unsafe.Pointer(&buf[at]))
	b.words = (*[4]uint32)(unsafe.Pointer(&buf[at+64]))
	b.bits = &buf[at+68] // 16 bytes after the words
	b.ctx = code.NewContext()
	b.ctx.V, b.ctx.S = unsafe.Pointer(&buf[at]), unsafe.Pointer(&buf[at+64])
	b.ctx.SetMode(start)
}

// vectors calls f with operands from the edges, all pairs of them, and random ones; a third operand is combined with
// fewer.
func (b *bench) vectors(rnd *rand.Rand) {
	n := len(b.call.Args)
	var v [3][16]uint32
	conditions := isCondition(b.call.Op, 0)
	edges, random := edges, rnd.Uint32
	if operandType(&b.call, 0).Bits() == 16 {
		edges, random = edges16, func() uint32 { return rnd.Uint32() & 0xffff }
	}
	for i, x := range edges {
		for j, y := range edges {
			if n < 2 && j > 0 {
				break
			}
			if n > 1 && (i+j)%2 != b.half {
				continue // the other lanes cover those
			}
			if raceEnabled && rnd.IntN(8) > 0 {
				continue
			}
			for lane := range 16 {
				k := rnd.IntN(len(edges))
				v[0][lane], v[1][lane], v[2][lane] = x, y, edges[k]
				if lane > 0 {
					v[0][lane] = edges[(i+lane*5)%len(edges)]
					v[1][lane] = edges[(j+lane*6)%len(edges)] // of the other half in every second lane
				}
				if lane > 8 {
					v[rnd.IntN(3)][lane] = random()
				}
				if conditions {
					v[0][lane] = -(v[0][lane] & 1)
				}
				if b.call.Op == ir.BytePerm && rnd.IntN(4) > 0 { // selectors from 0 to 15
					v[2][lane] = rnd.Uint32() & 0x0f0f0f0f
				}
			}
			if !b.run(v) {
				return
			}
		}
	}
}

// variantsOf returns the modes in which an op is tested.
func variantsOf(op ir.Op, row row) []num.Mode {
	if op.Info().Flags&ir.HasMode == 0 {
		return []num.Mode{0}
	}
	list := modes()
	if op == ir.FSat {
		for flags := range num.Mode(8) { // all flags that only it reads
			for _, d := range []num.Mode{0, num.FlushIn | num.FlushOut} {
				list = append(list, num.ModeSet|flags&1*num.DX10Clamp|flags>>1&1*num.SatNaNOne|flags>>2*num.SatNegZero|d)
			}
		}
	}
	return slices.DeleteFunc(list, func(m num.Mode) bool {
		return row.near && m.Round() != num.RNE
	})
}

// TestOps checks every op with code against its semantics, for operands in registers, in memory and broadcast, with a
// separate destination and with each operand as the destination, in every supported mode, with each vector length.
func TestOps(t *testing.T) {
	for _, l := range levels(t) {
		tested := 0
		for _, list := range [][]row{ops(), ops16()} {
			for op, row := range list {
				if row.code == nil || l.bits == 512 && !l.set.Has(row.need) || l.more && cpu.Level512.Has(row.need) {
					continue
				}
				tested++
				testOp(t, l, ir.Op(op), row)
			}
		}
		if tested < 80 && !l.more || tested == 0 {
			t.Errorf("%d bits: only %d ops", l.bits, tested)
		}
	}
}

// typeOf returns a type for which a row has code, and that of the operand.
func typeOf(op ir.Op, row row) (t, from ir.Type) {
	switch t = row.typ; t {
	case any32:
		t = ir.I32
	case any16:
		t = ir.I16
	}
	_, from, _ = find(op, t)
	return t, from
}

func testOp(t *testing.T, l level, op ir.Op, row row) {
	rnd := rand.New(rand.NewPCG(uint64(op), uint64(l.bits)))
	typ, from := typeOf(op, row)
	list := variantsOf(op, row)
	combos := 1
	if op == ir.SFU {
		combos = int(num.NumSFU)
	}
	for range row.args {
		combos *= places
	}
	for n := range max(combos, len(list)) {
		b := &bench{t: t, level: l, call: Call{Op: op, Type: typ, From: from, Mode: list[n%len(list)]}, alias: -1, half: n % 2}
		if op == ir.SFU {
			b.call.Imm = uint64(n) % uint64(num.NumSFU)
		}
		for i, k := 0, n; i < row.args; i, k = i+1, k/places {
			b.where[i] = k % places
		}
		if i := n % (row.args + 1); i < row.args && b.where[i] == inRegister && !isCondition(op, i) {
			b.alias = i
		}
		b.memory()
		if err := b.make(); err != nil {
			t.Errorf("%v, places %v, %d bits: %v", op, b.where, l.bits, err)
			return
		}
		b.vectors(rnd)
		b.unit.Drop()
		if t.Failed() {
			return
		}
	}
}

// TestRefused checks that an op without code is an error and emits nothing.
func TestRefused(t *testing.T) {
	v := func(i int) x86.Operand { return x86.Y(i) }
	for name, c := range map[string]Call{
		"op":        {Op: ir.Ballot, Type: ir.F32, Dst: v(0), Args: []x86.Operand{v(1)}},
		"type":      {Op: ir.IAdd, Type: ir.I64, Dst: v(0), Args: []x86.Operand{v(1), v(2)}},
		"kind":      {Op: ir.FAdd, Type: ir.I32, Dst: v(0), Args: []x86.Operand{v(1), v(2)}},
		"from":      {Op: ir.SToF, Type: ir.F32, From: ir.I64, Dst: v(0), Args: []x86.Operand{v(1)}},
		"width":     {Op: ir.Select, Type: ir.I8, Dst: v(0), Args: []x86.Operand{v(1), v(2), v(3)}},
		"operands":  {Op: ir.IAdd, Type: ir.I32, Dst: v(0), Args: []x86.Operand{v(1)}},
		"rounding":  {Op: ir.FLog2, Type: ir.F32, Mode: num.ModeSet | num.RUp, Dst: v(0), Args: []x86.Operand{v(1)}},
		"from half": {Op: ir.FCvt, Type: ir.F16, From: ir.F64, Dst: v(0), Args: []x86.Operand{v(1)}},
		"half":      {Op: ir.FMad, Type: ir.F16, Dst: v(0), Args: []x86.Operand{v(1), v(2), v(3)}},
		"function":  {Op: ir.SFU, Type: ir.I32, Imm: uint64(num.NumSFU), Dst: v(0), Args: []x86.Operand{v(1)}},
		"denormals": {Op: ir.FMul, Type: ir.F32, Mode: num.ModeSet | num.FlushOut | num.FlushBefore, Dst: v(0), Args: []x86.Operand{v(1), v(2)}},
	} {
		a := x86.New(cpu.All)
		e, err := New(a, 256, start)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Emit(&c); err == nil || a.Len() != 0 {
			t.Errorf("%s: %v and %d bytes", name, err, a.Len())
		}
	}
	for _, bits := range []int{128, 512} {
		if _, err := New(x86.New(cpu.Level2), bits, start); err == nil {
			t.Errorf("%d bits without the features", bits)
		}
	}
	a := x86.New(cpu.Level512)
	e, err := New(a, 512, start)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Emit(&Call{Op: ir.Popcount, Type: ir.I32, Dst: x86.Z(0), Args: []x86.Operand{x86.Z(1)}}); err == nil || a.Len() != 0 {
		t.Errorf("feature: %v and %d bytes", err, a.Len())
	}
}
