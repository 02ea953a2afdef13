package all

import (
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/attila"
	"github.com/heddle-gpu/heddle/launch/gcn"
	"github.com/heddle-gpu/heddle/launch/rogue"
	"github.com/heddle-gpu/heddle/launch/tesla"
	"github.com/heddle-gpu/heddle/launch/valhall"
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

var scenes = []*launch.Scenes{gcn.Scenes, tesla.Scenes, valhall.Scenes}

// Scenes returns how recorded draws in files of that kind are executed; nil if files of the kind hold none.
func Scenes(kind casefile.FileKind) *launch.Scenes {
	for _, s := range scenes {
		if s.Kind == kind {
			return s
		}
	}
	return nil
}
