package teslarun

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/mem"
)

// A warp is 32 threads and all memory that they access. Inputs of the stage are words by number.
type warp struct {
	t         *testing.T
	target    *isa.Target
	st        *exec.State
	shared    []byte
	locks     []byte              // one word for each word of shared
	constants [tesla.Banks][]byte // see consts
	globals   [tesla.Banks][]byte
	private   *mem.Private
	emitted   *mem.Private                    // vertices of geometry programs
	how       ir.How                          // of the last input
	inputs    map[uint32]*[tesla.Lanes]uint32 // by number; others below inputWords are 0
	primitive [tesla.Lanes]uint32             // word inputWord of p[]
	stop      exec.Stop                       // of the last run
}

const (
	sharedSize  = 1 << 14
	constSize   = 1 << 13
	globalSize  = 1 << 12
	privateSize = 1 << 11
	inputWords  = 1 << 12
)

// newWarp makes a warp of zeros with all threads active.
func newWarp(t *testing.T, variant, stage int) *warp {
	t.Helper()
	st, err := exec.NewState(tesla.Machine(), tesla.Lanes)
	if err != nil {
		t.Fatal(err)
	}
	p, err := mem.NewPrivate(mem.Extent{Size: privateSize, Rights: mem.ReadWrite}, tesla.Lanes, 0)
	if err != nil {
		t.Fatal(err)
	}
	v, err := mem.NewPrivate(mem.Extent{Size: 4 * tesla.EmitBytes, Rights: mem.ReadWrite}, tesla.Lanes, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := &warp{t: t, emitted: v, st: st, target: tesla.Set().At(variant, stage), shared: mem.Alloc(sharedSize), locks: mem.Alloc(sharedSize), private: p}
	st.Start(0, 1<<tesla.Lanes-1)
	return w
}

// consts returns a bank of constants, and global one of global memory. They are made when first used: most warps use
// none.
func (w *warp) consts(bank int) []byte { return made(&w.constants[bank], constSize) }
func (w *warp) global(bank int) []byte { return made(&w.globals[bank], globalSize) }

// input returns an input by its number, for setting.
func (w *warp) input(i uint32) *[tesla.Lanes]uint32 {
	if w.inputs == nil {
		w.inputs = map[uint32]*[tesla.Lanes]uint32{}
	}
	if w.inputs[i] == nil {
		w.inputs[i] = new([tesla.Lanes]uint32)
	}
	return w.inputs[i]
}

func made(data *[]byte, size int) []byte {
	if *data == nil {
		*data = mem.Alloc(size)
	}
	return *data
}

// untouched is the zeros of unused banks, shared by all warps: code must not write there.
var untouched = mem.Alloc(constSize)

// Input serves input ops by word number.
func (w *warp) Input(c *exec.IOCall) (refused uint64, err error) {
	w.how = c.How
	for left := c.Lanes; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros64(left)
		if c.Slot[lane] == tesla.PrimitiveSlot+inputWord {
			c.Value[0][lane] = w.primitive[lane]
			continue
		}
		if c.Slot[lane] >= inputWords {
			return c.Lanes, fmt.Errorf("no input %d", c.Slot[lane])
		}
		if words := w.inputs[c.Slot[lane]]; words != nil {
			c.Value[0][lane] = words[lane]
		}
	}
	return 0, nil
}

func (w *warp) env() *exec.Env {
	space := func(name string, data []byte, rights mem.Rights) *mem.Space {
		s, err := mem.NewSpace(name, mem.Segment{Name: name, Rights: rights, Data: data})
		if err != nil {
			w.t.Fatal(err)
		}
		return s
	}
	e := &exec.Env{Private: []*mem.Private{w.private, w.emitted}, Resources: exec.Resources{Inputs: w, ImageOf: w.imageOf}}
	e.Spaces[ir.GroupSpace] = []*mem.Space{space("shared", w.shared, mem.ReadWrite), space("locks", w.locks, mem.ReadWrite)}
	for i := range tesla.Banks {
		constants, global, rights := w.constants[i], w.globals[i], mem.ReadWrite
		if constants == nil {
			constants = untouched
		}
		if global == nil {
			global, rights = untouched[:globalSize], mem.Read
		}
		e.Spaces[ir.ConstSpace] = append(e.Spaces[ir.ConstSpace], space("constants", constants, mem.Read))
		e.Spaces[ir.GlobalSpace] = append(e.Spaces[ir.GlobalSpace], space("global", global, rights))
	}
	return e
}

// encode returns the code of an instruction, in the form of its text.
func (w *warp) encode(text string) []byte {
	w.t.Helper()
	var b isa.Bundle
	if err := w.target.Parse(text, 0, &b); err != nil {
		w.t.Fatalf("%s: %s: %v", w.target, text, err)
	}
	code, err := b.Encode(nil)
	if err != nil {
		w.t.Fatalf("%s: %s: %v", w.target, text, err)
	}
	note(&b)
	return code
}

// steps runs so many instructions of the code, from its beginning.
func (w *warp) steps(code []byte, n uint64) *exec.Fault {
	w.st.Goto(0)
	return w.goOn(code, n)
}

// goOn runs so many instructions from the current one.
func (w *warp) goOn(code []byte, n uint64) *exec.Fault {
	p := exec.NewProgram(&isa.Program{Target: w.target, Code: code})
	w.stop = ref.New().NewRunner(p).Run(w.st, w.env(), exec.Budget{Steps: n, Exact: true})
	return w.stop.Fault
}

// try runs an instruction and returns the fault, if there is one.
func (w *warp) try(text string) *exec.Fault {
	w.t.Helper()
	return w.steps(w.encode(text), 1)
}

func (w *warp) run(text string) {
	w.t.Helper()
	if f := w.try(text); f != nil {
		w.t.Fatalf("%s: %s: %v", w.target, text, f)
	}
}

// stepLimit is above what the programs of these tests need.
const stepLimit = 100_000

// assembled returns the code of a program.
func (w *warp) assembled(src string) []byte {
	w.t.Helper()
	a, errs := asm.Assemble(w.target, []byte(src), asm.Options{File: "program"})
	for _, e := range errs {
		w.t.Fatal(e.Detail())
	}
	var b isa.Bundle
	for at := 0; at < len(a.Code); at += b.Size() {
		if err := w.target.DecodeBundle(a.Code[at:], uint64(at), &b); err != nil {
			w.t.Fatal(err)
		}
		note(&b)
	}
	return a.Code
}

// tryProgram runs a program until the warp ends or faults.
func (w *warp) tryProgram(src string) *exec.Fault {
	w.t.Helper()
	f := w.steps(w.assembled(src), stepLimit)
	if f == nil && w.stop.Reason != exec.StopEnd {
		w.t.Fatalf("the program stops by %v", w.stop.Reason)
	}
	return f
}

func (w *warp) program(src string) {
	w.t.Helper()
	if f := w.tryProgram(src); f != nil {
		w.t.Fatal(f)
	}
}

// wantFault runs a program that must fault at the instruction whose text contains at, with a message that contains
// words.
func (w *warp) wantFault(src, at string, words ...string) {
	w.t.Helper()
	f := w.tryProgram(src)
	if f == nil {
		w.t.Errorf("no fault in\n%s", src)
		return
	}
	for _, s := range append(words, at) {
		if !strings.Contains(f.Error(), s) {
			w.t.Errorf("fault %q does not say %q", f.Error(), s)
		}
	}
}

// reg returns the cell of $rN, flag the cell of a flag of $cN.
func reg(n int) ir.Cell { return ir.Cell{File: tesla.FileR, Index: uint16(n)} }

func addr(n int) ir.Cell { return ir.Cell{File: tesla.FileA, Index: uint16(n)} }

func flag(n, bit int) ir.Cell { return ir.Cell{File: tesla.FileC, Index: uint16(4*n + bit)} }

// set sets $rN to f of each thread.
func (w *warp) set(n int, f func(lane int) uint32) {
	for lane := range tesla.Lanes {
		w.st.Set(reg(n), lane, f(lane))
	}
}

// setFlags sets $cN.
func (w *warp) setFlags(n int, f func(lane int) uint8) {
	for lane := range tesla.Lanes {
		for bit := range 4 {
			w.st.Set(flag(n, bit), lane, uint32(f(lane)>>bit&1))
		}
	}
}

func (w *warp) flags(n, lane int) (v uint8) {
	for bit := range 4 {
		v |= uint8(w.st.Get(flag(n, bit), lane)) << bit
	}
	return v
}

// want checks $rN in all threads.
func (w *warp) want(n int, f func(lane int) uint32) {
	w.t.Helper()
	for lane := range tesla.Lanes {
		if got := w.st.Get(reg(n), lane); got != f(lane) {
			w.t.Errorf("$r%d of thread %d is %#x, want %#x", n, lane, got, f(lane))
			return
		}
	}
}

// wantFlags checks $cN in all threads.
func (w *warp) wantFlags(n int, f func(lane int) uint8) {
	w.t.Helper()
	for lane := range tesla.Lanes {
		if got := w.flags(n, lane); got != f(lane) {
			w.t.Errorf("$c%d of thread %d is %04b, want %04b", n, lane, got, f(lane))
			return
		}
	}
}

func word(data []byte, at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }

func putWord(data []byte, at int, v uint32) { binary.LittleEndian.PutUint32(data[at:], v) }

func always(v uint32) func(int) uint32 { return func(int) uint32 { return v } }

func thread(lane int) uint32 { return uint32(lane) }
