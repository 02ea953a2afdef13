package ir_test

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
)

const sampled = `block 0
mark 0 size 0
  %0 = get.f32 v[0]
  %1 = get.i32 v[1]
  %2 = get.i1 exec
  %3w = const.i32 3
  %4:%5:%6:%7 = tex bias %0, %0, %0, %0, %1, %2
mark 0 size 0
  %8 = get.i32 v[1]
  %9 = get.i1 exec
  %10:%11:%12:%13 = fetch.f32 %8, %8, %9
  end
`

// TestBuildTexture: the builder produces the text above, which verifies; a level of detail that does not exist does
// not.
func TestBuildTexture(t *testing.T) {
	m := irgen.Machine()
	b := ir.NewBuilder(m, ir.Key{})
	b.Mark(0, 0, 0)
	x, h, e := b.Get(ir.Cell{}, ir.F32), b.Get(ir.Cell{Index: 1}, ir.I32), b.Exec()
	b.I32(3)
	texel := b.Tex(ir.LodBias, x, x, x, x, h, e)
	b.Mark(0, 0, 0)
	i, e := b.Get(ir.Cell{Index: 1}, ir.I32), b.Exec()
	got := b.Fetch(ir.F32, i, i, e)
	b.End()
	if texel[3].ID() != 7 || got[0].ID() != 10 || got[0].Type() != ir.F32 {
		t.Errorf("results %v, %v", texel, got)
	}
	blk := b.Finish()
	if text := ir.Print(m, blk); text != sampled {
		t.Errorf("got\n%swant\n%s", text, sampled)
	}
	if err := ir.Verify(m, blk); err != nil {
		t.Error(err)
	}
	blk.Ops[4].Img.Lod = ir.LodSlopes
	if err := ir.Verify(m, blk); err == nil || !strings.Contains(err.Error(), "op 4: tex: no such level of detail: 4 [fields]") {
		t.Errorf("slopes: %v", err)
	}
	blk.Ops[4].Img = ir.ImageAttr{Lod: ir.LodBias, Words: 1}
	if err := ir.Verify(m, blk); err == nil || !strings.Contains(err.Error(), "op 4: tex: has image attributes, takes none [fields]") {
		t.Errorf("words: %v", err)
	}
	blk.Ops[4].Img = ir.ImageAttr{Lod: 9}
	if err := ir.Verify(m, blk); err == nil || !strings.Contains(err.Error(), "op 4: tex: no such level of detail: 9 [fields]") {
		t.Errorf("level of detail 9: %v", err)
	}
}
