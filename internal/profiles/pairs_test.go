package profiles

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// named returns a profile of kernels.
func named(names string) Profile {
	p := program(false, "", Inst{Text: "a", Waves: 1})
	p.Launches = nil
	for _, n := range strings.Fields(names) {
		p.Launches = append(p.Launches, Launches{Kernel: n, Count: 1})
	}
	return *p
}

// TestPairs: codes are compared with those of the same set of names, else of most of them.
func TestPairs(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a b|c", "c|b a", "[1 0]"},
		{"a|b", "x|a", "[1 -1]"},
		{"a x|a b c|q", "a b c d|a y", "[1 0 -1]"},
		{"a b|a", "a|a b c", "[1 0]"},
		{"k|k", "k|k", "[0 1]"},
		{"old", "new", "[0]"},
		{"old", "new|newer", "[-1]"},
	} {
		var side [2][]Profile
		for i, names := range []string{c.before, c.after} {
			for _, n := range strings.Split(names, "|") {
				side[i] = append(side[i], named(n))
			}
		}
		if got := fmt.Sprint(pairs(side[0], side[1])); got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.before, c.after, got, c.want)
		}
	}
	for names, want := range map[[2]string]string{{"old", "new"}: "old → new", {"a b", "b a"}: "b, a"} {
		if got := Compare([]Profile{named(names[0])}, []Profile{named(names[1])}, &Metrics[0]); got[0].Names() != want {
			t.Errorf("%s, want %s", got[0].Names(), want)
		}
	}
}

// TestCompareIncomplete: a comparison says on which side counts are missing.
func TestCompareIncomplete(t *testing.T) {
	before, after := []Profile{named("k")}, []Profile{named("k")}
	before[0].Incomplete, after[0].Incomplete = "too much", "a fault"
	list := Compare(before, after, &Metrics[0])
	var out bytes.Buffer
	text := written(t, WriteHTML(&out, after, list, &Metrics[0]), &out)
	if list[0].BeforeIncomplete != "too much" || list[0].AfterIncomplete != "a fault" || !strings.Contains(text, "<span class=bad>before is incomplete: too much</span><span class=bad>after is incomplete: a fault</span>") {
		t.Errorf("%+v", list[0])
	}
}
