package gcn

import (
	"debug/elf"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// kernelText is the .text of every gfx8 code object of the corpus.
func kernelText(b *testing.B) []byte {
	files, _ := filepath.Glob(filepath.Join(casesDir(b), "kernels/gcn/*/*gfx803*.hsaco"))
	var text []byte
	for _, name := range files {
		f, err := elf.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		data, err := f.Section(".text").Data()
		if err != nil {
			b.Fatal(err)
		}
		text = append(text, data...)
		f.Close()
	}
	return text
}

// BenchmarkDecodePrint decodes and prints the kernel corpus.
func BenchmarkDecodePrint(b *testing.B) {
	code := kernelText(b)
	dec := Set().Decoder(gfx8, 0)
	var p isa.Printer
	var in isa.Inst
	buf := make([]byte, 0, 256)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		for pc := 0; pc < len(code); {
			if err := dec.Decode(code[pc:], uint64(pc), &in); err != nil {
				pc += 4
				continue
			}
			buf = p.Append(buf[:0], &in)
			pc += int(in.Size)
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Minstr/s")
}

// BenchmarkAssemble parses the text of the kernel corpus, one instruction a line.
func BenchmarkAssemble(b *testing.B) {
	code := kernelText(b)
	set := Set()
	dec := set.Decoder(gfx8, 0)
	var in isa.Inst
	var lines []string
	for pc := 0; pc < len(code); {
		if dec.Decode(code[pc:], uint64(pc), &in) != nil {
			pc += 4
			continue
		}
		lines = append(lines, in.String())
		pc += int(in.Size)
	}
	s := isa.Scan{Set: set}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for _, line := range lines {
			s.Reset(line, 0)
			if err := s.Parse(gfx8, 0, &in); err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Minstr/s")
}
