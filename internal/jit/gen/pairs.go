package gen

import (
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// Uniform registers have 32 bits, lane masks and addresses use two of them. Two adjacent ones are read or written at
// once if the halves have no other readers.

// Kinds of steps that replace three others.
const (
	getPair lower.StepKind = 0x40 + iota // Cell and the next one, to a word of 64 bits
	setPair
)

// pairs finds such steps in a piece: the last of the three does the work of all.
func (c *compiler) pairs(p portable.Segment) {
	for i := p.From; i < p.To; i++ {
		s := &c.b.Steps[i]
		if s.Kind != lower.Compute || !s.Wave || c.cut.phases[i] == inside {
			continue
		}
		switch {
		case s.Op == ir.Pack && s.Type == ir.I64 && s.From == ir.I32:
			c.readPair(p, i)
		case s.Op == ir.Unpack && s.From == ir.I64 && s.Type == ir.I32:
			c.writePair(p, i)
		}
	}
}

// readPair makes step i, which packs two words, read both registers.
func (c *compiler) readPair(p portable.Segment, i int) {
	s := &c.b.Steps[i]
	low, high := c.madeBy(p, s.Args[0], i), c.madeBy(p, s.Args[1], i)
	if low < 0 || high < 0 || !c.alone(s.Args[0]) || !c.alone(s.Args[1]) {
		return
	}
	a, b := &c.b.Steps[low], &c.b.Steps[high]
	if a.Kind != lower.GetWord || b.Kind != lower.GetWord || b.Cell != a.Cell+1 || c.phased(i, low, high) {
		return
	}
	for j := min(low, high) + 1; j < i; j++ {
		if x := &c.b.Steps[j]; writesWord(x, a.Cell) || writesWord(x, b.Cell) {
			return
		}
	}
	c.passed[low], c.passed[high] = true, true
	*s = lower.Step{Kind: getPair, Wave: true, Cell: a.Cell, Res: s.Res}
}

// writePair makes the second of the two steps that write the halves unpacked by step i write both.
func (c *compiler) writePair(p portable.Segment, i int) {
	s := &c.b.Steps[i]
	low, high := c.setBy(p, s.Res[0], i), c.setBy(p, s.Res[1], i)
	if low < 0 || high < 0 || !c.alone(s.Res[0]) || !c.alone(s.Res[1]) {
		return
	}
	a, b := &c.b.Steps[low], &c.b.Steps[high]
	if b.Cell != a.Cell+1 || c.phased(i, low, high) {
		return
	}
	last := max(low, high)
	for j := min(low, high) + 1; j < last; j++ {
		x := &c.b.Steps[j]
		if writesWord(x, a.Cell) || writesWord(x, b.Cell) || readsWord(x, a.Cell) || readsWord(x, b.Cell) {
			return
		}
	}
	from, cell := s.Args[0], a.Cell
	c.passed[i], c.passed[min(low, high)] = true, true
	c.b.Steps[last] = lower.Step{Kind: setPair, Wave: true, Cell: cell, Args: []lower.Place{from}}
}

// phased reports whether the steps run in different phases.
func (c *compiler) phased(i, j, k int) bool {
	ph := c.cut.phases
	return ph[i] != ph[j] || ph[i] != ph[k]
}

// madeBy returns the step of the piece before step i that makes the word, -1 if there is none.
func (c *compiler) madeBy(p portable.Segment, w lower.Place, i int) int {
	for j := i - 1; j >= p.From; j-- {
		for _, r := range c.b.Steps[j].Res {
			if r == w {
				return j
			}
		}
	}
	return -1
}

// setBy returns the step of the piece after step i that writes the word to a register, -1 if there is none.
func (c *compiler) setBy(p portable.Segment, w lower.Place, i int) int {
	for j := i + 1; j < p.To; j++ {
		if s := &c.b.Steps[j]; s.Kind == lower.SetWord && s.Args[0] == w {
			return j
		}
	}
	return -1
}

// alone reports whether the word has a single reader.
func (c *compiler) alone(w lower.Place) bool {
	n, _ := c.reads.get(wordOf(w))
	return w.Kind == lower.InWord && n == 1
}

// countReads counts the readers of each word.
func (c *compiler) countReads() {
	c.reads.clear()
	count := func(p lower.Place) {
		if p.Kind == lower.InWord || p.Kind == lower.InMask {
			n, _ := c.reads.get(wordOf(p))
			c.reads.put(wordOf(p), n+1)
		}
	}
	for i := range c.b.Steps {
		for _, p := range c.b.Steps[i].Args {
			count(p)
		}
		count(c.b.Steps[i].Mask)
	}
	for _, p := range c.b.Term {
		count(p)
	}
}

// wordOf returns the word of a number or a mask: both become places of one kind.
func wordOf(p lower.Place) lower.Place { return lower.Place{Kind: lower.InWord, At: p.At} }

func writesWord(s *lower.Step, cell int32) bool {
	return s.Kind == lower.SetWord && s.Cell == cell || s.Kind == setPair && (s.Cell == cell || s.Cell+1 == cell) || s.Kind == lower.Fallback
}

func readsWord(s *lower.Step, cell int32) bool {
	return s.Kind == lower.GetWord && s.Cell == cell || s.Kind == getPair && (s.Cell == cell || s.Cell+1 == cell) || s.Kind == lower.Fallback
}
