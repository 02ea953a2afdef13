package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// A phase is the part of a piece in which a step runs.
type phase uint8

const (
	before  phase = iota // uniform, and independent of the loop
	inside               // the loop
	behind               // after the loop: uniform, and reads a mask that the loop makes
	nowhere              // no code
)

// A cell is a register of the state other than a row.
type cell struct {
	kind lower.StepKind // GetWord, GetMask or GetExec
	at   int32
}

func cellOf(s *lower.Step) cell {
	switch s.Kind {
	case lower.GetWord, lower.SetWord:
		return cell{lower.GetWord, s.Cell}
	case lower.GetMask, lower.SetMask:
		return cell{lower.GetMask, s.Cell}
	}
	return cell{lower.GetExec, 0}
}

// A cutter partitions a block into pieces.
type cutter struct {
	c       *compiler
	cells   map[cell]bool // of the piece: read or written after the loop
	phases  []phase       // by step
	vectors int
	whole   bool // all steps of the block have code
}

// pieces partitions the block.
func (k *cutter) pieces() (list []portable.Segment) {
	steps := k.c.b.Steps
	k.clear()
	k.c.stored.clear()
	k.phases = make([]phase, len(steps))
	from := 0
	k.whole = !slices.ContainsFunc(steps, func(s lower.Step) bool { return k.c.class(&s) == unknown })
	end := func(to int) {
		if (k.whole && to > from) || k.vectors > 0 || to-from >= fewest {
			list = append(list, portable.Segment{From: from, To: to})
		}
		k.clear()
		k.vectors, from = 0, to
	}
	for i := range steps {
		p := k.phase(&steps[i])
		if p == nowhere && from < i { // it may begin a new piece
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

// clear resets the state of the piece.
func (k *cutter) clear() {
	k.c.words.clear()
	k.c.made.clear()
	k.c.stale.clear()
	clear(k.cells)
}

// early reports whether a load is hoisted before all other steps.
func (k *cutter) early(s *lower.Step) bool { return s.Hoistable && k.whole }

// fewest is the least number of steps that are worth a call if none is per lane.
const fewest = 4

// phase returns the phase of the step if it joins the piece.
func (k *cutter) phase(s *lower.Step) phase {
	if k.early(s) { // only counting remains
		if s.Broadcast && k.made(s.Args[1]) != before {
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
		if s.Kind != lower.Compute && k.cells[cellOf(s)] {
			when = behind
		}
		if k.c.readsLane(s) && (when == behind || k.parts(s)) {
			return nowhere
		}
		return when
	}
	return nowhere
}

// parts reports whether the step must begin a new piece, since it reads as a whole what the piece's loop makes in
// parts, or overwrites what other lanes read.
func (k *cutter) parts(s *lower.Step) bool {
	c := k.c
	if row := c.wholeRow(s); row.Kind != 0 {
		if _, made := c.made.get(row); made {
			return true
		}
		if c.shuffles(s) && k.made(s.Args[2]) != before {
			return true
		}
	}
	return slices.ContainsFunc(s.Res, func(p lower.Place) bool {
		_, seen := c.stale.get(p)
		return seen
	})
}

// made returns the phase in which the piece makes a uniform value; before for all others.
func (k *cutter) made(p lower.Place) (when phase) {
	if p.Kind == lower.InWord || p.Kind == lower.InMask {
		when, _ = k.c.words.get(wordOf(p))
	}
	return when
}

// isStored reports whether a step after a loop reads the mask.
func (k *cutter) isStored(p lower.Place) bool {
	_, ok := k.c.stored.get(p)
	return ok
}

// take adds step i to the piece.
func (k *cutter) take(i int, when phase) {
	s := &k.c.b.Steps[i]
	k.phases[i] = when
	for _, p := range s.Res {
		if (p.Kind == lower.InWord || p.Kind == lower.InMask) && !k.early(s) {
			k.c.words.put(wordOf(p), when)
		}
	}
	switch when {
	case inside:
		k.vectors++
		for _, p := range s.Res {
			if p.Kind == lower.InRow {
				k.c.made.put(p, i)
			}
		}
		if row := k.c.wholeRow(s); row.Kind != 0 {
			k.c.stale.put(row, true)
		}
	case behind:
		if s.Kind != lower.Compute && !k.early(s) {
			k.cells[cellOf(s)] = true
		}
		for _, p := range append(s.Args[:len(s.Args):len(s.Args)], s.Mask) {
			if p.Kind == lower.InMask {
				k.c.stored.put(p, true)
			}
		}
	}
}

// A class says how a step is executed.
type class uint8

const (
	unknown  class = iota
	onLanes        // in vector registers
	onWave         // in general registers
	onMemory       // an access or another step that may exit, between pieces of a wholly compiled block
	onCaller       // by the caller, likewise between pieces
)

// class returns how the step is executed.
func (c *compiler) class(s *lower.Step) class {
	switch s.Kind {
	case lower.CopyRow, lower.SetRow:
		return onLanes
	case lower.GetWord, lower.SetWord, lower.GetMask, lower.SetMask, lower.GetExec, lower.SetExec:
		return onWave
	case lower.MemoryAccess:
		if c.accessible(s) {
			return onMemory
		}
	case lower.Expect:
		return onMemory
	case lower.Fallback:
		switch {
		case s.Op == ir.Live, c.readsLane(s):
			return onWave
		case c.shuffles(s):
			return onLanes
		}
	case lower.Compute:
		if _, ok := waveOp(s); ok || c.waveFloat(s) {
			return onWave
		}
		if !s.Wave && len(s.Res) == 1 && (c.conditions(s) || c.vectors(s)) || !s.Wave && (c.quads(s) != nil || c.narrow(s) || c.carries(s) || c.products(s) || c.packed(s)) {
			return onLanes
		}
	}
	if s.NeedsExit {
		return onCaller
	}
	return unknown
}

// conditions reports whether the step is an op with code on lane masks.
func (c *compiler) conditions(s *lower.Step) bool {
	if s.Type != ir.I1 || s.Res[0].Kind != lower.InMask {
		return false
	}
	switch s.Op {
	case ir.And, ir.Or, ir.Xor, ir.Not, ir.Select:
		return true
	}
	return false
}

// vectors reports whether package emit has code for the step.
func (c *compiler) vectors(s *lower.Step) bool {
	if n := s.Type.Bits(); len(s.Args) > 3 || n != 32 && n != 16 || s.Res[0].Kind != lower.InRow && s.Res[0].Kind != lower.InMask {
		return false
	}
	for i, p := range s.Args {
		mask := s.Op == ir.Select && i == 0
		if p.Kind != lower.InWord && p.Kind != lower.InRow && !mask || mask && p.Kind == lower.InRow {
			return false
		}
	}
	var args [3]x86.Operand
	return c.e.Check(&emit.Call{Op: s.Op, Type: s.Type, From: s.From, Mode: s.Mode, Imm: s.Imm, Args: args[:len(s.Args)]}) == nil
}
