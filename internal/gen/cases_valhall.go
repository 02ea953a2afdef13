package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// valhallNumbers are those of registers, uniform words, constants and immediates in texts of Valhall.
var valhallNumbers = regexp.MustCompile(`\b(r|u)\d+|0x[0-9A-F]+|offset:-?\d+`)

// valhallShape is a text without its numbers.
func valhallShape(text string) string { return valhallNumbers.ReplaceAllString(text, "$1") }

// mnemonic is the start of a text, with the type of the instruction but without modifiers.
func mnemonic(text string) string {
	head, _, _ := strings.Cut(text, " ")
	parts := strings.SplitN(head, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// pickValhall picks of the random words some of each instruction, of those of programs one of each shape, all that are about the
// uniform RAM; of the states one of each shape of the first instruction, and all programs with results.
func pickValhall(from, to string) error {
	each := map[string]int{}
	nth := func(key string, most int) string { // another key for each of the first ones
		each[key] = min(each[key]+1, most)
		return fmt.Sprint(key, each[key])
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
	for _, set := range []string{"valhall-ops", "valhall-unit", "valhall-compiled"} {
		name, seen := filepath.Join("state", set+".jsonl.gz"), map[string]bool{}
		err := filter(filepath.Join(from, name), filepath.Join(to, name), func(line string) bool {
			var c struct {
				Asm   []string
				Final json.RawMessage
			}
			if json.Unmarshal([]byte(line), &c) != nil || c.Final == nil || len(c.Asm) == 0 {
				return false
			}
			if set != "valhall-ops" {
				return true
			}
			key := nth(c.Asm[0][:strings.IndexByte(c.Asm[0]+" ", ' ')], rowsEach)
			first := !seen[key]
			seen[key] = true
			return first
		})
		if err != nil {
			return err
		}
	}
	return nil
}
