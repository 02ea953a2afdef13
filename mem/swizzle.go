package mem

import (
	"fmt"
	"math/bits"
)

// A Swizzle is the order of texels in a tiled image: blocks follow each other along x, then in rows, and a texel has a
// number in its block. The number is the XOR of three numbers, one for each coordinate, and of a turn that the slice
// of blocks has. Its highest bits may be the number of a part: parts of a block lie Plane.Part bytes apart.
type Swizzle struct {
	axes  [3][]uint32 // by coordinate modulo the length
	turns []uint32    // by z of the block modulo the length
	sides [3]uint8    // of a block: powers of two
	part  uint8       // bits of the number of a texel in its part
}

// A SwizzleBit is a bit of the number of a texel: the parity of the bits of x, y and z under the masks. Coordinates
// are those in the image, so that a bit can depend on where the block is.
type SwizzleBit [3]uint32

// maxSwizzleAxis limits the bits of a coordinate that a Swizzle uses.
const maxSwizzleAxis = 16

// NewSwizzle returns the swizzle of blocks with the given sides, powers of two, whose texels have numbers of the given
// bits, the lowest first. The last parts bits are the number of the part.
func NewSwizzle(sides [3]uint8, number []SwizzleBit, parts int) (*Swizzle, error) {
	if n := int(sides[0]) + int(sides[1]) + int(sides[2]); n != len(number) || parts < 0 || parts > n || n > 31 {
		return nil, fmt.Errorf("mem: swizzle: blocks of 2^%d texels, numbers of %d bits, %d of them for parts", n, len(number), parts)
	}
	s := &Swizzle{sides: sides, part: uint8(len(number) - parts), turns: []uint32{0}}
	for axis := range s.axes {
		used := uint32(1)<<sides[axis] - 1
		for _, b := range number {
			used |= b[axis]
		}
		if bits.Len32(used) > maxSwizzleAxis {
			return nil, fmt.Errorf("mem: swizzle: bit %d of coordinate %d", bits.Len32(used)-1, axis)
		}
		s.axes[axis] = numbers(number, axis, bits.Len32(used))
	}
	return s, nil
}

// numbers returns what each value of a coordinate of n bits contributes: for a power of two a bit of each number that
// depends on it, for others the XOR of two that are less.
func numbers(number []SwizzleBit, axis, n int) []uint32 {
	t := make([]uint32, 1<<n)
	for v := 1; v < len(t); v++ {
		if low := v & (v - 1); low != 0 {
			t[v] = t[low] ^ t[v&-v]
			continue
		}
		for k, b := range number {
			if b[axis]&uint32(v) != 0 {
				t[v] |= 1 << k
			}
		}
	}
	return t
}

// Turned returns a swizzle with the same blocks and other turns, by z of the block modulo their number, which is a
// power of two. Turns are below the number of texels of a part.
func (s *Swizzle) Turned(turns []uint32) (*Swizzle, error) {
	t := *s
	t.turns = turns
	for _, n := range turns {
		if len(turns)&(len(turns)-1) != 0 || n>>s.part != 0 {
			return nil, fmt.Errorf("mem: swizzle: turn %#x, one of %d, of parts of 2^%d texels", n, len(turns), s.part)
		}
	}
	if len(turns) == 0 {
		return nil, fmt.Errorf("mem: swizzle: no turns")
	}
	return &t, nil
}

// Sides returns the sides of a block: powers of two.
func (s *Swizzle) Sides() [3]uint8 { return s.sides }

// At returns the address of the texel at x, y, z of a plane with a Swizzle.
func (p *Plane) At(x, y, z uint32, bytes uint64) uint64 {
	return p.Base + p.Swizzle.offset(p, x, y, z, bytes)
}

// offset returns where the texel at x, y, z is, in bytes after the first of the plane.
func (s *Swizzle) offset(p *Plane, x, y, z uint32, bytes uint64) uint64 {
	block := z >> s.sides[2]
	ax, ay, az := s.axes[0], s.axes[1], s.axes[2]
	n := ax[int(x)&(len(ax)-1)] ^ ay[int(y)&(len(ay)-1)] ^ az[int(z)&(len(az)-1)] ^ s.turns[int(block)&(len(s.turns)-1)]
	at := uint64(block)*p.Slice + uint64(y>>s.sides[1])*p.Row + uint64(n>>s.part)*p.Part
	return at + (uint64(x>>s.sides[0])<<s.part+uint64(n&(1<<s.part-1)))*bytes
}
