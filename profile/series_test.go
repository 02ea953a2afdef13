package profile

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// byLane counts a request lane by lane, by what the fields of Access say. A lane accesses spans of bytes, from its
// address on.
func byLane(m Memory, of ir.SpaceID, how How, windows []exec.Window, lanes uint64, addr func(lane int) uint64, spans func(lane int) []span) (a [spaces]Access) {
	lines, times := map[uint64]bool{}, [spaces]map[uint64]uint64{{}, {}, {}}
	banks := map[[2]int]map[uint64]bool{} // words by group of lanes and bank
	groups := map[int]uint64{}            // the most words of a lane
	for lane := range ir.MaxLanes {
		if lanes>>lane&1 == 0 {
			continue
		}
		at, space := addr(lane), kindOf(of)
		for _, w := range windows {
			if of == ir.FlatSpace && at-w.Base < w.Size {
				at, space = at-w.Base+w.Offset, kindOf(w.Space)
				break
			}
		}
		part := 0
		if of == ir.FlatSpace {
			part = space
		}
		to := &a[part]
		to.Requests = 1
		to.Lanes++
		if times[part][at]++; how == Atomics {
			to.Repeats = max(to.Repeats, times[part][at])
		}
		words := uint64(0)
		for _, x := range spans(lane) {
			to.Bytes += x.size
			for b := uint64(0); space == other && m.Line > 0 && b < x.size; b++ {
				lines[(at+x.at+b)/uint64(m.Line)] = true
				to.Lines = uint64(len(lines))
			}
			for k := uint64(0); space == group && m.Banks > 0 && k < (x.size+3)/4; k++ {
				word := (at+x.at)/4 + k
				bank := [2]int{lane / m.Pass, int(word % uint64(m.Banks))}
				if banks[bank] == nil {
					banks[bank] = map[uint64]bool{}
				}
				banks[bank][word] = true
				words++
				groups[lane/m.Pass] = max(groups[lane/m.Pass], words)
			}
		}
	}
	to := &a[0]
	if of == ir.FlatSpace {
		to = &a[group]
	}
	for g, degree := range groups {
		to.Free += degree
		for bank, words := range banks {
			if bank[0] == g {
				degree = max(degree, uint64(len(words)))
			}
		}
		to.Passes += degree
	}
	return a
}

// randomSpans returns spans of a lane that a request can have.
func randomSpans(rnd *rand.Rand) (list []span) {
	size := []uint64{1, 2, 4, 4, 4, 8, 16, 64}[rnd.IntN(8)]
	list = append(list, span{0, size})
	for n := rnd.IntN(4); rnd.IntN(3) == 0 && n > 0; n-- {
		list = append(list, span{list[len(list)-1].at + []uint64{0, 8, 256, rnd.Uint64N(400)}[rnd.IntN(4)], size})
	}
	return joined(list)
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
		x := &site{space: spaceOf[rnd.IntN(4)], how: How(rnd.IntN(3)), of: &code{memory: m, windows: windows}, spans: randomSpans(rnd)}
		x.measure()
		s := &shard{sites: []*site{x}, accesses: make([][spaces]Access, 1), shapes: make([]shape, 1)}
		first := []uint64{rnd.Uint64(), 0x1000 - uint64(rnd.IntN(300)), 0x13e0 - uint64(rnd.IntN(300)), 0x2000 + uint64(rnd.IntN(300)), ^uint64(0) - uint64(rnd.IntN(500)), 0x5000}[rnd.IntN(6)]
		if rnd.IntN(3) > 0 {
			first &^= 3
		}
		step := []uint64{0, x.size, uint64(rnd.IntN(300)), 4 << rnd.IntN(8), 12, -x.size, rnd.Uint64()}[rnd.IntN(7)]
		n := 1 + rnd.IntN(64)
		lanes := ^uint64(0) >> (64 - n) << rnd.IntN(65-n)
		if rnd.IntN(4) == 0 {
			lanes = rnd.Uint64() | 1<<rnd.IntN(64)
		}
		row := make([]uint64, bits.OnesCount64(lanes))
		addr := func(lane int) uint64 { return first + step*uint64(lane) }
		turns := 1
		odd, third := rnd.Uint64N(5)*36, uint64(1)
		if round%2 == 1 { // a shape, which moves between the requests
			turns, third = 3, 3
			addr = func(lane int) uint64 { return first + step*(uint64(lane)/third) + uint64(lane)%third*odd }
		} else if turns = 1 + rnd.IntN(2); len(x.spans) == 1 {
			turns = 1
		}
		for turn := range turns {
			s.accesses[0] = [spaces]Access{}
			if turn > 0 || third > 1 {
				first += 4 * rnd.Uint64N(9)
			}
			for i, left := 0, lanes; left != 0; i, left = i+1, left&(left-1) {
				row[i] = addr(bits.TrailingZeros64(left))
			}
			if third > 1 {
				s.hear(&exec.Probe{Lanes: lanes, Values: row})
			} else if s.hear(&exec.Probe{Lanes: lanes, First: first, Step: step}); s.shapes[0].lanes == 0 {
				fast++
			}
		}
		wraps := false // an access past the end of memory faults
		last := x.spans[len(x.spans)-1]
		for lane := range ir.MaxLanes {
			wraps = wraps || addr(lane)+last.at+max(last.size, x.size) < addr(lane)
		}
		if wraps {
			continue
		}
		if want := byLane(m, x.space, x.how, windows, lanes, addr, func(int) []span { return x.spans }); s.accesses[0] != want {
			t.Fatalf("round %d: spans %v of %+v, %v, lanes %#x from %#x by %#x:\ncounted %+v,\nwant    %+v", round, x.spans, m, x.how, lanes, first, step, s.accesses[0], want)
		}
	}
	if fast < 10_000 {
		t.Errorf("only %d of 30 000 requests were counted as a series", fast)
	}
}

// TestPieces: a request that tells several addresses of each lane, of which some are not accessed, counts what its
// lanes do one by one.
func TestPieces(t *testing.T) {
	rnd := rand.New(rand.NewPCG(45, 2))
	for round := range 20_000 {
		m := Memory{Line: []int{0, 4, 32, 64, 128}[rnd.IntN(5)], Banks: []int{0, 16, 32, 32}[rnd.IntN(4)], Pass: []int{16, 32}[rnd.IntN(2)]}
		x := &site{pieces: true, space: []ir.SpaceID{ir.GlobalSpace, ir.GroupSpace}[rnd.IntN(2)], how: How(rnd.IntN(2)), of: &code{memory: m}, each: []uint64{1, 4, 4, 8}[rnd.IntN(4)], none: ^uint64(0)}
		s := &shard{sites: []*site{x}, accesses: make([][spaces]Access, 1), shapes: make([]shape, 1)}
		n, lanes, most := 2+rnd.IntN(3), rnd.Uint64()|1<<rnd.IntN(64), rnd.IntN(2)
		var values []uint64
		of := [ir.MaxLanes][]span{}
		for left := lanes; left != 0; left &= left - 1 {
			lane, some := bits.TrailingZeros64(left), 1+rnd.IntN(1<<n-1)
			for k := range n {
				v := x.none
				if some>>k&1|most == 1 {
					v = rnd.Uint64N(1 << (2 + rnd.IntN(12)))
					of[lane] = append(of[lane], span{v, x.each})
				}
				values = append(values, v)
			}
		}
		for moved := range uint64(3) { // as a whole, if nothing is left out
			s.accesses[0] = [spaces]Access{}
			for i, v := range values {
				if v != x.none {
					values[i] = v + 4*moved*uint64(most)
				}
			}
			s.hear(&exec.Probe{Lanes: lanes, Values: values})
			by := (moved + moved*moved) / 2 * 4 * uint64(most)
			want := byLane(m, x.space, x.how, nil, lanes, func(int) uint64 { return by }, func(lane int) []span { return of[lane] })
			if s.accesses[0] != want {
				t.Fatalf("round %d: %v of %+v, lanes %#x at %#x:\ncounted %+v,\nwant    %+v", round, x.each, m, lanes, values, s.accesses[0], want)
			}
		}
	}
}
