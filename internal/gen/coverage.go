package main

import (
	"path/filepath"

	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

// countCases counts the state cases of the repository that run each instruction of a set.
func countCases(root string, s *isa.Set) (manual.CaseCount, error) {
	files, err := filepath.Glob(filepath.Join(root, "cases", "state", s.Name+"-*.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	counts, name := manual.CaseCount{}, manual.Instructions(s)
	for _, f := range files {
		if err := countFile(f, s, name, counts); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// countFile adds the cases of a file. An instruction counts once a case.
func countFile(path string, s *isa.Set, name func(d *isa.Def) manual.Instruction, counts manual.CaseCount) error {
	f, err := object.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for c, err := range object.States(f, path) {
		if err != nil {
			return err
		}
		if c.Final == nil {
			continue
		}
		v, _ := s.Arch.Variant(c.Variant) // a name that is not one of the set's is a mode of its first
		at := manual.Place{Variant: v}
		if n, ok := s.Arch.Stage(c.Stage); ok {
			at.Stage = n
		}
		for n := range instructions(s.At(at.Variant, at.Stage), c, name) {
			if counts[n] == nil {
				counts[n] = map[manual.Place]int{}
			}
			counts[n][at]++
		}
	}
	return nil
}

// instructions are those of a case's code, as far as it decodes: data may stand behind it.
func instructions(t *isa.Target, c *object.StateCase, name func(d *isa.Def) manual.Instruction) map[manual.Instruction]bool {
	seen := map[manual.Instruction]bool{}
	var b isa.Bundle
	for at := 0; at < len(c.Code); at += b.Size() {
		if t.DecodeBundle(c.Code[at:], uint64(at), &b) != nil {
			break
		}
		for i := range b.Parts {
			seen[name(b.Parts[i].Def)] = true
		}
	}
	return seen
}
