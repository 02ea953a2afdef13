package site

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
)

// A bit is who claims a bit of a layout, and what it holds: '0', '1', or ' ' of what differs from word to word.
type bit struct {
	owner string
	value byte
}

// A layout is rows of one name with the same encoding: their bits are drawn once.
type layout struct {
	enc  *isa.Encoding
	rows []*row
	bits []bit
}

// free are owners that say less than another row's name of the same bit.
func free(owner string) bool { return owner == "fixed" || owner == "unclaimed" }

// layouts divides the rows of an instruction that have public bits, in their order.
func layouts(rows []*row) (list []*layout) {
	for _, r := range rows {
		if len(r.one().Fields) == 0 {
			continue
		}
		i := slices.IndexFunc(list, func(l *layout) bool { return l.enc == r.def.Enc })
		if i < 0 {
			i = len(list)
			list = append(list, &layout{enc: r.def.Enc})
		}
		list[i].add(r)
	}
	return list
}

// add merges the bits of a row: a field that some rows hold fixed is still that field.
func (l *layout) add(r *row) {
	bits := bitsOf(r.one().Fields)
	if len(l.rows) == 0 {
		l.bits = bits
	}
	l.rows = append(l.rows, r)
	for i := range max(len(bits), len(l.bits)) {
		switch {
		case i >= len(bits):
		case i >= len(l.bits):
			l.bits = append(l.bits, bits[i])
		case l.bits[i].owner != bits[i].owner:
			if free(l.bits[i].owner) {
				l.bits[i].owner = bits[i].owner
			}
			l.bits[i].value = ' '
		case l.bits[i].value != bits[i].value:
			l.bits[i].value = ' '
		}
	}
	for i := range l.bits {
		if l.bits[i].owner == "fixed" && l.bits[i].value == ' ' { // rows differ in it: the layout has a name for it
			if name := fieldAt(l.enc, i); name != "" {
				l.bits[i].owner = name
			}
		}
	}
}

// fieldAt is the field of an encoding that has a bit, "" if none has.
func fieldAt(e *isa.Encoding, i int) string {
	for k := range e.Fields {
		for _, r := range e.Fields[k].At {
			if i >= int(r.Lo) && i <= int(r.Hi) {
				return e.Fields[k].Name
			}
		}
	}
	return ""
}

// bitsOf are the bits of fields, the lowest first.
func bitsOf(fields []manual.Field) []bit {
	n := 0
	for _, f := range fields {
		n = max(n, f.Hi+1)
	}
	bits := make([]bit, n)
	for _, f := range fields {
		for i := f.Lo; i <= f.Hi; i++ {
			b := bit{f.Owner, ' '}
			if f.Owner == "fixed" || f.Owner == "opcode" {
				b.value = f.Bits[f.Hi-i]
			}
			bits[i] = b
		}
	}
	return bits
}

// encodingBits are the bits of an encoding by itself, without a row.
func encodingBits(e *isa.Encoding) []bit {
	n := e.Bits
	if e.Literal != nil {
		n = max(n, int(e.Literal.At.Hi)+1)
	}
	bits := make([]bit, n)
	for i := range bits {
		bits[i] = bit{"unclaimed", ' '}
		if name := fieldAt(e, i); name != "" {
			bits[i].owner = name
		}
	}
	for _, f := range e.Fixed {
		for i := int(f.At.Lo); i <= int(f.At.Hi); i++ {
			bits[i] = bit{"fixed", '0' + byte(f.Value>>(i-int(f.At.Lo))&1)}
		}
	}
	for _, r := range e.Opcode {
		for i := int(r.Lo); i <= int(r.Hi); i++ {
			bits[i] = bit{"opcode", ' '}
		}
	}
	if e.Literal != nil {
		for i := int(e.Literal.At.Lo); i <= int(e.Literal.At.Hi); i++ {
			bits[i] = bit{"literal", ' '}
		}
	}
	return bits
}

// The measures of a diagram, in pixels: a half of 16 bits is as wide as a phone is.
const (
	half     = 16 // bits of a picture: two stand side by side where there is room
	bitWide  = 22
	boxTop   = 16
	boxTall  = 62
	glyph    = 7 // the width of a letter of a name
	mostDown = 9 // letters of a name that reads downwards
	nameLine = boxTop + 38
)

// A drawer draws the diagrams of one page: what has been drawn before is referred to.
type drawer struct {
	seen map[string]int
}

// draw writes a diagram: halves of 16 bits, the highest first.
func (w *drawer) draw(t *text, title string, bits []bit) {
	if w.seen == nil {
		w.seen = map[string]int{}
	}
	t.f("<div class=bits role=img aria-label=\"%s\">", esc(title+": "+spoken(bits)))
	for hi := (len(bits) - 1) / half * half; hi >= 0; hi -= half {
		part := halfOf(bits, hi)
		id, drawn := w.seen[part]
		switch {
		case drawn:
			t.f("<svg><use href=#b%d /></svg>", id)
		default:
			id = len(w.seen)
			w.seen[part] = id
			t.f("<svg><g id=b%d>%s</g></svg>", id, part)
		}
		if hi%(2*half) == 0 && hi > 0 {
			t.WriteString("<br>")
		}
	}
	t.WriteString("</div>\n")
}

// A run is bits of one owner that stand side by side.
type run struct {
	hi, lo int
	owner  string
}

// runs are those of a layout, the highest first.
func runs(bits []bit) (list []run) {
	for hi := len(bits) - 1; hi >= 0; {
		lo := hi
		for lo > 0 && bits[lo-1].owner == bits[hi].owner {
			lo--
		}
		list = append(list, run{hi, lo, bits[hi].owner})
		hi = lo - 1
	}
	return list
}

// spoken is a diagram in words.
func spoken(bits []bit) string {
	var list []string
	for _, r := range runs(bits) {
		switch {
		case r.owner == "unclaimed":
		case r.hi == r.lo:
			list = append(list, fmt.Sprintf("%s %d", r.owner, r.hi))
		default:
			list = append(list, fmt.Sprintf("%s %d to %d", r.owner, r.hi, r.lo))
		}
	}
	return strings.Join(list, ", ")
}

// halfOf is the picture of 16 bits from lo on: the numbers, the boxes, what they hold, their names.
func halfOf(bits []bit, lo int) string {
	hi := min(lo+half, len(bits)) - 1
	var numbers, values, path, names strings.Builder
	x := func(i int) int { return (half - 1 - (i - lo)) * bitWide } // the left edge of a bit
	fixed := false
	for i := lo + half - 1; i >= lo; i-- {
		if i > hi {
			numbers.WriteString("   ")
			values.WriteString("   ")
			continue
		}
		fmt.Fprintf(&numbers, "%2d ", i%100)
		fmt.Fprintf(&values, " %c ", bits[i].value)
		fixed = fixed || bits[i].value != ' '
	}
	for _, r := range runs(bits) {
		if r.lo > hi || r.hi < lo {
			continue
		}
		in := run{min(r.hi, hi), max(r.lo, lo), r.owner}
		w := (in.hi - in.lo + 1) * bitWide
		box(&path, x(in.hi), w, r.hi > in.hi, r.lo < in.lo)
		if free(r.owner) || r.owner == "opcode" && bits[in.lo].value != ' ' && w < 6*glyph {
			continue
		}
		label(&names, r, in, x(in.hi), w)
	}
	s := fmt.Sprintf("<text class=n y=11 textLength=352>%s</text><path d=\"%s\"/>", strings.TrimRight(numbers.String(), " ")+" ", path.String())
	if fixed {
		s += fmt.Sprintf("<text class=v y=31 textLength=352>%s</text>", values.String())
	}
	return s + names.String()
}

// box draws a box, which is open where its field goes on in another half.
func box(path *strings.Builder, x, w int, openLeft, openRight bool) {
	switch {
	case openLeft && openRight:
		fmt.Fprintf(path, "M%d %dh%dm-%d %dh%d", x, boxTop, w, w, boxTall, w)
	case openLeft:
		fmt.Fprintf(path, "M%d %dh%dv%dh-%d", x, boxTop, w, boxTall, w)
	case openRight:
		fmt.Fprintf(path, "M%d %dh-%dv%dh%d", x+w, boxTop, w, boxTall, w)
	default:
		fmt.Fprintf(path, "M%d %dh%dv%dh-%dz", x, boxTop, w, boxTall, w)
	}
}

// label writes the name of a field: along the box, downwards in a narrow one, the two words of a name on two lines. Of a field in both halves of a word the wider
// part has it, and the other has it where halves stand one below the other.
func label(names *strings.Builder, whole, in run, x, w int) {
	class := ""
	if part, all := in.hi-in.lo+1, whole.hi-whole.lo+1; (2*part < all || 2*part == all && in.hi != whole.hi) && whole.hi/32 == whole.lo/32 {
		class = "o"
	}
	mid, high := x+w/2, boxTop+boxTall/2
	words := []string{in.owner}
	if len(in.owner)*glyph > w {
		words = strings.SplitN(in.owner, " ", 2)
	}
	longest := 0
	for _, s := range words {
		longest = max(longest, len(s))
	}
	down := longest*glyph > w
	for i, s := range words {
		off := 0
		if len(words) == 2 {
			off = 12*i - 6
		}
		switch {
		case down:
			long := ""
			if len(s) > mostDown {
				long = fmt.Sprintf(" textLength=%d lengthAdjust=spacingAndGlyphs", boxTall-6)
			}
			fmt.Fprintf(names, "<text%s x=%d y=%d%s>%s</text>", classOf(strings.TrimSpace("d "+class)), mid-off*5/6, high, long, esc(s))
		default:
			fmt.Fprintf(names, "<text%s x=%d y=%d>%s</text>", classOf(class), mid, nameLine+off, esc(s))
		}
	}
}

// classOf is the attribute of classes.
func classOf(class string) string {
	switch {
	case class == "":
		return ""
	case strings.Contains(class, " "):
		return ` class="` + class + `"`
	}
	return " class=" + class
}
