package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
)

// halvesCode returns a block of random ops on halves of words, and inserts of narrower values, with results in
// registers that it reads.
func halvesCode(rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteString("block 0x100\nmark 0x100 size 4\n  %e = get.i1 exec\n")
	floats := []string{"fadd 2", "fmul 2", "ffma 3", "fdiv 2", "fneg 1", "fabs 1", "fsat 1", "fcanon 1", "fminnum 2", "frndne 1"}
	ints := []string{"iadd 2", "isub 2", "imul 2", "and 2", "not 1", "shl 2", "shru 2", "shrs 2", "smin 2", "umax 2", "usubsat 2", "uaddsat 2", "uabsdiff 2"}
	mode := []string{"rne nan=canon", "rne daz ftz nan=canon", "rz nan=ones", "rdn nan=canon"}[rnd.IntN(4)]
	var list []string
	for i := range 4 {
		fmt.Fprintf(&b, "  %%v%d = get.i32 v[%d]\n", i, i)
		list = append(list, fmt.Sprintf("%%v%d", i))
	}
	fmt.Fprintf(&b, "  %%w = get.i32 s[0]\n  %%k = const.i32 %#x\n", rnd.Uint32())
	list = append(list, "%w", "%k")
	pick := func() string { return list[len(list)-1-rnd.IntN(min(len(list), 6))] }
	for i := range 6 + rnd.IntN(14) {
		switch rnd.IntN(8) {
		case 0:
			narrow := []string{"i8", "i16", "f16"}[rnd.IntN(3)]
			fmt.Fprintf(&b, "  %%n%d = trunc.%s %s\n", i, strings.Replace(narrow, "f", "i", 1), pick())
			fmt.Fprintf(&b, "  %%r%d = insert.i32 %s, %%n%d, %d\n", i, pick(), i, 8*rnd.IntN(3))
		default:
			typ, ops, with := "v2f16", floats, " {"+mode+"}"
			if rnd.IntN(2) == 0 {
				typ, ops, with = "v2i16", ints, ""
			}
			op, args := ops[rnd.IntN(len(ops))], []string(nil)
			for k := range int(op[len(op)-1] - '0') {
				fmt.Fprintf(&b, "  %%c%d_%d = cast.%s %s\n", i, k, typ, pick())
				args = append(args, fmt.Sprintf("%%c%d_%d", i, k))
			}
			if op[:4] == "fneg" || op[:4] == "fabs" {
				with = ""
			}
			fmt.Fprintf(&b, "  %%o%d = %s.%s %s%s\n  %%r%d = cast.i32 %%o%d\n", i, op[:len(op)-2], typ, strings.Join(args, ", "), with, i, i)
		}
		list = append(list, fmt.Sprintf("%%r%d", i))
		if rnd.IntN(2) == 0 {
			fmt.Fprintf(&b, "  set.i32 v[%d], %%r%d, %%e\n", rnd.IntN(8), i)
		}
	}
	fmt.Fprintf(&b, "  set.i32 v[8], %s, %%e\n  jump 0x100\n", list[len(list)-1])
	return b.String()
}

// TestPacked checks ops on both halves of words against the reference.
func TestPacked(t *testing.T) {
	levels(t, func(t *testing.T, e exec.Engine) {
		rnd := rand.New(rand.NewPCG(41, 43))
		for n := range 400 {
			sameRegisters(t, e, halvesCode(rnd), []uint64{^uint64(0), 0xff00_0000_ffff_3c03}[n%2], func(st *exec.State) {
				values := rand.New(rand.NewPCG(47, uint64(n)))
				for k := range st.V {
					st.V[k] = values.Uint32()
					if values.IntN(2) == 0 {
						st.V[k] &= 0xbc00_bc00 | 0x0201_0201<<values.IntN(8)
					}
				}
				st.S[0] = values.Uint32()
			})
		}
	})
}
