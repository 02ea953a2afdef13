package code

import (
	"fmt"
	"runtime"
	"unsafe"
)

// A Reason is why generated code returned.
type Reason uint32

// Reasons that are common to all code. Above FirstOwn each engine has its own.
const (
	Ended       Reason = iota // the code is done
	OutOfBudget               // Context.Resume is where it goes on
	Host                      // Context.What is for the caller to do, then it goes on at Context.Resume
	Faulted                   // Context.What says where; nothing of that instruction has been done
	FirstOwn
)

// A Context is what generated code and its caller tell each other. It belongs to one worker. Code finds the fields by the
// offsets below.
type Context struct {
	// For the code to read. They point to the heap, or outside of it.
	V, S, M unsafe.Pointer // rows, one-a-wave cells and masks of the state
	Consts  unsafe.Pointer // what the code's program keeps beside the state
	Spaces  unsafe.Pointer // descriptors of memory

	// For both.
	Exec, Live uint64
	Budget     int64   // ways back that may still be taken; below zero the code leaves
	Clock      uint64  // marks begun
	Resume     uintptr // address where the code goes on; the code stores it before it leaves
	Reason     Reason
	What       uint32
	Args       [6]uint64 // what belongs to Reason and What

	mxcsr uint32 // of the code
}

// Offsets of the fields of a Context, for generated code.
const (
	OffV      = int32(unsafe.Offsetof(Context{}.V))
	OffS      = int32(unsafe.Offsetof(Context{}.S))
	OffM      = int32(unsafe.Offsetof(Context{}.M))
	OffConsts = int32(unsafe.Offsetof(Context{}.Consts))
	OffSpaces = int32(unsafe.Offsetof(Context{}.Spaces))
	OffExec   = int32(unsafe.Offsetof(Context{}.Exec))
	OffLive   = int32(unsafe.Offsetof(Context{}.Live))
	OffBudget = int32(unsafe.Offsetof(Context{}.Budget))
	OffClock  = int32(unsafe.Offsetof(Context{}.Clock))
	OffResume = int32(unsafe.Offsetof(Context{}.Resume))
	OffReason = int32(unsafe.Offsetof(Context{}.Reason))
	OffWhat   = int32(unsafe.Offsetof(Context{}.What))
	OffArgs   = int32(unsafe.Offsetof(Context{}.Args))
)

// A Rounding is a rounding direction, by its number in MXCSR.
type Rounding uint32

// Roundings of MXCSR.
const (
	Nearest Rounding = iota
	Down
	Up
	ToZero
)

// Bits of MXCSR. Source: Intel's manual, volume 1, 10.2.3.
const (
	mxDAZ      = 1 << 6
	mxMasked   = 0x3f << 7
	mxRounding = 13 // lowest bit
	mxFTZ      = 1 << 15
)

// MXCSR is the control word for a rounding, and for results and operands that are denormal to become 0. All exceptions are masked.
func MXCSR(r Rounding, flushResults, flushOperands bool) uint32 {
	m := uint32(mxMasked) | uint32(r&3)<<mxRounding
	if flushResults {
		m |= mxFTZ
	}
	if flushOperands {
		m |= mxDAZ
	}
	return m
}

// NewContext makes a context with rounding to nearest and denormals kept.
func NewContext() *Context {
	return &Context{mxcsr: MXCSR(Nearest, false, false)}
}

// SetMode says how the code begins, by a word that MXCSR made.
func (c *Context) SetMode(mxcsr uint32) { c.mxcsr = mxcsr | mxMasked }

// Call runs the code from byte at of the unit on until it returns, and says why it did. The caller holds a reference.
func (u *Unit) Call(c *Context, at int) Reason {
	if uint(at) >= uint(u.size) {
		panic(fmt.Sprintf("code: entry at %d of %d bytes", at, u.size))
	}
	return u.enter(c, u.base()+uintptr(at))
}

// Continue runs the code from c.Resume on, which must be in this unit.
func (u *Unit) Continue(c *Context) Reason {
	if c.Resume-u.base() >= uintptr(u.size) {
		panic(fmt.Sprintf("code: the code goes on at %#x, which is not in the unit", c.Resume))
	}
	return u.enter(c, c.Resume)
}

func (u *Unit) enter(c *Context, at uintptr) Reason {
	if u.refs.Load() <= 0 {
		panic("code: the unit is gone")
	}
	call(at, c)
	runtime.KeepAlive(u)
	runtime.KeepAlive(c)
	return c.Reason
}

// base is the address of the first byte, outside of the heap.
func (s *span) base() uintptr { return uintptr(unsafe.Pointer(&s.region.mem[s.pages.from])) }
