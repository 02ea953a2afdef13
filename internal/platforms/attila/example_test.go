package attila_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms/attila"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/isa"
	set "github.com/heddle-gpu/heddle/isa/attila"
)

// stage assembles a program of a draw.
func stage(name, text string) draw.Stage {
	target := set.Set().At(set.Text, 0)
	a, errs := asm.Assemble(target, []byte(text), asm.Options{File: name})
	for _, e := range errs {
		log.Fatal(e.Detail())
	}
	env, err := attila.Graphics.NewEnv()
	if err != nil {
		log.Fatal(err)
	}
	return draw.Stage{Name: name, Program: exec.NewProgram(&isa.Program{Target: target, Code: a.Code}), Env: env}
}

// A triangle over four pixels in a row. Input 1 of vertices becomes varying 6, which is 0 at the left edge of the
// picture and 1 at the right one; the fragment program multiplies it with a constant.
func Example() {
	g := attila.Graphics
	vertex, fragment := stage("vertex", "mov o0, i0\nmov o6, i1 <- end\n"), stage("fragment", "mul o1, i6, c2 <- end\n")
	half, one := math.Float32bits(0.5), math.Float32bits(1)
	if err := g.Constant(&fragment.Env, "c2", []uint32{one, half, 0, one}); err != nil {
		log.Fatal(err)
	}
	c, err := draw.NewCanvas(4, 1, draw.Vec4{}, 1)
	if err != nil {
		log.Fatal(err)
	}
	call := &draw.Call{
		Shader: &draw.WaveShader{Stages: g.Stages, LiveOut: g.LiveOut, Given: g.Given, Vertex: vertex, Fragment: fragment, Engine: ref.New()},
		Inputs: [][]draw.Vec4{{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}}, {{0, 0, 0, 1}, {2, 2, 0, 1}, {0, 0, 0, 1}}},
		Count:  3, Viewport: draw.Viewport{W: 4, H: 1},
	}
	if _, err := call.Run(context.Background(), c); err != nil {
		log.Fatal(err)
	}
	for x := range 4 {
		fmt.Println(c.Color[4*x : 4*x+4]) // red is 255 * (x+1/2)/4, rounded
	}
	// Output:
	// [32 16 0 255]
	// [96 48 0 255]
	// [159 80 0 255]
	// [223 112 0 255]
}
