// Package all lists the initial state of programs of each instruction set, for tools that take any of them.
package all

import (
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/attila"
	"github.com/heddle-gpu/heddle/launch/gcn"
	"github.com/heddle-gpu/heddle/launch/rogue"
	"github.com/heddle-gpu/heddle/launch/tesla"
	"github.com/heddle-gpu/heddle/launch/valhall"
)

var fronts = []*launch.Front{gcn.Front, attila.Front, tesla.Front, valhall.Front, rogue.Front}

// All returns the Front of each instruction set whose programs can be run.
func All() []*launch.Front { return fronts }

// Lookup returns the Front of an instruction set by its name; nil if none of its programs can be run.
func Lookup(isa string) *launch.Front {
	for _, f := range fronts {
		if f.ISA == isa {
			return f
		}
	}
	return nil
}
