package mem_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/mem"
)

// A space of two segments, one of them read-only, and accesses that it refuses.
func ExampleSpace() {
	in := mem.NewSegment("in", 0x1000, 16, mem.Read)
	out := mem.NewSegment("out", 0x2000, 8, mem.ReadWrite)
	copy(in.Data, "\x2a\x00\x00\x00")
	global, err := mem.NewSpace("global", in, out)
	if err != nil {
		log.Fatal(err)
	}
	var c mem.Cursor
	from, fault := global.At(&c, 0x1000, 4, mem.Read)
	if fault != nil {
		log.Fatal(fault)
	}
	to, fault := global.At(&c, 0x2004, 4, mem.Write)
	if fault != nil {
		log.Fatal(fault)
	}
	mem.Store(to, mem.Load(from)+1)
	fmt.Println(out.Data)
	_, past := global.At(&c, 0x2006, 4, mem.Read)
	_, hole := global.At(&c, 0x1100, 4, mem.Read)
	_, kept := global.At(&c, 0x1000, 4, mem.Write)
	fmt.Println(errors.Join(past, hole, kept))
	fmt.Println(kept.Kind == mem.ReadOnly)
	// Output:
	// [0 0 0 0 43 0 0 0]
	// global load of 4 bytes at 0x2006: ends past "out" (0x2000-0x2008)
	// global load of 4 bytes at 0x1100: no segment; nearest is "in" (0x1000-0x1010), 0xf0 bytes below
	// global store of 4 bytes at 0x1000: "in" (0x1000-0x1010) is read-only
	// true
}
