// Package platforms lists the initial state of programs of each instruction set, for tools that take any of them.
package platforms

import (
	"github.com/heddle-gpu/heddle/internal/platforms/attila"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/platforms/rogue"
	"github.com/heddle-gpu/heddle/internal/platforms/tesla"
	"github.com/heddle-gpu/heddle/internal/platforms/valhall"
	"github.com/heddle-gpu/heddle/launch"
)

var platforms = []*launch.Platform{gcn.Platform, attila.Platform, tesla.Platform, valhall.Platform, rogue.Platform}

// All returns the Platform of each instruction set whose programs can be run.
func All() []*launch.Platform { return platforms }

// Lookup returns the Platform of an instruction set by its name; nil if none of its programs can be run.
func Lookup(isa string) *launch.Platform {
	for _, f := range platforms {
		if f.ISA == isa {
			return f
		}
	}
	return nil
}
