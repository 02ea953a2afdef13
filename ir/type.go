package ir

// Type is the element type of a value, which is per lane or per wave.
type Type uint8

// The element types. Packed types fill 32 bits, lowest element in the lowest bits.
const (
	NoType Type = iota
	I1          // a condition; a varying one is a lane mask
	I8
	I16
	I32
	I64
	F16
	F32
	F64
	V2I16
	V2F16
	V4I8
	numTypes
)

var typeInfo = [numTypes]struct {
	name  string
	bits  uint8
	class byte // 'i', 'f' or 'p' (packed)
}{
	NoType: {"none", 0, 0},
	I1:     {"i1", 1, 'i'}, I8: {"i8", 8, 'i'}, I16: {"i16", 16, 'i'}, I32: {"i32", 32, 'i'}, I64: {"i64", 64, 'i'},
	F16: {"f16", 16, 'f'}, F32: {"f32", 32, 'f'}, F64: {"f64", 64, 'f'},
	V2I16: {"v2i16", 32, 'p'}, V2F16: {"v2f16", 32, 'p'}, V4I8: {"v4i8", 32, 'p'},
}

// Bits is the width of t in bits; 0 if t is no valid type.
func (t Type) Bits() int {
	if t >= numTypes {
		return 0
	}
	return int(typeInfo[t].bits)
}

// IsInt reports whether t is an integer type, I1 included.
func (t Type) IsInt() bool { return t < numTypes && typeInfo[t].class == 'i' }

// IsFloat reports whether t is a scalar float type.
func (t Type) IsFloat() bool { return t < numTypes && typeInfo[t].class == 'f' }

// Elems is the number of elements of t: 1 unless it is packed.
func (t Type) Elems() int {
	if t < numTypes && typeInfo[t].class == 'p' {
		return t.Bits() / t.Elem().Bits()
	}
	return 1
}

// Elem is the type of an element of t: t itself unless it is packed.
func (t Type) Elem() Type {
	switch t {
	case V2I16:
		return I16
	case V2F16:
		return F16
	case V4I8:
		return I8
	}
	return t
}

// Cond is the type of a comparison of values of type t: I1; for packed types the packed integers with as many
// elements, each all ones for true and 0 for false.
func (t Type) Cond() Type {
	switch t {
	case V2I16, V2F16:
		return V2I16
	case V4I8:
		return V4I8
	}
	return I1
}

// String is the name used in the IR's text form.
func (t Type) String() string {
	if t >= numTypes {
		return "type?"
	}
	return typeInfo[t].name
}

// IntOf is the integer type of n bits, NoType if there is none.
func IntOf(n int) Type {
	for t := I1; t <= I64; t++ {
		if t.Bits() == n {
			return t
		}
	}
	return NoType
}

// FloatOf is the float type of n bits, NoType if there is none.
func FloatOf(n int) Type {
	for t := F16; t <= F64; t++ {
		if t.Bits() == n {
			return t
		}
	}
	return NoType
}
