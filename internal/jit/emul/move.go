package emul

// move is a step that copies a vector; if whole is set memory must be aligned.
func move(elem int, whole bool) func(s *step) {
	return func(s *step) {
		s.vector(elem, elem, 1, copied)
		s.whole = whole
		switch a := &s.src[0]; {
		case s.mask != 0:
		case s.dst.sort == memory && !whole:
			s.run = store
		case s.dst.sort == vector && a.sort == memory && !whole:
			s.run = load
		}
	}
}

func copied(m *Machine, _ *step) { m.d = *m.x[0] }

func load(m *Machine, s *step) {
	var v vec
	readVec(&v, m.addr(&s.src[0]), s.bytes)
	m.V[s.dst.reg] = v
}

func store(m *Machine, s *step) { writeVec(&m.V[s.src[0].reg], m.addr(&s.dst), s.bytes) }

// one is a step that moves one element: from or to memory, or from one register to another.
func one(elem int) func(s *step) {
	return func(s *step) {
		if s.src[1].sort == vector {
			scalars(func(s *step) { s.vector(elem, elem, 1, copied) }, true)(s)
			return
		}
		s.vector(elem, 16, 1, copied)
	}
}

// low is a step that moves the low bits of a vector to or from any other operand.
func low(bytes int) func(s *step) {
	return func(s *step) {
		s.run = func(m *Machine, s *step) {
			v := m.V[s.src[0].reg&31][0]
			if s.src[0].sort != vector {
				v = m.get(&s.src[0])
			}
			if bytes == 4 {
				v = uint64(uint32(v))
			}
			if s.dst.sort == vector {
				m.V[s.dst.reg] = vec{v}
			} else {
				m.put(&s.dst, v)
			}
		}
	}
}

// half moves 64 bits from or to memory; the other half is that of another register.
func half(high int) func(s *step) {
	return func(s *step) {
		s.run = func(m *Machine, s *step) {
			if s.dst.sort == memory {
				m.put(&s.dst, m.V[s.src[0].reg][high])
				return
			}
			a := &m.V[s.src[0].reg]
			v := vec{a[0], a[1]}
			v[high] = m.get(&s.src[1])
			m.V[s.dst.reg] = v
		}
	}
}

// takeOut extracts an element of a vector to a general register or memory.
func takeOut(bytes int) func(s *step) {
	return func(s *step) {
		s.run = func(m *Machine, s *step) {
			m.put(&s.dst, m.V[s.src[0].reg].get(int(s.imm)&(16/bytes-1), bytes))
		}
	}
}

// putIn inserts an element into a vector.
func putIn(bytes int) func(s *step) {
	return func(s *step) {
		s.run = func(m *Machine, s *step) {
			a := &m.V[s.src[0].reg]
			v := vec{a[0], a[1]}
			v.set(int(s.imm)&(16/bytes-1), bytes, m.get(&s.src[1]))
			m.V[s.dst.reg] = v
		}
	}
}

func insertps(s *step) {
	s.run = func(m *Machine, s *step) {
		x := uint64(0)
		if b := &s.src[1]; b.sort == vector {
			x = m.V[b.reg].get(int(s.imm>>6&3), 4)
		} else {
			x = m.get(b)
		}
		a := &m.V[s.src[0].reg]
		v := vec{a[0], a[1]}
		v.set(int(s.imm>>4&3), 4, x)
		for i := range 4 {
			if s.imm>>i&1 != 0 {
				v.set(i, 4, 0)
			}
		}
		m.V[s.dst.reg] = v
	}
}

// maskedMove loads or stores the elements whose mask, an element of a vector, is negative.
func maskedMove(elem int) func(s *step) {
	return func(s *step) {
		s.run = func(m *Machine, s *step) {
			mask, v := m.V[s.src[0].reg], vec{}
			for i := range s.bytes / elem {
				if mask.get(i, elem)>>(8*elem-1) == 0 {
					continue
				}
				if s.dst.sort == memory {
					write(m.addr(&s.dst)+uint64(i*elem), elem, m.V[s.src[1].reg].get(i, elem))
				} else {
					v.set(i, elem, read(m.addr(&s.src[1])+uint64(i*elem), elem))
				}
			}
			if s.dst.sort == vector {
				m.V[s.dst.reg] = v
			}
		}
	}
}

// moves copy vectors, in whole and in part.
func moves() []row {
	return []row{
		{"vmovups", move(4, false)}, {"vmovupd", move(8, false)}, {"vmovaps", move(4, true)}, {"vmovapd", move(8, true)},
		{"vmovdqa", move(8, true)}, {"vmovdqu", move(8, false)}, {"vmovdqa32", move(4, true)}, {"vmovdqa64", move(8, true)},
		{"vmovdqu8", move(1, false)}, {"vmovdqu16", move(2, false)}, {"vmovdqu32", move(4, false)}, {"vmovdqu64", move(8, false)},
		{"vmovntdqa", move(8, true)}, {"vmovntdq", move(8, true)}, {"vmovntps", move(4, true)},
		{"vmovss", one(4)}, {"vmovsd", one(8)}, {"vmovd", low(4)}, {"vmovq", low(8)},
		{"vmovlps", half(0)}, {"vmovhps", half(1)},
		{"vmovhlps", static[uint64](2, func(_, i, _ int) int { return []int{second(1), 1}[i] })},
		{"vmovlhps", static[uint64](2, func(_, i, _ int) int { return []int{0, second(0)}[i] })},
		{"vmovddup", static[uint64](1, func(_, i, _ int) int { return i &^ 1 })},
		{"vmovshdup", static[uint32](1, func(_, i, _ int) int { return i | 1 })},
		{"vmovsldup", static[uint32](1, func(_, i, _ int) int { return i &^ 1 })},
		{"vmovmskps", signs(4)}, {"vmovmskpd", signs(8)}, {"vpmovmskb", signs(1)},
		{"vpextrb", takeOut(1)}, {"vpextrw", takeOut(2)}, {"vpextrd", takeOut(4)}, {"vpextrq", takeOut(8)}, {"vextractps", takeOut(4)},
		{"vpinsrb", putIn(1)}, {"vpinsrw", putIn(2)}, {"vpinsrd", putIn(4)}, {"vpinsrq", putIn(8)}, {"vinsertps", insertps},
		{"vmaskmovps", maskedMove(4)}, {"vmaskmovpd", maskedMove(8)}, {"vpmaskmovd", maskedMove(4)}, {"vpmaskmovq", maskedMove(8)},
	}
}

// gather loads elements at the indices in a vector; the mask, a register or a vector, is cleared.
func gather(index, elem int) func(s *step) {
	return func(s *step) {
		s.n, s.elem = s.bytes/max(index, elem), elem
		s.run = func(m *Machine, s *step) {
			a, keep, d := &s.src[0], uint64(0), &m.V[s.dst.reg]
			if s.mask != 0 {
				keep = m.K[s.mask]
			} else {
				for i := range s.n {
					keep |= m.V[s.src[1].reg].get(i, elem) >> (8*elem - 1) << i
				}
			}
			v := vec{}
			for i := range s.n {
				if keep>>i&1 != 0 {
					v.set(i, elem, read(m.place(a, i, index), elem))
				} else {
					v.set(i, elem, d.get(i, elem))
				}
			}
			*d = v
			if s.mask != 0 {
				m.K[s.mask] = 0
			} else {
				m.V[s.src[1].reg] = vec{}
			}
		}
	}
}

// scatter stores elements at the indices in a vector, in ascending order.
func scatter(index, elem int) func(s *step) {
	return func(s *step) {
		s.n = s.bytes / max(index, elem)
		s.run = func(m *Machine, s *step) {
			for i := range s.n {
				if m.K[s.mask]>>i&1 != 0 {
					write(m.place(&s.dst, i, index), elem, m.V[s.src[0].reg].get(i, elem))
				}
			}
			m.K[s.mask] = 0
		}
	}
}

// place returns the address with element i of a vector as index.
func (m *Machine) place(a *arg, i, index int) uint64 {
	x := m.V[a.reg].get(i, index)
	return m.R[a.base] + uint64(extend(x, uint(8*index)))<<a.scale + a.imm
}

func gathers() (list []row) {
	for _, g := range []struct {
		letters     string
		index, elem int
	}{{"dd", 4, 4}, {"qd", 8, 4}, {"dq", 4, 8}, {"qq", 8, 8}} {
		list = append(list, row{"vpgather" + g.letters, gather(g.index, g.elem)}, row{"vpscatter" + g.letters, scatter(g.index, g.elem)})
	}
	for _, g := range []struct {
		letters     string
		index, elem int
	}{{"dps", 4, 4}, {"qps", 8, 4}, {"dpd", 4, 8}, {"qpd", 8, 8}} {
		list = append(list, row{"vgather" + g.letters, gather(g.index, g.elem)}, row{"vscatter" + g.letters, scatter(g.index, g.elem)})
	}
	return list
}
