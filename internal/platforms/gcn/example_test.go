package gcn_test

import (
	"context"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// A draw recorded from Mesa's RADV is executed: how many pixels differ from the clear colour.
func ExampleDraw() {
	s, err := gcn.ReadSceneFile("../../../cases/render/gcn/mvp_cube/scene.json")
	if err != nil {
		log.Fatal(err)
	}
	d, err := gcn.Draw(context.Background(), s, s.Variants[0], launch.Settings{Engine: ref.New()})
	if err != nil {
		log.Fatal(err)
	}
	clear, covered := d.Targets[0].Pixels[0], 0
	for _, p := range d.Targets[0].Pixels {
		if p != clear {
			covered++
		}
	}
	fmt.Printf("%s for %s, %dx%d: ", s.Name, s.Variants[0].Name, d.Width, d.Height)
	fmt.Println(d.Triangles, "triangles cover", covered, "pixels")
	// Output:
	// mvp_cube for gfx8, 96x64: 12 triangles cover 2200 pixels
}
