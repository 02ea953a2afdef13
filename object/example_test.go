package object_test

import (
	"fmt"
	"log"
	"os"

	"github.com/heddle-gpu/heddle/object"
)

// A code object that clang wrote: its kernels, what they take and what they need.
func ExampleReadHSA() {
	data, err := os.ReadFile("../cases/kernels/gcn/saxpy/saxpy.gfx803.hsaco")
	if err != nil {
		log.Fatal(err)
	}
	o, err := object.ReadHSA(data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(o.Target, "is", o.Variant())
	for i := range o.Kernels {
		k := &o.Kernels[i]
		fmt.Println(k.Name, "takes", k.Meta.KernargSize, "bytes of arguments")
		for _, a := range k.Meta.Args[:4] { // those behind are hidden
			fmt.Printf("  %d bytes at %d: %s\n", a.Size, a.Offset, a.ValueKind)
		}
	}
	_, err = object.ReadHSA(data[:100])
	fmt.Println(err)
	// Output:
	// gfx803 is gfx8
	// saxpy takes 280 bytes of arguments
	//   8 bytes at 0: global_buffer
	//   8 bytes at 8: global_buffer
	//   4 bytes at 16: by_value
	//   4 bytes at 20: by_value
	// file+0x20: program header table is 0x1c0 bytes at 0x40, the file has 0x64
}
