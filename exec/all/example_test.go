package all_test

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec/all"
)

// Engines by name. Which of those that make machine code are there depends on the machine; these two always are.
func ExampleLookup() {
	for _, name := range []string{"reference", "portable", "warp"} {
		e, err := all.Lookup(name, all.Use{})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(e.Name())
	}
	// Output:
	// reference
	// portable
	// no engine "warp"; there are auto, reference, portable, jit
}
