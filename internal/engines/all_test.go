package engines

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/ref"
)

// TestLookup: every name returns its engine, or an error that says why there is none and which engines there are.
func TestLookup(t *testing.T) {
	for _, e := range entries() {
		got, err := Lookup(e.Name, Use{})
		switch {
		case err != nil:
			if e.Lacks == nil || e.Lacks() == "" {
				t.Errorf("%s: %v", e.Name, err)
			}
		case got.Name() != e.Name:
			t.Errorf("%s is called %s", e.Name, got.Name())
		}
	}
	const want = `no engine "fast"; there are auto, reference, portable, jit`
	if _, err := Lookup("fast", Use{}); err == nil || err.Error() != want {
		t.Errorf("fast: %v, want %s", err, want)
	}
}

// TestFormer: names of earlier versions are rejected with the name to use instead, and Names does not list them.
func TestFormer(t *testing.T) {
	for _, name := range []string{"segment", "region", "template"} {
		want := fmt.Sprintf("no engine %q: ", name)
		if _, err := Lookup(name, Use{}); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "jit; there are") && !strings.Contains(err.Error(), "called jit now;") {
			t.Errorf("%s: %v", name, err)
		}
		if slices.Contains(Names(), name) {
			t.Errorf("%s is listed", name)
		}
	}
}

// TestTested: tests cover the engines that users can name, from the reference on, and the template mode.
func TestTested(t *testing.T) {
	var names []string
	for _, e := range Tested() {
		names = append(names, e.Name)
		if got := e.New().Name(); got != e.Name {
			t.Errorf("%s is called %s", e.Name, got)
		}
	}
	if want := []string{"reference", "portable", "jit", "template"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// TestLacking: for an engine that this machine cannot run the error names what is missing, and it is not selected.
func TestLacking(t *testing.T) {
	e := Entry{Name: "x", New: ref.New, Lacks: func() string { return "no vectors" }}
	if got := e.ready(); got != "cannot run here: no vectors" {
		t.Errorf("ready is %q", got)
	}
	e.Lacks = func() string { return "" }
	if got := e.ready(); got != "" {
		t.Errorf("with all that it needs: %q", got)
	}
}

// TestFastest: auto is the last engine of the list, and the reference for runs in steps.
func TestFastest(t *testing.T) {
	list := All()
	if list[0].Name != "reference" {
		t.Fatalf("the first engine is %s", list[0].Name)
	}
	for _, c := range []struct {
		use  Use
		want string
	}{{Use{}, list[len(list)-1].Name}, {Use{Stepped: true}, "reference"}} {
		e, err := Lookup(Auto, c.use)
		if err != nil || e.Name() != c.want || Fastest(c.use).Name() != c.want {
			t.Errorf("%+v: %v, %v; want %s", c.use, e, err, c.want)
		}
	}
}
