package profiles

import (
	"cmp"
	"slices"
)

// mostCells limits the table of one alignment; longer parts are first divided where a text occurs once in both.
const mostCells = 1 << 22

// An aligned is two elements of the lists that belong together.
type aligned struct{ a, b int }

// align pairs elements of two lists in their order so that the sum of their likeness is the largest: 3 if texts are
// the same, 2 if keys are, else they are no pair. Parts too long for that, without a text that occurs once, have no
// pairs but at their ends.
func align(a, b []alike) (list []aligned) {
	add := func(i, j int) { list = append(list, aligned{i, j}) }
	var part func(a0, a1, b0, b1 int)
	part = func(a0, a1, b0, b1 int) {
		for a0 < a1 && b0 < b1 && a[a0].text == b[b0].text {
			add(a0, b0)
			a0, b0 = a0+1, b0+1
		}
		for a0 < a1 && b0 < b1 && a[a1-1].text == b[b1-1].text {
			a1, b1 = a1-1, b1-1
			add(a1, b1)
		}
		if a0 == a1 || b0 == b1 {
			return
		}
		if (a1-a0+1)*(b1-b0+1) <= mostCells {
			for _, x := range best(a[a0:a1], b[b0:b1]) {
				add(a0+x.a, b0+x.b)
			}
			return
		}
		anchors := once(a[a0:a1], b[b0:b1])
		if len(anchors) == 0 {
			return
		}
		i, j := a0, b0
		for _, x := range anchors {
			part(i, a0+x.a, j, b0+x.b)
			add(a0+x.a, b0+x.b)
			i, j = a0+x.a+1, b0+x.b+1
		}
		part(i, a1, j, b1)
	}
	part(0, len(a), 0, len(b))
	slices.SortFunc(list, func(x, y aligned) int { return cmp.Compare(x.a, y.a) })
	return list
}

// An alike is what an element of an alignment is compared by.
type alike struct{ text, key string }

func (x *alike) likeness(y *alike) int32 {
	switch {
	case x.text == y.text:
		return 3
	case x.key == y.key:
		return 2
	}
	return 0
}

// best returns the best pairs, by a table of all.
func best(a, b []alike) (list []aligned) {
	w := len(b) + 1
	sum := make([]int32, (len(a)+1)*w) // of what is left from there on
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			most := max(sum[(i+1)*w+j], sum[i*w+j+1])
			if n := a[i].likeness(&b[j]); n > 0 {
				most = max(most, n+sum[(i+1)*w+j+1])
			}
			sum[i*w+j] = most
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		n := a[i].likeness(&b[j])
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
func once(a, b []alike) []aligned {
	count := func(list []alike) map[string]int {
		at := map[string]int{}
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
