package ir_test

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

var v0, s0, scc, exec = ir.Cell{}, ir.Cell{File: 1}, ir.Cell{File: 3}, ir.Cell{File: 4}

func TestBuilder(t *testing.T) {
	m := irgen.Machine()
	b := ir.NewBuilder(m, ir.Key{PC: 0x10})
	b.Mark(0x10, 4, 0)
	restore := b.Float(num.RNE.With(num.FlushIn))
	x := b.Get(v0, ir.F32)
	sum, out := x.As(ir.I32).AddC(b.I32(1), b.I1(true))
	b.Set(v0, out.Select(x.FMul(x), sum.As(ir.F32)), b.Exec())
	b.Set(scc, b.I1(false), ir.V{})
	restore()
	here := b.Here()
	b.Mark(0x14, 8, 0)
	b.End()
	b.Cut(here)
	if b.Done() || b.Mode() != 0 {
		t.Error("cut back, but done, or the mode is left")
	}
	b.Mark(0x14, 4, 0)
	b.Trap(ir.TrapUnimplemented, "later")
	blk := b.Finish()
	if err := ir.Verify(m, blk); err != nil {
		t.Error(err)
	}
	if blk.Next != 0x18 || len(blk.Marks) != 2 || blk.MarkAt(3) != 0 || blk.MarkAt(len(blk.Ops)-1) != 1 {
		t.Errorf("marks %v, next %#x", blk.Marks, blk.Next)
	}
	b.Cut(here)
	if blk.Next != 0x14 {
		t.Errorf("next is %#x after the cut, want 0x14", blk.Next)
	}
}

// TestBuilderPanics: errors of a lift are found where it makes them.
func TestBuilderPanics(t *testing.T) {
	tests := []struct {
		name, want string
		f          func(b *ir.Builder, x, f, e ir.V)
	}{
		{"types", `ir: iadd: argument 2 is i64, rule is "i i -> i"`, func(b *ir.Builder, x, f, e ir.V) { x.Add(b.I64(1)) }},
		{"no mode", "ir: fadd: no float mode is set", func(b *ir.Builder, x, f, e ir.V) { f.FAdd(f) }},
		{"no value", "ir: a value of another builder, or none", func(b *ir.Builder, x, f, e ir.V) { x.Add(ir.V{}) }},
		{"after the end", "ir: const after the block's end", func(b *ir.Builder, x, f, e ir.V) { b.End(); b.I32(1) }},
		{"wide constant", "ir: const: more bits than i8", func(b *ir.Builder, x, f, e ir.V) { b.Const(ir.I8, 256) }},
		{"no cell", "ir: get: no such cell, or not i32", func(b *ir.Builder, x, f, e ir.V) { b.Get(ir.Cell{File: 77}, ir.I32) }},
		{"wave cell", "ir: set: a wave cell from a value that is one per lane", func(b *ir.Builder, x, f, e ir.V) { b.Set(s0, x, ir.V{}) }},
		{"mask missing", "ir: set: lane32 cell: mask given or missing", func(b *ir.Builder, x, f, e ir.V) { b.Set(v0, x, ir.V{}) }},
		{"mask given", "ir: set: exec cell: mask given or missing", func(b *ir.Builder, x, f, e ir.V) { b.Set(exec, e, e) }},
		{"setx", "ir: setx: no mask, but a lane cell or values that are one per lane", func(b *ir.Builder, x, f, e ir.V) { b.SetX(v0, x, x, ir.V{}) }},
		{"getx", "ir: getx: no mask, but a lane cell or an index that is one per lane", func(b *ir.Builder, x, f, e ir.V) { b.GetX(s0, x, ir.V{}, ir.I32) }},
		{"getx without mask", "ir: getx: no mask", func(b *ir.Builder, x, f, e ir.V) { b.GetX(v0, x, ir.V{}, ir.I32) }},
		{"setx of a wave cell", "ir: setx: no mask", func(b *ir.Builder, x, f, e ir.V) { b.SetX(s0, b.I32(0), x, ir.V{}) }},
		{"load", "ir: load: no mask, but an address a lane", func(b *ir.Builder, x, f, e ir.V) {
			b.Load(ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: 1}, ir.I32, x, ir.V{})
		}},
		{"store", "ir: store: the values are not as many as elements", func(b *ir.Builder, x, f, e ir.V) {
			b.Store(ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: 2}, x, []ir.V{x}, e)
		}},
		{"cast", "ir: cast: i32 to i16", func(b *ir.Builder, x, f, e ir.V) { x.As(ir.I16) }},
		{"trunc", "ir: trunc: i32 to i64", func(b *ir.Builder, x, f, e ir.V) { x.Trunc(ir.I64) }},
		{"extract", "ir: extract: beyond i32", func(b *ir.Builder, x, f, e ir.V) { x.Extract(25, ir.I8) }},
		{"insert", "ir: insert: beyond i32", func(b *ir.Builder, x, f, e ir.V) { x.Insert(x, 1) }},
		{"pack", "ir: pack: i32 to i32", func(b *ir.Builder, x, f, e ir.V) { x.Pack(x, ir.I32) }},
		{"unpack", "ir: unpack: i32 to i32", func(b *ir.Builder, x, f, e ir.V) { x.Unpack(ir.I32) }},
	}
	for _, tt := range tests {
		b := ir.NewBuilder(irgen.Machine(), ir.Key{})
		b.Mark(0, 4, 0)
		x, f, e := b.Get(v0, ir.I32), b.Get(v0, ir.F32), b.Exec()
		if got := caught(func() { tt.f(b, x, f, e) }); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func caught(f func()) (msg string) {
	defer func() { msg, _ = recover().(string) }()
	f()
	return ""
}

// TestBuilderAllocates: a block allocates its parts at their final size, however many ops it has; blocks of one
// builder's room share nothing.
func TestBuilderAllocates(t *testing.T) {
	m := irgen.Machine()
	build := func(ops int) *ir.Block {
		b := ir.NewBuilder(m, ir.Key{PC: 0x10})
		b.Mark(0x10, 4, 0)
		x := b.Get(ir.Cell{}, ir.I32)
		e := b.Exec()
		for range ops {
			x = x.Add(b.Load(ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: 2}, ir.I32, x, e)[1])
		}
		b.Set(ir.Cell{}, x, e)
		b.End()
		return b.Finish()
	}
	first := build(2000)
	kept := ir.Print(m, first)
	if n := testing.AllocsPerRun(20, func() { build(1000) }); n > 12 {
		t.Errorf("%v allocations for a block, want a few", n)
	}
	if build(3000); ir.Print(m, first) != kept {
		t.Error("a later block changed an earlier one")
	}
	if cap(first.Ops) > len(first.Ops)+len(first.Ops)/8 {
		t.Errorf("room for %d ops, %d used", cap(first.Ops), len(first.Ops))
	}
	defer func() {
		if r := recover(); r != "ir: an op after the block is finished" {
			t.Errorf("%v", r)
		}
	}()
	b := ir.NewBuilder(m, ir.Key{})
	x := b.I32(1)
	b.Finish()
	x.Add(x)
}

const builderText = `block 0
mark 0 size 4
  %0 = get.i32 v[0]
  %1 = get.f32 v[0]
  %2 = get.i1 exec
  %3:%4 = shuffle.i32 %0, %0, %2, 0x10
  %5:%6 = shuffle.i32 %0, %0, %2
  %7 = get.v2i16 v[0]
  %8 = ult.v2i16 %7, %7
  %9 = cast.v2f16 %1
  %10 = cast.v2f16 %1
  %11 = cast.v2i16 %9
  %12 = cast.v2i16 %10
  %13 = bfi.v2i16 %8, %11, %12
  %14 = cast.v2f16 %13
  %15w = const.v2i16 0x23452345
  %16 = cast.v4i8 %7
  %17 = sdot4 %16, %16
  %18 = udot4 %16, %16
  %19 = iadd.i32 %17, %18
  %20 = getx.i32 s[0 + %0], %2
  %21:%22 = input.f32 linear offset 1 x 2, %0, %1, %1, %2
mark 4 size 4
  %23w = const.i32 3
  %24w = const.i32 1
  %25w = const.i32 2
  %26w = const.i1 1
  output 0 x 2, %23w, %24w, %25w, %26w
  issue slot writes v[0] x 2 reads s[0], v[0]
  issue vm
  wait vm, 3
  %27 = laneid
  %28 = live
  probe 3, %27, %28
  %29w = const.i32 0x40
  barrier %29w, 8, 2
`

// TestBuilderText: the text form of ops with attributes of their own.
func TestBuilderText(t *testing.T) {
	b := ir.NewBuilder(irgen.Machine(), ir.Key{})
	b.Mark(0, 4, 0)
	x, f, e := b.Get(v0, ir.I32), b.Get(v0, ir.F32), b.Exec()
	x.ShuffleIn(16, x, e)
	x.Shuffle(x, e)
	p := b.Get(v0, ir.V2I16)
	p.ULt(p).Select(f.As(ir.V2F16), f.As(ir.V2F16))
	p.K(0x12345)
	q := p.As(ir.V4I8)
	q.SDot4(q).Add(q.UDot4(q))
	b.GetX(s0, x, e, ir.I32)
	b.Input(ir.IOAttr{First: 1, Count: 2, How: ir.HowLinear | ir.AtOffset}, ir.F32, x, f, f, e)
	b.Mark(4, 4, 0)
	b.Output(ir.IOAttr{Count: 2}, b.I32(3), []ir.V{b.I32(1), b.I32(2)}, b.I1(true))
	b.Issue(1, []ir.Span{{Cell: v0, Count: 2}}, []ir.Span{{Cell: s0, Count: 1}, {Cell: v0, Count: 1}})
	b.Issue(0, nil, nil)
	b.Wait(0, 3)
	b.Probe(3, []ir.V{b.LaneID()}, b.Live())
	b.BarrierN(2, b.I32(64), 8)
	blk := b.Finish()
	if got := ir.Print(b.M, blk); got != builderText {
		t.Errorf("got\n%s", got)
	}
	if err := ir.Verify(b.M, blk); err != nil {
		t.Error(err)
	}
}

// TestAlone: a serial instruction has a block of its own, whatever precedes and follows it.
func TestAlone(t *testing.T) {
	instruction := func(b *ir.Builder, pc uint64, serial bool) bool {
		from := b.Here()
		b.Mark(pc, 4, 0)
		b.Set(s0, b.Get(s0, ir.I32).Add(b.I32(1)), ir.V{})
		if serial {
			b.Serial()
		}
		return b.Alone(from, pc)
	}
	b := ir.NewBuilder(irgen.Machine(), ir.Key{})
	if instruction(b, 0, false) || !instruction(b, 4, true) {
		t.Error("the block ends elsewhere")
	}
	before := b.Finish()
	b = ir.NewBuilder(irgen.Machine(), ir.Key{PC: 4})
	if !instruction(b, 4, true) {
		t.Error("the block goes on behind a serial instruction")
	}
	alone := b.Finish()
	for _, tt := range []struct {
		b      *ir.Block
		serial bool
		to     uint64
	}{{before, false, 4}, {alone, true, 8}} {
		if err := ir.Verify(b.M, tt.b); err != nil || tt.b.Serial != tt.serial || len(tt.b.Marks) != 1 || tt.b.Term().Op != ir.Jump || tt.b.Term().Imm != tt.to {
			t.Errorf("%v, want serial %t and a jump to %#x in\n%s", err, tt.serial, tt.to, ir.Print(b.M, tt.b))
		}
	}
}
