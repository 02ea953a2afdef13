package code

import "unsafe"

// NewEmulated makes an arena whose units the function carries out, wherever the program runs: it is told where in memory the code
// begins, and returns where that does. The code is in memory of the heap, and what no unit has is full of traps. It is for tests.
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

// emulatedPage is the bytes of a page there. Code that wants constants at multiples of less has them.
const emulatedPage = 4096
