package draw

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
)

// A Fault is a fault of a program of a draw, with the vertex or fragment that it processed. It is also an
// *exec.Fault for errors.As.
type Fault struct {
	exec.Item // of the lane at fault, or of the first in its wave
	Err       error
}

func (f *Fault) Error() string {
	name := ""
	if f.Draw != "" {
		name = " " + f.Draw
	}
	return fmt.Sprintf("draw%s: %v: %v", name, &f.Item, f.Err)
}

func (f *Fault) Unwrap() error { return f.Err }

// pixelFault is the pixel of a fault.
type pixelFault struct {
	error
	x, y int
	r    *triangle
}

func (f *pixelFault) Unwrap() error { return f.error }

// faultLane returns the lane of a fault, or the first of the active lanes; ok is false if the error is not a fault.
func faultLane(err error, running uint64) (lane int, ok bool) {
	var f *exec.Fault
	if !errors.As(err, &f) {
		return 0, false
	}
	if f.Lane >= 0 {
		return f.Lane, true
	}
	return bits.TrailingZeros64(running | 1<<63), true
}

// at adds the pixel to a fault in a flight's wave.
func (f *flight) at(err error) error {
	lane, ok := faultLane(err, f.covered)
	if !ok || lane >= f.lanes {
		return err
	}
	p := &pixelFault{error: err}
	p.x, p.y = f.pixel(lane)
	for i := range f.runs {
		if run := &f.runs[i]; lane >= run.from && lane < run.to {
			p.r = run.r
		}
	}
	return p
}

// fragmentFault adds the primitive to the error of a tile.
func (p *drawing) fragmentFault(err error) error {
	var at *pixelFault
	if !errors.As(err, &at) {
		return err
	}
	f := &Fault{exec.Item{Draw: p.d.Name, Fragment: true, X: at.x, Y: at.y}, at.error}
	if at.r != nil {
		f.Primitive, f.Instance = p.primitiveOf(at.r)
	}
	return f
}

// primitiveOf returns the number of the primitive of a triangle, and its instance.
func (p *drawing) primitiveOf(r *triangle) (primitive, instance int) {
	if len(p.order) == 0 {
		return 0, 0
	}
	instance = int(r.flat) / len(p.order)
	return p.primitive(r, instance*len(p.order)), instance
}

// primitive returns the number of the first triangle of an instance that has the last vertex of r and those of its
// corners that clipping has not changed. With Weights corners do not identify their vertices.
func (p *drawing) primitive(r *triangle, first int) int {
	all := uint32(len(p.order) * p.d.instances())
	for i := range p.primitives() {
		tri := p.corners(i)
		if uint32(first+tri[2]) != r.flat {
			continue
		}
		has := func(c corner) bool {
			return p.d.Weights || c.out >= all || slices.Contains(tri[:], int(c.out)-first)
		}
		if has(r.c[0]) && has(r.c[1]) && has(r.c[2]) {
			return i
		}
	}
	return 0
}

// vertexFault adds the vertex to the error of a wave of vertices that starts at first.
func (p *drawing) vertexFault(err error, first, lanes int) error {
	lane, ok := faultLane(err, 1)
	if !ok || lane >= lanes {
		return err
	}
	at := first + lane
	return &Fault{exec.Item{Draw: p.d.Name, Vertex: int(p.order[at%len(p.order)]), Instance: at / len(p.order)}, err}
}
