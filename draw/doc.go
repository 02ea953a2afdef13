// Package draw turns vertices into pixels: vertex programs, clipping, triangles, quads of fragments,
// depth test and blending, onto a [Canvas]. It knows no instruction set and no launch. The two programs
// are a [Shader]; a [WaveShader] runs those of an instruction set, whose [Stages] say where inputs
// and outputs are.
//
//	c, err := draw.NewCanvas(640, 480, draw.Vec4{0, 0, 0, 1}, 1)
//	call := &draw.Call{
//		Shader: shader, Inputs: [][]draw.Vec4{positions}, Count: len(positions),
//		Viewport: draw.Viewport{W: 640, H: 480},
//	}
//	result, err := call.Run(ctx, c)
package draw
