package isa_test

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

func load(t *testing.T, src string) *isa.Program {
	t.Helper()
	a, errs := asm.Assemble(toy.Set().At(0, 0), []byte(src), asm.Options{Base: 0x40})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return &isa.Program{Target: toy.Set().At(0, 0), Base: a.Base, Code: a.Code}
}

// Code before an instruction that cannot run is lifted; the trap is at the place where it would be executed.
func TestTraps(t *testing.T) {
	for src, want := range map[string]struct {
		reason ir.TrapReason
		text   string
	}{
		".long 0x80000000":             {ir.TrapInvalid, "no instruction has these bits"},
		".enc 21010900 old r1, r2, r1": {ir.TrapUndefined, "old: the reference documents give no meaning"},
		".long 0x00011001":             {ir.TrapReserved, "guard holds the reserved value 0x1"},
		".long 0x000a0001":             {ir.TrapVariant, "t2 would read new"},
		".byte 1":                      {ir.TrapInvalid, "instruction cut short"},
		"":                             {ir.TrapInvalid, "no code at 0x48"},
	} {
		p := load(t, "add r1, r2, r3\nnop\n"+src)
		blk, err := p.Block(ir.Key{PC: 0x40})
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		term := blk.Term()
		if term.Op != ir.Trap || ir.TrapReason(term.Imm) != want.reason || !strings.Contains(blk.Why, want.text) {
			t.Errorf("%q: ends in %s %d %q, want %d %q", src, term.Op, term.Imm, blk.Why, want.reason, want.text)
		}
		if len(blk.Marks) != 3 || blk.Marks[2].PC != 0x48 {
			t.Errorf("%q: marks %v", src, blk.Marks)
		}
	}
}

// Both parts of a bundle read before either writes, under one mark.
func TestBundleLift(t *testing.T) {
	p := load(t, "{add r1, r2, r3 | add r2, r1, r1}\nend")
	blk, err := p.Block(ir.Key{PC: 0x40})
	if err != nil {
		t.Fatal(err)
	}
	if len(blk.Marks) != 2 || blk.Marks[0].Size != 8 {
		t.Errorf("marks %v", blk.Marks)
	}
	if got := p.Text(0x40); got != "{add r1, r2, r3 | add r2, r1, r1}" {
		t.Error(got)
	}
}

// A block never runs far ahead: it is cut and continues at the next instruction.
func TestLongBlock(t *testing.T) {
	p := load(t, strings.Repeat("nop\n", 1000))
	blk, err := p.Block(ir.Key{PC: 0x40})
	if err != nil {
		t.Fatal(err)
	}
	if term := blk.Term(); term.Op != ir.Jump || term.Imm != blk.Next {
		t.Errorf("ends in %s 0x%x, next 0x%x", term.Op, term.Imm, blk.Next)
	}
}

// An instruction that runs lane by lane has a block of its own, in the middle and at the start.
func TestSerialBlocks(t *testing.T) {
	arch := toy.Arch()
	arch.After = func(l *isa.Lift) {
		if l.In.Def.Name == "add" {
			l.Serial()
		}
	}
	set, err := isa.Compile(arch)
	if err != nil {
		t.Fatal(err)
	}
	p := load(t, "nop\nnop\nadd r1, r2, r3\nadd r2, r1, r1\nnop\nend")
	p.Target = set.At(0, 0)
	for _, want := range []struct {
		pc     uint64
		serial bool
		marks  int
		term   ir.Op
		to     uint64
	}{
		{0x40, false, 2, ir.Jump, 0x48},
		{0x48, true, 1, ir.Jump, 0x4c},
		{0x4c, true, 1, ir.Jump, 0x50},
		{0x50, false, 2, ir.End, 0},
	} {
		blk, err := p.Block(ir.Key{PC: want.pc})
		if err != nil {
			t.Fatal(err)
		}
		if term := blk.Term(); blk.Serial != want.serial || len(blk.Marks) != want.marks || term.Op != want.term || term.Imm != want.to {
			t.Errorf("%#x: want %+v, got\n%s", want.pc, want, ir.Print(p.Machine(), blk))
		}
	}
}

// Programs with machine code run from it; others run from their bundles.
func TestRunnable(t *testing.T) {
	tg := toy.Set().At(0, 0)
	for src, private := range map[string]bool{"add r1, r2, r3\nend": false, "add r1, r2, r3\nmagic r0, r1\nend": true} {
		a, errs := asm.AssembleToRun(tg, []byte(src), asm.Options{Base: 0x40})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		code, err := a.Target.Runnable(a.Base, a.Code, a.Bundles)
		if _, listing := code.(*isa.Listing); err != nil || listing != private {
			t.Errorf("%q gives %T, %v", src, code, err)
		}
		if b, err := code.Block(ir.Key{PC: 0x40}); err != nil || b.Marks[0].PC != 0x40 || b.Term().Op != ir.End {
			t.Error(src, err)
		}
	}
}

// After the last bundle of a listing there is no code, or the wave terminates.
func TestListingEnds(t *testing.T) {
	a, errs := asm.Assemble(toy.Set().At(0, 0), []byte("nop\nnop"), asm.Options{TextOnly: true})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	l, err := isa.NewListing(a.Target, a.Bundles)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range [...]ir.Op{ir.Trap, ir.End} {
		if b, err := l.Block(ir.Key{}); err != nil || b.Term().Op != want || len(b.Marks) != 3 {
			t.Errorf("%v, %v, want %s", b, err, want)
		}
		l.Ends = true
	}
	if b, err := l.Block(ir.Key{PC: uint64(len(a.Code)) + 4}); err != nil || b.Term().Op != ir.Trap {
		t.Errorf("beyond the end: %v, %v", b, err)
	}
}
