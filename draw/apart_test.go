package draw_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// blocks are code in the text form of blocks.
type blocks map[ir.Key]*ir.Block

var apartMachine = &ir.Machine{
	Name: "apart",
	Files: []ir.File{
		{Name: "v", Kind: ir.Lane32, Count: 2}, {Name: "z", Kind: ir.Lane32, Count: 3, Range: ir.RangeZero}, {Name: "s", Kind: ir.Wave32, Count: 2},
		{Name: "f", Kind: ir.Wave1, Count: 1}, {Name: "exec", Kind: ir.ExecMask, Count: 1},
	},
	Widths: []int{64}, Control: ir.MaskData, Spaces: ir.Spaces{ir.GlobalSpace: 1},
}

func (blocks) Machine() *ir.Machine  { return apartMachine }
func (blocks) Text(pc uint64) string { return "text" }
func (b blocks) Block(at ir.Key) (*ir.Block, error) {
	if b[at] == nil {
		return nil, fmt.Errorf("no block at %#x", at.PC)
	}
	return b[at], nil
}

func blocksOf(t *testing.T, text string) blocks {
	list := blocks{}
	for _, part := range strings.Split("\n"+text, "\nblock ")[1:] {
		b, err := ir.Parse(apartMachine, "block "+part)
		if err == nil {
			err = ir.Verify(apartMachine, b)
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, part)
		}
		list[b.Key] = b
	}
	return list
}

// TestApart: which ops let vertices, and which let quads, run side by side in one wave.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		name, ops    string
		single, quad bool
	}{
		{"lanes by themselves", "%y = iadd.i32 %x, %x\nset.i32 v[1], %y, %e\nend", true, true},
		{"cells by index", "%y = getx.i32 z[0 + %x], %e\nsetx.i32 z[0 + %x], %y, %e\nend", true, true},
		{"what is one a wave", "%y = iadd.i32 %c, %c\nset.i32 s[1], %y\nend", true, true},
		{"a load", "%y = load.i32 global[4] %x, %e\nend", true, true},
		{"an input", "%y = input.f32 linear 0, %c, %e\nend", true, true},
		{"further blocks", "jump 0x200", true, true},
		{"a texture", "%y:%z:%w:%a = tex implicit %f, %f, %f, %f, %c, %e\nend", false, true},
		{"a shuffle in quads", "%y:%z = shuffle.i32 %x, %x, %e, 4\nend", false, true},
		{"a shuffle in rows", "%y:%z = shuffle.i32 %x, %x, %e, 16\nend", false, false},
		{"a shuffle of the wave", "%y:%z = shuffle.i32 %x, %x, %e\nend", false, false},
		{"a vote", "%y = any.i1 %e, %e\nend", false, false},
		{"the highest lane's value", "setlast.i32 s[0], %x, %e\nend", false, false},
		{"a store", "store global[4] %x, %x, %e\nend", false, false},
		{"an atomic", "%y = atomic.i32 global[4 add] %x, %x, %e\nend", false, false},
		{"an output", "output 0, %c, %x, %e\nend", false, false},
		{"the clock", "%y = clock.i64\nend", false, false},
		{"a branch", "%b = get.i1 f[0]\nbranch %b, 0x200, 0x300", false, false},
		{"lanes that end", "retire %e, 0x200", false, false},
		{"a vote in a further block", "jump 0x400", false, false},
	} {
		p := exec.NewProgram(blocksOf(t, `block 0x100
mark 0x100 size 4
  %e = get.i1 exec[0]
  %x = get.i32 v[0]
  %f = get.f32 v[1]
  %c = get.i32 s[0]
`+c.ops+`
block 0x200
mark 0x200 size 4
  end
block 0x300
mark 0x300 size 4
  end
block 0x400
mark 0x400 size 4
  %e = get.i1 exec[0]
  %y = any.i1 %e, %e
  end
`))
		s := draw.Stage{Name: "s", Program: p, Entry: ir.Key{PC: 0x100}}
		if single, quad := s.Apart(1), s.Apart(4); single != c.single || quad != c.quad {
			t.Errorf("%s: vertices %t, quads %t, want %t, %t", c.name, single, quad, c.single, c.quad)
		}
		s.Entry.PC = 0x999
		if s.Apart(4) {
			t.Error("a program without its first block")
		}
	}
	if s := (&draw.Stage{}); !s.Apart(1) || !s.Apart(4) {
		t.Error("a draw without the stage")
	}
}
