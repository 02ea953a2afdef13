// Package jit lists the engines that run machine code of the host.
package jit

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/jit/template"
)

// Template is the engine with machine code for runs of ops.
func Template() exec.Engine { return template.New() }
