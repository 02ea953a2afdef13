package gcn

import (
	"math/bits"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// The offset of ds_swizzle_b32 as LLVM writes it. With bits 8 to 15 equal to 0x80 it is a permutation of each quad.
// With bit 15 clear it is an and, an or and an exclusive-or mask of five bits each for the lane number; of these
// patterns some have names. Anything else is a number.
//
//	offset:swizzle(QUAD_PERM,0,1,2,3)     lanes of each quad
//	offset:swizzle(SWAP,16)               neighbouring groups of 1, 2, 4, 8 or 16 lanes exchanged
//	offset:swizzle(REVERSE,8)             each group of 2 to 32 lanes backwards
//	offset:swizzle(BROADCAST,8,4)         lane 4 of each group of 8
//	offset:swizzle(BITMASK_PERM,"01pip")  each bit of the lane number: 0, 1, kept or inverted
//	offset:0xc000                         any of them by number
var swizzle = &isa.Kind{Name: "a swizzle pattern", Text: swizzleText, Parse: parseSwizzle,
	Samples: []uint64{0, 0x80e4, 0x401f, 0x1c1f, 0x0018, 0x0098, 0x7fff, 0xffff, 0x001f, 0xc000}}

const (
	swizzleQuad = 0x8000
	swizzleBits = 0x8000 // set in what is not a bit mask pattern
	lanes32     = 0x1f
)

func swizzleText(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
	if v == 0 {
		return dst
	}
	dst = append(dst, " offset:"...)
	number := func(name string, ns ...uint64) []byte {
		dst = append(append(dst, "swizzle("...), name...)
		for _, n := range ns {
			dst = strconv.AppendUint(append(dst, ','), n, 10)
		}
		return append(dst, ')')
	}
	if v&0xff00 == swizzleQuad {
		return number("QUAD_PERM", v&3, v>>2&3, v>>4&3, v>>6&3)
	}
	if v&swizzleBits != 0 {
		return strconv.AppendUint(dst, v, 10)
	}
	and, or, xor := v&lanes32, v>>5&lanes32, v>>10&lanes32
	group := lanes32 - and + 1
	switch {
	case and == lanes32 && or == 0 && bits.OnesCount64(xor) == 1:
		return number("SWAP", xor)
	case and == lanes32 && or == 0 && xor > 0 && xor&(xor+1) == 0:
		return number("REVERSE", xor+1)
	case group > 1 && group&(group-1) == 0 && or < group && xor == 0:
		return number("BROADCAST", group, or)
	}
	dst = append(dst, `swizzle(BITMASK_PERM,"`...)
	zero, one := or^xor, (and|or)^xor // the results for a 0 and for a 1
	for i := 4; i >= 0; i-- {
		dst = append(dst, "0pi1"[zero>>i&1<<1|one>>i&1])
	}
	return append(dst, `")`...)
}

func parseSwizzle(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	if !acceptMod(s, "offset:") {
		return 0, false
	}
	if !acceptMod(s, "swizzle(") {
		return upTo(s, 0xffff)
	}
	s.Space()
	v, ok := parsePattern(s)
	if !ok {
		return 0, false
	}
	s.Space()
	if !s.Byte(')') {
		return 0, s.Expect(`")"`)
	}
	return v, true
}

// parsePattern reads a named pattern and its numbers.
func parsePattern(s *isa.Scan) (uint64, bool) {
	switch {
	case s.Accept("QUAD_PERM"):
		v := uint64(swizzleQuad)
		for i := range 4 {
			n, ok := swizzleNumber(s, 0, 3)
			if !ok {
				return 0, false
			}
			v |= n << (2 * i)
		}
		return v, true
	case s.Accept("SWAP"):
		n, ok := swizzleGroup(s, 1, 16)
		return n<<10 | lanes32, ok
	case s.Accept("REVERSE"):
		n, ok := swizzleGroup(s, 2, 32)
		return (n-1)<<10 | lanes32, ok
	case s.Accept("BROADCAST"):
		n, ok := swizzleGroup(s, 2, 32)
		if !ok {
			return 0, false
		}
		lane, ok := swizzleNumber(s, 0, n-1)
		return lane<<5 | (lanes32 - (n - 1)), ok
	case s.Accept("BITMASK_PERM"):
		return parseMask(s)
	}
	return 0, s.Expect("QUAD_PERM, SWAP, REVERSE, BROADCAST or BITMASK_PERM")
}

func swizzleNumber(s *isa.Scan, lo, hi uint64) (uint64, bool) {
	s.Space()
	if !s.Byte(',') {
		return 0, s.Expect(`","`)
	}
	s.Space()
	at := s.Pos
	n, ok := s.Uint()
	if !ok || n < lo || n > hi {
		s.Pos = at
		return 0, s.Failf(at, isa.ErrRange, "a number from %d to %d is expected", lo, hi)
	}
	return n, true
}

// swizzleGroup reads a number of lanes: a power of two.
func swizzleGroup(s *isa.Scan, lo, hi uint64) (uint64, bool) {
	n, ok := swizzleNumber(s, lo, hi)
	if ok && n&(n-1) != 0 {
		return 0, s.Fail(s.Pos, isa.ErrRange, "the number of lanes is not a power of two")
	}
	return n, ok
}

const maskLetters = "a quoted word of five letters 0, 1, p or i"

// parseMask reads the five letters of a bit mask pattern. Several values have the same letters; the plain one sets
// the lane's bit with the or mask or leaves all masks clear. If that would print by another name, a value that prints
// as these letters is used.
func parseMask(s *isa.Scan) (v uint64, ok bool) {
	s.Space()
	if !s.Byte(',') {
		return 0, s.Expect(`","`)
	}
	s.Space()
	if !s.Byte('"') {
		return 0, s.Expect(maskLetters)
	}
	for i := 4; i >= 0; i-- {
		switch c := s.Peek(); c {
		case '0':
		case '1':
			v |= 1 << (5 + i)
		case 'p':
			v |= 1 << i
		case 'i':
			v |= 1<<i | 1<<(10+i)
		default:
			return 0, s.Expect(maskLetters)
		}
		s.Pos++
	}
	if !s.Byte('"') {
		return 0, s.Expect(maskLetters)
	}
	and, or, xor := v&lanes32, v>>5&lanes32, v>>10&lanes32
	if group := lanes32 - and + 1; and != lanes32 && group&(group-1) == 0 && or < group && xor == 0 {
		if or == 0 {
			or = 1 // set, then inverted: 0
			return and | or<<5 | or<<10, true
		}
		xor = or & -or // inverted in place of set
		or &^= xor
	}
	return and | or<<5 | xor<<10, true
}
