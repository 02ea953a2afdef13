package bench

import (
	"io"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/object"
)

// A group is instructions of one variant and stage, one after another.
type group struct {
	target *isa.Target
	code   []byte
}

// teslaCorpora are compiled programs as they stand, and words of every form with all fields at random.
var teslaCorpora = [...]struct {
	name, path string
	alone      bool // words have nothing to do with their neighbours
	read       func(b *testing.B, f io.Reader, path string, add func(variant, stage string, code []byte))
}{
	{"programs", "../../cases/state/tesla-programs.jsonl.gz", false, teslaPrograms},
	{"forms", "../../cases/pairs/tesla-encdec.tsv.gz", true, teslaForms},
}

func teslaPrograms(b *testing.B, f io.Reader, path string, add func(variant, stage string, code []byte)) {
	stages := map[string]string{"compute": "cp", "vertex": "vp", "fragment": "fp"}
	for c, err := range object.States(f, path) {
		if err != nil {
			b.Fatal(err)
		}
		add(c.Variant, stages[c.Stage], c.Code)
	}
}

// teslaForms are those that decode.
func teslaForms(b *testing.B, f io.Reader, path string, add func(variant, stage string, code []byte)) {
	for p, err := range object.Pairs(f, path) {
		if err != nil {
			b.Fatal(err)
		}
		if p.Has('D') {
			add(p.Variant, p.Stage, p.Code())
		}
	}
}

// teslaGroups are the code of a corpus, all of one variant and stage together.
func teslaGroups(b *testing.B, corpus int) (groups []*group) {
	c := &teslaCorpora[corpus]
	f, err := object.Open(c.path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	of := map[string]*group{}
	c.read(b, f, c.path, func(variant, stage string, code []byte) {
		key := variant + " " + stage
		if of[key] == nil {
			t, err := tesla.Set().Target(isa.Config{Variant: variant, Stage: stage})
			if err != nil {
				b.Fatal(err)
			}
			of[key] = &group{target: t}
			groups = append(groups, of[key])
		}
		of[key].code = append(of[key].code, code...)
	})
	return groups
}

// eachOf decodes the groups and calls f with every instruction.
func eachOf(b *testing.B, groups []*group, f func(g *group, in *isa.Inst)) (n int) {
	var in isa.Inst
	for _, g := range groups {
		for off := 0; off < len(g.code); off += int(in.Size) {
			if err := g.target.Decode(g.code[off:], uint64(off), &in); err != nil {
				b.Fatal(err)
			}
			f(g, &in)
			n++
		}
	}
	return n
}

func BenchmarkTeslaDecode(b *testing.B) {
	for i, c := range teslaCorpora {
		b.Run(c.name, func(b *testing.B) {
			groups := teslaGroups(b, i)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n += eachOf(b, groups, func(*group, *isa.Inst) {})
			}
			rate(b, n, "instructions/s")
		})
	}
}

func BenchmarkTeslaDecodePrint(b *testing.B) {
	for i, c := range teslaCorpora {
		b.Run(c.name, func(b *testing.B) {
			groups := teslaGroups(b, i)
			var p isa.Printer
			buf := make([]byte, 0, 256)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n += eachOf(b, groups, func(_ *group, in *isa.Inst) { buf = p.Append(buf[:0], in) })
			}
			rate(b, n, "instructions/s")
		})
	}
}

// BenchmarkTeslaAssemble assembles each group as one file. Short instructions that have no partner stand there twice.
func BenchmarkTeslaAssemble(b *testing.B) {
	for i, c := range teslaCorpora {
		b.Run(c.name, func(b *testing.B) {
			groups := teslaGroups(b, i)
			text := map[*group]*strings.Builder{}
			var p isa.Printer
			lines := 0
			eachOf(b, groups, func(g *group, in *isa.Inst) {
				if text[g] == nil {
					text[g] = new(strings.Builder)
				}
				times := uint8(1)
				if c.alone {
					times = 8 / in.Size
				}
				for range times {
					text[g].Write(p.Append(nil, in))
					text[g].WriteByte('\n')
					lines++
				}
			})
			src := make([][]byte, len(groups))
			for i, g := range groups {
				src[i] = []byte(text[g].String())
			}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				for i, g := range groups {
					if _, errs := asm.Assemble(g.target, src[i], asm.Options{}); len(errs) > 0 {
						b.Fatal(errs[0].Detail())
					}
				}
				n += lines
			}
			rate(b, n, "instructions/s")
		})
	}
}

// BenchmarkTeslaRead reads every instruction's text by itself, without a file around it.
func BenchmarkTeslaRead(b *testing.B) {
	for i, c := range teslaCorpora {
		b.Run(c.name, func(b *testing.B) {
			groups := teslaGroups(b, i)
			type line struct {
				target *isa.Target
				text   string
			}
			var lines []line
			var p isa.Printer
			eachOf(b, groups, func(g *group, in *isa.Inst) { lines = append(lines, line{g.target, string(p.Append(nil, in))}) })
			var sc isa.Scan
			var bundle isa.Bundle
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				for _, l := range lines {
					sc.Target = l.target
					sc.Reset(l.text, 0)
					if err := sc.ParseBundle(&bundle); err != nil {
						b.Fatal(err)
					}
				}
				n += len(lines)
			}
			rate(b, n, "instructions/s")
		})
	}
}
