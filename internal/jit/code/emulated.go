package code

import "unsafe"

// NewEmulated returns an arena whose units are executed by run, on any platform: run gets the address of the code, and
// returns when the code does. The code is in heap memory, and free memory is full of traps. It is for tests.
func NewEmulated(limit int, run func(at uintptr, c *Context)) (*Arena, error) {
	a := &Arena{limit: limit, run: run, sys: system{
		reserve: func(bytes int) ([]byte, error) {
			mem := make([]byte, bytes+emulatedPage)
			skip := -uintptr(unsafe.Pointer(unsafe.SliceData(mem))) % emulatedPage
			return mem[skip:][:bytes:bytes], nil
		},
		protect: func(b []byte, to access) error {
			if to == closed {
				for i := range b {
					b[i] = trap
				}
			}
			return nil
		},
		release: func([]byte) error { return nil },
		page:    emulatedPage,
	}}
	return a, nil
}

// emulatedPage is the size of a page there. Constants in code may need an alignment of up to that.
const emulatedPage = 4096
