package ir_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// The lift of an instruction of four bytes, v1 = v0*v0 + 1 in the active lanes, and of the end instruction after
// it.
func ExampleBuilder() {
	m := &ir.Machine{Name: "tiny", Widths: []int{4}, Control: ir.MaskData,
		Files: []ir.File{{Name: "v", Kind: ir.Lane32, Count: 2, Range: ir.RangeFault}, {Name: "exec", Kind: ir.ExecMask, Count: 1}}}
	v0, v1 := ir.Cell{File: 0, Index: 0}, ir.Cell{File: 0, Index: 1}

	b := ir.NewBuilder(m, ir.Key{PC: 0x100})
	b.Mark(0x100, 4, 0)
	b.Float(num.RNE.With(num.FlushOut))
	x := b.Get(v0, ir.F32)
	b.Set(v1, x.Fma(x, b.Const(ir.F32, 0x3f800000)), b.Exec())
	b.Mark(0x104, 4, 0)
	b.End()
	block := b.Finish()
	if err := ir.Verify(m, block); err != nil {
		log.Fatal(err)
	}
	fmt.Print(ir.Print(m, block))
	// Output:
	// block 0x100
	// mark 0x100 size 4
	//   %0 = get.f32 v[0]
	//   %1w = const.f32 0x3f800000 ; 1
	//   %2 = ffma.f32 %0, %0, %1w {rne ftz}
	//   %3 = get.i1 exec
	//   set v[1], %2, %3
	// mark 0x104 size 4
	//   end
}

// Parsing the text form of a block, and two errors: Parse checks types, Verify all else.
func ExampleParse() {
	m := &ir.Machine{Name: "tiny", Widths: []int{4}, Control: ir.MaskData,
		Files: []ir.File{{Name: "s", Kind: ir.Wave32, Count: 2, Range: ir.RangeFault}, {Name: "exec", Kind: ir.ExecMask, Count: 1}}}
	const head = "block 0\nmark 0 size 4\n%a = get.i32 s[0]\n"
	for _, rest := range []string{"%b = iadd.i32 %a, %a\nset s[1], %b\nend\n", "%b = fadd.i32 %a, %a\n", "set s[1], %a\n"} {
		b, err := ir.Parse(m, head+rest)
		if err == nil {
			err = ir.Verify(m, b)
		}
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// 4:6: fadd: argument 1 is i32, rule is "f f -> f"
	// ir: op 1: set: the last op ends no block [end]
}
