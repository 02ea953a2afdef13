package code

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Errors after which an engine runs without machine code.
var (
	ErrNotHere = errors.New("code: no machine code on " + runtime.GOOS + "/" + runtime.GOARCH)
	ErrRefused = errors.New("code: the system refuses executable pages")
	ErrFull    = errors.New("code: the arena is full")
)

// regionBytes is how much address space is reserved at once.
const regionBytes = 1 << 20

// The states of pages. None is writable and executable.
type access uint8

const (
	closed access = iota
	writable
	executable
)

// A system is the system calls that an arena needs; tests replace them.
type system struct {
	reserve func(bytes int) ([]byte, error) // inaccessible pages
	protect func(b []byte, to access) error
	release func(b []byte) error
	page    int // bytes
}

// An Arena holds units of code. It is safe for concurrent use.
type Arena struct {
	sys   system
	limit int                          // bytes of pages
	run   func(at uintptr, c *Context) // executes code instead of the processor; nil: the processor does

	mu      sync.Mutex
	regions []*region
	used    int // bytes of allocated pages
	broken  error
}

// A region is reserved address space; free lists runs of its free pages, in order.
type region struct {
	mem  []byte
	free []run
}

type run struct{ from, to int } // bytes of region.mem

// NewArena returns an arena of up to limit bytes. The error says that there is no machine code on this platform, or
// that the system does not permit it, which is tried out.
func NewArena(limit int) (*Arena, error) {
	sys, err := host()
	if err != nil {
		return nil, err
	}
	return newArena(sys, limit)
}

func newArena(sys system, limit int) (*Arena, error) {
	a := &Arena{sys: sys, limit: limit}
	u, err := a.Add([]byte{trap})
	if err != nil {
		return nil, err
	}
	u.Drop()
	return a, nil
}

// trap is the instruction int3, which fills pages without code.
const trap = 0xcc

// A span is the pages of a unit.
type span struct {
	arena  *Arena
	region *region
	pages  run
	base   uintptr                      // address of the first byte
	run    func(at uintptr, c *Context) // of the arena
	size   int                          // bytes of code
	refs   atomic.Int64
	owned  atomic.Bool // the unit has not been dropped
}

// A Unit is code in executable pages. It begins at a page boundary.
type Unit struct{ *span }

// Add makes a unit of position-independent code. The error wraps ErrRefused or ErrFull.
func (a *Arena) Add(code []byte) (*Unit, error) {
	if len(code) == 0 {
		return nil, errors.New("code: a unit without code")
	}
	n := (len(code) + a.sys.page - 1) / a.sys.page * a.sys.page
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broken != nil {
		return nil, a.broken
	}
	if a.used+n > a.limit {
		return nil, fmt.Errorf("%w: %d bytes of %d are used, %d are wanted", ErrFull, a.used, a.limit, n)
	}
	r, pages, err := a.take(n)
	if err != nil {
		return nil, err
	}
	mem := r.mem[pages.from:pages.to]
	if err := a.fill(mem, code); err != nil {
		a.giveBack(r, pages)
		return nil, err
	}
	s := &span{arena: a, region: r, pages: pages, base: uintptr(unsafe.Pointer(unsafe.SliceData(mem))), run: a.run, size: len(code)}
	s.refs.Store(1)
	s.owned.Store(true)
	u := &Unit{s}
	runtime.AddCleanup(u, (*span).drop, s)
	return u, nil
}

// fill copies the code to inaccessible pages and makes them executable.
func (a *Arena) fill(mem, code []byte) error {
	if err := a.sys.protect(mem, writable); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	for i := copy(mem, code); i < len(mem); i++ {
		mem[i] = trap
	}
	if err := a.sys.protect(mem, executable); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, errors.Join(err, a.sys.protect(mem, closed)))
	}
	return nil
}

// take allocates n bytes of pages.
func (a *Arena) take(n int) (*region, run, error) {
	for _, r := range a.regions {
		if p, ok := r.take(n); ok {
			a.used += n
			return r, p, nil
		}
	}
	mem, err := a.sys.reserve(max(n, regionBytes))
	if err != nil {
		return nil, run{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	r := &region{mem: mem, free: []run{{0, len(mem)}}}
	a.regions = append(a.regions, r)
	p, _ := r.take(n)
	a.used += n
	return r, p, nil
}

func (r *region) take(n int) (run, bool) {
	for i := range r.free {
		f := &r.free[i]
		if f.to-f.from < n {
			continue
		}
		p := run{f.from, f.from + n}
		if f.from = p.to; f.from == f.to {
			r.free = slices.Delete(r.free, i, i+1)
		}
		return p, true
	}
	return run{}, false
}

// giveBack frees inaccessible pages, and merges them with adjacent free ones.
func (a *Arena) giveBack(r *region, p run) {
	a.used -= p.to - p.from
	i := 0
	for i < len(r.free) && r.free[i].from < p.from {
		i++
	}
	r.free = slices.Insert(r.free, i, p)
	if i+1 < len(r.free) && r.free[i+1].from == p.to {
		r.free[i].to = r.free[i+1].to
		r.free = slices.Delete(r.free, i+1, i+2)
	}
	if i > 0 && r.free[i-1].to == p.from {
		r.free[i-1].to = r.free[i].to
		r.free = slices.Delete(r.free, i, i+1)
	}
}

// Used returns the bytes of allocated pages.
func (a *Arena) Used() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used
}

// Acquire takes a reference. It fails if there is none any more: then the code is gone.
func (s *span) Acquire() bool {
	for {
		n := s.refs.Load()
		if n == 0 {
			return false
		}
		if s.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release returns a reference that Acquire took.
func (s *span) Release() {
	switch n := s.refs.Add(-1); {
	case n == 0:
		s.free()
	case n < 0:
		panic("code: a unit was released more often than acquired")
	}
}

// Drop returns the reference of the unit's maker. A second call does nothing.
func (u *Unit) Drop() { u.span.drop() }

func (s *span) drop() {
	if s.owned.CompareAndSwap(true, false) {
		s.Release()
	}
}

// free closes the pages. If that fails they are never reused, and the arena accepts no more code.
func (s *span) free() {
	a := s.arena
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.sys.protect(s.region.mem[s.pages.from:s.pages.to], closed); err != nil {
		a.broken = fmt.Errorf("%w: pages cannot be closed: %w", ErrRefused, err)
		return
	}
	a.giveBack(s.region, s.pages)
	a.shrink(s.region)
}

// shrink returns a region without units to the system, unless it is the only one.
func (a *Arena) shrink(r *region) {
	if len(a.regions) == 1 || len(r.free) != 1 || r.free[0] != (run{0, len(r.mem)}) {
		return
	}
	a.regions = slices.DeleteFunc(a.regions, func(o *region) bool { return o == r })
	if err := a.sys.release(r.mem); err != nil {
		a.broken = fmt.Errorf("%w: pages cannot be given back: %w", ErrRefused, err)
	}
}

// Size returns the bytes of code.
func (s *span) Size() int { return s.size }
