package all

import (
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/launch/attila"
)

// Graphics is how draws use programs of an instruction set; nil if they cannot yet.
func Graphics(isa string) *draw.Graphics {
	if isa == "attila" {
		return attila.Graphics
	}
	return nil
}
