package bench

import (
	"io"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/object"
)

// A group is instructions of one variant and stage, one after another.
type group struct {
	target *isa.Target
	code   []byte
}

// corpora are, of sets whose code stands in cases, compiled programs as they stand, and words of every form with all fields at
// random.
var corpora = [...]struct {
	set        func() *isa.Set
	name, path string
	alone      bool // words have nothing to do with their neighbours
	read       func(b *testing.B, f io.Reader, path string, add func(variant, stage string, code []byte))
}{
	{tesla.Set, "programs", "../../cases/state/tesla-programs.jsonl.gz", false, programs},
	{tesla.Set, "forms", "../../cases/pairs/tesla-encdec.tsv.gz", true, forms('D')},
	{valhall.Set, "programs", "../../cases/state/valhall-compiled.jsonl.gz", false, programs},
	{valhall.Set, "forms", "../../cases/pairs/valhall-words.tsv.gz", true, forms('A')},
}

func programs(b *testing.B, f io.Reader, path string, add func(variant, stage string, code []byte)) {
	for c, err := range object.States(f, path) {
		if err != nil {
			b.Fatal(err)
		}
		add(c.Variant, c.Stage, c.Code)
	}
}

// forms are the words of pairs with a claim.
func forms(claim byte) func(b *testing.B, f io.Reader, path string, add func(variant, stage string, code []byte)) {
	return func(b *testing.B, f io.Reader, path string, add func(variant, stage string, code []byte)) {
		for p, err := range object.Pairs(f, path) {
			if err != nil {
				b.Fatal(err)
			}
			if p.Has(claim) {
				add(p.Variant, p.Stage, p.Code())
			}
		}
	}
}

// groupsOf are the code of a corpus, all of one variant and stage together.
func groupsOf(b *testing.B, corpus int) (groups []*group) {
	c := &corpora[corpus]
	f, err := object.Open(c.path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	of := map[string]*group{}
	c.read(b, f, c.path, func(variant, stage string, code []byte) {
		if len(c.set().Stages) == 0 {
			stage = ""
		}
		key := variant + " " + stage
		if of[key] == nil {
			t, err := c.set().Target(isa.Config{Variant: variant, Stage: stage})
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

// eachCorpus runs f as a benchmark of each.
func eachCorpus(b *testing.B, f func(b *testing.B, corpus int, groups []*group)) {
	for i, c := range corpora {
		b.Run(c.set().Name+"/"+c.name, func(b *testing.B) {
			groups := groupsOf(b, i)
			b.ReportAllocs()
			f(b, i, groups)
		})
	}
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

func BenchmarkSetDecode(b *testing.B) {
	eachCorpus(b, func(b *testing.B, _ int, groups []*group) {
		n := 0
		for b.Loop() {
			n += eachOf(b, groups, func(*group, *isa.Inst) {})
		}
		rate(b, n, "instructions/s")
	})
}

func BenchmarkSetDecodePrint(b *testing.B) {
	eachCorpus(b, func(b *testing.B, _ int, groups []*group) {
		var p isa.Printer
		buf := make([]byte, 0, 256)
		n := 0
		for b.Loop() {
			n += eachOf(b, groups, func(_ *group, in *isa.Inst) { buf = p.Append(buf[:0], in) })
		}
		rate(b, n, "instructions/s")
	})
}

// BenchmarkSetAssemble assembles each group as one file. Short instructions that have no partner stand there twice.
func BenchmarkSetAssemble(b *testing.B) {
	eachCorpus(b, func(b *testing.B, corpus int, groups []*group) {
		text := map[*group]*strings.Builder{}
		var p isa.Printer
		lines := 0
		eachOf(b, groups, func(g *group, in *isa.Inst) {
			if text[g] == nil {
				text[g] = new(strings.Builder)
			}
			times := uint8(1)
			if corpora[corpus].alone {
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

// BenchmarkSetRead reads every instruction's text by itself, without a file around it.
func BenchmarkSetRead(b *testing.B) {
	eachCorpus(b, func(b *testing.B, _ int, groups []*group) {
		type line struct {
			target *isa.Target
			text   string
		}
		var lines []line
		var p isa.Printer
		eachOf(b, groups, func(g *group, in *isa.Inst) { lines = append(lines, line{g.target, string(p.Append(nil, in))}) })
		var sc isa.Scan
		var bundle isa.Bundle
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
