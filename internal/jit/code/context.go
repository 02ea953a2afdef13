package code

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
)

// A Reason is why generated code returned.
type Reason uint32

// Reasons that all code shares. From FirstOwn on each engine has its own.
const (
	Ended       Reason = iota // the code is done
	OutOfBudget               // Context.Resume is where it resumes
	Host                      // the caller must do Context.What, and then resumes the code at Context.Resume
	Faulted                   // Context.What says where; that instruction has had no effect
	FirstOwn
)

// A Context is the data that generated code and its caller exchange. It belongs to one worker. Code accesses the
// fields by the offsets below.
type Context struct {
	// Read by the code. They point to the heap, or to memory outside of it.
	V, S, M unsafe.Pointer // rows, uniform cells and masks of the state
	Consts  unsafe.Pointer // data of the code's program beside the state
	Spaces  unsafe.Pointer // descriptors of memory
	Rows    unsafe.Pointer // values of 32 bits per lane beside the state
	Vecs    unsafe.Pointer // values of 64 bits per lane
	Tokens  unsafe.Pointer // of the control stack, or PCs of waiting lanes

	// Read and written by both.
	Exec, Live      uint64
	Budget          int64   // back edges that may still be taken; if negative the code exits
	Clock           uint64  // marks begun
	Resume          uintptr // address where the code resumes; the code stores it before it exits
	Reason          Reason
	What            uint32
	Args            [12]uint64 // operands of Reason and What
	Memory          [Spaces]Traffic
	Tallies         unsafe.Pointer // counters of an observer
	Log             unsafe.Pointer // of what the code tells an observer
	Logged, LogRoom uint64         // its bytes that are used, and up to which there is room for one record more

	// MXCSR of the code. It is loaded before each call; code that changes MXCSR stores it here.
	mxcsr uint32
	_     [20]byte
	Room  [64]byte // scratch of the code: a cache line
}

// Spaces is how many kinds of memory a Context has counters for.
const Spaces = 5

// Traffic counts what guest code has done in a kind of memory: bytes, and atomics of lanes.
type Traffic struct{ Read, Written, Atomics uint64 }

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

	OffMemory   = int32(unsafe.Offsetof(Context{}.Memory))
	OffRead     = int32(unsafe.Offsetof(Traffic{}.Read))
	OffWritten  = int32(unsafe.Offsetof(Traffic{}.Written))
	OffAtomics  = int32(unsafe.Offsetof(Traffic{}.Atomics))
	SizeTraffic = int32(unsafe.Sizeof(Traffic{}))

	OffTallies = int32(unsafe.Offsetof(Context{}.Tallies))
	OffLog     = int32(unsafe.Offsetof(Context{}.Log))
	OffLogged  = int32(unsafe.Offsetof(Context{}.Logged))
	OffLogRoom = int32(unsafe.Offsetof(Context{}.LogRoom))
)

// NewContext returns a context with rounding to nearest and subnormals kept.
func NewContext() *Context {
	return &Context{mxcsr: cpu.Masked}
}

// SetMode sets the MXCSR at entry to the code. Exceptions are masked in any case.
func (c *Context) SetMode(mxcsr uint32) { c.mxcsr = mxcsr | cpu.Masked }

// Call runs the unit from byte at on until it returns, and returns the reason. The caller holds a reference.
func (u *Unit) Call(c *Context, at int) Reason {
	if uint(at) >= uint(u.size) {
		panic(fmt.Sprintf("code: entry at %d of %d bytes", at, u.size))
	}
	return u.enter(c, u.base+uintptr(at))
}

// Address returns the address of byte at of the unit, for code that jumps there. The caller holds a reference as long
// as there is such code.
func (u *Unit) Address(at int) uintptr {
	if uint(at) >= uint(u.size) {
		panic(fmt.Sprintf("code: address of byte %d of %d", at, u.size))
	}
	return u.base + uintptr(at)
}

// Continue runs the code from c.Resume on, which must be in this unit, and clears c.Resume first.
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
