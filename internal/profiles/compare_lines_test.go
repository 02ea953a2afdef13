package profiles

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestCompareFiles: files of one name are those of their paths; a name alone tells them where it is the only one.
func TestCompareFiles(t *testing.T) {
	list := func(files ...string) []Profile {
		p := program(true, "")
		for i, f := range files {
			p.List = append(p.List, Inst{Source: f + ":1", At: positionOf(f + ":1"), Compiled: true, Waves: uint64(i + 1), Addr: uint64(i)})
		}
		return []Profile{*p}
	}
	for _, c := range []struct {
		before, after []Profile
		want          string
	}{
		{list("/a/k.cl", "/b/k.cl"), list("/b/k.cl", "/a/k.cl"), "/b/k.cl:1 2 → 1, /a/k.cl:1 1 → 2"},
		{list("/a/k.cl", "/b/k.cl"), list("/c/k.cl", "/b/k.cl"), "/c/k.cl:1 (new) 0 → 1, /a/k.cl:1 (gone) 1 → 0"},
		{list("/old/k.cl", "/old/h.cl"), list("/new/h.cl", "/new/k.cl"), "h.cl:1 2 → 1, k.cl:1 1 → 2"},
	} {
		var got []string
		for _, d := range Compare(c.before, c.after, &Metrics[0])[0].List {
			got = append(got, fmt.Sprint(d.Place(), " ", d.Of(&Metrics[0])))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestCompareManyLines: the text of the source is divided into lines once.
func TestCompareManyLines(t *testing.T) {
	var insts []Inst
	for i := range 30000 {
		insts = append(insts, Inst{Source: fmt.Sprintf("/src/k.cl:%d", i+1), Waves: 1})
	}
	p := program(true, strings.Repeat("x\n", 30000), insts...)
	start := time.Now()
	got := Compare([]Profile{*p}, []Profile{*p}, &Metrics[0])
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if len(got) != 1 || !reflect.DeepEqual(got[0].List, []Difference{}) {
		t.Errorf("%+v", got)
	}
}
