package guess

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Thresholds of plausible: code uses several rows, some of its instructions access registers, and few writes are lost.
const (
	fewest     = 16   // instructions; less code is always plausible
	fewestRows = 3    // used by so many instructions
	mostIdle   = 0.8  // fraction of instructions without register accesses
	mostLost   = 0.45 // fraction of writes from which on code is less plausible
	allLost    = 0.55 // fraction of writes from which on data is not code
)

// plausible returns 1 for bytes whose instructions fit together, and 0 for data that decodes by chance. It measures
// lost writes: those overwritten before the register is read. Compilers and programmers leave few of them. Control flow
// is not followed: a branch counts as a read of everything. Sets with groups, whose results pass between parts, are
// exempt.
func plausible(t *isa.Target, code []byte) float64 {
	p := pulse{t: t, rows: map[*isa.Def]bool{}, pending: map[ir.Cell]bool{}}
	var b isa.Bundle
	for off := 0; off < len(code); {
		if t.DecodeBundle(code[off:], uint64(off), &b) != nil {
			off += max(t.Unit, 1)
			clear(p.pending)
			continue
		}
		if !zeros(code[off : off+b.Size()]) {
			p.bundle(&b)
		}
		off += b.Size()
	}
	switch lost := float64(p.lost) / float64(max(p.writes, 1)); {
	case p.n < fewest:
		return 1
	case len(p.rows) < fewestRows || float64(p.idle) > mostIdle*float64(p.n):
		return 0
	case p.writes < fewest || t.Group != nil:
		return 1
	default:
		return min(max((allLost-lost)/(allLost-mostLost), 0), 1)
	}
}

// A pulse is the counts of plausible.
type pulse struct {
	t                     *isa.Target
	n, idle, writes, lost int
	rows                  map[*isa.Def]bool
	pending               map[ir.Cell]bool // written, and not read since
	to                    isa.Touched
}

func (p *pulse) bundle(b *isa.Bundle) {
	p.n++
	branch := false
	for i := range b.Parts {
		p.rows[b.Parts[i].Def] = true
		if p.t.Branch != nil {
			_, leads := p.t.Branch(b, i)
			branch = branch || leads
		}
	}
	p.touch(b)
	if len(p.to.Reads)+len(p.to.Writes) == 0 && !branch {
		p.idle++
	}
	everyCell(p.to.Reads, func(c ir.Cell) { delete(p.pending, c) })
	if branch {
		clear(p.pending)
	}
	m := p.t.Machine()
	everyCell(p.to.Writes, func(c ir.Cell) {
		if k := m.Kind(c); k != ir.Lane32 && k != ir.Wave32 { // conditions are often written and not read
			return
		}
		p.writes++
		if p.pending[c] {
			p.lost++
		}
		p.pending[c] = true
	})
}

// touch fills in the registers that a bundle reads and writes.
func (p *pulse) touch(b *isa.Bundle) {
	if p.t.Flow != nil && p.t.Flow.Touches != nil {
		p.t.Flow.Touches(p.t, b, &p.to)
		return
	}
	p.to.Of(&b.Parts[0])
}

func everyCell(spans []ir.Span, f func(c ir.Cell)) {
	for _, s := range spans {
		for i := range s.Count {
			f(ir.Cell{File: s.Cell.File, Index: s.Cell.Index + i})
		}
	}
}
