//go:build !js

package engines

import "github.com/heddle-gpu/heddle/internal/jit"

// machines are the engines that emit machine code, from the slowest to the fastest.
var machines = [...]Entry{
	{Name: "jit", What: "machine code, one loop over the wave for all ops between two that need the whole wave", New: jit.New},
}

// Tested returns the engines that tests compare with the reference: All, and the jit engine in its template mode, which
// users cannot select by name.
func Tested() []Entry {
	return append(All(), Entry{Name: "template", What: "jit, with values in memory after each op", New: jit.Template})
}
