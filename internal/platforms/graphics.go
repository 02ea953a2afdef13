package platforms

import (
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/internal/platforms/attila"
	"github.com/heddle-gpu/heddle/internal/platforms/rogue"
	"github.com/heddle-gpu/heddle/internal/platforms/tesla"
	"github.com/heddle-gpu/heddle/internal/platforms/valhall"
	"github.com/heddle-gpu/heddle/launch"
)

// Graphics returns how draws use programs of an instruction set; nil if draws do not support it.
func Graphics(isa string) *draw.Graphics {
	for _, g := range graphics {
		if g.isa == isa {
			return g.Graphics
		}
	}
	return nil
}

var graphics = [...]struct {
	isa string
	*draw.Graphics
}{{"attila", attila.Graphics}, {"tesla", tesla.Graphics}, {"valhall", valhall.Graphics}, {"rogue", rogue.Graphics}}

// Scenes returns how recorded draws in files of that kind are executed; nil if files of the kind hold none.
func Scenes(kind casefile.FileKind) *launch.Scenes {
	for _, p := range platforms {
		if p.Scenes != nil && p.Scenes.Kind == kind {
			return p.Scenes
		}
	}
	return nil
}
