package all

import (
	"errors"
	"strings"
	"testing"
)

func TestLookup(t *testing.T) {
	for _, c := range []struct{ name, variant string }{
		{"gcn", "gfx8"}, {"gcn:gfx8", "gfx8"}, {"GCN:GFX8", "gfx8"}, {"gfx803", "gfx8"}, {"fiji", "gfx8"},
		{"gcn:fiji", "gfx8"}, {"gcn:", "gfx8"}, {"gfx700", "gfx7"}, {"gcn:tahiti", "gfx6"},
	} {
		s, err := Lookup(c.name)
		if s == nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := s.Variants[s.Variant]; s.Name != "gcn" || got.Name != c.variant {
			t.Errorf("%s: %s:%s, want gcn:%s", c.name, s.Name, got.Name, c.variant)
		} else if (got.Lacks != "") != errors.Is(err, ErrNotBuilt) {
			t.Errorf("%s: lacks %q, but error %v", c.name, got.Lacks, err)
		}
	}
}

func TestLookupErrors(t *testing.T) {
	for _, c := range []struct {
		name, want string
		notBuilt   bool
	}{
		{"gnc", `no instruction set "gnc"; gcn is the nearest name`, false},
		{"gfx804", `no instruction set "gfx804"; gfx80`, false},
		{"gcn:gfx9", `gcn has no variant "gfx9"; gfx`, false},
		{"", `no instruction set ""; there are gcn, valhall, tesla, rogue, attila`, false},
		{"gfx803:x", `no instruction set "gfx803:x"; there are gcn, valhall`, false},
		{"rogue:x", `rogue has no variant "x"`, false},
	} {
		_, err := Lookup(c.name)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || errors.Is(err, ErrNotBuilt) != c.notBuilt {
			t.Errorf("%q: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestSetsAreNamedAsListed(t *testing.T) {
	n := 0
	for _, e := range Entries() {
		if e.Set == nil {
			continue
		}
		if n++; e.Set().Name != e.Name {
			t.Errorf("%s is listed as %s", e.Set().Name, e.Name)
		}
	}
	if n != len(Sets()) {
		t.Errorf("%d sets, %d entries have one", len(Sets()), n)
	}
}
