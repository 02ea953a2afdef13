package meaning

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A Kind says how a run of bits is interpreted.
type Kind uint8

// The kinds of numbers.
const (
	Unknown  Kind = iota // copied: no interpretation is known
	Float                // an IEEE number that fills it
	Signed               // a two's complement number
	Unsigned             // a number without a sign
	Integer              // either: the operation is the same for both
	Mask                 // one bit per lane, or a condition
)

// A Field is a number within a value: so many bits from bit At up. At is negative in a cell with the rest of a number
// that begins in the previous cell; a field that is longer than its cell continues in the next one.
type Field struct {
	At, Bits int
	Kind     Kind
}

// A Format is the numbers of a value, lowest first. Bits in no field are copied.
type Format []Field

// one returns a format of one number.
func one(bits int, k Kind) Format { return Format{{0, bits, k}} }

// ofType returns the format that a type implies: for floats, packed floats and conditions.
func ofType(t ir.Type) (f Format) {
	if t == ir.I1 {
		return one(1, Mask)
	}
	if !t.Elem().IsFloat() {
		return nil
	}
	return each(t, Float)
}

// each returns the format of a value whose elements are all of one kind.
func each(t ir.Type, k Kind) (f Format) {
	n := t.Elem().Bits()
	for i := range t.Elems() {
		f = append(f, Field{i * n, n, k})
	}
	return f
}

// Move returns the format with all fields moved up by so many bits.
func (f Format) Move(by int) (to Format) {
	for _, x := range f {
		x.At += by
		to = append(to, x)
	}
	return to
}

// Cut returns the part of a format in bits lo to lo+n-1, which become 0 to n-1.
func (f Format) Cut(lo, n int) (to Format) {
	for _, x := range f.Move(-lo) {
		if x.At < n && x.At+x.Bits > 0 {
			to = append(to, x)
		}
	}
	return to
}

// without returns the format without the fields that overlap n bits from lo on.
func (f Format) without(lo, n int) (to Format) {
	for _, x := range f {
		if x.At >= lo+n || x.At+x.Bits <= lo {
			to = append(to, x)
		}
	}
	return to
}

// Join returns the format of a register of several cells, each so many bits wide. A number that spans several cells
// must be in the formats of all of them.
func Join(cells []Format, width int) (f Format) {
	for i, c := range cells {
		for _, x := range c.Move(i * width) {
			if x.At < 0 || x.At+x.Bits > len(cells)*width {
				continue // it is not in the register as a whole
			}
			if !slices.Contains(f, x) && within(cells, x, width) {
				f = append(f, x)
			}
		}
	}
	slices.SortStableFunc(f, func(a, b Field) int { return a.At - b.At })
	return f
}

// within reports whether the formats of all cells that a number spans have it.
func within(cells []Format, x Field, width int) bool {
	for i := x.At / width; i*width < x.At+x.Bits; i++ {
		if !slices.Contains(cells[i].Move(i*width), x) {
			return false
		}
	}
	return true
}

// Whole returns the kind of the only field of a format, if that fills so many bits.
func (f Format) Whole(bits int) (Kind, bool) {
	if len(f) == 1 && f[0].At == 0 && f[0].Bits == bits {
		return f[0].Kind, true
	}
	return Unknown, false
}

// Floats reports whether all known fields are floats.
func (f Format) Floats() bool {
	return len(f) > 0 && !slices.ContainsFunc(f, func(x Field) bool { return x.Kind != Float })
}
