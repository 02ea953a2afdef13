package emul

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/num"
)

// A vec is a vector register.
type vec [8]uint64

// noReg is the number of a general register that is always 0, for addresses without base or index.
const noReg = 16

// A Machine is a processor's state. It is not safe for concurrent use.
type Machine struct {
	R                  [17]uint64 // general registers, and 0
	V                  [32]vec
	K                  [8]uint64
	cf, pf, zf, sf, of bool
	mxcsr              uint32
	modes              [5]num.Mode // by rounding; 4: as MXCSR says
	ip                 uintptr     // of the next block; 0 after the last ret

	x    [3]*vec // sources of a vector instruction
	tmp  [3]vec  // those in memory
	d    vec     // its result
	keep uint64  // the active elements

	cache [1 << cacheBits]*block
	now   *block // which runs
	turn  int    // and the index of its step

	// Steps counts executed instructions.
	Steps uint64
}

// cacheBits is the logarithm of the number of cached blocks.
const cacheBits = 13

// A block is decoded code up to a jump, or the end of a page.
type block struct {
	at    uintptr
	code  string
	steps []step
}

// A step is an instruction.
type step struct {
	run    func(m *Machine, s *step)
	kernel func(m *Machine, s *step)                       // of vector instructions: computes m.d from m.x
	test   func(m *Machine, s *step) uint64                // the same, with one bit per element
	change func(m *Machine, s *step, old uint64) uint64    // of general registers: computes the destination
	alu    func(m *Machine, a, b uint64, bits uint) uint64 // what change does
	after  func(m *Machine, s *step, old uint64)           // further effects
	cond   func(m *Machine) bool
	dst    arg
	src    [3]arg
	sort   sort
	n      int  // elements
	elem   int  // bytes of an element of the result
	bytes  int  // of vectors
	size   uint // bits of general operands
	imm    uint64
	mask   uint8
	zero   bool
	merge  bool // the destination is the first source
	scalar bool // one element; the others of 128 bits are those of top
	whole  bool // memory must be aligned to its size
	count  int  // number of vector sources, without the destination
	top    arg
	pick   []uint8 // the source of each element
	hasImm bool
	round  uint8   // 0 to 3, or 4: as MXCSR says
	target uintptr // of a jump
	last   bool    // of the block: sets the next address
	next   uintptr
	at     uintptr
}

// MXCSR is the control word.
func (m *Machine) MXCSR() uint32 { return m.mxcsr }

// rounds are the rounding modes in x86's numbering.
var rounds = [4]num.Mode{num.RNE, num.RDown, num.RUp, num.RZ}

// SetMXCSR loads the control word.
func (m *Machine) SetMXCSR(v uint32) {
	m.mxcsr = v
	mode := num.ModeSet | num.NaNFirst | num.NaNNegative
	if v&cpu.FlushOperands != 0 {
		mode |= num.FlushIn
	}
	if v&cpu.FlushResults != 0 {
		mode |= num.FlushOut | num.FlushUnbounded
	}
	for i, r := range rounds {
		m.modes[i] = mode | r
	}
	m.modes[4] = mode | rounds[v>>cpu.RoundingAt&3]
}

// machines are free machines.
var machines = sync.Pool{New: func() any { return new(Machine) }}

// Call executes the code at the address with the context, as package code does on the processor.
func Call(at uintptr, c *code.Context) {
	m := machines.Get().(*Machine)
	m.Call(at, c)
	machines.Put(m)
}

// Call is Call on this machine.
func (m *Machine) Call(at uintptr, c *code.Context) {
	rdi := uintptr(unsafe.Pointer(c))
	m.SetMXCSR(uint32(read32(uint64(rdi) + uint64(code.OffMXCSR))))
	m.Run(at, rdi)
}

// poison is the contents of registers at entry: always the same, and not usable.
var poison = func() (p struct {
	r [16]uint64
	v [32]vec
	k [8]uint64
}) {
	x := uint64(0x9e3779b97f4a7c15)
	next := func() uint64 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return x
	}
	for i := range p.r {
		p.r[i] = next() | 1<<63 // no address
	}
	for i := range p.v {
		for k := range p.v[i] {
			p.v[i][k] = next()
		}
	}
	for i := range p.k {
		p.k[i] = next()
	}
	return p
}()

// Numbers of the registers that code must preserve.
const (
	rsp = 4
	rbp = 5
	rdi = 7
)

// Run executes the code at the address, with a number in rdi, until it returns. MXCSR is as it was set.
func (m *Machine) Run(at, arg uintptr) {
	copy(m.R[:16], poison.r[:])
	m.V, m.K = poison.v, poison.k
	m.R[rdi] = uint64(arg)
	m.cf, m.pf, m.zf, m.sf, m.of = true, false, true, false, true
	defer m.explain()
	for m.ip = at; m.ip != 0; {
		b := m.find(m.ip)
		m.now = b
		for i := range b.steps {
			s := &b.steps[i]
			m.turn = i
			s.run(m, s)
		}
		m.Steps += uint64(len(b.steps))
	}
	m.now = nil
	if m.R[rsp] != poison.r[rsp] || m.R[rbp] != poison.r[rbp] {
		panic("emul: the code returns with another rsp or rbp")
	}
}

// explain adds to a panic at which instruction it occurred.
func (m *Machine) explain() {
	if m.now == nil {
		return
	}
	why := recover()
	s := &m.now.steps[m.turn]
	m.now = nil
	panic(fmt.Sprintf("%v, at %s", why, describe(s.at)))
}

// describe returns an instruction as text.
func describe(at uintptr) string {
	var in x86.Inst
	if err := decode(at, &in); err != nil {
		return fmt.Sprintf("%#x: %x", at, bytesAt(at, untilPage(at)))
	}
	return fmt.Sprintf("%#x: %x: %v", at, bytesAt(at, in.Len), &in)
}

// find returns the block at an address.
func (m *Machine) find(at uintptr) *block {
	p := &m.cache[(at^at>>cacheBits)&(1<<cacheBits-1)]
	if b := *p; b != nil && b.at == at && b.same() {
		return b
	}
	b := newBlock(at)
	*p = b
	return b
}

// pageBytes is the size of memory that is readable as a whole.
const pageBytes = 4096

// untilPage returns how many bytes of code may be read at an address: at most an instruction.
func untilPage(at uintptr) int { return int(min(pageBytes-at%pageBytes, 15)) }

// same reports whether the code is unchanged. Only the last instruction may extend into the next page, which then
// exists.
func (b *block) same() bool {
	n := min(len(b.code), int(pageBytes-b.at%pageBytes))
	return string(bytesAt(b.at, n)) == b.code[:n] && string(bytesAt(b.at+uintptr(n), len(b.code)-n)) == b.code[n:]
}

// decode reads the instruction at an address.
func decode(at uintptr, in *x86.Inst) error {
	err := x86.Decode(bytesAt(at, untilPage(at)), in)
	if err == x86.ErrShort {
		err = x86.Decode(bytesAt(at, 15), in)
	}
	return err
}

// newBlock decodes a block.
func newBlock(at uintptr) *block {
	b := &block{at: at}
	end := at
	for {
		s := newStep(end)
		b.steps = append(b.steps, s)
		end = s.next
		if s.last {
			break
		}
		if end/pageBytes != at/pageBytes {
			b.steps = append(b.steps, step{run: goOn, at: s.at, next: end})
			break
		}
	}
	b.code = string(bytesAt(at, int(end-at)))
	return b
}

// goOn ends a block that has no jump.
func goOn(m *Machine, s *step) { m.ip = s.next }
