package main

import (
	"fmt"
	"regexp"
)

// rogueNumbers matches numbers of registers, constants, branches and outputs in texts of Rogue.
var rogueNumbers = regexp.MustCompile(`\b(r|vi|cf|cfa|sh|sr|vo|block|drc)\[?\d+(\.\.\d+\])?|\b\d+\b`)

// rogueShape returns a text without its numbers.
func rogueShape(text string) string { return rogueNumbers.ReplaceAllString(text, "$1") }

// rogueNumber matches the number that distinguishes the state cases of one instruction.
var rogueNumber = regexp.MustCompile(`-\d+$`)

// pickRogue selects the first random group of each kind and length, of groups with text one of each shape and padding,
// of states some of each instruction and of each group of the second model, and all programs with results.
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
	met := map[string]int{}
	each := func(c *ran) string {
		key := rogueNumber.ReplaceAllString(c.Name, "")
		met[key]++
		return fmt.Sprint(key, min(met[key], rogueEach))
	}
	if err := pickRuns(from, to, "rogue-audit", each); err != nil {
		return err
	}
	return pickRuns(from, to, "rogue-ops", each, "rogue-compiled", "rogue-programs")
}

// rogueEach is the number of state cases selected per instruction or group.
const rogueEach = 4
