package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
)

// skipCode returns a block of random per-lane ops and ops on masks, whose results go to registers: most in the active
// lanes, some in those of other masks or in all. A mask may be read as a whole.
func skipCode(rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteString("\nblock 0x100\nmark 0x100 size 4\n  %e = get.i1 exec\n  %p = get.i1 p[0]\n")
	var values []string
	for i := range 4 {
		fmt.Fprintf(&b, "  %%v%d = get.i32 v[%d]\n", i, i)
		values = append(values, fmt.Sprintf("%%v%d", i))
	}
	masks := []string{"%e", "%e", "%p"}
	of := func(list []string) string { return list[rnd.IntN(len(list))] }
	odd := rnd.IntN(3) == 0 // some result may depend on inactive lanes
	lanes := func() string {
		if odd && rnd.IntN(4) == 0 {
			return of(masks)
		}
		return "%e"
	}
	for i := range 12 + rnd.IntN(24) {
		switch k := rnd.IntN(12); {
		case k < 6:
			fmt.Fprintf(&b, "  %%t%d = %s.i32 %s, %s\n", i, of([]string{"iadd", "xor", "umax", "isub"}), of(values), of(values))
			values = append(values, fmt.Sprintf("%%t%d", i))
		case k < 8:
			fmt.Fprintf(&b, "  %%c%d = ult.i32 %s, %s\n  %%m%d = and.i1 %%c%d, %s\n", i, of(values), of(values), i, i, of(masks))
			masks = append(masks, fmt.Sprintf("%%m%d", i), fmt.Sprintf("%%c%d", i))
		case k < 9:
			fmt.Fprintf(&b, "  %%n%d = %s.i1 %s, %s\n", i, of([]string{"and", "or", "xor"}), of(masks), of(masks))
			masks = append(masks, fmt.Sprintf("%%n%d", i))
		case k < 10:
			fmt.Fprintf(&b, "  %%b%d = ballot.i64 %s, %s\n  %%l%d:%%u%d = unpack.i32 %%b%d\n  set.i32 s[%d], %%u%d\n", i, of(masks), lanes(), i, i, i, rnd.IntN(4), i)
		case k < 11:
			fmt.Fprintf(&b, "  %%s%d = select.i32 %s, %s, %s\n", i, of(masks), of(values), of(values))
			values = append(values, fmt.Sprintf("%%s%d", i))
		default:
			fmt.Fprintf(&b, "  set.i32 v[%d], %s, %s\n", rnd.IntN(8), of(values), lanes())
		}
	}
	fmt.Fprintf(&b, "  set.i32 v[7], %s, %%e\n", values[len(values)-1])
	if rnd.IntN(2) == 0 {
		fmt.Fprintf(&b, "  set.i1 p[0], %s, %s\n", of(masks), lanes())
	}
	b.WriteString("  jump 0x100\n")
	return b.String()
}

// TestSkip checks that skipping iterations without active lanes has no visible effect.
func TestSkip(t *testing.T) {
	running := []uint64{0xffff, 0xffff_ffff, 0xffff_0000, 1 << 63, 0xffff_0000_0000_0101, 0x8000_0001_0001_8000}
	levels(t, func(t *testing.T, e exec.Engine) {
		rnd := rand.New(rand.NewPCG(21, 5))
		for n := range 400 {
			sameRegisters(t, e, skipCode(rnd), 1<<63-1, func(st *exec.State) {
				values := rand.New(rand.NewPCG(7, uint64(n)))
				for k := range st.V {
					st.V[k] = values.Uint32()
				}
				for k := range st.M {
					st.M[k] = values.Uint64()
				}
			}, running[n%len(running)])
		}
	})
}
