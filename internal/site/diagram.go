package site

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
)

// A bit is the owner of a bit of a layout, and its value: '0', '1', or ' ' if it varies between words.
type bit struct {
	owner string
	value byte
}

// A layout is rows of one name with the same encoding, which share a bit diagram.
type layout struct {
	enc  *isa.Encoding
	rows []*row
	bits []bit
}

// free reports whether an owner is less specific than another row's name for the same bit.
func free(owner string) bool { return owner == "fixed" || owner == "unclaimed" }

// layouts groups the rows of an instruction with public bits by layout, in order.
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

// add merges the bits of a row: a field that is fixed in some rows remains that field.
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
		if l.bits[i].owner == "fixed" && l.bits[i].value == ' ' { // it differs between rows: the layout names it
			if name := fieldAt(l.enc, i); name != "" {
				l.bits[i].owner = name
			}
		}
	}
}

// fieldAt returns the field of an encoding that contains a bit, "" if none does.
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

// bitsOf returns the bits of fields, lowest first.
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

// encodingBits returns the bits of an encoding, independent of a row.
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

// The measures of a diagram, in pixels: a half of 16 bits is as wide as a phone. The lines for texts are those of
// site.css.
const (
	half     = 16 // bits of a picture: two are side by side if there is room
	bitWide  = 22
	boxTop   = 16
	boxTall  = 62
	rowTall  = 84 // including the gap between rows
	glyph    = 7  // width of a letter of a name
	mostDown = 9  // letters of a vertical name
)

// draw writes a diagram: halves of 16 bits, highest first.
func (t *text) draw(title string, bits []bit) {
	t.f("<div class=bits role=img aria-label=\"%s\">", esc(title))
	for lo := (len(bits) - 1) / half * half; lo >= 0; lo -= half {
		t.f("<svg><image href=%s%s />%s</svg>", t.root, t.s.ruler(lo, min(half, len(bits)-lo)), halfOf(bits, lo))
		if lo%(2*half) == 0 && lo > 0 {
			t.WriteString("<br>")
		}
	}
	t.WriteString("</div>\n")
}

// pictures are diagrams in files of their own, which the pages of instructions share.
type pictures struct {
	index
	uses map[string]int // number of equal diagrams
}

// open returns the bits of a layout with the opcode blank: many instructions share that picture.
func open(bits []bit) []bit {
	bits = slices.Clone(bits)
	for i := range bits {
		if bits[i].owner == "opcode" {
			bits[i].value = ' '
		}
	}
	return bits
}

// halvesOf returns the halves of a diagram, highest first, two per row.
func halvesOf(bits []bit) string {
	var b strings.Builder
	n := (len(bits) + half - 1) / half
	for i := range n {
		lo := (n - 1 - i) * half
		at := i + n%2 // in words of two halves
		if n == 1 {
			at = 0
		}
		fmt.Fprintf(&b, "<g class=s%d transform=\"translate(%d,%d)\">%s%s</g>", i, at%2*half*bitWide, at/2*rowTall, numbersOf(lo, min(half, len(bits)-lo)), halfOf(bits, lo))
	}
	return b.String()
}

// count counts the diagrams of an instruction.
func (p *pictures) count(in *instruction) {
	for _, l := range layouts(in.rows) {
		p.uses[halvesOf(open(l.bits))]++
	}
}

// show writes a diagram: as a shared picture if other diagrams are equal except for the opcode, else inline.
func (p *pictures) show(t *text, title string, bits []bit) {
	key := halvesOf(open(bits))
	if p.uses[key] < 2 {
		t.draw(title, bits)
		return
	}
	n := p.at(key)
	n.file = fmt.Sprintf("b%d.svg", slices.Index(p.list, n))
	words := (len(bits) + half - 1) / half
	if words > 1 {
		words += words % 2
	}
	t.f("<img class=w%d src=%s alt=Bits>\n", words, n.file) // the heading before it names them
}

// pictureStyle repeats the rules of site.css for diagrams, for pictures in files: black, which the page inverts in its
// dark theme.
const pictureStyle = `path{fill:none;stroke:#57606a}text{font:12px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;transform:translateY(54px)}.p{transform:translateY(48px)}` +
	`.q{transform:translateY(62px)}.n,.v{white-space:pre;text-anchor:start;transform:translateY(31px)}.n{fill:#57606a;font-size:11px;transform:translateY(11px)}` +
	`.d{writing-mode:vertical-rl;font-size:10px;transform:translateY(47px)}.o{visibility:hidden}`

// picture returns a file with the halves of a diagram. If the picture is only as wide as one half, they are one below
// the other.
func picture(halves string) []byte {
	style := pictureStyle + "@media(max-width:400px){.o{visibility:visible}"
	for i := range strings.Count(halves, "<g ") {
		style += fmt.Sprintf(".s%d{transform:translateY(%dpx)}", i, i*rowTall)
	}
	return []byte(`<svg xmlns="http://www.w3.org/2000/svg"><style>` + style + "}</style>" + xmlAttributes().ReplaceAllString(halves, `$1="$2"`) + "</svg>\n")
}

// xmlAttributes matches attributes without quotes, which XML does not allow.
var xmlAttributes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(class|x|textLength|lengthAdjust)=(\w+)`) })

// ruler returns the name of the file with the numbers of n bits from lo on, and records that it is needed.
func (s *site) ruler(lo, n int) string {
	name := fmt.Sprintf("n%d-%d.svg", lo, n)
	if _, is := s.rulers[name]; !is {
		s.rulers[name] = []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="352" height="14"><style>text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;` +
			`white-space:pre;fill:#71797f;transform:translateY(11px)}</style>` + xmlAttributes().ReplaceAllString(numbersOf(lo, n), `$1="$2"`) + "</svg>\n")
	}
	return name
}

// A run is consecutive bits of one owner.
type run struct {
	hi, lo int
	owner  string
}

// runs returns the runs of a layout, highest first.
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

// spoken returns a diagram in words.
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

// numbersOf returns the numbers of n bits from lo on.
func numbersOf(lo, n int) string {
	var b strings.Builder
	for i := lo + n - 1; i >= lo; i-- {
		fmt.Fprintf(&b, "%2d ", i%100)
	}
	return fmt.Sprintf("<text class=n x=%d textLength=%d>%s</text>", edgeOf(lo+n-1, lo), n*bitWide, b.String())
}

// edgeOf returns the left edge of a bit in the half that starts at bit lo.
func edgeOf(bit, lo int) int { return (half - 1 - (bit - lo)) * bitWide }

// halfOf returns the picture of 16 bits from lo on: the boxes, their values and names. A field that continues in
// another half has no line at that edge.
func halfOf(bits []bit, lo int) string {
	hi := min(lo+half, len(bits)) - 1
	var path, names strings.Builder
	fmt.Fprintf(&path, "M%d %dh%dm0 %dh-%d", edgeOf(hi, lo), boxTop, (hi-lo+1)*bitWide, boxTall, (hi-lo+1)*bitWide)
	for _, r := range runs(bits) {
		if r.lo > hi || r.hi < lo {
			continue
		}
		in := run{min(r.hi, hi), max(r.lo, lo), r.owner}
		if r.hi == in.hi {
			fmt.Fprintf(&path, "M%d %dv%d", edgeOf(in.hi, lo), boxTop, boxTall)
		}
		if in.lo%(2*half) == 0 {
			fmt.Fprintf(&path, "M%d %dv%d", half*bitWide, boxTop, boxTall)
		}
		w := (in.hi - in.lo + 1) * bitWide
		if free(r.owner) || r.owner == "opcode" && bits[in.lo].value != ' ' && w < 6*glyph {
			continue
		}
		label(&names, r, in, edgeOf(in.hi, lo), w)
	}
	return "<path d=\"" + path.String() + "\"/>" + valuesOf(bits, lo, hi) + names.String()
}

// valuesOf returns the values of the fixed bits of a half.
func valuesOf(bits []bit, lo, hi int) string {
	for hi >= lo && bits[hi].value == ' ' {
		hi--
	}
	if hi < lo {
		return ""
	}
	for bits[lo].value == ' ' {
		lo++
	}
	var b strings.Builder
	for i := hi; i >= lo; i-- {
		fmt.Fprintf(&b, " %c ", bits[i].value)
	}
	return fmt.Sprintf("<text class=v x=%d textLength=%d>%s</text>", edgeOf(hi, lo/half*half), (hi-lo+1)*bitWide, b.String())
}

// label writes the name of a field: along the box, vertically in a narrow one, a name of two words on two lines. If a
// field spans both halves of a word, the wider part has the name; the other part has it only in layouts with halves one
// below the other.
func label(names *strings.Builder, whole, in run, x, w int) {
	class := ""
	if part, all := in.hi-in.lo+1, whole.hi-whole.lo+1; (2*part < all || 2*part == all && in.hi != whole.hi) && whole.hi/32 == whole.lo/32 {
		class = "o"
	}
	mid := x + w/2
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
		first, second := "", ""
		if len(words) == 2 { // on two lines
			first, second = "p", "q"
		}
		if i == 1 {
			first = second
		}
		switch {
		case down:
			at, long := mid, ""
			if len(words) == 2 {
				at += 5 - 10*i
			}
			if len(s) > mostDown {
				long = fmt.Sprintf(" textLength=%d lengthAdjust=spacingAndGlyphs", boxTall-6)
			}
			fmt.Fprintf(names, "<text%s x=%d%s>%s</text>", classOf(strings.TrimSpace("d "+class)), at, long, esc(s))
		default:
			fmt.Fprintf(names, "<text%s x=%d>%s</text>", classOf(strings.TrimSpace(first+" "+class)), mid, esc(s))
		}
	}
}

// classOf returns the class attribute.
func classOf(class string) string {
	switch {
	case class == "":
		return ""
	case strings.Contains(class, " "):
		return ` class="` + class + `"`
	}
	return " class=" + class
}
