package main

import (
	"fmt"
	"regexp"
	"strings"
)

// valhallNumbers matches numbers of registers, uniform words, constants and immediates in texts of Valhall.
var valhallNumbers = regexp.MustCompile(`\b(r|u)\d+|0x[0-9A-F]+|offset:-?\d+`)

// valhallShape returns a text without its numbers.
func valhallShape(text string) string { return valhallNumbers.ReplaceAllString(text, "$1") }

// mnemonic returns the start of a text, with the type of the instruction but without modifiers.
func mnemonic(text string) string {
	head, _, _ := strings.Cut(text, " ")
	parts := strings.SplitN(head, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// pickValhall selects of random words some of each instruction, of words of programs one of each shape, and all about
// the uniform RAM; of states one for each shape of the first instruction, and all programs with results.
func pickValhall(from, to string) error {
	met := map[string]int{}
	nth := func(key string, most int) string { // returns distinct keys for the first most calls
		met[key] = min(met[key]+1, most)
		return fmt.Sprint(key, met[key])
	}
	pairs := []struct {
		set string
		key func(col []string) string
	}{
		{"valhall-words", func(col []string) string { return col[4] + nth(mnemonic(col[3]), 8) }},
		{"valhall-programs", func(col []string) string { return col[4] + valhallShape(col[3]) }},
		{"valhall-fau", func(col []string) string { return col[2] + col[3] }},
	}
	for _, p := range pairs {
		if err := pickFirst(from, to, p.set, p.key); err != nil {
			return err
		}
	}
	each := func(c *ran) string {
		head, _, _ := strings.Cut(c.Asm[0], " ")
		return nth(head, rowsEach)
	}
	if err := pickRuns(from, to, "valhall-ops", each, "valhall-unit", "valhall-compiled", "valhall-kraid"); err != nil {
		return err
	}
	return pickRuns(from, to, "valhall-audit", func(c *ran) string {
		return nth(c.Name[:max(strings.LastIndexByte(c.Name, '_'), 0)], auditEach)
	})
}
