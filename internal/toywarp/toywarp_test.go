package toywarp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
)

func TestLaws(t *testing.T) {
	rep := laws.Check(t, Set(), laws.Options{})
	if len(rep.Trapped) > 0 || rep.Words < 800 || rep.Skipped > 0 {
		t.Errorf("%d words, %d skipped, lifts that trap: %v", rep.Words, rep.Skipped, rep.Trapped)
	}
	for name, n := range rep.Aliases {
		if !strings.HasSuffix(name, "(long)") {
			t.Errorf("%s: %d words print as another encoding does", name, n)
		}
	}
}

// TestLanes: rows affect only the lanes of their mask; a faulting instruction has no effect, for any stack.
func TestLanes(t *testing.T) {
	n := 0
	stacks := [][]exec.TokenKind{
		nil,
		{exec.TokenCall, exec.TokenBreak, exec.TokenMeet},
		{exec.TokenMeet, exec.TokenCall, exec.TokenBreak},
		{exec.TokenQuad},
		slices.Repeat([]exec.TokenKind{exec.TokenMeet}, Depth),
	}
	runs := laws.Lanes(t, Set(), laws.RunOptions{Prepare: func(st *exec.State) {
		for _, k := range stacks[n%len(stacks)] {
			st.Stack = append(st.Stack, exec.Token{Kind: k, PC: 0x100, Mask: st.Full})
		}
		n++
	}})
	if runs < 200 {
		t.Errorf("%d runs", runs)
	}
}

func FuzzWord(f *testing.F) {
	f.Add([]byte{0x11, 0, 0, 0x10, 0xa1, 0x06, 0, 0})
	f.Fuzz(func(t *testing.T, code []byte) {
		for st := range 2 {
			laws.FuzzWord(t, Set().At(0, st), code)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"exit (p0) add.sat r1, s[a1++4], r2", "join (!p3) nop", "mov r1, in[3]", "long nop", "bra 8"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { laws.FuzzText(t, Set().At(0, VP), text) })
}

func FuzzBytes(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) < 1<<10 {
			laws.Bytes(t, Set().At(0, FP), code, 0)
		}
	})
}

func FuzzAssemble(f *testing.F) {
	for _, c := range layouts {
		f.Add(c.src)
	}
	f.Add("nop\n.zero b - a\na: nop\nnop\nb: nop\nnop")
	f.Add("nop\na: nop\nbra a+4\n.enc 000000f0 nop\n.align 8\nbra .")
	f.Fuzz(func(t *testing.T, src string) { laws.FuzzFile(t, Set().At(0, FP), src) })
}

// TestText: several words may precede the mnemonic, in any order, each once; their combination is checked.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"add r1, r2, r3":                     "add r1, r2, r3",
		"long add r1, r2, r3":                "add r1, r2, r3",
		"exit (p0) add.sat r1, s[a1++4], r2": "exit (p0) add.sat r1, s[a1++4], r2",
		"(!p1) join mov r1, s[a3+252]":       "join (!p1) mov r1, s[a3+252]",
		"mov r1, in[3]":                      "mov r1, in[3]",
		"(p0) (p1) nop":                      "a guard stands here a second time [modifier]",
		"exit join nop":                      "exit or join stands here a second time [modifier]",
		"mov r1, v[3]":                       `"v[3]" where a register or a source is expected`,
		"exit bra 8":                         "cannot stand before control flow [illegal]",
		"ddx r1, r2":                         "ddx is not in stage vp, only in fp [stage]",
		"exitadd r1, r2, r3":                 "no instruction",
		"mov r1, s[a0+4]":                    "a1+, a2+ or a3+ is expected",
		"nop.sat":                            "no suffix",
		"add.sat.sat r1, r2, r3":             "a suffix stands here a second time",
	} {
		tg := Set().At(0, VP)
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

// TestStages: the stage determines the text of a word; words of another stage give an error that says so.
func TestStages(t *testing.T) {
	word, err := asm.Line(Set().At(0, VP), "mov r1, in[3]")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := asm.DisLine(Set().At(0, FP), word); err != nil || got != "mov r1, v[3]" {
		t.Errorf("%q, %v", got, err)
	}
	word, err = asm.Line(Set().At(0, FP), "ddx r1, r2")
	if err != nil {
		t.Fatal(err)
	}
	_, err = asm.DisLine(Set().At(0, VP), word)
	if err == nil || !strings.Contains(err.Error(), "no instruction of stage vp (stage fp would read ddx) in") || !strings.Contains(err.Error(), "[stage]") {
		t.Error(err)
	}
}

// TestCheck: fields that are legal separately but not together do not decode.
func TestCheck(t *testing.T) {
	for word, want := range map[string]string{
		"0100001040040000": "an increment without address register",
		"0100003000010000": "the operand is not s[]",
		"0100006001000000": "cannot stand before control flow",
	} {
		if text, err := asm.DisLine(Set().At(0, VP), word); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "[illegal]") {
			t.Errorf("%s: %q, %v; want %s", word, text, err, want)
		}
	}
}

// layouts are files and the sizes of the assembled instructions, s and l.
var layouts = []struct{ src, sizes string }{
	{"nop\nnop", "ss"},
	{"nop", "l"},
	{"nop\nnop\nnop", "ssl"},
	{"nop\nmul r1, r1, r1\nnop", "lll"},
	{"nop\na: nop\nnop", "lss"},
	{"nop\nnop\na: nop\nbra a", "ssll"},
	{"long nop\nnop", "ll"},
	{"bra a\nnop\nnop\nnop\na: nop\nnop", "lsslss"},
	{"nop\n.align 8\nnop\nnop", "lss"},
	{".exact\nnop\nmul r1, r1, r1", "sl"},
	{"nop\na: nop\nnop\nbra a", "lssl"},
	{"nop\nbra .", "ll"},
	{"nop\nbra . + 8\nnop\nnop", "llss"},
	{"nop\n.enc 000000f0 nop\nnop", "ssl"},
	{"nop\n.enc 010000f000000000 nop\nnop", "lll"},
}

func TestLayout(t *testing.T) {
	tg := Set().At(0, VP)
	for _, c := range layouts {
		a, errs := asm.Assemble(tg, []byte(c.src), asm.Options{})
		if len(errs) > 0 {
			t.Errorf("%q: %v", c.src, errs[0])
			continue
		}
		sizes := ""
		var b isa.Bundle
		for at := 0; at < len(a.Code); at += b.Size() {
			if err := tg.DecodeBundle(a.Code[at:], uint64(at), &b); err != nil {
				t.Fatal(err)
			}
			sizes += map[int]string{4: "s", 8: "l"}[b.Size()]
		}
		if sizes != c.sizes {
			t.Errorf("%q: %s, want %s", c.src, sizes, c.sizes)
		}
	}
}

// TestLayoutErrors: an error that no layout can fix is reported once, at its place.
func TestLayoutErrors(t *testing.T) {
	for src, want := range map[string]string{
		"nop\nnop\na: nop\nbra a+4":  "f:4:5: error: bra: the target is no multiple of 8 up to 0x3fff8 [range]",
		"nop\nbra a, a\na: nop":      `f:2:8: error: bra: "a" is no modifier`,
		"nop\nbra b\na: nop":         `f:2:5: error: bra: undefined label "b" [symbol]`,
		"x: .zero 8 - (y - x)\ny:\n": "f:2:1: error: the addresses of labels do not settle: sizes depend on each other [symbol]",
	} {
		_, errs := asm.Assemble(Set().At(0, VP), []byte(src), asm.Options{File: "f"})
		if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), want) {
			t.Errorf("%q: %v, want %s", src, errs, want)
		}
	}
}

// TestLayoutSettles: a layout that never settles is stopped.
func TestLayoutSettles(t *testing.T) {
	a := Arch()
	a.Pairs, a.Layout = false, func(_ *isa.Target, units []isa.Unit) bool {
		for i := range units {
			units[i].Long = !units[i].Long
		}
		return true
	}
	s, err := isa.Compile(a)
	if err != nil {
		t.Fatal(err)
	}
	_, errs := asm.Assemble(s.At(0, VP), []byte("nop\nb: nop\nbra b"), asm.Options{})
	if len(errs) == 0 || !strings.Contains(fmt.Sprint(errs), "the layout of the instructions does not settle") {
		t.Error(errs)
	}
}

// TestUnits: units are the instructions of the file in order, including those of .enc lines, which alone have a fixed
// form.
func TestUnits(t *testing.T) {
	a := Arch()
	var seen []string
	a.Pairs, a.Layout = false, func(_ *isa.Target, units []isa.Unit) bool {
		seen = seen[:0]
		for i := range units {
			u := &units[i]
			seen = append(seen, fmt.Sprintf("%s %d %t %t", u.Bundle.Parts[0].Def.Name, u.Addr, u.Label, u.Fixed))
		}
		return false
	}
	s, err := isa.Compile(a)
	if err != nil {
		t.Fatal(err)
	}
	src := "nop\n.enc 000000f0 nop\nlong nop\nl: mov r1, r2\n.byte 1, 2, 3, 4\nbra l\n"
	b, errs := asm.Assemble(s.At(0, VP), []byte(src), asm.Options{Base: 0x100})
	if want := "nop 256 true false|nop 260 false true|nop 264 false false|mov 272 true false|bra 280 true false"; strings.Join(seen, "|") != want || len(errs) > 0 {
		t.Errorf("%s, %v; want %s", strings.Join(seen, "|"), errs, want)
	}
	if b != nil && b.Bundles != nil {
		t.Errorf("%d bundles that nobody asked for", len(b.Bundles))
	}
}

// TestLayoutMovesLabels: a label that moves when forms change gets the final address of its instruction.
func TestLayoutMovesLabels(t *testing.T) {
	src := strings.Repeat("nop\nmul r1, r1, r1\n", 20) + "end: nop\nnop\nbra end\n"
	tg := Set().At(0, VP)
	a, errs := asm.Assemble(tg, []byte(src), asm.Options{Base: 0x100})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	if a.Labels[0].Addr != 0x100+40*8 {
		t.Errorf("end is at %#x", a.Labels[0].Addr)
	}
	var list bytes.Buffer
	if err := asm.List(&list, tg, a.Code, a.Base, asm.ListOptions{Exact: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(list.String(), "bra L_240") {
		t.Error(list.String())
	}
	back, errs := asm.Assemble(tg, list.Bytes(), asm.Options{})
	if len(errs) > 0 || !bytes.Equal(back.Code, a.Code) {
		t.Errorf("%v: the listing assembles to other bytes", errs)
	}
}

// TestPairs: findings that depend on neighbours.
func TestPairs(t *testing.T) {
	tg := Set().At(0, VP)
	for src, want := range map[string]string{
		".exact\nnop\nnop":                           "",
		".exact\nnop\nmul r1, r1, r1":                "unpaired unaligned",
		".exact\nmul r1, r1, r1\nnop\nnop\nlong nop": "",
		".exact\nlong nop\nnop":                      "unpaired",
	} {
		a, errs := asm.Assemble(tg, []byte(src), asm.Options{})
		if len(errs) > 0 {
			t.Fatal(errs[0])
		}
		var bs []*isa.Bundle
		for at := 0; at < len(a.Code); {
			b := &isa.Bundle{}
			if err := tg.DecodeBundle(a.Code[at:], uint64(at), b); err != nil {
				t.Fatal(err)
			}
			bs = append(bs, b)
			at += b.Size()
		}
		var got []string
		for i := range bs {
			var prev, next *isa.Bundle
			if i > 0 {
				prev = bs[i-1]
			}
			if i+1 < len(bs) {
				next = bs[i+1]
			}
			for _, f := range tg.Lint(prev, bs[i], next) {
				got = append(got, f.Rule)
			}
		}
		if fmt.Sprint(strings.Join(got, " ")) != want {
			t.Errorf("%q: %v, want %s", src, got, want)
		}
	}
}
