package dap

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/google/go-dap"

	"github.com/heddle-gpu/heddle/debug"
)

// countScopes returns the scopes of counts: of lines of the source that the frame is in, if it is in one, and of
// instructions of its code, those that ran most first.
func (s *session) countScopes(at *debug.Scope) (list []dap.Scope) {
	if p := at.Code.Place(at.PC).Position(); p.Known() {
		lines := s.run.LineCounts(at.Code, p.File)
		items := countItems(lines, func(line int) string { return fmt.Sprintf("%s:%d", p.File, line) })
		list = append(list, dap.Scope{Name: "Counts of lines", VariablesReference: s.refer(listed(items)), NamedVariables: len(items), Expensive: true})
	}
	items := countItems(s.run.Counts(at.Code), func(pc uint64) string {
		return fmt.Sprintf("%#x %s", at.Code.Place(pc).Addr, at.Code.Text(pc))
	})
	return append(list, dap.Scope{Name: "Counts of instructions", VariablesReference: s.refer(listed(items)), NamedVariables: len(items), Expensive: true})
}

// countItems returns counts as variables, the largest first.
func countItems[K cmp.Ordered](counts map[K]debug.Count, name func(K) string) (list []item) {
	keys := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(keys, func(a, b K) int { return cmp.Compare(counts[b].Waves, counts[a].Waves) })
	for _, k := range keys {
		list = append(list, item{Variable: dap.Variable{Name: name(k), Value: counts[k].String()}})
	}
	return list
}

// listed holds a list of items.
func listed(list []item) holder {
	return func(start, count int) ([]item, error) {
		from, to := window(len(list), start, count)
		return list[from:to], nil
	}
}
