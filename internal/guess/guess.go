// Package guess identifies the instruction set of unlabelled code, with a probability.
//
// Decoding alone gives little information, because most words of a dense set decode. So the bytes are scored by how
// much likelier they are as code of a set than as random bytes. The words of instructions have the bits that identify
// their row, and leave unclaimed bits clear; code uses few rows again and again; it ends, and its branches lead to
// instructions; what it writes is read. Scan finds the parts of a file that are code.
package guess

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// A Guess is a possible interpretation of bytes.
type Guess struct {
	Target       *isa.Target
	Sure         float64 // probability that they are code of the set; this variant and stage fits best
	Bytes        int     // examined, without runs of zeros
	Decoded      int     // of these, in instructions
	Instructions int
	Also         []*isa.Target // others of the same set that fit as well
	weight       float64       // likelihood relative to random bytes, as a logarithm
}

// Least is the least probability for which a guess is meaningful.
const Least = 0.5

// Most limits the bytes of code that are examined: enough to be sure.
const Most = 64 << 10

// Of scores bytes as code of all sets and returns one guess per set, the likeliest first; stage, if not "", is the
// stage for sets with decoding by stage. No bytes, or only zeros, give no guess. A guess below Least means that the
// bytes are probably not code of the set.
func Of(code []byte, stage string) []Guess {
	if zeros(code) {
		return nil
	}
	var list []Guess
	for _, s := range sets.Sets() {
		best, fits := Guess{weight: math.Inf(-1)}, []Guess(nil)
		for v := range s.Variants {
			for st := range max(len(s.Stages), 1) {
				if stage != "" && len(s.Stages) > 0 && s.Stages[st] != stage {
					continue
				}
				g := weigh(s.At(v, st), code)
				if fits = append(fits, g); g.weight > best.weight {
					best = g
				}
			}
		}
		for _, g := range fits {
			if g.Target != best.Target && g.weight > best.weight-1 {
				best.Also = append(best.Also, g.Target)
			}
		}
		if best.Target != nil {
			list = append(list, best)
		}
	}
	slices.SortStableFunc(list, func(a, b Guess) int { return cmp.Compare(b.weight, a.weight) })
	share(list)
	for i := range list {
		if g := &list[i]; g.Sure > 0.01 {
			g.Sure *= plausible(g.Target, code[:min(len(code), Most)])
		}
	}
	slices.SortStableFunc(list, func(a, b Guess) int { return cmp.Compare(b.Sure, a.Sure) })
	return list
}

// trust scales the scores: rows of code depend on each other, so they carry less information than the count of their
// bits.
const trust = 0.25

// share converts scores to probabilities; another possibility is that no guess is right.
func share(list []Guess) {
	sum := math.Exp(-trust * max(list[0].weight, 0))
	for i := range list {
		list[i].Sure = math.Exp(trust * (list[i].weight - max(list[0].weight, 0)))
		sum += list[i].Sure
	}
	for i := range list {
		g := &list[i]
		g.Sure *= clean(g) / sum
	}
}

// clean returns 1 for bytes that decode completely, falling to 0 if a fifth does not: tables and pictures are as
// repetitive as code, and part of what they repeat may decode.
func clean(g *Guess) float64 {
	if g.Bytes == 0 {
		return 0
	}
	x := max(float64(g.Decoded)/float64(g.Bytes)-0.8, 0) / 0.2
	return x * x
}

// The probability that a unit of code does not decode, and the scores of a branch to an instruction, of a branch
// elsewhere, of control flow that runs into what does not decode, and of control flow that ends.
const (
	stray  = 0.002
	leads  = 1.0
	astray = -4.0
	runs   = -4.0
	ends   = 2.0
	few    = 64 // number of such events that count
)

// A scale scores bytes as code of one target.
type scale struct {
	Guess
	rows []int            // number of rows in each class of parts
	seen map[*isa.Def]int // uses of each row
	of   []int            // uses of each class
	odd  float64          // unclaimed bits that differ from what the assembler writes
	idle float64          // all unclaimed bits
}

// newScale returns the initial scale of a target.
func newScale(t *isa.Target) *scale {
	n := max(len(t.Classes), 1)
	s := &scale{Guess: Guess{Target: t}, rows: make([]int, n), of: make([]int, n), seen: map[*isa.Def]int{}}
	for i := range t.Defs {
		if d := &t.Defs[i]; !d.Alias && !d.Private { // of all variants, so that none has an advantage
			s.rows[d.Class]++
		}
	}
	return s
}

// weigh scores bytes as code of one target.
func weigh(t *isa.Target, code []byte) Guess {
	s := newScale(t)
	whole := len(code) <= Most
	if !whole {
		code = code[:Most]
	}
	var b isa.Bundle
	for off := 0; off < len(code); {
		size := min(max(t.Unit, 1), len(code)-off)
		err := t.DecodeBundle(code[off:], uint64(off), &b)
		if err == nil {
			size = b.Size()
		}
		if !zeros(code[off : off+size]) { // padding gives no information
			s.Bytes += size
			if err != nil || unclaimed(t, &b) {
				s.weight += math.Log(stray)
			} else {
				s.bundle(&b)
			}
		}
		off += size
	}
	if whole && 2*s.Decoded > s.Bytes {
		s.weight += flow(t, code)
	}
	return s.Guess
}

// unclaimed reports whether unclaimed bits are set in an instruction that then traps.
func unclaimed(t *isa.Target, b *isa.Bundle) bool {
	return !t.Loose && slices.ContainsFunc(b.Parts, func(in isa.Inst) bool { return in.Unclaimed() != "" })
}

// zeros reports whether all bytes are zero.
func zeros(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// bundle scores an instruction, or group.
func (s *scale) bundle(b *isa.Bundle) {
	s.Decoded += b.Size()
	s.Instructions++
	s.weight += math.Log1p(-stray)
	rest := b.Size()
	for i := range b.Parts {
		in := &b.Parts[i]
		d := in.Def
		// The probability of a row grows with its uses so far.
		s.weight += math.Log((float64(s.seen[d]) + 0.5) / (float64(s.of[d.Class]) + 0.5*float64(s.rows[d.Class])))
		s.seen[d]++
		s.of[d.Class]++
		s.bits(in)
		rest -= int(in.Size)
	}
	s.weight += math.Ln2 * 8 * float64(max(rest, 0)) // the filling of a group is known
}

// bits scores the bits of an instruction that are determined by its row: fixed bits, and unclaimed bits, which are
// rarely different from what the assembler writes.
func (s *scale) bits(in *isa.Inst) {
	size := min(int(in.Size), in.Def.Enc.Bits/8)
	free := bits.Low(8 * size).AndNot(in.Def.Claimed())
	canon := in.Canon()
	odd := float64(free.And(in.Word.Xor(canon.Word)).Count())
	even := float64(free.Count()) - odd
	s.weight += math.Ln2 * (float64(in.Def.Mask().Count() + free.Count()))
	s.weight += odd*math.Log((s.odd+0.5)/(s.idle+1)) + even*math.Log((s.idle-s.odd+0.5)/(s.idle+1))
	s.odd, s.idle = s.odd+odd, s.idle+odd+even
}

// Short is the number of bytes below which a guess is unreliable.
const Short = 32

// String describes the guess and the evidence.
func (g *Guess) String() string {
	s := fmt.Sprintf("%s, %.0f %% sure: ", g.Target, math.Floor(min(100*g.Sure, 99)))
	if g.Decoded == g.Bytes {
		s += fmt.Sprintf("all of %d bytes are instructions", g.Bytes)
	} else {
		s += fmt.Sprintf("of %d bytes %d are instructions", g.Bytes, g.Decoded)
	}
	if g.Bytes < Short {
		s += ", and so few say little"
	}
	if len(g.Also) == 0 {
		return s
	}
	var names []string
	for i := 0; i < len(g.Also); i++ {
		first, from := g.Also[i], i
		for i+1 < len(g.Also) && g.Also[i+1].Name == first.Name && g.Also[i+1].Stage == first.Stage && g.Also[i+1].Variant == g.Also[i].Variant+1 {
			i++
		}
		switch name := first.String(); {
		case i > from+1:
			names = append(names, name+" to "+g.Also[i].String())
		case i > from:
			names = append(names, name, g.Also[i].String())
		default:
			names = append(names, name)
		}
	}
	return s + "; " + strings.Join(names, ", ") + " would do as well"
}

// flow scores the control flow.
func flow(t *isa.Target, code []byte) (weight float64) {
	g := lint.Flow(lint.Code{Target: t, Bytes: code})
	left, ended := few, false
	for i := range g.Nodes {
		n := &g.Nodes[i]
		ended = ended || n.Ends
		if n.Fails && left > 0 {
			weight += runs
			left--
		}
		for _, e := range n.Edges {
			switch {
			case left == 0 || e.Kind != lint.EdgeJump && e.Kind != lint.EdgeCall:
				continue
			case e.Node >= 0:
				weight += leads
			default:
				weight += astray
			}
			left--
		}
	}
	if ended {
		weight += ends
	}
	return weight
}
