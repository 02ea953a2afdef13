package all

import (
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/launch/attila"
)

var graphics = map[string]*draw.Graphics{"attila": attila.Graphics}

// Graphics is how draws use programs of an instruction set; nil if they cannot yet.
func Graphics(isa string) *draw.Graphics { return graphics[isa] }
