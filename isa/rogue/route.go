package rogue

import (
	mathbits "math/bits"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// A routing is how the values of a group move: its maps and selectors, taken apart.
type routing struct {
	src   [6]reg
	dst   [2]reg
	is0   uint8 // source number
	iss   [6]uint8
	used  uint8 // sources that an instruction names, or FTE stands for
	reads reads // of all instructions
	has   [2]bool
	wide  *isa.Inst        // the part that takes sources for several registers; nil: there is none
	named uint8            // sources that are not constant 0
	low   *mapping         // of the lower sources; nil: the group has none
	high  *mapping         // of the upper ones
	odd   uint32           // parts whose form may not be the shortest, as bits
	parts uint32           // classes that the group has, as bits
	at    [numClasses]int8 // the part of a class that it has
}

// part is the part of a class; nil if the group has none.
func (rt *routing) part(b *isa.Bundle, class uint8) *isa.Inst {
	if rt.parts>>class&1 == 0 {
		return nil
	}
	return &b.Parts[rt.at[class]]
}

// A cut is a run of bits of a word, and where they lie in a value.
type cut struct {
	from, to uint8
	mask     uint64
}

// bankShift is where the bank lies in a value of cuts that is a register, behind its number.
const bankShift = 16

// cutsOf are the runs of some bits of a word, from a bit of a value on.
func cutsOf(cuts []cut, at bits.Ranges, to int) []cut {
	for _, r := range at {
		cuts = append(cuts, cut{r.Lo, uint8(to), 1<<r.Len() - 1})
		to += r.Len()
	}
	return cuts
}

// join is the value that the runs of a word make.
func joinCuts(cuts []cut, w uint64) (v uint64) {
	for i := range cuts {
		c := &cuts[i]
		v |= w >> (c.from & 63) & c.mask << (c.to & 63)
	}
	return v
}

// A place is up to two runs of a word that make one value.
type place [2]cut

// placeOf is the named field of a row; nothing, if the row has none.
func placeOf(d *isa.Def, n isa.Name) (f place) {
	if a := d.Find(names[n]); a != nil {
		copy(f[:], cutsOf(nil, a.At, 0))
	}
	return f
}

func (f *place) get(w uint64) uint64 {
	return w>>(f[0].from&63)&f[0].mask | w>>(f[1].from&63)&f[1].mask<<(f[1].to&63)
}

// A heading is where the fields of a header, or of a control instruction, lie that every group is asked for.
type heading struct{ length, assist, phases, condition, repeat place }

func headingOf(d *isa.Def) *heading {
	return &heading{placeOf(d, nameLength), placeOf(d, nameDA), placeOf(d, namePhases), placeOf(d, nameCC), placeOf(d, nameRepeat)}
}

// reg is register j of a map.
func (m *mapping) reg(j int, w uint64) reg {
	v := joinCuts(m.regs[j], w)
	return reg{uint8(v >> bankShift), uint16(v)}
}

// cut prepares the map for reading: the runs of its fields, and what they hold.
func (m *mapping) cut() {
	for j, f := range m.fields {
		m.regs[j] = cutsOf(cutsOf(nil, f.n, 0), f.bank, bankShift)
		m.width[j] = [2]uint8{uint8(f.bank.Len()), uint8(f.n.Len())}
	}
	m.muxCuts, m.muxWidth = cutsOf(nil, m.mux, 0), uint8(m.mux.Len())
}

// The header's bits, from the first byte on; see also lengthBits. docs/reference/rogue.md 2.
const (
	bitW0    = 9
	bitW1    = 10
	bitOlchk = 11
	bitAtom  = 19
	bitEnd   = 23
)

// classBits are classes as bits.
const (
	mapBits  = 1<<classHeader | 1<<classLower | 1<<classUpper | 1<<classISS | 1<<classDest | 1<<classDest2
	idleBits = 1<<classShift1 | 1<<classCount | 1<<classBitTest | 1<<classBitmask // those that text may leave out
)

// route takes the maps of a group apart.
func route(b *isa.Bundle, rt *routing) {
	*rt = routing{}
	h := b.Parts[0].Word.Lo
	rt.has = [2]bool{h>>bitW0&1 != 0, h>>bitW1&1 != 0}
	for i := range b.Parts {
		in := &b.Parts[i]
		c := in.Def.Class & 31
		rt.parts |= 1 << c
		rt.at[c%numClasses] = int8(i)
		r := info(in)
		if r.odd {
			rt.odd |= 1 << (i & 31)
		}
		switch {
		case 1<<c&mapBits != 0:
			rt.mapped(in, r, c)
		case 1<<c&idleBits != 0: // what they pass on shows when all are known
		case r.simple:
			rt.used |= r.named
			rt.reads |= r.reads
		default:
			if r.extent != nil {
				rt.wide = in
			}
			rt.used |= sourcesOf(in)
			rt.reads |= readsOf(in)
		}
	}
	for left := rt.parts & idleBits; left != 0; left &= left - 1 {
		if in := &b.Parts[rt.at[mathbits.TrailingZeros32(left)%numClasses]]; !omitted(b, in) {
			rt.used |= sourcesOf(in)
			rt.reads |= readsOf(in)
		}
	}
	rt.feeds(b)
}

// mapped takes a map apart.
func (rt *routing) mapped(in *isa.Inst, r *row, class uint8) {
	w := in.Word.Lo
	switch class {
	case classLower:
		m := r.mapping
		rt.low = m
		rt.sources(m, 0, w)
		if m.muxWidth != 0 {
			rt.is0 = muxSource[joinCuts(m.muxCuts, w)&7]
		}
	case classUpper:
		rt.high = r.mapping
		rt.sources(rt.high, firstUpper, w)
	case classISS:
		rt.iss = [6]uint8{1: uint8(w & 1), uint8(w >> 1 & 1), uint8(w >> 2 & 3), uint8(w >> 4 & 3), uint8(w >> 6 & 3)}
	case classDest:
		at := 0
		if !rt.has[0] {
			at = 1
		}
		rt.dst[at] = r.mapping.reg(0, w)
	case classDest2:
		rt.dst[0], rt.dst[1] = r.mapping.reg(0, w), r.mapping.reg(1, w)
	}
}

// sources takes the sources of a map from n on.
func (rt *routing) sources(m *mapping, n int, w uint64) {
	for j := range m.fields {
		v := joinCuts(m.regs[j], w)
		if v == 0 {
			continue
		}
		rt.src[n+j] = reg{uint8(v >> bankShift), uint16(v)}
		rt.named |= 1 << (n + j)
	}
}

// feeds finds out whether FTE stands for a source.
func (rt *routing) feeds(b *isa.Bundle) {
	if rt.parts>>classISS&1 == 0 {
		return
	}
	rt.selects(0, readW0, writeW0, readIS4)
	rt.selects(1, readW1, writeW1, readIS5)
	r, is := rt.reads, &rt.iss
	fte := r&readIS0 != 0 || r&readIS1 != 0 && is[1] == 1 || r&readIS2 != 0 && is[2] == 1 ||
		r&readIS3 != 0 && is[3] == codeFTE || r&readIS4 != 0 && is[4] == codeFTE || r&readIS5 != 0 && is[5] == codeFTE
	if m := rt.part(b, classMov); m != nil {
		fte = fte || m.Opt(nameMov0) == codeFTE || rt.has[1] && m.Opt(nameMov1) == codeFTE
	}
	if fte && rt.is0 < 6 {
		rt.reads |= readIS0
		rt.used |= 1 << rt.is0
	}
}

// selects says whether anything takes what IS4, or IS5, selects.
func (rt *routing) selects(i int, out, write, selector reads) {
	switch {
	case !rt.has[i] && rt.reads&out == 0:
		rt.reads &^= selector
	case rt.reads&write == 0:
		rt.reads |= selector
	}
}
