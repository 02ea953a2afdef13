package group

import (
	"encoding/binary"
	mathbits "math/bits"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Valid groups are decoded in one pass: the row of a part follows from its first byte, that of a map from a few bits,
// and mostly one comparison shows that the word is valid. Invalid groups, and the few instructions that this pass does
// not decode, are left to the splitter, which starts again and reports the error.

// mostParts is the largest number of parts of a group: a header, six units, four maps.
const mostParts = 11

// roomFor is the number of bytes that may be read for a group: all of it, and eight from its end on.
const roomFor = MaxBytes + 8

// An exactRow recognises valid words of a row without the general decoder.
type exactRow struct {
	def         *isa.Def
	mask, value uint64 // distinguish the row from others of its class and key
	validMask   uint64 // a word with w&validMask == valid is valid without further checks
	valid       uint64
	all         uint64 // all bits of the word
	last        uint64 // the bit that ends phase 2; 0: the row has none
	size        int
	next        *exactRow // another row with the key, or nil
	mapped      bool      // of a control instruction: it has source maps
	odd         bool      // left to the splitter
}

// A Decoder decodes groups. Link makes it.
type Decoder struct {
	rows      [Control + 1][256]*exactRow   // of headers and instructions, by class and key
	maps      [NumClasses - Lower][8]mapRow // by class and variant, in the order in which they are tried
	selectors *isa.Def
}

// longHeader is set in the key of headers with a third byte, besides the high bits of that byte.
const longHeader = 0x80

// headerKey is the key of a header or of a control instruction.
func headerKey(w uint64) uint8 { return uint8(w >> 8 & extBit * (longHeader | w>>20&7) >> 7) }

// Link makes the decoder of the compiled rows. What isa.Def.Data holds is a Mapper.
func (d *Decoder) Link(defs []isa.Def) {
	var variants [NumClasses]int
	for i := range defs {
		def := &defs[i]
		switch c := def.Class; {
		case def.Alias || def.Private:
		case c == Selectors:
			d.selectors = def
		case c > Control:
			d.maps[c-Lower][variants[c]] = mapRowOf(def)
			variants[c]++
		default:
			d.add(def)
		}
	}
}

// add adds a row of a header or an instruction.
func (d *Decoder) add(def *isa.Def) {
	f := exactRowOf(def)
	mask, value := uint8(f.mask), uint8(f.value)
	switch def.Class {
	case Control:
		mask, value = uint8(f.mask>>16), uint8(f.value>>16)
	case Header:
		mask, value = 0xff, headerKey(f.value)
	}
	for key := range d.rows[def.Class] {
		if uint8(key)&mask == value {
			at := &d.rows[def.Class][key]
			*at = (*at).with(f)
		}
	}
}

// exactRowOf makes the exact row of a definition.
func exactRowOf(d *isa.Def) *exactRow {
	f := &exactRow{def: d, mask: d.Mask().Lo, value: d.Value().Lo, size: d.Enc.Bits / 8, mapped: IsMapped(d)}
	f.all = 1<<d.Enc.Bits - 1
	mask, value, ok := d.Sure()
	f.odd = f.size > 8 || d.Class == Control && IsSourceless(d)
	if f.validMask, f.valid = mask.Lo, value.Lo; !ok || f.odd { // no word is valid at once
		f.validMask, f.valid = 0, 1
	}
	if a := d.Find(EndOfPhase2); a != nil {
		f.last = a.At.Mask().Lo
	}
	return f
}

// A mapRow is the row of a map in the one-pass decoder.
type mapRow struct {
	def  *isa.Def
	all  uint64 // all bits of the map
	zero uint64 // bits that must be 0
	not  uint64 // bits that must not all be 1
	size int
}

// noSource are the bits that are all set in codes of the selector that select no source.
const noSource = 6

func mapRowOf(d *isa.Def) mapRow {
	r := mapRow{def: d, size: d.Enc.Bits / 8, all: 1<<d.Enc.Bits - 1}
	r.zero = bits.Word{Lo: r.all}.AndNot(d.Claimed()).Lo
	m := d.Data.(Mapper).GroupMap()
	if r.not = ^r.all; m.Selector.Len() > 2 {
		r.not = m.Selector.Put(bits.Word{}, noSource).Lo
	}
	return r
}

// refuses reports whether a word is of no map of the row.
func (r *mapRow) refuses(w uint64) bool { return w&r.zero != 0 || w&r.not == r.not }

// with adds a row to those of a key. Rows that fix more bits come first.
func (f *exactRow) with(g *exactRow) *exactRow {
	if f == nil {
		return g
	}
	first, second := *f, *g // copies: rows of other keys must not change
	if mathbits.OnesCount64(g.mask) > mathbits.OnesCount64(f.mask) {
		first, second = *g, *f
		first.next = &second
		return &first
	}
	first.next = f.next.with(&second)
	return &first
}

// pick is the row of a word, or nil.
func (f *exactRow) pick(w uint64) *exactRow {
	for f != nil && w&f.mask != f.value {
		f = f.next
	}
	return f
}

// takes reports whether a word of the row is valid.
func (f *exactRow) takes(w uint64) bool { return w&f.validMask == f.valid || f.allows(w) }

// allows is takes for a word whose fields must be checked.
func (f *exactRow) allows(w uint64) bool { return !f.odd && f.def.Allows(bits.Word{Lo: w}) }

// A sequence is classes of units in the order of memory, four bits each, the first in the lowest.
type sequence uint64

func sequenceOf(classes ...int) (s sequence) {
	for i, c := range classes {
		s |= sequence(c) << (4 * i)
	}
	return s
}

// mainUnits are the units by set of phases; mainBehind are those of them after phase 2; bitUnits are the units by
// phases of a bit group.
var (
	mainUnits, mainBehind = mainSequences()
	bitUnits              = bitSequences()
)

func mainSequences() (units, behind [8]sequence) {
	for i, set := range PhaseSets {
		list, end := make([]int, 0, 8), make([]int, 0, 2) // on the stack: every command pays for this initialisation
		if set&HasBackend != 0 {
			list = append(list, Backend)
		}
		if set&HasP2 != 0 {
			list = append(list, Move, Test, Pack)
		}
		if set&HasP1 != 0 {
			end = append(end, P1)
		}
		if set&HasP0 != 0 {
			end = append(end, P0)
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

// viewBits and choiceBits are classes as bits: views, and units that a group with their phase may lack.
const (
	viewBits   = 1<<Shift1 | 1<<Count | 1<<BitTest
	choiceBits = 1<<Move | 1<<Test
)

// quick decodes a valid group into a bundle with room for all parts. It reports false if the group needs the splitter.
func (d *Decoder) quick(code []byte, addr uint64, b *isa.Bundle) bool {
	if len(code) >= roomFor {
		return d.quickIn((*[roomFor]byte)(code), MaxBytes, addr, b)
	}
	var room [roomFor]byte
	return d.quickIn(&room, copy(room[:], code), addr, b)
}

// quickIn is quick for code of which `left` bytes exist.
func (d *Decoder) quickIn(code *[roomFor]byte, left int, addr uint64, b *isa.Bundle) bool {
	header := binary.LittleEndian.Uint64(code[:8])
	class, key := Header, headerKey(header)
	if key >= longHeader|aluControl<<1 {
		class, key = Control, code[2]
	}
	f := d.rows[class][key].pick(header)
	n := length(header)
	if f == nil || n > left || !f.takes(header) {
		return false
	}
	parts := (*[mostParts]isa.Inst)(b.Parts[:mostParts])
	setPart(&parts[0], f.def, header&f.all, addr, f.size)
	at, count, assist, selected := f.size, 1, f.size, false
	switch phases := header >> phasesShift & 7; {
	case class == Control && !f.mapped:
		if assist = 0; header&(1<<BitW0|1<<BitW1) != 0 {
			return false
		}
	case class == Control:
	case key == longHeader|bitUnit:
		at, count, assist = d.unitsOf(code, parts, addr, at, bitUnits[phases], 0)
	default:
		selected = true
		at, count, assist = d.unitsOf(code, parts, addr, at, mainUnits[phases], mainBehind[phases])
	}
	if count == 0 || header>>assistShift&15 != uint64(assist)&15 {
		return false
	}
	if assist != 0 {
		if at, count = d.mapsOf(code, parts, addr, at, count, header, selected); count == 0 {
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

// bitUnit is the high bits of a bit group's third byte.
const bitUnit = 4

// unitsOf decodes the units of list from offset `at` on, after the header; behind are the units that follow the last
// one of phase 2. It returns the offset of their end, the number of parts so far (0: the group needs the splitter), and
// the number of bytes before phases 1 and 0.
func (d *Decoder) unitsOf(code *[roomFor]byte, parts *[mostParts]isa.Inst, addr uint64, at int, list, behind sequence) (end, n, assist int) {
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
		if from > MaxBytes || n >= mostParts {
			return 0, 0, 0
		}
		w := binary.LittleEndian.Uint64(code[from:])
		first := d.rows[class][w&0xff]
		if first == nil && 1<<class&choiceBits != 0 {
			continue
		}
		if class == P0 && w>>4&15 == opNarrowLong && hasElements(code, parts, from) {
			first = d.rows[P0Elements][w&0xff]
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
		if class > P1 {
			assist = at
		}
		if w&f.last != 0 {
			list = behind << 4
		}
	}
	return at, n, assist
}

// hasElements reports whether a long narrow-integer instruction at an offset of a group has elements.
func hasElements(code *[roomFor]byte, parts *[mostParts]isa.Inst, at int) bool {
	sp := splitter{body: code[:length(parts[0].Word.Lo)], b: &isa.Bundle{Parts: parts[:1]}}
	return sp.isLong(at)
}

// mapsOf decodes the source maps from offset `at` of a group with n parts, the selectors if selected, and the
// destination map for the results that the header names. It returns the offset of their end, and the number of parts so
// far; 0: the group needs the splitter.
func (d *Decoder) mapsOf(code *[roomFor]byte, parts *[mostParts]isa.Inst, addr uint64, at, n int, header uint64, selected bool) (end, count int) {
	if at > MaxBytes || n > mostParts-4 {
		return 0, 0
	}
	w := binary.LittleEndian.Uint64(code[at:])
	m := &d.maps[0][sourceMap(w)]
	w &= m.all
	refused := m.refuses(w)
	setPart(&parts[n], m.def, w, addr+uint64(at), m.size)
	if at += m.size; at > MaxBytes {
		return 0, 0
	}
	w = binary.LittleEndian.Uint64(code[at:])
	m = &d.maps[Upper-Lower][sourceMap(w)]
	w &= m.all
	refused = refused || m.refuses(w)
	setPart(&parts[n+1], m.def, w, addr+uint64(at), m.size)
	n += 2
	if at += m.size; at >= MaxBytes {
		return 0, 0
	}
	if selected {
		setPart(&parts[n], d.selectors, uint64(code[at]), addr+uint64(at), 1)
		at++
		n++
	}
	if results := results(header); results != 0 {
		w = binary.LittleEndian.Uint64(code[at:])
		if results == 1 {
			m = &d.maps[Dest-Lower][w>>7&1]
		} else {
			m = &d.maps[Dest2-Lower][w>>15&1*(1+w>>23&1)]
		}
		w &= m.all
		refused = refused || m.refuses(w)
		setPart(&parts[n], m.def, w, addr+uint64(at), m.size)
		at += m.size
		n++
	}
	if refused {
		return 0, 0
	}
	return at, n
}

// setPart makes a part from a row, for the only variant.
func setPart(in *isa.Inst, d *isa.Def, w, addr uint64, size int) {
	in.Def = d
	in.Word.Lo, in.Word.Hi = w, 0
	in.Addr = addr
	in.Size, in.Var, in.Stage = uint8(size), 0, 0
}

// sourceMap is the variant of the source map at the beginning of a word.
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
