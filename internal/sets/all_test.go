package sets

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
		{"gcn:gfx9", `gfx9 is GCN 5: not one of heddle's generations; the nearest is gcn:gfx8`},
		{"gfx900", `gfx900 is GCN 5: not one of heddle's generations; the nearest is gcn:gfx8`},
		{"gcn:gfx1030", `gfx1030 is RDNA 2: not one`},
		{"gfx1010", `gfx1010 is RDNA 1: not one`},
		{"gfx1100", `gfx1100 is RDNA 3: not one`},
		{"gfx1201", `gfx1201 is RDNA 4: not one`},
		{"gfx90a", `gfx90a is CDNA`},
		{"sm_86", `sm_86 is NVIDIA Ampere: not one`},
		{"sm_120", `sm_120 is NVIDIA Blackwell: not one`},
		{"sm_12", `sm_12 is NVIDIA Tesla by its compute capability`},
		{"Mali-G52", `Mali-G52 is Mali Bifrost: not one of heddle's generations; the nearest is valhall:v9`},
		{"v15", `v15 is Mali of architecture 15, whose words are all laid out anew (docs/reference/valhall.md 15): not one of heddle's generations; the nearest is valhall:v14`},
		{"valhall:v15", `v15 is Mali of architecture 15, whose words are all laid out anew (docs/reference/valhall.md 15): not one`},
		{"Mali-G2", `Mali-G2 is Mali of architecture 15`},
		{"valhall:mali-g2-ultra", `mali-g2-ultra is Mali of architecture 15`},
		{"mali-t860", `mali-t860 is Mali Midgard: not one`},
		{"sgx543", `sgx543 is PowerVR SGX or MBX, which came before Rogue: not one`},
		{"gcn:x", `gcn has no variant "x"`},
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

// TestForeignNames: a name that begins like another is what it is itself.
func TestForeignNames(t *testing.T) {
	for name, want := range map[string]string{
		"compute_10": "Tesla by", "compute_12": "Tesla by", "compute_100": "Blackwell", "compute_103": "Blackwell", "compute_110": "Blackwell",
		"compute_121": "Blackwell", "sm_12": "Tesla by", "sm_120": "Blackwell", "sm_103a": "Blackwell", "sm_86": "Ampere", "sm_88": "Ampere",
		"sm_89": "Ada", "sm_90a": "Hopper", "sm_72": "Volta", "gv11b": "Volta", "nvd9": "Fermi", "nve4": "Kepler", "gfx90c": "GCN 5",
		"gfx90a": "CDNA", "gfx1013": "RDNA 1", "gfx1036": "RDNA 2", "gfx1103": "RDNA 3:", "gfx1151": "RDNA 3.5", "gfx1201": "RDNA 4",
		"gfx1250": "gfx12 family", "mali-g31": "Bifrost", "valhall15": "architecture 15",
		"axe": "Rogue's line", "ge7800": "Rogue's line",
	} {
		if text := foreignTo(name); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %s", name, text, want)
		}
	}
}

// TestForeign: no name of the table is one that is known here.
func TestForeign(t *testing.T) {
	for _, f := range foreign {
		for _, name := range strings.Fields(f.names) {
			if s, err := Lookup(name); err == nil {
				t.Errorf("%s is %s", name, s)
			}
			if foreignTo(name) == "" {
				t.Errorf("%s is not foreign", name)
			}
		}
	}
	for _, e := range Entries() {
		for _, v := range e.Set().Variants {
			for _, name := range append([]string{v.Name}, v.Aliases...) {
				if text := foreignTo(name); text != "" {
					t.Error(text)
				}
			}
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
