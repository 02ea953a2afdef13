package emul

import (
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
)

// unitOf returns code in an emulated arena.
func unitOf(t testing.TB, a *code.Arena, write func(a *x86.Asm)) *code.Unit {
	t.Helper()
	asm := x86.New(cpu.All)
	write(asm)
	text, err := asm.Finish(nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := a.Add(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func arenaOf(t testing.TB) *code.Arena {
	t.Helper()
	a, err := code.NewEmulated(1<<20, Call)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// panicOf returns the panic value of a function.
func panicOf(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text, _ = p.(string)
		}
	}()
	f()
	return ""
}

// TestRefuses checks that unsupported instructions, traps, misaligned memory, and changes of rsp and rbp panic, and
// say what and where.
func TestRefuses(t *testing.T) {
	a := arenaOf(t)
	for _, c := range []struct {
		op   x86.Op
		args []x86.Operand
		want string
	}{
		{x86.VRCP14PS, []x86.Operand{x86.Z(1), x86.Z(2)}, "62f27d484cca: vrcp14ps zmm1, zmm2: not emulated"},
		{x86.CMPXCHG, []x86.Operand{x86.RCX, x86.RDX}, "cmpxchg rcx, rdx: not emulated with these operands"},
		{x86.UD2, nil, "a trap, at "},
		{x86.VMOVAPS, []x86.Operand{x86.Z(1), x86.At(x86.RDI, 4)}, "are not aligned, at "},
		{x86.MOV, []x86.Operand{x86.RBP, x86.RDI}, "the code returns with another rsp or rbp"},
		{x86.MOV, []x86.Operand{x86.RSP, x86.RDI}, "the code returns with another rsp or rbp"},
	} {
		u := unitOf(t, a, func(a *x86.Asm) {
			a.Emit(c.op, c.args...)
			a.Emit(x86.RET)
		})
		if got := panicOf(func() { u.Call(code.NewContext(), 0) }); !strings.Contains(got, c.want) {
			t.Errorf("%v %v: %q, want %q", c.op, c.args, got, c.want)
		}
		u.Drop()
	}
	u := unitOf(t, a, func(a *x86.Asm) { a.Data(0x0f, 0x05) }) // syscall
	if got := panicOf(func() { u.Call(code.NewContext(), 0) }); !strings.Contains(got, "no instruction of the table") {
		t.Errorf("bytes that are none: %q", got)
	}
}

// TestChanged checks that code which has moved, or other code in its place, is executed, and that blocks extend over
// page boundaries.
func TestChanged(t *testing.T) {
	a := arenaOf(t)
	var last uintptr
	again := 0
	for i := range 40 {
		n := 1 + i*97%1500 // instructions of 4 bytes, up to two pages
		u := unitOf(t, a, func(a *x86.Asm) {
			a.Emit(x86.XOR, x86.R32(0), x86.R32(0))
			for range n {
				a.Emit(x86.ADD, x86.RAX, x86.Imm(int64(i+1)))
			}
			a.Emit(x86.MOV, x86.At(x86.RDI, code.OffArgs), x86.RAX)
			a.Emit(x86.RET)
		})
		if at := u.Address(0); at == last {
			again++
		}
		last = u.Address(0)
		c := code.NewContext()
		for range 2 {
			u.Call(c, 0)
			if want := uint64(n * (i + 1)); c.Args[0] != want {
				t.Fatalf("program %d leaves %d, want %d", i, c.Args[0], want)
			}
		}
		u.Drop()
	}
	if again < 30 {
		t.Errorf("only %d programs took the place of another", again)
	}
}

// TestLock checks that no locked addition of many workers to one number is lost, for numbers of every size.
func TestLock(t *testing.T) {
	const workers, turns = 4, 2000
	words := new([8]uint64)
	a := arenaOf(t)
	u := unitOf(t, a, func(a *x86.Asm) {
		again := a.NewLabel()
		a.Emit(x86.MOV, x86.RCX, x86.Imm(turns))
		a.Emit(x86.MOV, x86.RSI, x86.At(x86.RDI, code.OffV))
		a.Bind(again)
		for i, size := range []int{1, 2, 4, 8} {
			a.Emit(x86.LOCK)
			a.Emit(x86.ADD, x86.At(x86.RSI, int32(8*i)).Size(size), x86.Imm(1))
			a.Emit(x86.MOV, x86.G(8*size, 0), x86.Imm(1))
			a.Emit(x86.LOCK)
			a.Emit(x86.XADD, x86.At(x86.RSI, int32(8*i+32)), x86.G(8*size, 0))
		}
		a.Emit(x86.SUB, x86.RCX, x86.Imm(1))
		a.Emit(x86.JNE, x86.To(again))
		a.Emit(x86.RET)
	})
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			c := code.NewContext()
			c.V = unsafe.Pointer(words)
			u.Call(c, 0)
		})
	}
	all.Wait()
	for i, got := range words {
		size := 8 << (i % 4)
		if want := uint64(workers*turns) & (1<<(size-1)<<1 - 1); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

// TestStarts checks that code finds the same registers each time, and the MXCSR of the context.
func TestStarts(t *testing.T) {
	a := arenaOf(t)
	ctx, room := code.NewContext(), new([3][16]uint32)
	ctx.V = unsafe.Pointer(room)
	u := unitOf(t, a, func(a *x86.Asm) {
		a.Emit(x86.MOV, x86.RSI, x86.At(x86.RDI, code.OffV))
		a.Emit(x86.VMOVUPS, x86.At(x86.RSI, 0), x86.Z(31))
		a.Emit(x86.VMOVUPS, x86.Z(1), x86.At(x86.RSI, 64))
		a.Emit(x86.VADDPS, x86.Z(31), x86.Z(1), x86.At(x86.RSI, 68).Bcst(16))
		a.Emit(x86.VMOVUPS, x86.At(x86.RSI, 128), x86.Z(31))
		a.Emit(x86.RET)
	})
	var first [16]uint32
	for i, mxcsr := range []uint32{0, 2 << cpu.RoundingAt, cpu.FlushOperands} {
		room[1] = [16]uint32{0x3f800000, 1, 0x00000001} // 1, and subnormals
		ctx.SetMode(mxcsr)
		u.Call(ctx, 0)
		if i == 0 {
			first = room[0]
		}
		if room[0] != first || room[2][0] != 0x3f800000+[]uint32{0, 1, 0}[i] || room[2][2] != []uint32{2, 2, 0}[i] {
			t.Errorf("MXCSR %#x: %x", mxcsr, room[2])
		}
	}
}

// BenchmarkLoop is a loop of 512-bit instructions such as engines emit; ns are per instruction.
func BenchmarkLoop(b *testing.B) {
	const turns, each = 1000, 12
	a := arenaOf(b)
	room := new([4][16]uint32)
	for i := range room[0] {
		room[0][i] = 0x3f800000 + uint32(i)<<16
	}
	u := unitOf(b, a, func(a *x86.Asm) {
		again := a.NewLabel()
		a.Emit(x86.MOV, x86.RCX, x86.Imm(turns))
		a.Emit(x86.MOV, x86.RSI, x86.At(x86.RDI, code.OffV))
		a.Bind(again)
		a.Emit(x86.VMOVUPS, x86.Z(1), x86.At(x86.RSI, 0))
		a.Emit(x86.VADDPS, x86.Z(2), x86.Z(1), x86.At(x86.RSI, 4).Bcst(16))
		a.Emit(x86.VMULPS, x86.Z(3), x86.Z(2), x86.Z(1))
		a.Emit(x86.VFMADD213PS, x86.Z(3), x86.Z(1), x86.Z(2))
		a.Emit(x86.VPADDD, x86.Z(4), x86.Z(3), x86.Z(2))
		a.Emit(x86.VPXORD, x86.Z(4), x86.Z(4), x86.Z(1))
		a.Emit(x86.VPCMPD, x86.K(1), x86.Z(4), x86.Z(1), x86.Imm(1))
		a.Emit(x86.VPADDD, x86.Z(5).Mask(x86.K(1)), x86.Z(3), x86.Z(2))
		a.Emit(x86.VPSRLD, x86.Z(6), x86.Z(5), x86.Imm(3))
		a.Emit(x86.VMOVUPS, x86.At(x86.RSI, 64), x86.Z(6))
		a.Emit(x86.SUB, x86.RCX, x86.Imm(1))
		a.Emit(x86.JNE, x86.To(again))
		a.Emit(x86.RET)
	})
	c := code.NewContext()
	c.V = unsafe.Pointer(room)
	b.ReportAllocs()
	for b.Loop() {
		u.Call(c, 0)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/turns/each, "ns/instruction")
}
