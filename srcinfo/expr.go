package srcinfo

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrOptimizedOut is the error of a variable without a location at an instruction.
var ErrOptimizedOut = errors.New("optimised out")

// A Machine provides the state that expressions read, in one lane of a wave.
type Machine interface {
	// Register returns the value of a register of 32 bits, or of the PC or EXEC.
	Register(n uint64) (uint64, error)
	// Memory returns size bytes of memory.
	Memory(space Space, addr, size uint64) ([]byte, error)
}

// A Place says where a Piece is.
type Place uint8

const (
	Nowhere    Place = iota // optimised out
	InMemory                // Space, Addr
	InRegister              // Register
	Known                   // Bytes: it has no other place
)

// A Piece is a part of a variable, in the order of its bytes.
type Piece struct {
	Place    Place
	Size     uint64 // bytes; 0: the rest of the variable
	Space    Space
	Addr     uint64
	File     bool // Addr is one of the file, before loading
	Register uint64
	Bytes    []byte
}

// Locate returns where a variable is at an address of the file. The error is [ErrOptimizedOut] if it is nowhere.
func (v *Variable) Locate(addr uint64, f *Frame, m Machine) ([]Piece, error) {
	if v.Value != nil {
		return []Piece{{Place: Known, Bytes: v.Value}}, nil
	}
	for i := range v.where {
		l := &v.where[i]
		if l.to != 0 && (addr < l.from || addr >= l.to) {
			continue
		}
		if len(l.expr) == 0 {
			break
		}
		e := &evaluator{unit: v.unit, frame: f, machine: m, code: l.expr, inner: framePieces}
		return e.pieces()
	}
	return nil, ErrOptimizedOut
}

// A value of the stack is a number and its origin.
type value struct {
	n    uint64
	from origin
	reg  uint64 // of fromRegister
}

type origin uint8

const (
	computed     origin = iota
	constant            // written in the expression
	fromRegister        // the unmodified value of a register
	address             // of a frame
	fileAddress         // of the file
)

type evaluator struct {
	unit    *unit
	frame   *Frame
	machine Machine
	code    []byte
	stack   []value
	list    []Piece
	next    *Piece                                        // location so far; nil: the top of the stack is an address
	inner   func(f *Function, m Machine) ([]Piece, error) // location of the frame; nil in a frame expression
}

// framePieces returns the location of the frame of a function.
func framePieces(f *Function, m Machine) ([]Piece, error) {
	return (&evaluator{unit: f.unit, machine: m, code: f.frame}).pieces()
}

// maxOps limits the operations of one location, and maxStack the values on its stack.
const maxOps, maxStack = 4096, 256

// pieces runs a location expression to its end.
func (e *evaluator) pieces() ([]Piece, error) {
	if err := e.run(); err != nil {
		return nil, err
	}
	if e.next != nil || len(e.stack) > 0 {
		e.list = append(e.list, e.place(0))
	}
	if len(e.list) == 0 {
		return nil, ErrOptimizedOut
	}
	return e.list, nil
}

// place returns what has been described since the last piece.
func (e *evaluator) place(size uint64) (p Piece) {
	switch n := len(e.stack); {
	case e.next != nil:
		p = *e.next
	case n > 0:
		v := &e.stack[n-1]
		p = Piece{Place: InMemory, Addr: v.n, File: v.from == fileAddress}
		if v.from == address {
			p.Space = Private
		}
	}
	e.next, e.stack = nil, nil
	p.Size = size
	return p
}

func (e *evaluator) run() error {
	for n := 0; len(e.code) > 0; n++ {
		if n == maxOps || len(e.stack) > maxStack {
			return errors.New("its location is an expression without end")
		}
		op := e.code[0]
		e.code = e.code[1:]
		if err := e.do(op); err != nil {
			return err
		}
	}
	return nil
}

// Operations by their names in DWARF 5, 2.5 and 2.6.
const (
	opAddr, opDeref                                = 0x03, 0x06
	opConst1u, opConst1s, opConst2u, opConst2s     = 0x08, 0x09, 0x0a, 0x0b
	opConst4u, opConst4s, opConst8u, opConst8s     = 0x0c, 0x0d, 0x0e, 0x0f
	opConstu, opConsts, opDup, opDrop, opOver      = 0x10, 0x11, 0x12, 0x13, 0x14
	opSwap, opXderef, opAbs, opAnd, opDiv, opMinus = 0x16, 0x18, 0x19, 0x1a, 0x1b, 0x1c
	opMod, opMul, opNeg, opNot, opOr, opPlus       = 0x1d, 0x1e, 0x1f, 0x20, 0x21, 0x22
	opPlusUconst, opShl, opShr, opShra, opXor      = 0x23, 0x24, 0x25, 0x26, 0x27
	opEq, opGe, opGt, opLe, opLt, opNe             = 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e
	opLit0, opReg0, opBreg0, opRegx, opFbreg       = 0x30, 0x50, 0x70, 0x90, 0x91
	opBregx, opPiece, opDerefSize, opXderefSize    = 0x92, 0x93, 0x94, 0x95
	opNop, opImplicitValue, opStackValue           = 0x96, 0x9e, 0x9f
	opImplicitPointer, opAddrx, opConstx           = 0xa0, 0xa1, 0xa2
	opEntryValue, opConvert, opReinterpret         = 0xa3, 0xa8, 0xa9
	opGNUEntryValue                                = 0xf3
)

// do executes one operation.
func (e *evaluator) do(op byte) error {
	switch {
	case op >= opLit0 && op < opLit0+32:
		return e.push(value{n: uint64(op - opLit0), from: constant})
	case op >= opReg0 && op < opReg0+32:
		e.next = &Piece{Place: InRegister, Register: uint64(op - opReg0)}
		return nil
	case op >= opBreg0 && op < opBreg0+32:
		return e.based(uint64(op - opBreg0))
	case op >= opConst1u && op <= opConsts:
		return e.constant(op)
	case op >= opAbs && op <= opXor && op != opPlusUconst, op >= opEq && op <= opNe:
		return e.arithmetic(op)
	}
	if f := operations[op]; f != nil {
		return f(e)
	}
	return fmt.Errorf("its location uses DWARF operation %#x, which is not supported", op)
}

// operations are those with a function of their own.
var operations = [256]func(e *evaluator) error{
	opNop: func(*evaluator) error { return nil },
	opAddr: func(e *evaluator) error {
		n, err := e.fixed(8)
		return e.pushed(value{n: n, from: fileAddress}, err)
	},
	opAddrx: func(e *evaluator) error { return e.indexed(fileAddress) }, opConstx: func(e *evaluator) error { return e.indexed(constant) },
	opRegx: func(e *evaluator) error {
		n, err := e.uleb()
		e.next = &Piece{Place: InRegister, Register: n}
		return err
	},
	opBregx: func(e *evaluator) error {
		n, err := e.uleb()
		if err != nil {
			return err
		}
		return e.based(n)
	},
	opFbreg: (*evaluator).frameBased,
	opDup:   func(e *evaluator) error { return e.pick(0) }, opOver: func(e *evaluator) error { return e.pick(1) },
	opDrop: func(e *evaluator) error { _, err := e.pop(); return err },
	opSwap: func(e *evaluator) error {
		n := len(e.stack)
		if n < 2 {
			return errEmpty
		}
		e.stack[n-1], e.stack[n-2] = e.stack[n-2], e.stack[n-1]
		return nil
	},
	opPlusUconst: func(e *evaluator) error {
		n, err := e.uleb()
		v, err2 := e.pop()
		v.n += n
		if n != 0 && v.from != address && v.from != fileAddress {
			v.from = computed
		}
		return e.pushed(v, errors.Join(err, err2))
	},
	opDeref: func(e *evaluator) error { return e.deref(8) }, opXderef: (*evaluator).xderef,
	opDerefSize: func(e *evaluator) error {
		n, err := e.fixed(1)
		if err != nil {
			return err
		}
		return e.deref(n)
	},
	opStackValue: (*evaluator).stackValue, opImplicitValue: (*evaluator).implicitValue, opConvert: (*evaluator).convert, opReinterpret: (*evaluator).convert,
	opPiece: func(e *evaluator) error {
		n, err := e.uleb()
		if err == nil {
			e.list = append(e.list, e.place(n))
		}
		return err
	},
	opEntryValue: gone, opGNUEntryValue: gone, opImplicitPointer: gone,
}

// gone is an operation for which a debugger needs registers of callers.
func gone(*evaluator) error { return ErrOptimizedOut }

var (
	errEmpty = errors.New("its location takes more from the stack than is there")
	errShort = errors.New("its location ends in the middle of an operation")
)

func (e *evaluator) push(v value) error {
	e.stack = append(e.stack, v)
	return nil
}

func (e *evaluator) pushed(v value, err error) error {
	if err != nil {
		return err
	}
	return e.push(v)
}

func (e *evaluator) pop() (v value, err error) {
	n := len(e.stack)
	if n == 0 {
		return v, errEmpty
	}
	v, e.stack = e.stack[n-1], e.stack[:n-1]
	return v, nil
}

func (e *evaluator) pick(n int) error {
	if n >= len(e.stack) {
		return errEmpty
	}
	return e.push(e.stack[len(e.stack)-1-n])
}

// fixed reads an operand of n bytes.
func (e *evaluator) fixed(n int) (uint64, error) {
	if len(e.code) < n {
		return 0, errShort
	}
	var b [8]byte
	copy(b[:], e.code[:n])
	e.code = e.code[n:]
	return binary.LittleEndian.Uint64(b[:]), nil
}

func (e *evaluator) uleb() (uint64, error) {
	v, n := binary.Uvarint(e.code)
	if n <= 0 {
		return 0, errShort
	}
	e.code = e.code[n:]
	return v, nil
}

func (e *evaluator) sleb() (uint64, error) {
	v := uint64(0)
	for shift := 0; shift < 70; shift += 7 {
		b, err := e.fixed(1)
		if err != nil {
			return 0, err
		}
		v |= b & 0x7f << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift < 57 {
				v |= ^uint64(0) << (shift + 7)
			}
			return v, nil
		}
	}
	return 0, errShort
}

// constant pushes the operand of the operation.
func (e *evaluator) constant(op byte) error {
	switch op {
	case opConstu:
		n, err := e.uleb()
		return e.pushed(value{n: n, from: constant}, err)
	case opConsts:
		n, err := e.sleb()
		return e.pushed(value{n: n, from: constant}, err)
	}
	size := 1 << ((op - opConst1u) / 2)
	n, err := e.fixed(size)
	if shift := 64 - 8*size; (op-opConst1u)%2 == 1 {
		n = uint64(int64(n<<shift) >> shift)
	}
	return e.pushed(value{n: n, from: constant}, err)
}

// indexed pushes a word of .debug_addr.
func (e *evaluator) indexed(from origin) error {
	i, err := e.uleb()
	if err != nil {
		return err
	}
	n, err := e.unit.addr(i)
	return e.pushed(value{n: n, from: from}, err)
}

// based pushes the sum of a register and a number: an address in a lane's private memory if it is the stack or frame
// pointer.
func (e *evaluator) based(reg uint64) error {
	off, err := e.sleb()
	if err != nil {
		return err
	}
	n, err := e.machine.Register(reg)
	v := value{n: n + off, reg: reg}
	switch {
	case reg == stackPointer || reg == framePointer:
		v.n, v.from = n/waveLanes+off, address
	case off == 0:
		v.from = fromRegister
	}
	return e.pushed(v, err)
}

// frameBased pushes an address in the frame.
func (e *evaluator) frameBased() error {
	off, err := e.sleb()
	if err != nil {
		return err
	}
	if e.frame == nil || e.frame.physical.frame == nil || e.inner == nil {
		return errors.New("its location needs a frame, and the function has none")
	}
	list, err := e.inner(e.frame.physical, e.machine)
	if err != nil {
		return err
	}
	base := uint64(0)
	switch p := list[0]; p.Place {
	case InRegister:
		if base, err = e.machine.Register(p.Register); err != nil {
			return err
		}
		if p.Register == stackPointer || p.Register == framePointer {
			base /= waveLanes
		}
	case InMemory:
		base = p.Addr
	default:
		return errors.New("the frame of its function has no address")
	}
	return e.push(value{n: base + off, from: address})
}

// ends reports whether nothing follows in this piece except that it is a value.
func (e *evaluator) ends() bool {
	return len(e.code) == 0 || e.code[0] == opPiece || e.code[0] == opStackValue && (len(e.code) == 1 || e.code[1] == opPiece)
}

// xderef reads memory of an address space, or at the end of an expression sets the space of an address: see the
// package comment.
func (e *evaluator) xderef() error {
	at, err := e.pop()
	if err != nil {
		return err
	}
	id, err := e.pop()
	if err != nil {
		return err
	}
	space, err := spaceOf(id.n)
	if err != nil {
		return err
	}
	if !e.ends() {
		return e.read(space, at.n, 4)
	}
	isValue := len(e.code) > 0 && e.code[0] == opStackValue
	switch {
	case at.from == fromRegister:
		e.next = &Piece{Place: InRegister, Register: at.reg}
	case at.from == constant, at.from == computed && isValue:
		e.next = &Piece{Place: Known, Bytes: binary.LittleEndian.AppendUint64(nil, at.n)}
	default:
		e.next = &Piece{Place: InMemory, Space: space, Addr: at.n}
	}
	if isValue {
		e.code = e.code[1:]
	}
	return nil
}

// deref reads memory at the address on the stack.
func (e *evaluator) deref(size uint64) error {
	at, err := e.pop()
	if err != nil {
		return err
	}
	space := Global
	if at.from == address { // of a frame
		space, size = Private, min(size, 8)
	}
	return e.read(space, at.n, size)
}

func (e *evaluator) read(space Space, addr, size uint64) error {
	if size == 0 || size > 8 {
		return fmt.Errorf("its location reads %d bytes at once", size)
	}
	data, err := e.machine.Memory(space, addr, size)
	if err != nil {
		return err
	}
	if uint64(len(data)) < size {
		return fmt.Errorf("its location reads memory at %#x, where there is none", addr)
	}
	var b [8]byte
	copy(b[:], data[:size])
	return e.push(value{n: binary.LittleEndian.Uint64(b[:])})
}

func (e *evaluator) stackValue() error {
	v, err := e.pop()
	if err != nil {
		return err
	}
	if e.next = (&Piece{Place: Known, Bytes: binary.LittleEndian.AppendUint64(nil, v.n)}); v.from == fromRegister {
		e.next = &Piece{Place: InRegister, Register: v.reg}
	}
	return nil
}

func (e *evaluator) implicitValue() error {
	n, err := e.uleb()
	if err == nil && n > uint64(len(e.code)) {
		err = errShort
	}
	if err != nil {
		return err
	}
	e.next = &Piece{Place: Known, Bytes: e.code[:n:n]}
	e.code = e.code[n:]
	return nil
}

// convert truncates or extends a number to a base type.
func (e *evaluator) convert() error {
	off, err := e.uleb()
	if err != nil {
		return err
	}
	v, err := e.pop()
	if err != nil {
		return err
	}
	if off == 0 { // the generic type
		return e.push(v)
	}
	t := e.unit.typeAt(off)
	if t == nil || t.Kind != Int && t.Kind != Uint && t.Kind != Bool || t.Size == 0 || t.Size > 8 {
		return errors.New("its location converts to a type that is no integer")
	}
	shift := 64 - 8*t.Size
	was := v.n
	if v.n = v.n << shift >> shift; t.Kind == Int {
		v.n = uint64(int64(v.n<<shift) >> shift)
	}
	if v.n != was {
		v.from = computed
	}
	return e.push(v)
}
