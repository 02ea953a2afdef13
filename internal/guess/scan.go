package guess

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// A Region is a part of a file that is code.
type Region struct {
	Offset, Size int // bytes
	Guess            // Sure is at least Least
}

// End returns the offset after the region.
func (r *Region) End() int { return r.Offset + r.Size }

// Thresholds of Scan.
const (
	shortest = 32  // bytes of a region
	firmest  = 20  // least score, as a logarithm, of a candidate and of a region
	endless  = 300 // least score of a region without an end of control flow or broken rules: a part of a program
	zeroGap  = 16  // bytes of zeros that end code
	mostCuts = 8   // regions per candidate
	join     = 32  // bytes between two regions of a target that are merged

	unusual   = 3   // subtracted from the score of an instruction with bits that no assembler sets
	mostTries = 6   // places where a region may begin or end that are tried
	near      = 512 // bytes examined to find the start
)

// Scan finds the parts of a file that are code of any set, sorted by offset. Code may begin at any offset: a file is
// scanned once for each remainder modulo the size of the set's smallest instruction. Each byte is decoded a bounded
// number of times, so the time is linear in the size of the file. The error is that of the context.
func Scan(ctx context.Context, data []byte) ([]Region, error) {
	var sweeps []*sweep
	for _, t := range scanned() {
		for at := range min(max(t.Unit, 1), len(data)) {
			sweeps = append(sweeps, &sweep{t: t, data: data[at:], at: at})
		}
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, 4)
	for _, s := range sweeps {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			s.run(ctx)
		}()
	}
	wg.Wait()
	var found []Region
	for _, s := range sweeps {
		for _, r := range s.found {
			r.Offset += s.at
			found = append(found, r)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return settle(found), nil
}

// scanned returns the targets to scan with: of each set those variants that differ in what decodes.
func scanned() (list []*isa.Target) {
	for _, s := range sets.Sets() {
		seen := map[string]bool{}
		for v := range s.Variants {
			t := s.At(v, 0)
			if key := decodes(t); !seen[key] {
				seen[key] = true
				list = append(list, t)
			}
		}
	}
	return list
}

// decodes groups variants by the rows that they have beyond the first one; variants in the same group are scanned once.
// Regions found are scored as code of all variants and stages of the set.
func decodes(t *isa.Target) string {
	own := 0
	for i := range t.Defs {
		d := &t.Defs[i]
		if d.InVariant(t.Variant) && !d.InVariant(0) {
			own++
		}
	}
	if own < len(t.Defs)/10 {
		return "as the first"
	}
	if t.Variant > 1 {
		return "as the second"
	}
	return "of its own"
}

// A sweep is one scan of a file for one target.
type sweep struct {
	t     *isa.Target
	data  []byte
	at    int      // offset of data in the file
	found []Region // with offsets in data
}

// run finds runs of bytes that decode completely.
func (s *sweep) run(ctx context.Context) {
	unit := max(s.t.Unit, 1)
	var b isa.Bundle
	from, n := -1, 0 // start of the run, and number of instructions
	end := func(to int) {
		if from >= 0 && to-from >= shortest && n > 1 {
			s.stretch(from, to)
		}
		from, n = -1, 0
	}
	for off, steps := 0, 0; off+unit <= len(s.data); steps++ {
		if steps%(1<<14) == 0 && ctx.Err() != nil {
			return
		}
		if z := zeroRun(s.data[off:]); z >= zeroGap {
			end(off)
			off += max(z/unit, 1) * unit
			continue
		}
		if s.t.DecodeBundle(s.data[off:], uint64(off), &b) != nil {
			end(off)
			off += unit
			continue
		}
		if from < 0 {
			from = off
		}
		n++
		off += b.Size()
		if off > len(s.data) {
			break
		}
		if off+unit > len(s.data) {
			end(off)
		}
	}
	if from >= 0 {
		end(len(s.data) / unit * unit)
	}
}

// zeroRun returns the number of leading zero bytes, in multiples of eight.
func zeroRun(b []byte) (n int) {
	for n+8 <= len(b) && b[n]|b[n+1]|b[n+2]|b[n+3]|b[n+4]|b[n+5]|b[n+6]|b[n+7] == 0 {
		n += 8
	}
	return n
}

// stretch examines a run of bytes that decode: its part with the highest score is a region, if it is code.
func (s *sweep) stretch(from, to int) {
	todo := [][2]int{{from, to}}
	for cuts := 0; len(todo) > 0 && cuts < mostCuts; cuts++ {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		a, b, weight := s.best(x[0], x[1])
		if weight < firmest || b-a < shortest {
			continue
		}
		b = max(b, s.judge(a, b, x[1]))
		for _, rest := range [...][2]int{{x[0], a}, {b, x[1]}} {
			if rest[1]-rest[0] >= shortest {
				todo = append(todo, rest)
			}
		}
	}
}

// judge adds a region if it is code of the set. It tries several starts and ends: the data before the region may
// decode, too, and the instruction that ends a program is rare.
func (s *sweep) judge(from, to, limit int) (end int) {
	a := s.start(from, to)
	list := Of(s.data[a:to], "")
	if len(list) == 0 || list[0].Target.Set != s.t.Set || list[0].weight < firmest {
		return to
	}
	t := list[0].Target
	for tries := 0; tries < mostTries; tries++ {
		f := fitnessOf(t, s.data[a:min(to, a+Most)])
		if f.legal() && (f.program() || to-a > Most || list[0].weight >= endless && f.broken == 0 && f.fails == 0) {
			if list = Of(s.data[a:to], ""); list[0].Sure >= Least && list[0].Target.Set == s.t.Set {
				s.found = append(s.found, Region{a, to - a, list[0]})
			}
			return to
		}
		var b isa.Bundle
		if !f.legal() || to >= limit || t.DecodeBundle(s.data[to:limit], uint64(to), &b) != nil {
			return to
		}
		to += b.Size()
	}
	return to
}

// start returns the instruction, of the first few of a part of a file, from which on the fewest break rules.
func (s *sweep) start(from, to int) int {
	best, least, tries := from, -1, 0
	s.each(from, min(to, from+mostTries*max(s.t.Longest, 1)), func(off int, _ *isa.Bundle) {
		if tries++; tries > mostTries {
			return
		}
		f := fitnessOf(s.t, s.data[off:min(to, off+near)])
		if bad := f.broken; least < 0 || bad < least {
			best, least = off, bad
		}
	})
	return best
}

// best returns the part of a run with the highest total score. Of a long run it examines the start and the end.
func (s *sweep) best(from, to int) (a, b int, weight float64) {
	if to-from <= 2*Most {
		return s.heaviest(from, to)
	}
	a, _, first := s.heaviest(from, from+Most)
	last := from + (to-from-Most)/max(s.t.Unit, 1)*max(s.t.Unit, 1)
	_, b, second := s.heaviest(last, to)
	return a, b, first + second
}

// heaviest returns the part of a run with the largest sum of scores.
func (s *sweep) heaviest(from, to int) (a, b int, weight float64) {
	k := newScale(s.t)
	s.each(from, to, func(_ int, x *isa.Bundle) { k.count(x) })
	sum, start := 0.0, from
	s.each(from, to, func(off int, x *isa.Bundle) {
		if sum <= 0 {
			sum, start = 0, off
		}
		if sum += k.alone(x); odd(x) {
			sum = min(sum, sum-k.weight) - unusual
		}
		if sum > weight {
			a, b, weight = start, off+x.Size(), sum
		}
	})
	return a, b, weight
}

// each calls f for the instructions of a part of a file.
func (s *sweep) each(from, to int, f func(off int, b *isa.Bundle)) {
	var b isa.Bundle
	for off := from; off < to; {
		if s.t.DecodeBundle(s.data[off:to], uint64(off), &b) != nil {
			off += max(s.t.Unit, 1)
			continue
		}
		f(off, &b)
		off += b.Size()
	}
}

// count adds the rows of a bundle to the statistics.
func (s *scale) count(b *isa.Bundle) {
	for i := range b.Parts {
		d := b.Parts[i].Def
		s.seen[d]++
		s.of[d.Class]++
	}
}

// alone returns the score of a bundle by the collected statistics.
func (s *scale) alone(b *isa.Bundle) float64 {
	s.weight = 0
	rest := b.Size()
	for i := range b.Parts {
		in := &b.Parts[i]
		d := in.Def
		s.weight += math.Log((float64(s.seen[d]) + 0.5) / (float64(s.of[d.Class]) + 0.5*float64(s.rows[d.Class])))
		s.bits(in)
		rest -= int(in.Size)
	}
	s.weight += math.Ln2 * 8 * float64(max(rest, 0))
	return s.weight
}

// settle keeps the best of overlapping regions, and merges neighbours with the same target.
func settle(list []Region) (kept []Region) {
	slices.SortStableFunc(list, func(a, b Region) int { return cmp.Compare(b.weight, a.weight) })
	for _, r := range list {
		at, _ := slices.BinarySearchFunc(kept, r.Offset, func(k Region, off int) int { return cmp.Compare(k.End(), off+1) })
		if at == len(kept) || r.End() <= kept[at].Offset { // the last one kept ends before r begins
			kept = slices.Insert(kept, at, r)
		}
	}
	var out []Region
	for _, r := range kept {
		if n := len(out) - 1; n >= 0 && out[n].Target == r.Target && r.Offset-out[n].End() <= join {
			out[n].Size = r.End() - out[n].Offset
			out[n].Bytes, out[n].Decoded, out[n].Instructions = out[n].Bytes+r.Bytes, out[n].Decoded+r.Decoded, out[n].Instructions+r.Instructions
			out[n].Sure = max(out[n].Sure, r.Sure)
			continue
		}
		out = append(out, r)
	}
	return out
}
