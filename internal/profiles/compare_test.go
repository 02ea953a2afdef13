package profiles

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/browsertest"
	"github.com/heddle-gpu/heddle/profile"
)

// likely returns the largest sum of likeness, by all ways to pair two lists.
func likely(a, b []alike) (most int32) {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	most = max(likely(a[1:], b), likely(a, b[1:]))
	switch x, y := a[0], b[0]; {
	case x.text == y.text:
		most = max(most, 3+likely(a[1:], b[1:]))
	case x.key == y.key:
		most = max(most, 2+likely(a[1:], b[1:]))
	}
	return most
}

// TestAlign: pairs are in order, and their likeness is the most that any have, also if lists are divided for tables.
func TestAlign(t *testing.T) {
	defer func(n int) { mostCells = n }(mostCells)
	r := rand.New(rand.NewPCG(1, 2))
	random := func() (list []alike) {
		for range r.IntN(8) {
			key := fmt.Sprint(r.IntN(3))
			list = append(list, alike{fmt.Sprint(key, r.IntN(2)), key})
		}
		return list
	}
	for i := range 4000 {
		mostCells = []int{1 << 22, 1, 20}[i%3]
		a, b := random(), random()
		got, whole := align(a, b)
		sum, last := int32(0), aligned{-1, -1}
		for _, x := range got {
			if x.a <= last.a || x.b <= last.b {
				t.Fatalf("%v is not in order", got)
			}
			switch last = x; {
			case a[x.a].text == b[x.b].text:
				sum += 3
			case a[x.a].key == b[x.b].key:
				sum += 2
			}
		}
		if want := likely(a, b); sum != want || !whole {
			t.Fatalf("%v and %v: %v has %d, want %d", a, b, got, sum, want)
		}
	}
}

// TestAlignRepeated: long lists without a text that occurs once are aligned; longer ones say that they are not.
func TestAlignRepeated(t *testing.T) {
	defer func(n int) { mostSteps = n }(mostSteps)
	var a, b []alike
	for i := range 3000 {
		a, b = append(a, alike{fmt.Sprint(i % 7), "a"}), append(b, alike{fmt.Sprint((i + 1) % 7), "a"})
	}
	a = append(a, alike{"end", ""}, alike{"end", ""})
	if list, whole := align(a, b); len(list) != 2999 || !whole { // all of the same text, but for the first
		t.Errorf("%d pairs, %v", len(list), whole)
	}
	mostSteps = 1 << 20
	if list, whole := align(a, b); len(list) != 0 || whole {
		t.Errorf("%d pairs, %v", len(list), whole)
	}
	var insts [2][]Inst
	for i, side := range [2][]alike{a, b} {
		for _, x := range side {
			insts[i] = append(insts[i], Inst{Text: x.text, Waves: 1})
		}
	}
	if c := Compare([]Profile{*program(false, "", insts[0]...)}, []Profile{*program(false, "", insts[1]...)}, &Metrics[0])[0]; !strings.HasPrefix(strings.Join(c.Warnings(), ""), "too long") {
		t.Error(c.Warnings())
	}
}

// TestAlignLong: lists too long for a table are divided where texts occur once.
func TestAlignLong(t *testing.T) {
	var a, b []alike
	for i := range 20000 {
		x := alike{fmt.Sprint(i), ""}
		if a = append(a, x); i%1000 != 7 {
			b = append(b, x)
		}
		if i%1000 == 500 {
			b = append(b, alike{"more", ""})
		}
	}
	for i := range a {
		a[i].key = "a" // only texts are alike
	}
	list, whole := align(a, b)
	if len(list) != len(a)-20 || !whole {
		t.Errorf("%d pairs, want %d", len(list), len(a)-20)
	}
	for _, x := range list {
		if a[x.a].text != b[x.b].text {
			t.Fatalf("%v and %v are no pair", a[x.a], b[x.b])
		}
	}
}

// program returns a profile of instructions that ran so often.
func program(compiled bool, source string, list ...Inst) *Profile {
	p := &Profile{ISA: "gcn:gfx8", Launches: []Launches{{Kernel: "k", Count: 1}}, List: list}
	for i := range p.List {
		in := &p.List[i]
		in.Addr, in.Compiled, in.At = uint64(4*i), compiled, positionOf(in.Source)
	}
	if source != "" {
		p.Sources = []Source{{"/src/k.cl", source}}
	}
	return p
}

// TestCompareSource: lines are matched by the text of the source where it has changed, else by their numbers.
func TestCompareSource(t *testing.T) {
	lds := []Use{{Space: "group", Access: profile.Access{Requests: 1, Passes: 64, Free: 2}}}
	before := program(true, "zero\none\ntwo\nthree\nfour", Inst{Source: "/src/k.cl:2:5", Waves: 5}, Inst{Source: "/src/k.cl:3:1", Waves: 7, Memory: lds}, Inst{Source: "/src/k.cl:2:9", Waves: 1}, Inst{Source: "/src/k.cl:4", Waves: 2})
	after := program(true, "more\nzero\none\nTWO\nthree", Inst{Source: "k.cl:3:5", Waves: 2}, Inst{Source: "k.cl:4:1", Waves: 6}, Inst{Source: "k.cl:5", Waves: 2}, Inst{Source: "k.cl:1", Waves: 1})
	after.Sources[0].File = "k.cl"
	got := Compare([]Profile{*before}, []Profile{*after}, &Metrics[0])
	want := []Comparison{{Kernel: "k", Before: "gcn:gfx8", After: "gcn:gfx8", By: bySource,
		Totals: []Change{{"wave_instructions", 15, 11}, {"memory_requests", 1, 0}, {"conflict_passes", 62, 0}},
		List: []Difference{
			{"k.cl:2", "k.cl:3", "one", []Change{{"wave_instructions", 6, 2}}},
			{"k.cl:3", "k.cl:4", "TWO", []Change{{"wave_instructions", 7, 6}, {"memory_requests", 1, 0}, {"conflict_passes", 62, 0}}},
			{"", "k.cl:1", "more", []Change{{"wave_instructions", 0, 1}}},
		}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	before.Sources = nil // by number then
	if got := Compare([]Profile{*before}, []Profile{*after}, &Metrics[0])[0].List[0]; got.Before != "k.cl:2" || got.After != "" || got.Of(&Metrics[0]) != (Change{"wave_instructions", 6, 0}) {
		t.Errorf("%+v", got)
	}
}

// TestCompareText: without lines on both sides, instructions are matched by their texts.
func TestCompareText(t *testing.T) {
	before := program(false, "", Inst{Text: "a v1", Waves: 1}, Inst{Text: "b v1", Waves: 2}, Inst{Text: "c v1", Waves: 4})
	after := program(true, "", Inst{Text: "a v1", Waves: 1}, Inst{Text: "x v1", Waves: 2}, Inst{Text: "b v2", Waves: 5}, Inst{Text: "c v1", Waves: 4})
	got := Compare([]Profile{*before}, []Profile{*after}, &Metrics[0])[0]
	if want := []Difference{{"0x4", "0x8", "b v2", []Change{{"wave_instructions", 2, 5}}}, {"", "0x4", "x v1", []Change{{"wave_instructions", 0, 2}}}}; got.By != byInstruction || !reflect.DeepEqual(got.List, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	other := program(false, "", Inst{Text: "a v1", Waves: 3})
	other.Launches[0].Kernel = "other"
	list := Compare([]Profile{*before, *other}, []Profile{*after}, &Metrics[0])
	if len(list) != 2 || list[0].Kernel != "k" || list[1].Kernel != "other" || list[1].After != "" || list[1].Of(&Metrics[0]) != (Change{"wave_instructions", 3, 0}) {
		t.Errorf("%+v", list)
	}
}

// TestComparedPage: the page of a comparison shows it before the profile, and is no wider than a phone.
func TestComparedPage(t *testing.T) {
	p := heat(t)
	before := *p
	before.List = append([]Inst(nil), p.List...)
	before.at(t, 0x1644).Waves = 9
	before.at(t, 0x1600).Branch = &profile.Branch{Taken: 4, Both: 5000} // a count that is no more
	var out bytes.Buffer
	if err := WriteHTML(&out, []Profile{*p}, Compare([]Profile{before}, []Profile{*p}, &Metrics[0]), &Metrics[0]); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "compared.html")
	if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	b := browsertest.Open(t, file)
	b.Look("compared")
	if got := browsertest.Get[string](b, `[...document.querySelectorAll('.compared tbody tr')].map(e => e.innerText).join(' | ')`); strings.Join(strings.Fields(got), " ") != "30 28 heat.cl:7 wave instructions 30 → 28 | 17 17 heat.cl:13 branches taken 4 → 0, branches diverged 5 000 → 0" {
		t.Errorf("%q", got)
	}
	// A browser restores what was chosen after scripts have run.
	browsertest.Get[bool](b, `(e => { e.value = 'lane_instructions'; window.dispatchEvent(new PageTransitionEvent('pageshow')); return true })(document.getElementById('by'))`)
	b.Is(`document.querySelector('.compared th:nth-child(3)').textContent`, "lane instructions")
	browsertest.Get[bool](b, `(e => { e.value = 'branches_diverged'; e.dispatchEvent(new Event('change')); return true })(document.getElementById('by'))`)
	b.Is(`[...document.querySelectorAll('.compared tr')].map(e => [...e.cells].slice(0, 2).map(c => c.textContent)).join('|')`, "before,after|5 000,0|0,0")
	b.Is(`document.querySelector('.compared th:nth-child(3)').textContent`, "branches diverged")
	if !strings.Contains(browsertest.Get[string](b, `document.querySelector('.compared .tiles').innerText`), "before 113, -1.8 %") {
		t.Error(browsertest.Get[string](b, `document.querySelector('.compared .tiles').innerText`))
	}
}
