package pass_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// Fold computes constants and removes ops without effect on the value; Dead then removes unused ops.
func ExampleFold() {
	m := &ir.Machine{Name: "tiny", Widths: []int{4}, Control: ir.MaskData,
		Files: []ir.File{{Name: "s", Kind: ir.Wave32, Count: 2, Range: ir.RangeFault}, {Name: "exec", Kind: ir.ExecMask, Count: 1}}}
	b, err := ir.Parse(m, `block 0
mark 0 size 4
  %x = get.i32 s[0]
  %two = const.i32 2
  %three = const.i32 3
  %six = imul.i32 %two, %three
  %zero = isub.i32 %six, %six
  %y = iadd.i32 %x, %zero
  %z = iadd.i32 %y, %six
  set s[1], %z
  end
`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(ir.Print(m, pass.Dead(m, pass.Fold(m, b))))
	// Output:
	// block 0
	// mark 0 size 4
	//   %0w = get.i32 s[0]
	//   %1w = const.i32 6
	//   %2w = iadd.i32 %0w, %1w
	//   set s[1], %2w
	//   end
}
