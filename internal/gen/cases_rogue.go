package main

import "regexp"

// rogueNumbers are those of registers, constants, branches and outputs in texts of Rogue.
var rogueNumbers = regexp.MustCompile(`\b(r|vi|cf|cfa|sh|sr|vo|block|drc)\[?\d+(\.\.\d+\])?|\b\d+\b`)

// rogueShape is a text without its numbers.
func rogueShape(text string) string { return rogueNumbers.ReplaceAllString(text, "$1") }

// pickRogue picks of the random groups the first of each kind and length, of those with text one of each shape and padding.
func pickRogue(from, to string) error {
	pairs := []struct {
		set string
		key func(col []string) string
	}{
		{"rogue-groups", func(col []string) string { return col[5] + " " + col[2][1:2] }},
		{"rogue-mesa24", func(col []string) string { return col[4] + rogueShape(col[3]) }},
	}
	for _, p := range pairs {
		if err := pickFirst(from, to, p.set, p.key); err != nil {
			return err
		}
	}
	return nil
}
