package asm_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/toy"
	"github.com/heddle-gpu/heddle/internal/toywarp"
	"github.com/heddle-gpu/heddle/isa"
)

// TestMaxErrors: as many errors are reported as were asked for. Only if there are more, one more error says so, at
// the first one omitted. This holds for errors that no round can remove, for those that labels may cause, and for
// lines that are no statement.
func TestMaxErrors(t *testing.T) {
	for _, line := range []string{"what\n", "bra a+99999*4\n", ".what\n", "add r1, q2, r3\n", ".byte a+1000\n"} {
		for _, limit := range []int{1, 3, 100} {
			for _, n := range []int{limit - 1, limit, limit + 1, limit + 2, 3 * limit} {
				src := "a: nop\n" + strings.Repeat("nop\n"+line, n)
				opt := asm.Options{MaxErrors: limit}
				if limit == 100 {
					opt.MaxErrors = 0
				}
				_, errs := asm.Assemble(toy.Set().At(0, 0), []byte(src), opt)
				for i, e := range errs {
					if i < limit && (e.Code == isa.ErrLimit || e.Line != 3+2*i) {
						t.Errorf("%q, %d times, limit %d: error %d is %v in line %d", line, n, limit, i, e, e.Line)
					}
				}
				if len(errs) != min(n, limit+1) {
					t.Errorf("%q, %d times, limit %d: %d errors", line, n, limit, len(errs))
				} else if n > limit && (errs[limit].Msg != "too many errors" || errs[limit].Code != isa.ErrLimit || errs[limit].Line != 3+2*limit) {
					t.Errorf("%q, %d times, limit %d: the last is %v in line %d", line, n, limit, errs[limit], errs[limit].Line)
				}
			}
		}
	}
}

// TestLabelAtTheEnd: a branch to the address after the last instruction has its label there, after the last line, and
// a symbol may name that address; a symbol at a higher address gets no label.
func TestLabelAtTheEnd(t *testing.T) {
	s := toy.Set().At(0, 0)
	for _, base := range []uint64{0, 0x100} {
		for _, symbols := range [][]asm.Symbol{nil, {{Name: "stop", Addr: base + 8}, {Name: "beyond", Addr: base + 9}, {Name: "far", Addr: base + 12}}} {
			a, errs := asm.Assemble(s, []byte("bra end\nnop\nend:\n"), asm.Options{Base: base})
			if len(errs) > 0 {
				t.Fatal(errs[0])
			}
			for _, exact := range []bool{false, true} {
				var list bytes.Buffer
				if err := asm.List(&list, s, a.Code, base, asm.ListOptions{Exact: exact, Symbols: symbols}); err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("L_%x", base+8)
				if symbols != nil {
					name = "stop"
				}
				text := list.String()
				if !strings.HasSuffix(text, "\tnop\n"+name+":\n") || !strings.Contains(text, "\tbra "+name+"\n") || strings.Contains(text, "beyond") || strings.Contains(text, "far") {
					t.Errorf("base %#x, exact %t:\n%s", base, exact, text)
				}
				back, errs := asm.Assemble(s, list.Bytes(), asm.Options{})
				if len(errs) > 0 || !bytes.Equal(back.Code, a.Code) {
					t.Errorf("%v: the listing assembles to other bytes", errs)
				}
			}
		}
	}
}

// TestLateValues: values of names that are defined later take a round each; eight of them settle, and what depends on
// them moves.
func TestLateValues(t *testing.T) {
	var src strings.Builder
	src.WriteString(".zero x0\nend: .byte end\n")
	for i := range 8 {
		fmt.Fprintf(&src, ".set x%d, x%d + 1\n", i, i+1)
	}
	src.WriteString(".set x8, 1\n")
	r, errs := asm.Assemble(toy.Set().At(0, 0), []byte(src.String()), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	if want := append(make([]byte, 9), 9); !bytes.Equal(r.Code, want) {
		t.Errorf("% x, want % x", r.Code, want)
	}
}

// TestErrorsKeepTheirSize: a statement that cannot be read in one round, because a label is too far away, keeps its
// size, so that the addresses of others do not move.
func TestErrorsKeepTheirSize(t *testing.T) {
	src := "add r0, r0, end\nwide r1, r2, end\nend: .byte 1\n.byte end - 0x80000000\n"
	_, errs := asm.Assemble(toy.Set().At(0, 0), []byte(src), asm.Options{})
	if len(errs) != 1 || errs[0].Line != 4 || errs[0].Code != isa.ErrRange {
		t.Errorf("%v, want one error in line 4", errs)
	}
}

// TestMovedInstructions: an instruction that names no label is read once. If bytes before it get their size late, it
// moves, for the layout and in a result without encoding.
func TestMovedInstructions(t *testing.T) {
	const src = ".zero 4*(y - x)\nnop\nx: nop\ny: mov r1, r2\n" // y - x is 4 or 8, known in the second round
	a := toywarp.Arch()
	var seen []uint64
	a.Pairs, a.Layout = false, func(_ *isa.Target, units []isa.Unit) bool {
		for i := range units {
			u := &units[i]
			if u.Addr != u.Bundle.Parts[0].Addr {
				t.Errorf("unit %d at %#x holds an instruction of %#x", i, u.Addr, u.Bundle.Parts[0].Addr)
			}
			seen = append(seen, u.Addr)
		}
		return false
	}
	s, err := isa.Compile(a)
	if err != nil {
		t.Fatal(err)
	}
	b, errs := asm.Assemble(s.At(0, toywarp.VP), []byte(src), asm.Options{Base: 0x100})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	x, y := b.Labels[0].Addr, b.Labels[1].Addr
	first := 0x100 + 4*(y-x)
	if want := []uint64{first, x, y}; fmt.Sprint(seen) != fmt.Sprint(want) || x != first+(y-x) {
		t.Errorf("units at %#x, want %#x", seen, want)
	}
	tg := toy.Set().At(0, 0)
	r, errs := asm.Assemble(tg, []byte(".zero 2*(y - x)\nmagic r0, r1\nx: nop\ny: nop\n"), asm.Options{Base: 0x40, TextOnly: true})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	for i, want := range []uint64{r.Labels[0].Addr - uint64(r.Bundles[0].Size()), r.Labels[0].Addr, r.Labels[1].Addr} {
		if got := r.Bundles[i].Addr(); got != want {
			t.Errorf("bundle %d is at %#x, want %#x", i, got, want)
		}
	}
	if r.Labels[1].Addr-r.Labels[0].Addr != 4 || r.Bundles[0].Addr() != 0x48 {
		t.Errorf("labels %v, bundle at %#x", r.Labels, r.Bundles[0].Addr())
	}
}

// TestManyLayouts: a layout that requests one more long form each time is called as often as it needs.
func TestManyLayouts(t *testing.T) {
	const n = 40
	a := toywarp.Arch()
	asked := 0
	a.Pairs, a.Layout = false, func(_ *isa.Target, units []isa.Unit) bool {
		asked++
		for i := range units {
			if !units[i].Long {
				units[i].Long = true
				return true
			}
		}
		return false
	}
	s, err := isa.Compile(a)
	if err != nil {
		t.Fatal(err)
	}
	r, errs := asm.Assemble(s.At(0, toywarp.VP), []byte(strings.Repeat("nop\n", n)+"end:\n"), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	if asked != n+1 || len(r.Code) != 8*n || r.Labels[0].Addr != 8*n {
		t.Errorf("asked %d times; %d bytes, end at %#x", asked, len(r.Code), r.Labels[0].Addr)
	}
}

// TestAlignments: alignments are powers of two up to 2^62, and addresses do not wrap.
func TestAlignments(t *testing.T) {
	for src, want := range map[string]string{
		".p2align 63":           "the alignment is too large",
		".p2align 64":           "the alignment is too large",
		".align 0":              "the alignment is no power of two",
		".align 12":             "the alignment is no power of two",
		".byte 1\n.org 0":       "the address is lower than the current one: 0x1 is reached",
		".byte 1, 2, 3\n.org 2": "the address is lower than the current one: 0x3 is reached",
	} {
		_, errs := asm.Assemble(toy.Set().At(0, 0), []byte(src), asm.Options{})
		if len(errs) != 1 || errs[0].Code != isa.ErrRange || !strings.Contains(errs[0].Msg, want) {
			t.Errorf("%q: %v, want %s", src, errs, want)
		}
	}
}
