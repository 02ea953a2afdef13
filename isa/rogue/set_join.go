package rogue

import (
	mathbits "math/bits"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// phaseLabels are what stands before instructions, by class and dialect.
var phaseLabels = [numClasses][2]string{classP0: {"p0", "p0"}, classP0Sel: {"p0", "p0"}, classP1: {"p1", "p1"}, classPck: {"p2_pck", "p2pck"}, classTst: {"p2_tst", "p2tst"}, classMov: {"p2_mov", "p2mov"},
	classBackend: {"backend", "backend"}, classBitmask: {"p0", "p0bm"}, classShift1: {"p0", "p0shf1"}, classCount: {"p0", "p0cnt"}, classLogical: {"p1", "p1log"}, classShift2: {"p2", "p2shf2"}, classBitTest: {"p2", "p2tst"},
	classControl: {"ctrl", "ctrl"}}

// conditions are the texts of a group's condition by code and dialect.
var conditions = [4][2]string{{"", ""}, {"if(p0) ", "if(p0) "}, {"(ignorepe) ", "any(pe) "}, {"if(!p0) ", "if(!p0) "}}

// feedNames are the feed-throughs by code of a selector.
var feedNames = [...][4]string{1: {"ft0", "fte"}, 2: {"ft1", "fte"}, 3: {"ft0", "ft1", "s2", "fte"}, 4: {"ft0", "ft1", "ft2", "fte"}, 5: {"ft0", "ft1", "ft2", "fte"}}

// join prints a group.
func join(p isa.Printer, dst []byte, b *isa.Bundle) []byte {
	if p.Dialect == Seed {
		return joinSeed(p, dst, b)
	}
	p.Bundle = b
	if p.Dialect == Mesa24 {
		return joinMesa(p, dst, b)
	}
	var rt routing
	route(b, &rt)
	h := &b.Parts[0]
	if c := info(h).head.condition.get(h.Word.Lo); c != condExec {
		dst = append(dst, conditions[c&3][0]...)
	}
	dst = append(dst, '{', ' ')
	printed := false
	times := repeats(b)
	if times > 1 {
		dst = append(strconv.AppendInt(append(dst, "repeat "...), int64(times), 10), ' ')
		printed = true
	}
	dst, printed = appendRoutes(dst, b, &rt, times, printed)
	for left := rt.parts &^ mapBits; left != 0; left &= left - 1 {
		class := mathbits.TrailingZeros32(left) % numClasses
		in := &b.Parts[rt.at[class]]
		if 1<<class&idleBits != 0 && omitted(b, in) {
			continue
		}
		lead := leads[class]
		if !printed {
			lead = lead[1:]
		}
		dst = append(p.Append(append(dst, lead...), in), ';')
		printed = true
	}
	for i, has := range rt.has {
		if !has {
			continue
		}
		if i == 1 && rt.has[0] {
			dst = append(dst, ',')
		}
		dst = append(dst, ' ', 'w', byte('0'+i), ' ', '=', ' ')
		if times > 1 || rt.wide != nil {
			dst = appendReg(dst, rt.dst[i], rt.results(b, times), PCO)
		} else {
			dst = appendSingle(dst, rt.dst[i])
		}
	}
	dst = append(dst, ' ', '}')
	dst = appendFlags(dst, h)
	return appendForms(dst, b, &rt)
}

// leads are the labels as they stand behind other text; made by link.
var leads [numClasses]string

// appendFlags appends what stands behind the brace.
func appendFlags(dst []byte, h *isa.Inst) []byte {
	w := h.Word.Lo
	if w>>bitOlchk&1 != 0 {
		dst = append(dst, ".olchk"...)
	}
	if h.Size < 3 || h.Def.Class == classControl {
		return dst
	}
	if w>>bitAtom&1 != 0 {
		dst = append(dst, ".atom"...)
	}
	if w>>bitEnd&1 != 0 {
		dst = append(dst, ".end"...)
	}
	return dst
}

// appendRoutes appends sources and selectors: those that count, and others that are not 0.
func appendRoutes(dst []byte, b *isa.Bundle, rt *routing, times int, printed bool) ([]byte, bool) {
	show := rt.used | rt.named
	if rt.parts>>classBitmask&1 != 0 && rt.named&1 == 0 && unnamed(b, 0) {
		show &^= 1
	}
	single := times == 1 && rt.wide == nil
	for ; show != 0; show &= show - 1 {
		n := mathbits.TrailingZeros8(show)
		if printed {
			dst = append(dst, ',', ' ')
		}
		printed = true
		dst = append(dst, 's', byte('0'+n), ' ', '=', ' ')
		if r := rt.src[n%len(rt.src)]; single {
			dst = appendSingle(dst, r)
		} else {
			dst = appendReg(dst, r, rt.extent(b, n, times), PCO)
		}
	}
	if rt.reads&readIS0 != 0 || rt.is0 != 0 {
		if printed {
			dst = append(dst, ',', ' ')
		}
		printed = true
		dst = append(dst, 'i', 's', '0', ' ', '=', ' ', 's', '0'+rt.is0)
	}
	ask := uint8(rt.reads) & allSelectors
	for n, code := range rt.iss {
		if code != 0 {
			ask |= 1 << n
		}
	}
	for ; ask != 0; ask &= ask - 1 {
		n := mathbits.TrailingZeros8(ask)
		if printed {
			dst = append(dst, ',', ' ')
		}
		printed = true
		dst = append(dst, 'i', 's', byte('0'+n), ' ', '=', ' ')
		dst = append(dst, feedNames[n%len(feedNames)][rt.iss[n%len(rt.iss)]&3]...)
	}
	return dst, printed
}

// allSelectors are IS1 to IS5.
const allSelectors = uint8(readIS1 | readIS2 | readIS3 | readIS4 | readIS5)

// unnamed reports whether text leaves out a source that is constant 0, although an instruction names it: s0 beside a constant of the
// bit unit.
func unnamed(b *isa.Bundle, n int) bool {
	if n != 0 {
		return false
	}
	in := find(b, classBitmask)
	return in != nil && in.Size > 1
}

// extent is how many registers source n stands for.
func extent(b *isa.Bundle, n int) int {
	var rt routing
	route(b, &rt)
	return rt.extent(b, n, repeats(b))
}

// extent is how many registers source n stands for in a group that runs so many times.
func (rt *routing) extent(b *isa.Bundle, n, times int) int {
	if rt.wide != nil {
		if m := info(rt.wide).extent(rt.wide, n); m > 1 {
			return m
		}
	}
	if times > 1 && rt.parts>>classHeader&1 != 0 && !unpacks(b) {
		if r := rt.src[n]; rt.used>>n&1 != 0 && r.bank < bankIdx0 && !(r.bank == bankSpecial && isConstant(r.n)) {
			return times
		}
	}
	return 1
}

// results is how many registers a result stands for.
func results(b *isa.Bundle) int {
	var rt routing
	route(b, &rt)
	return rt.results(b, repeats(b))
}

// results is the same of a group that runs so many times.
func (rt *routing) results(b *isa.Bundle, times int) int {
	if rt.wide != nil && info(rt.wide).reads&writeW0 != 0 {
		return info(rt.wide).extent(rt.wide, 0)
	}
	if times > 1 && packs(b) {
		return 1
	}
	return times
}

// appendForms names the forms of parts that are not the shortest, and the padding.
func appendForms(dst []byte, b *isa.Bundle, rt *routing) []byte {
	if odd := rt.oddParts(b); odd != 0 {
		dst = appendOdd(dst, b, odd)
	}
	if b.Pad <= 1 { // to an even address
		return dst
	}
	if n := int(b.Pad) - (b.Size()-int(b.Pad))&1; n > 0 {
		dst = append(strconv.AppendInt(append(dst, ".pad("...), int64(n), 10), ')')
	}
	return dst
}

// oddParts are the parts that have another form than text alone would give them, as bits, and the bitmask, which appendOdd looks at.
func (rt *routing) oddParts(b *isa.Bundle) uint32 {
	used := rt.used | rt.named
	if rt.parts>>classControl&1 != 0 && sourceless(&b.Parts[0]) { // its source maps are not asked for
		return rt.parts>>classLower&1<<(rt.at[classLower]&31) | rt.parts>>classUpper&1<<(rt.at[classUpper]&31) | rt.oddMap(b, classDest, 0) | rt.oddMap(b, classDest2, 0)
	}
	return rt.odd | rt.oddMap(b, classLower, used&7) | rt.oddMap(b, classUpper, used>>firstUpper) | rt.oddMap(b, classDest, 0) |
		rt.oddMap(b, classDest2, 0) | rt.parts>>classBitmask&1<<(rt.at[classBitmask]&31)
}

// oddMap is the map of a class, if the group has one and it is not the first that has room for its sources, as a bit.
func (rt *routing) oddMap(b *isa.Bundle, class uint8, used uint8) uint32 {
	if rt.parts>>class&1 == 0 {
		return 0
	}
	in := &b.Parts[rt.at[class]]
	m, n, w := info(in).mapping, count(used), in.Word.Lo
	odd := n > len(m.fields)
	for i := range m.before {
		e := &m.before[i]
		odd = odd || e.fields >= n && w&e.beyond == 0
	}
	if odd {
		return 1 << (rt.at[class] & 31)
	}
	return 0
}

// appendOdd appends the forms of some parts that are not the shortest.
func appendOdd(dst []byte, b *isa.Bundle, odd uint32) []byte {
	first := true
	open := func() {
		lead := ", "
		if first {
			lead, first = ".form(", false
		}
		dst = append(dst, lead...)
	}
	for ; odd != 0; odd &= odd - 1 {
		in := &b.Parts[mathbits.TrailingZeros32(odd)]
		if in.Def.Class == classBitmask {
			if in.Get(nameVendor) == 0 {
				open()
				dst = append(dst, "ph0"...)
			}
			if in.Size < 5 || in.Get(nameImm)>>16 != 0 {
				continue
			}
		}
		open()
		dst = append(append(append(dst, formLabels[formOf(in.Def.Class)]...), '='), in.Def.Enc.Name...)
	}
	if !first {
		dst = append(dst, ')')
	}
	return dst
}
