package ref_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// square is code without an instruction set: one block, given as text.
type square struct{}

func (square) Text(uint64) string { return "v1 = v0*v0" }

func (square) Machine() *ir.Machine {
	return &ir.Machine{Name: "square", Widths: []int{4}, Control: ir.MaskData,
		Files: []ir.File{{Name: "v", Kind: ir.Lane32, Count: 2, Range: ir.RangeFault}, {Name: "exec", Kind: ir.ExecMask, Count: 1}}}
}

func (s square) Block(at ir.Key) (*ir.Block, error) {
	if at != (ir.Key{}) {
		return nil, fmt.Errorf("no block at %#x", at.PC)
	}
	b, err := ir.Parse(s.Machine(), `block 0
mark 0 size 4
  %x = get.i32 v[0]
  %y = imul.i32 %x, %x
  %e = get.i1 exec
  set v[1], %y, %e
  end
`)
	if err != nil {
		return nil, err
	}
	return b, ir.Verify(s.Machine(), b)
}

// The engine runs blocks of any origin: here on three of four lanes.
func ExampleNew() {
	p := exec.NewProgram(square{})
	st, err := exec.NewState(p.Machine(), 4)
	if err != nil {
		log.Fatal(err)
	}
	v0, v1 := ir.Cell{File: 0, Index: 0}, ir.Cell{File: 0, Index: 1}
	for lane := range 4 {
		st.Set(v0, lane, uint32(lane+1))
	}
	st.Start(0, 0b1011)
	stop := ref.New().NewRunner(p).Run(st, &exec.Env{}, exec.Budget{Steps: 1})
	fmt.Println(stop.Reason, st.Row(v1)[:4])
	// Output:
	// end [1 4 0 16]
}
