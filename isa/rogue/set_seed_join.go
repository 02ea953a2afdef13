package rogue

import (
	"bytes"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// seedConditions are the texts of a group's condition in listings, by code.
var seedConditions = [4]string{"", "if(p0) ", "(ignorepe) ", "if(!p0) "}

// A seedPrinter prints a group as a listing.
type seedPrinter struct {
	p     isa.Printer
	b     *isa.Bundle
	rt    routing
	told  told
	said  [6]bool // the text implies the selector
	dst   [2]bool // the text names the destination of the result
	lines int
}

// joinSeed prints a group on several lines; those after the first begin with a colon.
func joinSeed(p isa.Printer, dst []byte, b *isa.Bundle) []byte {
	x := seedPrinter{p: p, b: b}
	route(b, &x.rt)
	x.told = tells(b, &x.rt)
	h := head(b)
	lead := seedConditions[h.Get(nameCC)]
	dst = append(dst, lead...)
	if n := repeats(b); n > 1 {
		lead = "(rpt"
		dst = append(strconv.AppendInt(append(dst, lead...), int64(n), 10), ") "...)
	}
	if lead != "" {
		dst = append(dst, "{ "...)
	}
	last := uint8(group.Backend) // results are printed before outputs
	if info(h).bits {
		last = group.Control
	}
	for class := uint8(group.P0); class <= group.Control; class++ {
		if class == last {
			dst = x.outputs(dst)
		}
		for i := range b.Parts {
			if in := &b.Parts[i]; in.Def.Class == class && !omitted(b, in) {
				dst = x.instruction(x.line(dst), in)
			}
		}
	}
	if lead != "" {
		dst = append(dst, " }"...)
	}
	return x.rest(dst, lead == "")
}

// line begins a statement.
func (x *seedPrinter) line(dst []byte) []byte {
	if x.lines++; x.lines > 1 {
		dst = append(dst, "\n: "...)
	}
	return dst
}

// outputs prints the destinations of results that no instruction drives itself.
func (x *seedPrinter) outputs(dst []byte) []byte {
	switch {
	case isControl(x.b):
	case info(head(x.b)).bits:
		for i, from := range [...]string{"ft5", "ft3"} {
			if x.rt.has[i] {
				dst = x.output(dst, i, from)
			}
		}
	default:
		dst = x.mainOutputs(dst)
	}
	return dst
}

// mainOutputs is outputs for the main unit.
func (x *seedPrinter) mainOutputs(dst []byte) []byte {
	rt, move := &x.rt, moveOf(x.b)
	if move != nil {
		if rt.has[1] && info(move).name == "movwm" && rt.reads&writeW1 == 0 {
			dst = x.output(dst, 1, x.feed(uint8(move.Get(nameMov1))))
		}
		return dst
	}
	for i := range rt.has {
		direct := rt.reads&(writeW0<<i) != 0
		switch {
		case direct:
		case rt.has[i] && (i == 0 || rt.has[0]):
			dst = x.output(dst, i, x.feed(rt.iss[4+i]))
			x.said[4+i] = true
		case !rt.has[i] && rt.iss[4+i] != 0 && rt.reads&(readIS4<<i) != 0:
			dst = append(x.line(dst), "mov w"...)
			dst = append(append(dst, byte('0'+i), ',', ' '), x.feed(rt.iss[4+i])...)
			x.said[4+i] = true
		}
	}
	return dst
}

func (x *seedPrinter) output(dst []byte, i int, from string) []byte {
	dst = appendReg(append(x.line(dst), "mov "...), x.rt.dst[i], 1, Seed)
	x.dst[i] = true
	return append(append(dst, ", "...), from...)
}

// feed is the text of a feed-through; FTE is the register that it selects.
func (x *seedPrinter) feed(code uint8) string {
	if code != codeFTE {
		return feedNames[4][code]
	}
	if x.told.fte && !x.told.high {
		return string(appendReg(nil, x.rt.src[x.rt.is0], 1, Seed))
	}
	return "fte"
}

// result is the text of w0 or w1 as an operand that an instruction drives: its destination register.
func (x *seedPrinter) result(i int) string {
	if x.rt.has[i] {
		x.dst[i] = true
		return string(appendReg(nil, x.rt.dst[i], 1, Seed))
	}
	return string([]byte{'w', byte('0' + i)})
}

// rest prints what the statements do not imply.
func (x *seedPrinter) rest(dst []byte, blank bool) []byte {
	tail := x.appendRest(appendFlags(nil, head(x.b)))
	h := head(x.b)
	if h.Opt(nameOlchk) == 0 && overlapsAny(x.b, &x.rt) {
		tail = append(tail, ".noolchk"...)
	}
	tail = appendForms(tail, x.b, &x.rt)
	if len(tail) > 0 && blank {
		dst = append(dst, ' ')
	}
	return append(dst, tail...)
}

// overlapsAny reports whether the group needs the check of overlaps, by the same rule as groupText.encode.
func overlapsAny(b *isa.Bundle, rt *routing) bool {
	g := groupText{b: b, src: rt.src, dst: rt.dst, hasDst: rt.has}
	for n, r := range rt.src {
		g.has[n] = rt.used>>n&1 != 0 || r != reg{}
	}
	return g.overlaps()
}

// appendRest appends .route(…).
func (x *seedPrinter) appendRest(dst []byte) []byte {
	rt, first := &x.rt, true
	next := func(name byte, n int) {
		lead := ", "
		if first {
			lead, first = ".route(", false
		}
		dst = append(append(dst, lead...), name)
		if name == 'i' {
			dst = append(dst, 's')
		}
		dst = append(dst, byte('0'+n), ' ', '=', ' ')
	}
	for n, r := range rt.src {
		if x.told.sources>>n&1 == 0 && (r != reg{} || rt.used>>n&1 != 0) {
			next('s', n)
			dst = appendReg(dst, r, 1, Seed)
		}
	}
	if rt.is0 != x.told.is0 {
		next('i', 0)
		dst = appendName(dst, 's', int(rt.is0))
	}
	for n := 1; n <= 5; n++ {
		if !x.said[n] && rt.iss[n] != 0 {
			next('i', n)
			dst = append(dst, feedNames[n][rt.iss[n]]...)
		}
	}
	for i, has := range rt.has {
		if has && !x.dst[i] {
			next('w', i)
			dst = appendReg(dst, rt.dst[i], 1, Seed)
		}
	}
	if !first {
		dst = append(dst, ')')
	}
	return dst
}

// instruction prints a statement.
func (x *seedPrinter) instruction(dst []byte, in *isa.Inst) []byte {
	text := x.p.Append(nil, in)
	end := bytes.IndexByte(text, ' ')
	if end < 0 {
		return append(dst, text...)
	}
	name := string(text[:end])
	ops := splitOps(string(text[end+1:]))
	name, ops = x.reworded(in, name, ops)
	dst = append(dst, name...)
	for i, op := range ops {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, ' '), op...)
	}
	return dst
}
