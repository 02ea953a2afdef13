package gcnrun

import (
	"fmt"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// TestSMRD: on gfx6 and gfx7 constant offsets and literals count dwords, registers bytes; low bits are ignored. A
// buffer gives 0 beyond its size.
func TestSMRD(t *testing.T) {
	const base, records = globalBase + 0x400, 0x1000
	sizes := []struct {
		suffix string
		words  int
	}{{"dword", 1}, {"dwordx2", 2}, {"dwordx4", 4}, {"dwordx8", 8}, {"dwordx16", 16}}
	for _, gen := range []string{"gfx7", "gfx6"} {
		v, _ := gcn.Set().Arch.Variant(gen)
		for _, size := range sizes {
			for _, c := range []struct {
				offset string
				first  uint32 // number of the dword from the base on
			}{{"0x5", 5}, {"0xff", 255}, {"s9", 3}, {"0x100", 256}, {"lit(0x7)", 7}, {"0x3f8", 0x3f8}} {
				if gen == "gfx6" && (c.first > 255 || c.offset[0] == 'l') { // no literals
					continue
				}
				for _, op := range []string{"s_load_", "s_buffer_load_"} {
					m := newMemRun(t)
					m.target, m.st.Exec = gcn.Set().At(v, 0), 0
					m.s64(4, base)
					m.s(6, records, 0)
					m.s(9, 0xf)
					dst, from := "s16", "s[4:5]"
					if size.words > 1 {
						dst = fmt.Sprintf("s[16:%d]", 15+size.words)
					}
					if op != "s_load_" {
						from = "s[4:7]"
					}
					m.run(op + size.suffix + " " + dst + ", " + from + ", " + c.offset)
					want := make([]uint32, size.words)
					for i := range want {
						if at := c.first + uint32(i); op == "s_load_" || 4*at < records {
							want[i] = 0x400/4 + at
						}
					}
					m.wantS(16, want...)
				}
			}
		}
		m := newMemRun(t)
		m.target, m.st.Exec, m.st.Clock = gcn.Set().At(v, 0), 0, 0x1_ffffffff
		m.run("s_memtime s[6:7]")
		m.wantS(6, 0, 2)
		idle := []string{"s_dcache_inv", "s_dcache_inv_vol"}
		for _, op := range idle[:1+v%2] { // the second exists only on gfx7
			before, global := m.st.Snapshot(), string(m.global)
			m.run(op)
			m.st.At, m.st.Clock = before.At, before.Clock
			if d := m.st.Diff(before, 3); d != nil || string(m.global) != global {
				t.Errorf("%s: %q", op, d)
			}
		}
	}
}
