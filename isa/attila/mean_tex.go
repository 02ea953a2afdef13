package attila

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// texture is tex, txb or txl: source 1 holds the coordinates; the number of operand 2 is the unit, and the handle of
// the op. The launch defines the contents of a unit. docs/reference/attila.md 9.
func texture(lod ir.LodKind) isa.Effect {
	return func(l *isa.Lift) {
		var at [4]V
		for c := range at {
			at[c] = read(l, 0, c)
		}
		write(l, l.Tex(lod, at[0], at[1], at[2], at[3], unitOf(l), mask(l)))
	}
}

// unitOf returns the texture unit or attribute of the instruction.
func unitOf(l *isa.Lift) V { return l.I32(uint32(l.In.Get(nameSrc2))) }

// txp d, a, t: as tex, at x, y, z divided by w.
func txp(l *isa.Lift) {
	w := read(l, 0, 3)
	var at [3]V
	for c := range at {
		at[c] = read(l, 0, c).FDiv(w)
	}
	write(l, l.Tex(ir.LodImplicit, at[0], at[1], at[2], w, unitOf(l), mask(l)))
}

// lda d, a, t: the element of the attribute's stream at the index in the bits of a.x.
func lda(l *isa.Lift) {
	write(l, l.Fetch(ir.F32, read(l, 0, 0).As(ir.I32), unitOf(l), mask(l)))
}
