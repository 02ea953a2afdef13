package sanitize_test

import (
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/sanitize"
)

// oneBlock is code of one block.
type oneBlock struct {
	m *ir.Machine
	b *ir.Block
}

func (c oneBlock) Machine() *ir.Machine            { return c.m }
func (c oneBlock) Text(uint64) string              { return "" }
func (c oneBlock) Block(ir.Key) (*ir.Block, error) { return c.b, nil }

// TestCosts: what a block adds to the counters does not depend on the checks that watch it.
func TestCosts(t *testing.T) {
	m := irgen.Machine()
	var lane ir.Cell
	for i := range m.Files {
		if m.Files[i].Kind == ir.Lane32 && !m.Files[i].Group {
			lane = ir.Cell{File: uint8(i)}
		}
	}
	b := &ir.Block{Key: ir.Key{PC: 0x100}, Next: 0x104, Marks: []ir.Mark{{PC: 0x100, Size: 4}}}
	add := func(in ir.Inst) ir.Val {
		v, err := b.Add(m, in)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	active, _ := m.Exec()
	e := add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: active})
	x := add(ir.Inst{Op: ir.Get, Type: ir.I32, Cell: lane})
	add(ir.Inst{Op: ir.Store, Type: ir.I32, Mem: ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: 1}, Args: []ir.Val{x, x, e}})
	add(ir.Inst{Op: ir.End})
	want := exec.Costs(b)[1]
	for c := sanitize.Check(1); c <= sanitize.CheckAll|sanitize.CheckSync; c++ {
		s := sanitize.New(c, nil)
		for name, watch := range map[string]func(ir.Code, []exec.Window) ir.Code{
			"watch":  s.Watch,
			"filter": func(code ir.Code, w []exec.Window) ir.Code { code, _ = s.Filter(code, w, true); return code },
		} {
			n, err := watch(oneBlock{m, b}, nil).Block(b.Key)
			if err != nil {
				t.Fatal(err)
			}
			if got := exec.Costs(n)[1]; got != want {
				t.Errorf("%v, %s: %+v, want %+v", c, name, got, want)
			}
		}
	}
}
