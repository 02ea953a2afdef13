package pass_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestHalves: shifts by every constant of a value that is packed from halves and then unpacked give the same
// results, and no 64-bit op remains.
func TestHalves(t *testing.T) {
	for _, high := range []string{"get.i32 v[1]", "shrs.i32 %lo, %k31", "shrs.i32 %lo, %k30", "const.i32 0x80000001"} {
		for _, op := range []string{"shl", "shru", "shrs"} {
			for n := range 66 {
				b := parse(t, fmt.Sprintf(`%%e = get.i1 exec
%%lo = get.i32 v[0]
%%k31 = const.i32 31
%%k30 = const.i32 30
%%hi = %s
%%w = pack.i64 %%lo, %%hi
%%n = const.i64 %d
%%y = %s.i64 %%w, %%n
%%yl:%%yh = unpack.i32 %%y
set v[1], %%yl, %%e
set v[2], %%yh, %%e
end`, high, n, op))
				wantSame(t, b, 64)
				if text := ops(optimise(m, b)); strings.Contains(text, "i64") {
					t.Fatalf("%s by %d is still\n%s", op, n, text)
				}
			}
		}
	}
}
