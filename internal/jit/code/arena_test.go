package code

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// A fake is a system in plain memory that enforces the rule of pages: it records their protections.
type fake struct {
	state   map[*byte]access // by first byte of a page
	mapped  int
	refuse  access // the protection that protect refuses
	refuses bool
	noSpace bool
}

func (f *fake) system() system {
	const page = 4096
	return system{
		page: page,
		reserve: func(bytes int) ([]byte, error) {
			if f.noSpace {
				return nil, errors.New("no space")
			}
			f.mapped += bytes
			mem := make([]byte, bytes)
			for i := 0; i < bytes; i += page {
				f.state[&mem[i]] = closed
			}
			return mem, nil
		},
		protect: func(b []byte, to access) error {
			if f.refuses && to == f.refuse {
				return errors.New("not permitted")
			}
			for i := 0; i < len(b); i += page {
				from, ok := f.state[&b[i]]
				if !ok || from == executable && to == writable || from == closed && to == executable {
					return errors.New("not that way")
				}
				f.state[&b[i]] = to
			}
			return nil
		},
		release: func(b []byte) error {
			f.mapped -= len(b)
			for i := 0; i < len(b); i += page {
				if f.state[&b[i]] != closed {
					return errors.New("in use")
				}
				delete(f.state, &b[i])
			}
			return nil
		},
	}
}

func (f *fake) count(to access) (n int) {
	for _, s := range f.state {
		if s == to {
			n++
		}
	}
	return n
}

func newFake() *fake { return &fake{state: map[*byte]access{}} }

// TestArena adds and drops units at random. Each keeps its bytes until it is dropped, no page is ever writable
// and executable, and in the end all are free.
func TestArena(t *testing.T) {
	f := newFake()
	const limit = regionBytes * 3 / 2
	a, err := newArena(f.system(), limit)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	type held struct {
		u    *Unit
		code []byte
	}
	var all []held
	full := 0
	for range 1200 {
		if len(all) > 0 && rnd.IntN(100) < 45 {
			i := rnd.IntN(len(all))
			h := all[i]
			if got := h.u.region.mem[h.u.pages.from:][:len(h.code)]; !slices.Equal(got, h.code) {
				t.Fatal("a unit has other bytes than it was given")
			}
			h.u.Drop()
			all = slices.Delete(all, i, i+1)
			continue
		}
		code := slices.Repeat([]byte{byte(rnd.Uint32())}, 1+rnd.IntN(1<<rnd.IntN(18)))
		u, err := a.Add(code)
		if errors.Is(err, ErrFull) {
			full++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, held{u, code})
		if f.count(writable) != 0 || f.count(executable)*4096 != a.Used() {
			t.Fatalf("%d pages to write, %d to execute, %d bytes used", f.count(writable), f.count(executable), a.Used())
		}
	}
	if len(all) == 0 || full == 0 || a.Used() > limit {
		t.Errorf("%d units at the end, %d refused, %d bytes: the test reaches too little", len(all), full, a.Used())
	}
	for _, h := range all {
		h.u.Drop()
	}
	whole := 0
	for _, r := range a.regions {
		if len(r.free) == 1 && r.free[0] == (run{0, len(r.mem)}) {
			whole++
		}
	}
	if a.Used() != 0 || whole != len(a.regions) || f.count(executable) != 0 || len(a.regions) != 1 || f.mapped != len(a.regions[0].mem) {
		t.Errorf("%d bytes used, %d of %d regions free, %d bytes mapped", a.Used(), whole, len(a.regions), f.mapped)
	}
}

// TestReferences checks that pages are freed with the last reference, whoever holds it, and that the code cannot be
// acquired afterwards.
func TestReferences(t *testing.T) {
	f := newFake()
	a, err := newArena(f.system(), regionBytes)
	if err != nil {
		t.Fatal(err)
	}
	u, err := a.Add([]byte{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	if !u.Acquire() {
		t.Fatal("a unit that was just made cannot be acquired")
	}
	u.Drop()
	u.Drop()
	if a.Used() == 0 || f.count(executable) != 1 || !u.Acquire() {
		t.Error("the pages went while somebody had them")
	}
	u.Release()
	u.Release()
	if a.Used() != 0 || f.count(executable) != 0 || u.Acquire() {
		t.Error("the pages stayed when nobody had them")
	}
	for name, f := range map[string]func(){
		"release": u.Release,
		"call":    func() { u.Call(NewContext(), 0) },
	} {
		func() {
			defer func() {
				if r := recover(); r == nil {
					t.Errorf("%s of a unit that is gone did not panic", name)
				}
			}()
			f()
		}()
	}
}

// TestCollected checks that the collector drops unreachable units, but not one that is being called.
func TestCollected(t *testing.T) {
	a, err := newArena(newFake().system(), regionBytes)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := a.Add([]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := a.Add([]byte{1}); err != nil {
			t.Fatal(err)
		}
	}
	for start := time.Now(); a.Used() != 4096 && time.Since(start) < 20*time.Second; {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if a.Used() != 4096 || !kept.Acquire() {
		t.Errorf("%d bytes are used, one unit of 4096 is reached", a.Used())
	}
	runtime.KeepAlive(kept)
}

// TestRefused checks that a system which refuses any of the steps gives an error and no pages are taken; an arena in
// an unknown state accepts no more code.
func TestRefused(t *testing.T) {
	for _, what := range []access{writable, executable} {
		f := newFake()
		f.refuses, f.refuse = true, what
		if _, err := newArena(f.system(), regionBytes); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "not permitted") {
			t.Errorf("access %d refused: %v", what, err)
		}
		if f.count(writable)+f.count(executable) != 0 {
			t.Errorf("access %d refused: %d pages to write, %d to execute", what, f.count(writable), f.count(executable))
		}
	}
	f := newFake()
	f.noSpace = true
	if _, err := newArena(f.system(), regionBytes); !errors.Is(err, ErrRefused) {
		t.Errorf("no address space: %v", err)
	}
	f = newFake()
	a, err := newArena(f.system(), regionBytes)
	if err != nil {
		t.Fatal(err)
	}
	u, err := a.Add([]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	f.refuses, f.refuse = true, closed
	u.Drop()
	if _, err := a.Add([]byte{1}); !errors.Is(err, ErrRefused) {
		t.Errorf("after pages could not be closed: %v", err)
	}
	if _, err := newArena(newFake().system(), 0); !errors.Is(err, ErrFull) {
		t.Errorf("an arena of no bytes: %v", err)
	}
	if _, err := a.Add(nil); err == nil {
		t.Error("no code is a unit")
	}
}
