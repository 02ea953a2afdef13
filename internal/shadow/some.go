package shadow

import (
	"maps"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// Most registers of most waves have only defined bits. A bit of ir.Shadowing.Some says whether that is so for a
// register. Blocks expect it once of all registers that they access, and then neither read nor write the shadow of any:
// see likely.

// word returns a cell of Some.
func (g *gen) word(index uint16) ir.Val {
	v, ok := g.words[index]
	if !ok {
		v = g.add(ir.Inst{Op: ir.Get, Type: ir.I32, Cell: ir.Cell{File: uint8(g.m.Shadow.Some), Index: index}})
		g.words[index] = v
	}
	return v
}

// putWord changes a cell of Some.
func (g *gen) putWord(index uint16, v ir.Val) {
	if g.words[index] = v; !slices.Contains(g.changed, index) {
		g.changed = append(g.changed, index)
	}
}

// putWords writes the cells of Some that the instruction has changed.
func (g *gen) putWords() {
	for _, k := range g.changed {
		g.add(ir.Inst{Op: ir.Set, Type: ir.I32, Cell: ir.Cell{File: uint8(g.m.Shadow.Some), Index: k}, Args: []ir.Val{g.words[k]}})
	}
	g.changed = g.changed[:0]
}

// anyIn returns whether a shadow has a bit set in some lane of a mask; clean: of the wave.
func (g *gen) anyIn(s, mask ir.Val) ir.Val {
	is := g.some(s)
	switch {
	case is == clean || mask == clean && g.n.Vals[is].Wave:
		return is
	case mask == clean:
		mask = g.konst(ir.I1, 1)
	}
	return g.op(ir.Any, ir.I1, is, mask)
}

// keep writes the shadow of the cell that in, a Set or SetLast, writes in the lanes of a mask; clean: it has none.
func (g *gen) keep(in *ir.Inst, cell ir.Cell, data, mask ir.Val) {
	t := shadowType(in.Type)
	s := g.made(data, t)
	set := ir.Inst{Op: in.Op, Type: t, Cell: cell, Args: []ir.Val{s}}
	if mask != clean {
		set.Args = append(set.Args, mask)
	}
	g.add(set)
	some, bit, ok := g.m.Shadow.Bit(in.Cell)
	if !ok {
		return
	}
	left := g.anyIn(data, mask)
	if mask != clean { // something may remain from before
		old, known := g.olds[in.Cell]
		if !known {
			left = g.or(left, g.some(g.and(g.word(some.Index), g.konst(ir.I32, uint64(bit)))))
		} else {
			s = g.op(ir.Select, t, mask, s, g.as(old, t))
			left, g.olds[in.Cell] = g.anyIn(s, clean), s
		}
	} else if g.m.Kind(cell).PerLane() {
		g.olds[in.Cell] = s
	}
	word := g.and(g.word(some.Index), g.konst(ir.I32, uint64(^bit)))
	if left != clean {
		word = g.or(word, g.op(ir.Select, ir.I32, left, g.konst(ir.I32, uint64(bit)), g.konst(ir.I32, 0)))
	}
	g.putWord(some.Index, word)
}

// maySet says that some cell of a file gets a shadow, which is not 0 if is, an i1, is set.
func (g *gen) maySet(file uint8, is ir.Val) {
	maps.DeleteFunc(g.olds, func(c ir.Cell, _ ir.Val) bool { return c.File == file })
	if is == clean {
		return
	}
	words := g.bitsOf(file)
	for _, k := range slices.Sorted(maps.Keys(words)) {
		g.putWord(k, g.or(g.word(k), g.op(ir.Select, ir.I32, is, g.konst(ir.I32, uint64(words[k])), g.konst(ir.I32, 0))))
	}
}

// bitsOf returns the bits of Some of the cells of a file, by word.
func (g *gen) bitsOf(file uint8) map[uint16]uint32 {
	words := map[uint16]uint32{}
	for i := range g.m.Files[file].Count {
		if some, bit, ok := g.m.Shadow.Bit(ir.Cell{File: file, Index: uint16(i)}); ok {
			words[some.Index] |= bit
		}
	}
	return words
}
