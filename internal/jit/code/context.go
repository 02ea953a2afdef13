package code

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
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
	Rows    unsafe.Pointer // values of 32 bits a lane beside the state
	Vecs    unsafe.Pointer // values of 64 bits a lane
	Tokens  unsafe.Pointer // of the control stack, or places where lanes wait

	// For both.
	Exec, Live uint64
	Budget     int64   // ways back that may still be taken; below zero the code leaves
	Clock      uint64  // marks begun
	Resume     uintptr // address where the code goes on; the code stores it before it leaves
	Reason     Reason
	What       uint32
	Args       [11]uint64 // what belongs to Reason and What
	// Bytes that guest code has read and written.
	BytesRead, BytesWritten uint64

	// MXCSR of the code. It is loaded before each call; code that changes it says so here.
	mxcsr uint32
	_     [36]byte
	Room  [64]byte // for the code: a line of the cache
}

// Offsets of the fields of a Context, for generated code.
const (
	OffV      = int32(unsafe.Offsetof(Context{}.V))
	OffS      = int32(unsafe.Offsetof(Context{}.S))
	OffM      = int32(unsafe.Offsetof(Context{}.M))
	OffConsts = int32(unsafe.Offsetof(Context{}.Consts))
	OffSpaces = int32(unsafe.Offsetof(Context{}.Spaces))
	OffRows   = int32(unsafe.Offsetof(Context{}.Rows))
	OffVecs   = int32(unsafe.Offsetof(Context{}.Vecs))
	OffTokens = int32(unsafe.Offsetof(Context{}.Tokens))
	OffExec   = int32(unsafe.Offsetof(Context{}.Exec))
	OffLive   = int32(unsafe.Offsetof(Context{}.Live))
	OffBudget = int32(unsafe.Offsetof(Context{}.Budget))
	OffClock  = int32(unsafe.Offsetof(Context{}.Clock))
	OffResume = int32(unsafe.Offsetof(Context{}.Resume))
	OffReason = int32(unsafe.Offsetof(Context{}.Reason))
	OffWhat   = int32(unsafe.Offsetof(Context{}.What))
	OffArgs   = int32(unsafe.Offsetof(Context{}.Args))

	OffRoom = int32(unsafe.Offsetof(Context{}.Room))

	OffMXCSR = int32(unsafe.Offsetof(Context{}.mxcsr))

	OffBytesRead    = int32(unsafe.Offsetof(Context{}.BytesRead))
	OffBytesWritten = int32(unsafe.Offsetof(Context{}.BytesWritten))
)

// NewContext makes a context with rounding to nearest and denormals kept.
func NewContext() *Context {
	return &Context{mxcsr: cpu.Masked}
}

// SetMode says with which MXCSR the code begins. Exceptions are masked whatever it says.
func (c *Context) SetMode(mxcsr uint32) { c.mxcsr = mxcsr | cpu.Masked }

// Call runs the code from byte at of the unit on until it returns, and says why it did. The caller holds a reference.
func (u *Unit) Call(c *Context, at int) Reason {
	if uint(at) >= uint(u.size) {
		panic(fmt.Sprintf("code: entry at %d of %d bytes", at, u.size))
	}
	return u.enter(c, u.base+uintptr(at))
}

// Address is where byte at of the unit is, for code that jumps there. The caller holds a reference as long as there is such code.
func (u *Unit) Address(at int) uintptr {
	if uint(at) >= uint(u.size) {
		panic(fmt.Sprintf("code: address of byte %d of %d", at, u.size))
	}
	return u.base + uintptr(at)
}

// Continue runs the code from c.Resume on, which must be in this unit, and makes c.Resume 0 before.
func (u *Unit) Continue(c *Context) Reason {
	if c.Resume-u.base >= uintptr(u.size) {
		panic(fmt.Sprintf("code: the code goes on at %#x, which is not in the unit", c.Resume))
	}
	at := c.Resume
	c.Resume = 0
	return u.enter(c, at)
}

func (u *Unit) enter(c *Context, at uintptr) Reason {
	if u.refs.Load() <= 0 {
		panic("code: the unit is gone")
	}
	if u.run == nil {
		call(at, c)
	} else {
		u.run(at, c)
	}
	runtime.KeepAlive(u)
	runtime.KeepAlive(c)
	return c.Reason
}
