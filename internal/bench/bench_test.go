// Package bench measures complete workflows on the code of real kernels: the gfx8 builds of cases/kernels. Benchmarks
// of the parts are in their own packages. make bench prints the figures.
package bench

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/jit"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

const (
	kernels  = "../../cases/kernels/gcn"
	gcnForms = "../../cases/pairs/gcn-llvm.tsv.gz"
)

// A body is the code of one kernel.
type body struct {
	code []byte
	base uint64
}

// corpus returns the code of all kernels of one generation, and its target.
func corpus(b testing.TB) (*isa.Target, []body) {
	target, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		b.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(kernels, "*", "*.gfx803*.hsaco"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no kernels: %v", err)
	}
	var bodies []body
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		o, err := object.ReadHSAFile(data, f)
		if err != nil {
			b.Fatal(err)
		}
		for i := range o.Kernels {
			bodies = append(bodies, body{o.Code(&o.Kernels[i]), o.Kernels[i].Entry})
		}
	}
	return target, bodies
}

// each decodes the corpus and calls f with every instruction.
func each(b *testing.B, d *isa.Target, bodies []body, f func(in *isa.Inst)) (n int) {
	var in isa.Inst
	for _, k := range bodies {
		for off := 0; off < len(k.code); off += int(in.Size) {
			if err := d.Decode(k.code[off:], k.base+uint64(off), &in); err != nil {
				b.Fatal(err)
			}
			f(&in)
			n++
		}
	}
	return n
}

func rate(b *testing.B, n int, unit string) { b.ReportMetric(float64(n)/b.Elapsed().Seconds(), unit) }

func BenchmarkDecodePrint(b *testing.B) {
	d, bodies := corpus(b)
	var p isa.Printer
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n += each(b, d, bodies, func(in *isa.Inst) { buf = p.Append(buf[:0], in) })
	}
	rate(b, n, "instructions/s")
}

// BenchmarkTexts is the same with cached texts: passes over the corpus, one after another.
func BenchmarkTexts(b *testing.B) {
	d, bodies := corpus(b)
	x := asm.NewTexts(d)
	buf := make([]byte, 0, 256)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		for _, k := range bodies {
			for off, size := 0, 0; off < len(k.code); off += size {
				var err error
				if buf, size, err = x.Append(buf[:0], k.code[off:], k.base+uint64(off)); err != nil {
					b.Fatal(err)
				}
				n++
			}
		}
	}
	rate(b, n, "instructions/s")
}

func BenchmarkDecode(b *testing.B) {
	d, bodies := corpus(b)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n += each(b, d, bodies, func(*isa.Inst) {})
	}
	rate(b, n, "instructions/s")
}

// BenchmarkAssemble assembles the corpus as one file.
func BenchmarkAssemble(b *testing.B) {
	d, bodies := corpus(b)
	var text strings.Builder
	var p isa.Printer
	lines := each(b, d, bodies, func(in *isa.Inst) {
		text.Write(p.Append(nil, in))
		text.WriteByte('\n')
	})
	src := []byte(text.String())
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if _, errs := asm.Assemble(d, src, asm.Options{}); len(errs) > 0 {
			b.Fatal(errs[0].Detail())
		}
		n += lines
	}
	rate(b, n, "instructions/s")
}

// BenchmarkRead reads every instruction's text by itself, without a file around it.
func BenchmarkRead(b *testing.B) {
	d, bodies := corpus(b)
	var lines []string
	var p isa.Printer
	each(b, d, bodies, func(in *isa.Inst) { lines = append(lines, string(p.Append(nil, in))) })
	sc := isa.Scan{Target: d}
	var bundle isa.Bundle
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for _, l := range lines {
			sc.Reset(l, 0)
			if err := sc.ParseBundle(&bundle); err != nil {
				b.Fatal(err)
			}
		}
		n += len(lines)
	}
	rate(b, n, "instructions/s")
}

// BenchmarkAssembleForms assembles instructions of every form as one file: few texts occur twice, in contrast to
// kernels.
func BenchmarkAssembleForms(b *testing.B) {
	d, _ := corpus(b)
	f, err := casefile.Open(gcnForms)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var text strings.Builder
	lines := 0
	for p, err := range casefile.Pairs(f, gcnForms) {
		if err != nil {
			b.Fatal(err)
		}
		if p.Has('D') && p.Variant == "gfx8" {
			text.WriteString(p.Text + "\n")
			lines++
		}
	}
	src := []byte(text.String())
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if _, errs := asm.Assemble(d, src, asm.Options{NoLint: true}); len(errs) > 0 {
			b.Fatal(errs[0].Detail())
		}
		n += lines
	}
	rate(b, n, "instructions/s")
}

// BenchmarkLift lifts and verifies every instruction of the corpus, in the blocks of kernels without branches.
func BenchmarkLift(b *testing.B) {
	d, bodies := corpus(b)
	b.ReportAllocs()
	var all size
	for b.Loop() {
		lift(b, d, bodies, &all)
	}
	rate(b, all.ops, "ops/s")
	rate(b, all.instructions, "instructions/s")
}

// lift lifts the corpus and adds up the sizes of its blocks.
func lift(t testing.TB, d *isa.Target, bodies []body, all *size) {
	for _, k := range bodies {
		p := &isa.Program{Target: d, Base: k.base, Code: k.code}
		for pc := k.base; pc < k.base+uint64(len(k.code)); {
			blk, err := p.Block(ir.Key{PC: pc, Mode: gcn.RawMode})
			if err != nil {
				t.Fatal(err)
			}
			all.add(blk)
			if blk.Next <= pc {
				break
			}
			pc = blk.Next
		}
	}
}

// TestLiftMemory: lifting allocates little more than what blocks keep.
func TestLiftMemory(t *testing.T) {
	d, bodies := corpus(t)
	lift(t, d, bodies, new(size)) // allocates tables and buffers that are made once
	var before, after runtime.MemStats
	var all size
	runtime.ReadMemStats(&before)
	lift(t, d, bodies, &all)
	runtime.ReadMemStats(&after)
	if per := float64(after.TotalAlloc-before.TotalAlloc) / float64(all.ops); per > 92 {
		t.Errorf("%.0f bytes for an op, %d in all", per, after.TotalAlloc-before.TotalAlloc)
	}
}

// BenchmarkKernels runs kernels on each engine in its highest tier, with one worker.
func BenchmarkKernels(b *testing.B) {
	for _, e := range [...]exec.Engine{ref.New(), portable.New(), jit.New()} {
		for _, name := range []string{"mandelbrot", "matmul_tiled", "fft64", "chacha20", "stencil_f64", "divergent", "crc32"} {
			b.Run(e.Name()+"/"+name, func(b *testing.B) { run(b, name, exec.Eager(e)) })
		}
	}
}

func run(b *testing.B, name string, e exec.Engine) {
	m, err := casefile.ReadManifestFile(filepath.Join(kernels, name, "manifest.json"))
	if err != nil {
		b.Fatal(err)
	}
	module, err := gcn.ReadModule(m, &m.Variants[0])
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var instructions, ops uint64
	for b.Loop() {
		_, results, err := gcn.RunModule(b.Context(), m, module, launch.Settings{Engine: e, Workers: 1}, 0)
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range results {
			instructions += r.Instructions
			ops += r.Ops
		}
	}
	rate(b, int(instructions), "wave-instructions/s")
	rate(b, int(ops), "wave-ops/s")
}
