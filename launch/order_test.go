package launch

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// TestOrderMatters: the result of the scan of a kernel for atomics.
func TestOrderMatters(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	for _, c := range []struct {
		body, next, want string
		open             bool
	}{
		{"%o = atomic.i32 global[4 add] %a, %a, %e", "jump 0x200", "", false},
		{"%o = atomic.i32 group[4 add] %a, %a, %e\nset.i32 v[0], %o, %e", "jump 0x200", "", false},
		{"%o = atomic.i32 global[4 add] %a, %a, %e\nset.i32 v[0], %o, %e", "jump 0x200", "global atomic add at pc 0x100 gives its old value", false},
		{"%o = atomic.i32 flat[4 umax] %a, %a, %e\nset.i32 v[0], %o, %e", "jump 0x200", "global atomic umax at pc 0x100 gives its old value", false},
		{"%o = atomic.i32 global[4 swap] %a, %a, %e", "jump 0x200", "global atomic swap at pc 0x100 depends on who comes last", false},
		{"%o = atomic.i32 global[4 fadd] %a, %a, %e", "jump 0x200", "global atomic fadd at pc 0x100 depends on who comes last", false},
		{"%o = atomic.i32 global[4 sub] %a, %a, %e", "jump 0x300", "", false},
		{"%o = atomic.i32 global[4 umin] %a, %a, %e", "jump 0x300", "global atomic add at pc 0x300 meets atomics of another kind", false},
		{"", "branch %w, 0x200, 0x500", "", false},
		{"", "branch %w, 0x200, 0x400", "", true},
		{"", "jump 0x999", "", false},
	} {
		p := exectest.Parse(m, "block 0x100\nmark 0x100 size 4\n%a = get.i32 v[0]\n%e = get.i1 exec\n%w = get.i1 f[0]\n"+c.body+"\n"+c.next+`
block 0x200
mark 0x200 size 4
  end
block 0x300
mark 0x300 size 4
  %a = get.i32 v[0]
  %e = get.i1 exec
  %o = atomic.i32 global[4 add] %a, %a, %e
  retire %e, 0x200
block 0x400
mark 0x400 size 4
  %at = clock
  jumpx %at
block 0x500
mark 0x500 size 4
  %at = const.i64 0x200
  jumpx %at
`)
		if got, open := orderMatters(p, ir.Key{PC: 0x100}); got != c.want || open != c.open {
			t.Errorf("%s, %s: %q, %t, want %q", strings.ReplaceAll(c.body, "\n", "; "), c.next, got, open, c.want)
		}
	}
}

// TestAtomicsThatMeet: of every two atomic operations on memory that groups share, nothing is said only if trying
// both orders of them shows no difference, on values of both signs, zeros, NaNs and what lies between; and nothing is
// said of sums, of one kind of minimum or maximum, and of one bitwise operation.
func TestAtomicsThatMeet(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	kinds := map[mem.AtomicOp]string{mem.Add: "sum", mem.Sub: "sum", mem.SMin: "smin", mem.SMax: "smax", mem.UMin: "umin", mem.UMax: "umax",
		mem.And: "and", mem.Or: "or", mem.Xor: "xor"}
	head := "mark PC size 4\n%x = get.i32 v[0]\n%e = get.i1 exec\n"
	for a := mem.AtomicOp(0); a.Valid(); a++ {
		for b := mem.AtomicOp(0); b.Valid(); b++ {
			op := func(pc string, o mem.AtomicOp) string {
				args := "%x, %x, %e\n"
				if o.Two() {
					args = "%x, " + args
				}
				return "block " + pc + "\n" + strings.ReplaceAll(head, "PC", pc) + "%o = atomic.i32 global[4 " + o.String() + "] " + args
			}
			p := exectest.Parse(m, op("0x100", a)+"jump 0x104\n"+op("0x104", b)+"end\n")
			why, _ := orderMatters(p, ir.Key{PC: 0x100})
			if why == "" && orderShows(a, b) {
				t.Errorf("%v and %v: nothing is said, and their order shows", a, b)
			}
			if one := kinds[a] != "" && kinds[a] == kinds[b]; one && why != "" {
				t.Errorf("%v and %v: %s", a, b, why)
			}
		}
	}
}

// orderShows tries both orders of two operations.
func orderShows(a, b mem.AtomicOp) bool {
	values := []uint64{0, 1, 2, 5, 7, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0, 0x3f800000, 0xbf800000, 0x7fc00000, 0xffc00001, 0x4b800000}
	for _, old := range values {
		for _, x := range values {
			for _, y := range values {
				for _, cmp := range []uint64{0, 1, 5, 0x80000000} {
					if b.Apply(32, a.Apply(32, old, x, cmp), y, cmp) != a.Apply(32, b.Apply(32, old, y, cmp), x, cmp) {
						return true
					}
				}
			}
		}
	}
	return false
}
