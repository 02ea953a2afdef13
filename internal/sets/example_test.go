package sets_test

import (
	"fmt"

	"github.com/heddle-gpu/heddle/internal/sets"
)

// Names as tools take them: of a set, of a set and a variant, of a variant or an alias alone.
func ExampleLookup() {
	for _, name := range []string{"gcn", "gcn:gfx7", "Fiji", "g200", "rouge"} {
		target, err := sets.Lookup(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(name, "is", target)
	}
	// Output:
	// gcn is gcn:gfx8
	// gcn:gfx7 is gcn:gfx7
	// Fiji is gcn:gfx8
	// g200 is tesla:g200 cp
	// no instruction set "rouge"; rogue is the nearest name
}

// The sets, each of which is compiled when it is first asked for, and their variants.
func ExampleEntries() {
	for _, e := range sets.Entries() {
		var names []string
		for _, v := range e.Set().Variants {
			names = append(names, v.Name)
		}
		fmt.Println(e.Name, names)
	}
	// Output:
	// gcn [gfx8 gfx7 gfx6]
	// valhall [v9 v10 v11 v12 v13 v14]
	// tesla [g80 g84 g200 mcp77 gt215]
	// rogue [rogue]
	// attila [attila sim]
}
