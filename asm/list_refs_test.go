package asm_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

func targetOf(t *testing.T, name string) *isa.Target {
	t.Helper()
	tg, err := sets.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

func listing(t *testing.T, tg *isa.Target, code []byte, base uint64, opt asm.ListOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := asm.List(&b, tg, code, base, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRefs: labels name the branches to them, in order, a few by address and the others by number; branches name the
// symbol of their target if the text does not.
func TestRefs(t *testing.T) {
	tg := targetOf(t, "gcn:gfx8")
	text := "top: s_cbranch_scc1 top\ns_cbranch_scc0 top\ns_cbranch_vccz top\ns_cbranch_vccnz top\ns_branch mid\ns_nop 0\nmid: s_branch helper\nhelper: s_nop 1\ninner: s_branch inner\ns_swappc_b64 s[0:1], s[2:3]\n"
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{Base: 0x100})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	opt := asm.ListOptions{Exact: true, Comments: true, Refs: true, Symbols: []asm.Symbol{{Name: "main", Addr: 0x100}, {Name: "helper", Addr: 0x11c}},
		Calls: map[uint64]uint64{0x124: 0x120}}
	got := listing(t, tg, a.Code, 0x100, opt)
	for _, want := range []string{
		"main: * // from 0x100, 0x104, 0x108 (+1 more)\n", "L_118: * // from 0x110\n", "helper: * // from 0x118\n", "L_120: * // from 0x120, 0x124\n",
		"s_branch L_118 * // 000000000110: BF820001\n",      // a label of the same function is enough
		"s_swappc_b64 s[0:1], s[2:3] * -> helper+0x4\n",     // computed
		"s_branch helper * // 000000000118: BF820000\n",     // the text names it
		"s_cbranch_scc1 main * // 000000000100: BF85FFFF\n", // and so does this one
		"s_branch L_120 * // 000000000120: BF82FFFF\n",      // this is within helper
	} {
		holds(t, got, want)
	}
	opt.Parts = []asm.Range{{From: 0x118, To: 0x11c}}
	got = listing(t, tg, a.Code, 0x100, opt)
	for _, want := range []string{".base 0x118\n", "L_118: * // from 0x110\n", "s_branch 0 * -> helper\n"} {
		holds(t, got, want)
	}
	if opt.Comments = false; strings.Contains(listing(t, tg, a.Code, 0x100, opt), "from") {
		t.Error("a listing without comments says who branches")
	}
}

// holds checks that a text contains another, in which " * " matches anything within a line.
func holds(t *testing.T, text, want string) {
	t.Helper()
	first, rest, some := strings.Cut(want, " * ")
	for line := range strings.Lines(text) {
		if !some && strings.Contains(line, want) {
			return
		}
		if i := strings.Index(line, first); some && i >= 0 && strings.HasSuffix(line[i:], rest) {
			return
		}
	}
	t.Errorf("no line has %q:\n%s", want, text)
}

// TestFold: padding becomes one line that assembles to the same bytes; code with an effect, padding with a label, and
// short runs stay.
func TestFold(t *testing.T) {
	tg := targetOf(t, "gcn:gfx8")
	text := "s_branch in\n.fill 9, 4, 0xbf800000\nin: .fill 9, 4, 0xbf800000\n.zero 400\ns_endpgm\n.fill 7, 4, 0xbf800000\n.fill 8, 4, 0xbf9f0000\n" +
		".rept 20\nv_add_f32 v0, v1, v2\n.endr\n.fill 30, 4, 0xffffffff\n.byte 1, 2\n"
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	got := listing(t, tg, a.Code, 0, asm.ListOptions{Exact: true, Fold: 8})
	for want, n := range map[string]int{
		"\t.fill 9, 4, 0xbf800000\n": 2, "\t.zero 400\n": 1, "\ts_nop 0\n": 7, "\t.fill 8, 4, 0xbf9f0000\n": 1, "\tv_add_f32_e32 v0, v1, v2\n": 20, "\t.fill 30, 4, 0xffffffff\n": 1,
	} {
		if k := strings.Count(got, want); k != n {
			t.Errorf("%q stands there %d times, want %d:\n%s", want, k, n, got)
		}
	}
	again, errs := asm.Assemble(tg, []byte(got), asm.Options{})
	if len(errs) > 0 || !bytes.Equal(again.Code, a.Code) {
		t.Errorf("%v: assembles to something else:\n%s", errs, got)
	}
	if whole := listing(t, tg, a.Code, 0, asm.ListOptions{Exact: true}); strings.Contains(whole, ".fill") || strings.Contains(whole, ".zero") {
		t.Errorf("folded, and nobody asked for it:\n%s", whole)
	}
}

// TestFoldMuch: more padding than a file may fill is folded up to that limit.
func TestFoldMuch(t *testing.T) {
	tg := targetOf(t, "valhall")
	code := make([]byte, 16<<20)
	code = append(code, 1, 0, 0, 0, 0, 0, 0, 0)
	code = append(code, make([]byte, 1<<10)...)
	text := listing(t, tg, code, 0, asm.ListOptions{Exact: true, Fold: 8})
	if n := strings.Count(text, ".zero"); n != 1 {
		t.Errorf("%d runs are folded, want 1 of two that are too much together", n)
	}
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{})
	if len(errs) > 0 || !bytes.Equal(a.Code, code) {
		t.Errorf("%v: assembles to something else", errs)
	}
}

// TestParts: a listing of parts assembles to these, with zeros between; no part is listed with a label outside.
func TestParts(t *testing.T) {
	for _, s := range sets.Sets() {
		tg := s.At(0, 0)
		code := mixed(t, tg, 200, 4)
		r := rand.New(rand.NewPCG(3, 5))
		const base = 0x1000
		for range 20 {
			var parts []asm.Range
			want := make([]byte, len(code))
			for at := uint64(0); ; {
				from := at + uint64(r.IntN(len(code)/4))
				to := from + 1 + uint64(r.IntN(len(code)/4))
				if to > uint64(len(code)) {
					break
				}
				a, _ := asm.LineAt(tg, code, base, base+from, nil)
				b, n := asm.LineAt(tg, code, base, base+to-1, nil)
				from, to = a-base, b+uint64(n)-base
				if from < at {
					break
				}
				parts = append(parts, asm.Range{From: base + from, To: base + to})
				copy(want[from:to], code[from:to])
				at = to
			}
			if len(parts) == 0 {
				continue
			}
			first, last := parts[0].From-base, parts[len(parts)-1].To-base
			text := listing(t, tg, code, base, asm.ListOptions{Exact: true, Comments: true, Refs: true, Fold: 8, Parts: parts})
			a, errs := asm.Assemble(s.At(0, 0), []byte(text), asm.Options{})
			if len(errs) > 0 || !bytes.Equal(a.Code, want[first:last]) || a.Base != base+first {
				t.Fatalf("%s %x: %v\n%s", tg, parts, errs, text)
			}
		}
	}
}

// TestLineAt: each address of a line finds it.
func TestLineAt(t *testing.T) {
	tg := targetOf(t, "gcn:gfx8")
	code := unhex(t, "000080bf ff02007e78563412 000081bf 01")
	for addr, want := range map[uint64]string{0x10: "10 4", 0x13: "10 4", 0x14: "14 8", 0x1b: "14 8", 0x1c: "1c 4", 0x20: "20 1", 0x21: "21 0", 0xf: "f 0"} {
		at, n := asm.LineAt(tg, code, 0x10, addr, nil)
		if got := fmt.Sprintf("%x %d", at, n); got != want {
			t.Errorf("%#x: %s, want %s", addr, got, want)
		}
	}
}
