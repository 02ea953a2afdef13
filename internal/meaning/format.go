package meaning

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A Kind says as what a run of bits is meant.
type Kind uint8

// The kinds of numbers.
const (
	Unknown  Kind = iota // copied as it is: nothing says
	Float                // an IEEE number as wide as it is
	Signed               // a two's complement number
	Unsigned             // a number without a sign
	Integer              // either: what was done is the same for both
	Mask                 // a bit a lane, or a condition
)

// A Field is a number within a value: so many bits from bit At up. At is negative in a cell that holds the rest of a number which begins in the cell before;
// a field that is longer than its cell goes on in the next one.
type Field struct {
	At, Bits int
	Kind     Kind
}

// A Format is the numbers of a value, lowest first. What it does not name is copied bits.
type Format []Field

// one is a format of one number.
func one(bits int, k Kind) Format { return Format{{0, bits, k}} }

// ofType is the format of a value of a type, if the type alone says: floats, packed ones and conditions.
func ofType(t ir.Type) (f Format) {
	if t == ir.I1 {
		return one(1, Mask)
	}
	if !t.Elem().IsFloat() {
		return nil
	}
	return each(t, Float)
}

// each is the format of a value whose elements are of one kind.
func each(t ir.Type, k Kind) (f Format) {
	n := t.Elem().Bits()
	for i := range t.Elems() {
		f = append(f, Field{i * n, n, k})
	}
	return f
}

// Move is the format with all fields so many bits further up.
func (f Format) Move(by int) (to Format) {
	for _, x := range f {
		x.At += by
		to = append(to, x)
	}
	return to
}

// Cut is what is left of a format of bits lo to lo+n-1, which become 0 to n-1.
func (f Format) Cut(lo, n int) (to Format) {
	for _, x := range f.Move(-lo) {
		if x.At < n && x.At+x.Bits > 0 {
			to = append(to, x)
		}
	}
	return to
}

// without is the format but for fields that share one of n bits from lo on.
func (f Format) without(lo, n int) (to Format) {
	for _, x := range f {
		if x.At >= lo+n || x.At+x.Bits <= lo {
			to = append(to, x)
		}
	}
	return to
}

// Join is the format of a register of several cells, each so many bits wide. Of a number that goes through several cells each has to know.
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

// within is whether all cells that a number goes through name it.
func within(cells []Format, x Field, width int) bool {
	for i := x.At / width; i*width < x.At+x.Bits; i++ {
		if !slices.Contains(cells[i].Move(i*width), x) {
			return false
		}
	}
	return true
}

// Whole is the only field of a format, if that fills so many bits.
func (f Format) Whole(bits int) (Kind, bool) {
	if len(f) == 1 && f[0].At == 0 && f[0].Bits == bits {
		return f[0].Kind, true
	}
	return Unknown, false
}

// Floats is whether all there is known of are floats.
func (f Format) Floats() bool {
	return len(f) > 0 && !slices.ContainsFunc(f, func(x Field) bool { return x.Kind != Float })
}
