package all

import (
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/attila"
)

var graphics = map[string]*launch.Graphics{"attila": attila.Graphics}

// Graphics is how draws use programs of an instruction set; nil if they cannot yet.
func Graphics(isa string) *launch.Graphics { return graphics[isa] }
