package emul

import "math/bits"

// Functions of elements.
func plus[T lane](a, b T) T  { return a + b }
func minus[T lane](a, b T) T { return a - b }
func times[T lane](a, b T) T { return a * b }
func least[T lane](a, b T) T { return min(a, b) }
func most[T lane](a, b T) T  { return max(a, b) }

func magnitude[T int8 | int16 | int32 | int64](a T) T {
	if a < 0 {
		return -a
	}
	return a
}

// signed returns a with the sign of b.
func signed[T int8 | int16 | int32](a, b T) T {
	switch {
	case b < 0:
		return -a
	case b == 0:
		return 0
	}
	return a
}

// within saturates v to n bits, signed or not.
func within(v int64, n uint, signed bool) int64 {
	if signed {
		return max(min(v, 1<<(n-1)-1), -1<<(n-1))
	}
	return max(min(v, 1<<n-1), 0)
}

// saturated is a kernel of a function whose result saturates.
func saturated[T lane](f func(a, b int64) int64) func(s *step) {
	n := uint(8 * sizeof[T]())
	negative := T(0)-1 < 0
	return zip(func(a, b T) T { return T(within(f(int64(a), int64(b)), n, negative)) })
}

func average[T uint8 | uint16](a, b T) T { return T((uint32(a) + uint32(b) + 1) >> 1) }

// ternary is every function of three bits: the immediate is its table.
func ternary(elem int) func(s *step) {
	return merging(func(s *step) {
		s.vector(elem, elem, 3, func(m *Machine, s *step) {
			for i := range (s.bytes + 7) / 8 {
				m.d[i] = tableOf(s.imm, m.x[0][i], m.x[1][i], m.x[2][i])
			}
		})
	})
}

func tableOf(table, a, b, c uint64) (r uint64) {
	for i := range uint64(8) {
		if table>>i&1 != 0 {
			x, y, z := a, b, c
			if i&4 == 0 {
				x = ^x
			}
			if i&2 == 0 {
				y = ^y
			}
			if i&1 == 0 {
				z = ^z
			}
			r |= x & y & z
		}
	}
	return r
}

// conflict is, of each element, the earlier ones that are equal.
func conflict[T uint32 | uint64](s *step) {
	s.vector(sizeof[T](), sizeof[T](), 1, func(m *Machine, s *step) {
		a, d := of[T](m.x[0], s.n), of[T](&m.d, s.n)
		for i := range d {
			d[i] = 0
			for k := range i {
				if a[k] == a[i] {
					d[i] |= 1 << k
				}
			}
		}
	})
}

// pairs is a kernel of two adjacent elements of each of both sources.
func pairs[F, G, T lane](f func(a, b F, c, d G) T) func(s *step) {
	return entire(func(s *step) {
		s.vector(sizeof[T](), sizeof[T](), 2, func(m *Machine, s *step) {
			a, b, d := of[F](m.x[0], 2*s.n), of[G](m.x[1], 2*s.n), of[T](&m.d, s.n)
			for i := range d {
				d[i] = f(a[2*i], a[2*i+1], b[2*i], b[2*i+1])
			}
		})
	})
}

// distances adds up differences of eight bytes.
func distances(s *step) {
	s.vector(8, 8, 2, func(m *Machine, s *step) {
		a, b := of[uint8](m.x[0], s.bytes), of[uint8](m.x[1], s.bytes)
		for i := range s.n {
			sum := uint64(0)
			for k := 8 * i; k < 8*i+8; k++ {
				sum += uint64(max(a[k], b[k]) - min(a[k], b[k]))
			}
			m.d[i] = sum
		}
	})
}

func mulHigh52(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a&(1<<52-1), b&(1<<52-1))
	return hi<<12 | lo>>52
}

// integers are arithmetic, logic and counts, element by element.
func integers() []row {
	return append(logicRows(), []row{
		{"vpaddb", zip(plus[uint8])}, {"vpaddw", zip(plus[uint16])}, {"vpaddd", zip(plus[uint32])}, {"vpaddq", zip(plus[uint64])},
		{"vpsubb", zip(minus[uint8])}, {"vpsubw", zip(minus[uint16])}, {"vpsubd", zip(minus[uint32])}, {"vpsubq", zip(minus[uint64])},
		{"vpaddsb", saturated[int8](plus[int64])}, {"vpaddsw", saturated[int16](plus[int64])},
		{"vpaddusb", saturated[uint8](plus[int64])}, {"vpaddusw", saturated[uint16](plus[int64])},
		{"vpsubsb", saturated[int8](minus[int64])}, {"vpsubsw", saturated[int16](minus[int64])},
		{"vpsubusb", saturated[uint8](minus[int64])}, {"vpsubusw", saturated[uint16](minus[int64])},
		{"vpmullw", zip(times[uint16])}, {"vpmulld", zip(times[uint32])}, {"vpmullq", zip(times[uint64])},
		{"vpmulhw", zip(func(a, b int16) int16 { return int16(int32(a) * int32(b) >> 16) })},
		{"vpmulhuw", zip(func(a, b uint16) uint16 { return uint16(uint32(a) * uint32(b) >> 16) })},
		{"vpmulhrsw", zip(func(a, b int16) int16 { return int16((int32(a)*int32(b)>>14 + 1) >> 1) })},
		{"vpmuludq", zip(func(a, b uint64) uint64 { return uint64(uint32(a)) * uint64(uint32(b)) })},
		{"vpmuldq", zip(func(a, b int64) int64 { return int64(int32(a)) * int64(int32(b)) })},
		{"vpmaddwd", pairs(func(a, b, c, d int16) int32 { return int32(a)*int32(c) + int32(b)*int32(d) })},
		{"vpmaddubsw", pairs(func(a, b uint8, c, d int8) int16 {
			return int16(within(int64(a)*int64(c)+int64(b)*int64(d), 16, true))
		})},
		{"vpsadbw", distances},
		{"vpavgb", zip(average[uint8])}, {"vpavgw", zip(average[uint16])},
		{"vpminsb", zip(least[int8])}, {"vpminsw", zip(least[int16])}, {"vpminsd", zip(least[int32])}, {"vpminsq", zip(least[int64])},
		{"vpminub", zip(least[uint8])}, {"vpminuw", zip(least[uint16])}, {"vpminud", zip(least[uint32])}, {"vpminuq", zip(least[uint64])},
		{"vpmaxsb", zip(most[int8])}, {"vpmaxsw", zip(most[int16])}, {"vpmaxsd", zip(most[int32])}, {"vpmaxsq", zip(most[int64])},
		{"vpmaxub", zip(most[uint8])}, {"vpmaxuw", zip(most[uint16])}, {"vpmaxud", zip(most[uint32])}, {"vpmaxuq", zip(most[uint64])},
		{"vpabsb", each(magnitude[int8])}, {"vpabsw", each(magnitude[int16])}, {"vpabsd", each(magnitude[int32])}, {"vpabsq", each(magnitude[int64])},
		{"vpsignb", zip(signed[int8])}, {"vpsignw", zip(signed[int16])}, {"vpsignd", zip(signed[int32])},
		{"vpternlogd", ternary(4)}, {"vpternlogq", ternary(8)},
		{"vpmadd52luq", zip3(func(a, b, c uint64) uint64 { return a + b*c&(1<<52-1) })},
		{"vpmadd52huq", zip3(func(a, b, c uint64) uint64 { return a + mulHigh52(b, c) })},
		{"vpconflictd", entire(conflict[uint32])}, {"vpconflictq", entire(conflict[uint64])},
		{"vplzcntd", each(func(a uint32) uint32 { return uint32(bits.LeadingZeros32(a)) })},
		{"vplzcntq", each(func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a)) })},
		{"vpopcntb", each(func(a uint8) uint8 { return uint8(bits.OnesCount8(a)) })},
		{"vpopcntw", each(func(a uint16) uint16 { return uint16(bits.OnesCount16(a)) })},
		{"vpopcntd", each(func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) })},
		{"vpopcntq", each(func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) })},
	}...)
}

// logicRows are and, or and so on under all their names, which differ in the element size of masks.
func logicRows() (list []row) {
	for name, f := range map[string]func(a, b uint64) uint64{
		"and":  func(a, b uint64) uint64 { return a & b },
		"andn": func(a, b uint64) uint64 { return ^a & b },
		"or":   func(a, b uint64) uint64 { return a | b },
		"xor":  func(a, b uint64) uint64 { return a ^ b },
	} {
		list = append(list, row{"vp" + name, bitwise(8, f)}, row{"vp" + name + "d", bitwise(4, f)}, row{"vp" + name + "q", bitwise(8, f)},
			row{"v" + name + "ps", bitwise(4, f)}, row{"v" + name + "pd", bitwise(8, f)})
	}
	return list
}

// shifted is a kernel of a shift of all elements by one count: an immediate, or the low 64 bits of the last source.
func shifted[T lane](f func(a T, n uint64) T) func(s *step) {
	return func(s *step) {
		if s.hasImm {
			s.vector(sizeof[T](), sizeof[T](), 1, func(m *Machine, s *step) { shiftAll(m, s, s.imm&0xff, f) })
			return
		}
		s.vector(sizeof[T](), sizeof[T](), 2, func(m *Machine, s *step) { shiftAll(m, s, m.x[1][0], f) })
		s.src[1].lanes = false
	}
}

func shiftAll[T lane](m *Machine, s *step, n uint64, f func(a T, n uint64) T) {
	a, d := of[T](m.x[0], s.n), of[T](&m.d, s.n)
	for i := range d {
		d[i] = f(a[i], n)
	}
}

func left[T lane](a T, n uint64) T  { return a << n }
func right[T lane](a T, n uint64) T { return a >> n }

func leftBy[T lane](a, n T) T { return a << uint64(n) }

// rightBy is a right shift by an unsigned count, of signed numbers, too.
func rightBy[T, U lane](a, n T) T { return T(U(a) >> uint64(n)) }

func rotate[T uint32 | uint64](a T, n uint64) T {
	w := uint64(8 * sizeof[T]())
	n %= w
	return a<<n | a>>(w-n)
}

func rotateLeft[T uint32 | uint64](a, n T) T  { return rotate(a, uint64(n)) }
func rotateRight[T uint32 | uint64](a, n T) T { return rotate(a, -uint64(n)) }

// double is a shift of two concatenated elements.
func double[T uint16 | uint32 | uint64](a, b T, n uint64, right bool) T {
	w := uint64(8 * sizeof[T]())
	n %= w
	if right {
		return a>>n | b<<(w-n)
	}
	return a<<n | b>>(w-n)
}

// doubled are the rows of such a shift.
func doubled[T uint16 | uint32 | uint64](letter string) []row {
	var list []row
	for name, right := range map[string]bool{"vpshld": false, "vpshrd": true} {
		list = append(list,
			row{name + "v" + letter, zip3(func(a, b, c T) T { return double(a, b, uint64(c), right) })},
			row{name + letter, func(s *step) {
				s.vector(sizeof[T](), sizeof[T](), 2, func(m *Machine, s *step) {
					a, b, d := of[T](m.x[0], s.n), of[T](m.x[1], s.n), of[T](&m.d, s.n)
					for i := range d {
						d[i] = double(a[i], b[i], s.imm&0xff, right)
					}
				})
			}})
	}
	return list
}

// bytesOver shifts each 128 bits by bytes.
func bytesOver(by int) func(s *step) {
	return entire(func(s *step) {
		s.vector(1, 1, 1, func(m *Machine, s *step) {
			a, d := of[uint8](m.x[0], s.n), of[uint8](&m.d, s.n)
			for i := range d {
				from := i%16 + by*int(s.imm&0xff)
				if d[i] = 0; from >= 0 && from < 16 {
					d[i] = a[i&^15+from]
				}
			}
		})
	})
}

func shifts() []row {
	list := []row{
		{"vpsllw", shifted(left[uint16])}, {"vpslld", shifted(left[uint32])}, {"vpsllq", shifted(left[uint64])},
		{"vpsrlw", shifted(right[uint16])}, {"vpsrld", shifted(right[uint32])}, {"vpsrlq", shifted(right[uint64])},
		{"vpsraw", shifted(right[int16])}, {"vpsrad", shifted(right[int32])}, {"vpsraq", shifted(right[int64])},
		{"vpslldq", bytesOver(-1)}, {"vpsrldq", bytesOver(1)},
		{"vpsllvw", zip(leftBy[uint16])}, {"vpsllvd", zip(leftBy[uint32])}, {"vpsllvq", zip(leftBy[uint64])},
		{"vpsrlvw", zip(rightBy[uint16, uint16])}, {"vpsrlvd", zip(rightBy[uint32, uint32])}, {"vpsrlvq", zip(rightBy[uint64, uint64])},
		{"vpsravw", zip(rightBy[uint16, int16])}, {"vpsravd", zip(rightBy[uint32, int32])}, {"vpsravq", zip(rightBy[uint64, int64])},
		{"vprold", shifted(rotate[uint32])}, {"vprolq", shifted(rotate[uint64])},
		{"vprord", shifted(func(a uint32, n uint64) uint32 { return rotate(a, -n) })},
		{"vprorq", shifted(func(a, n uint64) uint64 { return rotate(a, -n) })},
		{"vprolvd", zip(rotateLeft[uint32])}, {"vprolvq", zip(rotateLeft[uint64])},
		{"vprorvd", zip(rotateRight[uint32])}, {"vprorvq", zip(rotateRight[uint64])},
	}
	list = append(list, doubled[uint16]("w")...)
	list = append(list, doubled[uint32]("d")...)
	return append(list, doubled[uint64]("q")...)
}
