package heddle_test

import (
	"errors"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

// BenchmarkRun measures an instruction of a loop: from executable memory, from memory that is also writable, with
// stores, a device, and with hooks.
func BenchmarkRun(b *testing.B) {
	const sum = "top: v_add_f32 v2, v2, v3; v_mul_f32 v4, v2, v3; v_add_f32 v5, v4, v3; v_max_f32 v6, v4, v3; s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 top; s_endpgm"
	const stores = "top: v_add_f32 v2, v2, v3; v_mul_f32 v4, v2, v3; v_add_f32 v5, v4, v3; flat_store_dword v[0:1], v2; s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 top; s_endpgm"
	for _, c := range []struct {
		name, program string
		rights        mem.Rights
		hook          func(w *heddle.Wave)
	}{
		{"execute", sum, mem.Read | mem.Execute, nil},
		{"write", sum, mem.ReadWrite | mem.Execute, nil},
		{"stores", stores, mem.Read | mem.Execute, nil},
		{"stores/write", stores, mem.ReadWrite | mem.Execute, nil},
		{"fault hook", sum, mem.Read | mem.Execute, func(w *heddle.Wave) { w.OnFault(func(*exec.Fault) bool { return false }) }},
		{"hook elsewhere", sum, mem.Read | mem.Execute, func(w *heddle.Wave) { w.OnInstruction(heddle.Range{From: 1, To: 1}, func(uint64) {}) }},
		{"device elsewhere", stores, mem.Read | mem.Execute, func(w *heddle.Wave) { w.MapDevice(1<<40, 16, func(uint64, []byte) {}, nil) }},
		{"store hook", sum, mem.Read | mem.Execute, func(w *heddle.Wave) { w.OnStore(heddle.Anywhere, func(*exec.Access) {}) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			w, err := heddle.MustFind("gfx803").EmptyWave(heddle.State{Lanes: 64, Set: []string{"v0=0x9000"}})
			if err != nil {
				b.Fatal(err)
			}
			if err := w.LoadText(0x1000, c.program); err != nil {
				b.Fatal(err)
			}
			data := mem.ReadWrite | c.rights&mem.Write<<1 // executable if the code is writable
			if err := errors.Join(w.Map(0x8000, 0x8000, data), w.Protect(0x1000, c.rights)); err != nil {
				b.Fatal(err)
			}
			if c.hook != nil {
				c.hook(w)
			}
			b.ReportAllocs()
			const n = 1000
			for b.Loop() {
				w.SetU32("s0", 0, n)
				w.SetBits("pc", 0, 0x1000)
				if h, err := w.RunTo(b.Context(), 0, 0); err != nil || h != heddle.HaltEnd {
					b.Fatal(h, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/7/n, "ns/instruction")
		})
	}
}

// BenchmarkDevice measures a load of one lane from a device.
func BenchmarkDevice(b *testing.B) {
	w := wave(b, "gfx803", "flat_load_dword v2, v[0:1]", heddle.State{Lanes: 1, Set: []string{"v[0:1]=0x9000"}})
	if err := w.MapDevice(0x9000, 0x100, func(uint64, []byte) {}, nil); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		w.SetBits("pc", 0, 0)
		if _, err := w.Step(1); err != nil {
			b.Fatal(err)
		}
	}
}
