package mem

import (
	"math/rand/v2"
	"testing"
)

// TestTurns: conflicts of waves of a group since the last barrier, and those of groups in shared memory, are found
// exactly where maps of words find them.
func TestTurns(t *testing.T) {
	var counts [2][2]int
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 22))
		s := twoSegments(t)
		local, err := NewSpace("group", NewSegment("ro", 0, 64, Read), NewSegment("local", 0x100, 999, ReadWrite), NewSegment("local2", 0x8000, 5000, ReadWrite))
		if err != nil {
			t.Fatal(err)
		}
		f := NewFootprints(true, s)
		f.Collect()
		any := false
		of := []Waves{InAll, InLocal, InOwn}[seed%3]
		p := []*Footprint{f.NewOfWaves(of, local), f.NewOfWaves(of)}
		var before []touches
		for range 4 {
			n := r.IntN(2)
			spaces := []*Space{s, local}[:2-n]
			met := counts[0][1]
			all := turns(t, r, p[n], spaces, &counts[0])
			any = any || counts[0][1] > met
			want := false
			for _, b := range before {
				want = want || of != InOwn && all.meets(b)
			}
			if m := p[n].End(); (m != nil) != want {
				t.Fatalf("seed %d: the group has met %v, want %v", seed, m, want)
			}
			counts[1][count(want)]++
			any = any || want
			before = append(before, all)
		}
		if group, shared := f.Suspects(); any != (group || len(shared) > 0) {
			t.Fatalf("seed %d: suspects %v, %v, want some: %v", seed, group, shared, any)
		}
	}
	for _, n := range counts {
		if n[0] < 100 || n[1] < 100 {
			t.Errorf("apart and met: %d", counts)
		}
	}
}

// turns gives turns to waves of a group, and returns what they access of the first space.
func turns(t *testing.T, r *rand.Rand, p *Footprint, spaces []*Space, counts *[2]int) touches {
	all, waves, over := touches{}, [3]touches{}, [3]bool{}
	for range 1 + r.IntN(12) {
		if r.IntN(4) == 0 {
			p.Barrier()
			waves, over = [3]touches{}, [3]bool{}
		}
		wave := r.IntN(len(waves))
		if over[wave] {
			continue
		}
		mine, own := touches{}, touches{}
		for range r.IntN(3) {
			access(t, r, spaces[0], p, mine)
		}
		if len(spaces) > 1 && r.IntN(2) == 0 {
			access(t, r, spaces[1], p, own)
		}
		all.add(mine)
		if p.group.of != InAll {
			mine = touches{}
		}
		mine.add(own)
		want := false
		for i, w := range waves {
			want = want || i != wave && mine.meets(w)
		}
		over[wave] = r.IntN(2) == 0
		if met := p.EndTurn(wave, over[wave]); met != want {
			t.Fatalf("wave %d has met %v, want %v", wave, met, want)
		}
		counts[count(want)]++
		if waves[wave] == nil {
			waves[wave] = touches{}
		}
		waves[wave].add(mine)
	}
	return all
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// add adds other touches.
func (a touches) add(b touches) {
	for w, y := range b {
		x := [3]bool{}
		if a[w] != nil {
			x = *a[w]
		}
		for i := range x {
			x[i] = x[i] || y[i]
		}
		a[w] = &x
	}
}
