package irgen

import "github.com/heddle-gpu/heddle/ir"

// sample adds a tex or a fetch with a handle that the options promise.
func (g *gen) sample() {
	handle := g.inRange(g.o.Handles, g.value(ir.I32, g.r.IntN(2) == 0))
	if g.r.IntN(3) == 0 {
		t := pick(g.r, []ir.Type{ir.I32, ir.F32})
		g.add(ir.Inst{Op: ir.Fetch, Type: t, Args: []ir.Val{g.value(ir.I32, false), handle, g.mask()}})
		return
	}
	in := ir.Inst{Op: ir.Tex, Type: ir.F32, Tex: ir.TexAttr{Lod: ir.LodKind(g.r.IntN(int(ir.LodZero) + 1))}}
	for range 4 {
		in.Args = append(in.Args, g.value(ir.F32, g.r.IntN(8) == 0))
	}
	in.Args = append(in.Args, handle, g.mask())
	g.add(in)
}
