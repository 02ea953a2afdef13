package emul

import "fmt"

// vector makes the step that of a kernel: with elements of elem bytes in the result, as many as there are of unit
// bytes in a vector, and with that many sources.
func (s *step) vector(elem, unit, sources int, kernel func(m *Machine, s *step)) {
	s.elem, s.n, s.count, s.kernel, s.run = elem, s.bytes/unit, sources, kernel, runVector
	for i := range sources {
		s.src[i].lanes = s.mask != 0 && s.src[i].sort == memory && s.src[i].bcst == 0 && s.src[i].size%s.n == 0
	}
}

// entire says that all of a memory operand is read whatever the mask is: elements move to other positions.
func entire(bind func(s *step)) func(s *step) {
	return func(s *step) {
		bind(s)
		for i := range s.src {
			s.src[i].lanes = false
		}
	}
}

// merging makes the destination the first source of a step.
func merging(bind func(s *step)) func(s *step) {
	return func(s *step) {
		bind(s)
		s.count--
		s.merge = true
		s.src[0].lanes = s.mask != 0 && s.src[0].sort == memory && s.src[0].bcst == 0
		if s.count > 1 {
			s.src[1].lanes = s.mask != 0 && s.src[1].sort == memory && s.src[1].bcst == 0
		}
	}
}

func runVector(m *Machine, s *step) {
	m.sources(s)
	s.kernel(m, s)
	m.result(s)
}

// sources loads the sources of a step.
func (m *Machine) sources(s *step) {
	m.keep = ^uint64(0)
	if s.mask != 0 {
		m.keep = m.K[s.mask]
	}
	k := 0
	if s.merge {
		m.x[0], k = &m.V[s.dst.reg], 1
	}
	for i := range s.count {
		if a := &s.src[i]; a.sort == vector {
			m.x[k] = &m.V[a.reg]
		} else {
			m.tmp[i] = vec{}
			m.fetch(a, s, &m.tmp[i])
			m.x[k] = &m.tmp[i]
		}
		k++
	}
}

// fetch reads a source that is no vector register.
func (m *Machine) fetch(a *arg, s *step, v *vec) {
	if a.sort != memory {
		v[0] = m.get(a)
		return
	}
	at := m.addr(a)
	if s.whole {
		aligned(at, a.size)
	}
	switch {
	case a.bcst != 0:
		if s.mask == 0 || m.keep&(1<<(s.n-1)<<1-1) != 0 {
			v.fill(read(at, int(a.bcst)), int(a.bcst))
		}
	case a.lanes:
		each := a.size / s.n
		for i := range s.n {
			if m.keep>>i&1 != 0 {
				v.set(i, each, read(at+uint64(i*each), each))
			}
		}
	default:
		readVec(v, at, a.size)
	}
}

// aligned panics if memory is misaligned.
func aligned(at uint64, bytes int) {
	if at%uint64(bytes) != 0 {
		panic(fmt.Sprintf("emul: %d bytes at %#x are not aligned", bytes, at))
	}
}

// fill sets all elements to x.
func (v *vec) fill(x uint64, bytes int) {
	switch bytes {
	case 1:
		x *= 0x0101010101010101
	case 2:
		x *= 0x0001000100010001
	case 4:
		x |= x << 32
	}
	for i := range v {
		v[i] = x
	}
}

// result stores m.d.
func (m *Machine) result(s *step) {
	switch {
	case s.dst.sort == memory:
		m.toMemory(s)
		return
	case s.scalar:
		m.scalarResult(s)
		return
	}
	d := &m.V[s.dst.reg]
	if s.mask != 0 {
		m.masked(s, d)
	}
	switch n := s.n * s.elem; n {
	case 64:
		*d = m.d
	case 32:
		*d = vec{m.d[0], m.d[1], m.d[2], m.d[3]}
	case 16:
		*d = vec{m.d[0], m.d[1]}
	case 8:
		*d = vec{m.d[0]}
	default:
		*d = vec{m.d[0] & (1<<(8*n) - 1)}
	}
}

// masked restores the elements outside the mask, or makes them 0.
func (m *Machine) masked(s *step, old *vec) {
	switch s.elem {
	case 8:
		merge[uint64](&m.d, old, s.n, m.keep, s.zero)
	case 4:
		merge[uint32](&m.d, old, s.n, m.keep, s.zero)
	case 2:
		merge[uint16](&m.d, old, s.n, m.keep, s.zero)
	default:
		merge[uint8](&m.d, old, s.n, m.keep, s.zero)
	}
}

func merge[T lane](d, old *vec, n int, keep uint64, zero bool) {
	x, y := of[T](d, n), of[T](old, n)
	for i := range x {
		if keep>>i&1 != 0 {
			continue
		}
		if x[i] = 0; !zero {
			x[i] = y[i]
		}
	}
}

// toMemory stores the elements of the mask to memory.
func (m *Machine) toMemory(s *step) {
	at := m.addr(&s.dst)
	if s.whole {
		aligned(at, s.dst.size)
	}
	if s.mask == 0 {
		writeVec(&m.d, at, s.n*s.elem)
		return
	}
	for i := range s.n {
		if m.keep>>i&1 != 0 {
			write(at+uint64(i*s.elem), s.elem, m.d.get(i, s.elem))
		}
	}
}

// scalarResult stores one element, with those of the first source above it.
func (m *Machine) scalarResult(s *step) {
	d := &m.V[s.dst.reg]
	x := m.d.get(0, s.elem)
	if s.mask != 0 && m.keep&1 == 0 {
		if x = 0; !s.zero {
			x = d.get(0, s.elem)
		}
	}
	top := m.V[s.top.reg]
	*d = vec{top[0], top[1]}
	d.set(0, s.elem, x)
}

// zip is a kernel of a function of two elements.
func zip[T lane](f func(a, b T) T) func(s *step) {
	return func(s *step) {
		s.vector(sizeof[T](), sizeof[T](), 2, func(m *Machine, s *step) {
			a, b, d := of[T](m.x[0], s.n), of[T](m.x[1], s.n), of[T](&m.d, s.n)
			for i := range d {
				d[i] = f(a[i], b[i])
			}
		})
	}
}

// each is a kernel of a function of one element.
func each[T lane](f func(a T) T) func(s *step) {
	return func(s *step) {
		s.vector(sizeof[T](), sizeof[T](), 1, func(m *Machine, s *step) {
			a, d := of[T](m.x[0], s.n), of[T](&m.d, s.n)
			for i := range d {
				d[i] = f(a[i])
			}
		})
	}
}

// zip3 is a kernel of a function of three elements; the first are those of the destination.
func zip3[T lane](f func(a, b, c T) T) func(s *step) {
	return merging(func(s *step) {
		s.vector(sizeof[T](), sizeof[T](), 3, func(m *Machine, s *step) {
			a, b, c, d := of[T](m.x[0], s.n), of[T](m.x[1], s.n), of[T](m.x[2], s.n), of[T](&m.d, s.n)
			for i := range d {
				d[i] = f(a[i], b[i], c[i])
			}
		})
	})
}

// bitwise is a kernel of a function of all bits; elem is the element size of masks.
func bitwise(elem int, f func(a, b uint64) uint64) func(s *step) {
	return func(s *step) {
		s.vector(elem, elem, 2, func(m *Machine, s *step) {
			a, b := m.x[0], m.x[1]
			for i := range (s.bytes + 7) / 8 {
				m.d[i] = f(a[i], b[i])
			}
		})
	}
}

// converted is a kernel of a function from elements of one size to those of another.
func converted[F, T lane](f func(m *Machine, s *step, a F) T) func(s *step) {
	return func(s *step) {
		s.vector(sizeof[T](), max(sizeof[F](), sizeof[T]()), 1, func(m *Machine, s *step) {
			a, d := of[F](m.x[0], s.n), of[T](&m.d, s.n)
			for i := range d {
				d[i] = f(m, s, a[i])
			}
		})
	}
}

// tests is a comparison of elements: one bit each in a mask register, or an element of all ones in a vector.
func tests[T lane](sources int, f func(m *Machine, s *step, a, b T) bool) func(s *step) {
	return func(s *step) {
		s.vector(sizeof[T](), sizeof[T](), sources, nil)
		s.test = func(m *Machine, s *step) (r uint64) {
			a, b := of[T](m.x[0], s.n), of[T](m.x[sources-1], s.n)
			for i := range a {
				if f(m, s, a[i], b[i]) {
					r |= 1 << i
				}
			}
			return r
		}
		s.run = runTest
		if s.dst.sort == vector {
			s.kernel = spread
			s.run = runVector
		}
	}
}

// runTest leaves bits in a mask register, 0 outside the mask.
func runTest(m *Machine, s *step) {
	m.sources(s)
	m.K[s.dst.reg] = s.test(m, s) & m.keep
}

// spread expands bits to elements.
func spread(m *Machine, s *step) {
	r := s.test(m, s)
	for i := range s.n {
		m.d.set(i, s.elem, -(r >> i & 1))
	}
}

// scalars is a step of one element: with three operands the first source has the other elements of the result. unary
// says that only the last source counts.
func scalars(bind func(s *step), unary bool) func(s *step) {
	return func(s *step) {
		s.top = s.src[0]
		if unary {
			s.src[0], s.src[1] = s.src[1], s.src[2]
		}
		bind(s)
		s.n, s.scalar = 1, true
		if s.merge {
			s.top = s.dst
		}
		for i := range s.src {
			a := &s.src[i]
			a.lanes = s.mask != 0 && a.sort == memory
		}
	}
}
