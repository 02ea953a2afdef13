package main

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// teslaScenes are the selected scenes.
var teslaScenes = strings.Fields("smooth tex_linear discard")

// teslaNumbers matches numbers of registers, addresses and constants in texts of Tesla.
var teslaNumbers = regexp.MustCompile(`\$(r|a|c|t|s)\d+[lh]?|-?0x[0-9a-f]+|\b(c|g)\d+\[`)

// shapeOf returns a text without its numbers.
func shapeOf(text string) string { return teslaNumbers.ReplaceAllString(text, "$1$2") }

// auditEach is the number of cases selected per group of the set tesla-audit.
const auditEach = 4

// auditKey selects the first cases of each group of tesla-audit, by its names aud-GROUP-NUMBER, and all of
// autoincrement.
func auditKey() func(c *ran) string {
	seen := map[string]int{}
	return func(c *ran) string {
		group := c.Name[:strings.LastIndexByte(c.Name, '-')+1]
		if seen[group]++; seen[group] > auditEach && group != "aud-inc-" {
			return ""
		}
		return c.Name
	}
}

// pickTesla selects of the pairs one row for each form, claim, stage and spelling, of the states one for each shape of
// the first instruction, all programs with results and some of each group of the second model, and some scenes.
func pickTesla(from, to string) error {
	pairs := []struct {
		set string
		key func(col []string) string
	}{
		{"tesla-encdec", func(col []string) string {
			row, _, _ := strings.Cut(col[5], ";")
			return row + " " + col[4] + " " + col[1]
		}},
		{"tesla-invalid", func(col []string) string { // by opcode and layout
			w, err := hex.DecodeString(col[2])
			if err != nil || len(w) < 4 {
				return col[2]
			}
			return col[4] + string([]byte{w[3] >> 4, w[0] & 3, byte(len(w))}) + col[1]
		}},
		{"tesla-programs", func(col []string) string { return col[4] + shapeOf(col[3]) }},
	}
	for _, p := range pairs {
		if err := pickFirst(from, to, p.set, p.key); err != nil {
			return err
		}
	}
	form := func(c *ran) string { return c.Code[1:2] + shapeOf(c.Asm[0]) } // the digit tells the short form
	if err := pickRuns(from, to, "tesla-ops", form, "tesla-programs", "tesla-render"); err != nil {
		return err
	}
	if err := pickRuns(from, to, "tesla-audit", auditKey()); err != nil {
		return err
	}
	for _, name := range teslaScenes {
		if err := copyFolder(filepath.Join(from, "render", "tesla", name), filepath.Join(to, "render", "tesla", name)); err != nil {
			return err
		}
	}
	return nil
}

// pickFirst selects the first row of a set of pairs for each key. A row whose key is "" is omitted.
func pickFirst(from, to, set string, key func(col []string) string) error {
	name, seen := filepath.Join("pairs", set+".tsv.gz"), map[string]bool{}
	return filter(filepath.Join(from, name), filepath.Join(to, name), func(line string) bool {
		col := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(col) < 6 {
			return strings.HasPrefix(line, "#")
		}
		k := key(col)
		first := k != "" && !seen[k]
		seen[k] = true
		return first
	})
}

// A ran is the fields of a state case on which the selection depends.
type ran struct {
	Name  string
	Asm   []string
	Code  string
	Notes string
	Final json.RawMessage
}

// pickRuns selects state cases with results: all of some sets of programs, and of a set of single instructions, ops,
// the first for each key. A case whose key is "" is omitted.
func pickRuns(from, to, ops string, key func(c *ran) string, programs ...string) error {
	for _, set := range append([]string{ops}, programs...) {
		name, seen := filepath.Join("state", set+".jsonl.gz"), map[string]bool{}
		err := filter(filepath.Join(from, name), filepath.Join(to, name), func(line string) bool {
			var c ran
			if json.Unmarshal([]byte(line), &c) != nil || c.Final == nil || len(c.Asm) == 0 {
				return false
			}
			if set != ops {
				return true
			}
			k := key(&c)
			first := k != "" && !seen[k]
			seen[k] = true
			return first
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// copyFolder copies the files of a folder.
func copyFolder(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		if err := write(filepath.Join(to, e.Name()), data); err != nil {
			return err
		}
	}
	return nil
}
