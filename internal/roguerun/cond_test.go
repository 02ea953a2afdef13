package roguerun

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/rogue"
)

// A counted is the state of an instance that a conditional instruction reads and writes.
type counted struct {
	counter, other uint32
	pe, p          bool
}

// nobody is the value of the first active instance if there is none.
const nobody = 1 << 31

// whens are the conditions of conditional instructions.
var whens = map[string]func(p bool) bool{
	".if(1)": func(bool) bool { return true }, ".if(0)": func(bool) bool { return false },
	".if(p0)": func(p bool) bool { return p }, ".if(!p0)": func(p bool) bool { return !p },
}

// conditionals are the rules of docs/reference/rogue.md 5.9: c is the condition, by the adjustment, some whether the
// loop continues, other the condition of the first active instance.
var conditionals = []struct {
	text string
	f    func(x counted, c bool, by uint32, some bool, first uint32) counted
}{
	{"cndst? pe, w0, s0, #", func(x counted, c bool, by uint32, _ bool, _ uint32) counted {
		if c && x.counter == 0 {
			return counted{counter: 0, pe: true, p: x.p}
		}
		return counted{counter: x.counter + by, p: x.p}
	}},
	{"cndef? pe, w0, s0, #", func(x counted, c bool, by uint32, _ bool, _ uint32) counted {
		switch {
		case x.counter == 0:
			return counted{counter: by, pe: by == 0, p: x.p}
		case c && x.counter == 1:
			return counted{counter: 0, pe: true, p: x.p}
		}
		return counted{counter: x.counter, p: x.p}
	}},
	{"cndsm? pe, w0, s0, s2", func(x counted, c bool, _ uint32, _ bool, _ uint32) counted {
		if c && x.counter == 0 {
			return counted{counter: x.other, pe: x.other == 0, p: x.p}
		}
		return counted{counter: x.counter, pe: x.counter == 0, p: x.p}
	}},
	{"cndlt? pe, w0, p0, s0, #", func(x counted, c bool, by uint32, some bool, _ uint32) counted {
		switch {
		case !some:
			x.p = false
			return endedBlock(x, by)
		case !c && x.counter == 0:
			return counted{counter: by, p: true}
		}
		return counted{counter: x.counter, pe: x.counter == 0, p: true}
	}},
	{"cndend pe, w0, s0, #", func(x counted, _ bool, by uint32, _ bool, _ uint32) counted { return endedBlock(x, by) }},
	{"cndsetl.b pe, w0, s0, s2", func(x counted, _ bool, _ uint32, _ bool, first uint32) counted {
		if x.counter == 0 && x.other != first && first != nobody {
			return counted{counter: 1, p: x.p}
		}
		return counted{counter: x.counter, pe: x.counter == 0, p: x.p}
	}},
	{"cndlpc pe, w0, s0", func(x counted, _ bool, _ uint32, _ bool, _ uint32) counted {
		switch x.counter {
		case 0:
			return counted{counter: 2, p: x.p}
		case 1:
			return counted{counter: 0, pe: true, p: x.p}
		}
		return counted{counter: x.counter, p: x.p}
	}},
}

func endedBlock(x counted, by uint32) counted {
	if x.counter > by {
		return counted{counter: x.counter - by, p: x.p}
	}
	return counted{pe: true, p: x.p}
}

// TestConditionals: every instance of the group follows the rule; others, and those that do not exist, are unchanged.
func TestConditionals(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	for _, x := range conditionals {
		for when, holds := range whens {
			for cond, in := range about {
				for by := range uint32(4) {
					for turn := range 6 {
						lanes := launched[turn%3]
						k := newTaskOf(t, nil, lanes)
						k.mix(rnd, lanes)
						k.set(0, func(int) uint32 { return []uint32{0, 0, 1, 2, 3, 4, 0xffffffff}[rnd.IntN(7)] })
						k.set(1, func(int) uint32 { return uint32(rnd.IntN(3)) })
						k.set(16, func(int) uint32 { return 77 })
						text := cond + "{ s0 = r0, s2 = r1 ctrl: " + strings.NewReplacer("?", when, "#", fmt.Sprint(by)).Replace(x.text) + "; w0 = r16 }"
						k.follows(t, text, lanes, func(c counted) bool { return in(c.pe, c.p) }, holds, func(c counted, some bool, first uint32) counted {
							return x.f(c, holds(c.p), by, some, first)
						})
					}
				}
			}
		}
	}
}

// follows runs a group and compares each instance with a rule.
func (k *task) follows(t *testing.T, text string, lanes uint64, in func(counted) bool, holds func(bool) bool, rule func(c counted, some bool, first uint32) counted) {
	t.Helper()
	var was [rogue.Lanes]counted
	some, first := false, uint32(nobody)
	for lane := rogue.Lanes - 1; lane >= 0; lane-- {
		pe, p := k.instance(lane)
		was[lane] = counted{k.get(0, lane), k.get(1, lane), pe, p}
		if lanes>>lane&1 != 0 && pe {
			some = some || holds(p)
			first = k.get(1, lane)
		}
	}
	k.run(text)
	for lane := range rogue.Lanes {
		want := was[lane]
		want.counter = 77
		if lanes>>lane&1 != 0 && in(was[lane]) {
			want = rule(was[lane], some, first)
		}
		pe, p := k.instance(lane)
		if got := (counted{k.get(16, lane), want.other, pe, p}); got != want {
			t.Fatalf("%s: instance %d of %+v gives %+v, want %+v", text, lane, was[lane], got, want)
		}
	}
}

// TestCallLook: the first half of the selection of an address changes nothing.
func TestCallLook(t *testing.T) {
	k := newTask(t, nil)
	k.set(16, func(int) uint32 { return 5 })
	k.st.Set(linkCell, 0, 9)
	k.run("(ignorepe) { s0 = r0, s2 = r1 ctrl: cndsetl.a pe, w0, s0, s2; w0 = r16 }")
	if k.get(16, 3) != 5 || k.st.Get(linkCell, 0) != 9 || k.st.Exec != 1<<32-1 {
		t.Error("something changes")
	}
}

// TestLoop: each instance iterates as often as it needs; in the loop it takes one branch or the other, and one of them
// leaves.
func TestLoop(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	k := newTask(t, nil)
	k.set(0, func(int) uint32 { return uint32(1 + rnd.IntN(200)) })
	k.set(1, func(int) uint32 { return 0 })
	var n [rogue.Lanes]uint32
	for lane := range n {
		n[lane] = k.get(0, lane)
	}
	// while (true) { steps++; if (n is odd) { if (n == 1) break; n = 3 n + 1 } else { n = n / 2 } } steps += 1000
	k.program(`
		(ignorepe) { s0 = sc0 ctrl: cndst.if(1) pe, w0, s0, 1; w0 = r30 }
		(ignorepe) { s0 = r30 ctrl: cndst.if(1) pe, w0, s0, 2; w0 = r30 }
		{ ctrl: br.allinst out; }
	body:
		{ s0 = r1, s1 = sc1, s2 = sc1, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r1 }
		{ s2 = r0, s3 = sc1 p0: bbyp0s1 ft2, s2; p1: and ft4, _, ft2, _, s3; p2: tnz p0, ft5; }
		(ignorepe) { s0 = r30 ctrl: cndst.if(p0) pe, w0, s0, 1; w0 = r30 }
		{ ctrl: br.allinst even; }
		{ s0 = r0, s3 = sc1, is0 = s3, is1 = ft0, is2 = fte p0: mbyp ft0, s0; p2_tst: tst.u32.e.phase2end ftt, p0, is1, is2; }
		(ignorepe) { s0 = r30, s2 = sc3 ctrl: cndsm.if(p0) pe, w0, s0, s2; w0 = r30 }
		{ s0 = r0, s1 = sc3, s2 = sc1, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r0 }
	even:
		(ignorepe) { s0 = r30 ctrl: cndef.if(1) pe, w0, s0, 1; w0 = r30 }
		{ ctrl: br.allinst joined; }
		{ s0 = sc0, s1 = r0, s4 = sc1 p0: byp ft0, ft1, s0, s1; p2: shr ft5, ft4, s4; w0 = r0 }
	joined:
		(ignorepe) { s0 = r30 ctrl: cndend pe, w0, s0, 1; w0 = r30 }
		(ignorepe) { s0 = r30 ctrl: cndend pe, w0, s0, 1; w0 = r30 }
		(ignorepe) { s0 = r30 ctrl: cndst.if(1) pe, w0, s0, 1; w0 = r30 }
	out:
		(ignorepe) { s0 = r30 ctrl: cndlt.if(1) pe, w0, p0, s0, 2; w0 = r30 }
		if(p0) { ctrl: br body; }
		{ s0 = r1, s1 = sc1, s2 = r2, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r1 }
		{ ctrl: nop.end; }`)
	for lane := range n {
		want := uint32(1)
		for x := n[lane]; x != 1; want++ {
			if x%2 == 1 {
				x = 3*x + 1
			} else {
				x /= 2
			}
		}
		if got := k.get(1, lane); got != want || k.get(30, lane) != 0 {
			t.Errorf("%d takes %d steps, counter %d; want %d", n[lane], got, k.get(30, lane), want)
		}
	}
}

// TestCalls: instances call functions that their registers name, each once, independent of the others; some call none.
func TestCalls(t *testing.T) {
	const (
		add1  = `{ s0 = r1, s1 = sc1, s2 = sc1, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r1 }`
		times = `{ s0 = r1, s1 = sc3, s2 = sc0, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r1 }`
		src   = `
		(ignorepe) { s0 = sc0 ctrl: cndst.if(p0) pe, w0, s0, 2; w0 = r30 }
	call:
		(ignorepe) { s0 = r30, s2 = r2 ctrl: cndsetl.a pe, w0, s0, s2; w0 = r30 }
		(ignorepe) { s0 = r30, s2 = r2 ctrl: cndsetl.b pe, w0, s0, s2; w0 = r30 }
		(ignorepe) { ctrl: lapc; }
	back:
		(ignorepe) { s0 = r30 ctrl: cndlpc pe, w0, s0; w0 = r30 }
		{ ctrl: br call; }
		(ignorepe) { s0 = r30 ctrl: cndend pe, w0, s0, 2; w0 = r30 }
		{ s0 = r1, s1 = sc1, s2 = sc7, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r1 }
		{ ctrl: nop.end; }
	`
	)
	rnd := rand.New(rand.NewPCG(6, 1))
	for range 10 {
		k := newTask(t, nil)
		first := k.size(src)
		second := first + k.size(add1+"\n(ignorepe) { ctrl: br 0; }")
		var which [rogue.Lanes]int
		for lane := range which {
			which[lane] = rnd.IntN(3)
			k.st.Set(p0, lane, bit(which[lane] > 0))
			k.st.Set(temp(2), lane, uint32([]int{0, first, second}[which[lane]]/2))
			k.st.Set(temp(1), lane, uint32(100*lane))
		}
		if !anyOf(which[:]) {
			continue
		}
		k.program(src + add1 + "\n(ignorepe) { ctrl: br back; }\n" + times + "\n(ignorepe) { ctrl: br back; }\n")
		for lane, f := range which {
			want := []int{100 * lane, 100*lane + 1, 300 * lane}[f] + 7
			if got := k.get(1, lane); got != uint32(want) {
				t.Errorf("instance %d, function %d: %d, want %d", lane, f, got, want)
			}
		}
	}
}

func anyOf(list []int) bool {
	for _, x := range list {
		if x > 0 {
			return true
		}
	}
	return false
}
