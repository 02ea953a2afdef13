package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
)

// ternaryCode returns a block of bitwise ops on registers, constants, a uniform value, and recent results. Registers
// that were read are written in between.
func ternaryCode(rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteString("block 0x100\nmark 0x100 size 4\n  %e = get.i1 exec\n  %w = get.i32 s[1]\n  %ones = const.i32 0xffffffff\n  %k = const.i32 0x0f0ff00f\n")
	values := []string{"%w", "%ones", "%k"}
	for i := range 6 {
		fmt.Fprintf(&b, "  %%v%d = get.i32 v[%d]\n", i, i)
		values = append(values, fmt.Sprintf("%%v%d", i))
	}
	pick := func() string {
		if n := len(values); rnd.IntN(3) > 0 {
			return values[n-1-rnd.IntN(min(n, 4))]
		}
		return values[rnd.IntN(len(values))]
	}
	ops := []struct {
		name string
		args int
	}{{"and", 2}, {"or", 2}, {"xor", 2}, {"not", 1}, {"bfi", 3}, {"iadd", 2}}
	for i := range 8 + rnd.IntN(24) {
		op := ops[rnd.IntN(len(ops))]
		args := []string{pick(), pick(), pick()}[:op.args]
		fmt.Fprintf(&b, "  %%t%d = %s.i32 %s\n", i, op.name, strings.Join(args, ", "))
		values = append(values, fmt.Sprintf("%%t%d", i))
		if rnd.IntN(4) == 0 {
			fmt.Fprintf(&b, "  set.i32 v[%d], %%t%d, %%e\n", rnd.IntN(8), i)
		}
	}
	fmt.Fprintf(&b, "  set.i32 v[7], %s, %%e\n  jump 0x100\n", values[len(values)-1])
	return b.String()
}

// TestTernary checks that bitwise ops merged into one instruction give the same results.
func TestTernary(t *testing.T) {
	levels(t, func(t *testing.T, e exec.Engine) {
		rnd := rand.New(rand.NewPCG(3, 5))
		for n := range 300 {
			lanes := []uint64{^uint64(0), 0x8000_0000_0001_5555}[n%2]
			sameRegisters(t, e, ternaryCode(rnd), lanes, func(st *exec.State) {
				values := rand.New(rand.NewPCG(7, uint64(n)))
				for k := range st.V {
					st.V[k] = values.Uint32()
				}
				st.S[1] = values.Uint32()
			})
		}
	})
}
