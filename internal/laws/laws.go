// Package laws checks invariants of every instruction set from its tables: it covers all rows, variants and stages, and
// makes words and operands from the declarations in the rows, so that a new row needs no new test.
package laws

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

// Options of a check.
type Options struct {
	Seed  uint64
	Words int      // per row; 0: 24. From 16 on, fields of up to four bits take all values.
	Modes []uint32 // static modes to lift under; none: 0
	// Loose are indexes of dialects that may allocate while printing because they print another dialect first.
	Loose []int
	// Names are prefixes of numbers that may print as other numbers (names of unused ports, other ways to write a
	// mode), suffixes with a dot of the word before such a number, and rows that ignore some of their numbers.
	Names []string
}

func (o Options) words() int {
	if o.Words == 0 {
		return 24
	}
	return o.Words
}

// A Report is statistics of a run, besides failures.
type Report struct {
	Words   int            // that decoded
	Skipped int            // first parts of bundles for which no completion was found
	Aliases map[string]int // by "mnemonic (encoding)": words whose text assembles to another encoding with the same text
	Trapped map[string]int // by the same key: words of rows with semantics whose lift traps
}

// Check runs all laws as subtests.
func Check(t *testing.T, s *isa.Set, o Options) (rep Report) {
	t.Run("tables", func(t *testing.T) { Tables(t, s) })
	t.Run("rules", func(t *testing.T) { Rules(t, s) })
	t.Run("rows", func(t *testing.T) { rep = Rows(t, s, o) })
	t.Run("numbers", func(t *testing.T) {
		if taken, refused := Numbers(t, s, o); taken == 0 || refused == 0 {
			t.Errorf("%d numbers are taken, %d refused", taken, refused)
		}
	})
	t.Run("truncated", func(t *testing.T) { Truncated(t, s, o) })
	t.Run("bytes", func(t *testing.T) { RandomBytes(t, s, o) })
	t.Run("pure", func(t *testing.T) { Pure(t, s, o) })
	t.Run("lift", func(t *testing.T) { rep.Trapped = Lifts(t, s, o) })
	t.Run("roles", func(t *testing.T) { Roles(t, s, o) })
	t.Run("allocs", func(t *testing.T) { Allocs(t, s, o) })
	return rep
}

// rowName returns the name of a row in reports.
func rowName(d *isa.Def) string { return d.Name + " (" + d.Enc.Name + ")" }

// each calls f for every variant and stage.
func each(s *isa.Set, f func(tg *isa.Target)) {
	for v := range s.Variants {
		for st := range max(1, len(s.Stages)) {
			f(s.At(v, st))
		}
	}
}

// eachText calls f for every variant, stage and dialect that is printed.
func eachText(t testing.TB, s *isa.Set, f func(tg *isa.Target)) {
	each(s, func(tg *isa.Target) {
		f(tg)
		for d := 1; d < len(s.Dialects) && s.PrintsDialects(); d++ {
			other, err := tg.With(d, nil)
			if err != nil {
				t.Fatal(err)
			}
			f(other)
		}
	})
}

// A checker checks the words of one target.
type checker struct {
	t              testing.TB
	tg             *isa.Target
	b, canon, back isa.Bundle
	again          isa.Bundle // back, decoded from its bytes
	rep            *Report
}

func newChecker(t testing.TB, tg *isa.Target, rep *Report) *checker {
	return &checker{t: t, tg: tg, rep: rep}
}

func (c *checker) errorf(code []byte, format string, args ...any) {
	c.t.Helper()
	c.t.Errorf("%s: %x: %s", c.tg, code, fmt.Sprintf(format, args...))
}

func (c *checker) print(b *isa.Bundle) string { return string(c.tg.Print(nil, b)) }

// Rows checks the words of every row: they decode to the row, or to one with priority; encoding returns the word; the
// text parses to the meaning of the word.
func Rows(t testing.TB, s *isa.Set, o Options) Report {
	rep := Report{Aliases: map[string]int{}}
	eachText(t, s, func(tg *isa.Target) {
		c := newChecker(t, tg, &rep)
		for i := range s.Defs {
			d := &s.Defs[i]
			if !in(d, tg) || d.Alias {
				continue
			}
			for _, w := range Words(tg, d, o) {
				c.row(w, d)
			}
		}
	})
	return rep
}

func in(d *isa.Def, tg *isa.Target) bool { return d.InVariant(tg.Variant) && d.InStage(tg.Stage) }

// row checks a word that was made from a row.
func (c *checker) row(w Word, d *isa.Def) {
	c.rep.Words++
	if d.Private {
		c.text(w, d)
		return
	}
	whole := c.complete(w)
	if whole == nil {
		c.rep.Skipped++
		return
	}
	if got := c.b.Parts[w.part(&c.b)].Def; got != d && !got.Enc.First {
		c.errorf(whole, "decodes as %s, made from %s", rowName(got), rowName(d))
	}
	c.bundle(whole)
	c.anywhere(whole)
}

// anywhere checks that the text of an instruction other than a branch is the same, and means the same, at any address:
// listings rely on it.
func (c *checker) anywhere(code []byte) {
	if c.tg.Group != nil {
		return
	}
	if c.tg.Placed(&c.b) {
		return
	}
	text := c.print(&c.b)
	if err := c.tg.DecodeBundle(code, 0x1240, &c.again); err != nil || c.print(&c.again) != text {
		c.errorf(code, "is %q at 0, at 0x1240 %q, %v; it is no branch", text, c.print(&c.again), err)
	}
	if err := c.tg.Parse(text, 0, &c.back); err != nil {
		return // already reported
	}
	if err := c.tg.Parse(text, 0x1240, &c.again); err != nil || !sameWords(&c.again, &c.back) {
		c.errorf(code, "%q parses at 0x1240 as %v, %v; it is no branch", text, c.again.Parts, err)
	}
}

// part returns the index of the word's part in a bundle.
func (w Word) part(b *isa.Bundle) int {
	for i := range b.Parts {
		if b.Parts[i].Def == w.Def {
			return i
		}
	}
	return 0
}

// sampled reports whether the set itself makes bundles of words.
func sampled(s *isa.Set) bool { return s.Group != nil && s.Group.Sample != nil }

// sample fills c.b with a bundle that contains the word, for checks without bytes. For a set that does not make bundles
// it is the word alone.
func (c *checker) sample(w Word) bool {
	in := w.Inst(c.tg)
	if sampled(c.tg.Set) {
		return c.tg.Group.Sample(c.tg, &in, &c.b)
	}
	c.b.Parts, c.b.Pad = append(c.b.Parts[:0], in), 0
	return true
}

// complete decodes the word into c.b: as the bundle that the set's sample makes of it, or with random later parts if
// the bundle needs them. It returns the bundle's code, nil if none was found.
func (c *checker) complete(w Word) []byte {
	if sampled(c.tg.Set) {
		if !c.sample(w) {
			return nil
		}
		code, err := c.b.Encode(nil)
		if err == nil {
			err = c.tg.DecodeBundle(code, 0, &c.b)
		}
		if err != nil {
			c.errorf(code, "the sample of %s: %v", rowName(w.Def), err)
			return nil
		}
		return code
	}
	code := w.Code()
	err := c.tg.DecodeBundle(code, 0, &c.b)
	if err == nil {
		return code
	}
	if c.tg.Group == nil {
		c.errorf(code, "%v", err)
		return nil
	}
	for i := range c.tg.Defs {
		d := &c.tg.Defs[i]
		if d.Private || d.Alias || !in(d, c.tg) {
			continue
		}
		more := append(bytes.Clone(code), d.Value().Append(nil, d.EncodedSize(d.Value()))...)
		if c.tg.DecodeBundle(more, 0, &c.b) == nil {
			return more[:c.b.Size()]
		}
	}
	return nil
}

// bundle checks the bundle in c.b, decoded from code.
func (c *checker) bundle(code []byte) {
	out, err := c.b.Encode(nil)
	if err != nil || !bytes.Equal(out, code[:c.b.Size()]) {
		c.errorf(code, "encode(decode(w)) is %x, %v", out, err)
		return
	}
	text := c.print(&c.b)
	c.shape(code, text)
	c.canonical(code, text)
	c.parseBack(code, text)
}

// shape checks that the text is one statement: one line, or several if the set says that the statement continues.
func (c *checker) shape(code []byte, text string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		so := strings.Join(lines[:i], "\n")
		if strings.Contains(line, "\r") || strings.TrimSpace(line) != line || i > 0 && (c.tg.Open == nil || !c.tg.Open(c.tg, so, line)) {
			c.errorf(code, "text %q has line ends or blanks around it", text)
			return
		}
	}
}

// canonical fills c.canon and checks that it is a fixed point with the same text.
func (c *checker) canonical(code []byte, text string) {
	c.canon.Parts, c.canon.Pad = c.canon.Parts[:0], c.b.Pad
	for i := range c.b.Parts {
		k := c.b.Parts[i].Canon()
		if kk := k.Canon(); kk != k {
			c.errorf(code, "canon of canon differs: %v, %v", k.Word, kk.Word)
		}
		c.canon.Parts = append(c.canon.Parts, k)
	}
	if got := c.print(&c.canon); got != text && c.tg.Dialect == 0 { // other dialects may tell more
		c.errorf(code, "prints as %q, its canon as %q", text, got)
	}
}

// parseBack checks that the text parses to c.canon. The one exception: the assembler may choose another encoding that
// prints the same text.
func (c *checker) parseBack(code []byte, text string) {
	if err := c.tg.Parse(text, 0, &c.back); err != nil {
		c.errorf(code, "prints as %q, which does not parse: %v", text, err)
		return
	}
	c.complies(code, text)
	if sameParts(&c.back, &c.canon) || c.tg.Dialect != 0 && sameParts(&c.back, &c.b) {
		return
	}
	if got := c.print(&c.back); got != text {
		c.errorf(code, "prints as %q, which parses as %q", text, got)
		return
	}
	if d := alias(&c.canon, &c.back); c.tg.Dialect == 0 && c.tg.Group == nil && !d.Twin {
		c.errorf(code, "%s is no Twin, and %q parses as another encoding, %v", rowName(d), text, c.back.Parts[0].Word)
	}
	if c.rep.Aliases != nil {
		c.rep.Aliases[rowName(alias(&c.canon, &c.back))]++
	}
}

// complies checks that the group in c.back, parsed from text, is valid: what its parts say about each other is
// consistent.
func (c *checker) complies(code []byte, text string) {
	if c.tg.Group == nil || slices.ContainsFunc(c.back.Parts, func(in isa.Inst) bool { return in.Def.Private }) {
		return
	}
	out, err := c.back.Encode(nil)
	if err == nil {
		err = c.tg.DecodeBundle(out, 0, &c.again)
	}
	if err != nil || !sameWords(&c.again, &c.back) {
		c.errorf(code, "%q parses as %x, which is another group, or none: %v", text, out, err)
	}
}

// sameRows reports whether two bundles have the same rows.
func sameRows(a, b *isa.Bundle) bool {
	return slices.EqualFunc(a.Parts, b.Parts, func(x, y isa.Inst) bool { return x.Def == y.Def })
}

// alias returns the row of the first part of a that differs in b; if all rows are the same, that of the first part with
// other bits.
func alias(a, b *isa.Bundle) *isa.Def {
	bits := a.Parts[0].Def
	for i := len(a.Parts) - 1; i >= 0; i-- {
		if i < len(b.Parts) && a.Parts[i].Word != b.Parts[i].Word {
			bits = a.Parts[i].Def
		}
	}
	for i := range a.Parts {
		if i >= len(b.Parts) || a.Parts[i].Def != b.Parts[i].Def {
			return a.Parts[i].Def
		}
	}
	return bits
}

func sameParts(a, b *isa.Bundle) bool { return sameWords(a, b) && sameRows(a, b) }

// sameWords is sameParts, except that a row may stand for words of another: nop for a move of a register to itself.
func sameWords(a, b *isa.Bundle) bool {
	return a.Pad == b.Pad && slices.EqualFunc(a.Parts, b.Parts, func(x, y isa.Inst) bool { return x.Word == y.Word && x.Size == y.Size })
}

// text checks a row without public encoding.
func (c *checker) text(w Word, d *isa.Def) {
	if !c.sample(w) {
		c.rep.Skipped++
		return
	}
	text := c.print(&c.b)
	c.shape(nil, text)
	c.canonical(nil, text)
	c.parseBack(nil, text)
	if _, err := c.b.Encode(nil); err == nil {
		c.errorf(nil, "%s encodes, though it has no public encoding", rowName(d))
	}
}

// Truncated checks that the truncated words of every row give an error or a shorter instruction.
func Truncated(t testing.TB, s *isa.Set, o Options) {
	each(s, func(tg *isa.Target) {
		c := newChecker(t, tg, &Report{})
		for i := range s.Defs {
			d := &s.Defs[i]
			if d.Private || d.Alias || !in(d, tg) {
				continue
			}
			code := c.complete(Words(tg, d, o)[0])
			for n := range code {
				if c.tg.DecodeBundle(code[:n:n], 0, &c.b) == nil && c.b.Size() > n {
					c.errorf(code[:n], "decodes as %s of %d bytes", c.print(&c.b), c.b.Size())
				}
			}
		}
	})
}

// RandomBytes runs Bytes on random code, on code made of words of rows, and on both truncated anywhere.
func RandomBytes(t testing.TB, s *isa.Set, o Options) {
	r := rand.New(rand.NewPCG(o.Seed, 1))
	eachText(t, s, func(tg *isa.Target) {
		c := newChecker(t, tg, &Report{})
		var all [][]byte
		for i := range s.Defs {
			if d := &s.Defs[i]; !d.Private && !d.Alias {
				for _, w := range Words(tg, d, o) {
					code := w.Code()
					if sampled(s) && in(d, tg) && r.IntN(8) > 0 {
						code = c.complete(w)
					}
					all = append(all, code)
				}
			}
		}
		for range 20 {
			var code []byte
			for len(code) < 400 {
				if r.IntN(4) == 0 {
					code = append(code, byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()))
				} else {
					code = append(code, all[r.IntN(len(all))]...)
				}
			}
			Bytes(t, tg, code[:len(code)-r.IntN(8)], uint64(r.IntN(3))*0x1000)
			if t.Failed() {
				return // one listing is enough
			}
		}
	})
}

// Bytes checks that the exact listing of code assembles to the same bytes. For every second length the listing has
// comments, references and folded padding.
func Bytes(t testing.TB, tg *isa.Target, code []byte, base uint64) {
	t.Helper()
	code = code[:len(code):len(code)]
	var list bytes.Buffer
	more := len(code)%2 == 1
	opt := asm.ListOptions{Exact: true, Comments: more, Refs: more}
	if more {
		opt.Fold = 2
	}
	if err := asm.List(&list, tg, code, base, opt); err != nil {
		t.Fatal(err)
	}
	a, errs := asm.Assemble(tg.Set.At(0, 0), list.Bytes(), asm.Options{File: "listing"})
	for _, e := range errs {
		t.Errorf("%s: %x: %s\n%s", tg, code, e.Detail(), e.Hint)
	}
	if a == nil {
		return
	}
	if !bytes.Equal(a.Code, code) || a.Base != base || a.Target.String() != tg.String() || a.Target.Dialect != tg.Dialect {
		t.Errorf("%s: %x\nlists as\n%s\nwhich assembles to\n%x", tg, code, list.Bytes(), a.Code)
	}
}
