package emul

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// flags returns those that depend only on the result.
func (m *Machine) flags(r uint64, n uint) uint64 {
	r &= 1<<(n-1)<<1 - 1
	m.zf = r == 0
	m.sf = r>>(n-1)&1 != 0
	m.pf = bits.OnesCount8(uint8(r))&1 == 0
	return r
}

// logic returns the flags of and, or, xor and test.
func (m *Machine) logic(r uint64, n uint) uint64 {
	m.cf, m.of = false, false
	return m.flags(r, n)
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// sum returns a+b+carry with its flags.
func (m *Machine) sum(a, b, carry uint64, n uint) uint64 {
	keep := uint64(1)<<(n-1)<<1 - 1
	a, b = a&keep, b&keep
	r, out := bits.Add64(a, b, carry)
	m.cf = out != 0 || r&^keep != 0
	m.of = (a^r)&(b^r)>>(n-1)&1 != 0
	return m.flags(r, n)
}

// difference returns a-b-borrow with its flags.
func (m *Machine) difference(a, b, borrow uint64, n uint) uint64 {
	keep := uint64(1)<<(n-1)<<1 - 1
	a, b = a&keep, b&keep
	r, out := bits.Sub64(a, b, borrow)
	m.cf = out != 0
	m.of = (a^b)&(a^r)>>(n-1)&1 != 0
	return m.flags(r, n)
}

func add(m *Machine, a, b uint64, n uint) uint64 { return m.sum(a, b, 0, n) }
func adc(m *Machine, a, b uint64, n uint) uint64 { return m.sum(a, b, bit(m.cf), n) }
func sub(m *Machine, a, b uint64, n uint) uint64 { return m.difference(a, b, 0, n) }
func sbb(m *Machine, a, b uint64, n uint) uint64 { return m.difference(a, b, bit(m.cf), n) }
func and(m *Machine, a, b uint64, n uint) uint64 { return m.logic(a&b, n) }
func or(m *Machine, a, b uint64, n uint) uint64  { return m.logic(a|b, n) }
func xor(m *Machine, a, b uint64, n uint) uint64 { return m.logic(a^b, n) }
func not(_ *Machine, a, _ uint64, _ uint) uint64 { return ^a }
func neg(m *Machine, a, _ uint64, n uint) uint64 { return m.difference(0, a, 0, n) }

func inc(m *Machine, a, _ uint64, n uint) uint64 {
	c := m.cf
	r := m.sum(a, 1, 0, n)
	m.cf = c
	return r
}

func dec(m *Machine, a, _ uint64, n uint) uint64 {
	c := m.cf
	r := m.difference(a, 1, 0, n)
	m.cf = c
	return r
}

// places returns the shift count: modulo 64 for 64-bit operands, else modulo 32.
func places(b uint64, n uint) uint {
	if n == 64 {
		return uint(b) & 63
	}
	return uint(b) & 31
}

// sign returns the highest of n bits.
func sign(a uint64, n uint) bool { return a>>(n-1)&1 != 0 }

// extend sign-extends a from n bits.
func extend(a uint64, n uint) int64 { return int64(a<<(64-n)) >> (64 - n) }

func shl(m *Machine, a, b uint64, n uint) uint64 {
	c := places(b, n)
	if c == 0 {
		return a
	}
	m.cf = c <= n && a>>(n-c)&1 != 0
	r := m.flags(a<<c, n)
	m.of = m.cf != m.sf
	return r
}

func shr(m *Machine, a, b uint64, n uint) uint64 {
	c := places(b, n)
	if c == 0 {
		return a
	}
	m.of = sign(a, n)
	m.cf = a>>(c-1)&1 != 0
	return m.flags(a>>c, n)
}

func sar(m *Machine, a, b uint64, n uint) uint64 {
	c := places(b, n)
	if c == 0 {
		return a
	}
	x := extend(a, n)
	m.of = false
	m.cf = x>>(c-1)&1 != 0
	return m.flags(uint64(x>>c), n)
}

func rol(m *Machine, a, b uint64, n uint) uint64 {
	c := places(b, n)
	if c == 0 {
		return a
	}
	c %= n
	r := (a<<c | a>>(n-c)) & (1<<(n-1)<<1 - 1)
	m.cf = r&1 != 0
	m.of = m.cf != sign(r, n)
	return r
}

func ror(m *Machine, a, b uint64, n uint) uint64 {
	c := places(b, n)
	if c == 0 {
		return a
	}
	c %= n
	r := (a>>c | a<<(n-c)) & (1<<(n-1)<<1 - 1)
	m.cf = sign(r, n)
	m.of = m.cf != (r>>(n-2)&1 != 0)
	return r
}

// changed is the step of an instruction that modifies its destination.
func changed(alu func(m *Machine, a, b uint64, n uint) uint64) func(s *step) {
	return func(s *step) {
		s.alu, s.run = alu, runChange
		s.change = func(m *Machine, s *step, old uint64) uint64 { return s.alu(m, old, m.get(&s.src[0]), s.size) }
	}
}

// looked is the step of an instruction that only sets flags.
func looked(alu func(m *Machine, a, b uint64, n uint) uint64) func(s *step) {
	return func(s *step) {
		s.alu = alu
		s.run = func(m *Machine, s *step) { s.alu(m, m.get(&s.dst), m.get(&s.src[0]), s.size) }
	}
}

func runChange(m *Machine, s *step) {
	if s.dst.sort == memory {
		at := m.addr(&s.dst)
		old := read(at, s.dst.size)
		write(at, s.dst.size, s.change(m, s, old))
		if s.after != nil {
			s.after(m, s, old)
		}
		return
	}
	old := m.get(&s.dst)
	r := s.change(m, s, old)
	if s.after != nil {
		s.after(m, s, old)
	}
	m.put(&s.dst, r)
}

// lockedChange is an atomic runChange.
func lockedChange(m *Machine, s *step) {
	at := m.addr(&s.dst)
	for {
		old, swap := watch(at, s.dst.size)
		if r := s.change(m, s, old); !swap(r) {
			continue
		}
		if s.after != nil {
			s.after(m, s, old)
		}
		return
	}
}

// watch is a number in memory, and what stores another if it is still there. Small ones are parts of a word of 32 bits.
//
//go:nocheckptr
func watch(addr uint64, bytes int) (old uint64, swap func(r uint64) bool) {
	if addr%uint64(bytes) != 0 {
		panic("emul: lock of memory that is not aligned")
	}
	if bytes == 8 {
		p := (*uint64)(at(addr))
		old = atomic.LoadUint64(p)
		return old, func(r uint64) bool { return atomic.CompareAndSwapUint64(p, old, r) }
	}
	p := (*uint32)(unsafe.Pointer(at(addr &^ 3)))
	low, n := 8*(addr&3), uint(8*bytes)
	all := atomic.LoadUint32(p)
	keep := uint32(1<<n - 1)
	old = uint64(all >> low & keep)
	return old, func(r uint64) bool {
		return atomic.CompareAndSwapUint32(p, all, all&^(keep<<low)|(uint32(r)&keep)<<low)
	}
}

// made is the step of an instruction that computes the destination from the sources only.
func made(f func(m *Machine, s *step) uint64) func(s *step) {
	return func(s *step) { s.run = func(m *Machine, s *step) { m.put(&s.dst, f(m, s)) } }
}

// twoOf is made for a function of two sources.
func twoOf(alu func(m *Machine, a, b uint64, n uint) uint64) func(s *step) {
	return made(func(m *Machine, s *step) uint64 { return alu(m, m.get(&s.src[0]), m.get(&s.src[1]), s.size) })
}

// oneOf is made for a function of one source.
func oneOf(alu func(m *Machine, a uint64, n uint) uint64) func(s *step) {
	return made(func(m *Machine, s *step) uint64 { return alu(m, m.get(&s.src[0]), s.size) })
}

func mov(s *step) {
	s.run = func(m *Machine, s *step) { m.put(&s.dst, m.get(&s.src[0])) }
	switch {
	case s.dst.size != 8 || s.src[0].size != 8:
	case s.dst.sort == general && s.src[0].sort == general:
		s.run = func(m *Machine, s *step) { m.R[s.dst.reg] = m.R[s.src[0].reg] }
	case s.dst.sort == general && s.src[0].sort == memory:
		s.run = func(m *Machine, s *step) { m.R[s.dst.reg] = read64(m.addr(&s.src[0])) }
	}
}

func lea(s *step) { s.run = func(m *Machine, s *step) { m.put(&s.dst, m.addr(&s.src[0])) } }

func movsx(m *Machine, s *step) uint64 {
	return uint64(extend(m.get(&s.src[0]), uint(8*s.src[0].size)))
}

func nop(s *step) { s.run = func(*Machine, *step) {} }

// xadd stores the old value in the other operand, before it stores the sum.
func xadd(s *step) {
	changed(add)(s)
	s.after = func(m *Machine, s *step, old uint64) { m.put(&s.src[0], old) }
}

// cmpxchg compares with the accumulator. Processors differ in the upper half of a register operand if the comparison
// fails, so only memory operands are supported.
func cmpxchg(s *step) {
	if s.dst.sort != memory {
		return
	}
	s.run = runChange
	s.change = func(m *Machine, s *step, old uint64) uint64 {
		m.difference(m.R[0], old, 0, s.size)
		if m.zf {
			return m.get(&s.src[0])
		}
		return old
	}
	s.after = func(m *Machine, s *step, old uint64) {
		if !m.zf {
			m.put(&arg{sort: general, size: s.dst.size}, old)
		}
	}
}

// Multiplications set the flags CF and OF; the others are undefined.
func imul(s *step) {
	if s.src[0].sort == nothing {
		s.run = func(m *Machine, s *step) { m.wide(s, true) }
		return
	}
	s.run = func(m *Machine, s *step) {
		a, b := m.get(&s.dst), m.get(&s.src[0])
		if s.src[1].sort != nothing {
			a = m.get(&s.src[1])
		}
		hi, lo := mulSigned(extend(a, s.size), extend(b, s.size))
		r := extend(lo, s.size)
		m.cf = r != int64(lo) || hi != uint64(r>>63)
		m.of = m.cf
		m.put(&s.dst, lo)
	}
}

func mulSigned(a, b int64) (hi, lo uint64) {
	hi, lo = bits.Mul64(uint64(a), uint64(b))
	return hi - uint64(a>>63)&uint64(b) - uint64(b>>63)&uint64(a), lo
}

func mul(s *step) { s.run = func(m *Machine, s *step) { m.wide(s, false) } }

// wide multiplies by the accumulator; the product has twice its size.
func (m *Machine) wide(s *step, signed bool) {
	n := s.size
	low, high := arg{sort: general, size: s.dst.size}, arg{sort: general, reg: 2, size: s.dst.size}
	a, b := m.get(&low), m.get(&s.dst)
	hi, lo := bits.Mul64(a, b)
	if signed {
		hi, lo = mulSigned(extend(a, n), extend(b, n))
	}
	if n < 64 {
		hi = lo >> n
	}
	m.put(&low, lo)
	m.put(&high, hi)
	m.cf = hi&(1<<(n-1)<<1-1) != 0
	if signed {
		m.cf = extend(hi, n) != extend(lo, n)>>63
	}
	m.of = m.cf
}

// mulx preserves the flags; if both destinations are one register, it gets the high half.
func mulx(s *step) {
	s.run = func(m *Machine, s *step) {
		a := arg{sort: general, reg: 2, size: s.dst.size}
		hi, lo := bits.Mul64(m.get(&a), m.get(&s.src[1]))
		if s.size == 32 {
			hi = lo >> 32
		}
		m.put(&s.src[0], lo)
		m.put(&s.dst, hi)
	}
}
