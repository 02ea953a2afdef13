package profile

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// byLane counts a request lane by lane, by what the fields of Access say.
func byLane(m Memory, mem ir.Mem, how How, windows []exec.Window, lanes uint64, addr func(lane int) uint64) (a [spaces]Access) {
	size := uint64(mem.Bytes())
	words := (size + 3) / 4
	lines, times := map[uint64]bool{}, [spaces]map[uint64]uint64{{}, {}, {}}
	banks := map[[2]int]map[uint64]bool{} // words by group of lanes and bank
	groups := map[int]bool{}
	for lane := range ir.MaxLanes {
		if lanes>>lane&1 == 0 {
			continue
		}
		at, space := addr(lane), kindOf(mem.Space)
		for _, w := range windows {
			if mem.Space == ir.FlatSpace && at-w.Base < w.Size {
				at, space = at-w.Base+w.Offset, kindOf(w.Space)
				break
			}
		}
		part := 0
		if mem.Space == ir.FlatSpace {
			part = space
		}
		to := &a[part]
		to.Requests = 1
		to.Lanes++
		to.Bytes += size
		if times[part][at]++; how == Atomics {
			to.Repeats = max(to.Repeats, times[part][at])
		}
		switch {
		case space == other && m.Line > 0:
			for b := range size {
				lines[(at+b)/uint64(m.Line)] = true
			}
			to.Lines = uint64(len(lines))
		case space == group && m.Banks > 0:
			groups[lane/m.Pass] = true
			for k := range words {
				bank := [2]int{lane / m.Pass, int((at/4 + k) % uint64(m.Banks))}
				if banks[bank] == nil {
					banks[bank] = map[uint64]bool{}
				}
				banks[bank][at/4+k] = true
			}
			to.Passes, to.Free = 0, words*uint64(len(groups))
			for g := range groups {
				degree := words
				for bank, of := range banks {
					if bank[0] == g {
						degree = max(degree, uint64(len(of)))
					}
				}
				to.Passes += degree
			}
		}
	}
	return a
}

// TestSeries: requests whose addresses are a series, and repeated requests of one shape, count what their lanes do one
// by one.
func TestSeries(t *testing.T) {
	rnd := rand.New(rand.NewPCG(45, 1))
	spaceOf := []ir.SpaceID{ir.GlobalSpace, ir.GroupSpace, ir.FlatSpace, ir.PrivateSpace}
	fast := 0
	for round := range 60_000 {
		m := Memory{Line: []int{0, 4, 32, 64, 128}[rnd.IntN(5)], Banks: []int{0, 16, 32, 32}[rnd.IntN(4)], Pass: []int{16, 32}[rnd.IntN(2)]}
		windows := []exec.Window{{Space: ir.GroupSpace, Base: 0x1000, Size: 0x400}, {Space: ir.PrivateSpace, Base: 0x2000, Size: 0x400, Offset: 64}}
		mem := ir.Mem{Space: spaceOf[rnd.IntN(4)], Elem: []uint8{1, 2, 4, 4, 4, 8}[rnd.IntN(6)], Count: []uint8{1, 1, 1, 2, 4, 16}[rnd.IntN(6)]}
		x := &site{mem: mem, how: How(rnd.IntN(3)), of: &code{memory: m, windows: windows}}
		s := &shard{sites: []*site{x}, accesses: make([][spaces]Access, 1), shapes: make([]shape, 1)}
		first := []uint64{rnd.Uint64(), 0x1000 - uint64(rnd.IntN(300)), 0x13e0 - uint64(rnd.IntN(300)), 0x2000 + uint64(rnd.IntN(300)), ^uint64(0) - uint64(rnd.IntN(500)), 0x5000}[rnd.IntN(6)]
		if rnd.IntN(3) > 0 {
			first &^= 3
		}
		step := []uint64{0, uint64(mem.Bytes()), uint64(rnd.IntN(300)), 4 << rnd.IntN(8), 12, -uint64(mem.Bytes()), rnd.Uint64()}[rnd.IntN(7)]
		n := 1 + rnd.IntN(64)
		lanes := ^uint64(0) >> (64 - n) << rnd.IntN(65-n)
		if rnd.IntN(4) == 0 {
			lanes = rnd.Uint64() | 1<<rnd.IntN(64)
		}
		row := make([]uint64, bits.OnesCount64(lanes))
		addr := func(lane int) uint64 { return first + step*uint64(lane) }
		if round%2 == 0 {
			s.hear(&exec.Probe{Lanes: lanes, First: first, Step: step})
			if s.shapes[0].lanes == 0 {
				fast++
			}
		} else { // a shape, which moves between the requests
			odd := rnd.Uint64N(5) * 36
			addr = func(lane int) uint64 { return first + step*uint64(lane/3) + uint64(lane)%3*odd }
			for range 3 {
				s.accesses[0] = [spaces]Access{}
				first += 4 * rnd.Uint64N(9)
				for i, left := 0, lanes; left != 0; i, left = i+1, left&(left-1) {
					row[i] = addr(bits.TrailingZeros64(left))
				}
				s.hear(&exec.Probe{Lanes: lanes, Values: row})
			}
		}
		wraps := false // an access past the end of memory faults
		for lane := range ir.MaxLanes {
			wraps = wraps || addr(lane)+uint64(mem.Bytes()) < addr(lane)
		}
		if wraps {
			continue
		}
		if want := byLane(m, mem, x.how, windows, lanes, addr); s.accesses[0] != want {
			t.Fatalf("round %d: %+v of %+v, %v, lanes %#x from %#x by %#x:\ncounted %+v,\nwant    %+v", round, m, mem, x.how, lanes, first, step, s.accesses[0], want)
		}
	}
	if fast < 10_000 {
		t.Errorf("only %d of 30 000 requests were counted as a series", fast)
	}
}
