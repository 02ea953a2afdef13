// Package guess says of bytes of which nobody knows what they are which instruction set they are code of, and how sure that is.
//
// Decoding alone says little: most words of a dense set are some instruction. So bytes are weighed: how much likelier code of
// a set is to look like this than bytes at random. A word of an instruction has the bits that identify its row, and leaves
// those clear that the row does not claim; code uses few rows over and over; it ends, and its branches lead to instructions; what it
// writes is read. Scan finds the parts of a file that are code.
package guess

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/all"
	"github.com/heddle-gpu/heddle/lint"
)

// A Guess is what bytes may be.
type Guess struct {
	Target       *isa.Target
	Sure         float64 // 0 to 1: that they are code of the set; of its variants and stages this one fits best
	Bytes        int     // that were looked at, runs of zeros aside
	Decoded      int     // of them, those that are instructions
	Instructions int
	Also         []*isa.Target // of the same set, that fit as well
	weight       float64       // how much likelier than bytes at random, as a logarithm
}

// Least is how sure a guess is that says anything.
const Least = 0.5

// Most is how many bytes of code are looked at: enough to be sure.
const Most = 64 << 10

// Of weighs bytes as code of all sets, the likeliest first; stage, if it is not "", is that of sets which decode by stage.
// There is one guess for each set. No bytes, or nothing but zeros, give none. A guess that is less sure than Least says that it is none.
func Of(code []byte, stage string) []Guess {
	if zeros(code) {
		return nil
	}
	var list []Guess
	for _, s := range all.Sets() {
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

// What is taken of the weights: rows of code depend on each other, and hold less than a count of their bits says.
const trust = 0.25

// share makes of weights how sure each guess is; that it is none of them is one more.
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

// clean is 1 of bytes that are instructions throughout, and falls to 0 where a fifth of them is none: tables and pictures repeat
// themselves as code does, and part of what they repeat may be an instruction.
func clean(g *Guess) float64 {
	if g.Bytes == 0 {
		return 0
	}
	x := max(float64(g.Decoded)/float64(g.Bytes)-0.8, 0) / 0.2
	return x * x
}

// Chances: of a unit of code to be none; and weights: of a branch that leads to an instruction, or elsewhere, of code that runs
// into what is none, and that ends.
const (
	stray  = 0.002
	leads  = 1.0
	astray = -4.0
	runs   = -4.0
	ends   = 2.0
	few    = 64 // branches and the like that count
)

// A scale weighs bytes as code of one target.
type scale struct {
	Guess
	rows []int            // of each class of parts
	seen map[*isa.Def]int // of each row
	of   []int            // of each class
	odd  float64          // bits that no row claims and that are not as they are assembled
	idle float64          // and all of them
}

// newScale is the scale of a target, before it has seen anything.
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

// weigh weighs bytes as code of one target.
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
		if !zeros(code[off : off+size]) { // padding says nothing
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

// unclaimed reports whether bits are set that nothing claims, where such instructions trap.
func unclaimed(t *isa.Target, b *isa.Bundle) bool {
	return !t.Loose && slices.ContainsFunc(b.Parts, func(in isa.Inst) bool { return in.Unclaimed() != "" })
}

// zeros reports whether there is nothing else.
func zeros(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// bundle weighs an instruction, or group.
func (s *scale) bundle(b *isa.Bundle) {
	s.Decoded += b.Size()
	s.Instructions++
	s.weight += math.Log1p(-stray)
	rest := b.Size()
	for i := range b.Parts {
		in := &b.Parts[i]
		d := in.Def
		// The chance of a row grows with how often it was met.
		s.weight += math.Log((float64(s.seen[d]) + 0.5) / (float64(s.of[d.Class]) + 0.5*float64(s.rows[d.Class])))
		s.seen[d]++
		s.of[d.Class]++
		s.bits(in)
		rest -= int(in.Size)
	}
	s.weight += math.Ln2 * 8 * float64(max(rest, 0)) // what fills a group up is known
}

// bits weighs those that the row of an instruction tells: they are what they are, or are rarely other than they are assembled.
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

// Short is how many bytes say little.
const Short = 32

// String says what is guessed, and why.
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

// flow weighs where control goes.
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
