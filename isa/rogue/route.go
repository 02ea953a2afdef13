package rogue

import (
	mathbits "math/bits"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// A routing is how values move in a group: its decoded maps and selectors.
type routing struct {
	src   [6]reg
	dst   [2]reg
	is0   uint8 // source number
	iss   [6]uint8
	used  uint8 // sources that an instruction names or FTE selects
	reads reads // of all instructions
	has   [2]bool
	high  bool         // the upper map is not the shortest one with constant 0
	wide  *isa.Inst    // the part that reads sources of several registers; nil: none
	named uint8        // sources that are not constant 0
	odd   uint32       // parts that are known to have another form than text alone would give them, see oddParts
	parts uint32       // classes that the group has, as bits
	at    [1 << 5]int8 // the part of each class
}

// operands are the sources as operands of maps.
func (rt *routing) operands() (list [6]group.Operand) {
	for n, r := range rt.src {
		list[n] = r.operand()
	}
	return list
}

// part is the part of a class; nil if the group has none.
func (rt *routing) part(b *isa.Bundle, class uint8) *isa.Inst {
	if rt.parts>>class&1 == 0 {
		return nil
	}
	return &b.Parts[rt.at[class&31]]
}

// A cut is a run of bits in a word, and its position in a value.
type cut struct {
	from, to uint8
	mask     uint64
}

// A place is up to two runs of bits in a word that make one value.
type place [2]cut

// placeOf is the named field of a row; zero if the row has none.
func placeOf(d *isa.Def, n isa.Name) (f place) {
	if a := d.Find(names[n]); a != nil {
		to := 0
		for i, r := range a.At {
			f[i] = cut{r.Lo, uint8(to), 1<<r.Len() - 1}
			to += r.Len()
		}
	}
	return f
}

func (f *place) get(w uint64) uint64 {
	return w>>(f[0].from&63)&f[0].mask | w>>(f[1].from&63)&f[1].mask<<(f[1].to&63)
}

// A heading is the positions of the fields that every group needs, in a header or in a control instruction.
type heading struct{ condition, repeat place }

func headingOf(d *isa.Def) *heading {
	return &heading{placeOf(d, nameCC), placeOf(d, nameRepeat)}
}

// Classes as bits.
const (
	mapBits  = 1<<group.Header | 1<<group.Lower | 1<<group.Upper | 1<<group.Selectors | 1<<group.Dest | 1<<group.Dest2
	idleBits = 1<<group.Shift1 | 1<<group.Count | 1<<group.BitTest | 1<<group.Bitmask // units that text may leave out
)

// route decodes the maps and selectors of a group.
func route(b *isa.Bundle, rt *routing) {
	*rt = routing{}
	h := b.Parts[0].Word.Lo
	rt.has = [2]bool{h>>group.BitW0&1 != 0, h>>group.BitW1&1 != 0}
	var lower, upper *isa.Inst
	parts := b.Parts
	n := mapsFrom(parts)
	for i := range parts[:n] {
		in := &parts[i]
		c := in.Def.Class & 31
		rt.parts |= 1 << c
		rt.at[c] = int8(i)
		switch {
		case c < group.Lower:
			rt.names(in, i)
		case c == group.Lower:
			lower = in
		case c == group.Upper:
			upper = in
		case c == group.Selectors:
			rt.selectors(in.Word.Lo)
		default:
			rt.writes(in, i)
		}
	}
	if n < len(parts) {
		lower, upper = &parts[n], &parts[n+1]
		rt.tail(parts, n)
	}
	if lower != nil {
		v := info(lower).mapping.Decode(lower.Word.Lo)
		rt.is0 = muxSource[v.Selector()]
		rt.sources(v, 0)
	}
	if upper != nil && upper.Word.Lo != 0 { // else it is the shortest one, with constant 0
		rt.high = true
		rt.sources(info(upper).mapping.Decode(upper.Word.Lo), group.FirstUpper)
	}
	if rt.parts&idleBits != 0 {
		rt.passes(b)
	}
	if rt.parts>>group.Selectors&1 != 0 {
		rt.feeds(b)
	}
}

// mapsFrom is the index of the first map of a group whose maps come last, as in decoded groups: lower and upper
// sources, selectors or none, a destination or none. It is the number of parts if they do not.
func mapsFrom(parts []isa.Inst) int {
	n := len(parts) - 1
	if n > 0 && parts[n].Def.Class >= group.Dest {
		n--
	}
	if n > 0 && parts[n].Def.Class == group.Selectors {
		n--
	}
	if n > 1 && parts[n].Def.Class == group.Upper && parts[n-1].Def.Class == group.Lower {
		return n - 1
	}
	return len(parts)
}

// tail records the maps from part n on, see mapsFrom, and decodes those that are not source maps.
func (rt *routing) tail(parts []isa.Inst, n int) {
	rt.parts |= 1<<group.Lower | 1<<group.Upper
	rt.at[group.Lower], rt.at[group.Upper] = int8(n), int8(n+1)
	for i := n + 2; i < len(parts); i++ {
		in := &parts[i]
		c := in.Def.Class & 31
		rt.parts |= 1 << c
		rt.at[c] = int8(i)
		if c == group.Selectors {
			rt.selectors(in.Word.Lo)
		} else {
			rt.writes(in, i)
		}
	}
}

// selectors decodes the word of the selectors.
func (rt *routing) selectors(w uint64) {
	if w != 0 {
		rt.iss = [6]uint8{1: uint8(w & 1), uint8(w >> 1 & 1), uint8(w >> 2 & 3), uint8(w >> 4 & 3), uint8(w >> 6 & 3)}
	}
}

// names records the sources that an instruction, part i, names, and what it reads.
func (rt *routing) names(in *isa.Inst, i int) {
	r := info(in)
	if f := r.short; f != nil && in.Word.And(f.mask) == f.value {
		rt.odd |= 1 << (i & 31)
	}
	switch {
	case r.simple:
		rt.used |= r.named
		rt.reads |= r.reads
	case 1<<(in.Def.Class&31)&idleBits != 0: // what they pass on is known when all parts are
		if in.Def.Class == group.Bitmask {
			rt.odd |= 1 << (i & 31)
		}
	default:
		if r.extent != nil {
			rt.wide = in
		}
		rt.used |= sourcesOf(in)
		rt.reads |= readsOf(in)
	}
}

// passes records the sources that idle units name if text does not leave these units out.
func (rt *routing) passes(b *isa.Bundle) {
	for left := rt.parts & idleBits; left != 0; left &= left - 1 {
		switch in := &b.Parts[rt.at[mathbits.TrailingZeros32(left)&31]]; {
		case !omitted(b, in):
			rt.used |= sourcesOf(in)
			rt.reads |= readsOf(in)
		case in.Def.Class == group.Shift1 && takesShift(rt.part(b, group.Logical), rt.part(b, group.Count)):
			rt.used |= 1 << 2
		}
	}
}

// writes decodes a destination map, part i.
func (rt *routing) writes(in *isa.Inst, i int) {
	m, w := info(in).mapping, in.Word.Lo
	v := m.Decode(w)
	switch {
	case in.Def.Class == group.Dest2:
		rt.dst[0], rt.dst[1] = regOf(v.At(0)), regOf(v.At(1))
	case rt.has[0]:
		rt.dst[0] = regOf(v.At(0))
	default:
		rt.dst[1] = regOf(v.At(0))
	}
	if m.Longer(0, w) {
		rt.odd |= 1 << (i & 31)
	}
}

// sources sets the sources of a map, from the first on.
func (rt *routing) sources(v group.Operands, first uint8) {
	named := uint8(0)
	src := (*[group.FirstUpper]reg)(rt.src[first&group.FirstUpper:])
	if x := v.At(0); x != 0 {
		src[0], named = regOf(x), 1
	}
	if x := v.At(1); x != 0 {
		src[1] = regOf(x)
		named |= 2
	}
	if x := v.At(2); x != 0 {
		src[2] = regOf(x)
		named |= 4
	}
	rt.named |= named << (first & group.FirstUpper)
}

// feeds finds out whether FTE selects a source, in a group with selectors.
func (rt *routing) feeds(b *isa.Bundle) {
	rt.selects(0, readW0, writeW0, readIS4)
	rt.selects(1, readW1, writeW1, readIS5)
	r, is := rt.reads, &rt.iss
	fte := r&readIS0 != 0 || r&readIS1 != 0 && is[1] == 1 || r&readIS2 != 0 && is[2] == 1 ||
		r&readIS3 != 0 && is[3] == group.FTE || r&readIS4 != 0 && is[4] == group.FTE || r&readIS5 != 0 && is[5] == group.FTE
	if m := rt.part(b, group.Move); m != nil {
		fte = fte || m.Opt(nameMov0) == group.FTE || rt.has[1] && m.Opt(nameMov1) == group.FTE
	}
	if fte && rt.is0 < 6 {
		rt.reads |= readIS0
		rt.used |= 1 << rt.is0
	}
}

// selects records whether anything reads what IS4, or IS5, selects.
func (rt *routing) selects(i int, out, write, selector reads) {
	switch {
	case !rt.has[i] && rt.reads&out == 0:
		rt.reads &^= selector
	case rt.reads&write == 0:
		rt.reads |= selector
	}
}
