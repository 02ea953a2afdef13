package rogue

import (
	mathbits "math/bits"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/listing"
)

// phaseLabels are the labels before instructions, by class and dialect.
var phaseLabels = [group.NumClasses][2]string{group.P0: {"p0", "p0"}, group.P0Elements: {"p0", "p0"}, group.P1: {"p1", "p1"}, group.Pack: {"p2_pck", "p2pck"}, group.Test: {"p2_tst", "p2tst"}, group.Move: {"p2_mov", "p2mov"},
	group.Backend: {"backend", "backend"}, group.Bitmask: {"p0", "p0bm"}, group.Shift1: {"p0", "p0shf1"}, group.Count: {"p0", "p0cnt"}, group.Logical: {"p1", "p1log"}, group.Shift2: {"p2", "p2shf2"}, group.BitTest: {"p2", "p2tst"},
	group.Control: {"ctrl", "ctrl"}}

// conditions are the texts of a group's condition by code and dialect.
var conditions = [4][2]string{{"", ""}, {"if(p0) ", "if(p0) "}, {"(ignorepe) ", "any(pe) "}, {"if(!p0) ", "if(!p0) "}}

// join prints a group.
func join(p isa.Printer, dst []byte, b *isa.Bundle) []byte {
	p.Bundle = b
	switch p.Dialect {
	case Seed:
		return listing.Append(seedSet{}, p, dst, b)
	case Mesa24:
		return joinMesa(p, dst, b)
	}
	return joinPCO(p, dst, b)
}

// joinPCO prints a group in the first dialect.
func joinPCO(p isa.Printer, dst []byte, b *isa.Bundle) []byte {
	var rt routing
	route(b, &rt)
	h := &b.Parts[0]
	head, times := info(h).head, 1
	if c := head.condition.get(h.Word.Lo); c != group.IfActive {
		dst = append(dst, conditions[c&3][0]...)
	}
	dst = append(dst, '{', ' ')
	printed := false
	if h.Def.Class != group.Control {
		times += int(head.repeat.get(h.Word.Lo))
	}
	if times > 1 {
		dst = append(strconv.AppendInt(append(dst, "repeat "...), int64(times), 10), ' ')
		printed = true
	}
	dst, printed = appendRoutes(dst, b, &rt, times, printed)
	for left := rt.parts &^ mapBits; left != 0; left &= left - 1 {
		class := mathbits.TrailingZeros32(left) & 31
		in := &b.Parts[rt.at[class]]
		if 1<<class&idleBits != 0 && omitted(b, in) {
			continue
		}
		lead := &leads[class]
		if !printed {
			lead = &firstLeads[class]
		}
		dst = append(p.AppendAs(lead.append(dst), in, in.Def), ';')
		printed = true
	}
	if rt.has[0] {
		dst = rt.appendResult(tagW0.append(dst), b, 0, times)
		if rt.has[1] {
			dst = append(dst, ',')
		}
	}
	if rt.has[1] {
		dst = rt.appendResult(tagW1.append(dst), b, 1, times)
	}
	dst = append(dst, ' ', '}')
	dst = appendFlags(dst, h)
	return appendForms(dst, b, &rt)
}

// appendResult appends the register, or registers, of w0 or w1.
func (rt *routing) appendResult(dst []byte, b *isa.Bundle, i, times int) []byte {
	if times > 1 || rt.wide != nil {
		return appendReg(dst, rt.dst[i&1], rt.results(b, times), PCO)
	}
	return appendSingle(dst, rt.dst[i&1])
}

// leads are the labels after other text, firstLeads those at the beginning, by class; link makes them.
var leads, firstLeads [1 << 5]tag

// Text before results, and before the forms of parts.
var (
	tagW0, tagW1      = newTag(" w0 = "), newTag(" w1 = ")
	tagForm, tagForms = newTag(".form("), newTag(", ")
)

// sourceTags and selectorTags are the text before sources and selectors, after other text; link makes them.
var (
	sourceTags   [8]tag
	selectorTags [8][4]tag // by code, with the feed-through
)

// appendFlags appends the flags after the brace.
func appendFlags(dst []byte, h *isa.Inst) []byte {
	w := h.Word.Lo
	if w>>group.BitOverlap&1 != 0 {
		dst = append(dst, ".olchk"...)
	}
	if h.Size < 3 || h.Def.Class == group.Control {
		return dst
	}
	if w>>group.BitAtomic&1 != 0 {
		dst = append(dst, ".atom"...)
	}
	if w>>group.BitEnd&1 != 0 {
		dst = append(dst, ".end"...)
	}
	return dst
}

// appendRoutes appends sources and selectors: those that are read, and others that are not 0.
func appendRoutes(dst []byte, b *isa.Bundle, rt *routing, times int, printed bool) ([]byte, bool) {
	show := rt.used | rt.named
	if rt.parts>>group.Bitmask&1 != 0 && rt.named&1 == 0 && unnamed(b, 0) {
		show &^= 1
	}
	single := times == 1 && rt.wide == nil
	for ; show != 0; show &= show - 1 {
		n := mathbits.TrailingZeros8(show) & 7
		if printed {
			dst = sourceTags[n].append(dst)
		} else {
			dst = append(dst, 's', byte('0'+n), ' ', '=', ' ')
		}
		printed = true
		if n >= len(rt.src) {
			break
		}
		if single {
			dst = appendSingle(dst, rt.src[n])
		} else {
			dst = appendReg(dst, rt.src[n], rt.extent(b, n, times), PCO)
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
	if rt.iss != [6]uint8{} {
		for n, code := range rt.iss {
			if code != 0 {
				ask |= 1 << n
			}
		}
	}
	for ; ask != 0; ask &= ask - 1 {
		n := mathbits.TrailingZeros8(ask) & 7
		if n >= len(rt.iss) {
			break
		}
		t := &selectorTags[n][rt.iss[n]&3]
		if printed {
			dst = t.append(dst)
		} else {
			dst = append(dst, t.text[2:t.n]...)
		}
		printed = true
	}
	return dst, printed
}

// allSelectors are IS1 to IS5.
const allSelectors = uint8(readIS1 | readIS2 | readIS3 | readIS4 | readIS5)

// unnamed reports whether text leaves out a source with constant 0, although an instruction names it: s0 if the bit
// unit has a constant.
func unnamed(b *isa.Bundle, n int) bool {
	if n != 0 {
		return false
	}
	in := group.Find(b, group.Bitmask)
	return in != nil && in.Size > 1
}

// extent is the number of registers that source n stands for.
func extent(b *isa.Bundle, n int) int {
	var rt routing
	route(b, &rt)
	return rt.extent(b, n, repeats(b))
}

// extent is the number of registers that source n stands for in a group that runs so many times.
func (rt *routing) extent(b *isa.Bundle, n, times int) int {
	if rt.wide != nil {
		if m := info(rt.wide).extent(rt.wide, n); m > 1 {
			return m
		}
	}
	if times == 1 || rt.parts>>group.Header&1 == 0 || unpacks(b) || rt.used>>n&1 == 0 || !rt.src[n].inRow() {
		return 1
	}
	return times
}

// inRow reports whether a repeated group advances this register.
func (r reg) inRow() bool {
	return r.bank < bankIdx0 && !(r.bank == bankSpecial && isConstant(r.n))
}

// results is the number of registers that a result stands for.
func results(b *isa.Bundle) int {
	var rt routing
	route(b, &rt)
	return rt.results(b, repeats(b))
}

// results is the number of registers that a result stands for in a group that runs so many times.
func (rt *routing) results(b *isa.Bundle, times int) int {
	if rt.wide != nil && info(rt.wide).reads&writeW0 != 0 {
		return info(rt.wide).extent(rt.wide, 0)
	}
	if times > 1 && packs(b) {
		return 1
	}
	return times
}

// appendForms appends the forms of parts that are not the shortest, and the padding.
func appendForms(dst []byte, b *isa.Bundle, rt *routing) []byte {
	if odd := rt.oddParts(b); odd != 0 {
		dst = appendOdd(dst, b, odd)
	}
	if b.Pad <= 1 { // padding to an even address
		return dst
	}
	return appendPad(dst, b)
}

// appendPad appends the padding beyond an even address.
func appendPad(dst []byte, b *isa.Bundle) []byte {
	if n := int(b.Pad) - (b.Size()-int(b.Pad))&1; n > 0 {
		dst = append(strconv.AppendInt(append(dst, ".pad("...), int64(n), 10), ')')
	}
	return dst
}

// oddParts are the parts that have another form than text alone would give them, as bits; also the bitmask, which
// appendOdd checks.
func (rt *routing) oddParts(b *isa.Bundle) uint32 {
	odd, used := rt.odd, rt.used|rt.named
	if rt.parts>>group.Control&1 != 0 && info(&b.Parts[0]).result { // its source maps need not be the shortest
		return odd&^1 | rt.parts>>group.Lower&1<<(rt.at[group.Lower]&31) | rt.parts>>group.Upper&1<<(rt.at[group.Upper]&31)
	}
	if in := rt.part(b, group.Lower); in != nil && info(in).mapping.Longer(count(used&7), in.Word.Lo) {
		odd |= 1 << (rt.at[group.Lower] & 31)
	}
	if used>>group.FirstUpper == 0 && !rt.high { // the shortest map has room
		return odd
	}
	if in := rt.part(b, group.Upper); in != nil && info(in).mapping.Longer(count(used>>group.FirstUpper), in.Word.Lo) {
		odd |= 1 << (rt.at[group.Upper] & 31)
	}
	return odd
}

// appendOdd appends the forms of the odd parts that are not the shortest.
func appendOdd(dst []byte, b *isa.Bundle, odd uint32) []byte {
	lead := &tagForm
	for ; odd != 0; odd &= odd - 1 {
		in := &b.Parts[mathbits.TrailingZeros32(odd)]
		if in.Def.Class == group.Bitmask {
			if in.Get(nameVendor) == 0 {
				dst = append(lead.append(dst), "ph0"...)
				lead = &tagForms
			}
			if in.Size < 5 || in.Get(nameImm)>>16 != 0 {
				continue
			}
		}
		dst = append(lead.append(dst), info(in).form...)
		lead = &tagForms
	}
	if lead == &tagForms {
		dst = append(dst, ')')
	}
	return dst
}
