package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/lower"
)

// A phase is the part of a segment in which a step runs.
type phase uint8

const (
	beforeLoop phase = iota // uniform, and independent of the loop
	inLoop
	afterLoop // uniform, and reads a mask that the loop makes
	noPhase   // no code
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

// A segmenter partitions a block into segments.
type segmenter struct {
	*selector
	cells   map[cell]bool // of the segment: read or written after the loop
	vectors int           // steps in the segment's loop
	logs    phase         // of the last probe that is logged: later ones are not logged earlier
	moves   []*affineAccess
}

// segment partitions the block.
func (k *selector) segment() {
	m := segmenter{selector: k, cells: map[cell]bool{}}
	m.clear()
	m.stored.clear()
	from := 0
	end := func(to int) {
		if (k.whole && to > from) || m.vectors > 0 || to-from >= minUniform {
			k.segments = append(k.segments, segment{from: from, to: to})
		}
		m.clear()
		m.vectors, from = 0, to
	}
	for i := range k.b.Steps {
		if k.dropped(i) {
			continue
		}
		p := m.phaseOf(i)
		if p == noPhase && from < i { // it may begin a new segment
			end(i)
			p = m.phaseOf(i)
		}
		if p == noPhase {
			from = i + 1
		} else {
			m.add(i, p)
		}
		k.choices[i].phase = p
	}
	end(len(k.b.Steps))
}

// clear resets the state of the segment.
func (m *segmenter) clear() {
	m.words.clear()
	m.made.clear()
	m.stale.clear()
	clear(m.cells)
	m.moves, m.logs = m.moves[:0], beforeLoop
}

// minUniform is the least number of steps that are worth a call if none is per lane.
const minUniform = 4

// phaseOf returns the phase of step i if it joins the segment.
func (m *segmenter) phaseOf(i int) phase {
	s, form := &m.b.Steps[i], m.choices[i].form
	if form == formCount {
		if s.Broadcast && m.madeIn(s.Args[1]) != beforeLoop {
			return afterLoop
		}
		return beforeLoop
	}
	switch form.class() {
	case classLane:
		if m.conflicts(i) {
			return noPhase
		}
		for _, p := range operands(s) {
			if m.madeIn(p) == afterLoop {
				return noPhase
			}
		}
		return inLoop
	case classUniform:
		when := beforeLoop
		for _, p := range operands(s) {
			if m.madeIn(p) != beforeLoop {
				when = afterLoop
			}
		}
		if s.Kind != lower.Compute && !form.tells() && m.cells[cellOf(s)] || form == formLogKnown && m.logs == afterLoop {
			when = afterLoop
		}
		if form == formReadLane && (when == afterLoop || m.conflicts(i)) {
			return noPhase
		}
		return when
	}
	return noPhase
}

// operands returns the places that a step names as operands or mask.
func operands(s *lower.Step) []lower.Place {
	return append(s.Args[:len(s.Args):len(s.Args)], s.Mask)
}

// conflicts reports whether the step must begin a new segment, since it reads as a whole what the segment's loop makes
// in parts, or overwrites what other lanes read.
func (m *segmenter) conflicts(i int) bool {
	s := &m.b.Steps[i]
	if m.choices[i].isAffine() && (m.mayOverlap(i) || !s.Full && m.madeIn(s.Mask) != beforeLoop) { // bytes are counted before the loop
		return true
	}
	if row := m.wholeRow(i); row.Kind != 0 {
		if _, made := m.made.get(row); made {
			return true
		}
		if m.choices[i].form == formShuffle && m.madeIn(s.Args[2]) != beforeLoop {
			return true
		}
	}
	return slices.ContainsFunc(s.Res, func(p lower.Place) bool {
		_, read := m.stale.get(p)
		return read
	})
}

// mayOverlap reports whether a lane of an affine access may access what another lane of one in the loop stores, or the
// reverse.
func (m *segmenter) mayOverlap(i int) bool {
	store := func(i int) bool { return m.b.Steps[i].TransferKind.Do == lower.StoreElems }
	x := m.checked(i)
	return slices.ContainsFunc(m.moves, func(y *affineAccess) bool {
		return (store(i) || store(y.step)) && !m.keepLanesApart(x, y)
	})
}

// keepLanesApart reports whether no lane of one access accesses what another lane of the other does: each has the same
// address in both, or all addresses differ. Since segments may share bytes, such accesses are pinned: tested on entry.
func (p *plan) keepLanesApart(x, y *affineAccess) bool {
	apart := int64(y.addr.add - x.addr.add)
	if !x.near(y) || x.stride == 0 || p.b.Steps[x.step].Space != p.b.Steps[y.step].Space ||
		apart != 0 && max(apart, -apart) < int64(x.stride)*int64(p.b.Lanes) {
		return false
	}
	if apart != 0 {
		x.pinned, y.pinned = true, true
	}
	return true
}

// madeIn returns the phase in which the segment makes a uniform value; beforeLoop for all others.
func (m *segmenter) madeIn(p lower.Place) (when phase) {
	if p.Kind == lower.InWord || p.Kind == lower.InMask {
		when, _ = m.words.get(wordOf(p))
	}
	return when
}

// add adds step i to the segment.
func (m *segmenter) add(i int, when phase) {
	s, hoisted := &m.b.Steps[i], m.choices[i].form == formCount
	if m.choices[i].form == formLogKnown {
		m.logs = when
	}
	for _, p := range s.Res {
		if (p.Kind == lower.InWord || p.Kind == lower.InMask) && !hoisted {
			m.words.put(wordOf(p), when)
		}
	}
	switch when {
	case inLoop:
		m.vectors++
		if m.choices[i].isAffine() {
			m.moves = append(m.moves, m.checked(i))
		}
		for _, p := range s.Res {
			if p.Kind == lower.InRow {
				m.made.put(p, i)
			}
		}
		if row := m.wholeRow(i); row.Kind != 0 {
			m.stale.put(row, true)
		}
	case afterLoop:
		if s.Kind != lower.Compute && !hoisted && !m.choices[i].form.tells() {
			m.cells[cellOf(s)] = true
		}
		for _, p := range operands(s) {
			if p.Kind == lower.InMask {
				m.stored.put(p, true)
			}
		}
	}
}

// wholeRow returns the row that step i reads in lanes of other iterations; Kind 0: none.
func (p *plan) wholeRow(i int) (row lower.Place) {
	if f := p.choices[i].form; f == formReadLane || f == formShuffle {
		row = p.b.Steps[i].Args[0]
	}
	return row
}

// isStored reports whether a step after a loop reads the mask.
func (p *plan) isStored(mask lower.Place) bool {
	_, ok := p.stored.get(mask)
	return ok
}
