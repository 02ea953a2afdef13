package toygroup

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
)

// in returns the set's target in a dialect.
func in(t testing.TB, dialect int) *isa.Target {
	t.Helper()
	tg, err := Set().At(0, 0).With(dialect, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// groups are hand-encoded bytes, by the package comment, and their text in both dialects.
var groups = []struct{ code, brief, lines string }{
	{"330410011203", "main { add ft0, s0, s1; src r1; src sh2; out r3, ft0 }", "group\n+ add ft0, r1, sh2\n+ mov r3, ft0"},
	{"34041101b0ff03ff", "main { add ft0, s0.neg, s1; src r1; src sh[i0+255]; out r3, ft0 }", "group\n+ add ft0, r1.neg, sh[i0+255]\n+ mov r3, ft0"},
	{"4418400001020211", "main { mov ft0, s0; mov ft1, s3; src r1; src r2; out r2, ft0; out r1, ft1 }",
		"group\n+ mov ft0, r1\n+ mov ft1, r2\n+ mov r2, ft0\n+ mov r1, ft1"},
	{"89ab0211030232010102a100d007930101ff",
		"main.x3.np0 { mad.sat ft0, s0, s1.neg, s2; mul ft1, ft0, s3.neg; tst.ge p0, ft1; src r1; src r2; src i1; src #7; out sh3, ft1; out r1, ft0 }",
		"group.x3.np0\n+ mad.sat ft0, r1, r2.neg, i1\n+ mul ft1, ft0, #7.neg\n+ tst.ge p0, ft1\n+ mov sh3, ft1\n+ mov r1, ft0"},
	{"4484052005fff1ff", "main.x2.end { lane ft0; out r5, ft0 } pad 2", "group.x2.end\n+ lane ft0\n+ mov r5, ft0\n+ pad 2"},
	{"324000ff", "ctrl { nop }", "control\n+ nop"},
	{"344000fff2ffffff", "ctrl { nop } pad 4", "control\n+ nop\n+ pad 4"},
	{"5341010400ff", "ctrl.p0 { br 4 }", "control.p0\n+ br 4"},
}

func TestGroups(t *testing.T) {
	for _, g := range groups {
		for dialect, want := range []string{g.brief, g.lines} {
			tg := in(t, dialect)
			if got, err := asm.DisLine(tg, g.code); err != nil || got != want {
				t.Errorf("%s: %q, %v, want %q", g.code, got, err, want)
			}
			if got, err := asm.Line(tg, want); err != nil || got != g.code {
				t.Errorf("%s: %s, %v, want %s", want, got, err, g.code)
			}
		}
	}
}

// TestRefused: invalid bytes, and the errors.
func TestRefused(t *testing.T) {
	for code, want := range map[string]string{
		"32400011":     "what follows its parts is no padding in 3240 [illegal]",
		"42400000":     "the header says another place of the sources",
		"31c0":         "no group header has these bits",
		"314000ff":     "its parts are longer than the group",
		"32400aff":     "no control instruction has these bits",
		"3204f0ff":     "no phase 0 has these bits",
		"33400000":     "a group of 6 bytes, 4 left in 3340 [truncated]",
		"330410017203": "src: reserved bits must be 0: bit 5 is 1",
		"330400014301": "no output has these bits",
		"5341010300ff": "a branch to an odd address in 010300 [illegal]",
		"318400":       "a group shorter than its header",
	} {
		text, err := asm.DisLine(in(t, Brief), code)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %s", code, text, err, want)
		}
	}
}

// TestErrors: invalid text, and the errors with their positions.
func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		dialect   int
		src, want string
	}{
		{Brief, "main { src r1 }", "f:1:1: error: a group without phase 0 [illegal]"},
		{Brief, "main { add ft0, s0, s1; src r1 }", "f:1:1: error: 1 sources, where the phases use 2 [illegal]"},
		{Brief, "main { mul ft1, ft0, s3; mov ft0, s0 }", `f:1:30: error: mov: "ft0" where ft1 is expected [operand]`},
		{Brief, "main { lane ft0; add ft0, s0, s1 }", "f:1:1: error: two instructions of one phase [illegal]"},
		{Brief, "main { nop }", "f:1:1: error: a control instruction needs a group of its own [illegal]"},
		{Brief, "main { mul ft1, ft0, s3; lane ft0 }", "f:1:26: error: lane is a phase 0, where a phase 1 is expected [mnemonic]"},
		{Brief, "main { lane ft0; out sh[i0+1], ft0 }", `f:1:22: error: out: "sh[i0" where a register is expected [operand]`},
		{Brief, "main { lane ft0", `"}" is missing [syntax]`},
		{Brief, "main lane ft0", `"lane" is no modifier`},
		{Brief, "ctrl { nop } pad 3", "the padding is no even number of bytes up to 32 [range]"},
		{Brief, "ctrl { nop } pad 30", "a group of 34 bytes; 32 are possible [illegal]"},
		{Brief, "main {\n  lane ft0;\n  frob r1 }", `f:3:3: error: no instruction "frob" in toygroup [mnemonic]`},
		{Brief, "main.atom.x2 { lane ft0 }", "an atomic group that repeats"},
		{Brief, "a: ctrl { br a+1 }", "f:1:14: error: the target is an odd number of bytes away [range]"},
		{Lines, "group\n+ add ft0, r1, r2\n+ xor ft1, ft0, r1\n+ mov r9, ft1\n+ mov r33, ft0", "f:5:7: error: mov: a register is expected, below 16 [range]"},
		{Lines, "group\n+ add ft0, r1, r2\n+ xor ft1, ft0, r3", "f:3:17: error: xor: s0 is one for all phases of the group [operand]"},
		{Lines, "group\n+ add ft0, s0, r2", "a register"},
		{Lines, "control\n+ nop\n+ pad 2\n+ pad 2", "f:4:3: error: nothing but padding may follow a group [syntax]"},
	} {
		_, errs := asm.Assemble(in(t, tt.dialect), []byte(tt.src), asm.Options{File: "f"})
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), tt.want) {
			t.Errorf("%q: %v, want %s", tt.src, errs, tt.want)
		}
	}
}

// TestSpans: statements span lines, with comments in between; a file may select its dialect.
func TestSpans(t *testing.T) {
	for _, src := range []string{
		"main { // first\n\tadd ft0, s0, s1; /* x\n y */ src r1;\n src sh2; out r3, ft0\n}\nctrl { nop }",
		".dialect lines\ngroup // first\n\t+ add ft0, r1, sh2\n + mov r3, ft0 // last\ncontrol\n+ nop\n",
		".exact\n.dialect lines\ngroup\n+ add ft0, r1, sh2\n+ mov r3, ft0\n.dialect brief\nctrl {\nnop }\n",
	} {
		a, errs := asm.Assemble(in(t, Brief), []byte(src), asm.Options{})
		if len(errs) > 0 {
			t.Errorf("%q: %v", src, errs[0])
		} else if got := fmt.Sprintf("%x", a.Code); got != groups[0].code+"324000ff" {
			t.Errorf("%q: %s", src, got)
		}
	}
	_, errs := asm.Assemble(in(t, Brief), []byte(".dialect other"), asm.Options{})
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), `"other" is no dialect of toygroup [directive]`) {
		t.Error(errs)
	}
}

// TestListing: what text would not reproduce is in .enc, with its text; padding is kept.
func TestListing(t *testing.T) {
	code := []byte{
		0x34, 0x84, 0x00, 0x20, 0x05, 0xff, 0xf1, 0xff, // a long header where a short one suffices
		0x33, 0x04, 0x20, 0x85, 0x00, 0xff, // a long output where a short one suffices
		0x53, 0x40, 0x01, 0xf4, 0xff, 0xff, // back to the second group
		0x12, 0xc4,
	}
	code[0] = 0x44
	for dialect, want := range []string{
		Brief: ".isa toygroup:x1\n.exact\n" +
			"\t.enc 4484002005fff1ff main { lane ft0; out r5, ft0 } pad 2\n" +
			"L_8:\n\t.enc 3304208500ff main { lane ft0; out r5, ft0 }\n" +
			"\tctrl { br L_8 }\n\t.short 0xc412 // no group header has these bits\n",
		Lines: ".isa toygroup:x1\n.dialect lines\n.exact\n" +
			"\t.enc 4484002005fff1ff group\n\t+ lane ft0\n\t+ mov r5, ft0\n\t+ pad 2\n" +
			"L_8:\n\t.enc 3304208500ff group\n\t+ lane ft0\n\t+ mov r5, ft0\n" +
			"\tcontrol\n\t+ br L_8\n\t.short 0xc412 // no group header has these bits\n",
	} {
		var list bytes.Buffer
		if err := asm.List(&list, in(t, dialect), code, 0, asm.ListOptions{Exact: true}); err != nil || list.String() != want {
			t.Errorf("%v\n%s\nwant\n%s", err, list.String(), want)
		}
		a, errs := asm.Assemble(in(t, Brief), list.Bytes(), asm.Options{})
		if len(errs) > 0 || !bytes.Equal(a.Code, code) {
			t.Errorf("%v: the listing assembles to other bytes than %x", errs, code)
		}
	}
}

// TestBranchIntoGroup: a branch into a group, or out of the code, has no label but a distance.
func TestBranchIntoGroup(t *testing.T) {
	code := []byte{0x53, 0x40, 0x01, 0x02, 0x00, 0xff, 0x32, 0x40, 0x00, 0xff, 0x53, 0x40, 0x01, 0x06, 0x00, 0xff, 0x53, 0x40, 0x01, 0x00, 0x00, 0xff}
	want := ".isa toygroup:x1\n.exact\n\tctrl { br 2 }\n\tctrl { nop }\n\tctrl { br L_16 }\n\tctrl { br L_16 }\nL_16:\n"
	var list bytes.Buffer
	if err := asm.List(&list, in(t, Brief), code, 0, asm.ListOptions{Exact: true}); err != nil || list.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, list.String(), want)
	}
	laws.Bytes(t, in(t, Lines), code, 0x40)
}

// TestNoEnd: a group without end does not extend over a long file.
func TestNoEnd(t *testing.T) {
	_, errs := asm.Assemble(in(t, Brief), []byte(strings.Repeat("main {\n", 20000)), asm.Options{})
	if len(errs) < 20000/256 || !strings.Contains(errs[0].Error(), `"}" is missing`) {
		t.Errorf("%d errors, %v", len(errs), errs[0])
	}
}

// TestParallel: targets may be used by several goroutines at once.
func TestParallel(t *testing.T) {
	tg := in(t, Lines)
	var all sync.WaitGroup
	for n := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			g := groups[n%len(groups)]
			for range 200 {
				if got, err := asm.DisLine(tg, g.code); err != nil || got != g.lines {
					t.Errorf("%q, %v, want %q", got, err, g.lines)
				}
			}
		}()
	}
	all.Wait()
}

// TestLayout: labels are at multiples of four bytes, by padding of the previous group, and branches know where their
// groups end. The bytes are encoded by hand.
func TestLayout(t *testing.T) {
	var src, want string
	for _, tt := range []struct{ text, code string }{
		{"ctrl { br b }", "5440010c00fff1ff"}, // 0 to 8: from 8 to 20
		{"a: main { lane ft0; out r1, ft0 }", "32042001"},
		{"main { ldi ft0, 1 }", "5400400100fff1ff"},     // 12 to 20
		{"b: ctrl { br a }", "534001eeffff"},            // 20 to 26: 18 bytes back
		{"ctrl { br b } pad 2", "554001f0fffff2ffffff"}, // to 36: 16 bytes back
		{"c: ctrl.p0 { br c }", "534101faffff"},         // 6 bytes back
	} {
		src, want = src+tt.text+"\n", want+tt.code
	}
	a, errs := asm.Assemble(in(t, Brief), []byte(src), asm.Options{Base: 0x100})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	if got := fmt.Sprintf("%x", a.Code); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i, at := range []uint64{0x108, 0x114, 0x124} {
		if a.Labels[i].Addr != at {
			t.Errorf("%s is at %#x, want %#x", a.Labels[i].Name, a.Labels[i].Addr, at)
		}
	}
	a, errs = asm.Assemble(in(t, Brief), []byte(".exact\nctrl { nop }\nmain { ldi ft0, 1 }\na: ctrl { br a }"), asm.Options{})
	if got := fmt.Sprintf("%x", a.Code); len(errs) > 0 || got != "324000ff5300400100ff534001faffff" {
		t.Errorf("%v: %s", errs, got)
	}
}

// TestNop: an alignment is filled with a group.
func TestNop(t *testing.T) {
	got, err := asm.DisLine(in(t, Brief), fmt.Sprintf("%x", Arch().Nop(0)))
	if err != nil || got != "ctrl { nop }" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestFindings: a finding depends on another part of the group.
func TestFindings(t *testing.T) {
	for text, want := range map[string]int{
		"main { lane ft0; out r1, ft0; out r1, ft1 }":  1,
		"main { lane ft0; out r1, ft0; out sh1, ft1 }": 0,
	} {
		var b isa.Bundle
		if err := in(t, Brief).Parse(text, 0, &b); err != nil {
			t.Fatal(err)
		}
		if fs := in(t, Brief).Lint(nil, &b, nil); len(fs) != want {
			t.Errorf("%s: %v", text, fs)
		}
	}
}

func FuzzWord(f *testing.F) {
	for _, g := range groups {
		var code []byte
		if _, err := fmt.Sscanf(g.code, "%x", &code); err != nil {
			f.Fatal(err)
		}
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		for d := range 2 {
			laws.FuzzWord(t, in(t, d), code)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, g := range groups {
		f.Add(g.brief, 0)
		f.Add(g.lines, 1)
	}
	f.Fuzz(func(t *testing.T, text string, dialect int) { laws.FuzzText(t, in(t, dialect&1), text) })
}

func FuzzBytes(f *testing.F) {
	for _, g := range groups {
		f.Add([]byte(g.brief), 0)
	}
	f.Fuzz(func(t *testing.T, code []byte, dialect int) {
		if len(code) < 1<<10 {
			laws.Bytes(t, in(t, dialect&1), code, 0)
		}
	})
}

// FuzzAssemble: any text assembles, or gives errors with valid positions.
func FuzzAssemble(f *testing.F) {
	f.Add(loop, 0)
	f.Add(".dialect lines\ngroup // first\n\t+ add ft0, r1, sh2 /*\n*/\n + mov r3, ft0\n+ pad 2\nx: control\n+ br x\n+", 1)
	f.Add("x: main {\n\n lane ft0; } pad", 0)
	f.Fuzz(func(t *testing.T, src string, dialect int) {
		if len(src) > 4096 {
			return
		}
		a, errs := asm.Assemble(in(t, dialect&1), []byte(src), asm.Options{File: "f", MaxSize: 1 << 14})
		if (a == nil) == (len(errs) == 0) {
			t.Fatalf("%v, %v", a, errs)
		}
		lines := strings.Split(src, "\n")
		for _, e := range errs {
			if e.Code == "" || e.Msg == "" || e.Line < 1 || e.Line > len(lines) || e.Col < 1 || e.Col > len(lines[e.Line-1])+1 {
				t.Errorf("%#v", e)
			}
			_ = e.Detail()
		}
	})
}

// TestGroupInMacro: a group over several lines is the same in a macro and in a repetition, with errors at its lines.
func TestGroupInMacro(t *testing.T) {
	group := "group\n+ add ft0, r1, r2\n+ xor ft1, ft0, r1\n+ mov r9, ft1\n"
	want, errs := asm.Assemble(in(t, Lines), []byte(group+group), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	inMacro := strings.ReplaceAll(group, "r9", "\\d")
	for _, src := range []string{".macro g d\n" + inMacro + ".endm\ng r9\ng r9\n", ".rept 2\n" + group + ".endr\n"} {
		a, errs := asm.Assemble(in(t, Lines), []byte(src), asm.Options{})
		if len(errs) > 0 || !bytes.Equal(a.Code, want.Code) {
			t.Errorf("%s: %v, want %x", src, errs, want.Code)
		}
	}
	_, errs = asm.Assemble(in(t, Lines), []byte(".macro g d\n"+inMacro+".endm\n\ng r99\n"), asm.Options{})
	if len(errs) != 1 || errs[0].Line != 8 || errs[0].Source != "+ mov r99, ft1" || errs[0].Note != "line 5, in the macro g of line 1, used in line 8" {
		t.Errorf("%#v", errs)
	}
}
