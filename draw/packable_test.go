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
type blocks struct {
	m    *ir.Machine
	list map[ir.Key]*ir.Block
}

var packableMachine = &ir.Machine{
	Name: "apart",
	Files: []ir.File{
		{Name: "v", Kind: ir.Lane32, Count: 2}, {Name: "z", Kind: ir.Lane32, Count: 3, Range: ir.RangeZero}, {Name: "s", Kind: ir.Wave32, Count: 2},
		{Name: "f", Kind: ir.Wave1, Count: 1}, {Name: "exec", Kind: ir.ExecMask, Count: 1},
	},
	Widths: []int{64}, Control: ir.MaskData, Spaces: ir.Spaces{ir.GlobalSpace: 1},
}

// divergingMachine lets lanes diverge.
var divergingMachine = &ir.Machine{Name: "parts", Files: packableMachine.Files[:4], Widths: []int{64}, Control: ir.LowestPC, Spaces: packableMachine.Spaces}

func (b blocks) Machine() *ir.Machine { return b.m }
func (blocks) Text(pc uint64) string  { return "text" }
func (b blocks) Block(at ir.Key) (*ir.Block, error) {
	if b.list[at] == nil {
		return nil, fmt.Errorf("no block at %#x", at.PC)
	}
	return b.list[at], nil
}

func blocksOf(t *testing.T, m *ir.Machine, text string) blocks {
	t.Helper()
	list := map[ir.Key]*ir.Block{}
	for _, part := range strings.Split("\n"+text, "\nblock ")[1:] {
		b, err := ir.Parse(m, "block "+part)
		if err == nil {
			err = ir.Verify(m, b)
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, part)
		}
		list[b.Key] = b
	}
	return blocks{m, list}
}

// TestPackable: which ops let vertices, and which let quads, run side by side in one wave.
func TestPackable(t *testing.T) {
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
		{"the number of the lane", "%y = laneid.i32\nend", false, false},
		{"a lane's bit of a number", "%y = zext.i64 %c\n%z = lanes.i1 %y\nend", false, false},
		{"the clock", "%y = clock.i64\nend", false, false},
		{"a branch", "%b = get.i1 f[0]\nbranch %b, 0x200, 0x300", false, false},
		{"lanes that end", "retire %e, 0x200", false, false},
		{"a vote in a further block", "jump 0x400", false, false},
	} {
		p := exec.NewProgram(blocksOf(t, packableMachine, `block 0x100
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
		if single, quad := s.Packable(1, draw.Promise{}), s.Packable(4, draw.Promise{}); single != c.single || quad != c.quad {
			t.Errorf("%s: vertices %t, quads %t, want %t, %t", c.name, single, quad, c.single, c.quad)
		}
		s.Entry.PC = 0x999
		if s.Packable(4, draw.Promise{}) {
			t.Error("a program without its first block")
		}
	}
	if s := (&draw.Stage{}); !s.Packable(1, draw.Promise{}) || !s.Packable(4, draw.Promise{}) {
		t.Error("a draw without the stage")
	}
}

// TestDivergedPackable: diverged lanes have the same results in a wider wave if no op reads other lanes, no per-wave
// cell is written, and there are no loops; guarantees of a launch allow further ops.
func TestDivergedPackable(t *testing.T) {
	all := draw.Promise{Outputs: true, Returns: true, Numbers: true}
	for _, c := range []struct {
		name, ops, then string
		promise         draw.Promise
		want            bool
	}{
		{"a branch", "ctl diverge %b, 0x300", "retire %b, 0x300", draw.Promise{}, true},
		{"a meeting", "ctl reconverge %b, 0x300", "retire %b, 0x300", draw.Promise{}, true},
		{"a trap", "ctl diverge %b, 0x300", "trap undefined \"no\"", draw.Promise{}, true},
		{"a loop", "ctl diverge %b, 0x100", "retire %b, 0x300", all, false},
		{"a loop of two", "ctl diverge %b, 0x300", "jump 0x100", all, false},
		{"one lane ends all", "ctl diverge %b, 0x300", "end", all, false},
		{"a shuffle in quads", "%y:%z = shuffle.i32 %x, %x, %b, 4\nctl diverge %b, 0x300", "retire %b, 0x300", all, false},
		{"what is one a wave", "%y = iadd.i32 %c, %c\nset.i32 s[1], %y\nctl diverge %b, 0x300", "retire %b, 0x300", all, false},
		{"a store", "store global[4] %x, %x, %b\nctl diverge %b, 0x300", "retire %b, 0x300", all, false},
		{"an output", "output 0, %c, %x, %b\nctl diverge %b, 0x300", "retire %b, 0x300", draw.Promise{Returns: true, Numbers: true}, false},
		{"an output of its own", "output 0, %c, %x, %b\nctl diverge %b, 0x300", "retire %b, 0x300", draw.Promise{Outputs: true}, true},
		{"the number of the lane", "%y = laneid.i32\nctl diverge %b, 0x300", "retire %b, 0x300", draw.Promise{Outputs: true, Returns: true}, false},
		{"the number in its group", "%y = laneid.i32\nctl diverge %b, 0x300", "retire %b, 0x300", draw.Promise{Numbers: true}, true},
		{"anywhere", "%y = zext.i64 %x\nctlx link %y, %b", "retire %b, 0x300", draw.Promise{Outputs: true, Numbers: true}, false},
		{"to nobody", "%y = zext.i64 %x\nctlx link %y, %b", "retire %b, 0x300", draw.Promise{Returns: true}, true},
	} {
		p := exec.NewProgram(blocksOf(t, divergingMachine, `block 0x100
mark 0x100 size 4
  %x = get.i32 v[0]
  %c = get.i32 s[0]
  %b = live
`+c.ops+`
block 0x104
mark 0x104 size 4
  jump 0x200
block 0x200
mark 0x200 size 4
  %b = live
`+c.then+`
block 0x300
mark 0x300 size 4
  %b = live
  retire %b, 0x304
block 0x304
mark 0x304 size 4
  trap undefined "the end"
`))
		s := draw.Stage{Name: "s", Program: p, Entry: ir.Key{PC: 0x100}}
		if got := s.Packable(4, c.promise); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}

// TestWrites: a program may write the cells that its blocks name, any cell of a file that it indexes, and any at
// all if its control flow is not known.
func TestWrites(t *testing.T) {
	for _, c := range []struct {
		name, ops string
		want      bool
	}{
		{"another cell", "set.i32 v[1], %x, %e\nend", false},
		{"the cell", "set.i32 v[0], %x, %e\nend", true},
		{"the cell, further on", "jump 0x200", true},
		{"its file by index", "setx.i32 v[0 + %x], %x, %e\nend", true},
		{"another file by index", "setx.i32 z[0 + %x], %x, %e\nend", false},
		{"anywhere", "%y = zext.i64 %c\njumpx %y", true},
	} {
		p := exec.NewProgram(blocksOf(t, packableMachine, `block 0x100
mark 0x100 size 4
  %e = get.i1 exec[0]
  %x = get.i32 v[0]
  %c = get.i32 s[0]
`+c.ops+`
block 0x200
mark 0x200 size 4
  %e = get.i1 exec[0]
  %x = get.i32 v[1]
  set.i32 v[0], %x, %e
  end
`))
		s := draw.Stage{Name: "s", Program: p, Entry: ir.Key{PC: 0x100}}
		if got := s.Writes(ir.Cell{}); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
		s.Entry.PC = 0x999
		if !s.Writes(ir.Cell{}) {
			t.Error("a program without its first block")
		}
	}
}
