package emul

import "math/bits"

// conditions are the predicates of the flags that jumps, sets and moves test.
func conditions() map[string]func(m *Machine) bool {
	return map[string]func(m *Machine) bool{
		"o":  func(m *Machine) bool { return m.of },
		"no": func(m *Machine) bool { return !m.of },
		"b":  func(m *Machine) bool { return m.cf },
		"ae": func(m *Machine) bool { return !m.cf },
		"e":  func(m *Machine) bool { return m.zf },
		"ne": func(m *Machine) bool { return !m.zf },
		"be": func(m *Machine) bool { return m.cf || m.zf },
		"a":  func(m *Machine) bool { return !m.cf && !m.zf },
		"s":  func(m *Machine) bool { return m.sf },
		"ns": func(m *Machine) bool { return !m.sf },
		"p":  func(m *Machine) bool { return m.pf },
		"np": func(m *Machine) bool { return !m.pf },
		"l":  func(m *Machine) bool { return m.sf != m.of },
		"ge": func(m *Machine) bool { return m.sf == m.of },
		"le": func(m *Machine) bool { return m.zf || m.sf != m.of },
		"g":  func(m *Machine) bool { return !m.zf && m.sf == m.of },
	}
}

// generals work on general registers. Source: Intel's manual, volume 2, by name.
func generals() []row {
	list := plainGenerals()
	for name, cond := range conditions() {
		list = append(list,
			row{"j" + name, func(s *step) { s.cond, s.last, s.run = cond, true, jumpIf }},
			row{"set" + name, made(func(m *Machine, _ *step) uint64 { return bit(cond(m)) })},
			row{"cmov" + name, made(func(m *Machine, s *step) uint64 {
				v := m.get(&s.src[0])
				if cond(m) {
					return v
				}
				return m.get(&s.dst)
			})})
	}
	return list
}

func jumpIf(m *Machine, s *step) {
	if m.ip = s.next; s.cond(m) {
		m.ip = s.target
	}
}

// jmp jumps to an address, or to one in a register or memory.
func jmp(s *step) {
	s.last = true
	s.run = func(m *Machine, s *step) { m.ip = s.target }
	if s.target == 0 {
		s.run = func(m *Machine, s *step) { m.ip = uintptr(m.get(&s.dst)) }
	}
}

func ret(s *step) { s.last, s.run = true, func(m *Machine, _ *step) { m.ip = 0 } }

func stop(s *step) {
	s.last, s.run = true, func(*Machine, *step) { panic("emul: a trap") }
}

func plainGenerals() []row {
	return []row{
		{"add", changed(add)}, {"adc", changed(adc)}, {"sub", changed(sub)}, {"sbb", changed(sbb)},
		{"and", changed(and)}, {"or", changed(or)}, {"xor", changed(xor)}, {"cmp", looked(sub)}, {"test", looked(and)},
		{"not", changed(not)}, {"neg", changed(neg)}, {"inc", changed(inc)}, {"dec", changed(dec)},
		{"shl", changed(shl)}, {"shr", changed(shr)}, {"sar", changed(sar)}, {"rol", changed(rol)}, {"ror", changed(ror)},
		{"xadd", xadd}, {"cmpxchg", cmpxchg},
		{"imul", imul}, {"mul", mul}, {"mulx", mulx},
		{"mov", mov}, {"movzx", mov}, {"movsx", made(movsx)}, {"movsxd", made(movsx)}, {"lea", lea},
		{"jmp", jmp}, {"ret", ret}, {"int3", stop}, {"ud2", stop},
		{"nop", nop}, {"prefetcht0", nop}, {"prefetchw", nop},
		{"cmc", func(s *step) { s.run = func(m *Machine, _ *step) { m.cf = !m.cf } }},
		{"clc", func(s *step) { s.run = func(m *Machine, _ *step) { m.cf = false } }},
		{"stc", func(s *step) { s.run = func(m *Machine, _ *step) { m.cf = true } }},

		{"bswap", func(s *step) {
			s.run = func(m *Machine, s *step) { m.put(&s.dst, bits.ReverseBytes64(m.get(&s.dst))>>(64-s.size)) }
		}},
		{"tzcnt", oneOf(func(m *Machine, a uint64, n uint) uint64 {
			r := min(uint64(bits.TrailingZeros64(a)), uint64(n))
			m.cf, m.zf = a == 0, r == 0
			return r
		})},
		{"lzcnt", oneOf(func(m *Machine, a uint64, n uint) uint64 {
			r := uint64(bits.LeadingZeros64(a)) - uint64(64-n)
			m.cf, m.zf = a == 0, r == 0
			return r
		})},
		{"popcnt", oneOf(func(m *Machine, a uint64, _ uint) uint64 {
			m.cf, m.pf, m.zf, m.sf, m.of = false, false, a == 0, false, false
			return uint64(bits.OnesCount64(a))
		})},

		{"andn", twoOf(func(m *Machine, a, b uint64, n uint) uint64 { return logicKeepsPF(m, ^a&b, n) })},
		{"blsr", oneOf(func(m *Machine, a uint64, n uint) uint64 { return lowest(m, a&(a-1), n, a == 0) })},
		{"blsmsk", oneOf(func(m *Machine, a uint64, n uint) uint64 { return lowest(m, a^(a-1), n, a == 0) })},
		{"blsi", oneOf(func(m *Machine, a uint64, n uint) uint64 { return lowest(m, a&-a, n, a != 0) })},
		{"bzhi", twoOf(func(m *Machine, a, b uint64, n uint) uint64 {
			i := uint(b & 0xff)
			return lowest(m, a&(1<<min(i, n)-1), n, i > n-1)
		})},
		{"bextr", twoOf(func(m *Machine, a, b uint64, n uint) uint64 {
			p := m.pf
			r := m.logic(a>>(b&0xff)&(1<<(b>>8&0xff)-1), n)
			m.pf = p
			return r
		})},
		{"rorx", twoOf(func(_ *Machine, a, b uint64, n uint) uint64 { return a>>places(b, n) | a<<(n-places(b, n)) })},
		{"sarx", twoOf(func(_ *Machine, a, b uint64, n uint) uint64 { return uint64(extend(a, n) >> places(b, n)) })},
		{"shlx", twoOf(func(_ *Machine, a, b uint64, n uint) uint64 { return a << places(b, n) })},
		{"shrx", twoOf(func(_ *Machine, a, b uint64, n uint) uint64 { return a >> places(b, n) })},
		{"pdep", twoOf(func(_ *Machine, a, b uint64, _ uint) (r uint64) {
			for ; b != 0; b &= b - 1 {
				r |= a & 1 * (b & -b)
				a >>= 1
			}
			return r
		})},
		{"pext", twoOf(func(_ *Machine, a, b uint64, _ uint) (r uint64) {
			for i := 0; b != 0; b &= b - 1 {
				r |= a >> bits.TrailingZeros64(b) & 1 << i
				i++
			}
			return r
		})},
	}
}

// logicKeepsPF is logic where PF is undefined.
func logicKeepsPF(m *Machine, r uint64, n uint) uint64 {
	p := m.pf
	r = m.logic(r, n)
	m.pf = p
	return r
}

// lowest returns the flags of instructions on the lowest set bit.
func lowest(m *Machine, r uint64, n uint, carry bool) uint64 {
	r = logicKeepsPF(m, r, n)
	m.cf = carry
	return r
}

// masks work on the low n bits of mask registers.
func masks() (list []row) {
	for _, k := range []struct {
		size string
		n    uint
	}{{"b", 8}, {"w", 16}, {"d", 32}, {"q", 64}} {
		for name, f := range maskOps() {
			list = append(list, row{"k" + name + k.size, func(s *step) {
				s.run = func(m *Machine, s *step) {
					a, b := m.K[s.src[0].reg], s.imm
					if s.src[1].sort == maskReg {
						b = m.K[s.src[1].reg]
					}
					keep := uint64(1)<<(k.n-1)<<1 - 1
					m.K[s.dst.reg] = f(a&keep, b) & keep
				}
			}})
		}
		list = append(list,
			row{"kmov" + k.size, kmov(k.n)},
			row{"kortest" + k.size, ktest(k.n, func(a, b uint64) (zero, ones uint64) { return a | b, ^(a | b) })},
			row{"ktest" + k.size, ktest(k.n, func(a, b uint64) (zero, ones uint64) { return a & b, ^a & b })})
	}
	for name, n := range map[string]uint{"kunpckbw": 8, "kunpckwd": 16, "kunpckdq": 32} {
		list = append(list, row{name, func(s *step) {
			s.run = func(m *Machine, s *step) {
				a, b := m.K[s.src[0].reg], m.K[s.src[1].reg]
				m.K[s.dst.reg] = (a<<n | b&(1<<n-1)) & (1<<(2*n-1)<<1 - 1)
			}
		}})
	}
	return append(list,
		row{"vldmxcsr", func(s *step) { s.run = func(m *Machine, s *step) { m.SetMXCSR(read32(m.addr(&s.dst))) } }},
		row{"vzeroupper", func(s *step) {
			s.run = func(m *Machine, _ *step) {
				for i := range m.V[:16] {
					clear(m.V[i][2:])
				}
			}
		}},
		row{"vzeroall", func(s *step) { s.run = func(m *Machine, _ *step) { clear(m.V[:16]) } }})
}

func maskOps() map[string]func(a, b uint64) uint64 {
	return map[string]func(a, b uint64) uint64{
		"and":    func(a, b uint64) uint64 { return a & b },
		"andn":   func(a, b uint64) uint64 { return ^a & b },
		"or":     func(a, b uint64) uint64 { return a | b },
		"xor":    func(a, b uint64) uint64 { return a ^ b },
		"xnor":   func(a, b uint64) uint64 { return ^(a ^ b) },
		"add":    func(a, b uint64) uint64 { return a + b },
		"not":    func(a, _ uint64) uint64 { return ^a },
		"shiftl": func(a, b uint64) uint64 { return a << (b & 0xff) },
		"shiftr": func(a, b uint64) uint64 { return a >> (b & 0xff) },
	}
}

// kmov moves between mask registers, general registers and memory; it zero-extends.
func kmov(n uint) func(s *step) {
	keep := uint64(1)<<(n-1)<<1 - 1
	return func(s *step) {
		if s.src[0].sort == memory {
			s.src[0].size = int(n / 8)
		}
		s.run = func(m *Machine, s *step) {
			v := m.K[s.src[0].reg&7]
			if s.src[0].sort != maskReg {
				v = m.get(&s.src[0])
			}
			switch v &= keep; s.dst.sort {
			case maskReg:
				m.K[s.dst.reg] = v
			default:
				m.put(&s.dst, v)
			}
		}
	}
}

// ktest sets ZF if one function of the masks is 0, and CF if the other is.
func ktest(n uint, f func(a, b uint64) (zero, ones uint64)) func(s *step) {
	keep := uint64(1)<<(n-1)<<1 - 1
	return func(s *step) {
		s.run = func(m *Machine, s *step) {
			z, o := f(m.K[s.dst.reg], m.K[s.src[0].reg])
			m.tested(z&keep == 0, o&keep == 0)
		}
	}
}

// tested returns the flags of tests of vectors and masks.
func (m *Machine) tested(zero, carry bool) {
	m.zf, m.cf, m.pf, m.sf, m.of = zero, carry, false, false, false
}
