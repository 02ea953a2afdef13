package main

import (
	"bufio"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

// countCases counts the state cases of the repository that run each mnemonic of a set.
func countCases(root string, s *isa.Set) (manual.CaseCount, error) {
	files, err := filepath.Glob(filepath.Join(root, "cases", "state", s.Name+"-*.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	counts := manual.CaseCount{}
	for _, f := range files {
		if err := countFile(f, s, counts); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// countFile adds the cases of a file. A mnemonic counts once a case.
func countFile(path string, s *isa.Set, counts manual.CaseCount) error {
	f, err := object.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var c struct {
			Variant string
			Asm     []string
			Final   json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return err
		}
		if c.Final == nil {
			continue
		}
		v, _ := s.Arch.Variant(c.Variant) // a name that is not one of the set's is a mode of its first
		seen, variant := map[string]bool{}, s.Variants[v].Name
		for _, text := range c.Asm {
			for _, w := range strings.Fields(text)[:1] {
				if name := manual.PlainName(s, w); !seen[name] {
					seen[name] = true
					if counts[name] == nil {
						counts[name] = map[string]int{}
					}
					counts[name][variant]++
				}
			}
		}
	}
	return lines.Err()
}
