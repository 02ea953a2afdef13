package profiles

import (
	"cmp"
	"slices"
	"strings"
)

// mostSame limits the profiles that are considered for a name.
const mostSame = 64

// pairs returns for each profile before the one after that is of the same kernels, -1: there is none. Those with the
// same set of names belong together, then those with most names in common. One on each side is a pair with any names.
func pairs(before, after []Profile) (list []int) {
	if len(before) == 1 && len(after) == 1 {
		return []int{0}
	}
	same, with := map[string][]int{}, map[string][]int{}
	for k := range after {
		key := after[k].nameKey()
		same[key] = append(same[key], k)
	}
	list = make([]int, len(before))
	taken := make([]bool, len(after))
	for i := range before {
		key := before[i].nameKey()
		if list[i] = -1; len(same[key]) > 0 {
			list[i] = same[key][0]
			same[key], taken[list[i]] = same[key][1:], true
		}
	}
	for k := range after {
		for _, n := range after[k].names() {
			if !taken[k] && len(with[n]) < mostSame {
				with[n] = append(with[n], k)
			}
		}
	}
	for _, x := range alikes(before, after, list, with) {
		if list[x.before] < 0 && !taken[x.after] {
			list[x.before], taken[x.after] = x.after, true
		}
	}
	return list
}

// A candidate is two profiles with names in common.
type candidate struct{ before, after, common, names int }

// alikes returns the candidates among profiles that have no pair, those with most names in common first, then those
// with the fewest others. with has profiles after by name.
func alikes(before, after []Profile, paired []int, with map[string][]int) (list []candidate) {
	for i := range before {
		if paired[i] >= 0 {
			continue
		}
		names, common := before[i].names(), map[int]int{}
		for _, n := range names {
			for _, k := range with[n] {
				common[k]++
			}
		}
		for k, n := range common {
			list = append(list, candidate{i, k, n, len(names) + len(after[k].names())})
		}
	}
	slices.SortFunc(list, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.common, x.common), cmp.Compare(x.names, y.names), cmp.Compare(x.before, y.before), cmp.Compare(x.after, y.after))
	})
	return list
}

// names returns the names of the kernels, each once, in order.
func (p *Profile) names() (list []string) {
	for i := range p.Launches {
		list = append(list, p.Launches[i].Kernel)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// nameKey tells sets of names apart.
func (p *Profile) nameKey() string { return strings.Join(p.names(), "\x00") }
