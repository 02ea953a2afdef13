package mem

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/num"
)

// Stores returns nil if texels of the format can be written, else the reason why not.
func (f *Format) Stores() error {
	if f.Blocks != nil {
		return fmt.Errorf("mem: texels of blocks are not written (%s)", f.Name)
	}
	for _, c := range f.Comp {
		if c.Conv == SRGB || c.Conv == SharedExp || c.Conv == Fragments {
			return fmt.Errorf("mem: no rule how texels of format %s are written", f.Name)
		}
	}
	return nil
}

// Encode stores a texel in the first f.Bytes bytes of b, the inverse of Decode: t is bits of floats, or of integers
// for integer components. Numbers are clamped to the range of the component and rounded to nearest even. A NaN
// becomes 0, but in Float a NaN. Of several components with the same bits the first is stored; constants are not
// stored. Bits that belong to no component become 0.
func (f *Format) Encode(b []byte, t [4]uint32) {
	var w [2]uint64
	for i := len(t) - 1; i >= 0; i-- {
		c := &f.Comp[i]
		if c.Bits == 0 {
			continue
		}
		mask := uint64(1)<<c.Bits - 1
		at := &w[c.At>>6]
		*at = *at&^(mask<<(c.At&63)) | uint64(c.encode(t[i]))&mask<<(c.At&63)
	}
	var bytes [16]byte
	binary.LittleEndian.PutUint64(bytes[:], w[0])
	binary.LittleEndian.PutUint64(bytes[8:], w[1])
	copy(b[:f.Bytes], bytes[:])
}

// encode returns the bits of a component; those above c.Bits are undefined.
func (c *Component) encode(x uint32) uint32 {
	top := uint64(1)<<c.Bits - 1
	half := int64(top >> 1)
	switch c.Conv {
	case Unorm:
		return uint32(scaled(x, 0, 1, float64(top)))
	case Snorm, SnormEdge:
		return uint32(scaled(x, -1, 1, float64(half)))
	case SnormOdd:
		v := scaledFloat(x, -1, 1, float64(top))
		return uint32(min(max(int64(math.RoundToEven((v-1)/2)), -half-1), half))
	case UScaled:
		return uint32(scaled(x, 0, float64(top), 1))
	case SScaled:
		return uint32(scaled(x, float64(-half-1), float64(half), 1))
	case UInt:
		return uint32(min(uint64(x), top))
	case SInt:
		return uint32(min(max(int64(int32(x)), -half-1), half))
	case Float:
		return floatBits(c.Bits, x)
	}
	return 0
}

// scaledFloat clamps the float and multiplies it by by: exact for up to 29 bits. NaN gives 0.
func scaledFloat(x uint32, low, high, by float64) float64 {
	v := float64(math.Float32frombits(x))
	if v != v {
		v = 0
	}
	return min(max(v, low), high) * by
}

func scaled(x uint32, low, high, by float64) int64 {
	return int64(math.RoundToEven(scaledFloat(x, low, high, by)))
}

// floatBits converts a float to one of n bits: 32, 16, or 11 and 10 without sign, in which negative numbers become
// 0.
func floatBits(n uint8, x uint32) uint32 {
	if n == 32 {
		return x
	}
	if n == 16 {
		return uint32(num.FCvt(32, 16, num.ModeSet|num.RNE, uint64(x)))
	}
	drop := 15 - n // the short formats lack the sign, and bits at the end
	quiet := uint32(0x7e00) >> drop
	switch {
	case x&0x7fffffff > 0x7f800000:
		return quiet
	case x>>31 != 0:
		return 0
	}
	// A half truncated toward zero, with a sticky last bit, rounds as the float does.
	cut := uint32(num.FCvt(32, 16, num.ModeSet|num.RZ, uint64(x)))
	if uint32(num.FCvt(16, 32, num.ModeSet, uint64(cut))) != x {
		cut |= 1
	}
	return (cut + 1<<(drop-1) - 1 + cut>>drop&1) >> drop
}
