package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// attilaPairs and attilaStates are the sets of ATTILA from which rows are selected: the first two of each mnemonic,
// claim and class, and one of each kind of state case.
var (
	attilaPairs  = []string{"attila-encode", "attila-raw"}
	attilaStates = []string{"attila-ops", "attila-tex", "attila-prog"}
)

func pickAttila(from, to string) error {
	for _, set := range attilaPairs {
		name := filepath.Join("pairs", set+".tsv.gz")
		seen := map[string]int{}
		err := filter(filepath.Join(from, name), filepath.Join(to, name), func(line string) bool {
			col := strings.Split(line, "\t")
			if strings.HasPrefix(line, "#") || len(col) < 6 {
				return strings.HasPrefix(line, "#")
			}
			text := col[3]
			if _, after, ok := strings.Cut(text, ") "); ok {
				text = after
			}
			mnemonic, _, _ := strings.Cut(text, " ")
			class, _, _ := strings.Cut(col[5], ";")
			key := mnemonic + " " + col[4] + " " + class
			seen[key]++
			return seen[key] <= rowsEach
		})
		if err != nil {
			return err
		}
	}
	for _, set := range attilaStates {
		name := filepath.Join("state", set+".jsonl.gz")
		seen := map[string]int{}
		err := filter(filepath.Join(from, name), filepath.Join(to, name), func(line string) bool {
			var c struct{ Name string }
			if json.Unmarshal([]byte(line), &c) != nil {
				return false
			}
			kind := strings.TrimRight(c.Name, "0123456789") // op-add-mod-0023
			seen[kind]++
			return seen[kind] <= casesEach
		})
		if err != nil {
			return err
		}
	}
	return nil
}
