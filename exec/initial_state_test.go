package exec_test

import (
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// again reads v[0], s[1] and p[2] before it writes them, v[1] and s[8] only afterwards; another block writes v[2].
const again = `
block 0x100
mark 0x100 size 4
  %x = get.i32 v[0]
  %y = get.i32 s[1]
  %q = get.i1 p[2]
  %e = get.i1 exec
  %z = iadd.i32 %x, %y
  %c = select.i32 %q, %z, %x
  set.i32 v[0], %c, %e
  set.i32 v[1], %c, %e
  set.i32 s[1], %y
  set.i32 s[20], %y
  set.i1 p[2], %e, %e
mark 0x104 size 4
  %a = get.i32 v[1]
  %f = get.i1 exec
  store.i32 global[4] %a, %a, %f
mark 0x108 size 4
  end
block 0x200
mark 0x200 size 4
  %x = get.i32 v[0]
  %e = get.i1 exec
  set.i32 v[2], %x, %e
mark 0x204 size 4
  end
`

// TestInitialState: a restart restores all cells that a block reads before it writes them, and leaves those that it
// writes first. The snapshot becomes invalid when a block is lifted that writes further cells.
func TestInitialState(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, again)
	v := func(i uint16) ir.Cell { return ir.Cell{Index: i} }
	s := func(i uint16) ir.Cell { return ir.Cell{File: 3, Index: i} }
	mask := ir.Cell{File: 4, Index: 2}
	for _, lanes := range m.Widths {
		p := exec.NewProgram(p.Code)
		st, _ := exec.NewState(m, lanes)
		begin := func() {
			st.ResetFor(p)
			st.Start(0x100, st.Full>>1)
			for lane := range lanes {
				st.Set(v(0), lane, uint32(lane+1))
			}
			st.Set(s(1), 0, 7)
			st.SetMask(mask, 5)
		}
		if begin(); st.InitialState(p) != nil {
			t.Error("nothing is known of the program, and yet waves begin again")
		}
		if _, err := p.Block(ir.Key{PC: 0x100}); err != nil {
			t.Fatal(err)
		}
		begin()
		b, want := st.InitialState(p), st.Snapshot()
		for lane := range lanes {
			st.Set(v(0), lane, 90)
			st.Set(v(1), lane, 91)
			want.Set(v(1), lane, 91)
		}
		for _, c := range []ir.Cell{s(1), s(20)} {
			st.Set(c, 0, 92)
		}
		want.Set(s(20), 0, 92)
		st.SetMask(mask, 2)
		st.Exec, st.Live, st.Clock, st.At.Mark, st.Stack = 1, 0, 4, 1, append(st.Stack, exec.Token{})
		if !b.Valid() {
			t.Error("it does not hold")
		}
		b.Restart()
		if d := want.Diff(st, 5); d != nil {
			t.Errorf("%d lanes: %q", lanes, d)
		}
		if _, err := p.Block(ir.Key{PC: 0x200}); err != nil || b.Valid() {
			t.Errorf("it holds although another register may be written; %v", err)
		}
		for _, change := range []func(){
			func() { st.Restore(want) },
			func() { st.Stack = append(st.Stack, exec.Token{}) },
		} {
			begin()
			if change(); st.InitialState(p) != nil {
				t.Errorf("%d lanes: a state begins again that others have written to", lanes)
			}
		}
	}
}

// TestResidue: cells are zeroed that a block of the program may read before it writes them, or that are live at the
// end and that it does not write in all lanes. The residue becomes invalid when a block is lifted that writes
// further cells.
func TestResidue(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	code := exectest.Parse(m, again).Code
	v0, v1, s1, s20, mask := ir.Cell{Index: 0}, ir.Cell{Index: 1}, ir.Cell{File: 3, Index: 1}, ir.Cell{File: 3, Index: 20}, ir.Cell{File: 4, Index: 2}
	at := ir.Key{PC: 0x100}
	for _, c := range []struct {
		left  []ir.Cell
		lanes uint64
		zeros []ir.Cell
	}{
		{nil, 1, []ir.Cell{v0, s1, mask}},
		{nil, ^uint64(0), []ir.Cell{v0, s1, mask}},
		{[]ir.Cell{v1, s20}, 1, []ir.Cell{v0, v1, s1, mask}},
		{[]ir.Cell{v1, s20}, ^uint64(0), []ir.Cell{v0, s1, mask}}, // v1 is written in active lanes
	} {
		p := exec.NewProgram(code)
		left := pass.NewCellSet(m)
		for _, cell := range c.left {
			left.Add(pass.Span{Cell: cell, Count: 1})
		}
		r := p.Residue(at, left)
		st, _ := exec.NewState(m, m.Widths[1])
		st.Start(0x100, st.Full)
		want := st.Snapshot()
		for lane := range st.Lanes {
			for _, cell := range []ir.Cell{v0, v1, s1, s20, mask} {
				st.Set(cell, lane, 1)
				if !slices.Contains(c.zeros, cell) {
					want.Set(cell, lane, 1)
				}
			}
		}
		if !r.Valid(p) {
			t.Error("it does not hold")
		}
		st.StartAfter(r, 0x100, c.lanes)
		st.Start(0x100, st.Full)
		if d := want.Diff(st, 5); d != nil {
			t.Errorf("%v left: %q", c.left, d)
		}
		if _, err := p.Block(ir.Key{PC: 0x200}); err != nil || r.Valid(p) {
			t.Errorf("it holds although another register may be written; %v", err)
		}
	}
	st, _ := exec.NewState(m, m.Widths[0])
	st.Set(s20, 0, 1)
	p := exec.NewProgram(code)
	if _, err := p.Block(at); err != nil {
		t.Fatal(err)
	}
	if st.StartAfter(p.Residue(ir.Key{PC: 0x999}, pass.NewCellSet(m)), 0x999, 1); st.Get(s20, 0) != 0 {
		t.Error("of waves that begin where there is no code something is left")
	}
}
