package template

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// Masks that stand in words of the wave, and words that are made from them, become masks of lanes.

// pairOf is the pair of lanes that a register belongs to.
func (w *lowering) pairOf(cell int32) (pair int32, upper, ok bool) {
	switch {
	case w.r.lanes[cell]:
		return cell, false, true
	case cell > 0 && w.r.lanes[cell-1]:
		return cell - 1, true, true
	}
	return 0, false, false
}

func (w *lowering) getWord(s *portable.Step) bool {
	w.cells[s.Res[0].At] = s.Cell
	pair, _, lanes := w.pairOf(s.Cell)
	if !lanes {
		delete(w.cells, s.Res[0].At)
		w.put(*s)
		return true
	}
	_, flux := w.set[pair]
	return !flux && !w.written[pair]
}

// setWord writes a register: both halves of a mask to a pair of lanes one after the other, or a number.
func (w *lowering) setWord(s *portable.Step) bool {
	from := s.Args[0]
	h, isHalf := w.halves[from.At]
	if isHalf {
		first := s.Cell
		if h.upper {
			first--
		}
		if first < 0 {
			return false
		}
		w.r.lanes[first] = true
	}
	pair, upper, lanes := w.pairOf(s.Cell)
	switch {
	case !lanes && !w.number(from):
		return w.deadCond(s)
	case !lanes:
		w.to.words = append(w.to.words, s.Cell)
		w.put(*s)
		return true
	case !isHalf:
		x, known := w.c.number(from)
		if !known || x != 0 {
			return false
		}
		h = half{portable.Place{Kind: portable.InMask, At: from.At}, upper}
	}
	before, some := w.set[pair]
	switch {
	case h.upper != upper:
		return false
	case !some:
		w.set[pair] = h
		return true
	case before.upper == h.upper || before.mask != h.mask:
		return false
	}
	delete(w.set, pair)
	w.written[pair] = true
	w.setCell(pairCell(pair), h.mask)
	return true
}

// deadCond drops a write of whether there is a lane, if nobody reads it.
func (w *lowering) deadCond(s *portable.Step) bool {
	_, is := w.conds[s.Args[0].At]
	return is && !w.r.l.Live(w.to.ways[0], portable.GetWord, s.Cell) && !w.r.l.Live(w.to.ways[1], portable.GetWord, s.Cell)
}

func (w *lowering) setExec(s *portable.Step) bool {
	from := s.Args[0]
	if from.Kind == portable.InMask {
		from = w.lanesOf(from)
	} else if !w.number(from) {
		return false
	}
	w.setCell(inExec, from)
	w.equal = append(w.equal[:0], from)
	return true
}

func (w *lowering) setMask(s *portable.Step) bool {
	from, cell := s.Args[0], maskCell(s.Cell)
	if from.Kind == portable.InMask {
		from = w.lanesOf(from)
	} else if !w.number(from) {
		return false
	}
	x, known := w.c.number(s.Mask)
	switch {
	case s.Mask.Kind == 0, known && x&1 != 0:
		w.setCell(cell, from)
		return true
	case s.Mask.Kind != portable.InMask:
		return false
	}
	w.put(portable.Step{Kind: portable.Compute, Op: ir.Select, Type: ir.I1, From: ir.I1, Args: []portable.Place{w.lanesOf(s.Mask), from, cell}, Res: []portable.Place{cell}})
	return true
}

// compute lowers an op on masks as words. Not done: it is none.
func (w *lowering) compute(s *portable.Step) (done, ok bool) {
	switch s.Op {
	case ir.Ballot:
		return true, w.ballot(s)
	case ir.Lanes:
		w.alias[s.Res[0]] = w.lanesOf(s.Args[0])
		return true, w.number(s.Args[0]) || w.masks[s.Args[0].At].Kind != 0
	case ir.Any:
		m := w.both(s, portable.Place{Kind: portable.InMask, At: s.Res[0].At})
		w.conds[s.Res[0].At] = cond{mask: m}
		return true, m.Kind != 0
	case ir.Pack:
		return w.pack(s)
	case ir.Unpack:
		if m, is := w.masks[s.Args[0].At]; is && s.Args[0].Kind == portable.InWord {
			w.halves[s.Res[0].At], w.halves[s.Res[1].At] = half{m, false}, half{m, true}
			return true, true
		}
		return false, false
	}
	of := slices.ContainsFunc(s.Args, func(p portable.Place) bool { _, is := w.masks[p.At]; return is && p.Kind == portable.InWord })
	if !of {
		return false, false
	}
	return true, w.word(s)
}

// word lowers an op that has a mask as a word.
func (w *lowering) word(s *portable.Step) bool {
	switch s.Op {
	case ir.And, ir.Or, ir.Xor, ir.Not:
		if s.Type != ir.I64 {
			return false
		}
		x := portable.Step{Kind: portable.Compute, Op: s.Op, Type: ir.I1, From: ir.I1, Res: []portable.Place{{Kind: portable.InMask, At: s.Res[0].At}}}
		for _, p := range s.Args {
			if _, is := w.masks[p.At]; !is && !w.number(p) {
				return false
			}
			x.Args = append(x.Args, w.lanesOf(p))
		}
		w.put(x)
		w.masks[s.Res[0].At] = x.Res[0]
		return true
	case ir.Eq, ir.Ne:
		m, other := w.masks[s.Args[0].At], s.Args[1]
		if m.Kind == 0 {
			m, other = w.masks[s.Args[1].At], s.Args[0]
		}
		x, known := w.c.number(other)
		w.conds[s.Res[0].At] = cond{m, s.Op == ir.Eq}
		return known && x == 0 && s.From == ir.I64
	}
	return false
}

// ballot makes a word of a mask.
func (w *lowering) ballot(s *portable.Step) bool {
	m := w.both(s, portable.Place{Kind: portable.InMask, At: s.Res[0].At})
	w.masks[s.Res[0].At] = m
	return m.Kind != 0
}

// both are the lanes of the first operand that are among those of the second; Kind 0: they are not lanes.
func (w *lowering) both(s *portable.Step, to portable.Place) portable.Place {
	var m [2]portable.Place
	for i, p := range s.Args {
		if m[i] = p; p.Kind == portable.InMask {
			m[i] = w.lanesOf(p)
		} else if !w.number(p) {
			return portable.Place{}
		}
	}
	for i := range m {
		if m[i].Kind == portable.InMask && w.within(m[i], m[1-i]) {
			return m[i]
		}
		if x, known := w.c.number(m[i]); known && x&1 != 0 && m[1-i].Kind != portable.InWord {
			return m[1-i]
		}
	}
	w.put(portable.Step{Kind: portable.Compute, Op: ir.And, Type: ir.I1, From: ir.I1, Args: m[:], Res: []portable.Place{to}})
	return to
}

// pack puts two words together: those of a pair of lanes are a mask.
func (w *lowering) pack(s *portable.Step) (done, ok bool) {
	low, is := w.cells[s.Args[0].At]
	high, too := w.cells[s.Args[1].At]
	if s.Args[0].Kind != portable.InWord || s.Args[1].Kind != portable.InWord || !is && !too {
		return false, false
	}
	if !is || !too || high != low+1 || !w.r.lanes[low] || s.Type != ir.I64 {
		return true, false
	}
	to := portable.Place{Kind: portable.InMask, At: s.Res[0].At}
	w.get(pairCell(low), to)
	w.masks[s.Res[0].At] = to
	return true, !w.written[low]
}
