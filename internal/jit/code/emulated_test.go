package code

import "testing"

// TestEmulated checks that units of such an arena are passed to the function, by address, and that free memory is full
// of traps.
func TestEmulated(t *testing.T) {
	var at []uintptr
	var with *Context
	a, err := NewEmulated(1<<20, func(p uintptr, c *Context) { at, with, c.Reason = append(at, p), c, Faulted })
	if err != nil {
		t.Fatal(err)
	}
	u, err := a.Add([]byte{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	c := NewContext()
	if r := u.Call(c, 1); r != Faulted || with != c {
		t.Errorf("reason %d, context %p, want %d, %p", r, with, Faulted, c)
	}
	c.Resume = u.Address(2)
	u.Continue(c)
	if len(at) != 2 || at[0] != u.Address(1) || at[1] != u.Address(2) || u.Address(0)%emulatedPage != 0 {
		t.Errorf("called at %#x; the unit is at %#x", at, u.Address(0))
	}
	mem := u.region.mem[u.pages.from:u.pages.to]
	if mem[0] != 1 || mem[3] != trap {
		t.Errorf("the unit is % x", mem[:4])
	}
	u.Drop()
	if mem[0] != trap || a.Used() != 0 {
		t.Errorf("%d bytes are used, % x is left of the unit", a.Used(), mem[:3])
	}
}
