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
	dst = append(dst, conditions[h.Get(nameCC)][0]...)
	dst = append(dst, "{ "...)
	printed := false
	times := repeats(b)
	if times > 1 {
		dst = append(strconv.AppendInt(append(dst, "repeat "...), int64(times), 10), ' ')
		printed = true
	}
	dst, printed = appendRoutes(dst, b, &rt, times, printed)
	for left := rt.parts &^ mapBits; left != 0; left &= left - 1 {
		class := mathbits.TrailingZeros32(left)
		in := &b.Parts[rt.at[class%numClasses]]
		if 1<<class&idleBits != 0 && omitted(b, in) {
			continue
		}
		if printed {
			dst = append(dst, ' ')
		}
		dst = append(append(dst, phaseLabels[class%numClasses][0]...), ": "...)
		dst = append(p.Append(dst, in), ';')
		printed = true
	}
	lead := " w"
	for i, has := range rt.has {
		if has {
			dst = append(append(dst, lead...), byte('0'+i), ' ', '=', ' ')
			dst = appendReg(dst, rt.dst[i], rt.results(b, times), PCO)
			lead = ", w"
		}
	}
	dst = append(dst, " }"...)
	dst = appendFlags(dst, h)
	return appendForms(dst, b, &rt)
}

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

// What stands in front of sources and selectors, by number.
var (
	sourceStarts   = [...]string{"s0 = ", "s1 = ", "s2 = ", "s3 = ", "s4 = ", "s5 = "}
	selectorStarts = [...]string{1: "is1 = ", 2: "is2 = ", 3: "is3 = ", 4: "is4 = ", 5: "is5 = "}
)

// appendRoutes appends sources and selectors: those that count, and others that are not 0.
func appendRoutes(dst []byte, b *isa.Bundle, rt *routing, times int, printed bool) ([]byte, bool) {
	lead := ""
	if printed {
		lead = ", "
	}
	for n, r := range rt.src {
		if r == (reg{}) && (rt.used>>n&1 == 0 || n == 0 && unnamed(b, n)) {
			continue
		}
		dst = append(append(dst, lead...), sourceStarts[n]...)
		dst = appendReg(dst, r, rt.extent(b, n, times), PCO)
		lead = ", "
	}
	if rt.reads&readIS0 != 0 || rt.is0 != 0 {
		dst = append(append(dst, lead...), "is0 = s"...)
		dst = append(dst, '0'+rt.is0)
		lead = ", "
	}
	for n := 1; n <= 5; n++ {
		if code := rt.iss[n]; code != 0 || rt.reads>>n&1 != 0 {
			dst = append(append(dst, lead...), selectorStarts[n]...)
			dst = append(dst, feedNames[n][code&3]...)
			lead = ", "
		}
	}
	return dst, lead != ""
}

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
	first := true
	open := func() {
		lead := ", "
		if first {
			lead, first = ".form(", false
		}
		dst = append(dst, lead...)
	}
	for i := range b.Parts {
		in := &b.Parts[i]
		if r := info(in); r.short == nil && (r.mapping == nil || r.mapping.first && rt.fills(in, r.mapping)) && 1<<in.Def.Class&(1<<classHeader|1<<classBitmask) == 0 {
			continue
		}
		if in.Def.Class == classBitmask && in.Get(nameVendor) == 0 {
			open()
			dst = append(dst, "ph0"...)
		}
		if isLong(in, rt) {
			open()
			dst = append(append(append(dst, formLabels[formOf(in.Def.Class)]...), '='), in.Def.Enc.Name...)
		}
	}
	if !first {
		dst = append(dst, ')')
	}
	if b.Pad == 0 {
		return dst
	}
	if n := int(b.Pad) - (b.Size()-int(b.Pad))&1; n > 0 {
		dst = append(strconv.AppendInt(append(dst, ".pad("...), int64(n), 10), ')')
	}
	return dst
}

// fills reports whether a map has a place for each source that its half of the group names.
func (rt *routing) fills(in *isa.Inst, m *mapping) bool {
	switch in.Def.Class {
	case classLower:
		return rt.used&7>>len(m.fields) == 0
	case classUpper:
		return rt.used>>firstUpper>>len(m.fields) == 0
	}
	return true
}

// isLong reports whether a part has another form than text alone would give it.
func isLong(in *isa.Inst, rt *routing) bool {
	switch c := in.Def.Class; c {
	case classHeader:
		return in.Size == 3 && !info(in).bits && in.Get(nameEnd)|in.Get(nameAtom)|in.Get(nameRepeat) == 0 && in.Get(nameCC) <= condTrue
	case classBitmask:
		return in.Size == 5 && in.Get(nameImm)>>16 == 0
	case classLower, classUpper, classDest, classDest2:
		return info(in).mapping != shortest(in, rt)
	}
	return longer(in)
}
