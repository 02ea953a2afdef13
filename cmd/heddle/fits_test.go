package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestFits: the table has a row for each flag of each command, and no others.
func TestFits(t *testing.T) {
	parser, err := kong.New(&cli{}, kong.Name("heddle"), helpVars())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range parser.Model.Children {
		f, ok := fits[c.Name]
		if !ok {
			t.Errorf("fits has no row of %s: say which of its flags go with which kind of input", c.Name)
			continue
		}
		seen := map[string]bool{}
		for _, flag := range c.Flags {
			seen[flag.Name] = true
			of := f.of(flag.Name)
			if of == "" {
				t.Errorf("%s: say in fits with which kinds of input --%s goes", c.Name, flag.Name)
			}
			for _, letter := range []byte(strings.Trim(of, every)) {
				if !slices.ContainsFunc(f.all(), func(k fitKind) bool { return k.letter == letter }) {
					t.Errorf("%s --%s: there is no kind %q", c.Name, flag.Name, letter)
				}
			}
		}
		for name := range f.flags {
			if !seen[name] {
				t.Errorf("%s has no flag --%s", c.Name, name)
			}
		}
		for _, n := range needed {
			for _, name := range strings.Fields(n.flag + " " + n.with + " " + n.without) {
				if n.command == c.Name && !seen[name] && !(name == "check" && c.Name == "check") {
					t.Errorf("needed: %s has no flag --%s", c.Name, name)
				}
			}
		}
	}
	for name := range fits {
		if !slices.ContainsFunc(parser.Model.Children, func(n *kong.Node) bool { return n.Name == name }) {
			t.Errorf("fits: there is no command %s", name)
		}
	}
}
