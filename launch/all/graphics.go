package all

import (
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/attila"
	"github.com/heddle-gpu/heddle/launch/gcn"
)

// Graphics is how draws use programs of an instruction set; nil if they cannot yet.
func Graphics(isa string) *draw.Graphics {
	if isa == "attila" {
		return attila.Graphics
	}
	return nil
}

// Scenes is how recorded draws of an instruction set are carried out; nil if they cannot be.
func Scenes(isa string) *launch.Scenes {
	if isa == "gcn" {
		return gcn.Scenes
	}
	return nil
}
