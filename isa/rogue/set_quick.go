package rogue

import (
	"encoding/binary"
	mathbits "math/bits"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Groups that are right are decoded in one go: a part's row follows from its first byte, a map's from a few bits, and mostly one
// comparison tells that nothing is refused. What is wrong is left to the splitter, which begins anew and says what it is, and so are
// the few instructions that this does not read.

// mostParts is how many parts a group has at most: a header, six of units, four maps.
const mostParts = 11

// roomFor is how many bytes may be looked at for a group: all of it, and eight from its end on.
const roomFor = maxGroup + 8

// A firm row is how words of a row are recognised that need no closer look.
type firm struct {
	def         *isa.Def
	mask, value uint64 // what tells the row from others of its class and key
	sure, calm  uint64 // what tells at once that nothing is refused
	all         uint64 // the bits that it has
	last        uint64 // the bit that says that no instruction of phase 2 follows; 0: it has none
	size        int
	next        *firm // another row of the key; nil: there is none
	mapped      bool  // of a control instruction: it has source maps
	odd         bool  // it is left to the splitter
}

// firmRows are the rows by class and key; made by link.
var firmRows [classControl + 1][256]*firm

// longHeader is the key of headers that have a third byte, with the upper bits of that.
const longHeader = 0x80

// headerKey is the key of a header, or of a control instruction's.
func headerKey(w uint64) uint8 { return uint8(w >> 8 & extBit * (longHeader | w>>20&7) >> 7) }

// makeFirm makes firmRows.
func makeFirm(defs []isa.Def) {
	for i := range defs {
		d := &defs[i]
		if d.Class > classControl || d.Alias || d.Private {
			continue
		}
		f := firmOf(d)
		mask, value := uint8(f.mask), uint8(f.value)
		switch {
		case d.Class == classControl:
			mask, value = uint8(f.mask>>16), uint8(f.value>>16)
		case d.Class == classHeader:
			mask, value = 0xff, headerKey(f.value)
		}
		for key := range firmRows[d.Class] {
			if uint8(key)&mask == value {
				at := &firmRows[d.Class][key]
				*at = (*at).with(f)
			}
		}
	}
}

// firmOf is how words of a row are recognised.
func firmOf(d *isa.Def) *firm {
	f := &firm{def: d, mask: d.Mask().Lo, value: d.Value().Lo, size: d.Enc.Bits / 8}
	r := d.Data.(*row)
	f.mapped = r.uses != 0 || r.reads&writeW0 != 0
	f.all = 1<<d.Enc.Bits - 1
	mask, value, ok := d.Sure()
	f.odd = f.size > 8 || d.Class == classControl && sourceless(&isa.Inst{Def: d})
	if f.sure, f.calm = mask.Lo, value.Lo; !ok || f.odd { // no word is
		f.sure, f.calm = 0, 1
	}
	if a := d.Find(names[nameP2End]); a != nil {
		f.last = a.At.Mask().Lo
	}
	return f
}

// with is the rows of a key with another one. Those that fix more bits are tried first.
func (f *firm) with(g *firm) *firm {
	if f == nil {
		return g
	}
	first, second := *f, *g // other keys have these rows alone
	if mathbits.OnesCount64(g.mask) > mathbits.OnesCount64(f.mask) {
		first, second = *g, *f
		first.next = &second
		return &first
	}
	first.next = f.next.with(&second)
	return &first
}

// pick is the row of a word; nil: there is none.
func (f *firm) pick(w uint64) *firm {
	for f != nil && w&f.mask != f.value {
		f = f.next
	}
	return f
}

// takes reports whether nothing is refused in a word of the row.
func (f *firm) takes(w uint64) bool { return w&f.sure == f.calm || f.allows(w) }

// allows is takes of a word whose fields have to be looked at.
func (f *firm) allows(w uint64) bool { return !f.odd && f.def.Allows(bits.Word{Lo: w}) }

// Classes of units one after another as they lie in memory, four bits each, the first lowest.
type sequence uint64

func sequenceOf(classes ...int) (s sequence) {
	for i, c := range classes {
		s |= sequence(c) << (4 * i)
	}
	return s
}

// mainUnits are those of the sets of phases, mainBehind of these what lies behind phase 2; bitUnits are those of the phases of a bit group.
var (
	mainUnits, mainBehind = mainSequences()
	bitUnits              = bitSequences()
)

func mainSequences() (units, behind [8]sequence) {
	for i, set := range phaseSets {
		list, end := make([]int, 0, 8), make([]int, 0, 2) // on the stack: every command pays for what is made here
		if set&hasBackend != 0 {
			list = append(list, classBackend)
		}
		if set&hasP2 != 0 {
			list = append(list, classMov, classTst, classPck)
		}
		if set&hasP1 != 0 {
			end = append(end, classP1)
		}
		if set&hasP0 != 0 {
			end = append(end, classP0)
		}
		units[i], behind[i] = sequenceOf(append(list, end...)...), sequenceOf(end...)
	}
	return units, behind
}

func bitSequences() (units [8]sequence) {
	for set := range units {
		list := make([]int, 0, 8)
		for i, classes := range bitPhaseClasses {
			if set>>(2-i)&1 != 0 {
				list = append(list, classes...)
			}
		}
		units[set] = sequenceOf(list...)
	}
	return units
}

// viewBits and choiceBits are classes as bits: views, and those that a group of their phase may lack.
const (
	viewBits   = 1<<classShift1 | 1<<classCount | 1<<classBitTest
	choiceBits = 1<<classMov | 1<<classTst
)

// quick decodes a group that needs no closer look, into a bundle with room for all parts. It reports false if it does need one.
func quick(code []byte, addr uint64, b *isa.Bundle) bool {
	if len(code) >= roomFor {
		return quickIn((*[roomFor]byte)(code), maxGroup, addr, b)
	}
	var room [roomFor]byte
	return quickIn(&room, copy(room[:], code), addr, b)
}

// quickIn is quick of code of which so many bytes are there.
func quickIn(code *[roomFor]byte, left int, addr uint64, b *isa.Bundle) bool {
	header := binary.LittleEndian.Uint64(code[:8])
	class, key := classHeader, headerKey(header)
	if key >= longHeader|aluControl<<1 {
		class, key = classControl, code[2]
	}
	f := firmRows[class][key].pick(header)
	n := int(header&lengthBits) * 2
	if n == 0 {
		n = maxGroup
	}
	if f == nil || n > left || !f.takes(header) {
		return false
	}
	parts := (*[mostParts]isa.Inst)(b.Parts[:mostParts])
	setPart(&parts[0], f.def, header&f.all, addr, f.size)
	at, count, assist, selected := f.size, 1, f.size, false
	switch phases := header >> phasesShift & 7; {
	case class == classControl && !f.mapped:
		if assist = 0; header&(1<<bitW0|1<<bitW1) != 0 {
			return false
		}
	case class == classControl:
	case key == longHeader|bitUnit:
		at, count, assist = unitsOf(code, parts, addr, at, bitUnits[phases], 0)
	default:
		selected = true
		at, count, assist = unitsOf(code, parts, addr, at, mainUnits[phases], mainBehind[phases])
	}
	if count == 0 || header>>assistShift&15 != uint64(assist)&15 {
		return false
	}
	if assist != 0 {
		if at, count = mapsOf(code, parts, addr, at, count, header, selected); count == 0 {
			return false
		}
	}
	if n -= at; n != 0 {
		if n < 0 || code[at] != padOne && n == 1 || n != 1 && !padded(code[at:at+n]) {
			return false
		}
	}
	b.Parts, b.Pad = b.Parts[:count], uint8(n)
	return true
}

// The header's bits that are read of all groups alike; see also lengthBits. docs/reference/rogue.md 2.
const (
	assistShift = 4
	phasesShift = 12
)

// bitUnit are the upper bits of a bit group's third byte.
const bitUnit = 4

// unitsOf decodes units one after another from a place of a group on, behind its header; behind are those that follow the last one
// of phase 2. It says where they end, how many parts there are now, 0 if one needs a look, and how many bytes lie in front of phases
// 1 and 0.
func unitsOf(code *[roomFor]byte, parts *[mostParts]isa.Inst, addr uint64, at int, list, behind sequence) (end, n, assist int) {
	if list == 0 {
		return 0, 0, 0
	}
	assist = at
	from := at
	for n = 1; list != 0; list >>= 4 {
		class := int(list & 15)
		if 1<<class&viewBits == 0 {
			from = at
		}
		if from > maxGroup || n >= mostParts {
			return 0, 0, 0
		}
		w := binary.LittleEndian.Uint64(code[from:])
		first := firmRows[class][w&0xff]
		if first == nil && 1<<class&choiceBits != 0 {
			continue
		}
		if class == classP0 && w>>4&15 == opNarrowLong && hasElements(code, parts, from) {
			first = firmRows[classP0Sel][w&0xff]
		}
		f := first.pick(w)
		if f == nil || !f.takes(w) {
			return 0, 0, 0
		}
		in := &parts[n]
		n++
		setPart(in, f.def, w&f.all, addr+uint64(from), f.size)
		if 1<<class&viewBits != 0 {
			in.Size = 0
			continue
		}
		at += f.size
		if class > classP1 {
			assist = at
		}
		if w&f.last != 0 {
			list = behind << 4
		}
	}
	return at, n, assist
}

// hasElements reports whether a long instruction of narrow integers at a place of a group has elements.
func hasElements(code *[roomFor]byte, parts *[mostParts]isa.Inst, at int) bool {
	h := &parts[0]
	n := int(info(h).head.length.get(h.Word.Lo)) * 2
	if n == 0 {
		n = maxGroup
	}
	sp := splitter{body: code[:n], b: &isa.Bundle{Parts: parts[:1]}}
	return sp.isLong(at)
}

// mapsOf decodes the source maps from a place of a group with n parts on, the selectors if there are some, and the destination map
// of the results that the header names. It says where they end, and how many parts there are now; 0: one needs a look.
func mapsOf(code *[roomFor]byte, parts *[mostParts]isa.Inst, addr uint64, at, n int, header uint64, selected bool) (end, count int) {
	if at > maxGroup || n > mostParts-4 {
		return 0, 0
	}
	w := binary.LittleEndian.Uint64(code[at:])
	m := mapVariants[0][sourceMap(w)]
	w &= m.all
	refused := m.refuses(w)
	setPart(&parts[n], m.def, w, addr+uint64(at), m.bytes)
	if at += m.bytes; at > maxGroup {
		return 0, 0
	}
	w = binary.LittleEndian.Uint64(code[at:])
	m = mapVariants[classUpper-classLower][sourceMap(w)]
	w &= m.all
	refused = refused || m.refuses(w)
	setPart(&parts[n+1], m.def, w, addr+uint64(at), m.bytes)
	n += 2
	if at += m.bytes; at >= maxGroup {
		return 0, 0
	}
	if selected {
		setPart(&parts[n], iss.def, uint64(code[at]), addr+uint64(at), 1)
		at++
		n++
	}
	if results := header>>bitW0&1 + header>>bitW1&1; results != 0 {
		w = binary.LittleEndian.Uint64(code[at:])
		if results == 1 {
			m = mapVariants[classDest-classLower][w>>7&1]
		} else {
			m = mapVariants[classDest2-classLower][w>>15&1*(1+w>>23&1)]
		}
		w &= m.all
		refused = refused || m.refuses(w)
		setPart(&parts[n], m.def, w, addr+uint64(at), m.bytes)
		at += m.bytes
		n++
	}
	if refused {
		return 0, 0
	}
	return at, n
}

// setPart makes a part of a row, of the variant that there is.
func setPart(in *isa.Inst, d *isa.Def, w, addr uint64, size int) {
	in.Def = d
	in.Word.Lo, in.Word.Hi = w, 0
	in.Addr = addr
	in.Size, in.Var, in.Stage = uint8(size), 0, 0
}

// refuses reports whether no map of the row has the word.
func (m *mapping) refuses(w uint64) bool { return w&m.hole != 0 || w&m.wrong == m.wrong }

// iss is the row of the selectors, as if it were a map; set by link.
var iss mapping

// sourceMap is the variant of the source map that a word begins with.
func sourceMap(w uint64) int {
	switch {
	case w&0x80 == 0:
		return 0
	case w>>15&1 != 0:
		return 2 + int(w>>14&1*(1+w>>23&1))
	case w>>14&1 == 0:
		return 1
	}
	return 5 + int(w>>23&1*(1+w>>34&1))
}

// mapVariants are the variants of each class of maps, from classLower on; made by link.
var mapVariants [numClasses - classLower][8]*mapping
