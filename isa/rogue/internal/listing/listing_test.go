package listing_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/listing"
)

// target is the target of listings.
func target(t testing.TB) *isa.Target {
	t.Helper()
	tg, err := rogue.Set().At(0, 0).With(rogue.Seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// TestMeansPCO compares listings with the same groups in the dialect of PCO, which names sources and selectors.
func TestMeansPCO(t *testing.T) {
	for _, x := range []struct{ seed, pco string }{
		// The position of an operand gives the source: s0 to s2 in phase 0, s3 to s5 in phase 1.
		{"FMAD FT0, r1, r2, r3\nfadd ft1, r4, c64\nmov r5, ft1\nmov r6, ft0", "{ s0 = r1, s1 = r2, s2 = r3, s3 = r4, s4 = sc64, is4 = ft1, is5 = ft0 p0: fmad ft0, s0, s1, s2; p1: fadd ft1, s3, s4; w0 = r5, w1 = r6 }"},
		// the first move of a result is w0
		{"mov ft0, sh3.abs mov r2, ft0", "{ s0 = sh3, is4 = ft0 p0: mbyp ft0, s0.abs; w0 = r2 }"},
		// A register whose source no position gives is read by is0.
		{"7 : mov ft0, r1\n  : mov r2, ft0\n  : mov r3, sh9", "{ s0 = r1, s3 = sh9, is0 = s3, is4 = ft0, is5 = fte p0: mbyp ft0, s0; w0 = r2, w1 = r3 }"},
		{"mov ft0, sh1; mov ft1, sh2; tstge.s32 ftt, p0, sh0, ft1; mov r0.e0.e1.e2.e3, ft1, ftt, ft0, ft1;",
			"{ s0 = sh1, s2 = sh0, s3 = sh2, is0 = s2, is1 = fte, is2 = ft1, is4 = ft1 p0: mbyp ft0, s0; p1: mbyp ft1, s3; p2_tst: tst.s32.ge.phase2end ftt, p0, is1, is2; p2_mov: movc w0, _, ftt, ft0, is4, ft1, is5; w0 = r0 }"},
		// A register that another source holds already uses that source.
		{"mov ft0, r1\ntstz.f32 ftt, p0, r1", "{ s0 = r1, is0 = s0, is1 = fte p0: mbyp ft0, s0; p2_tst: tst.f32.z.phase2end ftt, p0, is1, _; }"},
		{"if (P0) { frcp r3, r1.neg }", "if(p0) { s0 = r1 p0: frcp w0, s0.neg; w0 = r3 }"},
		{"mov r0.e0.e1.e2.e3, r9", "{ s0 = r9, is0 = s0 p2_mov: movwm.phase2end w0, fte, is4, ft0; w0 = r0 }"},
		{"mov ft0, r1 mov r0.e1, ft0, r9", "{ s0 = r1, s3 = r9, is0 = s3, is4 = fte p0: mbyp ft0, s0; p2_mov: movwm.phase2end w0.e1, ft0, is4, ft0; w0 = r0 }"},
		// s1 cannot be shared: the factors are exchanged.
		{"fmul ft0, r1, sh2 mov r0, ft0", "{ s0 = sh2, s1 = r1, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r0 }"},
		{"mov ft0, ft1, c0, c0\nmov ft2, r1\nor ft4, , ft2, , r2\nlsl ft5, ft4, c3\nmov r0, ft5\nmov r1, ft3", "{ s0 = sc0, s1 = sc0, s2 = r1, s3 = r2, s4 = sc3 p0: byp ft0, ft1, s0, s1; p1: or ft4, _, ft2, _, s3; p2: lsl ft5, ft4, s4; w0 = r0, w1 = r1 }"},
		{"add64 ft0, r0, r1, r2, r3, p0 mov r4, ft0 mov r5, fte", "{ s0 = r0, s1 = r1, s2 = r2, s3 = r3, is0 = s3, is4 = ft0, is5 = fte p0: add64 ft0, fte, _, s0, s1, s2, is0, p0; w0 = r4, w1 = r5 }"},
		{"add64 ft0, fte, r0, r1, r2, r3, p0", "{ s0 = r0, s1 = r1, s2 = r2, s3 = r3, is0 = s3 p0: add64 ft0, fte, _, s0, s1, s2, is0, p0; }"},
		{"add64 ft0, fte, _, r0, r1, r2, r3, p0", "{ s0 = r0, s1 = r1, s2 = r2, s3 = r3, is0 = s3 p0: add64 ft0, fte, _, s0, s1, s2, is0, p0; }"},
		{"umadd64 ft0, r0, r1, r2, r3, _", "{ s0 = r0, s1 = r1, s2 = r2, s3 = r3, is0 = s3 p0: imadd64 ft0, fte, s0, s1, s2, is0, _; }"},
		{"smadd64 ft0, r0, r1, r2, r3, p0", "{ s0 = r0, s1 = r1, s2 = r2, s3 = r3, is0 = s3 p0: imadd64.s ft0, fte, s0, s1, s2, is0, p0; }"},
		{"uadd6432 ft0, r0, r1, r2, p0", "{ s0 = r0, s1 = r1, s2 = r2 p0: add64_32 ft0, fte, s0, s1, s2, p0; }"},
		{"sadd6432 ft0, r0, r1, r2, _", "{ s0 = r0, s1 = r1, s2 = r2 p0: add64_32.s ft0, fte, s0, s1, s2, _; }"},
		{"umadd64 ft0, fte, r0, r1, r2, r3 mov r4, ft0 mov r5, fte", "{ s0 = r0, s1 = r1, s2 = r2, s3 = r3, is0 = s3, is4 = ft0, is5 = fte p0: imadd64 ft0, fte, s0, s1, s2, is0, _; w0 = r4, w1 = r5 }"},
		{"smp2d.fcnorm drc1, sh4, r1, sh0, _, r0, 4", "{ s0 = sh4, s1 = r1, s2 = sh0, s4 = r0 backend: smp.2d.fcnorm s4, drc1, s0, s1, s2, _, 4; }"},
		{"fitr.sample r0, drc0, cf4, cf0, 2", "{ s0 = cf4, s2 = cf0, s3 = r0 backend: fitrp.sample s3, drc0, s0, s2, 2; }"},
		{"ditr.pixel r0, drc0, cf4, 2, 1, cf0", "{ ctrl: ditrp.pixel r0, drc0, cf4, cf0, 2; }"},
		{"ld r4, drc0, 2, r6", "{ s0 = r6, s3 = r4 backend: ld s3, drc0, 2, s0; }"},
		{"ld r4, drc0, r9, r6", "{ s0 = r9, s3 = r4, s4 = r6 backend: ld.regbl s3, drc0, s0, s4; }"},
		{"atom.umin r9, drc1, r2", "{ s0 = r9, s3 = r2 backend: atomic.umin s0, drc1, s3; }"},
		{"(ignorepe) { cndst 3, r1, r1, 2 }", "(ignorepe) { s0 = r1 ctrl: cndst.if(!p0) pe, w0, s0, 2; w0 = r1 }"},
		{"cndend r1, r1, 1", "{ s0 = r1 ctrl: cndend pe, w0, s0, 1; w0 = r1 }"},
		{"mov ft0, vi3\nmov ft0.e0.e1.e2.e3, ft0\nuvsw.write ft0, vo3", "{ s0 = vi3 p0: mbyp ft0, s0; p2_mov: movwm.phase2end w0, ft0, is4, ft0; backend: uvsw.write w0, 3; }"},
		{"fred.cos.partb r1, r2, _, 0, r3, r4", "{ s0 = r3, s3 = r4 p0: fred.cos.b w0, w1, _, s0, s3, 0; w0 = r1, w1 = r2 }"},
		{"(rpt2) { fmul ft0, r1, c65 mov r4, ft0 }.atom.end", "{ repeat 2, s0 = r1, s1 = sc65, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r4 }.atom.end"},
		// What statements do not imply.
		{"mov ft0, r1 .olchk.route(s1 = r7, is0 = s1, is5 = fte, w1 = r3)", "{ s0 = r1, s1 = r7, is0 = s1, is5 = fte p0: mbyp ft0, s0; w1 = r3 }.olchk"},
	} {
		meansPCO(t, x.seed, x.pco)
	}
}

// TestModifiers checks modifiers and elements that the reference writes elsewhere than PCO, or that PCO does not
// write.
func TestModifiers(t *testing.T) {
	for _, x := range []struct{ seed, pco string }{
		{"smp2d.f32 drc1, sh4, r1, sh0, _, r0, 4", "{ s0 = sh4, s1 = r1, s2 = sh0, s4 = r0 backend: smp.2d s4, drc1, s0, s1, s2, _, 4; }"},
		{"itrsmp2d.pixel r16.f16, 1, drc0, cf4, sh4, sh0, 4, 2, cf0", "{ ctrl: itrsmp.2d.pixel.f16 r16, 1, drc0, cf4, sh4, sh0, 4, 2, cf0; }"},
		// scale and round are one bit, which PCO sets for either.
		{"unpck.s1616ogl.scale.roundzero ft0, r0.e1 mov r1, ft0", "{ s0 = r0, is4 = ft0 p0: unpck.scale.s1616ogl ft0, s0.e1; w0 = r1 }"},
		{"tstg.u8 ftt, p0, r1.e2, r1.e2", "{ s0 = r1, is0 = s0, is1 = fte, is2 = fte p2_tst: tst.u8.g.phase2end ftt, p0, is1.e2, is2.e2; }"},
	} {
		meansPCO(t, x.seed, x.pco)
	}
}

// meansPCO checks that a listing assembles to the bytes of a group in PCO's dialect, and prints and parses to them
// again.
func meansPCO(t *testing.T, text, pco string) {
	t.Helper()
	var a, b isa.Bundle
	seed := target(t)
	if err := seed.Parse(text, 0, &a); err != nil {
		t.Errorf("%s", isa.AsError(err).Detail())
		return
	}
	if err := rogue.Set().At(0, 0).Parse(pco, 0, &b); err != nil {
		t.Errorf("%s", isa.AsError(err).Detail())
		return
	}
	got, err := a.Encode(nil)
	want, err2 := b.Encode(nil)
	if err != nil || err2 != nil || string(got) != string(want) {
		t.Errorf("%q\nis   %s\nwant %s\n%v %v", text, rogue.Set().At(0, 0).Print(nil, &a), pco, err, err2)
	}
	comesBack(t, seed, &a)
}

// comesBack checks that the text of a group parses to the same group.
func comesBack(t *testing.T, tg *isa.Target, b *isa.Bundle) {
	t.Helper()
	text := string(tg.Print(nil, b))
	var back isa.Bundle
	if err := tg.Parse(text, 0, &back); err != nil {
		t.Errorf("%s", isa.AsError(err).Detail())
		return
	}
	if len(back.Parts) != len(b.Parts) || back.Pad != b.Pad {
		t.Errorf("%q: %d parts, want %d", text, len(back.Parts), len(b.Parts))
		return
	}
	for i := range b.Parts {
		if back.Parts[i].Def != b.Parts[i].Def || back.Parts[i].Word != b.Parts[i].Word {
			t.Errorf("%q: part %d is %v, want %v", text, i, back.Parts[i], b.Parts[i])
		}
	}
}

func TestErrors(t *testing.T) {
	for _, x := range []struct {
		text, msg string
		col       int
	}{
		{"fmul ft0, r1, r2\nmov r0, r3\nmov r4, r5", "a second register that no phase reads", 37},
		{"fmul ft0, sh1, sh2 mov r0, ft0", "sh2 cannot be s1", 1},
		{"mov ft0, sh1 mov ft1, sh2 fmad ft1, r1, r2, r3", "s3 is one for all instructions of the group", 37},
		{"fmad ft0, sh0, r0, sh1 mov ft1, sh2 tstz.f32 ftt, _, sh3", "no source is left that can be sh3", 54},
		{"if (p1) { mov ft0, r1 }", "a condition is", 1},
		{"fmla ft0, r1, r2", `no instruction "fmla"`, 1},
		{"fmul ft0, r1, ft7", `where a register is expected`, 15},
		{"cndst 7, r0, r0, 1", "the condition is 0", 7},
		{"{ mov ft0, r1", `"}" is missing`, 14},
		{"mov ft0, r1 .route(s9 = r1)", "a route is", 20},
		{"tstg.f32 ftt, _, ft1, r3", "a test compares", 18},
		{"frcp r0, r1 mov r1, ft0 mov r2, ft0", "w1 goes to one register", 29},
		{"smp2d.f16.f32 drc0, sh0, r0, sh4, _, r16, 4", "not both", 1},
		{"itrsmp2d.pixel 0, 1, drc0, cf4, sh4, sh0, 4, 2, cf0", "without a destination has no public encoding", 16},
		{"itrsmp2d.pixel r0, 1, drc0, cf4, sh4, sh0, 4, 2, cf0, sh12, sh13", "raster state and a forced count of samples have no public encoding", 55},
		{"mbyp ft0, r4[idx0, 4] mov r16, ft0", "the dimension of an index is 1 here", 11},
		{"f16sop r16.joutj, r17.koutk, _, r0, r1, mad, r2, r3, r4, r5, add, r0, r1, _", "F16SOP.MAD alone has operands", 41},
		{"mov ft0, r1..2 mov r0, ft0", "2 registers are named where one is expected", 10},
	} {
		var b isa.Bundle
		err := target(t).Parse(x.text, 0, &b)
		if e := isa.AsError(err); err == nil || !strings.Contains(e.Msg, x.msg) || e.Col != x.col {
			t.Errorf("%q: %v, want %q in column %d", x.text, err, x.msg, x.col)
		}
	}
}

func TestOpen(t *testing.T) {
	for _, x := range []struct {
		text, next string
		open       bool
	}{
		{"0 : mov ft0, r1", "    mov r2, ft0", true}, {"0 : mov ft0, r1", "1 : mov ft0, r1", false}, {"0 : mov ft0, r1", "loop:", false}, {"0 : mov ft0, r1", ".align 8", false},
		{"0 : mov ft0, r1", "", false}, {"mov ft0, r1", "mov r2, ft0", false}, {"mov ft0, r1", "  : mov r2, ft0", true}, {"if(p0) {", "mov ft0, r1", true}, {"0 : { nop }", "nop", false},
		{"mov i0.e0, ft1, ftt,", "ft0, ft1", true}, {"", ": mov r1, ft0", false},
	} {
		if got := listing.Open(x.text, x.next); got != x.open {
			t.Errorf("%q, %q: %v", x.text, x.next, got)
		}
	}
}

// An example is a listing of the reference, split into groups.
type example struct {
	ID     string
	Raw    string `json:"asm_raw"`
	Groups []struct {
		Group  int
		Cond   string
		Instrs []string
	}
}

func listings(t testing.TB) []example {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(cases.Dir(t), "rogue", "seed-examples.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Examples []example }
	if err := json.Unmarshal(data, &file); err != nil || len(file.Examples) != 62 {
		t.Fatal(len(file.Examples), err)
	}
	return file.Examples
}

// TestListings reads the listings of the reference, on one line as they are there and line by line: all parse, and
// print and parse to the same.
func TestListings(t *testing.T) {
	tg := target(t)
	for _, x := range listings(t) {
		for _, g := range x.Groups {
			text := g.Cond + " {\n" + strings.Join(g.Instrs, "\n") + "\n}"
			var lines, raw isa.Bundle
			if err := tg.Parse(text, 0, &lines); err != nil {
				t.Errorf("%s: %s", x.ID, isa.AsError(err).Detail())
				continue
			}
			comesBack(t, tg, &lines)
			if len(x.Groups) > 1 {
				continue
			}
			one, _, hasComment := strings.Cut(x.Raw, "#") // the comment ends at the next statement
			if _, rest, ok := strings.Cut(x.Raw, ": mov r0"); hasComment && ok {
				one += ": mov r0" + rest
			}
			if err := tg.Parse(one, 0, &raw); err != nil {
				t.Errorf("%s: %s", x.ID, isa.AsError(err).Detail())
				continue
			}
			if a, b := string(tg.Print(nil, &lines)), string(tg.Print(nil, &raw)); a != b {
				t.Errorf("%s: by lines %q, on one line %q", x.ID, a, b)
			}
		}
	}
}

// TestBytes prints decoded groups as listings and parses them again.
func TestBytes(t *testing.T) {
	tg := target(t)
	for _, digits := range []string{
		"4412d33f00000024", "2936c0c085478109888445812408108041ff", "5952c4f0d087878140a000988208001124ff", "68f240004180804080018080c0800824", "05807100050402002dff", "66600803d03f878304000000",
	} {
		code, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		var b isa.Bundle
		if err := tg.DecodeBundle(code, 0, &b); err != nil {
			t.Fatal(err)
		}
		comesBack(t, tg, &b)
	}
}

// TestEnd checks that a group is read to its end, also if its results follow it.
func TestEnd(t *testing.T) {
	for _, text := range []string{"fdsxf ft0, r28\n: mov g2, ft0", "fdsxf ft0, r28 : mov g2, ft0", "mov ft0, r1 .pad(6)", "if(p0) { mov ft0, r1 }", "fdsxf ft0, r28\n\t: mov g2, ft0 .route(s3 = r0)"} {
		s := isa.Scan{Target: target(t)}
		s.Reset(text, 0)
		var b isa.Bundle
		if err := s.ParseWhole(&b); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestIS0 checks that operands read by IS0 take no modifiers, which no encoding has.
func TestIS0(t *testing.T) {
	var b isa.Bundle
	err := target(t).Parse("add64 ft0, r0, r1, r2, r3.neg, p0", 0, &b)
	if err == nil || isa.AsError(err).Code != isa.ErrModifier || isa.AsError(err).Col != 26 {
		t.Errorf("%v", err)
	}
}

// TestDirect checks that instructions that bypass the main unit parse, and print so that they parse again.
func TestDirect(t *testing.T) {
	tg := target(t)
	for _, text := range []string{"idf.direct drc0, r0", "atom.add.direct r16, drc0, r0", "atom.xor.direct r16, drc1, r4"} {
		var b, back isa.Bundle
		if err := tg.Parse(text, 0, &b); err != nil {
			t.Fatal(err)
		}
		printed := string(tg.Print(nil, &b))
		if err := tg.Parse(printed, 0, &back); err != nil || string(tg.Print(nil, &back)) != printed || !strings.Contains(printed, "direct") {
			t.Errorf("%s: %q: %v", text, printed, err)
		}
	}
}

// TestDimension checks that an index has the dimension of option index-unit, whether the text names it or not.
func TestDimension(t *testing.T) {
	tg, err := rogue.Set().At(0, 0).With(rogue.Seed, map[string]string{"index-unit": "4"})
	if err != nil {
		t.Fatal(err)
	}
	var a, b isa.Bundle
	for text, to := range map[string]*isa.Bundle{"mbyp ft0, r4[idx0, 4] mov r16, ft0": &a, "mbyp ft0, r4[idx0] mov r16, ft0": &b} {
		if err := tg.Parse(text, 0, to); err != nil {
			t.Fatal(err)
		}
	}
	if x, y := string(tg.Print(nil, &a)), string(tg.Print(nil, &b)); x != y {
		t.Errorf("%q and %q", x, y)
	}
	if err := tg.Parse("mbyp ft0, r4[idx0, 1] mov r16, ft0", 0, &a); err == nil {
		t.Error("a dimension of 1 is taken")
	}
}
