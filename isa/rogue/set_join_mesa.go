package rogue

import (
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// unitNames are the names of units with which Mesa 24.1 begins a group.
const (
	unitMain    = "main"
	unitBitwise = "bitwise"
	unitControl = "control"
)

// joinMesa prints a group as Mesa 24.1 does: instructions first, then sources, selectors and results.
// docs/reference/rogue.md 9.
func joinMesa(p isa.Printer, dst []byte, b *isa.Bundle) []byte {
	var rt routing
	routeMesa(b, &rt)
	h := head(b)
	dst = append(dst, conditions[h.Get(nameCC)][1]...)
	times := repeats(b)
	dst = append(appendTimes(dst, times), "{ "...)
	switch {
	case h.Def.Class == group.Control:
		dst = append(dst, unitControl...)
	case info(h).bits:
		dst = append(dst, unitBitwise...)
	default:
		dst = append(dst, unitMain...)
	}
	for class := uint8(group.P0); class <= group.Control; class++ {
		for i := range b.Parts {
			in := &b.Parts[i]
			if in.Def.Class != class || omitted(b, in) {
				continue
			}
			dst = append(append(append(dst, ' '), phaseLabels[class][1]...), ": "...)
			dst = appendTimes(dst, times)
			d := in.Def
			if twin := info(in).twin; twin != nil {
				d = twin
			}
			dst = append(p.AppendAs(dst, in, d), ';')
		}
	}
	dst = append(dst, ' ')
	dst = appendSourcesMesa(dst, b, &rt)
	dst = appendSelectorsMesa(dst, &rt)
	lead := ""
	for i, has := range rt.has {
		if has {
			dst = append(append(append(dst, lead...), 'w', byte('0'+i)), '=')
			dst = appendReg(dst, rt.dst[i], results(b), Mesa24)
			lead = ", "
		}
	}
	if lead != "" {
		dst = append(dst, ' ')
	}
	dst = append(dst, '}')
	dst = appendFlagsMesa(dst, b, &rt)
	return appendForms(dst, b, &rt)
}

// appendTimes appends the number of times a group, or an instruction of it, runs.
func appendTimes(dst []byte, times int) []byte {
	if times == 1 {
		return dst
	}
	return append(strconv.AppendInt(append(dst, "(rpt"...), int64(times), 10), ") "...)
}

// routeMesa is route, but every test names both operands.
func routeMesa(b *isa.Bundle, rt *routing) {
	route(b, rt)
	if group.Find(b, group.Test) != nil {
		rt.reads |= readIS1 | readIS2
		if (rt.iss[1] == 1 || rt.iss[2] == 1) && rt.is0 < 6 {
			rt.reads |= readIS0
			rt.used |= 1 << rt.is0
		}
	}
}

// appendSourcesMesa appends the sources that are read, and others that are not 0.
func appendSourcesMesa(dst []byte, b *isa.Bundle, rt *routing) []byte {
	lead := ""
	for n, r := range rt.src {
		if r == (reg{}) && (rt.used>>n&1 == 0 || unnamedMesa(b, n)) {
			continue
		}
		dst = append(append(append(dst, lead...), 's', byte('0'+n)), '=')
		dst = appendSpanMesa(dst, r, extentMesa(b, rt, n), bracketed(b, rt, n))
		lead = ", "
	}
	if lead != "" {
		dst = append(dst, ' ')
	}
	return dst
}

// unnamedMesa is unnamed, or reports that the source is the level of detail of a sample with constant 0.
func unnamedMesa(b *isa.Bundle, n int) bool {
	if in := group.Find(b, group.Backend); in != nil {
		return n == group.FirstUpper && in.Has(nameLOD)
	}
	return unnamed(b, n)
}

// extentMesa is the number of registers that Mesa 24.1 prints for source n: of coefficients, those of one value.
func extentMesa(b *isa.Bundle, rt *routing, n int) int {
	several := rt.extent(b, n, repeats(b))
	in := group.Find(b, group.Backend)
	switch {
	case in == nil || !in.Has(nameCount):
		return several
	case n < group.FirstUpper:
		return min(several, valueWords)
	case info(in).uses&4 != 0: // with perspective it prints only the first result
		return 1
	}
	return several
}

// bracketed reports whether Mesa 24.1 prints source n as a range even if it is one register.
func bracketed(b *isa.Bundle, rt *routing, n int) bool {
	if packs(b) {
		return rt.iss[3] == group.FTE && n == int(rt.is0)
	}
	in := group.Find(b, group.Backend)
	switch {
	case in == nil || info(in).extent == nil:
		return false
	case in.Has(nameLOD):
		return n == 1 || n == 4
	case in.Has(nameData):
		return uint64(n) == in.Get(nameData)
	case in.Has(nameMode):
		return n == group.FirstUpper && info(in).uses&4 == 0
	}
	return n == group.FirstUpper && in.Has(nameAddr)
}

// appendSpanMesa appends the name of several consecutive registers.
func appendSpanMesa(dst []byte, r reg, several int, bracket bool) []byte {
	if several > 1 || !bracket || r.bank >= bankIdx0 {
		return appendReg(dst, r, several, Mesa24)
	}
	at := len(dst)
	dst = appendReg(dst, r, 1, Mesa24)
	for at < len(dst) && dst[at] >= 'a' {
		at++
	}
	dst = append(dst, 0)
	copy(dst[at+1:], dst[at:])
	dst[at] = '['
	return append(dst, ']')
}

// appendSelectorsMesa appends the selectors.
func appendSelectorsMesa(dst []byte, rt *routing) []byte {
	lead := ""
	if rt.reads&readIS0 != 0 || rt.is0 != 0 {
		dst = append(dst, "is0=s"...)
		dst = append(dst, '0'+rt.is0)
		lead = ", "
	}
	names := [...]string{1: "is1=", 2: "is2=", 3: "is3=", 4: "is4/w0=", 5: "is5/w1="}
	for n := 1; n <= 5; n++ {
		if code := rt.iss[n]; code != 0 || rt.reads>>n&1 != 0 {
			dst = append(append(append(dst, lead...), names[n]...), group.FeedNames[n][code]...)
			lead = ", "
		}
	}
	if lead != "" {
		dst = append(dst, ' ')
	}
	return dst
}

// appendFlagsMesa appends the flags after the brace. Mesa 24.1 itself prints only the end; the check of overlaps
// follows from the registers that the group touches.
func appendFlagsMesa(dst []byte, b *isa.Bundle, rt *routing) []byte {
	h := head(b)
	switch touches := overlapping(b, rt); {
	case h.Get(nameOlchk) != 0 && !touches:
		dst = append(dst, ".olchk"...)
	case h.Get(nameOlchk) == 0 && touches:
		dst = append(dst, ".noolchk"...)
	}
	if h.Def.Class == group.Control {
		return dst
	}
	if h.Opt(nameAtom) != 0 {
		dst = append(dst, ".atom"...)
	}
	if h.Opt(nameEnd) != 0 {
		dst = append(dst, ".end"...)
	}
	return dst
}

// overlapping is group.overlaps of a decoded group: it checks the sources that text names.
func overlapping(b *isa.Bundle, rt *routing) bool {
	for n, r := range rt.src {
		if (rt.used>>n&1 != 0 || r != (reg{})) && r.isPixel() {
			return true
		}
	}
	for i, has := range rt.has {
		if has && rt.dst[i].isPixel() {
			return true
		}
	}
	in := group.Find(b, group.Backend)
	return in != nil && info(in).layout.name == "movmsk"
}
