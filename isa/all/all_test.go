package all

import (
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
		}
	}
}

func TestLookupErrors(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"gnc", `no instruction set "gnc"; gcn is the nearest name`},
		{"gfx804", `no instruction set "gfx804"; gfx80`},
		{"gcn:gfx9", `gcn has no variant "gfx9"; gfx`},
		{"", `no instruction set ""; there are gcn, valhall, tesla, rogue, attila`},
		{"gfx803:x", `no instruction set "gfx803:x"; there are gcn, valhall`},
		{"rogue:x", `rogue has no variant "x"`},
	} {
		_, err := Lookup(c.name)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestSetsAreNamedAsListed(t *testing.T) {
	for _, e := range Entries() {
		if e.Set().Name != e.Name {
			t.Errorf("%s is listed as %s", e.Set().Name, e.Name)
		}
	}
	if n := len(Entries()); n != len(Sets()) {
		t.Errorf("%d sets, %d entries", len(Sets()), n)
	}
}
