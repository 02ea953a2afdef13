package guess

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// What plausible asks of code: that it uses several rows, that some of its instructions touch registers, and that few writes are lost.
const (
	fewest     = 16   // instructions: of fewer nothing is asked
	fewestRows = 3    // that so many instructions use
	mostIdle   = 0.8  // of instructions that touch nothing
	mostLost   = 0.45 // of writes; from here on code becomes less plausible
	allLost    = 0.55 // and from here on it is none
)

// plausible is 1 of bytes whose instructions fit together, and 0 of data that happens to decode. What is lost is a write that another
// one follows before anything has read the register: code that a compiler or a person wrote has little of it. Control flow is not
// followed: a branch counts as a read of everything. Of sets with groups it is not asked, whose results pass from part to part.
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

// A pulse is what plausible counts.
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

// touch fills in the registers that a bundle touches.
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
