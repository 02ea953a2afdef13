package launch

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec/exectest"
	"github.com/heddle-gpu/heddle/ir"
)

// TestOrderMatters: what the scan of a kernel says of its atomics.
func TestOrderMatters(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	for _, c := range []struct{ body, next, want string }{
		{"%o = atomic.i32 global[4 add] %a, %a, %e", "jump 0x200", ""},
		{"%o = atomic.i32 group[4 add] %a, %a, %e\nset.i32 v[0], %o, %e", "jump 0x200", ""},
		{"%o = atomic.i32 global[4 add] %a, %a, %e\nset.i32 v[0], %o, %e", "jump 0x200", "global atomic add at pc 0x100 gives its old value"},
		{"%o = atomic.i32 flat[4 umax] %a, %a, %e\nset.i32 v[0], %o, %e", "jump 0x200", "global atomic umax at pc 0x100 gives its old value"},
		{"%o = atomic.i32 global[4 swap] %a, %a, %e", "jump 0x200", "global atomic swap at pc 0x100 depends on who comes last"},
		{"%o = atomic.i32 global[4 fadd] %a, %a, %e", "jump 0x200", "global atomic fadd at pc 0x100 depends on who comes last"},
		{"%o = atomic.i32 global[4 sub] %a, %a, %e", "jump 0x300", ""},
		{"%o = atomic.i32 global[4 umin] %a, %a, %e", "jump 0x300", "global atomic add at pc 0x300 meets atomics of another kind"},
		{"", "branch %w, 0x200, 0x500", ""},
		{"", "branch %w, 0x200, 0x400", "the targets of the indirect jump at pc 0x400 are not known"},
		{"", "jump 0x999", ""},
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
		if got := orderMatters(p, ir.Key{PC: 0x100}); got != c.want {
			t.Errorf("%s, %s: %q, want %q", strings.ReplaceAll(c.body, "\n", "; "), c.next, got, c.want)
		}
	}
}
