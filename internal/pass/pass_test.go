package pass_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

var m = irgen.Machine()

func parse(t *testing.T, text string) *ir.Block {
	t.Helper()
	if !strings.HasPrefix(text, "block") {
		text = "block 0\nmark 0 size 4\n" + text
	}
	b, err := ir.Parse(m, text)
	if err == nil {
		err = ir.Verify(m, b)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return b
}

func optimise(m *ir.Machine, b *ir.Block) *ir.Block { return pass.Optimise(m, b, pass.Options{}) }

// rewrites are the passes, and whether each keeps a canonical block canonical.
var rewrites = []struct {
	name      string
	f         func(*ir.Machine, *ir.Block) *ir.Block
	canonical bool
}{
	{"fold", pass.Fold, true},
	{"dead", pass.Dead, true},
	{"forward", pass.Forward, false},
	{"optimise", optimise, false},
}

var windows = []irgen.Window{{Space: ir.GlobalSpace, Base: 1 << 20, Size: 512}, {Space: ir.GroupSpace, Size: 128}}

// TestSameMeaning runs random blocks, with partial masks and reads of inactive lanes, before and after each pass.
func TestSameMeaning(t *testing.T) {
	for _, rw := range rewrites {
		before, after := 0, 0
		for seed := range uint64(500) {
			r := rand.New(rand.NewPCG(seed, 9))
			b := irgen.Block(r, m, irgen.Options{Memory: windows, Control: true, Exec: true})
			kept := ir.Print(m, b)
			got := rw.f(m, b)
			if ir.Print(m, b) != kept {
				t.Fatalf("%s, seed %d: the block was changed", rw.name, seed)
			}
			verify := ir.VerifyOptimised
			if rw.canonical {
				verify = ir.Verify
			}
			if err := verify(m, got); err != nil {
				t.Fatalf("%s, seed %d: %v\n%s\n%s", rw.name, seed, err, kept, ir.Print(m, got))
			}
			before, after = before+len(b.Ops), after+len(got.Ops)
			lanes := []int{1, 4, 16, 64}[seed%4]
			w1 := newWave(rand.New(rand.NewPCG(seed, 10)), m, lanes)
			w2 := newWave(rand.New(rand.NewPCG(seed, 10)), m, lanes)
			end1, end2 := w1.run(b), w2.run(got)
			if end1 != end2 || !reflect.DeepEqual(w1.cells, w2.cells) || !reflect.DeepEqual(w1.log, w2.log) {
				t.Fatalf("%s, seed %d: another result: %s\n%s\n%s", rw.name, seed, w1.differ(w2)+end1+"; "+end2, kept, ir.Print(m, got))
			}
		}
		t.Logf("%s: %d ops become %d", rw.name, before, after)
	}
}

// TestRewrites: small blocks and their rewritten form.
func TestRewrites(t *testing.T) {
	tests := []struct {
		name      string
		f         func(*ir.Machine, *ir.Block) *ir.Block
		text, out string
	}{
		{"constants", pass.Fold, "%a = const.i32 3\n%b = const.i32 4\n%s:%o = addov.i32 %a, %b\nset s[0], %s\nset scc, %o\nend",
			"%0w = const.i32 3\n%1w = const.i32 4\n%2w = const.i32 7\n%3w = const.i1 0\nset s[0], %2w\nset scc, %3w\nend"},
		{"float constants", pass.Fold, "%a = const.f32 0x3f800000\n%s = fadd.f32 %a, %a {rne}\nset s[0], %s\nend",
			"%0w = const.f32 0x3f800000 ; 1\n%1w = const.f32 0x40000000 ; 2\nset s[0], %1w\nend"},
		{"or with zero", pass.Fold, "%a = get.i32 s[1]\n%z = const.i32 0\n%s = or.i32 %z, %a\nset s[0], %s\nend",
			"%0w = get.i32 s[1]\n%1w = const.i32 0\nset s[0], %0w\nend"},
		{"zero minus", pass.Fold, "%a = get.i32 s[1]\n%z = const.i32 0\n%s = isub.i32 %z, %a\nset s[0], %s\nend",
			"%0w = get.i32 s[1]\n%1w = const.i32 0\n%2w = isub.i32 %1w, %0w\nset s[0], %2w\nend"},
		{"select", pass.Fold, "%a = get.i32 s[1]\n%b = get.i32 s[2]\n%c = const.i1 0\n%s = select.i32 %c, %a, %b\nset s[0], %s\nend",
			"%0w = get.i32 s[1]\n%1w = get.i32 s[2]\n%2w = const.i1 0\nset s[0], %1w\nend"},
		{"index", pass.Fold, "%c = const.i32 0xffffffff\n%e = get.i1 exec\n%a = getx.i32 z[2 + %c], %e\n%b = getx.i32 z[0 + %c], %e\nsetx v[5 + %c], %a, %e\nend",
			"%0w = const.i32 0xffffffff\n%1 = get.i1 exec\n%2 = get.i32 z[1]\n%3 = getx.i32 z[0 + %0w], %1\nset v[4], %2, %1\nend"},
		{"no last lane", pass.Fold, "%a = get.i32 v[1]\n%e = const.i1 0\nsetlast s[1], %a, %e\nend", "%0 = get.i32 v[1]\n%1w = const.i1 0\nend"},
		{"branch", pass.Fold, "%c = const.i1 1\nbranch %c, 0x10, 0x20", "%0w = const.i1 1\njump 0x10"},
		{"dead", pass.Dead, "%a = get.i32 v[1]\n%b = not.i32 %a\n%m = get.i1 exec\n%c = getx.i32 v[0 + %b], %m\n%d = getx.i32 z[0 + %b], %m\n%e = laneid\nend",
			"%0 = get.i32 v[1]\n%1 = not.i32 %0\n%2 = get.i1 exec\n%3 = getx.i32 v[0 + %1], %2\nend"},
		{"dead load", pass.Dead, "%a = const.i32 0\n%x = load.i32 group[4] %a\n%y = not.i32 %x\nend", "%0w = const.i32 0\n%1w = load.i32 group[4] %0w\nend"},
		{"second of two results", pass.Dead, "%a = get.i32 s[0]\n%s:%o = addov.i32 %a, %a\nset scc, %o\nend",
			"%0w = get.i32 s[0]\n%1w:%2w = addov.i32 %0w, %0w\nset scc, %2w\nend"},
	}
	for _, tt := range tests {
		got := ops(tt.f(m, parse(t, tt.text)))
		if got != tt.out {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.out)
		}
	}
}

// ops returns the text of a block without its header and indentation.
func ops(b *ir.Block) string {
	lines := strings.Split(ir.Print(m, b), "\n")
	out := []string{}
	for _, l := range lines {
		if op, ok := strings.CutPrefix(l, "  "); ok {
			out = append(out, op)
		}
	}
	return strings.Join(out, "\n")
}

// Reads that Forward replaces, and reads that it must keep.
var forwarded = []struct{ name, text, out string }{
	{"read, write under a mask, read in another type", `block 0
mark 0 size 4
%a = get.i32 v[0]
%b = not.i32 %a
%e = get.i1 exec
set v[0], %b, %e
mark 4 size 4
%c = get.f32 v[0]
%x = get.i1 exec
set v[1], %c, %x
mark 8 size 4
end`, `%0 = get.i32 v[0]
%1 = not.i32 %0
%2 = get.i1 exec
set v[0], %1, %2
%3 = select.i32 %2, %1, %0
%4 = cast.f32 %3
set v[1], %4, %2
end`},
	{"old contents not known", `block 0
mark 0 size 4
%e = get.i1 exec
%b = const.i32 1
set v[0], %b, %e
mark 4 size 4
%c = get.i32 v[0]
%x = get.i1 exec
set v[1], %c, %x
end`, `%0 = get.i1 exec
%1w = const.i32 1
set v[0], %1w, %0
%2 = get.i32 v[0]
set v[1], %2, %0
end`},
	{"wave cell and new exec", `block 0
mark 0 size 4
%a = get.i32 s[1]
%l = live
set s[0], %a
set exec, %l
mark 4 size 4
%b = get.i32 s[0]
%e = get.i1 exec
set v[0], %b, %e
end`, `%0w = get.i32 s[1]
%1 = live
set s[0], %0w
set exec, %1
set v[0], %0w, %1
end`},
	{"indexed write", `block 0
mark 0 size 4
%a = get.i32 z[1]
%w = get.i32 w[1]
%e = get.i1 exec
setx z[0 + %a], %a, %e
mark 4 size 4
%b = get.i32 z[1]
%c = get.i32 w[1]
%x = iadd.i32 %b, %c
%y = get.i1 exec
set v[0], %x, %y
end`, `%0 = get.i32 z[1]
%1 = get.i32 w[1]
%2 = get.i1 exec
setx z[0 + %0], %0, %2
%3 = get.i32 z[1]
%4 = iadd.i32 %3, %1
set v[0], %4, %2
end`},
	{"write by the last lane", `block 0
mark 0 size 4
%a = get.i32 s[1]
%v = get.i32 v[1]
%e = get.i1 exec
setlast s[1], %v, %e
mark 4 size 4
%b = get.i32 s[1]
set s[2], %b
end`, `%0w = get.i32 s[1]
%1 = get.i32 v[1]
%2 = get.i1 exec
setlast s[1], %1, %2
%3w = get.i32 s[1]
set s[2], %3w
end`},
	{"all lanes", `block 0
mark 0 size 4
%a = const.i32 5
%t = const.i1 1
set v[0], %a, %t
mark 4 size 4
%b = get.i32 v[0]
%e = get.i1 exec
set v[1], %b, %e
end`, `%0w = const.i32 5
%1w = const.i1 1
set v[0], %0w, %1w
%2 = get.i1 exec
set v[1], %0w, %2
end`},
}

func TestForward(t *testing.T) {
	for _, tt := range forwarded {
		if got := ops(pass.Forward(m, parse(t, tt.text))); got != tt.out {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.out)
		}
	}
}
