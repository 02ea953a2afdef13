package gen

import (
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Uniform registers have 32 bits, lane masks and addresses use two of them. Two adjacent ones are read or written at
// once if the halves have no other readers.

// pairs finds such steps in a segment: the last of the three does the work of all.
func (k *selector) pairs(g *segment) {
	for i := g.from; i < g.to; i++ {
		s := &k.b.Steps[i]
		if s.Kind != lower.Compute || !s.Wave || k.choices[i].phase == inLoop || k.dropped(i) {
			continue
		}
		switch {
		case s.Op == ir.Pack && s.Type == ir.I64 && s.From == ir.I32:
			k.readPair(g, i)
		case s.Op == ir.Unpack && s.From == ir.I64 && s.Type == ir.I32:
			k.writePair(g, i)
		}
	}
}

// readPair makes step i, which packs two words, read both registers.
func (k *selector) readPair(g *segment, i int) {
	s := &k.b.Steps[i]
	low, high := k.madeBy(g, s.Args[0], i), k.madeBy(g, s.Args[1], i)
	if low < 0 || high < 0 || !k.alone(s.Args[0]) || !k.alone(s.Args[1]) {
		return
	}
	a, b := &k.b.Steps[low], &k.b.Steps[high]
	if k.choices[low].form != formGetWord || k.choices[high].form != formGetWord || b.Cell != a.Cell+1 || k.phased(i, low, high) {
		return
	}
	for j := min(low, high) + 1; j < i; j++ {
		if k.writesWord(j, a.Cell) || k.writesWord(j, b.Cell) {
			return
		}
	}
	k.drop(low, i)
	k.drop(high, i)
	*s = lower.Step{Kind: lower.GetWord, Wave: true, Cell: a.Cell, Res: s.Res}
	k.choices[i].form = formGetPair
}

// writePair makes the second of the two steps that write the halves unpacked by step i write both.
func (k *selector) writePair(g *segment, i int) {
	s := &k.b.Steps[i]
	low, high := k.setBy(g, s.Res[0], i), k.setBy(g, s.Res[1], i)
	if low < 0 || high < 0 || !k.alone(s.Res[0]) || !k.alone(s.Res[1]) {
		return
	}
	a, b := &k.b.Steps[low], &k.b.Steps[high]
	if b.Cell != a.Cell+1 || k.phased(i, low, high) {
		return
	}
	last := max(low, high)
	for j := min(low, high) + 1; j < last; j++ {
		if k.writesWord(j, a.Cell) || k.writesWord(j, b.Cell) || k.readsWord(j, a.Cell) || k.readsWord(j, b.Cell) {
			return
		}
	}
	from, cell := s.Args[0], a.Cell
	k.drop(i, last)
	k.drop(min(low, high), last)
	k.b.Steps[last] = lower.Step{Kind: lower.SetWord, Wave: true, Cell: cell, Args: []lower.Place{from}}
	k.choices[last].form = formSetPair
}

// phased reports whether the steps run in different phases.
func (k *selector) phased(i, j, l int) bool {
	a := k.choices[i].phase
	return a != k.choices[j].phase || a != k.choices[l].phase
}

// madeBy returns the step of the segment before step i that makes the word, -1 if there is none.
func (k *selector) madeBy(g *segment, w lower.Place, i int) int {
	for j := i - 1; j >= g.from; j-- {
		for _, r := range k.b.Steps[j].Res {
			if r == w {
				return j
			}
		}
	}
	return -1
}

// setBy returns the step of the segment after step i that writes the word to a register, -1 if there is none.
func (k *selector) setBy(g *segment, w lower.Place, i int) int {
	for j := i + 1; j < g.to; j++ {
		if k.choices[j].form == formSetWord && k.b.Steps[j].Args[0] == w {
			return j
		}
	}
	return -1
}

// alone reports whether the word has a single reader.
func (k *selector) alone(w lower.Place) bool {
	n, _ := k.reads.get(wordOf(w))
	return w.Kind == lower.InWord && n == 1
}

// countReads counts the readers of each word.
func (k *selector) countReads() {
	k.reads.clear()
	count := func(p lower.Place) {
		if p.Kind == lower.InWord || p.Kind == lower.InMask {
			n, _ := k.reads.get(wordOf(p))
			k.reads.put(wordOf(p), n+1)
		}
	}
	for i := range k.b.Steps {
		for _, p := range k.b.Steps[i].Args {
			count(p)
		}
		count(k.b.Steps[i].Mask)
	}
	for _, p := range k.b.Term {
		count(p)
	}
}

// wordOf returns the word of a number or a mask: both become places of one kind.
func wordOf(p lower.Place) lower.Place { return lower.Place{Kind: lower.InWord, At: p.At} }

// writesWord reports whether step i may write a uniform register.
func (k *selector) writesWord(i int, cell int32) bool {
	return k.accesses(i, cell, formSetWord, formSetPair)
}

// readsWord reports whether step i may read a uniform register.
func (k *selector) readsWord(i int, cell int32) bool {
	return k.accesses(i, cell, formGetWord, formGetPair)
}

// accesses reports whether step i has one of the forms, and their register is the given one, or may be any.
func (k *selector) accesses(i int, cell int32, one, pair form) bool {
	s, f := &k.b.Steps[i], k.choices[i].form
	return f == one && s.Cell == cell || f == pair && (s.Cell == cell || s.Cell+1 == cell) || s.Kind == lower.Fallback
}
