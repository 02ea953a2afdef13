package code

import (
	"bufio"
	"errors"
	"math"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
)

// at returns a field of the context.
func at(off int32) x86.Operand { return x86.At(x86.RDI, off) }

func arena(t *testing.T) *Arena {
	t.Helper()
	a, err := NewArena(1 << 22)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// unit assembles and adds what write emits.
func unit(t *testing.T, a *Arena, write func(*x86.Asm)) *Unit {
	t.Helper()
	asm := x86.New(cpu.Host())
	write(asm)
	code, err := asm.Finish(nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := a.Add(code)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(u.Drop)
	return u
}

// TestCall checks that code begins with the context, may change every register but two, and returns its reason.
func TestCall(t *testing.T) {
	u := unit(t, arena(t), func(a *x86.Asm) {
		a.Emit(x86.NOP)
		a.Emit(x86.MOV, x86.RAX, at(OffS))
		a.Emit(x86.MOV, x86.R32(1), x86.At(x86.RAX, 4))
		a.Emit(x86.ADD, x86.At(x86.RAX, 8), x86.R32(1))
		a.Emit(x86.MOV, at(OffReason).Size(4), x86.Imm(int64(FirstOwn)+3))
		for i := range 16 {
			if i != 4 && i != 5 {
				a.Emit(x86.MOV, x86.R64(i), x86.Imm(math.MinInt64+int64(i)))
			}
			a.Emit(x86.VPCMPEQD, x86.Y(i), x86.Y(i), x86.Y(i))
		}
		a.Emit(x86.RET)
	})
	cells := make([]uint32, 4)
	cells[1], cells[2] = 5, 37
	c := NewContext()
	c.S = unsafe.Pointer(&cells[0])
	for i := range uint32(1000) {
		if r := u.Call(c, int(i%2)); r != FirstOwn+3 || cells[2] != 42+5*i {
			t.Fatalf("call %d: reason %d, cell %d", i, r, cells[2])
		}
	}
}

// TestEntry checks that addresses outside of the unit are not called.
func TestEntry(t *testing.T) {
	u := unit(t, arena(t), func(a *x86.Asm) { a.Emit(x86.RET) })
	for _, f := range []func(c *Context){
		func(c *Context) { u.Call(c, -1) },
		func(c *Context) { u.Call(c, u.Size()) },
		func(c *Context) { u.Continue(c) },
		func(c *Context) { c.Resume = u.base + 1; u.Continue(c) },
		func(c *Context) { c.Resume = u.base - 1; u.Continue(c) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("entered")
				}
			}()
			f(NewContext())
		}()
	}
}

// counter counts Args[0] up to Args[1], by one per back edge, and exits when the budget is used up.
func counter(a *x86.Asm) {
	loop, resume, leave := a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.Emit(x86.MOV, at(OffArgs).Size(8), x86.Imm(0))
	a.Bind(loop)
	a.Emit(x86.ADD, at(OffArgs).Size(8), x86.Imm(1))
	a.Emit(x86.MOV, x86.RAX, at(OffArgs))
	a.Emit(x86.SUB, at(OffBudget).Size(8), x86.Imm(1))
	a.Emit(x86.JS, x86.To(leave))
	a.Bind(resume)
	a.Emit(x86.MOV, x86.RAX, at(OffArgs))
	a.Emit(x86.CMP, x86.RAX, at(OffArgs+8))
	a.Emit(x86.JB, x86.To(loop))
	a.Emit(x86.MOV, at(OffReason).Size(4), x86.Imm(int64(Ended)))
	a.Emit(x86.RET)
	a.Bind(leave)
	a.Emit(x86.LEA, x86.RAX, x86.RIP(resume))
	a.Emit(x86.MOV, at(OffResume), x86.RAX)
	a.Emit(x86.MOV, at(OffReason).Size(4), x86.Imm(int64(OutOfBudget)))
	a.Emit(x86.RET)
}

// TestResume checks that code which exits for its budget resumes where it was, however small the budget is.
func TestResume(t *testing.T) {
	u := unit(t, arena(t), counter)
	for _, budget := range []int64{0, 1, 7, 99, 100, 1000} {
		c := NewContext()
		c.Args[1] = 100
		c.Budget = budget
		turns := 1
		for r := u.Call(c, 0); r == OutOfBudget; r = u.Continue(c) {
			c.Budget = budget
			turns++
		}
		if want := 1 + 100/int(budget+1); c.Args[0] != 100 || turns != want && turns != want-1 {
			t.Errorf("budget %d: counted to %d in %d turns, want %d", budget, c.Args[0], turns, want)
		}
	}
}

// TestMode checks that code begins with its own rounding mode and rule for subnormals, and that Go keeps its own,
// whatever the code leaves.
func TestMode(t *testing.T) {
	u := unit(t, arena(t), func(a *x86.Asm) {
		a.Emit(x86.VSTMXCSR, at(OffArgs))
		a.Emit(x86.MOV, x86.RAX, at(OffV))
		a.Emit(x86.VMOVSS, x86.X(1), x86.At(x86.RAX, 0))
		a.Emit(x86.VADDSS, x86.X(2), x86.X(1), x86.At(x86.RAX, 4))
		a.Emit(x86.VMOVSS, x86.At(x86.RAX, 8), x86.X(2))
		a.Emit(x86.MOV, at(OffArgs+8).Size(4), x86.Imm(int64(mxcsr(toZero, true, true))))
		a.Emit(x86.VLDMXCSR, at(OffArgs+8))
		a.Emit(x86.RET)
	})
	tiny := math.Float32bits(0x1p-149)
	next := math.Float32bits(1) + 1
	for _, m := range []struct {
		mode uint32
		a, b uint32
		sum  uint32
	}{
		{mxcsr(nearest, false, false), math.Float32bits(1), math.Float32bits(0x1p-30), math.Float32bits(1)},
		{mxcsr(up, false, false), math.Float32bits(1), math.Float32bits(0x1p-30), next},
		{mxcsr(toZero, false, false), next, math.Float32bits(-0x1p-30), math.Float32bits(1)},
		{mxcsr(down, false, false), math.Float32bits(-1), math.Float32bits(-0x1p-30), next | 1<<31},
		{mxcsr(nearest, false, false), tiny, tiny, 2},
		{mxcsr(nearest, false, true), tiny, math.Float32bits(1), math.Float32bits(1)},
		{mxcsr(nearest, false, true), tiny, tiny, 0},
		{mxcsr(nearest, true, false), math.Float32bits(0x1p-126), math.Float32bits(-0x1.8p-126), 1 << 31},
	} {
		row := []uint32{m.a, m.b, 0}
		c := NewContext()
		c.V = unsafe.Pointer(&row[0])
		c.SetMode(m.mode &^ cpu.Masked) // exceptions are masked in any case
		u.Call(c, 0)
		if row[2] != m.sum || uint32(c.Args[0]) != m.mode {
			t.Errorf("mode %#x: %#x + %#x is %#x, want %#x; MXCSR was %#x", m.mode, m.a, m.b, row[2], m.sum, c.Args[0])
		}
		checkHostMode(t)
	}
}

// Rounding modes by their numbers in MXCSR.
const (
	nearest = iota
	down
	up
	toZero
)

// mxcsr returns a control word.
func mxcsr(rounding uint32, flushResults, flushOperands bool) uint32 {
	m := cpu.Masked | rounding<<cpu.RoundingAt
	if flushResults {
		m |= cpu.FlushResults
	}
	if flushOperands {
		m |= cpu.FlushOperands
	}
	return m
}

// checkHostMode checks that Go rounds to nearest and keeps subnormals.
func checkHostMode(t *testing.T) {
	t.Helper()
	var one, small, tiny float32 = 1, 0x1.8p-24, 0x1p-149 // variables: computed when run
	hold(&one, &small, &tiny)
	if one+small != 1+0x1p-23 || tiny+tiny != 0x1p-148 || one/3*3 != 1 {
		t.Error("Go's arithmetic is not as it was")
	}
}

//go:noinline
func hold(...*float32) {}

// TestPages checks that no page of this process is writable and executable, and that the code's pages are executable.
func TestPages(t *testing.T) {
	u := unit(t, arena(t), func(a *x86.Asm) { a.Emit(x86.RET) })
	if got := checkPages(t); got == "" || !strings.HasPrefix(pageOf(t, u.base), "r-x") {
		t.Errorf("pages of the code are %q, of the process %s", pageOf(t, u.base), got)
	}
}

func maps(t *testing.T) (list []string) {
	t.Helper()
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		list = append(list, sc.Text())
	}
	return list
}

// checkPages fails for pages that are writable and executable. It returns all protections in use.
func checkPages(t *testing.T) (seen string) {
	t.Helper()
	for _, l := range maps(t) {
		mode := strings.Fields(l)[1]
		if mode[1] == 'w' && mode[2] == 'x' {
			t.Errorf("pages to write and to execute: %s", l)
		}
		seen += mode + " "
	}
	return seen
}

func pageOf(t *testing.T, addr uintptr) string {
	t.Helper()
	for _, l := range maps(t) {
		from, to, ok := bounds(l)
		if ok && addr >= from && addr < to {
			return strings.Fields(l)[1]
		}
	}
	return ""
}

func bounds(l string) (from, to uintptr, ok bool) {
	a, b, _ := strings.Cut(strings.Fields(l)[0], "-")
	var v [2]uintptr
	for i, s := range []string{a, b} {
		for _, d := range s {
			n := strings.IndexRune("0123456789abcdef", d)
			if n < 0 {
				return 0, 0, false
			}
			v[i] = v[i]<<4 | uintptr(n)
		}
	}
	return v[0], v[1], true
}

// refusing is the environment variable under which this test binary tells the kernel to refuse executable pages, and
// then makes an arena.
const refusing = "HEDDLE_TEST_REFUSED"

// Operands of prctl, and exit statuses of the test. Source of the first two: linux/prctl.h.
const (
	prSetMDWE          = 65
	mdweRefuseExecGain = 1
	exitRefused        = 17
	exitKernelCannot   = 18
	exitNothingRefused = 19
	exitAnotherError   = 20
)

func TestMain(m *testing.M) {
	if os.Getenv(refusing) != "" {
		os.Exit(refused())
	}
	os.Exit(m.Run())
}

func refused() int {
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetMDWE, mdweRefuseExecGain, 0, 0, 0, 0); e != 0 {
		return exitKernelCannot
	}
	_, err := NewArena(1 << 20)
	switch {
	case err == nil:
		return exitNothingRefused
	case errors.Is(err, ErrRefused):
		return exitRefused
	}
	return exitAnotherError
}

// TestSystemRefuses checks that a system without executable pages gives an error early enough for an engine to run
// without machine code.
func TestSystemRefuses(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), refusing+"=1")
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	switch n := cmd.ProcessState.ExitCode(); n {
	case exitRefused:
	case exitKernelCannot:
		t.Skip("NOT TESTED: this kernel cannot refuse executable pages (prctl PR_SET_MDWE)")
	default:
		t.Errorf("exit code %d", n)
	}
}
