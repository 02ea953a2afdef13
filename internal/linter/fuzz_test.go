package linter

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// targets returns all variants of all sets.
func targets() (ts []*isa.Target) {
	for _, s := range sets.Sets() {
		for v := range s.Variants {
			ts = append(ts, s.At(v, 0))
		}
	}
	return ts
}

// FuzzLint: any bytes can be linted, in every variant, with the same result each time; findings are sorted and lie in
// the code.
func FuzzLint(f *testing.F) {
	f.Add([]byte{0, 0, 0x81, 0xbf}, uint8(0), uint16(0), true)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 24 {
		b := make([]byte, 400)
		for k := range b {
			b[k] = byte(r.Uint32())
		}
		for k := 0; k+4 <= len(b); k += 4 { // words that decode more often, and branches that stay near
			if r.IntN(3) == 0 {
				copy(b[k:], []byte{byte(r.IntN(40) - 20), byte(-r.IntN(2)), byte(0x82 + r.IntN(8)), 0xbf})
			}
		}
		f.Add(b, uint8(i), uint16(r.IntN(400)), i%2 == 0)
	}
	for i, tg := range targets() {
		if tg.Machine().Control != ir.MaskStack {
			continue
		}
		var b []byte
		for range 50 { // control instructions of Tesla with near targets
			w := 3 | r.Uint32N(14)<<28 | r.Uint32N(100)<<11
			b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, w), 0x100*r.Uint32N(8))
		}
		f.Add(b, uint8(i), uint16(8*r.IntN(50)), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, code []byte, which uint8, entry uint16, guess bool) {
		ts := targets()
		tg := ts[int(which)%len(ts)]
		c := lint.Code{Target: tg, Base: 0x1000, Bytes: code, Guess: guess,
			Entries: []lint.Entry{{Addr: 0x1000}, {Addr: 0x1000 + uint64(entry), Name: "f", Function: true}}}
		x := lint.Run(c, lint.Options{Least: isa.SeverityNote})
		if y := lint.Run(c, lint.Options{Least: isa.SeverityNote}); !reflect.DeepEqual(x, y) {
			t.Fatalf("two runs differ:%s\n%s", listed(x), listed(y))
		}
		for _, f := range x.Findings {
			if off := f.Addr - 0x1000; f.Addr < 0x1000 || off > uint64(len(code)) {
				t.Errorf("%s at %#x, outside the code", f.Rule, f.Addr)
			}
			if f.Rule == "" || f.Msg == "" {
				t.Errorf("%+v: a finding without rule or text", f)
			}
		}
		if !slices.IsSortedFunc(x.Findings, func(a, b lint.Finding) int { return cmp.Compare(a.Addr, b.Addr) }) {
			t.Error("findings are not in order")
		}
		if x.Reached > x.Instructions {
			t.Errorf("%d of %d instructions are reached", x.Reached, x.Instructions)
		}
		g := lint.Flow(c)
		checkGraph(t, g, uint64(len(code)))
		if calls := lint.Calls(c); !maps.Equal(calls, g.Calls) {
			t.Errorf("calls %v, want %v", calls, g.Calls)
		}
	})
}

// checkGraph: nodes are consecutive instructions of the code, in order; edges lead to starts of nodes.
func checkGraph(t *testing.T, g *lint.Graph, size uint64) {
	t.Helper()
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if i > 0 && n.Addr() <= g.Nodes[i-1].Addr() {
			t.Errorf("node %d begins at %#x, the one before at %#x", i, n.Addr(), g.Nodes[i-1].Addr())
		}
		for k, x := range n.Insts {
			if x.Addr < 0x1000 || x.Size <= 0 || x.Addr-0x1000+uint64(x.Size) > size || k > 0 && x.Addr != n.Insts[k-1].Addr+uint64(n.Insts[k-1].Size) {
				t.Errorf("node %d: %v", i, n.Insts)
			}
		}
		for _, e := range n.Edges {
			if e.Node >= len(g.Nodes) || e.Node >= 0 && g.Nodes[e.Node].Addr() != e.To || e.Node < 0 && e.Node != -1 {
				t.Errorf("node %d: %+v leads to no node", i, e)
			}
		}
	}
}

// TestLong: the time for long code is linear in its length for any content: random words, loads without waits, branches
// in all directions.
func TestLong(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	r := rand.New(rand.NewPCG(2, 2))
	step := func(i int, ops ...uint32) []uint32 { // a control instruction of Tesla with a target and, if used, a condition
		to := uint32(i+r.IntN(2000)-1000) & 0x7fff * 2
		return []uint32{3 | ops[r.IntN(len(ops))]<<28 | to<<11, 1 << 7}
	}
	for _, x := range []struct {
		name, isa string
		word      func(i int) []uint32
	}{
		{"all steps", "tesla:g80", func(i int) []uint32 { return step(i, 1, 2, 3, 4, 5, 6, 7, 8, 10) }}, // with quadpop, bar
		{"calls", "tesla:g80", func(i int) []uint32 { return step(i, 2, 2, 2, 3, 8) }},
		{"parting", "tesla:g80", func(i int) []uint32 { // set $cN of $rN, bra, bar
			if i%3 == 0 {
				return []uint32{0x300001fd | uint32(r.IntN(64))<<9, 0x6c014780 | uint32(r.IntN(4))<<4 | 8}
			}
			return step(i, 1, 1, 4, 5, 8)
		}},
		{"random words of tesla", "tesla:gt215", func(int) []uint32 { return []uint32{r.Uint32()} }},
		{"messages", "valhall", func(int) []uint32 { return messageWord(r) }},
		{"random", "gcn:gfx8", func(int) []uint32 { return []uint32{r.Uint32()} }},
		// buffer_load_dword vN, off, s[0:3], 0
		{"loads", "gcn:gfx8", func(int) []uint32 { return []uint32{0xe0500000, 0x80000000 | uint32(r.IntN(256))<<8} }},
		{"branches", "gcn:gfx8", func(i int) []uint32 { // v_mov_b32 vN, 0 or a branch
			if i%2 == 0 {
				return []uint32{0x7e000280 | uint32(r.IntN(256))<<17}
			}
			return []uint32{0xbf820000 | uint32(2+r.IntN(6))<<16&0xf0000 | uint32(uint16(r.IntN(20000)-10000))}
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			tg, err := sets.Lookup(x.isa)
			if err != nil {
				t.Fatal(err)
			}
			measure := func(n int) time.Duration {
				var code []byte
				for i := range n {
					for _, w := range x.word(i) {
						code = append(code, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
					}
				}
				begin := time.Now()
				rep := lint.Run(lint.Code{Target: tg, Bytes: code, Guess: true}, lint.Options{Least: isa.SeverityNote})
				if rep.Instructions < n/4 {
					t.Fatalf("%d instructions of %d words", rep.Instructions, n)
				}
				return time.Since(begin)
			}
			short, long := measure(20000), measure(200000)
			if long > 60*short+5*time.Second {
				t.Errorf("20 000 words take %v, ten times as many %v", short, long)
			}
			t.Logf("%v, %v", short, long)
		})
	}
}
