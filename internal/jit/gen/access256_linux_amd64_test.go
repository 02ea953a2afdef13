package gen

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// TestAccessEnds checks accesses of full waves, consecutive or in rows of eight lanes, that begin within a segment and
// end beyond it, or beyond 2^32: they fault as in the reference.
func TestAccessEnds(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	ends := 0
	for _, level := range tested(t) {
		e := exec.Eager(portable.With(nativeOf(level)))
		for kind := range 8 {
			load, wide, size := kind&1 != 0, kind&2 != 0, 4+kind&4
			rows := func(lane int) int { return lane/8*96 + lane%8*size }
			for _, place := range []func(int) int{func(lane int) int { return lane * size }, rows} {
				for beyond := range 8 * size / 4 {
					data := make([]byte, place(63)+size-4*beyond)
					ends += endsAlike(t, m, e, roundCode(load, wide, size, 1), 0x1000, data, place)
				}
			}
			if !wide { // the segment continues beyond 2^32, addresses do not
				ends += endsAlike(t, m, e, roundCode(load, wide, size, 1), 1<<32-uint64(32*size), make([]byte, 64*size), func(lane int) int { return lane * size })
			}
		}
	}
	if ends == 0 {
		t.Skip("no vectors")
	}
}

// endsAlike runs a block with a wave within a segment at base, and then with one at places from base on.
func endsAlike(t *testing.T, m *ir.Machine, e exec.Engine, text string, base uint64, data []byte, place func(lane int) int) int {
	t.Helper()
	p := exectest.Parse(m, text)
	for i := range data {
		data[i] = byte(i>>2 + 1)
	}
	var stops [2]string
	var states [2][]uint32
	var left [2][]byte
	for i, run := range []exec.Runner{e.NewRunner(p), ref.New().NewRunner(p)} {
		left[i] = bytes.Clone(data)
		space, err := mem.NewSpace("global", mem.Segment{Name: "a", Base: base, Data: left[i], Rights: mem.ReadWrite})
		if err != nil {
			t.Fatal(err)
		}
		st, err := exec.NewState(m, 64)
		if err != nil {
			t.Fatal(err)
		}
		env := &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}
		for visit := range 3 { // the first two cache the segment
			st.Start(0x100, st.Full)
			for lane := range 64 {
				at := base
				if visit == 2 {
					at += uint64(place(lane))
				}
				st.Set(ir.Cell{Index: 0}, lane, uint32(at))
				st.Set(ir.Cell{Index: 1}, lane, 0)
				for k := range 4 {
					st.Set(ir.Cell{Index: uint16(2 + k)}, lane, uint32(1000*k+lane))
				}
			}
			stop := run.Run(st, env, exec.Budget{Steps: 1})
			stops[i] = fmt.Sprint(stop.Reason, stop.Fault)
		}
		states[i] = st.V
	}
	if stops[0] != stops[1] || !slices.Equal(states[0], states[1]) || !bytes.Equal(left[0], left[1]) {
		t.Fatalf("segment of %d bytes at %#x: %s, want %s\n%s", len(data), base, stops[0], stops[1], text)
	}
	return 1
}
