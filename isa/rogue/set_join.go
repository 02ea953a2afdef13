package rogue

import (
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
	h := head(b)
	dst = append(dst, conditions[h.Get(nameCC)][0]...)
	dst = append(dst, "{ "...)
	printed := false
	if n := repeats(b); n > 1 {
		dst = append(strconv.AppendInt(append(dst, "repeat "...), int64(n), 10), ' ')
		printed = true
	}
	dst, printed = appendRoutes(dst, b, &rt, printed)
	for class := uint8(classP0); class <= classControl; class++ {
		for i := range b.Parts {
			in := &b.Parts[i]
			if in.Def.Class != class || omitted(b, in) {
				continue
			}
			if printed {
				dst = append(dst, ' ')
			}
			dst = append(append(dst, phaseLabels[class][0]...), ": "...)
			dst = append(p.Append(dst, in), ';')
			printed = true
		}
	}
	for i, has := range rt.has {
		if has {
			lead := " w"
			if i == 1 && rt.has[0] {
				lead = ", w"
			}
			dst = append(append(dst, lead...), byte('0'+i), ' ', '=', ' ')
			dst = appendReg(dst, rt.dst[i], results(b), PCO)
		}
	}
	dst = append(dst, " }"...)
	dst = appendFlags(dst, h)
	return appendForms(dst, b, &rt)
}

// appendFlags appends what stands behind the brace.
func appendFlags(dst []byte, h *isa.Inst) []byte {
	for _, x := range [...]struct {
		n    isa.Name
		text string
	}{{nameOlchk, ".olchk"}, {nameAtom, ".atom"}, {nameEnd, ".end"}} {
		if h.Def.Class == classControl && x.n != nameOlchk {
			break
		}
		if h.Opt(x.n) != 0 {
			dst = append(dst, x.text...)
		}
	}
	return dst
}

// appendRoutes appends sources and selectors: those that count, and others that are not 0.
func appendRoutes(dst []byte, b *isa.Bundle, rt *routing, printed bool) ([]byte, bool) {
	next := func() {
		if printed {
			dst = append(dst, ", "...)
		}
		printed = true
	}
	for n, r := range rt.src {
		if r == (reg{}) && (rt.used>>n&1 == 0 || unnamed(b, n)) {
			continue
		}
		next()
		dst = append(appendName(dst, 's', n), " = "...)
		dst = appendReg(dst, r, extent(b, n), PCO)
	}
	if rt.reads&readIS0 != 0 || rt.is0 != 0 {
		next()
		dst = appendName(append(dst, "is0 = "...), 's', int(rt.is0))
	}
	for n := 1; n <= 5; n++ {
		if code := rt.iss[n]; code != 0 || rt.reads>>n&1 != 0 {
			next()
			dst = append(append(dst, "is"...), byte('0'+n))
			dst = append(append(dst, " = "...), feedNames[n][code]...)
		}
	}
	return dst, printed
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
	for _, class := range [...]uint8{classBackend, classP0} {
		if in := find(b, class); in != nil && info(in).extent != nil {
			if m := info(in).extent(in, n); m > 1 {
				return m
			}
		}
	}
	if k := repeats(b); k > 1 && !unpacks(b) && head(b).Def.Class == classHeader {
		var rt routing
		route(b, &rt)
		if r := rt.src[n]; rt.used>>n&1 != 0 && r.bank < bankIdx0 && !(r.bank == bankSpecial && isConstant(r.n)) {
			return k
		}
	}
	return 1
}

// results is how many registers a result stands for.
func results(b *isa.Bundle) int {
	if packs(b) || isControl(b) {
		return 1
	}
	if in := find(b, classP0); in != nil && info(in).extent != nil {
		return info(in).extent(in, 0)
	}
	return repeats(b)
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
	if n := int(b.Pad) - (b.Size()-int(b.Pad))&1; n > 0 {
		dst = append(strconv.AppendInt(append(dst, ".pad("...), int64(n), 10), ')')
	}
	return dst
}

// isLong reports whether a part has another form than text alone would give it.
func isLong(in *isa.Inst, rt *routing) bool {
	switch c := in.Def.Class; c {
	case classHeader:
		return !info(in).bits && in.Size == 3 && in.Get(nameEnd)|in.Get(nameAtom)|in.Get(nameRepeat) == 0 && in.Get(nameCC) <= condTrue
	case classBitmask:
		return in.Size == 5 && in.Get(nameImm)>>16 == 0
	case classLower, classUpper, classDest, classDest2:
		return info(in).mapping != shortest(in, rt)
	}
	return longer(in)
}
