package roguerun

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/isa/rogue"
)

// TestBranches: without a modifier a branch is taken if an instance is selected; with allinst if none is, with anyinst
// if one is not; option branch-instances reverses that. The link address is the next group's.
func TestBranches(t *testing.T) {
	const size = 8
	rnd := rand.New(rand.NewPCG(1, 2))
	for cond, holds := range about {
		for _, word := range []string{"", ".allinst", ".anyinst"} {
			for _, sense := range []string{"fail", "satisfy"} {
				for _, head := range []string{"br%s 0x40", "br%s.link 0x40", "ba%s 0x40", "ba%s.link 0x40"} {
					for turn := range 6 {
						lanes := launched[turn%3]
						k := newTaskOf(t, map[string]string{"branch-instances": sense}, lanes)
						k.mix(rnd, lanes)
						some, all := false, true
						for lane := range rogue.Lanes {
							if lanes>>lane&1 != 0 {
								is := holds(k.instance(lane))
								some, all = some || is, all && is
							}
						}
						taken := some
						switch word + sense {
						case ".allinstfail":
							taken = !some
						case ".allinstsatisfy":
							taken = all
						case ".anyinstfail":
							taken = !all
						}
						text := fmt.Sprintf("%s{ ctrl: "+head+"; }", cond, word)
						k.st.Set(linkCell, 0, 0x1234)
						k.run(text)
						want, link := uint64(size), uint32(0x1234)
						if taken {
							want = 0x40 // a relative branch is relative to the start of its group, which is at 0
						}
						if len(head) > 12 && taken {
							link = size
						}
						if got := k.st.At.Key.PC; got != want || k.st.Get(linkCell, 0) != link {
							t.Fatalf("%s, %s: goes to %#x, link %#x; want %#x, %#x", text, sense, got, k.st.Get(linkCell, 0), want, link)
						}
					}
				}
			}
		}
	}
}

// TestLinks: the link address as programs read it, in units of 16 bits, or of bytes if the option selects that for
// writes.
func TestLinks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 2))
	for unit, bytes := range map[string]uint32{"halves": 2, "bytes": 1} {
		for _, sink := range []string{"is4 = fte backend: setl w0", "is5 = fte backend: setl w1"} {
			lanes := launched[0]
			k := newTaskOf(t, map[string]string{"link": unit}, lanes)
			k.set(0, func(lane int) uint32 { return uint32(100 + 2*lane) })
			k.mix(rnd, lanes)
			k.st.Set(linkCell, 0, 40)
			want := uint32(40)
			for lane := rogue.Lanes - 1; lane >= 0; lane-- {
				if pe, p := k.instance(lane); pe && !p {
					want = bytes * uint32(100+2*lane)
				}
			}
			k.run("if(!p0) { s0 = r0, is0 = s0, " + sink + "; }")
			if got := k.st.Get(linkCell, 0); got != want {
				t.Errorf("%s, %s: link %d, want %d", sink, unit, got, want)
			}
			k.st.Start(0, lanes)
			k.run("{ ctrl: savl w0; w0 = r5 }")
			if got := k.get(5, 7); got != want/2 {
				t.Errorf("%s, %s: saved %d, want %d", sink, unit, got, want/2)
			}
			k.run("{ ctrl: lapc; }")
			if got := k.st.At.Key.PC; got != uint64(want) {
				t.Errorf("goes to %d, want %d", got, want)
			}
		}
	}
	k := newTask(t, nil)
	k.st.Set(linkCell, 0, 0x40)
	k.run("if(p0) { ctrl: lapc; }")
	if k.st.At.Key.PC != 4 {
		t.Error("without an instance the task goes to the link address")
	}
	k.run("(ignorepe) { ctrl: lapc; }")
	if k.st.At.Key.PC != 0x40 {
		t.Error("the task does not go to the link address")
	}
}

// TestIdle: instructions that wait or lock change nothing.
func TestIdle(t *testing.T) {
	for _, text := range []string{"wop", "nop", "wdf drc0", "wdf drc1", "mutex.lock 0x3"} {
		k := newTask(t, nil)
		k.set(1, func(lane int) uint32 { return uint32(lane) })
		before := *k.st
		k.run("{ ctrl: " + text + "; }")
		if k.get(1, 9) != 9 || k.st.Live != before.Live || k.st.Exec != before.Exec {
			t.Errorf("%s: something changes", text)
		}
	}
	for _, text := range []string{"{ ctrl: nop.end; }", "if(p0) { ctrl: nop.end; }", "{ backend: uvsw.endtask; }", "{ backend: uvsw.emit.endtask; }", "{ s0 = r0, is4 = ft0 p0: mbyp ft0, s0; w0 = r1 }.end"} {
		k := newTask(t, nil)
		if k.run(text); !k.st.Ended() {
			t.Errorf("%s: the task goes on", text)
		}
	}
}

// TestBase: numbers of coefficients and shared registers are relative to SBO, also those with an index register.
func TestBase(t *testing.T) {
	for unit, step := range map[string]int{"registers": 1, "sets": 4} {
		k := newTask(t, map[string]string{"base-offset": unit})
		for n := range 2000 {
			k.st.Set(cell(rogue.FileSh, n), 0, uint32(n))
			k.st.Set(cell(rogue.FileCf, n), 0, uint32(10000+n))
			k.st.Set(cell(rogue.FileCfa, n), 0, uint32(20000+n))
		}
		for lane := range rogue.Lanes {
			k.st.Set(cell(rogue.FileIdx, 0), lane, uint32(lane))
		}
		k.program(`{ ctrl: sbo.coeff 0xff; }
			{ ctrl: sbo.shared 0x21; }
			{ s0 = sh3, is0 = s0, is4 = fte p0: mbyp ft0, s0; w0 = r1 }
			{ s0 = cf5, is0 = s0, is4 = fte p0: mbyp ft0, s0; w0 = r2 }
			{ s0 = cfa7, is0 = s0, is4 = fte p0: mbyp ft0, s0; w0 = r3 }
			{ s0 = sh2[idx0], is0 = s0, is4 = fte p0: mbyp ft0, s0; w0 = r4 }
			{ s0 = r1, is0 = s0, is4 = fte p0: mbyp ft0, s0; w0 = sh500 }
			{ ctrl: sbo.shared 0x0; }
			{ s0 = sh3, is0 = s0, is4 = fte p0: mbyp ft0, s0; w0 = r5 }
			if(p0) { ctrl: sbo.coeff 0x0; }
			{ s0 = cf5, is0 = s0, is4 = fte p0: mbyp ft0, s0; w0 = r6 }
			{ ctrl: nop.end; }`)
		for n, want := range map[int]int{1: 3 + 0x21*step, 2: 10005 + 0xff*step, 3: 20007, 4: 2 + 9 + 0x21*step, 5: 3, 6: 10005 + 0xff*step} {
			if got := k.get(n, 9); got != uint32(want) {
				t.Errorf("%s: r%d is %d, want %d", unit, n, got, want)
			}
		}
		if got := k.st.Get(cell(rogue.FileSh, 500+0x21*step), 0); got != uint32(3+0x21*step) {
			t.Errorf("%s: the shared register holds %d", unit, got)
		}
	}
}
