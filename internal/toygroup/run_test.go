package toygroup

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// run runs a program from a state that prepare makes, as machine code or from a listing of its bundles.
func run(t *testing.T, src string, listing bool, prepare func(st *exec.State)) *exec.State {
	t.Helper()
	a, errs := asm.Assemble(in(t, Brief), []byte(src), asm.Options{TextOnly: listing, Base: 0x40})
	if len(errs) > 0 {
		t.Fatalf("%v\n%s", errs[0], src)
	}
	var code ir.Code = &isa.Program{Target: a.Target, Base: a.Base, Code: a.Code}
	if listing {
		l, err := isa.NewListing(a.Target, a.Bundles)
		if err != nil {
			t.Fatal(err)
		}
		code = l
	}
	st, err := exec.NewState(machine, 0)
	if err != nil {
		t.Fatal(err)
	}
	st.Start(a.Base, ^uint64(0))
	prepare(st)
	p := exec.NewProgram(code)
	stop := ref.New().NewRunner(p).Run(st, &exec.Env{}, exec.Budget{Steps: 10_000})
	if stop.Reason != exec.StopEnd {
		t.Fatalf("%v, %v\n%s", stop.Reason, stop.Fault, src)
	}
	return st
}

// both runs a program in both ways.
func both(t *testing.T, src string, prepare, check func(st *exec.State)) {
	t.Helper()
	for _, listing := range []bool{false, true} {
		check(run(t, src, listing, prepare))
	}
}

func reg(file uint8, n int) ir.Cell { return ir.Cell{File: file, Index: uint16(n)} }

// want compares a register with expected values by lane.
func want(t *testing.T, st *exec.State, c ir.Cell, value func(lane int) uint32) {
	t.Helper()
	for lane := range st.Lanes {
		if got := st.Get(c, lane); got != value(lane) {
			t.Errorf("%s%d of lane %d: %#x, want %#x", machine.Files[c.File].Name, c.Index, lane, got, value(lane))
		}
	}
}

// fill sets r[n] to 1000n + lane, sh[n] to 77n and i0 to the lane number.
func fill(st *exec.State) {
	for n := range 16 {
		for lane := range st.Lanes {
			st.Set(reg(FileR, n), lane, uint32(1000*n+lane))
			st.Set(reg(FileI, 0), lane, uint32(lane))
		}
		st.Set(reg(FileSh, n), 0, uint32(77*n))
	}
}

// TestSwap: a group reads everything before it writes: two registers are exchanged.
func TestSwap(t *testing.T) {
	both(t, "main.end { mov ft0, s0; mov ft1, s3; src r1; src r2; out r2, ft0; out r1, ft1 }", fill, func(st *exec.State) {
		want(t, st, reg(FileR, 1), func(lane int) uint32 { return uint32(2000 + lane) })
		want(t, st, reg(FileR, 2), func(lane int) uint32 { return uint32(1000 + lane) })
	})
}

// TestRepeat: each repetition uses the results of the previous one: r2 to r5 become sums of all registers from r1 on.
// Constants, and r0 of the next group, do not advance.
func TestRepeat(t *testing.T) {
	both(t, "main.x4 { add ft0, s0, s1; src r1; src r2; out r2, ft0 }\nmain.x2.end { add ft0, s0, s1; src #9; src r14; out r15, ft0 }", fill,
		func(st *exec.State) {
			for n := 2; n <= 5; n++ {
				want(t, st, reg(FileR, n), func(lane int) uint32 { return uint32(1000*n*(n+1)/2 + n*lane) })
			}
			want(t, st, reg(FileR, 6), func(lane int) uint32 { return uint32(6000 + lane) })
			want(t, st, reg(FileR, 15), func(lane int) uint32 { return uint32(14000 + lane + 9) })
			// r16 is r0; its source is the new r15.
			want(t, st, reg(FileR, 0), func(lane int) uint32 { return uint32(14000 + lane + 18) })
		})
}

// TestMarks: the marks of a repeated group are numbered.
func TestMarks(t *testing.T) {
	var b isa.Bundle
	if err := in(t, Brief).Parse("main.x3 { lane ft0; out r1, ft0 }", 0x10, &b); err != nil {
		t.Fatal(err)
	}
	blk := in(t, Brief).LiftOne(&b, 0)
	if len(blk.Marks) != 3 {
		t.Fatalf("%d marks", len(blk.Marks))
	}
	for i, m := range blk.Marks {
		if int(m.Sub) != i || m.PC != 0x10 || int(m.Size) != b.Size() {
			t.Errorf("%+v", m)
		}
	}
}

// A loop: lanes count down from their number and sum the counts until all are done. The guard of a header applies to
// its whole group, including the test.
const loop = `
	main { lane ft0; tst.nz p0, ft0; out r0, ft0 }
	main { ldi ft0, 0; out r1, ft0 }
again:	main.p0 { add ft0, s0, s1; src r1; src r0; out r1, ft0 }
	main.p0 {	// every second group has a flag to test
		add ft0, s0, s1.neg; tst.nz p0, ft0;
		src r0; src #1; out r0, ft0 }
	ctrl.p0 { br again }
	main.np0 { ldi ft0, 0xbeef; out r2, ft0 }
	ctrl { br over }
	main { ldi ft0, 0xdead; out r1, ft0 }
over:	ctrl { stop }
`

func TestLoop(t *testing.T) {
	both(t, loop, fill, func(st *exec.State) {
		want(t, st, reg(FileR, 0), func(int) uint32 { return 0 })
		want(t, st, reg(FileR, 1), func(lane int) uint32 { return uint32(lane * (lane + 1) / 2) })
		want(t, st, reg(FileR, 2), func(int) uint32 { return 0xbeef })
	})
}

// TestConditions: inactive lanes, and lanes with another flag value, are unchanged; .all selects all lanes.
func TestConditions(t *testing.T) {
	const flag, exec0 = 0x3c, 0x66
	for cond, mask := range map[string]uint64{"": exec0, ".p0": exec0 & flag, ".np0": exec0 &^ flag, ".all": 0xff} {
		both(t, "main.end"+cond+" { ldi ft0, 5; out r1, ft0; out sh2, ft0 }", func(st *exec.State) {
			fill(st)
			st.SetMask(flagCell, flag)
			st.Exec = exec0
		}, func(st *exec.State) {
			want(t, st, reg(FileR, 1), func(lane int) uint32 {
				if mask>>lane&1 != 0 {
					return 5
				}
				return uint32(1000 + lane)
			})
			want(t, st, reg(FileSh, 2), func(int) uint32 { return 5 })
		})
	}
}

// TestMask: lanes become inactive, and later all become active again.
func TestMask(t *testing.T) {
	both(t, "main { lane ft0; shl ft1, ft0, 31; tst.lt p0, ft1 }\nctrl.p0 { only }\nmain { ldi ft0, 1; out r1, ft0 }\nctrl { whole }\nmain.end { ldi ft0, 2; out r2, ft0 }",
		fill, func(st *exec.State) {
			want(t, st, reg(FileR, 1), func(lane int) uint32 {
				if lane%2 == 1 {
					return 1
				}
				return uint32(1000 + lane)
			})
			want(t, st, reg(FileR, 2), func(int) uint32 { return 2 })
		})
}

// TestIndex: each lane reads the wave register selected by its own index, modulo their number.
func TestIndex(t *testing.T) {
	both(t, "main.end { add ft0, s0, s1; src sh[i0+13]; src #0; out r1, ft0 }", fill, func(st *exec.State) {
		want(t, st, reg(FileR, 1), func(lane int) uint32 { return uint32(77 * ((lane + 13) % 16)) })
	})
}

// TestAtomic: an atomic group runs lane by lane: each lane gets the sum of previous lanes and itself. In a group that
// is not atomic each gets its own value, and the highest lane wins.
func TestAtomic(t *testing.T) {
	group := "{ add ft0, s0, s1; src sh1; src r3; out sh1, ft0; out r1, ft0 }"
	both(t, "main { lane ft0; out r9, ft0 }\nmain.atom "+group+"\nmain.end { lane ft0; out r8, ft0 }", fill, func(st *exec.State) {
		sum := func(lane int) uint32 { return uint32(77 + (lane+1)*3000 + lane*(lane+1)/2) }
		want(t, st, reg(FileR, 1), sum)
		want(t, st, reg(FileSh, 1), func(int) uint32 { return sum(st.Lanes - 1) })
		want(t, st, reg(FileR, 8), func(lane int) uint32 { return uint32(lane) })
	})
	both(t, "main.end "+group, fill, func(st *exec.State) {
		want(t, st, reg(FileR, 1), func(lane int) uint32 { return uint32(77 + 3000 + lane) })
		want(t, st, reg(FileSh, 1), func(int) uint32 { return uint32(77 + 3000 + st.Lanes - 1) })
	})
}

// TestPrivate: a row without public encoding has no bytes, and runs from text.
func TestPrivate(t *testing.T) {
	src := "main { lane ft0; out r1, ft0 }\nctrl { br a }\nmain { ldi ft0, 7; out r1, ft0 }\na: main { mov ft0, s0; rev ft2, ft0; src r1; out r1, ft2 }\nmain.end { mad ft0, s0, s1, s2; src r2; src #3; src r1; out r2, ft0 }"
	if _, errs := asm.Assemble(in(t, Brief), []byte(src), asm.Options{}); len(errs) != 1 || errs[0].Line != 4 || !strings.Contains(errs[0].Error(), "rev: no public encoding [encoding]") {
		t.Error(errs)
	}
	st := run(t, src, true, fill)
	want(t, st, reg(FileR, 1), func(lane int) uint32 { return bits.Reverse32(uint32(lane)) })
	want(t, st, reg(FileR, 2), func(lane int) uint32 { return uint32(2000+lane)*3 + bits.Reverse32(uint32(lane)) })
}

// TestTrap: a row without semantics traps when it is reached, whatever its group has done before.
func TestTrap(t *testing.T) {
	var b isa.Bundle
	if err := in(t, Brief).Parse("main.x2 { lane ft0; exp ft1, ft0; out r1, ft0 }", 0, &b); err != nil {
		t.Fatal(err)
	}
	blk := in(t, Brief).LiftOne(&b, 0)
	if blk.Term().Op != ir.Trap || len(blk.Ops) != 1 || blk.Why != "exp: the reference documents give no meaning" {
		t.Errorf("%q\n%s", blk.Why, ir.Print(machine, blk))
	}
}
