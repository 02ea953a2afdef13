package rogue

import (
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// Sums of products have an opcode and no public layout: the bits here are private. docs/reference/rogue.md 5.10.

// Operations between products.
const sopOps = "add sub min max rsub"

// A filler allocates the bits of a layout, from bit 0 on.
type filler struct{ next int }

func (f *filler) take(n int) bits.Ranges {
	f.next += n
	return bits.Ranges{bits.Span(f.next-n, f.next-1)}
}

// part is a part of n bits after an operand.
func (f *filler) part(name string, n int, k *isa.Kind) isa.Part {
	return isa.Part{Name: name, At: f.take(n), Kind: k, Side: isa.After}
}

// chosen is the source selector of an operand: any source, and z or 0 if more lists them.
func chosen(more ...uint64) *isa.Kind {
	texts := map[uint64]string{pickZ: "z", pickZero: "0"}
	k := pick("a source")
	text := k.Text
	k.Reserved = []bool{pickZ: true, pickZero: true}
	for _, v := range more {
		k.Reserved[v] = false
		k.Name += " or " + texts[v]
	}
	k.Text = func(p isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
		if v >= pickZ {
			return append(dst, texts[v]...)
		}
		return text(p, dst, in, a, v)
	}
	what := k.Name
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		w := s.Word()
		base, _, _ := strings.Cut(w, ".")
		if len(base) == 2 && base[0]|0x20 == 's' && base[1] >= '0' && base[1] <= '5' {
			s.Pos += 2
			return uint64(base[1] - '0'), true
		}
		for _, v := range more {
			if base == texts[v] {
				s.Pos++
				return v, true
			}
		}
		return 0, s.Expect(what)
	}
	return k
}

// elements are the texts of the element that an operand reads from its word.
func elements(texts string, read map[string]uint64) *isa.Kind {
	k := dotted("an element", texts)
	for text, v := range read {
		also(k, v, text)
	}
	return k
}

// A family is a form of sums of products: its mnemonic, and the modifiers of its operands.
type family struct {
	name     string
	elements *isa.Kind
	width    int // of the element's field, in bits
	first    []string
	second   []string
	third    []string
}

// families by index.
const (
	sopF16 = iota
	sopMad
	sopU8
	sopU8Mad
)

func families() [4]family {
	halves := map[string]uint64{".f16.e0": 1, ".f16.e1": 2}
	bytes := map[string]uint64{".e0": 4, ".e1": 5, ".e2": 6, ".e3": 7}
	any16 := elements("- e0 e1 ? u8.e0 u8.e1 u8.e2 u8.e3", halves)
	any8 := elements("- f16.e0 f16.e1 ? u8.e0 u8.e1 u8.e2 u8.e3", bytes)
	factor, addend := []string{"neg", "abs", "flr"}, []string{"neg", "clamp", "abs", "flr"}
	second := []string{"oneminus", "clamp", "abs"}
	return [4]family{
		sopF16:   {"f16sop", elements("- e0 e1 ?", halves), 2, []string{"neg"}, []string{"oneminus"}, nil},
		sopMad:   {"f16sop.mad", any16, 3, factor, second, addend},
		sopU8:    {"f16sop.u8", any8, 3, []string{"neg", "clamp", "abs"}, second, nil},
		sopU8Mad: {"f16sop.u8mad", any8, 3, factor, second, addend},
	}
}

// operand is an operand with the modifiers in can.
func (m *family) operand(f *filler, name string, k *isa.Kind, can []string) isa.Arg {
	a := isa.Arg{Name: name, Kind: k, At: f.take(3), AnyOrder: true}
	a.Parts = append(a.Parts, f.part("element", m.width, m.elements))
	for _, text := range can {
		a.Parts = append(a.Parts, f.part(text, 1, flag(text)))
	}
	return a
}

// product is two operands that are multiplied.
func (m *family) product(f *filler, a, b string) []isa.Arg {
	return []isa.Arg{m.operand(f, a, chosen(), m.first), m.operand(f, b, chosen(pickZ, pickZero), m.second)}
}

// result is a result with its parts.
func sopResult(name, text string, parts ...isa.Part) isa.Arg {
	a := word(text)
	a.Name, a.Parts, a.AnyOrder = name, parts, true
	return a
}

// outKind is the value that a result gets: jout j, a, b, or kout k, c, d.
func outKind(prefix, letters string) *isa.Kind {
	k := dotted("a result", prefix+letters[:1]+" "+prefix+letters[1:2]+" "+prefix+letters[2:]+" ?")
	also(k, outSum, "."+prefix, "."+prefix+letters[:1]+"c")
	return k
}

// sopRows are the sums of products. docs/reference/rogue.md 5.10.
func sopRows() (rows []row) {
	for i, m := range families() {
		for _, mov := range [...]bool{false, true} {
			var r []row
			switch i {
			case sopF16, sopU8:
				r = m.twoSums(i == sopU8, mov)
			default:
				r = m.fourSums(i == sopU8Mad, mov)
			}
			rows = append(rows, r...)
		}
	}
	return append(rows, sopMoves()...)
}

// row is a row of the family; mov is the source that is moved into w1, -1 if there is none.
func (m *family) row(doc string, mov int, args []isa.Arg, mean isa.Meaning) row {
	r := row{name: m.name, entry: upper(m.name), classes: firstOnly, layout: layout{m.name, 16}, args: args, sop: shapeOf(args), reads: writeW0, mean: mean, private: true, doc: doc, ref: "5.10", options: []string{choiceSOP, choiceRounding}}
	if r.sop.moves = int8(mov); mov >= 0 {
		r.reads |= writeW1
		r.doc += "; w1 = a source"
	}
	return r
}

// sopMove is the result and the source of the move beside a sum.
func sopMove(mov bool, source isa.Arg) (to, from isa.Arg) {
	if !mov {
		return isa.Arg{Name: "mov", Kind: fixed("_"), At: bits.Ranges{}}, isa.Arg{Name: "movsrc", Kind: fixed("_"), At: bits.Ranges{}}
	}
	return word("w1"), source
}

// moving is the source of the move, -1 if there is none.
func moving(mov bool, source int) int {
	if mov {
		return source
	}
	return -1
}

// twoSums are j = a*e op b*f and k = c*g op d*h.
func (m *family) twoSums(bytes, mov bool) (rows []row) {
	const doc = "j = a*e op b*f, k = c*g op d*h"
	for _, packed := range [...]bool{false, true} {
		if !packed && (bytes || mov) {
			continue
		}
		var f filler
		var args []isa.Arg
		to, from := sopMove(mov, source(group.FirstUpper))
		j, k := f.part("out", 2, outKind("jout", "jab")), f.part("out", 2, outKind("kout", "kcd"))
		switch {
		case bytes:
			lanes := byteMask()
			args = []isa.Arg{suffix(nameZAbs, f.take(1), flag("zabs")), suffix(nameZClamp, f.take(1), flag("zclamp")),
				sopResult("j", "w0", f.part("element", 5, lanes), j), sopResult("k", "w0", f.part("element", 5, lanes), k), to}
		case packed:
			half := elements("e0 e1", map[string]uint64{".f16.e0": 0, ".f16.e1": 1})
			args = []isa.Arg{sopResult("j", "w0", f.part("element", 1, half), j), sopResult("k", "w0", f.part("element", 1, half), k), to}
			args[1].Parts[0].Default = 1
		default:
			args = []isa.Arg{sopResult("j", "w0", j), sopResult("k", "w1", k), to}
		}
		args = append(args, m.product(&f, "a", "e")...)
		args = append(append(args, operand(nameJop, f.take(3), words("an operation", append(strings.Fields(sopOps), none, none, none)...))), m.product(&f, "b", "f")...)
		args = append(args, m.product(&f, "c", "g")...)
		args = append(append(args, operand(nameKop, f.take(3), words("an operation", append(strings.Fields(sopOps), none, none, none)...))), m.product(&f, "d", "h")...)
		r := m.row(doc, moving(mov, group.FirstUpper), append(args, from), isa.Effect(sopTwo))
		r.sop.bytes = bytes
		switch {
		case bytes:
			r.check, r.bars = someElement, everyNowhere
		case packed:
			r.check, r.bars = twoHalves, oneHalf
		default:
			r.reads |= writeW1
		}
		rows = append(rows, r)
	}
	return rows
}

// byteMask is the bytes or halves of a word that a result is written to, all the same.
func byteMask() *isa.Kind {
	texts := make([]string, 32)
	for v := range texts {
		lanes, form := 4, ".u8"
		if v >= 16 {
			lanes, form = 2, ".f16"
		}
		texts[v] = form
		for e := range lanes {
			if v>>e&1 != 0 {
				texts[v] += ".e" + string(rune('0'+e))
			}
		}
		if v&15 == 0 || v >= 16+4 {
			texts[v] = none
		}
	}
	k := words("elements of a result", texts...)
	for v := 1; v < 16; v++ {
		also(k, uint64(v), strings.TrimPrefix(texts[v], ".u8"))
	}
	return k
}

// someElement rejects a result without an element to write to.
func someElement(in *isa.Inst) string {
	for i := range info(in).sop.results {
		if r := &info(in).sop.results[i]; r.get(in, partElement) == 0 {
			return whyElement
		}
	}
	return ""
}

const (
	whyElement = "results of sums of products of bytes say to which elements they go: .u8.e0 to .u8.e3, .f16.e0, .f16.e1"
	whyHalves  = "the two results go to different halves of w0"
)

// everyNowhere is someElement as data.
func everyNowhere(d *isa.Def) (list []isa.Forbidden) {
	x := d.Data.(*row).sop
	for i := range x.results {
		list = append(list, isa.Forbidden{If: []isa.FieldIn{{At: x.results[i].at(d, partElement), Values: []uint64{0}}}, Why: whyElement})
	}
	return list
}

// oneHalf is twoHalves as data.
func oneHalf(d *isa.Def) []isa.Forbidden {
	to := d.Data.(*row).sop.results
	at := several(to[0].at(d, partElement), to[1].at(d, partElement)) // one bit each
	return []isa.Forbidden{{If: []isa.FieldIn{{At: at, Values: []uint64{0b00, 0b11}}}, Why: whyHalves}}
}

// twoHalves rejects two sums that write the same half of their word.
func twoHalves(in *isa.Inst) string {
	if to := info(in).sop.results; to[0].get(in, partElement) == to[1].get(in, partElement) {
		return whyHalves
	}
	return ""
}

// fourSums are four products with an addend each, written to the halves of w0 and w1, or to the bytes of w0.
func (m *family) fourSums(bytes, mov bool) []row {
	if !bytes && mov {
		return nil
	}
	var f filler
	var args []isa.Arg
	to, from := sopMove(mov, source(0))
	for i := range 4 {
		text, n, width, kind := "w"+string(rune('0'+i/2)), i%2, 1, elements("e0 e1", map[string]uint64{".f16.e0": 0, ".f16.e1": 1})
		if bytes {
			text, n, width, kind = "w0", i, 2, elements("u8.e0 u8.e1 u8.e2 u8.e3", map[string]uint64{".e0": 0, ".e1": 1, ".e2": 2, ".e3": 3})
		}
		kind.Reserved = make([]bool, 1<<width) // results are written to the elements in order
		for v := range kind.Reserved {
			kind.Reserved[v] = v != n
		}
		r := sopResult("to"+string(rune('0'+i)), text, f.part("element", width, kind), f.part("clamp", 1, flag("clamp")))
		r.Parts[0].Default = uint64(n)
		args = append(args, r)
	}
	if bytes {
		args = append(args, to)
	}
	for _, x := range [...][3]string{{"a", "e", "v"}, {"c", "g", "w"}, {"b", "f", "x"}, {"d", "h", "y"}} {
		args = append(append(args, m.product(&f, x[0], x[1])...), m.operand(&f, x[2], chosen(pickZero), m.third))
	}
	if bytes {
		args = append(args, from)
	}
	r := m.row("four sums a*e + v, in order", moving(mov, 0), args, isa.Effect(sopFour))
	r.sop.bytes = bytes
	if !bytes {
		r.reads |= writeW1
	}
	return []row{r}
}

// sopMoves are the moves that belong to sums of products.
func sopMoves() []row {
	second := []uint8{group.Move}
	base := row{name: "sopmov", entry: "SOPMOV", classes: second, layout: layout{"sopmov", 1}, private: true, ref: "5.10"}
	mov, idle, bytes, mad := base, base, base, base
	mov.args, mov.uses, mov.reads, mov.doc = []isa.Arg{word("w1"), source(group.FirstUpper)}, 1<<group.FirstUpper, writeW1, "w1 = s3"
	mov.mean, idle.mean, bytes.mean, mad.mean = moveAside(group.FirstUpper), isa.Effect(nothing), moveBoth(group.FirstUpper), moveAside(0)
	idle.args, idle.doc = []isa.Arg{isa.Arg{Name: "mov", Kind: fixed("_"), At: bits.Ranges{}}, isa.Arg{Name: "movsrc", Kind: fixed("_"), At: bits.Ranges{}}}, "nothing"
	bytes.name, bytes.entry, bytes.classes = "sopmov.u8", "SOPMOV.U8", firstOnly
	bytes.args = []isa.Arg{suffix(nameZAbs, bit(0, 0), flag("zabs")), suffix(nameZClamp, bit(0, 1), flag("zclamp")), word("w0"), word("w1"), source(group.FirstUpper)}
	bytes.uses, bytes.reads, bytes.doc = 1<<group.FirstUpper, writeW0|writeW1, "w0 = s3, w1 = s3"
	mad.name, mad.entry = "sopu8madmov", "SOPU8MADMOV"
	mad.args, mad.uses, mad.reads, mad.doc = []isa.Arg{word("w1"), source(0)}, 1, writeW1, "w1 = s0"
	return []row{mov, idle, bytes, mad}
}
