package emul

// nowhere is the source of an element that becomes 0. Others are element 0 to 63 of a source, whose number is in the
// bits above.
const nowhere = 0xff

// second is element i of the second source.
func second(i int) int { return 64 + i }

// static is a kernel that moves elements according to the immediate: f returns the source of element i of n.
func static[T lane](sources int, f func(imm, i, n int) int) func(s *step) {
	return entire(func(s *step) {
		s.vector(sizeof[T](), sizeof[T](), sources, picked[T])
		s.picks(f)
	})
}

// picks asks f for every element.
func (s *step) picks(f func(imm, i, n int) int) {
	s.pick = make([]uint8, s.n)
	for i := range s.pick {
		s.pick[i] = uint8(f(int(s.imm&0xff), i, s.n))
	}
}

func picked[T lane](m *Machine, s *step) {
	d, each := of[T](&m.d, s.n), 64/sizeof[T]()
	for i, p := range s.pick {
		if d[i] = 0; p != nowhere {
			d[i] = of[T](m.x[p>>6], each)[p&63]
		}
	}
}

// within128 applies f within each 128 bits, which have per elements.
func within128(per int, f func(imm, j int) int) func(imm, i, n int) int {
	return func(imm, i, _ int) int { return i/per*per + f(imm, i%per) }
}

// fields is a shuffle by two bits of the immediate per element.
var fields = within128(4, func(imm, j int) int { return imm >> (2 * j) & 3 })

// byBits is a shuffle by one bit per element.
func byBits(imm, i, _ int) int { return i&^1 + imm>>i&1 }

// unpack interleaves elements of both sources: the low ones, or the high ones.
func unpack(per, high int) func(imm, i, n int) int {
	return func(_, i, _ int) int { return i%2*64 + i/per*per + high*per/2 + i%per/2 }
}

func shufps(imm, i, _ int) int { return i&2<<5 + i&^3 + imm>>(2*(i%4))&3 }
func shufpd(imm, i, _ int) int { return i&1<<6 + i&^1 + imm>>i&1 }

func alignBytes(imm, i, _ int) int {
	switch j := i%16 + imm; {
	case j < 16:
		return second(i&^15 + j)
	case j < 32:
		return i&^15 + j - 16
	}
	return nowhere
}

func alignElements(imm, i, n int) int {
	if i += imm & (n - 1); i >= n {
		return i - n
	}
	return second(i)
}

func quarters(imm, i, _ int) int { return i&^3 + imm>>(2*(i&3))&3 }

func halves(imm, i, _ int) int {
	c := imm >> (i / 2 * 4)
	if c&8 != 0 {
		return nowhere
	}
	return c&2<<5 + c&1*2 + i&1
}

// blocks chooses 128 bits of the first source for the low half, and of the second for the high one.
func blocks(per int) func(imm, i, n int) int {
	return func(imm, i, n int) int {
		l, bits := i/per, 1
		if n/per == 4 {
			bits = 2
		}
		from := imm >> (l * bits) & (1<<bits - 1) * per
		return l/(n/per/2)*64 + from + i%per
	}
}

func blend(width int) func(imm, i, n int) int {
	return func(imm, i, _ int) int { return imm>>(i%width)&1*64 + i }
}

// part is a kernel of a part of the source, of some bytes, that the immediate selects.
func part[T lane](bytes int) func(s *step) {
	return func(s *step) {
		static[T](1, nil0)(s)
		each := bytes / sizeof[T]()
		whole := s.n / each
		s.n = each
		s.picks(func(imm, i, _ int) int { return imm%whole*each + i })
	}
}

func nil0(_, i, _ int) int { return i }

// insert is a kernel that inserts the second source into the first.
func insert[T lane](bytes int) func(s *step) {
	each := bytes / sizeof[T]()
	return static[T](2, func(imm, i, n int) int {
		if at := imm % (n / each) * each; i >= at && i < at+each {
			return second(i - at)
		}
		return i
	})
}

// repeat is a kernel that repeats the first bytes of the source.
func repeat[T lane](bytes int) func(s *step) {
	return static[T](1, func(_, i, _ int) int { return i % (bytes / sizeof[T]()) })
}

// byIndex is a kernel that selects elements of tables by indices; the parameters are the numbers of the sources.
func byIndex[T uint8 | uint16 | uint32 | uint64](index, first, second int) func(s *step) {
	bind := func(s *step) {
		sources := 2
		if first != second {
			sources = 3
		}
		s.vector(sizeof[T](), sizeof[T](), sources, func(m *Machine, s *step) {
			x, a, b, d := of[T](m.x[index], s.n), of[T](m.x[first], s.n), of[T](m.x[second], s.n), of[T](&m.d, s.n)
			n := T(s.n)
			for i := range d {
				if k := x[i]; k&n != 0 {
					d[i] = b[k&(n-1)]
				} else {
					d[i] = a[k&(n-1)]
				}
			}
		})
	}
	if first != second {
		bind = merging(bind)
	}
	return entire(bind)
}

// either is one semantics with an immediate, and another without.
func either(imm, plain func(s *step)) func(s *step) {
	return func(s *step) {
		if s.hasImm {
			imm(s)
		} else {
			plain(s)
		}
	}
}

// dynamic is a kernel that selects elements of the first source by those of the second.
func dynamic[T uint8 | uint32 | uint64](f func(x T, i int) int) func(s *step) {
	return entire(func(s *step) {
		s.vector(sizeof[T](), sizeof[T](), 2, func(m *Machine, s *step) {
			a, x, d := of[T](m.x[0], s.n), of[T](m.x[1], s.n), of[T](&m.d, s.n)
			for i := range d {
				if d[i] = 0; f(x[i], i) != nowhere {
					d[i] = a[f(x[i], i)]
				}
			}
		})
	})
}

func shuffleByte(x uint8, i int) int {
	if x&0x80 != 0 {
		return nowhere
	}
	return i&^15 + int(x&15)
}

// pack is a kernel that narrows elements of both sources to half their size, in each 128 bits.
func pack[F, T lane](signed bool) func(s *step) {
	return entire(func(s *step) {
		s.vector(sizeof[T](), sizeof[T](), 2, func(m *Machine, s *step) {
			d, half := of[T](&m.d, s.n), 8/sizeof[T]()
			for i := range d {
				j := i % (2 * half)
				x := of[F](m.x[j/half], s.n/2)
				d[i] = T(within(int64(x[i/(2*half)*half+j%half]), uint(8*sizeof[T]()), signed))
			}
		})
	})
}

// chosen is a kernel of a blend: elements of the second source where those of the third are negative.
func chosen[T int8 | int32 | int64](s *step) {
	s.vector(sizeof[T](), sizeof[T](), 3, func(m *Machine, s *step) {
		a, b, c, d := of[T](m.x[0], s.n), of[T](m.x[1], s.n), of[T](m.x[2], s.n), of[T](&m.d, s.n)
		for i := range d {
			if d[i] = a[i]; c[i] < 0 {
				d[i] = b[i]
			}
		}
	})
}

// blendMasked is a kernel of a blend: elements of the second source where the mask is set, else of the first.
func blendMasked[T lane](s *step) {
	s.vector(sizeof[T](), sizeof[T](), 2, func(m *Machine, s *step) {
		m.d = *m.x[1]
		merge[T](&m.d, m.x[0], s.n, m.keep, s.zero)
		m.keep = ^uint64(0)
	})
}

// compress packs the elements of the mask.
func compress[T lane](s *step) {
	s.vector(sizeof[T](), sizeof[T](), 1, nil)
	s.run = func(m *Machine, s *step) {
		m.sources(s)
		a, d, k := of[T](m.x[0], s.n), of[T](&m.d, s.n), 0
		for i := range a {
			if m.keep>>i&1 != 0 {
				d[k] = a[i]
				k++
			}
		}
		m.keep = 1<<k - 1
		m.result(s)
	}
}

// expand moves the first elements to those of the mask, in order.
func expand[T lane](s *step) {
	s.vector(sizeof[T](), sizeof[T](), 1, nil)
	s.src[0].lanes = false
	s.run = func(m *Machine, s *step) {
		a, k := &s.src[0], 0
		var x vec
		m.keep = ^uint64(0)
		if s.mask != 0 {
			m.keep = m.K[s.mask]
		}
		if a.sort == vector {
			x = m.V[a.reg]
		}
		d := of[T](&m.d, s.n)
		for i := range d {
			if m.keep>>i&1 == 0 {
				continue
			}
			if a.sort == vector {
				d[i] = of[T](&x, s.n)[k]
			} else {
				d[i] = T(read(m.addr(a)+uint64(k*s.elem), s.elem))
			}
			k++
		}
		m.result(s)
	}
}

// narrow truncates an element to a smaller size; nearest saturates it.
func narrow[F, T lane](_ *Machine, _ *step, a F) T { return T(a) }

func nearest[F, T lane](_ *Machine, _ *step, a F) T {
	n := uint(8 * sizeof[T]())
	if F(0)-1 < 0 {
		return T(within(int64(a), n, true))
	}
	return T(min(uint64(a), 1<<n-1))
}

// fromMask expands the bits of a mask register to elements.
func fromMask(elem int) func(s *step) {
	return func(s *step) {
		s.vector(elem, elem, 0, func(m *Machine, s *step) {
			for i := range s.n {
				m.d.set(i, s.elem, -(m.K[s.src[0].reg] >> i & 1))
			}
		})
	}
}

// signs are the highest bits of elements, in a mask or a general register.
func signs(elem int) func(s *step) {
	return func(s *step) {
		s.vector(elem, elem, 1, nil)
		s.run = func(m *Machine, s *step) {
			m.sources(s)
			r := uint64(0)
			for i := range s.n {
				r |= m.x[0].get(i, s.elem) >> (8*s.elem - 1) << i
			}
			if s.dst.sort == maskReg {
				m.K[s.dst.reg] = r
			} else {
				m.put(&s.dst, r)
			}
		}
	}
}

// bitsOf extracts bytes of 64 bits at any bit offset.
func bitsOf(s *step) {
	s.vector(1, 1, 2, func(m *Machine, s *step) {
		x, d := of[uint8](m.x[0], s.n), of[uint8](&m.d, s.n)
		for i := range d {
			d[i] = uint8(rotate(m.x[1][i/8], -uint64(x[i]&63)))
		}
	})
	s.src[1].lanes = false
}
