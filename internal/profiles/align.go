package profiles

import (
	"cmp"
	"slices"
)

// Limits of an alignment; tests set others.
var (
	mostCells = 1 << 22 // of a table
	mostSteps = 1 << 28 // of comparisons for the parts together that no text divides that occurs once in both
)

// An aligned is two elements of the lists that belong together.
type aligned struct{ a, b int }

// An aligner pairs elements of two lists.
type aligner struct {
	a, b  []element
	steps int
	pairs []aligned
	whole bool // no part was too long
}

// An element has numbers in place of its text and key.
type element struct{ text, key int32 }

// An alike is what an element of an alignment is compared by.
type alike struct{ text, key string }

// align pairs elements of two lists in their order so that the sum of their likeness is the largest: 3 if texts are
// the same, 2 if keys are, else they are no pair. Lists too long for that are divided where a text occurs once in both;
// if a part is still too long it has no pairs but at its ends, and whole is false.
func align(a, b []alike) (list []aligned, whole bool) {
	texts, keys := map[string]int32{}, map[string]int32{}
	number := func(in map[string]int32, s string) int32 {
		n, ok := in[s]
		if !ok {
			n = int32(len(in))
			in[s] = n
		}
		return n
	}
	elements := func(list []alike) (all []element) {
		for _, x := range list {
			all = append(all, element{number(texts, x.text), number(keys, x.key)})
		}
		return all
	}
	l := aligner{a: elements(a), b: elements(b), whole: true}
	l.part(0, len(a), 0, len(b))
	slices.SortFunc(l.pairs, func(x, y aligned) int { return cmp.Compare(x.a, y.a) })
	return l.pairs, l.whole
}

func (l *aligner) add(i, j int) { l.pairs = append(l.pairs, aligned{i, j}) }

// part pairs elements from a0 to a1 with those from b0 to b1.
func (l *aligner) part(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && l.a[a0].text == l.b[b0].text {
		l.add(a0, b0)
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && l.a[a1-1].text == l.b[b1-1].text {
		a1, b1 = a1-1, b1-1
		l.add(a1, b1)
	}
	if a0 == a1 || b0 == b1 {
		return
	}
	if cost := 2 * (a1 - a0 + 1) * (b1 - b0 + 1); cost <= mostSteps-l.steps {
		l.steps += cost
		l.divide(a0, a1, b0, b1)
		return
	}
	anchors := once(l.a[a0:a1], l.b[b0:b1])
	if len(anchors) == 0 {
		l.whole = false
		return
	}
	i, j := a0, b0
	for _, x := range anchors {
		l.part(i, a0+x.a, j, b0+x.b)
		l.add(a0+x.a, b0+x.b)
		i, j = a0+x.a+1, b0+x.b+1
	}
	l.part(i, a1, j, b1)
}

// divide pairs elements by tables of what fits in one: half of a goes with the part of b for which the sum of both is
// the largest (Hirschberg, A linear space algorithm for computing maximal common subsequences, 1975).
func (l *aligner) divide(a0, a1, b0, b1 int) {
	if (a1-a0+1)*(b1-b0+1) <= mostCells || a1-a0 <= 1 {
		for _, x := range best(l.a[a0:a1], l.b[b0:b1]) {
			l.add(a0+x.a, b0+x.b)
		}
		return
	}
	mid := (a0 + a1) / 2
	up, down := make([]int32, b1-b0+1), make([]int32, b1-b0+1)
	for i := a0; i < mid; i++ {
		corner := int32(0)
		for j := b0; j < b1; j++ {
			k := j - b0
			corner, up[k+1] = up[k+1], max(up[k], up[k+1], corner+l.a[i].likeness(l.b[j]))
		}
	}
	for i := a1 - 1; i >= mid; i-- {
		corner := int32(0)
		for j := b1 - 1; j >= b0; j-- {
			k := j - b0
			corner, down[k] = down[k], max(down[k], down[k+1], corner+l.a[i].likeness(l.b[j]))
		}
	}
	at := 0
	for k := range up {
		if up[k]+down[k] > up[at]+down[at] {
			at = k
		}
	}
	l.divide(a0, mid, b0, b0+at)
	l.divide(mid, a1, b0+at, b1)
}

func (x element) likeness(y element) int32 {
	switch {
	case x.text == y.text:
		return 3
	case x.key == y.key:
		return 2
	}
	return 0
}

// best returns the best pairs, by a table of all.
func best(a, b []element) (list []aligned) {
	w := len(b) + 1
	sum := make([]int32, (len(a)+1)*w) // of what is left from there on
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			sum[i*w+j] = max(sum[(i+1)*w+j], sum[i*w+j+1], a[i].likeness(b[j])+sum[(i+1)*w+j+1])
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		n := a[i].likeness(b[j])
		switch here := sum[i*w+j]; {
		case n > 0 && here == n+sum[(i+1)*w+j+1]:
			list = append(list, aligned{i, j})
			i, j = i+1, j+1
		case here == sum[(i+1)*w+j]:
			i++
		default:
			j++
		}
	}
	return list
}

// once returns pairs of texts that occur once in each list, as many as are in the same order in both.
func once(a, b []element) []aligned {
	count := func(list []element) map[int32]int {
		at := map[int32]int{}
		for i := range list {
			if _, ok := at[list[i].text]; ok {
				at[list[i].text] = -1
			} else {
				at[list[i].text] = i
			}
		}
		return at
	}
	inA, inB := count(a), count(b)
	var pairs []aligned
	for text, i := range inA {
		if j, ok := inB[text]; ok && i >= 0 && j >= 0 {
			pairs = append(pairs, aligned{i, j})
		}
	}
	slices.SortFunc(pairs, func(x, y aligned) int { return cmp.Compare(x.a, y.a) })
	return rising(pairs)
}

// rising returns the longest part of pairs whose second elements rise.
func rising(pairs []aligned) (list []aligned) {
	var ends []int // of the best lists by length, indices of pairs
	before := make([]int, len(pairs))
	for i := range pairs {
		k, _ := slices.BinarySearchFunc(ends, pairs[i].b, func(e, b int) int { return cmp.Compare(pairs[e].b, b) })
		if before[i] = -1; k > 0 {
			before[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		list = append(list, pairs[i])
	}
	slices.Reverse(list)
	return list
}
