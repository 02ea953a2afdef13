package gcn

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/draw"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// Draw executes the recorded draw of a variant of the scene.
func Draw(ctx context.Context, s *Scene, v *Variant, set launch.Settings) (*launch.Drawn, error) {
	d, err := drawScene(ctx, s, v, set)
	if d == nil { // messages of a draw begin with its name
		return nil, fmt.Errorf("%s %s: %w", s.Name, v.Name, err)
	}
	return d, err
}

func drawScene(ctx context.Context, s *Scene, v *Variant, set launch.Settings) (*launch.Drawn, error) {
	call, canvas, space, err := newCall(s, v, set)
	if err != nil {
		return nil, err
	}
	res, err := call.Run(ctx, canvas)
	out := &launch.Drawn{Counters: res.Counters, Width: s.Size[0], Height: s.Size[1], Buffers: map[string][]byte{},
		Vertices: res.Vertices, Triangles: res.Triangles, Time: res.Time}
	for i := range s.Targets {
		t := canvas.Targets[s.Targets[i].Index]
		out.Targets = append(out.Targets, launch.DrawnTarget{Integer: t.Format.Integer(), Pixels: t.Pixels()})
	}
	for name, addr := range v.Buffers {
		if g, ok := space.Find(addr); ok {
			out.Buffers[name] = g.Data[addr-g.Base:]
		}
	}
	return out, err
}

// newCall prepares the draw, its shaders and its targets.
func newCall(s *Scene, v *Variant, set launch.Settings) (*draw.Call, *draw.Canvas, *mem.Space, error) {
	x, space, err := newSetup(s, v, set)
	if err != nil {
		return nil, nil, nil, err
	}
	canvas, err := newCanvas(s)
	if err != nil {
		return nil, nil, nil, err
	}
	call := &draw.Call{Name: x.name, Shader: x, Count: v.Draw.Count, Instances: v.Draw.Instances, Workers: set.Workers, Progress: set.Tiles}
	if call.Indices, err = indices(space, &v.Draw); err != nil {
		return nil, nil, nil, err
	}
	if err := x.regs.apply(call, s.Size[0], s.Size[1], s.Depth != nil); err != nil {
		return nil, nil, nil, err
	}
	for i := range x.channels {
		x.channels[i] = call.Reads(canvas, i)
	}
	if x.watcher != nil {
		call.Workers = 1
	}
	if launch.Writes(x.pixel.program, x.pixel.entry()) || launch.Writes(x.vertex.program, x.vertex.entry()) {
		call.Workers = 1 // the final memory may depend on the order of tiles
	}
	return call, canvas, space, nil
}

// newCanvas creates the targets and the depth buffer, cleared.
func newCanvas(s *Scene) (*draw.Canvas, error) {
	c := &draw.Canvas{Width: s.Size[0], Height: s.Size[1], Depth: make([]float32, s.Size[0]*s.Size[1]), Targets: make([]*draw.Target, draw.MaxTargets)}
	for i := range s.Targets {
		t := &s.Targets[i]
		f := draw.FormatOf(t.Format)
		if f == nil {
			return nil, fmt.Errorf("targets[%d].format: no format %q", i, t.Format)
		}
		var clear draw.Pixel
		for k, x := range t.Clear {
			clear[k] = math.Float32bits(float32(x))
			if f.Integer() {
				clear[k] = uint32(int64(x))
			}
		}
		c.Targets[t.Index] = draw.NewTarget(f, s.Size[0], s.Size[1], clear)
	}
	if s.Depth != nil {
		for i := range c.Depth {
			c.Depth[i] = float32(s.Depth.Clear)
		}
	}
	return c, nil
}

// newSetup prepares the shaders, and memory with its contents at the draw.
func newSetup(s *Scene, v *Variant, set launch.Settings) (*setup, *mem.Space, error) {
	arch := gcn.Set()
	n, ok := arch.Variant(v.Name)
	if !ok {
		return nil, nil, fmt.Errorf("there is no gcn:%s", v.Name)
	}
	x := &setup{regs: v.Registers, engine: set.Engine, limits: set.Limits, watcher: set.Watcher, name: s.Name + " " + v.Name}
	if err := x.regs.check(); err != nil {
		return nil, nil, err
	}
	x.attrs = x.regs.attributes()
	space, err := newSpace(s, v)
	if err != nil {
		return nil, nil, err
	}
	env := exec.Env{Policy: set.Policy, Spaces: exec.Spaces{ir.GlobalSpace: {space}}, Resources: exec.Resources{ImageOf: NewImages(space, nil).Of}}
	of := func(name string, p *Shader) (stage, error) {
		code := &isa.Program{Target: arch.At(n, 0), Base: p.Addr, Code: p.Code}
		return stage{name, p, set.Programs.Of(p, code), env}, env.MapCode(code)
	}
	if x.vertex, err = of("vertex shader", &v.Vertex); err != nil {
		return nil, nil, err
	}
	x.pixel, err = of("pixel shader", &v.Pixel)
	return x, space, err
}

// newSpace returns the memory of the draw.
func newSpace(s *Scene, v *Variant) (*mem.Space, error) {
	list, err := s.ReadMemory(v)
	if err != nil {
		return nil, err
	}
	var segs []mem.Segment
	for i, m := range list {
		if m.Size == 0 {
			continue
		}
		g := mem.NewSegment(fmt.Sprintf("%s (%d)", m.What, i), m.Addr, m.Size, mem.ReadWrite)
		copy(g.Data, m.Data)
		segs = append(segs, g)
	}
	return mem.NewSpace("global", segs...)
}

// indices reads the index buffer; nil if the draw has none.
func indices(space *mem.Space, d *DrawCommand) ([]uint32, error) {
	size := d.indexBytes()
	if size == 0 {
		return nil, nil
	}
	var c mem.Cursor
	data, fault := space.At(&c, d.IndexAddr, uint64(d.Count)*size, mem.Read)
	if fault != nil {
		return nil, fmt.Errorf("index buffer: %w", fault)
	}
	list := make([]uint32, d.Count)
	for i := range list {
		if size == 2 {
			list[i] = uint32(binary.LittleEndian.Uint16(data[2*i:]))
		} else {
			list[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
	}
	return list, nil
}
