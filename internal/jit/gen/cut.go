package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// A phase is the part of a piece that a step runs in.
type phase uint8

const (
	before  phase = iota // what is one a wave, and needs nothing of the loop
	inside               // the loop
	behind               // what is one a wave, and needs a mask that the loop makes
	nowhere              // there is no code
)

// A cell is a register of the state that is no row.
type cell struct {
	kind portable.StepKind // GetWord, GetMask or GetExec
	at   int32
}

func cellOf(s *portable.Step) cell {
	switch s.Kind {
	case portable.GetWord, portable.SetWord:
		return cell{portable.GetWord, s.Cell}
	case portable.GetMask, portable.SetMask:
		return cell{portable.GetMask, s.Cell}
	}
	return cell{portable.GetExec, 0}
}

// A cutter finds the pieces of a block.
type cutter struct {
	c       *compiler
	cells   map[cell]bool // of the piece: read or written behind the loop
	phases  []phase       // by step
	vectors int
	whole   bool // there is code for all steps
}

// pieces cuts the block.
func (k *cutter) pieces() (list []portable.Piece) {
	steps := k.c.b.Steps
	k.clear()
	k.c.stored.clear()
	k.phases = make([]phase, len(steps))
	from := 0
	k.whole = !slices.ContainsFunc(steps, func(s portable.Step) bool { return k.c.class(&s) == unknown })
	end := func(to int) {
		if (k.whole && to > from) || k.vectors > 0 || to-from >= fewest {
			list = append(list, portable.Piece{From: from, To: to})
		}
		k.clear()
		k.vectors, from = 0, to
	}
	for i := range steps {
		p := k.phase(&steps[i])
		if p == nowhere && from < i { // perhaps it can begin a new piece
			end(i)
			p = k.phase(&steps[i])
		}
		if p == nowhere {
			from = i + 1
			continue
		}
		k.take(i, p)
	}
	end(len(steps))
	return list
}

// clear forgets the piece.
func (k *cutter) clear() {
	k.c.words.clear()
	k.c.made.clear()
	k.c.stale.clear()
	clear(k.cells)
}

// early is whether a load comes before all other steps.
func (k *cutter) early(s *portable.Step) bool { return s.Early && k.whole }

// fewest is how many steps without a vector are worth a call.
const fewest = 4

// phase is when the step runs, if it joins the piece.
func (k *cutter) phase(s *portable.Step) phase {
	if k.early(s) { // what is left to do is to count
		if s.Shared && k.made(s.Args[1]) != before {
			return behind
		}
		return before
	}
	switch k.c.class(s) {
	case onLanes:
		if k.parts(s) {
			return nowhere
		}
		for _, p := range append(s.Args[:len(s.Args):len(s.Args)], s.Mask) {
			if k.made(p) == behind {
				return nowhere
			}
		}
		return inside
	case onWave:
		when := before
		for _, p := range append(s.Args[:len(s.Args):len(s.Args)], s.Mask) {
			if k.made(p) != before {
				when = behind
			}
		}
		if s.Kind != portable.Compute && k.cells[cellOf(s)] {
			when = behind
		}
		if k.c.readsLane(s) && (when == behind || k.parts(s)) {
			return nowhere
		}
		return when
	}
	return nowhere
}

// parts reports whether the step cannot join the piece since it looks at all of what the piece's loop makes in parts, or overwrites what others
// look at.
func (k *cutter) parts(s *portable.Step) bool {
	c := k.c
	if row := c.wholeRow(s); row.Kind != 0 {
		if _, made := c.made.get(row); made {
			return true
		}
		if c.shuffles(s) && k.made(s.Args[2]) != before {
			return true
		}
	}
	return slices.ContainsFunc(s.Res, func(p portable.Place) bool {
		_, seen := c.stale.get(p)
		return seen
	})
}

// made is when the piece makes what is one a wave; before for all else.
func (k *cutter) made(p portable.Place) (when phase) {
	if p.Kind == portable.InWord || p.Kind == portable.InMask {
		when, _ = k.c.words.get(wordOf(p))
	}
	return when
}

// isStored reports whether a step behind a loop reads the mask.
func (k *cutter) isStored(p portable.Place) bool {
	_, ok := k.c.stored.get(p)
	return ok
}

// take puts step i into the piece.
func (k *cutter) take(i int, when phase) {
	s := &k.c.b.Steps[i]
	k.phases[i] = when
	for _, p := range s.Res {
		if (p.Kind == portable.InWord || p.Kind == portable.InMask) && !k.early(s) {
			k.c.words.put(wordOf(p), when)
		}
	}
	switch when {
	case inside:
		k.vectors++
		for _, p := range s.Res {
			if p.Kind == portable.InRow {
				k.c.made.put(p, i)
			}
		}
		if row := k.c.wholeRow(s); row.Kind != 0 {
			k.c.stale.put(row, true)
		}
	case behind:
		if s.Kind != portable.Compute && !k.early(s) {
			k.cells[cellOf(s)] = true
		}
		for _, p := range append(s.Args[:len(s.Args):len(s.Args)], s.Mask) {
			if p.Kind == portable.InMask {
				k.c.stored.put(p, true)
			}
		}
	}
}

// A class is how steps are carried out.
type class uint8

const (
	unknown  class = iota
	onLanes        // in vectors
	onWave         // in general registers
	onMemory       // an access, or what else may leave, between pieces of a whole block
	onCaller       // by the caller, likewise
)

// class is how the step is carried out.
func (c *compiler) class(s *portable.Step) class {
	switch s.Kind {
	case portable.CopyRow, portable.SetRow:
		return onLanes
	case portable.GetWord, portable.SetWord, portable.GetMask, portable.SetMask, portable.GetExec, portable.SetExec:
		return onWave
	case portable.MemoryAccess:
		if c.accessible(s) {
			return onMemory
		}
	case portable.Expect:
		return onMemory
	case portable.Other:
		switch {
		case s.Op == ir.Live, c.readsLane(s):
			return onWave
		case c.shuffles(s):
			return onLanes
		}
	case portable.Compute:
		if _, ok := waveOp(s); ok || c.waveFloat(s) {
			return onWave
		}
		if !s.Wave && len(s.Res) == 1 && (c.conditions(s) || c.vectors(s)) || !s.Wave && (c.quads(s) != nil || c.narrow(s) || c.carries(s) || c.products(s) || c.packed(s)) {
			return onLanes
		}
	}
	if s.Apart {
		return onCaller
	}
	return unknown
}

// conditions reports whether the step is a known one on lane masks.
func (c *compiler) conditions(s *portable.Step) bool {
	if s.Type != ir.I1 || s.Res[0].Kind != portable.InMask {
		return false
	}
	switch s.Op {
	case ir.And, ir.Or, ir.Xor, ir.Not, ir.Select:
		return true
	}
	return false
}

// vectors reports whether package emit has code for the step.
func (c *compiler) vectors(s *portable.Step) bool {
	if n := s.Type.Bits(); len(s.Args) > 3 || n != 32 && n != 16 || s.Res[0].Kind != portable.InRow && s.Res[0].Kind != portable.InMask {
		return false
	}
	for i, p := range s.Args {
		mask := s.Op == ir.Select && i == 0
		if p.Kind != portable.InWord && p.Kind != portable.InRow && !mask || mask && p.Kind == portable.InRow {
			return false
		}
	}
	var args [3]x86.Operand
	return c.e.Check(&emit.Call{Op: s.Op, Type: s.Type, From: s.From, Mode: s.Mode, Imm: s.Imm, Args: args[:len(s.Args)]}) == nil
}
