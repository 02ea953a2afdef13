package ir_test

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
)

const imaged = `block 0
mark 0 size 0
  %0w = const.i32 5
  %1 = get.i32 v[0]
  %2 = get.i1 exec
  %3:%4:%5 = image place array bytes 4 2, %0w, %0w, %1, %1, %1, %1, %1, %2
  %6:%7:%8:%9 = sample gather slopes z compare half 2, %0w, %0w, %1, %1, %1, %1, %1, %1, %1, %1, %1, %1, %1, %1, %1, %1, %2
mark 0 size 0
  %10w = const.i32 5
  %11 = get.i32 v[0]
  %12 = get.i1 exec
  %13:%14 = sample lod bias texels limit 1, %10w, %11, %11, %11, %11, %11, %11, %11, %11, %12
  %15:%16:%17:%18 = image fetch packed 1, %10w, %11, %11, %11, %11, %11, %11, %12
  end
`

// TestBuildImage: the builder produces the text above, which verifies; invalid attributes do not.
func TestBuildImage(t *testing.T) {
	m := irgen.Machine()
	b := ir.NewBuilder(m, ir.Key{})
	b.Mark(0, 0, 0)
	w, x, e := b.I32(5), b.Get(ir.Cell{}, ir.I32), b.Exec()
	at := func(x ir.V) ir.SampleAt {
		three := [3]ir.V{x, x, x}
		return ir.SampleAt{At: three, Slice: x, W: x, Least: x, Ref: x, Offset: x, Dx: three, Dy: three}
	}
	place := b.Image(ir.ImageAttr{Do: ir.ImagePlace, With: ir.ImageArray, Bytes: 4}, []ir.V{w, w}, []ir.V{x, x, x, x, x}, e)
	four := b.Sample(ir.ImageAttr{Do: ir.SampleGather, Lod: ir.LodSlopes, Comp: 2, With: ir.ImageCompare | ir.ImageHalf}, []ir.V{w, w}, at(x), e)
	b.Mark(0, 0, 0)
	w, x, e = b.I32(5), b.Get(ir.Cell{}, ir.I32), b.Exec()
	lods := b.Sample(ir.ImageAttr{Do: ir.SampleLod, Lod: ir.LodBias, With: ir.ImageTexels | ir.ImageLimit}, []ir.V{w}, at(x), e)
	texel := b.Image(ir.ImageAttr{Do: ir.ImageTexel, With: ir.ImagePacked}, []ir.V{w}, []ir.V{x, x, x, x, x, x}, e)
	b.End()
	if len(place) != 3 || len(four) != 4 || len(lods) != 2 || len(texel) != 4 {
		t.Errorf("%d, %d and %d results", len(place), len(four), len(lods))
	}
	blk := b.Finish()
	if text := ir.Print(m, blk); text != imaged {
		t.Errorf("got\n%swant\n%s", text, imaged)
	}
	if err := ir.Verify(m, blk); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		spoil func(place, gather *ir.Inst)
		want  string
	}{
		{func(p, _ *ir.Inst) { p.Img.Do = ir.SampleTexel }, "op 3: image: "},
		{func(p, _ *ir.Inst) { p.Img.Do = 99 }, "op 3: image: "},
		{func(p, _ *ir.Inst) { p.Img.Lod = ir.LodBias }, "op 3: image: no such level of detail: 1 [fields]"},
		{func(p, _ *ir.Inst) { p.Img.Comp = 1 }, "op 3: image: component 1 of place [fields]"},
		{func(p, _ *ir.Inst) { p.Img.With = 0x80 }, "op 3: image: attributes that do not exist: 0x80 [fields]"},
		{func(p, _ *ir.Inst) { p.Img.Words = 0 }, "op 3: image: "},
		{func(p, _ *ir.Inst) { p.Args[0] = p.Args[2] }, "op 3: image: word 0 of the descriptors is one per lane [type]"},
		{func(_, g *ir.Inst) { g.Img.Comp = 4 }, "op 4: sample: component 4 of gather [fields]"},
		{func(_, g *ir.Inst) { g.Img.Bytes = 4 }, "op 4: sample: texels of 4 bytes [fields]"},
		{func(_, g *ir.Inst) { g.Img.Lod = 9 }, "op 4: sample: "},
	} {
		bad, err := ir.Parse(m, imaged)
		if err != nil {
			t.Fatal(err)
		}
		c.spoil(&bad.Ops[3], &bad.Ops[4])
		if err := ir.Verify(m, bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	for _, text := range []string{"image texel 1, %0, %0", "image what 1, %0, %0", "sample texel sometimes 1, %0", "image place bytes x 2, %0", "sample gather zero q 1, %0"} {
		if _, err := ir.Parse(m, "block 0\nmark 0 size 0\n%0 = get.i32 v[0]\n%1 = "+text+"\nend\n"); err == nil {
			t.Errorf("%s is no error", text)
		}
	}
}
