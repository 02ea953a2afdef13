package listing

import (
	"bytes"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// conditions are the texts of a group's condition in listings, by code.
var conditions = [4]string{"", "if(p0) ", "(ignorepe) ", "if(!p0) "}

// A printer prints a group as a listing.
type printer struct {
	p     isa.Printer
	set   Set
	b     *isa.Bundle
	rt    Routing
	said  [6]bool // the text implies the selector
	dst   [2]bool // the text names the destination of the result
	lines int
}

// Append appends the text of a group: several lines, of which those after the first begin with a colon.
func Append(set Set, p isa.Printer, dst []byte, b *isa.Bundle) []byte {
	x := printer{p: p, set: set, b: b, rt: set.Route(b)}
	lead := conditions[x.rt.Condition]
	dst = append(dst, lead...)
	if n := x.rt.Repeat; n > 1 {
		lead = "(rpt"
		dst = append(strconv.AppendInt(append(dst, lead...), int64(n), 10), ") "...)
	}
	if lead != "" {
		dst = append(dst, "{ "...)
	}
	last := uint8(group.Backend) // results are printed before outputs
	if group.IsBits(b.Parts[0].Def) {
		last = group.Control
	}
	for class := uint8(group.P0); class <= group.Control; class++ {
		if class == last {
			dst = x.outputs(dst)
		}
		for i := range b.Parts {
			if in := &b.Parts[i]; in.Def.Class == class && !set.Omitted(b, in) {
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
func (x *printer) line(dst []byte) []byte {
	if x.lines++; x.lines > 1 {
		dst = append(dst, "\n: "...)
	}
	return dst
}

// outputs prints the destinations of results that no instruction drives itself.
func (x *printer) outputs(dst []byte) []byte {
	switch {
	case x.b.Parts[0].Def.Class == group.Control:
	case group.IsBits(x.b.Parts[0].Def):
		for i, from := range [...]string{"ft5", "ft3"} {
			if x.rt.Has[i] {
				dst = x.output(dst, i, from)
			}
		}
	default:
		dst = x.mainOutputs(dst)
	}
	return dst
}

// mainOutputs is outputs for the main unit.
func (x *printer) mainOutputs(dst []byte) []byte {
	rt, move := &x.rt, moveOf(x.b)
	if move != nil {
		if rt.Has[1] && x.set.Row(move.Def).Name == "movwm" && !rt.Writes[1] {
			dst = x.output(dst, 1, x.feed(uint8(field(move, FieldMove1))))
		}
		return dst
	}
	for i := range rt.Has {
		switch {
		case rt.Writes[i]:
		case rt.Has[i] && (i == 0 || rt.Has[0]):
			dst = x.output(dst, i, x.feed(rt.Sel[4+i]))
			x.said[4+i] = true
		case !rt.Has[i] && rt.Sel[4+i] != 0 && rt.Selects[i]:
			dst = append(x.line(dst), "mov w"...)
			dst = append(append(dst, byte('0'+i), ',', ' '), x.feed(rt.Sel[4+i])...)
			x.said[4+i] = true
		}
	}
	return dst
}

func (x *printer) output(dst []byte, i int, from string) []byte {
	dst = x.set.AppendRegister(append(x.line(dst), "mov "...), x.rt.Dst[i])
	x.dst[i] = true
	return append(append(dst, ", "...), from...)
}

// feed is the text of a feed-through; FTE is the register that it selects.
func (x *printer) feed(code uint8) string {
	if code != group.FTE {
		return group.FeedNames[4][code]
	}
	if x.rt.InText.FTE && !x.rt.InText.High {
		return string(x.set.AppendRegister(nil, x.rt.Src[x.rt.IS0]))
	}
	return "fte"
}

// result is the text of w0 or w1 as an operand that an instruction drives: its destination register.
func (x *printer) result(i int) string {
	if x.rt.Has[i] {
		x.dst[i] = true
		return string(x.set.AppendRegister(nil, x.rt.Dst[i]))
	}
	return string([]byte{'w', byte('0' + i)})
}

// rest prints what the statements do not imply.
func (x *printer) rest(dst []byte, blank bool) []byte {
	tail := x.appendRest(x.set.AppendFlags(nil, x.b))
	if x.b.Parts[0].Word.Lo>>group.BitOverlap&1 == 0 && x.set.Overlaps(x.b) {
		tail = append(tail, ".noolchk"...)
	}
	tail = x.set.AppendForms(tail, x.b)
	if len(tail) > 0 && blank {
		dst = append(dst, ' ')
	}
	return append(dst, tail...)
}

// appendRest appends .route(…).
func (x *printer) appendRest(dst []byte) []byte {
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
	for n, r := range rt.Src {
		if x.rt.InText.Sources>>n&1 == 0 && (r != 0 || rt.Used>>n&1 != 0) {
			next('s', n)
			dst = x.set.AppendRegister(dst, r)
		}
	}
	if rt.IS0 != x.rt.InText.IS0 {
		next('i', 0)
		dst = append(dst, 's', '0'+rt.IS0)
	}
	for n := 1; n <= 5; n++ {
		if !x.said[n] && rt.Sel[n] != 0 {
			next('i', n)
			dst = append(dst, group.FeedNames[n][rt.Sel[n]]...)
		}
	}
	for i, has := range rt.Has {
		if has && !x.dst[i] {
			next('w', i)
			dst = x.set.AppendRegister(dst, rt.Dst[i])
		}
	}
	if !first {
		dst = append(dst, ')')
	}
	return dst
}

// instruction prints a statement.
func (x *printer) instruction(dst []byte, in *isa.Inst) []byte {
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
