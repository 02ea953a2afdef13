package lower_test

import (
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// A block in its two forms for a code generator: for waves with some lanes active on entry, and with all. The results
// then are computed into the registers directly.
func Example() {
	m := exectest.Machine(ir.MaskData)
	p := exectest.Parse(m, `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  %k = const.i32 3
  %s = iadd.i32 %a, %k
  set.i32 v[1], %s, %e
mark 0x104 size 4
  %b = get.i32 v[1]
  %m = get.i1 exec
  %r = load.i32 global[4 align 4] %b, %m
  set.i32 v[0], %r, %m
  jump 0x200
`)
	block, err := p.Block(ir.Key{PC: 0x100})
	if err != nil {
		log.Fatal(err)
	}
	for _, dense := range []bool{false, true} {
		fmt.Print(lower.Lower(p.Frame(block, block), m, lower.Options{Code: 64, Dense: dense}))
	}
	// Output:
	// block 0x100 rows 3 vecs 0 lanes 64
	// mark 0x100
	//   m1 = get exec  ; %1 = get.i1 exec
	//   r1 = iadd.i32 v[0], 0x3  ; %3 = iadd.i32 %0, %2w
	//   v[1] = set r1 in m1  ; set v[1], %3, %1
	// mark 0x104
	//   m3 = get exec  ; %5 = get.i1 exec
	//   r2 = load.i32 v[1] in m3  ; %6 = load.i32 global[4 align 4] %4, %5
	//   v[0] = set r2 in m3  ; set v[0], %6, %5
	// then jump to 0x200
	// block 0x100 rows 1 vecs 0 lanes 64
	// mark 0x100
	//   m1 = get exec  ; %1 = get.i1 exec
	//   v[1] = iadd.i32 v[0], 0x3  ; %3 = iadd.i32 %0, %2w
	// mark 0x104
	//   m3 = get exec  ; %5 = get.i1 exec
	//   v[0] = load.i32 v[1] in m3, full  ; %6 = load.i32 global[4 align 4] %4, %5
	// then jump to 0x200
}
