package valhallrun

import (
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// A warp is 16 threads and the memory that its instructions access.
type warp struct {
	t      *testing.T
	target *isa.Target
	st     *exec.State
	env    exec.Env
	stop   exec.Stop // of the last run
}

// newWarp makes a warp of zeros with all threads active. Options are by name; nil: the defaults.
func newWarp(t *testing.T, options map[string]string) *warp {
	t.Helper()
	return newWarpOf(t, "v9", options)
}

// newWarpOf is newWarp for another architecture.
func newWarpOf(t *testing.T, variant string, options map[string]string) *warp {
	t.Helper()
	st, err := exec.NewState(valhall.Machine(), valhall.Lanes)
	if err != nil {
		t.Fatal(err)
	}
	w := &warp{t: t, st: st}
	v, ok := valhall.Set().Variant(variant)
	if !ok {
		t.Fatalf("no variant %s", variant)
	}
	if w.target, err = valhall.Set().At(v, 0).With(0, options); err != nil {
		t.Fatal(err)
	}
	st.Start(0, 1<<valhall.Lanes-1)
	return w
}

func reg(n int) ir.Cell { return ir.Cell{File: valhall.FileR, Index: uint16(n)} }

// set sets rN to f of each thread.
func (w *warp) set(n int, f func(lane int) uint32) {
	for lane := range valhall.Lanes {
		w.st.Set(reg(n), lane, f(lane))
	}
}

func (w *warp) get(n, lane int) uint32 { return w.st.Get(reg(n), lane) }

// setUniform sets uN.
func (w *warp) setUniform(n int, v uint32) {
	w.st.Set(ir.Cell{File: valhall.FileU, Index: uint16(n)}, 0, v)
}

// encode returns the code of an instruction.
func (w *warp) encode(text string) []byte {
	w.t.Helper()
	var b isa.Bundle
	if err := w.target.Parse(text, 0, &b); err != nil {
		w.t.Fatalf("%s: %v", text, err)
	}
	code, err := b.Encode(nil)
	if err != nil {
		w.t.Fatalf("%s: %v", text, err)
	}
	note(&b)
	return code
}

// runner returns a runner for the code.
func (w *warp) runner(code []byte) exec.Runner {
	return ref.New().NewRunner(exec.NewProgram(&isa.Program{Target: w.target, Code: code}))
}

// steps runs so many instructions from the beginning.
func (w *warp) steps(r exec.Runner, n uint64) *exec.Fault {
	w.st.Goto(0)
	w.stop = r.Run(w.st, &w.env, exec.Budget{Steps: n, Exact: true})
	return w.stop.Fault
}

// try runs an instruction and returns the fault, if there is one.
func (w *warp) try(text string) *exec.Fault {
	w.t.Helper()
	return w.steps(w.runner(w.encode(text)), 1)
}

func (w *warp) run(text string) {
	w.t.Helper()
	if f := w.try(text); f != nil {
		w.t.Fatalf("%s: %v", text, f)
	}
}

// stepLimit is above what the programs of these tests need.
const stepLimit = 100_000

// program assembles and runs a program until the warp ends or faults.
func (w *warp) program(src string) *exec.Fault {
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
	f := w.steps(w.runner(a.Code), stepLimit)
	if f == nil && w.stop.Reason != exec.StopEnd {
		w.t.Fatalf("the program stops by %v", w.stop.Reason)
	}
	return f
}

// each runs an instruction on all values, 16 at a time: sources are r8, r10, .. from the columns, the result is r4. f
// gets the row of values and the result.
func (w *warp) each(text string, columns [][]uint32, f func(i int, got uint32) bool) {
	w.t.Helper()
	r := w.runner(w.encode(text))
	for at := 0; at < len(columns[0]); at += valhall.Lanes {
		for c, vs := range columns {
			w.set(8+2*c, func(lane int) uint32 { return vs[min(at+lane, len(vs)-1)] })
		}
		if fault := w.steps(r, 1); fault != nil {
			w.t.Fatalf("%s: %v", text, fault)
		}
		for lane := range min(valhall.Lanes, len(columns[0])-at) {
			if !f(at+lane, w.get(4, lane)) {
				return
			}
		}
	}
}
