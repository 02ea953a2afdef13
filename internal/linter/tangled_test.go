package linter

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/lint"
)

// tangled returns a kernel of blocks each of which may go back to the one before it: what the last issues is pending
// at the first only after as many rounds as there are blocks.
func tangled(blocks int) string {
	var b strings.Builder
	for i := range blocks {
		fmt.Fprintf(&b, "t%d: buffer_load_dword v%d, off, s[4:7], 0\ns_cbranch_scc1 t%d\n", i, i, max(i-1, 0))
	}
	return b.String() + "s_endpgm\n"
}

// TestTangled: kernels whose paths are too tangled are reported as such, each at its first instruction, and hide
// nothing in the other kernels.
func TestTangled(t *testing.T) {
	const late = "s_cbranch_scc1 next\ns_nop 0\nnext: s_load_dword s16, s[0:1], 0x0\ns_add_u32 s17, s16, 1\ns_endpgm\n"
	tg := gcn.Set().At(0, 0)
	c := lint.Code{Target: tg}
	var want []string
	for i, text := range []string{tangled(250), late, tangled(250), tangled(250), late, tangled(250)} {
		a, errs := asm.Assemble(tg, []byte(text), asm.Options{NoLint: true})
		if len(errs) > 0 {
			t.Fatal(errs[0].Detail())
		}
		at := uint64(len(c.Bytes))
		c.Entries = append(c.Entries, lint.Entry{Name: fmt.Sprint("k", i), Addr: at})
		c.Bytes = append(c.Bytes, a.Code...)
		if text == late {
			want = append(want, fmt.Sprintf("%#x pending-read", at+16))
		} else {
			want = append(want, fmt.Sprintf("%#x too-tangled", at))
		}
	}
	var got []string
	for _, f := range lint.Run(c, lint.Options{Least: isa.SeverityNote}).Findings {
		if f.Rule == "pending-read" || f.Rule == "too-tangled" {
			got = append(got, fmt.Sprintf("%#x %s", f.Addr, f.Rule))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestBackwards: what the last of many blocks issues is pending at the first after as many rounds, each of which visits
// one block: the time is linear.
func TestBackwards(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	measure := func(n int) time.Duration {
		code := binary.LittleEndian.AppendUint32(nil, 0x7e000280) // v_mov_b32 v0, 0
		for range n {
			code = binary.LittleEndian.AppendUint32(code, 0xbf84fffe) // s_cbranch_scc0 to the instruction before
		}
		for _, w := range []uint32{0xdc500000, 0x05000000, 0xbf84fffc, 0xbf810000} { // flat_load_dword v5, v[0:1]; back; s_endpgm
			code = binary.LittleEndian.AppendUint32(code, w)
		}
		begin := time.Now()
		if rep := lint.Run(lint.Code{Target: gcn.Set().At(0, 0), Bytes: code}, lint.Options{}); rep.Reached != n+4 {
			t.Fatalf("%d of %d instructions", rep.Reached, n+4)
		}
		return time.Since(begin)
	}
	if short, long := measure(10000), measure(200000); long > 60*short+5*time.Second {
		t.Errorf("10 000 branches take %v, twenty times as many %v", short, long)
	}
}

// TestTangledAway: a loop that a tangled one leads to, at any of its blocks, lacks what that lacks. A register that is
// written where the tangled loop was not followed is not said to be written by nothing.
func TestTangledAway(t *testing.T) {
	tg := gcn.Set().At(0, 0)
	for _, late := range []bool{false, true} { // control leaves the tangled loop where it was not followed
		for _, to := range []string{"e1", "e2"} {
			var b strings.Builder
			fmt.Fprintf(&b, "s_cbranch_vccz t0\ns_branch e1\nt0: s_nop 0\n")
			if !late {
				fmt.Fprintf(&b, "s_cbranch_vccz %s\n", to)
			}
			for i := range 250 {
				fmt.Fprintf(&b, "t%d: buffer_load_dword v%d, off, s[4:7], 0\n", i+1, i+1)
				if i == 249 {
					fmt.Fprintf(&b, "v_mov_b32 v0, 0\n")
				}
				fmt.Fprintf(&b, "s_cbranch_scc1 t%d\n", i)
			}
			if late {
				fmt.Fprintf(&b, "s_branch %s\n", to)
			} else {
				fmt.Fprintf(&b, "s_endpgm\n")
			}
			fmt.Fprintf(&b, "e1: v_mov_b32 v255, v0\ne2: v_mov_b32 v254, v0\ns_cbranch_scc1 e1\ns_cbranch_scc0 e2\ns_endpgm\n")
			a, errs := asm.Assemble(tg, []byte(b.String()), asm.Options{NoLint: true})
			if len(errs) > 0 {
				t.Fatal(errs[0].Detail())
			}
			var got []string
			for _, f := range lint.Run(lint.Code{Target: tg, Bytes: a.Code, Entries: []lint.Entry{{Begins: []ir.Span{}}}}, lint.Options{Least: isa.SeverityNote}).Findings {
				if f.Rule == "too-tangled" || strings.Contains(f.Msg, "reads v0,") {
					got = append(got, f.Rule+" "+f.Msg)
				}
			}
			if len(got) != 1 || !strings.HasPrefix(got[0], "too-tangled") {
				t.Errorf("late %v, to %s: %q, want only that the loop is too tangled", late, to, got)
			}
		}
	}
}
