package srcinfo_test

import (
	"debug/elf"
	"fmt"
	"log"
	"strings"

	"github.com/heddle-gpu/heddle/srcinfo"
)

// sections returns the debug sections of a file.
func sections(path string) map[string][]byte {
	f, err := elf.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	list := map[string][]byte{}
	for _, s := range f.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".debug_"); ok {
			if list[name], err = s.Data(); err != nil {
				log.Fatal(err)
			}
		}
	}
	return list
}

// The functions of a code object, and the variables in scope at an address.
func Example() {
	info := srcinfo.New(sections("testdata/vars.clang14.O0.hsaco"))
	for _, f := range info.Frames(0x1d9c) {
		fmt.Println(f.Name, "line", f.Line)
		for _, v := range f.Vars {
			fmt.Println(" ", v.Type.Name, v.Name)
		}
	}
	// Output:
	// vars line 10
	//   float[64] tile
	//   const float * in
	//   float * out
	//   uint n
	//   float4 scale
	//   uint l
	//   uint g
	//   item it
	//   float sum
	//   int[4] steps
}
