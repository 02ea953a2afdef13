package linter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
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
