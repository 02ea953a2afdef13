package rogue

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestGroupErrors checks that text that no encoding can express is rejected at its position: a group has one
// instruction of each unit, phases that may occur together, and registers that maps hold. docs/reference/rogue.md 6.
func TestGroupErrors(t *testing.T) {
	tg := target(t, PCO)
	var b isa.Bundle
	for _, x := range [...]struct {
		text, code, msg string
		col             int // from 1
	}{
		{"{ s0 = r1, s1 = r2 p0: fadd ft0, s0, s1; p0: fmul ft0, s0, s1; w0 = r4 }", isa.ErrIllegal, "a group has one of each", 46},
		{"{ s0 = r1, s1 = r2 p0: fadd ft0, s0, s1; p0: imad8 ft0, s0.e1, s1, s2; w0 = r4 }", isa.ErrIllegal, "two of one phase", 1},
		{"{ s0 = r1, s1 = r2 p0: imad8 ft0, s0.e1, s1, s2; p0: fadd ft0, s0, s1; w0 = r4 }", isa.ErrIllegal, "two of one phase", 1},
		{"{ s0 = r1 p0: mbyp ft0, s0; p1: mbyp ft1, s3; p1: mbyp ft1, s3; w0 = r4 }", isa.ErrIllegal, "two of one phase", 1},
		{"{ s0 = r1 p0: byp ft0, ft1, s0, s1; p0: msk ft0, ft1, s0, s1; w0 = r4 }", isa.ErrIllegal, "a group has one of each", 41},
		{"{ s1 = r1 p0: lsl ft2, s2, s1; p0: rev ft2, s2; w0 = r4 }", isa.ErrIllegal, "a group has one of each", 36},
		{"{ ctrl: wdf drc0; ctrl: wdf drc1; }", isa.ErrIllegal, "two of one phase: control instruction", 1},
		{"{ s0 = r1 p0: fadd ft0, s0, s1; p0: byp ft0, ft1, s0, s1; w0 = r4 }", isa.ErrIllegal, "of the main unit and of the bit unit", 1},
		{"{ s0 = r1 p0: mbyp ft0, s0; backend: uvsw.write w0, 1; w0 = r4 }", isa.ErrIllegal, "phase 0 and the backend without phase 2", 1},
		{"{ s3 = r1 p1: mbyp ft1, s3; w0 = r4 }", isa.ErrIllegal, "phase 1", 1},
		{"{ ctrl: nop.end; }.end", isa.ErrIllegal, "but with nop.end", 1},
		{"{ repeat 5, s0 = r1 p0: mbyp ft0, s0; w0 = r4 }", isa.ErrRange, "1 to 4 times", 3},
		{"{ s0 = r1, s1 = sh2 p0: fadd ft0, s0, s1; w0 = r4 }", isa.ErrIllegal, "sh2 cannot be s1", 1},
		{"{ s0 = r1 p1: imad8 ft0, s0, s1, s2; w0 = r4 }", isa.ErrMnemonic, "imad8 is an instruction of phase 0 with elements, where an instruction of phase 1 is expected", 15},
		{"{ s0 = r1 p0: rcp w0, s0; w0 = r4 }", isa.ErrMnemonic, `no instruction "rcp"`, 15},
		{"{ ctrl: mutex.lock 16; }", isa.ErrRange, "0 to 15 are possible", 20},
		{"{ s0 = sh4, is4 = ft0 p0: mbyp ft0, s0; w1 = sh300..301 }", isa.ErrOperand, "2 registers in a row where the group has 1", 46},
		{"{ repeat 2, s0 = r4..9, is4 = ft0 p0: mbyp ft0, s0; w0 = r6..7 }", isa.ErrOperand, "6 registers in a row where the group has 2", 18},
		{"{ ctrl: ditr.pixel r0..1, drc0, cf4..6, 2; }", isa.ErrOperand, "3 registers are named where a set is expected", 33},
		{"{ s0 = r5, is4 = fte p0: msk ft0, ft1, s0, s1; w0 = r5 }", isa.ErrOperand, "in groups of the main unit alone", 12},
		{"{ s0 = r5, is2 = fte ctrl: cndst.if(p0) pe, w0, s0, 1; w0 = r5 }", isa.ErrOperand, "in groups of the main unit alone", 12},
		{"{ s0 = r2048 p0: mbyp ft0, s0; w0 = r4 }", isa.ErrRange, "there are r0 to r2047", 8},
	} {
		err := tg.Parse(x.text, 0, &b)
		if err == nil {
			t.Errorf("%s: no error, want %q", x.text, x.msg)
			continue
		}
		if e := isa.AsError(err); e.Code != x.code || e.Col != x.col || !strings.Contains(e.Msg, x.msg) {
			t.Errorf("%s: column %d: %s [%s], want %d: %s [%s]", x.text, e.Col, e.Msg, e.Code, x.col, x.msg, x.code)
		}
	}
}

// TestRanges checks that a range of registers of a source or a result is read as its first register.
func TestRanges(t *testing.T) {
	tg := target(t, PCO)
	for short, long := range map[string]string{
		"{ repeat 2, s0 = r4, is4 = ft0 p0: mbyp ft0, s0; w0 = r6 }":                                    "{ repeat 2, s0 = r4..5, is4 = ft0 p0: mbyp ft0, s0; w0 = r6..7 }",
		"{ s0 = r4, s3 = r8 backend: ld s3, drc0, 0x2, s0; }":                                           "{ s0 = r4..5, s3 = r8..9 backend: ld s3, drc0, 0x2, s0; }",
		"{ s0 = sh4, s1 = r1, s2 = sh0, s4 = r0 backend: smp.2d.fcnorm s4, drc1, s0, s1, s2, _, 0x4; }": "{ s0 = sh4..7, s1 = r1..2, s2 = sh0..3, s4 = r0..3 backend: smp.2d.fcnorm s4, drc1, s0, s1, s2, _, 0x4; }",
	} {
		var a, b isa.Bundle
		if err := tg.Parse(short, 0, &a); err != nil {
			t.Fatal(err)
		}
		if err := tg.Parse(long, 0, &b); err != nil {
			t.Errorf("%s: %v", long, err)
			continue
		}
		if x, y := string(tg.Print(nil, &a)), string(tg.Print(nil, &b)); x != y {
			t.Errorf("%s is %s, and %s is %s", short, x, long, y)
		}
	}
}

// TestSpecialNames checks that all dialects read the names that Mesa's pco_isa.py gives special registers.
func TestSpecialNames(t *testing.T) {
	names := map[string]int{"face_orient": 44, "back_face": 44, "cluster_num": 45, "inst_num": 51, "samp_num": 53, "tiled_ld_comp0": 54, "tiled_st_comp0": 58, "tiled_st_comp3": 61, "inst_valid": 63,
		"x_p": 97, "x_s": 98, "y_p": 100, "Y_S": 101, "wg_id": 102, "sh_alloc_size": 103, "global0": 104, "global7": 111, "local_addr_inst_num": 112, "tile_x_p": 114, "tiled_ld_comp4": 119, "tiled_st_comp7": 126,
		"gpu_offset": 127, "timer_80ns": 160, "pixout4": 164, "pixout7": 167}
	for _, dialect := range []int{PCO, Mesa24} {
		tg := target(t, dialect)
		for name, n := range names {
			var a, b isa.Bundle
			for text, to := range map[string]*isa.Bundle{name: &a, fmt.Sprintf("sr%d", n): &b} {
				if err := tg.Parse("{ s0 = "+text+", is4 = ft0 p0: mbyp ft0, s0; w0 = r4 }.olchk", 0, to); err != nil {
					t.Fatal(err)
				}
			}
			x, errA := a.Encode(nil)
			y, errB := b.Encode(nil)
			if errA != nil || errB != nil || !bytes.Equal(x, y) {
				t.Errorf("%s: %x, want %x: %v, %v", name, x, y, errA, errB)
			}
		}
	}
	var a, b isa.Bundle
	tg := target(t, Seed)
	for text, to := range map[string]*isa.Bundle{"mov ft0, x_p mov r0, ft0": &a, "mov ft0, sr97 mov r0, ft0": &b} {
		if err := tg.Parse(text, 0, to); err != nil {
			t.Fatal(err)
		}
	}
	if x, y := string(tg.Print(nil, &a)), string(tg.Print(nil, &b)); x != y {
		t.Errorf("%q, want %q", x, y)
	}
}

// TestParseOnStack checks that reading a group does not allocate.
func TestParseOnStack(t *testing.T) {
	const text = "{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r0 }"
	s := isa.Scan{Target: target(t, PCO)}
	b := isa.Bundle{Parts: make([]isa.Inst, 0, 16)}
	if n := testing.AllocsPerRun(100, func() {
		s.Reset(text, 0)
		if err := s.ParseBundle(&b); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
