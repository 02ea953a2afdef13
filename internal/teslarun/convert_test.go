package teslarun

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/heddle-gpu/heddle/isa/tesla"
)

// Conversions by the formulas of docs/reference/tesla.md 7.7.

var (
	roundNames = []string{"rn", "rm", "rp", "rz"}
	intRounds  = []string{"rni", "rmi", "rpi", "rzi"}
)

// A whole is an integer type: bits, signedness, and the type of the operand that it is read from.
type whole struct {
	name    string
	bits    int
	signed  bool
	operand byte
}

var wholes = []whole{{"u16", 16, false, 'h'}, {"u32", 32, false, 'w'}, {"u8", 8, false, 'h'}, {"u8", 8, false, 'w'},
	{"s16", 16, true, 's'}, {"s32", 32, true, 'w'}, {"s8", 8, true, 'h'}, {"s8", 8, true, 'w'}}

// memory returns M if the source may be s[] or an input: 8-bit sources in words may not.
func (k whole) memory() string {
	if k.bits == 8 {
		return ""
	}
	return "M"
}

// number returns the value of a source, with abs and neg.
func (k whole) number(v uint64, s signs) *big.Int {
	n := new(big.Int).SetUint64(v & (1<<(k.bits-1)<<1 - 1))
	if k.signed {
		n.SetInt64(signedOf(v, k.bits))
	}
	if s&magnitude != 0 {
		n.Abs(n)
	}
	if s&negated != 0 {
		n.Neg(n)
	}
	return n
}

// clamped limits a number to the type, and reports whether it was out of range.
func (k whole) clamped(n *big.Int) (v uint64, was bool) {
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(k.bits))
	if k.signed {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	r := n
	if n.Cmp(low) < 0 {
		r = low
	} else if n.Cmp(high) > 0 {
		r = high
	}
	return new(big.Int).And(r, new(big.Int).SetUint64(^uint64(0))).Uint64(), r != n
}

func intToInt() (list []inst) {
	for _, to := range []struct {
		whole
		typ byte
	}{{whole{"u16", 16, false, 0}, 'h'}, {whole{"u8", 8, false, 0}, 'h'}, {whole{"u32", 32, false, 0}, 'w'}, {whole{"u8", 8, false, 0}, 'w'},
		{whole{"s16", 16, true, 0}, 'h'}, {whole{"s8", 8, true, 0}, 'h'}, {whole{"s32", 32, true, 0}, 'w'}, {whole{"s8", 8, true, 0}, 'w'}} {
		for _, from := range wholes {
			for m := range signs(4) {
				n := 8 * size(to.typ)
				can := from.memory() + "OF"
				if to.bits == 8 && n == 32 { // as an output it has the text of a half
					can = from.memory() + "F"
				}
				list = append(list, inst{text: fmt.Sprintf("cvt %s%s {C}{D} %s {A}", m.text(), to.name, from.name), types: string([]byte{to.typ, from.operand, '-', '-'}),
					can: can, f: func(o *operands) (uint64, uint8) {
						v, _ := to.clamped(from.number(o.a, m))
						v &= 1<<n - 1
						return v, zs(v, n)
					}})
			}
		}
	}
	return list
}

// rounded converts an integer to f32; a zero with neg is -0.
func rounded(n *big.Int, s signs, mode int, sat bool) uint64 {
	return saturated(single.write(number(n, s&negated != 0), mode, 0), sat)
}

// crippled returns the f16 that the chip makes.
func crippled(n *big.Int, s signs, mode int) exact {
	neg := (n.Sign() < 0 && s&magnitude == 0) != (s&negated != 0)
	m := uint32(new(big.Int).Abs(n).Uint64())
	if up := mode == rn || mode == rp && !neg || mode == rm && neg; up && m>>5&0x1ffffff == 0x1ffffff {
		m = 0
	}
	low, k := uint16(m), 2
	if n.Sign() < 0 {
		low--
	}
	for ; k < 7 && low>>15 == 0; k++ {
		low <<= 1
	}
	return exact{neg: neg, m: big.NewInt(int64(m << k >> k))}
}

// toHalf converts an f32 to f16. With truncate it has been rounded to an integer before.
func toHalf(v uint64, mode int, truncate bool) uint64 {
	x := single.flushed(v)
	if x.m != nil && x.high() <= -33 {
		return v >> 31 << 15
	}
	if truncate && x.m != nil && x.high() <= 16 { // within the range
		mode = rz
	}
	return half.write(x, mode, 0x7fff)
}

func intToFloat() (list []inst) {
	for _, from := range wholes {
		for mode, round := range roundNames {
			for i := range 8 {
				m, sat := signs(i&3), i&4 != 0
				word := []string{"", "sat "}[i>>2]
				types := []byte{'f', from.operand, '-', '-'}
				list = append(list, inst{text: fmt.Sprintf("cvt %s%s%s f32 {C}{D} %s {A}", m.text(), word, round, from.name), types: string(types), can: from.memory() + "OF",
					f: func(o *operands) (uint64, uint8) { return flagged(rounded(from.number(o.a, m), m, mode, sat)) }})
				types[0] = 'e'
				list = append(list, inst{text: fmt.Sprintf("cvt %s%s%s f16 {C}{D} %s {A}", m.text(), word, round, from.name), types: string(types), can: from.memory() + "OF",
					f: func(o *operands) (uint64, uint8) {
						v := toHalf(saturated(single.write(crippled(from.number(o.a, 0), m, mode), mode, 0), sat), mode, false)
						return v, half.flags(v)
					}})
			}
		}
	}
	return list
}

// toInt converts a float to an integer. wide: NaN gives the least number of the signed type, and O reports clamping.
func toInt(x exact, k whole, mode int, wide bool) (uint64, uint8) {
	limit := new(big.Int).Lsh(big.NewInt(1), 80)
	n := new(big.Int)
	switch {
	case x.nan && wide:
		v := uint64(1) << (k.bits - 1)
		return v, zs(v, k.bits) | flagO
	case x.nan:
		return 0, flagZ
	case x.inf && x.neg:
		n.Neg(limit)
	case x.inf:
		n.Set(limit)
	default:
		n = x.integer(mode)
	}
	v, was := k.clamped(n)
	v &= 1<<(k.bits-1)<<1 - 1
	f := zs(v, k.bits)
	beyond := !k.signed && k.bits == 64 && n.Sign() > 0 // for these clamping is not reported
	if wide && (was && !beyond || new(big.Int).Abs(n).Cmp(big.NewInt(0xffffffff)) == 0) {
		f |= flagO
	}
	return v, f
}

func floatToInt() (list []inst) {
	for _, to := range []whole{{"u16", 16, false, 'h'}, {"s16", 16, true, 'h'}, {"u32", 32, false, 'w'}, {"s32", 32, true, 'w'}} {
		for mode, round := range intRounds {
			for m := range signs(4) {
				list = append(list,
					inst{text: fmt.Sprintf("cvt %s%s %s {C}{D} f32 {A}", m.text(), round, to.name), types: string([]byte{to.operand, 'f', '-', '-'}), can: "MOF",
						f: func(o *operands) (uint64, uint8) { return toInt(single.flushed(m.of(o.a, 32)), to, mode, false) }},
					inst{text: fmt.Sprintf("cvt %s%s %s {C}{D} f16 {A}", m.text(), round, to.name), types: string([]byte{to.operand, 'e', '-', '-'}), can: "MOF",
						f: func(o *operands) (uint64, uint8) { return toInt(half.read(m.of(o.a, 16)), to, mode, false) }})
			}
		}
	}
	return list
}

// middle converts between f16 and f32: the steps before the result's own rounding.
func middle(v uint64, sat bool, round int) uint64 {
	v = finish(single.flushed(v).plus(exact{neg: true, m: new(big.Int)}, false), rn)
	v = saturated(v, sat)
	if x := single.read(v); round >= 0 && x.m != nil {
		n := x.integer(round)
		v = single.write(number(n, x.neg), rn, 0)
	}
	return v
}

// widened converts an f16 to f32.
func widened(v uint64) uint64 { return single.write(half.read(v), rn, nan32) }

func floatToFloat() (list []inst) {
	type way struct {
		text  string
		mode  int
		round bool
	}
	ways := []way{{"", rn, false}}
	for i, name := range intRounds {
		ways = append(ways, way{name + " ", i, true})
	}
	for i := range 8 {
		m, sat := signs(i&3), i&4 != 0
		word := m.text() + []string{"", "sat "}[i>>2]
		for _, r := range ways {
			round := -1
			if r.round {
				round = r.mode
			}
			list = append(list,
				inst{text: fmt.Sprintf("cvt %s%sf32 {C}{D} f32 {A}", word, r.text), types: "ff--", can: "MOF",
					f: func(o *operands) (uint64, uint8) { return flagged(middle(m.of(o.a, 32), sat, round)) }},
				inst{text: fmt.Sprintf("cvt %s%sf16 {C}{D} f16 {A}", word, r.text), types: "ee--", can: "MOF",
					f: func(o *operands) (uint64, uint8) {
						v := toHalf(middle(m.of(widened(o.a), 32), sat, round), r.mode, r.round)
						return v, half.flags(v)
					}})
		}
		for mode, name := range roundNames {
			list = append(list, inst{text: fmt.Sprintf("cvt %s%s f16 {C}{D} f32 {A}", word, name), types: "ef--", can: "MOF",
				f: func(o *operands) (uint64, uint8) {
					v := toHalf(middle(m.of(o.a, 32), sat, -1), mode, false)
					return v, half.flags(v)
				}})
		}
		list = append(list, inst{text: "cvt " + word + "f32 {C}{D} f16 {A}", types: "fe--", can: "MOF",
			f: func(o *operands) (uint64, uint8) { return flagged(middle(m.of(widened(o.a), 32), sat, -1)) }})
	}
	return list
}

func TestIntegerConversions(t *testing.T) { runAll(t, intToInt(), 1) }

func TestFromIntegers(t *testing.T) { runAll(t, intToFloat(), 1) }

func TestToIntegers(t *testing.T) { runAll(t, floatToInt(), 1) }

func TestFloatConversions(t *testing.T) { runAll(t, floatToFloat(), 1) }

// Those with an f64 source or result.

var wide = []whole{{"u32", 32, false, 'w'}, {"s32", 32, true, 'w'}, {"u64", 64, false, 'q'}, {"s64", 64, true, 'q'}}

func wideInts() (list []inst) {
	for _, k := range wide {
		for m := range signs(4) {
			for mode := range 4 {
				for _, f := range []format{single, double} {
					if k.bits == 32 && f == single {
						continue
					}
					name, typ := "f64", byte('g')
					if f == single {
						name, typ = "f32", 'f'
					}
					mem := ""
					if typ == 'f' || k.bits == 32 {
						mem = "M"
					}
					sat := []string{"", "sat "}[len(list)/2%2] // it has no effect
					out := func(typ byte) string { return map[bool]string{true: "O"}[size(typ) == 4] }
					if f == double || k.bits == 64 {
						list = append(list, inst{text: fmt.Sprintf("cvt %s%s %s {C}{D} %s {A}", m.text(), intRounds[mode], k.name, name),
							types: string([]byte{k.operand, typ, '-', '-'}), can: map[bool]string{true: "M"}[typ == 'f'] + out(k.operand) + "F",
							f: func(o *operands) (uint64, uint8) { return toInt(f.read(m.of(o.a, f.bits)), k, mode, true) }})
					}
					list = append(list, inst{text: fmt.Sprintf("cvt %s%s%s %s {C}{D} %s {A}", m.text(), sat, roundNames[mode], name, k.name),
						types: string([]byte{typ, k.operand, '-', '-'}), can: map[bool]string{true: mem}[k.bits == 32] + out(typ) + "F",
						f: func(o *operands) (uint64, uint8) {
							v := fromWide(f, k, o.a, m, mode)
							return v, f.flags(v)
						}})
				}
			}
		}
	}
	return list
}

// fromWide converts an integer to a float: for an unsigned type the magnitude is rounded, and neg is applied
// afterwards.
func fromWide(f format, k whole, v uint64, m signs, mode int) uint64 {
	if !k.signed {
		return m.of(f.write(number(k.number(v, 0), false), mode, 0), f.bits)
	}
	return f.write(number(k.number(v, m), m&negated != 0), mode, 0)
}

func wideFloats() (list []inst) {
	for m := range signs(4) {
		for mode, name := range roundNames {
			list = append(list, inst{text: fmt.Sprintf("cvt %s%s f32 {C}{D} f64 {A}", m.text(), name), types: "fg--", can: "OF", f: func(o *operands) (uint64, uint8) {
				v := double64(o.a, m)
				return flagged(single.write(double.read(v), mode, v>>63<<31|0x7fc00000|v>>29&0x3fffff))
			}})
			list = append(list, inst{text: fmt.Sprintf("cvt %s%s f64 {C}{D} f64 {A}", m.text(), intRounds[mode]), types: "gg--", can: "F", f: func(o *operands) (uint64, uint8) {
				v := double64(o.a, m)
				if x := double.read(v); x.m != nil {
					v = double.write(number(x.integer(mode), x.neg), rn, 0)
				}
				return v, double.flags(v)
			}})
		}
		list = append(list,
			inst{text: "cvt " + m.text() + "f64 {C}{D} f64 {A}", types: "gg--", can: "F", f: func(o *operands) (uint64, uint8) {
				v := double64(o.a, m)
				return v, double.flags(v)
			}},
			inst{text: "cvt " + m.text() + "f64 {C}{D} f32 {A}", types: "gf--", can: "MF", f: func(o *operands) (uint64, uint8) {
				v := double64(double.write(single.read(o.a), rn, o.a>>31<<63|0x7ff8<<48|o.a&0x3fffff<<29), m)
				return v, double.flags(v)
			}})
	}
	return list
}

func TestWideConversions(t *testing.T) {
	list := append(wideInts(), wideFloats()...)
	for i := range list {
		list[i].from, list[i].only = tesla.G200, true
	}
	runAll(t, list, 4)
}
