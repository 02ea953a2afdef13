package toyvec

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

func TestLaws(t *testing.T) {
	rep := laws.Check(t, Set(), laws.Options{})
	if len(rep.Trapped)+len(rep.Aliases) > 0 || rep.Words < 200 || rep.Skipped > 0 {
		t.Errorf("%d words, %d skipped, traps %v, aliases %v", rep.Words, rep.Skipped, rep.Trapped, rep.Aliases)
	}
}

func FuzzWord(f *testing.F) {
	f.Add([]byte{0x44, 0x86, 0, 0, 1, 0xc2, 5, 0x91})
	f.Fuzz(func(t *testing.T, code []byte) { laws.FuzzWord(t, Set().At(0, 0), code) })
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"FADD.v2f16.clamp_0_1.wait0 r2.h0, ^r4.neg.h11, u6.abs.h10", "LOAD.slot1 @r4, u70", "BRANCHZ.reconverge r1, offset:-3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { laws.FuzzText(t, Set().At(0, 0), text) })
}

func FuzzBytes(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) < 1<<10 {
			laws.Bytes(t, Set().At(0, 0), code, 0x40)
		}
	})
}

// TestText: suffixes and the parts after a source are parsed in any order, each once, and printed in a fixed order.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"FADD.v2f16.clamp_0_1.wait0 r2.h0, ^r4.neg.h11, u6.abs.h10": "FADD.v2f16.clamp_0_1.wait0 r2.h0, ^r4.neg.h11, u6.abs.h10",
		"FADD.v2f16.wait0.clamp_0_1 r2.h0, ^r4.h11.neg, u6.h10.abs": "FADD.v2f16.clamp_0_1.wait0 r2.h0, ^r4.neg.h11, u6.abs.h10",
		"FADD.v2f16 r2.none, r4, r5":                                "FADD.v2f16 r2.none, r4, r5",
		"LOAD.wait01.slot1 @r4, u70":                                "LOAD.slot1.wait01 @r4, u70",
		"IADD.i32 r1, u3, u70":                                      "the page of constants is one for all operands",
		"IADD.i32 r1, u66, u70":                                     "IADD.i32 r1, u66, u70",
		"FADD.f32 r1, r2.neg.neg, r3":                               `a sign stands here a second time`,
		"FADD.f32.wait0.wait1 r1, r2, r3":                           "a flow stands here a second time",
		"FADD.f32.clamp r1, r2, r3":                                 "no suffix",
		"FADD.f64 r1, r2, r3":                                       "no instruction",
	} {
		tg := Set().At(0, 0)
		got, err := asm.Line(tg, text)
		if err == nil {
			got, err = asm.DisLine(tg, got)
		}
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestDeadRegister: a read of a register after its last read is found from the previous instruction.
func TestDeadRegister(t *testing.T) {
	tg := Set().At(0, 0)
	var bs [2]isa.Bundle
	for i, text := range []string{"MOV.i32 r1, ^r2", "MOV.i32 r3, r2"} {
		if err := tg.Parse(text, uint64(8*i), &bs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if fs := tg.Lint(&bs[0], &bs[1], nil); len(fs) != 1 || fs[0].Rule != "dead-register" {
		t.Error(fs)
	}
	if fs := tg.Lint(nil, &bs[1], nil); len(fs) != 0 {
		t.Error(fs)
	}
}

const lanes = 16

func run(t *testing.T, src string) *exec.State {
	t.Helper()
	tg := Set().At(0, 0)
	a, errs := asm.Assemble(tg, []byte(src), asm.Options{})
	for _, e := range errs {
		t.Fatal(e.Detail())
	}
	st, err := exec.NewState(machine, lanes)
	if err != nil {
		t.Fatal(err)
	}
	for i, u := range []uint32{0, 1, ^uint32(0), 0x3c003c00, 4} {
		st.Set(ir.Cell{File: FileU, Index: uint16(i)}, 0, u)
	}
	seg := mem.NewSegment("global", 0, 64, mem.ReadWrite)
	for i := range seg.Data {
		seg.Data[i] = byte(3 * i)
	}
	space, err := mem.NewSpace("global", seg)
	if err != nil {
		t.Fatal(err)
	}
	env := &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}
	st.Start(0, 1<<lanes-1)
	p := exec.NewProgram(&isa.Program{Target: tg, Code: a.Code})
	if stop := ref.New().NewRunner(p).Run(st, env, exec.Budget{Steps: 10000}); stop.Reason != exec.StopEnd {
		t.Fatalf("stops by %s: %v", stop.Reason, stop.Fault)
	}
	return st
}

func expect(t *testing.T, st *exec.State, reg int, want func(lane uint32) uint32) {
	t.Helper()
	for lane := range uint32(lanes) {
		if got := st.Get(ir.Cell{File: FileR, Index: uint16(reg)}, int(lane)); got != want(lane) {
			t.Errorf("r%d lane %d is %#x, want %#x", reg, lane, got, want(lane))
		}
	}
}

// TestLoop: each lane iterates as often as its number says. Lanes that leave wait at the higher address until all
// arrive.
func TestLoop(t *testing.T) {
	st := run(t, `
			LANE r1
			MOV.i32 r2, u0
			MOV.i32 r3, u0
	top:	BRANCHZ.reconverge r1, out
			IADD.i32 r2, r2, u1
			IADD.i32 r1, r1, u2
			BRANCHZ r3, top
	out:	LANE r4
			IADD.i32 r5, r4, u1
			CLPER r6, r2, r5
			NOP.end`)
	expect(t, st, 2, func(lane uint32) uint32 { return lane })
	expect(t, st, 6, func(lane uint32) uint32 { // all lanes reconverged before: each reads its neighbour
		if lane+1 < lanes {
			return lane + 1
		}
		return 0
	})
}

// TestHalves: halves that are not written are unchanged; a swizzle exchanges them; the clamp limits each half.
func TestHalves(t *testing.T) {
	st := run(t, `
			MOV.i32 r1, u3
			FADD.v2f16 r1.h1, r1, r1
			FADD.v2f16 r2, r1.h10, u0
			FADD.v2f16.clamp_0_1 r3, r1.neg, u3
			IADD.v2i16 r4, u2, u1
			NOP.end`)
	for reg, want := range map[int]uint32{1: 0x40003c00, 2: 0x3c004000, 3: 0, 4: 0xffff0000} {
		expect(t, st, reg, func(uint32) uint32 { return want })
	}
}

func TestMessages(t *testing.T) {
	st := run(t, `
			LOAD.slot0 @r1, u4
			LOAD.slot1 @r2, u0
			NOP.wait01
			IADD.i32 r3, r1, r2
			NOP.end`)
	expect(t, st, 3, func(uint32) uint32 { return 0x15120f0c + 0x09060300 })
}
