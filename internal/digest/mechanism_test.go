package digest

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func digestOf(t *testing.T, dump string, items ...string) *digester {
	t.Helper()
	d, err := newDigester(dump, "a/b x:y text")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range items {
		d.add(s)
	}
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestRecords: a record is read back from its line; an invalid line is an error.
func TestRecords(t *testing.T) {
	r := digestOf(t, "", "one", "two", "three").record("a/b x:y text", "1234")
	list, err := parseRecords(head + r.line())
	if err != nil || !reflect.DeepEqual(list, map[string]record{r.name: r}) {
		t.Errorf("got %v, %v; want %v", list, err, r)
	}
	for _, bad := range []string{"a\tb\t1\tc", "a\tb\tx\tc\td", r.line() + r.line()} {
		if _, err := parseRecords(bad); err == nil {
			t.Errorf("%q is taken for records", bad)
		}
	}
}

// TestDiffers: a change of one item of many is located to a part of the items, for any item; items that are reordered,
// lost or added are a difference, too.
func TestDiffers(t *testing.T) {
	items := make([]string, 1000)
	for i := range items {
		items[i] = fmt.Sprintf("item %d", i)
	}
	want := digestOf(t, "", items...).record("n", "")
	for _, at := range []int{0, 1, 41, 42, 500, 998, 999} {
		changed := append([]string{}, items...)
		changed[at] += "!"
		what := digestOf(t, "", changed...).differs(want)
		var from, to, all int
		if _, err := fmt.Sscanf(what, "the first difference is among items %d to %d of %d:", &from, &to, &all); err != nil || at < from || at > to || to-from > 1000/maxChunks || all != 1000 {
			t.Errorf("item %d: %s", at, what)
		}
	}
	swapped := append([]string{}, items...)
	swapped[3], swapped[4] = items[4], items[3]
	for name, c := range map[string]struct {
		items []string
		want  string
	}{
		"swapped": {swapped, "among items 0 to 40"},
		"lost":    {items[:999], "999 items, 1000 were recorded"},
		"added":   {append(swapped[:1000:1000], "x"), "1001 items"},
		"same":    {items, ""},
	} {
		if what := digestOf(t, "", c.items...).differs(want); what == "" != (c.want == "") || !strings.Contains(what, c.want) {
			t.Errorf("%s: %q, want %q", name, what, c.want)
		}
	}
}

// TestCompare: a record of other files is skipped outside the repository, and an error inside.
func TestCompare(t *testing.T) {
	d := digestOf(t, "", "new")
	for _, c := range []struct{ name, inputs, recorded, want string }{
		{"cases/a x:y text", "1", "old", "the first difference"},
		{"cases/a x:y text", "1", "new", ""},
		{"cases/a x:y text", "2", "new", "the files of the set have changed"},
		{"full/a x:y text", "1", "old", "the first difference"},
		{"full/a x:y text", "2", "old", ""},
		{"full/b x:y text", "1", "new", "not recorded"},
	} {
		recorded := map[string]record{}
		for _, name := range []string{"cases/a x:y text", "full/a x:y text"} {
			recorded[name] = digestOf(t, "", c.recorded).record(name, "1")
		}
		if what := compare(recorded, d.record(c.name, c.inputs), d); what == "" != (c.want == "") || !strings.Contains(what, c.want) {
			t.Errorf("%+v: %q", c, what)
		}
	}
}

// TestDump: the items are written if requested.
func TestDump(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dump")
	digestOf(t, dir, "one", "two")
	if b, err := os.ReadFile(filepath.Join(dir, "a_b_x_y_text.txt")); err != nil || string(b) != "one\ntwo\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestInputs: the digest of input files depends on their contents and names.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	sum := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := inputsOf([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a := sum("a", "x")
	if a != sum("a", "x") || a == sum("a", "y") || a == sum("b", "x") {
		t.Error("inputs are told apart wrongly")
	}
	if _, err := inputsOf([]string{filepath.Join(dir, "none")}); err == nil {
		t.Error("a file that is not there has a digest")
	}
}
