package lower_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// lowered returns the text of a lowered block.
func lowered(t *testing.T, text string, opt lower.Options) string {
	t.Helper()
	m := exectest.Machine(ir.MaskStack)
	p := exectest.Parse(m, text)
	block, err := p.Block(ir.Key{PC: 0x100})
	if err != nil {
		t.Fatal(err)
	}
	return lower.Lower(p.Frame(block, block), m, opt).String()
}

// notes are the instructions in the text of a block.
var notes = regexp.MustCompile("  ; .*")

// steps are blocks with steps that the lowering makes besides those of instructions, and accesses about which it knows
// something.
var steps = []struct {
	name, block string
	opt         lower.Options
	want        string // without instructions
}{
	{"a live value is saved before its register is written", `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %b = get.i32 v[1]
  %e = get.i1 exec
  set.i32 v[0], %b, %e
  set.i32 v[1], %a, %e
  end
`, lower.Options{}, `
block 0x100 rows 2 vecs 0
mark 0x100
  m1 = get exec
  r1 = copy v[0]
  v[0] = set v[1] in m1
  v[1] = set r1 in m1
then end
`},
	{"a uniform address is broadcast for a code generator", `
block 0x100
mark 0x100 size 4
  %a = get.i32 s[0]
  %e = get.i1 exec
  %v = get.i32 v[0]
  store.i32 global[4 align 4] %a, %v, %e
  end
`, lower.Options{Code: 64, Recorded: lower.SharedRecorded}, `
block 0x100 rows 2 vecs 0 lanes 64
mark 0x100
  w1 = get s[0]
  m2 = get exec
  r1 = copy w1
  store.i32 r1, v[0] in m2, recorded
then end
`},
	{"but not for the interpreter", `
block 0x100
mark 0x100 size 4
  %a = get.i32 s[0]
  %e = get.i1 exec
  %v = get.i32 v[0]
  store.i32 global[4 align 4] %a, %v, %e
  end
`, lower.Options{}, `
block 0x100 rows 1 vecs 0
mark 0x100
  w1 = get s[0]
  m2 = get exec
  store.i32 w1, v[0] in m2
then end
`},
	{"a load at an address in the code is one for all lanes", `
block 0x100
mark 0x100 size 4
  %a = const.i64 0x40
  %e = get.i1 exec
  %r:%q = load.i32 const[4 x 2 align 4] %a, %e
  set.i32 v[0], %r, %e
  set.i32 v[1], %q, %e
  end
`, lower.Options{Code: 16, Likely: true}, `
block 0x100 rows 5 vecs 0 lanes 16
mark 0x100
  m2 = get exec
  w3, w4 = load.i32 0x40, m2, hoistable, broadcast
  r3 = select.i32 m2, w3, 0x0
  r4 = select.i32 m2, w4, 0x0
  v[0] = set r3 in m2
  v[1] = set r4 in m2
then end
`},
	{"an input at a slot in the code is fetched early", `
block 0x100
mark 0x100 size 4
  %k = const.i32 3
  %e = get.i1 exec
  %r = input.f32 flat 0 x 1, %k, %e
  set.f32 v[0], %r, %e
  end
`, lower.Options{Code: 16, Dense: true, Early: &lower.EarlyInputs{}}, `
block 0x100 rows 68 vecs 0 lanes 16
early input 3 of f32 in r1
mark 0x100
  m2 = get exec
  v[0] = set r1
then end
`},
}

func TestSteps(t *testing.T) {
	for _, c := range steps {
		got := notes.ReplaceAllString(lowered(t, c.block, c.opt), "")
		if want := strings.TrimPrefix(c.want, "\n"); got != want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, want)
		}
	}
}

// TestRelease checks that blocks in the room of released ones are the same as others.
func TestRelease(t *testing.T) {
	m := exectest.Machine(ir.MaskStack)
	var texts [2][]string
	for k := range texts {
		for _, c := range steps {
			p := exectest.Parse(m, c.block)
			block, err := p.Block(ir.Key{PC: 0x100})
			if err != nil {
				t.Fatal(err)
			}
			opt := c.opt
			if opt.Early != nil {
				opt.Early = &lower.EarlyInputs{}
			}
			b := lower.Lower(p.Frame(block, block), m, opt)
			texts[k] = append(texts[k], b.String())
			if k == 0 {
				continue // these keep their room
			}
			b.Release()
			if b.Steps != nil {
				t.Errorf("%s: a released block has steps", c.name)
			}
		}
	}
	if !slices.Equal(texts[0], texts[1]) {
		t.Errorf("got %q, want %q", texts[1], texts[0])
	}
}

// TestRarely: blocks have a way on which waves yield rarely if they jump to a computed address, return, or are the end
// of a loop that polls. To find out does not count as an arrival at an address, and only machine code needs it.
func TestRarely(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       bool
	}{
		{"a join has no target", "%e = get.i1 exec\nctl join %e", false},
		{"a return", "%e = get.i1 exec\nctl return %e", true},
		{"a computed jump", "%at = clock\njumpx %at", true},
		{"a loop that only computes", "%f = get.i1 f[0]\nbranch %f, 0x100, 0x104", false},
		{"a loop that polls", "%f = get.i1 f[0]\n%a = get.i32 v[0]\n%e = get.i1 exec\n%x = load.i32 group[4] %a, %e\nset.i32 v[1], %x, %e\nbranch %f, 0x100, 0x104", true},
		{"a loop that waits", "%f = get.i1 f[0]\n%a = get.i32 v[0]\n%e = get.i1 exec\n%x = load.i32 group[4 volatile] %a, %e\nset.i32 v[1], %x, %e\nbranch %f, 0x100, 0x104", false},
	} {
		m := exectest.Machine(ir.MaskStack)
		p := exectest.Parse(m, "block 0x100\nmark 0x100 size 4\n"+c.body+"\nblock 0x104\nmark 0x104 size 4\nend\nblock 0\nmark 0 size 4\nend\n")
		block, err := p.Block(ir.Key{PC: 0x100})
		if err != nil {
			t.Fatal(err)
		}
		for code, want := range map[int]bool{0: false, 64: c.want} {
			if got := lower.Lower(p.Frame(block, block), m, lower.Options{Code: code}).Ending.Rarely; got != want {
				t.Errorf("%s, code for %d lanes: %t, want %t", c.name, code, got, want)
			}
		}
		if list := p.Arrivals(); len(list) > 0 {
			t.Errorf("%s: waves have arrived at %v, and none has run", c.name, list)
		}
	}
}
