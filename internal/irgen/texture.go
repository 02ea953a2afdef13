package irgen

import "github.com/heddle-gpu/heddle/ir"

// sample adds a tex or a fetch with a handle that the options permit.
func (g *gen) sample() {
	handle := g.inRange(g.o.Handles, g.value(ir.I32, g.r.IntN(2) == 0))
	if g.r.IntN(3) == 0 {
		t := pick(g.r, []ir.Type{ir.I32, ir.F32})
		g.add(ir.Inst{Op: ir.Fetch, Type: t, Args: []ir.Val{g.value(ir.I32, false), handle, g.mask()}})
		return
	}
	if g.r.IntN(2) == 0 {
		g.inputOrOutput(handle)
		return
	}
	if g.r.IntN(2) == 0 {
		g.image()
		return
	}
	in := ir.Inst{Op: ir.Tex, Type: ir.F32, Img: ir.ImageAttr{Lod: ir.LodKind(g.r.IntN(int(ir.LodZero) + 1))}}
	for range 4 {
		in.Args = append(in.Args, g.value(ir.F32, g.r.IntN(8) == 0))
	}
	in.Args = append(in.Args, handle, g.mask())
	g.add(in)
}

// image adds an op on an image whose descriptor may hold any words.
func (g *gen) image() {
	in := ir.Inst{Op: ir.Sample, Type: ir.I32, Img: ir.ImageAttr{Do: ir.ImageDo(g.r.IntN(ir.NumImageDos)), Words: uint8(1 + g.r.IntN(3))}}
	in.Img.With = ir.ImageWith(g.r.IntN(1 << ir.NumImageWiths))
	if in.Op = in.Img.Do.Op(); in.Op == ir.Sample {
		in.Img.Lod = ir.LodKind(g.r.IntN(int(ir.LodSlopes) + 1))
	}
	if in.Img.Do == ir.SampleGather {
		in.Img.Comp = uint8(g.r.IntN(4))
	}
	if in.Img.Do == ir.ImagePlace && g.o.Faults && g.r.IntN(4) == 0 {
		in.Img.Bytes = 4
	}
	for range in.Img.Words {
		if in.Img.With&ir.ImageEach != 0 {
			in.Args = append(in.Args, g.value(ir.I32, false))
			continue
		}
		in.Args = append(in.Args, g.constant(ir.I32, g.r.Uint64()&0xffffffff))
	}
	for range in.Operands() {
		in.Args = append(in.Args, g.value(ir.I32, g.r.IntN(4) == 0))
	}
	in.Args = append(in.Args, g.mask())
	g.add(in)
}

// inputOrOutput adds an input, or an output, which must be the mark's first effect.
func (g *gen) inputOrOutput(slot ir.Val) {
	in := ir.Inst{Op: ir.Input, Type: pick(g.r, []ir.Type{ir.I32, ir.F32, ir.V2F16}), Args: []ir.Val{slot}}
	in.IO = ir.IOAttr{First: uint8(g.r.IntN(5)), Count: uint8(1 + g.r.IntN(ir.MaxComponents))}
	if g.r.IntN(2) == 0 {
		in.Op = ir.Output
		for range in.IO.Count {
			in.Args = append(in.Args, g.value(in.Type, g.r.IntN(4) == 0))
		}
	} else {
		in.IO.How = ir.How(g.r.IntN(int(ir.HowP20)+1) + g.r.IntN(4)<<4)
		if in.IO.How.At() == ir.AtOffset {
			in.Args = append(in.Args, g.value(ir.F32, false), g.value(ir.F32, false))
		}
	}
	in.Args = append(in.Args, g.mask())
	g.add(in)
}
