package gen

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// jointCode returns a block with an instruction that loads from three addresses, 0, 128 and 264 bytes after v[0].
func jointCode(typ, access string) string {
	return strings.NewReplacer("TYPE", typ, "ACCESS", access).Replace(`
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  %j = const.i32 128
  %k = const.i32 264
  %b = iadd.i32 %a, %j
  %c = iadd.i32 %a, %k
  check load ACCESS %a, %e
  check load ACCESS %b, %e
  check load ACCESS %c, %e
  %x = load.TYPE ACCESS %a, %e
  %y = load.TYPE ACCESS %b, %e
  %z = load.TYPE ACCESS %c, %e
`)
}

// TestJointLoads checks that the loads of one instruction agree with the reference, for any addresses of their lanes.
func TestJointLoads(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	codes := []string{
		jointCode("i32", "global[4]") + "  set.i32 v[2], %x, %e\n  set.i32 v[3], %y, %e\n  set.i32 v[4], %z, %e\n  jump 0x100\n",
		jointCode("i64", "global[8]") + "  %l:%u = unpack.i32 %x\n  %m:%v = unpack.i32 %y\n  %n:%w = unpack.i32 %z\n  set.i32 v[2], %l, %e\n" +
			"  set.i32 v[3], %v, %e\n  set.i32 v[4], %w, %e\n  set.i32 v[5], %n, %e\n  jump 0x100\n",
	}
	for _, level := range tested(t) {
		rnd := rand.New(rand.NewPCG(12, uint64(level)))
		for _, text := range codes {
			p := exectest.Parse(m, text)
			for _, lanes := range []int{16, 32, 64} {
				r, reference := exec.Eager(portable.With(nativeOf(level))).NewRunner(p), ref.New().NewRunner(p)
				for i := range 6 * len(layouts) {
					live := [...]uint64{^uint64(0), 1<<uint(lanes) - 2, rnd.Uint64(), 0xffff0000ffff, 1 << rnd.IntN(lanes), ^uint64(0)}[i/len(layouts)]
					if !roundAgrees(t, rnd, m, lanes, live, layouts[i%len(layouts)], 280+rnd.IntN(2)*512, r, reference) {
						t.Fatalf("%v lanes %d, live %#x, layout %d, of\n%s", level, lanes, live, i%len(layouts), text)
					}
				}
			}
		}
	}
}
