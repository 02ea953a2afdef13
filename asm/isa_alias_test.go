package asm

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
)

// TestISANames: .isa accepts the names that --isa accepts: a set with a variant, a set, and a variant alone.
func TestISANames(t *testing.T) {
	for _, c := range []struct{ set, name, want string }{
		{"gcn", "gfx7", "gcn:gfx7"}, {"gcn", "gfx803", "gcn:gfx8"}, {"gcn", "GFX6", "gcn:gfx6"}, {"gcn", "GCN:gfx7", "gcn:gfx7"}, {"gcn", "gcn", "gcn:gfx8"},
		{"gcn", "fiji", "gcn:gfx8"}, {"tesla", "g200", "tesla:g200 cp"}, {"valhall", "v9", "valhall:v9"}, {"gcn", "g200", ""}, {"gcn", "gfx7:gfx8", ""}, {"tesla", "gfx8", ""},
	} {
		tg, err := sets.Lookup(c.set)
		if err != nil {
			t.Fatal(err)
		}
		text := []byte("\t.isa " + c.name + "\n")
		r, errs := Assemble(tg, text, Options{})
		if c.want == "" {
			if len(errs) == 0 {
				t.Errorf("%s: .isa %s is taken", c.set, c.name)
			}
			continue
		}
		if len(errs) > 0 || r.Target.String() != c.want {
			t.Errorf("%s: .isa %s: %v, %v; want %s", c.set, c.name, r.Target, errs, c.want)
			continue
		}
		o := NewOutline(tg, nil, append(text, "\tx\n"...))
		if got := o.Target(len(o.Pieces) - 1).String(); got != c.want {
			t.Errorf("%s: the outline takes .isa %s for %s, want %s", c.set, c.name, got, c.want)
		}
	}
}
