package contents

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/heddle-gpu/heddle/internal/elem"
)

// Random returns number i, from 0, of the sequence of a seed: SplitMix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014), with the seed as initial state.
func Random(seed uint64, i int) uint64 {
	z := seed + (uint64(i)+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// random makes numbers from Random. Without bounds floats are its upper 11, 24 or 53 bits, by type, as a fraction in
// [0, 1), which is exact; integers are its upper bits. With bounds they are in [LOW, HIGH): floats are LOW + u (HIGH -
// LOW) in float64, with u the upper 53 bits as a fraction, rounded to the type and kept below HIGH; integers are LOW
// plus the upper word of the 128-bit product with HIGH - LOW.
func (s *Source) random(arg []string) error {
	seed, err := strconv.ParseUint(arg[0], 0, 64)
	switch {
	case err != nil:
		return fmt.Errorf("%q is no seed, which is a number from 0 to 2^64-1", arg[0])
	case len(arg) == 3:
		return fmt.Errorf("rand: LOW is given without HIGH")
	case len(arg) == 4:
		err = s.between(seed, arg[2], arg[3])
	case s.Type.Kind == elem.Float:
		fraction := map[int]int{16: 11, 32: 24, 64: 53}[s.Type.Bits]
		s.each(func(i int) uint64 { return s.round(unit(Random(seed, i), fraction)) })
	default:
		s.each(func(i int) uint64 { return Random(seed, i) >> (64 - s.Type.Bits) })
	}
	if err != nil {
		return err
	}
	return s.count(arg[1])
}

// unit returns the upper n bits of r as an exact fraction.
func unit(r uint64, n int) float64 { return float64(r>>(64-n)) / float64(uint64(1)<<n) }

// between makes numbers in [low, high).
func (s *Source) between(seed uint64, low, high string) error {
	if s.Type.Kind == elem.Float {
		a, err := float(low)
		b, err2 := float(high)
		if err != nil || err2 != nil || !(a < b) {
			return fmt.Errorf("rand: %s and %s are no bounds: LOW must be below HIGH", low, high)
		}
		if math.IsInf(b-a, 0) || math.IsInf(s.value(s.round(a)), 0) || math.IsInf(s.value(s.round(b)), 0) {
			return fmt.Errorf("rand: %s and %s, or their distance, do not fit %s", low, high, s.Type)
		}
		s.each(func(i int) uint64 {
			v := s.round(a + float64(unit(Random(seed, i), 53)*float64(b-a)))
			if s.value(v) >= b {
				v = s.round(a)
			}
			return v
		})
		return nil
	}
	a, err := s.number(low)
	if err != nil {
		return err
	}
	b, err := s.number(high)
	if err != nil {
		return err
	}
	if n := s.Type.Bits; s.Type.Kind == elem.Signed && int64(a<<(64-n)) >= int64(b<<(64-n)) || s.Type.Kind != elem.Signed && a >= b {
		return fmt.Errorf("rand: %s and %s are no bounds: LOW must be below HIGH", low, high)
	}
	span := (b - a) & (1<<s.Type.Bits - 1)
	s.each(func(i int) uint64 {
		hi, _ := bits.Mul64(Random(seed, i), span)
		return a + hi
	})
	return nil
}

// value returns the value of the bits of a float of the type.
func (s *Source) value(v uint64) float64 {
	var b [8]byte
	put(b[:], s.Type.Bits/8, v)
	return elem.Type{Kind: elem.Float, Bits: s.Type.Bits, Lanes: 1}.Value(b[:])
}
