package bench

import (
	"io"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// A group is consecutive instructions of one variant and stage.
type group struct {
	target *isa.Target
	code   []byte
}

// corpora are, for each set, compiled programs, and words of every form with random fields.
var corpora = [...]struct {
	set        func() *isa.Set
	name, path string
	alone      bool // words are independent of their neighbours
	read       func(b *testing.B, path string, add func(variant, stage string, code []byte))
}{
	{gcn.Set, "programs", kernels, false, kernelsOf},
	{gcn.Set, "forms", gcnForms, true, forms('D')},
	{tesla.Set, "programs", "../../cases/state/tesla-programs.jsonl.gz", false, programs},
	{tesla.Set, "forms", "../../cases/pairs/tesla-encdec.tsv.gz", true, forms('D')},
	{valhall.Set, "programs", "../../cases/state/valhall-compiled.jsonl.gz", false, programs},
	{valhall.Set, "forms", "../../cases/pairs/valhall-words.tsv.gz", true, forms('A')},
	{rogue.Set, "programs", "../../cases/state/rogue-compiled.jsonl.gz", false, programs},
	{rogue.Set, "forms", "../../cases/pairs/rogue-groups.tsv.gz", true, forms('B')},
}

func kernelsOf(b *testing.B, _ string, add func(variant, stage string, code []byte)) {
	_, bodies := corpus(b)
	for _, k := range bodies {
		add("gfx8", "", k.code)
	}
}

func programs(b *testing.B, path string, add func(variant, stage string, code []byte)) {
	f := open(b, path)
	defer f.Close()
	for c, err := range casefile.States(f, path) {
		if err != nil {
			b.Fatal(err)
		}
		add(c.Variant, c.Stage, c.Code)
	}
}

func open(b *testing.B, path string) io.ReadCloser {
	f, err := casefile.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// forms returns the words of pairs with a claim.
func forms(claim byte) func(b *testing.B, path string, add func(variant, stage string, code []byte)) {
	return func(b *testing.B, path string, add func(variant, stage string, code []byte)) {
		f := open(b, path)
		defer f.Close()
		for p, err := range casefile.Pairs(f, path) {
			if err != nil {
				b.Fatal(err)
			}
			if p.Has(claim) {
				add(p.Variant, p.Stage, p.Code())
			}
		}
	}
}

// groupsOf returns the code of a corpus, grouped by variant and stage.
func groupsOf(b *testing.B, corpus int) (groups []*group) {
	c := &corpora[corpus]
	of := map[string]*group{}
	c.read(b, c.path, func(variant, stage string, code []byte) {
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

// eachCorpus runs f as a benchmark for each corpus.
func eachCorpus(b *testing.B, f func(b *testing.B, corpus int, groups []*group)) {
	for i, c := range corpora {
		b.Run(c.set().Name+"/"+c.name, func(b *testing.B) {
			groups := groupsOf(b, i)
			b.ReportAllocs()
			f(b, i, groups)
		})
	}
}

// eachOf decodes the groups and calls f with every instruction, or bundle of several.
func eachOf(b *testing.B, groups []*group, f func(g *group, bundle *isa.Bundle)) (n int) {
	var bundle isa.Bundle
	in := bundle.Grow()
	for _, g := range groups {
		for off, size := 0, 0; off < len(g.code); off += size {
			var err error
			if g.target.Group != nil {
				err = g.target.DecodeBundle(g.code[off:], uint64(off), &bundle)
				size = bundle.Size()
			} else {
				err = g.target.Decode(g.code[off:], uint64(off), in)
				size = int(in.Size)
			}
			if err != nil {
				b.Fatal(err)
			}
			f(g, &bundle)
			n++
		}
	}
	return n
}

// appendText appends the text of an instruction or bundle from eachOf.
func appendText(p *isa.Printer, dst []byte, g *group, bundle *isa.Bundle) []byte {
	if g.target.Group != nil {
		return p.AppendBundle(dst, g.target.Set, bundle)
	}
	return p.Append(dst, &bundle.Parts[0])
}

func BenchmarkSetDecode(b *testing.B) {
	eachCorpus(b, func(b *testing.B, _ int, groups []*group) {
		n := 0
		for b.Loop() {
			n += eachOf(b, groups, func(*group, *isa.Bundle) {})
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
			n += eachOf(b, groups, func(g *group, bundle *isa.Bundle) { buf = appendText(&p, buf[:0], g, bundle) })
		}
		rate(b, n, "instructions/s")
	})
}

// BenchmarkSetTexts is the same with cached texts, one after another.
func BenchmarkSetTexts(b *testing.B) {
	eachCorpus(b, func(b *testing.B, _ int, groups []*group) {
		texts := make([]*asm.Texts, len(groups))
		for i, g := range groups {
			texts[i] = asm.NewTexts(g.target)
		}
		buf := make([]byte, 0, 256)
		n := 0
		for b.Loop() {
			for i, g := range groups {
				for off, size := 0, 0; off < len(g.code); off += size {
					var err error
					if buf, size, err = texts[i].Append(buf[:0], g.code[off:], uint64(off)); err != nil {
						b.Fatal(err)
					}
					n++
				}
			}
		}
		rate(b, n, "instructions/s")
	})
}

// The longest files of BenchmarkSetAssemble, in lines. Corpora differ in length, and the assembler caches the lines of
// a file; with files of equal length caching has the same effect. Words of forms are of many variants and stages, so
// their files are short.
const (
	programLines = 1200
	formLines    = 60
)

// BenchmarkSetAssemble assembles each group in files of equal length. Rules are not checked, because random words break
// some. Short instructions without partner are written twice.
func BenchmarkSetAssemble(b *testing.B) {
	eachCorpus(b, func(b *testing.B, corpus int, groups []*group) {
		most := programLines
		if corpora[corpus].alone {
			most = formLines
		}
		type file struct {
			target *isa.Target
			text   []byte
			lines  int
		}
		var files []*file
		var p isa.Printer
		lines, last := 0, (*group)(nil)
		eachOf(b, groups, func(g *group, bundle *isa.Bundle) {
			times, in := 1, &bundle.Parts[0]
			if corpora[corpus].alone && in.Def.EncodedSize(in.Word) == g.target.Unit && g.target.Pairs {
				times = 2
			}
			if g != last || files[len(files)-1].lines+times > most {
				files, last = append(files, &file{target: g.target}), g
			}
			f := files[len(files)-1]
			for range times {
				f.text = append(appendText(&p, f.text, g, bundle), '\n')
			}
			f.lines, lines = f.lines+times, lines+times
		})
		n := 0
		for b.Loop() {
			for _, f := range files {
				if _, errs := asm.Assemble(f.target, f.text, asm.Options{NoLint: true}); len(errs) > 0 {
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
		eachOf(b, groups, func(g *group, bundle *isa.Bundle) {
			lines = append(lines, line{g.target, string(appendText(&p, nil, g, bundle))})
		})
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
