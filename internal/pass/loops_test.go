package pass_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// flow makes code of n empty blocks at addresses 0, 4 and so on, each with two successors.
func flow(t *testing.T, to [][2]int) blocks {
	var b strings.Builder
	for i, s := range to {
		fmt.Fprintf(&b, "block %d\nmark %d size 4\n%%c = get.i1 scc\nbranch %%c, %d, %d\n", 4*i, 4*i, 4*s[0], 4*s[1])
	}
	return codeOf(t, m, b.String())
}

// paths returns which blocks can be reached from which, by one or more steps through blocks from first on.
func paths(to [][2]int, first int) [][]bool {
	n := len(to)
	p := make([][]bool, n)
	for i := range p {
		p[i] = make([]bool, n)
		for _, s := range to[i] {
			p[i][s] = i >= first && s >= first
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				p[i][j] = p[i][j] || p[i][k] && p[k][j]
			}
		}
	}
	return p
}

// loopsByAddress returns the bodies of a graph's loops by the address of the head, blocks by address.
func loopsByAddress(g *pass.Graph) map[uint64][]uint64 {
	ls := map[uint64][]uint64{}
	for _, l := range g.Loops() {
		var body []uint64
		for _, i := range l.Body {
			body = append(body, g.Nodes[i].Block.Key.PC)
		}
		slices.Sort(body)
		ls[g.Nodes[l.Head].Block.Key.PC] = body
	}
	return ls
}

// TestLoops: the loops of random graphs, nested, rotated and entered in the middle, agree with the reachability of
// all paths, whatever entry the graph was built from.
func TestLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	loops := 0
	for range 300 {
		n := 2 + r.IntN(9)
		to := make([][2]int, n)
		for i := range to {
			to[i] = [2]int{r.IntN(n), min(i+1, n-1)}
		}
		code := flow(t, to)
		whole := paths(to, 0)
		for entry := range n {
			g, err := pass.Build(code, ir.Key{PC: uint64(4 * entry)})
			if err != nil {
				t.Fatal(err)
			}
			got := loopsByAddress(g)
			for head := range n {
				if head != entry && !whole[entry][head] {
					continue
				}
				p := paths(to, head)
				var want []uint64
				for i := range n {
					if p[head][i] && p[i][head] {
						want = append(want, uint64(4*i))
					}
				}
				if !slices.Equal(got[uint64(4*head)], want) {
					t.Fatalf("%v from %d: loop of %d is %v, want %v", to, entry, head, got[uint64(4*head)], want)
				}
				if want != nil {
					loops++
				}
			}
		}
	}
	if loops < 1000 {
		t.Errorf("%d loops", loops)
	}
}

// TestWaits: in which loops a wave may wait for another.
func TestWaits(t *testing.T) {
	const head = "block 0\nmark 0 size 4\n%e = get.i1 exec\n%a = get.i32 v[0]\n%f = get.i1 scc\n%w = get.i32 s[0]\n%k = const.i32 4\n"
	for _, c := range []struct {
		body string
		want pass.Waiting
	}{
		{"", pass.NeverWaits},
		{"%o = atomic.i32 group[4 add] %a, %a, %e\nset.i32 v[1], %o, %e", pass.MayWait},
		{"%o = atomic.i32 global[4 add] %w, %w\nset.i32 s[1], %o", pass.MayWait},
		{"%o = atomic.i32 group[4 add] %a, %a, %e", pass.NeverWaits}, // the old value is unused
		{"%o = atomic.i32 global[4 add] %w, %w", pass.NeverWaits},
		{"%x = load.i32 global[4 volatile] %w\nset.i32 s[0], %x", pass.MayWait},
		{"%x = load.i32 group[4] %a, %e\nset.i32 v[1], %x, %e", pass.MayPoll},    // polls v[0]
		{"%x = load.i32 group[4] %k, %e\nset.i32 v[0], %x, %e", pass.MayPoll},    // polls a constant
		{"%x = load.i32 group[4] %a, %e\nset.i32 v[0], %x, %e", pass.NeverWaits}, // follows a linked list
		{"%b = getx.i32 z[0 + %w], %e\n%x = load.i32 group[4] %b, %e\nset.i32 z[1], %x, %e", pass.NeverWaits},
		{"%b = getx.i32 z[0 + %w], %e\n%x = load.i32 group[4] %b, %e\nset.i32 v[1], %x, %e", pass.MayPoll},
		{"%b = iadd.i32 %a, %w\n%x = load.i32 group[4] %b, %e\nset.i32 s[0], %k", pass.NeverWaits}, // advances
		{"%b = iadd.i32 %a, %w\n%x = load.i32 group[4] %b, %e\nset.i32 s[1], %k", pass.MayPoll},
		{"%x = load.i32 global[4] %w\nset.i32 s[1], %x", pass.NeverWaits}, // a scalar load
		{"%x = load.i32 const[4] %a, %e\nset.i32 v[1], %x, %e", pass.NeverWaits},
		{"%x = load.i32 flat[4] %a, %e\nset.i32 v[1], %x, %e", pass.MayPoll},
		{"%x = load.i32 global[4] %a, %e\nset.i32 v[1], %x, %e", pass.MayPoll},
		{"%x = load.i32 private[4] %a, %e\nset.i32 v[1], %x, %e", pass.NeverWaits}, // no other wave writes there
		{"store.i32 group[4] %a, %a, %e", pass.NeverWaits},
	} {
		g, err := pass.Build(codeOf(t, m, head+c.body+"\nbranch %f, 0, 8\nblock 8\nmark 8 size 4\n%e = get.i1 exec\n%a = get.i32 v[0]\n%o = atomic.i32 group[4 add] %a, %a, %e\nend\n"), ir.Key{})
		if err != nil {
			t.Fatal(err)
		}
		ls := g.Loops()
		if len(ls) != 1 || g.Waits(ls[0]) != c.want {
			t.Errorf("%q: %d loops, waits: want %d", c.body, len(ls), c.want)
		}
	}
}
