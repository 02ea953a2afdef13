package draw_test

import (
	"context"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
)

// white is a shader in Go: input 0 of a vertex is its position, and all fragments are white. Programs of an
// instruction set are a draw.WaveShader: internal/platforms/attila has an example.
type white struct{}

func (white) Lanes() (vertices, fragments int)                 { return 4, 16 }
func (white) NewRunner(context.Context, int) draw.ShaderRunner { return white{} }
func (white) Count() exec.Counters                             { return exec.Counters{} }

func (white) Vertices(in []draw.VertexIn, out []draw.Vertex) error {
	for i := range in {
		out[i] = draw.Vertex{Position: in[i].Attr[0]}
	}
	return nil
}

func (white) Fragments(in *draw.Wave, out *draw.WaveOut) error {
	return in.Each(out, func(in []draw.Fragment, out []draw.FragmentOut) error {
		for i := range in {
			out[i] = draw.FragmentOut{Color: draw.Vec4{1, 1, 1, 1}}
		}
		return nil
	})
}

// A triangle over the lower left half of a small picture. It covers the pixels whose centres are inside.
func ExampleCall() {
	c, err := draw.NewCanvas(8, 4, draw.Vec4{0, 0, 0, 1}, 1)
	if err != nil {
		log.Fatal(err)
	}
	call := &draw.Call{
		Shader: white{}, Inputs: [][]draw.Vec4{{{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}}}, Count: 3,
		Viewport: draw.Viewport{W: 8, H: 4},
	}
	result, err := call.Run(context.Background(), c)
	if err != nil {
		log.Fatal(err)
	}
	for y := 3; y >= 0; y-- { // row 0 is at the bottom
		for x := range 8 {
			fmt.Print(string(".#"[c.Color[4*(8*y+x)]/255]))
		}
		fmt.Println()
	}
	fmt.Println(result.Vertices, "vertices,", result.Triangles, "triangle")
	// Output:
	// #.......
	// ###.....
	// #####...
	// #######.
	// 3 vertices, 1 triangle
}
