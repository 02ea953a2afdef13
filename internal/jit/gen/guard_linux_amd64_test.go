package gen

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// guardCode loads and stores at addresses that are changed if their upper half is a uniform number.
const guardCode = `
block 0x100
mark 0x100 size 4
  %a = get.i32 v[0]
  %b = get.i32 v[1]
  %c = get.i32 v[2]
  %d = get.i32 v[3]
  %w = pack.i64 %a, %b
  %x = pack.i64 %c, %d
  %e = get.i1 exec
  %k = get.i32 s[0]
  %n = eq.i32 %b, %k
  %m = and.i1 %e, %n
  unlikely %m
  %z = select.i64 %m, %x, %w
  %r = load.i32 global[4] %z, %e
  set.i32 v[5], %r, %e
mark 0x104 size 4
  %f = get.i32 v[2]
  %g = get.i32 v[3]
  %y = pack.i64 %f, %g
  %h = get.i1 exec
  %l = get.i32 s[0]
  %o = eq.i32 %l, %g
  %p = and.i1 %o, %h
  unlikely %p
  %s = get.i32 v[0]
  %t = get.i32 v[1]
  %u = pack.i64 %s, %t
  %q = select.i64 %p, %u, %y
  %i = get.i32 v[5]
  store.i32 global[4] %q, %i, %h
  jump 0x100
`

// TestGuards checks that guards that accesses imply have their effect, whatever the segment.
func TestGuards(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	levels(t, func(t *testing.T, e exec.Engine) {
		rnd := rand.New(rand.NewPCG(5, 19))
		for range 20 { // a program in which unlikely lanes have been active a few times no longer takes them for unlikely
			p := exectest.Parse(m, guardCode)
			r, reference := e.NewRunner(p), ref.New().NewRunner(p)
			for n := range 20 {
				splitAgrees(t, rnd, m, n, 2, r, reference)
			}
		}
	})
}

// limitCode accesses two addresses, or others if these are too close to a uniform number.
const limitCode = `
block 0x100
mark 0x100 size 4
  %%a = get.i32 v[0]
  %%e = get.i1 exec
  %%s = get.i32 s[0]
  %%n = const.i32 4
  %%j = const.i32 128
  %%b = iadd.i32 %%a, %%j
  %%p = usubsat.i32 %%s, %%a
  %%q = ult.i32 %%p, %%n
  %%m = and.i1 %%e, %%q
  %%t = usubsat.i32 %%s, %%b
  %%u = ult.i32 %%t, %%n
  %%o = and.i1 %%u, %%e
  unlikely %%m
  unlikely %%o
  %%z = const.i32 0x1004
  %%c = select.i32 %%m, %%z, %%a
  %%d = select.i32 %%o, %%z, %%b
  %%v = get.i32 v[2]
  %%w = get.i32 v[3]
  check %[1]s global[4] %%c, %%e
  check %[1]s global[4] %%d, %%e
%[2]s
  jump 0x100
`

// TestGuardLimit checks the same for a limit.
func TestGuardLimit(t *testing.T) {
	m := exectest.Machine(ir.MaskData)
	loads := "  %x = load.i32 global[4] %c, %e\n  %y = load.i32 global[4] %d, %e\n  set.i32 v[4], %x, %e\n  set.i32 v[5], %y, %e\n"
	stores := "  store.i32 global[4] %c, %v, %e\n  store.i32 global[4] %d, %w, %e\n"
	levels(t, func(t *testing.T, e exec.Engine) {
		rnd := rand.New(rand.NewPCG(5, 20))
		for i := range 400 {
			p := exectest.Parse(m, fmt.Sprintf(limitCode, "load", loads))
			if i%2 != 0 {
				p = exectest.Parse(m, fmt.Sprintf(limitCode, "store", stores))
			}
			r, reference := e.NewRunner(p), ref.New().NewRunner(p)
			live := [...]uint64{^uint64(0), rnd.Uint64(), 0xffff0000ffff, 0}[rnd.IntN(4)]
			for range 3 {
				if !roundAgrees(t, rnd, m, 64, live, layouts[i%len(layouts)], 131+rnd.IntN(2)*512, r, reference) {
					t.Fatalf("run %d, live %#x: not what the reference leaves", i, live)
				}
			}
		}
	})
}
