//go:build !js

package all

import "github.com/heddle-gpu/heddle/exec/jit"

// machines are the engines that write machine code, from the slowest to the fastest.
var machines = [...]Entry{
	{Name: "template", What: "machine code, one op after another, a Go function for each that has none", New: jit.Template},
	{Name: "segment", What: "machine code, a piece of the wave through all ops between two that need the whole", New: jit.Segment},
	{Name: "region", What: "machine code, a piece of the wave through whole loops", New: jit.Region},
}
