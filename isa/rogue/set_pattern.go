package rogue

import (
	"encoding/binary"
	"slices"
	syncatomic "sync/atomic"

	"github.com/heddle-gpu/heddle/isa"
)

// Groups differ mostly in their registers. The text of a group is cached by its pattern: its header, instructions and
// selectors, the variants of its maps, and which sources are constant 0. Other groups of the pattern have the same text
// around other registers. docs/rationale.md says why.

// A pattern is what groups that print alike except for registers have in common, and their text. It is immutable.
type pattern struct {
	tells uint64 // see outline
	units int    // the header and instructions
	defs  [mostUnits]*isa.Def
	words [mostUnits]uint64 // of the header without its first byte
	print []piece
	most  int         // upper limit of the bytes of the pieces
	forms bool        // the text has begun the list of forms
	wider [3]wideness // maps that may have another form than text alone would give; entries after the last have no row
	many  int         // number of entries in wider
}

// A piece is text, followed by a register or by none. The text is copied as a whole.
type piece struct {
	text    [pieceText]byte
	n       uint8 // bytes
	several uint8 // registers; 0: there is none
	value   uint8 // index in outline.values of the value with the register
	shift   uint8 // and its first bit there
	lonely  bool  // printed as one register if it is a constant or indexed
}

// A wideness tests whether an earlier variant of a map would do: always, or if the bits of one of the masks are 0.
type wideness struct {
	part   int
	always bool
	masks  []uint64
	form   string
}

const (
	mostUnits = 7 // a header, and six units
	pieceText = 32
	mostReg   = 32 // bytes of the name of one register, or of several
)

// An outline is what identifies the pattern of a group, and its registers.
type outline struct {
	values [4]uint64 // decoded maps (mapping.take): lower sources, upper sources, results
	tells  uint64    // which maps exist, which of their registers are not 0, the selectors, is0
	hash   uint64
	units  int // number of parts before the maps
}

// Layout of outline.tells besides the highest bits of registers: first bits of fields.
const (
	tellsSelectors = 3
	tellsLower     = 48
	tellsUpper     = 51
	tellsSelected  = 54
	tellsResults   = 55
)

// draw makes the outline of a group; it reports false if the group has no pattern.
func (o *outline) draw(b *isa.Bundle) bool {
	parts := b.Parts
	n := mapsFrom(parts)
	if n > mostUnits || n == len(parts) && (n != 1 || parts[0].Def.Class != classControl) || info(&parts[0]).apart {
		return false
	}
	o.units = n
	header, high := parts[0].Word.Lo, parts[0].Word.Hi
	h := header >> headerOwn
	for i := 1; i < n; i++ {
		w := &parts[i].Word
		high |= w.Hi
		h = (h ^ w.Lo) * scatter
	}
	if n < len(parts) {
		o.read(parts[n:])
	}
	o.hash = (h ^ o.tells) * scatter
	return high == 0
}

// headerOwn is the first bit of a header that text expresses: below it is the length.
const headerOwn = 8

// scatter is an odd multiplier for hashing.
const scatter = 0x9e3779b97f4a7c15

// read decodes the maps, of which at least those of sources must exist.
func (o *outline) read(maps []isa.Inst) {
	m := info(&maps[0]).mapping
	v := m.take(maps[0].Word.Lo)
	tells := v>>muxShift | filled(v) | uint64(m.number)<<tellsLower
	o.values[0] = v
	m = info(&maps[1]).mapping
	if w := maps[1].Word.Lo; w != 0 { // else it is the shortest one, with constant 0
		v = m.take(w)
		tells |= filled(v)>>1 | uint64(m.number)<<tellsUpper
		o.values[1] = v
	}
	for i := range maps[2:] {
		in := &maps[2+i]
		w := in.Word.Lo
		if in.Def.Class == classISS {
			tells |= w<<tellsSelectors | 1<<tellsSelected
			continue
		}
		m = info(in).mapping
		o.values[2] = m.take(w)
		tells |= (1 + uint64(m.number) + uint64(in.Def.Class-classDest)<<2) << tellsResults
	}
	o.tells = tells
}

// filled has the highest bit of each of the three registers of a value that are not constant 0.
func filled(v uint64) uint64 {
	const low, high = 0x7fff7fff7fff, 0x800080008000
	return (v&low + low | v) & high
}

// is reports whether a group with outline o is of the pattern.
func (pt *pattern) is(parts []isa.Inst, o *outline) bool {
	if pt.tells != o.tells || pt.units != o.units {
		return false
	}
	header := parts[0].Word.Lo
	if header>>headerOwn != pt.words[0] || parts[0].Def != pt.defs[0] {
		return false
	}
	for i := 1; i < o.units && i < mostUnits; i++ {
		if in := &parts[i]; in.Def != pt.defs[i] || in.Word.Lo != pt.words[i] {
			return false
		}
	}
	return true
}

// A drawer is a bucket of the pattern cache.
type drawer struct {
	kept [2]syncatomic.Pointer[pattern]
	met  syncatomic.Uint64 // see wants
}

// patterns is the cache, shared by all printers, of up to 3 MB.
var patterns [1 << patternBits]drawer

const patternBits = 11

// find returns the pattern of a group, or nil if it is not cached.
func (d *drawer) find(parts []isa.Inst, o *outline) *pattern {
	for i := range d.kept {
		if pt := d.kept[i].Load(); pt != nil && pt.is(parts, o) {
			return pt
		}
	}
	return nil
}

// Layout of drawer.met: the number of evictions, the number of misses since a pattern was kept, and the hash of the
// last miss. If there is room, a pattern is kept if it misses twice in a row or is the fourth miss; if there is none,
// after fullTimes << evictions misses.
const (
	outBits   = 8
	timesBits = 24
	mostOut   = 15
	roomTimes = 4
	fullTimes = 8
)

// wants reports whether a pattern with this hash, which is not cached, should be cached.
func (d *drawer) wants(hash uint64) bool {
	was := d.met.Load()
	out, times := was&(1<<outBits-1), was>>outBits&(1<<timesBits-1)+1
	now := hash >> (outBits + timesBits) << (outBits + timesBits)
	full := d.kept[len(d.kept)-1].Load() != nil
	switch {
	case full && times < fullTimes<<out, !full && times < roomTimes && (now^was)>>(outBits+timesBits) != 0:
		d.met.CompareAndSwap(was, now|times<<outBits|out)
		return false
	case full:
		out = min(out+1, mostOut)
	}
	return d.met.CompareAndSwap(was, now|out)
}

// keep caches a pattern, and evicts another if there is no room.
func (d *drawer) keep(pt *pattern) {
	for i := range d.kept {
		if d.kept[i].CompareAndSwap(nil, pt) {
			return
		}
	}
	d.kept[d.met.Load()&1].Store(pt)
}

// append appends the text of a group of the pattern.
func (pt *pattern) append(dst []byte, b *isa.Bundle, o *outline) []byte {
	at := len(dst)
	if cap(dst)-at < pt.most {
		dst = slices.Grow(dst, pt.most)
	}
	out := dst[:cap(dst)]
	for i := range pt.print {
		x := &pt.print[i]
		*(*[pieceText]byte)(out[at:]) = x.text
		at += int(x.n)
		if x.several == 0 {
			continue
		}
		v := o.values[x.value&3] >> (x.shift & 63)
		bank, n := v>>bankShift&(1<<(regBits-bankShift)-1), v&(1<<bankShift-1)
		if x.several == 1 && bank < bankIdx0 && n < knownRegs {
			t := regTexts[bank][n]
			binary.LittleEndian.PutUint64(out[at:], t)
			at += int(t >> 56)
			continue
		}
		r, several := regOf(v&(1<<regBits-1)), int(x.several)
		if x.lonely && !r.inRow() {
			several = 1
		}
		at = len(appendReg(out[:at], r, several, PCO))
	}
	dst = out[:at]
	if pt.forms || pt.many != 0 {
		dst = pt.rest(dst, b)
	}
	if b.Pad <= 1 {
		return dst
	}
	return appendPad(dst, b)
}

// rest appends the forms of maps, which depend on the sizes of numbers, and ends the list of forms.
func (pt *pattern) rest(dst []byte, b *isa.Bundle) []byte {
	forms := pt.forms
	for i := range pt.wider[:pt.many] {
		x := &pt.wider[i]
		odd, w := x.always, b.Parts[x.part].Word.Lo
		for _, mask := range x.masks {
			odd = odd || w&mask == 0
		}
		if !odd {
			continue
		}
		if forms {
			dst = append(dst, ',', ' ')
		} else {
			dst = tagForm.append(dst)
		}
		dst, forms = append(dst, x.form...), true
	}
	if forms {
		dst = append(dst, ')')
	}
	return dst
}

// pattern makes the pattern of a group with outline o from its text, which began at offset `at` and was sketched.
func (s *sketch) pattern(text []byte, at int, b *isa.Bundle, o *outline) *pattern {
	pt := &pattern{tells: o.tells, units: o.units, forms: s.forms, most: mostReg*s.n + pieceText}
	for i := range b.Parts {
		if in := &b.Parts[i]; i < o.units {
			pt.defs[i], pt.words[i] = in.Def, in.Word.Lo
		} else if in.Def.Class != classISS {
			pt.widen(in, i, s)
		}
	}
	pt.words[0] >>= headerOwn
	pt.print = make([]piece, 0, s.n+1+(s.end-at)/pieceText)
	from := at
	for i := range s.regs[:s.n] {
		r := &s.regs[i]
		x := pt.add(text[from-at : r.from-at])
		x.value, x.shift, x.several, x.lonely = uint8(r.register/firstUpper), uint8(regBits*(r.register%firstUpper)), uint8(r.several), r.lonely
		if r.register == resultW1 && s.n == i+1 && (i == 0 || s.regs[i-1].register != resultW0) && b.Parts[len(b.Parts)-1].Def.Class == classDest {
			x.shift = 0 // of a map with one result
		}
		from = r.to
	}
	pt.add(text[from-at : s.end-at])
	return pt
}

// add adds the pieces of a text and returns the last.
func (pt *pattern) add(text []byte) *piece {
	pt.most += len(text)
	for {
		var x piece
		n := copy(x.text[:], text)
		x.n, text = uint8(n), text[n:]
		if pt.print = append(pt.print, x); len(text) == 0 {
			return &pt.print[len(pt.print)-1]
		}
	}
}

// widen records when a map, part i, has another form than text alone would give.
func (pt *pattern) widen(in *isa.Inst, i int, s *sketch) {
	m, n := info(in).mapping, 0
	switch in.Def.Class {
	case classLower:
		n = s.lower
	case classUpper:
		n = s.upper
	}
	x := wideness{part: i, always: n > len(m.fields), masks: m.before[n&3], form: info(in).form}
	if x.always || len(x.masks) > 0 {
		pt.wider[pt.many] = x
		pt.many++
	}
}
