package group

import (
	"slices"

	"github.com/heddle-gpu/heddle/bits"
)

// A Field is the position of a source or result in a map: its bank, and its number there.
type Field struct{ Bank, Number bits.Ranges }

// A Map is a variant of a source or destination map.
type Map struct {
	Fields   []Field
	Selector bits.Ranges // the selector of IS0; none: it has no selector

	decode   [][16]uint64 // see Decode
	before   [4][]uint64  // bits that are 0 if a map that is tried earlier, for this number of operands, has room
	width    [3][2]uint8  // bits of bank and number
	selector uint8        // bits of the selector
}

// A Mapper is what isa.Def.Data is: it has the map of the row, or nil.
type Mapper interface{ GroupMap() *Map }

// Operands are the contents of a map: each register in operandBits bits, then the code of the selector.
type Operands uint64

// An Operand is a register as a map has it, its bank above its number. 0 is the constant 0.
type Operand uint16

const (
	operandBits   = 16
	bankShift     = 11
	selectorShift = 3 * operandBits
)

// OperandOf is the operand of a register. No map holds that of a number that is too large.
func OperandOf(bank uint8, number uint16) Operand {
	if number>>bankShift != 0 {
		return 1<<operandBits - 1
	}
	return Operand(bank)<<bankShift | Operand(number)
}

// Bank is the bank of the register.
func (x Operand) Bank() uint8 { return uint8(x >> bankShift) }

// Number is the number of the register in its bank.
func (x Operand) Number() uint16 { return uint16(x & (1<<bankShift - 1)) }

// At is operand i; 0 for what the map lacks.
func (o Operands) At(i int) Operand { return Operand(o >> (operandBits * i & 63)) }

// Selector is the code of the selector.
func (o Operands) Selector() uint8 { return uint8(o >> selectorShift & 7) }

// Decode decodes the word of a map, four bits at a time.
func (m *Map) Decode(w uint64) (o Operands) {
	if len(m.decode) == 2 { // the shortest maps of all classes are alike
		return Operands(w&63 | w>>6&1<<bankShift)
	}
	v := uint64(0)
	for i := range m.decode {
		v |= m.decode[i][w&15]
		w >>= 4
	}
	return Operands(v)
}

// Holds reports whether a variant has room for operands and the code of the selector.
func (m *Map) Holds(list []Operand, selector uint64) bool {
	if len(list) > len(m.Fields) || selector>>m.selector != 0 {
		return false
	}
	for i, x := range list {
		if w := &m.width[i]; x.Bank()>>w[0] != 0 || x.Number()>>w[1] != 0 {
			return false
		}
	}
	return true
}

// Encode puts operands and the code of the selector, which it holds, into a word.
func (m *Map) Encode(w bits.Word, list []Operand, selector uint64) bits.Word {
	for i, x := range list {
		f := &m.Fields[i]
		w = f.Number.Put(f.Bank.Put(w, uint64(x.Bank())), uint64(x.Number()))
	}
	if len(m.Selector) > 0 {
		w = m.Selector.Put(w, selector)
	}
	return w
}

// Longer reports whether the map is not the first that has room for its operands, of which the text names n.
func (m *Map) Longer(n int, w uint64) bool {
	if n > len(m.Fields) {
		return true
	}
	for _, far := range m.before[n&3] {
		if w&far == 0 {
			return true
		}
	}
	return false
}

// A cut is a run of bits in a word, and its position in a value.
type cut struct {
	from, to uint8
	mask     uint64
}

// cutsOf appends the runs of bits at, whose values begin at bit `to`.
func cutsOf(cuts []cut, at bits.Ranges, to int) []cut {
	for _, r := range at {
		cuts = append(cuts, cut{r.Lo, uint8(to), 1<<r.Len() - 1})
		to += r.Len()
	}
	return cuts
}

// Prepare prepares the map of `size` bytes: the value of each four bits, and the maps that are tried earlier.
func (m *Map) Prepare(size int, before []*Map) {
	var cuts []cut
	for j, f := range m.Fields {
		cuts = cutsOf(cutsOf(cuts, f.Number, operandBits*j), f.Bank, operandBits*j+bankShift)
		m.width[j] = [2]uint8{uint8(f.Bank.Len()), uint8(f.Number.Len())}
	}
	m.selector = uint8(m.Selector.Len())
	cuts = cutsOf(cuts, m.Selector, selectorShift)
	m.decode = make([][16]uint64, 2*size)
	for i := range m.decode {
		for x := range m.decode[i] {
			w := uint64(x) << (4 * i)
			for _, c := range cuts {
				m.decode[i][x] |= w >> c.from & c.mask << c.to
			}
		}
	}
	for _, e := range before {
		far := beyond(m.Selector, int(e.selector))
		for j := range min(len(e.Fields), len(m.Fields)) {
			far |= beyond(m.Fields[j].Bank, int(e.width[j][0])) | beyond(m.Fields[j].Number, int(e.width[j][1]))
		}
		for n := range min(len(e.Fields), len(m.before)-1) + 1 {
			m.before[n] = leastOf(m.before[n], far)
		}
	}
}

// leastOf adds a mask, and drops masks that contain all bits of another: if their bits are 0, so are those of the
// other.
func leastOf(masks []uint64, mask uint64) []uint64 {
	for _, x := range masks {
		if x&^mask == 0 {
			return masks
		}
	}
	return append(slices.DeleteFunc(masks, func(x uint64) bool { return mask&^x == 0 }), mask)
}

// beyond is the bits of a word that a value has beyond width.
func beyond(at bits.Ranges, width int) uint64 {
	if width >= at.Len() {
		return 0
	}
	return at.Put(bits.Word{}, 1<<at.Len()-1<<width).Lo
}
