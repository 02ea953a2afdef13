package eval

import (
	"bytes"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Change is a register that was written, or whose value changed.
type Change struct {
	Reg    Register
	Values []uint64 // one per lane of the wave, or one
	Was    []uint64
	Format meaning.Format
}

// Changed reports whether the value differs from the one before.
func (c *Change) Changed() bool { return !slices.Equal(c.Values, c.Was) }

// changes lists the named registers that were written, then others that changed, both sorted by file and index. Two
// words are one change if an instruction writes them as a pair.
func (p *Program) changes(before, after *exec.State, set *Setup, written map[ir.Cell]bool) (cs []Change) {
	var others []Change
	writes := p.studied().formatsFrom(p.Machine(), set.Regs).Writes
	m := after.Machine
	names := registerNames(p.Target)
	wide := map[ir.Cell]span{}
	files := make([]bool, len(m.Files)) // with cells that were written
	for _, sp := range p.wideResults() {
		wide[sp.first] = sp
	}
	for c := range written {
		files[c.File] = true
	}
	for fi := range m.Files {
		f := &m.Files[fi]
		if f.Kind == ir.ExecMask {
			if !after.Ended() && (written[ir.Cell{File: uint8(fi)}] || before.Exec != after.Exec) {
				c := change(Register{Name: f.Name, Mask: WholeMask, Bits: 64}, before, after)
				c.Format = meaning.Format{{Bits: 64, Kind: meaning.Mask}}
				cs = append(cs, c)
			}
			continue
		}
		if !files[fi] && after.SameFile(before, fi) {
			continue
		}
		for i := 0; i < f.Count; i++ {
			sp := span{ir.Cell{File: uint8(fi), Index: uint16(i)}, 1}
			if w, ok := wide[sp.first]; ok {
				sp = w
			} else if !written[sp.first] && after.Same(before, sp.first) {
				continue
			}
			r := Register{Cells: sp.cells(), Lanes: f.Kind.PerLane(), Bits: 32 * sp.n}
			if f.Kind == ir.Lane1 || f.Kind == ir.Wave1 {
				r.Bits = sp.n
			}
			same := r.same(before, after)
			if !written[sp.first] && same {
				continue
			}
			i += sp.n - 1
			r.Name = nameOf(names, m, sp)
			c := change(r, before, after)
			c.Format = r.format(writes)
			switch _, named := names[span{sp.first, 1}]; {
			case !written[sp.first]:
				others = append(others, c)
			case named || !same:
				cs = append(cs, c)
			}
		}
	}
	return append(cs, others...)
}

func change(r Register, before, after *exec.State) Change {
	return Change{Reg: r, Values: r.Values(after), Was: r.Values(before)}
}

// same reports whether the register has the same value in both states.
func (r *Register) same(a, b *exec.State) bool {
	return !slices.ContainsFunc(r.Cells, func(c ir.Cell) bool { return !a.Same(b, c) })
}

// A MemoryChange is a run of bytes that the program wrote.
type MemoryChange struct {
	Region   string
	Addr     uint64
	Was, Now []byte
}

func copies(segs []mem.Segment) (data [][]byte) {
	for _, g := range segs {
		data = append(data, bytes.Clone(g.Data))
	}
	return data
}

// changedMemory lists runs of changed bytes, widened to multiples of four.
func changedMemory(segs []mem.Segment, before [][]byte) (cs []MemoryChange) {
	for i, g := range segs {
		for at := 0; at < len(g.Data); {
			if g.Data[at] == before[i][at] {
				at++
				continue
			}
			lo := at &^ 3
			hi := at
			for hi < len(g.Data) && !bytes.Equal(g.Data[hi&^3:min(hi|3+1, len(g.Data))], before[i][hi&^3:min(hi|3+1, len(g.Data))]) {
				hi = min(hi&^3+4, len(g.Data))
			}
			cs = append(cs, MemoryChange{g.Name, g.Base + uint64(lo), before[i][lo:hi], bytes.Clone(g.Data[lo:hi])})
			at = hi
		}
	}
	return cs
}
