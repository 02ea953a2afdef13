package loc_test

import (
	"fmt"

	"github.com/heddle-gpu/heddle/loc"
)

// The place of an instruction loaded at 0x100001a94, in a kernel compiled by clang.
func Example() {
	m := loc.Map{
		Bias:    0x1_0000_0000,
		Symbols: []loc.Symbol{{Name: "dot", Addr: 0x1a00}},
		Text:    func(uint64) loc.Position { return loc.Position{File: "dot.s", Line: 34, Col: 2} },
		Source:  func(uint64) loc.Position { return loc.Position{File: "dot.cl", Path: "/src/dot.cl", Line: 12, Col: 5} },
	}
	p := m.Place(0x1_0000_1a94)
	fmt.Println(p)
	fmt.Println(p.Position())
	// Output:
	// 0x1a94 <dot+0x94> (dot.s:34:2, dot.cl:12:5)
	// dot.s:34:2
}
