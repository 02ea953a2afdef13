package attila

import "github.com/heddle-gpu/heddle/launch"

// captures: frames come from the simulator. The ulp is what case files grant to what a host's library computes;
// docs/reference/attila.md 6.4.
var captures = &launch.Captures{
	Variant: "sim",
	Killed:  "kill0",
	Inexact: []string{"sin", "cos", "ex2", "lg2", "exp", "log", "lit"},
}
