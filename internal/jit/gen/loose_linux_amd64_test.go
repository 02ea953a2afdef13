package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
)

// looseCode returns a block of float ops in several modes, and between them ops that read all bits of their operands.
func looseCode(rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteString("block 0x100\nmark 0x100 size 4\n  %e = get.i1 exec\n  %w = get.i32 s[1]\n  %zero = const.i1 0\n")
	ints, floats := []string{"%w"}, []string{}
	for i := range 6 {
		fmt.Fprintf(&b, "  %%v%d = get.i32 v[%d]\n  %%f%d = cast.f32 %%v%d\n", i, i, i, i)
		ints, floats = append(ints, fmt.Sprintf("%%v%d", i)), append(floats, fmt.Sprintf("%%f%d", i))
	}
	back := []int{7, 40}[rnd.IntN(2)] // many live values take all registers
	late := func(list []string) string { return list[len(list)-1-rnd.IntN(min(len(list), back))] }
	for i := range 10 + rnd.IntN(60) {
		mode := []string{"rne daz ftz", "rne daz ftz", "rne daz ftz", "rne ftz", "rne", "rz daz ftz"}[rnd.IntN(6)]
		x, y, z := late(floats), late(floats), late(floats)
		switch n := rnd.IntN(15); {
		case n < 6:
			op := []string{"fadd", "fsub", "fmul"}[rnd.IntN(3)]
			fmt.Fprintf(&b, "  %%r%d = %s.f32 %s, %s {%s}\n", i, op, x, y, mode)
		case n == 6:
			fmt.Fprintf(&b, "  %%r%d = ffma.f32 %s, %s, %s {%s}\n", i, x, y, z, mode)
		case n == 7:
			fmt.Fprintf(&b, "  %%r%d = fneg.f32 %s\n", i, x)
		case n == 8:
			fmt.Fprintf(&b, "  %%r%d = fabs.f32 %s\n", i, x)
		case n == 9:
			fmt.Fprintf(&b, "  %%a%d = iadd.i32 %s, %s\n  %%r%d = cast.f32 %%a%d\n", i, late(ints), late(ints), i, i)
		case n == 10:
			fmt.Fprintf(&b, "  %%q%d = zext.i64 %s\n  %%u%d = shl.i64 %%q%d, %%q%d\n  %%a%d = trunc.i32 %%u%d\n  %%r%d = cast.f32 %%a%d\n", i, late(ints), i, i, i, i, i, i, i)
		case n == 12: // without a carry in; the carry out is the condition of a select
			op := []string{"addc", "subb"}[rnd.IntN(2)]
			p, q := late(ints), late(ints)
			fmt.Fprintf(&b, "  %%a%d:%%d%d = %s.i32 %s, %s, %%zero\n  %%b%d = select.i32 %%d%d, %%a%d, %s\n  %%r%d = cast.f32 %%b%d\n", i, i, op, p, q, i, i, i, q, i, i)
		case n > 12:
			fmt.Fprintf(&b, "  %%c%d = flt.f32 %s, %s {%s}\n  %%a%d:%%d%d = addc.i32 %s, %s, %%c%d\n  %%b%d:%%g%d = addc.i32 %s, %s, %%d%d\n  %%r%d = cast.f32 %%b%d\n",
				i, x, y, mode, i, i, late(ints), late(ints), i, i, i, late(ints), late(ints), i, i, i)
		default:
			fmt.Fprintf(&b, "  %%c%d = flt.f32 %s, %s {%s}\n  %%r%d = select.f32 %%c%d, %s, %s\n", i, x, y, mode, i, i, y, z)
		}
		fmt.Fprintf(&b, "  %%i%d = cast.i32 %%r%d\n", i, i)
		ints, floats = append(ints, fmt.Sprintf("%%i%d", i)), append(floats, fmt.Sprintf("%%r%d", i))
		if rnd.IntN(4) == 0 {
			fmt.Fprintf(&b, "  set.i32 v[%d], %%i%d, %%e\n", rnd.IntN(12), i)
		}
	}
	fmt.Fprintf(&b, "  set.i32 v[12], %s, %%e\n  jump 0x100\n", ints[len(ints)-1])
	return b.String()
}

// TestLoose checks that subnormals whose flush is deferred, since their readers flush them, have no visible effect.
func TestLoose(t *testing.T) {
	levels(t, func(t *testing.T, e exec.Engine) {
		rnd := rand.New(rand.NewPCG(13, 17))
		for n := range 400 {
			lanes := []uint64{^uint64(0), 0x8000_0000_0001_5555}[n%2]
			sameRegisters(t, e, looseCode(rnd), lanes, func(st *exec.State) {
				values := rand.New(rand.NewPCG(7, uint64(n)))
				for k := range st.V {
					st.V[k] = values.Uint32()
					switch values.IntN(4) {
					case 0: // products that are subnormal, or nearly
						st.V[k] = st.V[k]&0x807fffff | uint32(0x1e+values.IntN(4))<<24
					case 1: // subnormals
						st.V[k] &= 0x807fffff
					case 2: // about the smallest normal number
						st.V[k] = st.V[k]&0x80000003 | 0x00fffffe
					}
				}
				st.S[1] = values.Uint32()
			})
		}
	})
}
