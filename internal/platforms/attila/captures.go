package attila

import "github.com/heddle-gpu/heddle/launch"

// captures: frames come from the simulator. The tolerance of 1 ulp is the one that case files grant to results of the
// host's library; docs/reference/attila.md 6.4.
var captures = &launch.Captures{
	Variant: "sim",
	Killed:  "kill0",
	Inexact: []string{"sin", "cos", "ex2", "lg2", "exp", "log", "lit"},
}
