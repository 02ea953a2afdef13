package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
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

// countFile adds the cases of a file. An instruction counts once per case.
func countFile(path string, s *isa.Set, name func(d *isa.Def) manual.Instruction, counts manual.CaseCount) error {
	f, err := casefile.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for c, err := range casefile.States(f, path) {
		if err != nil {
			return err
		}
		if c.Final == nil {
			continue
		}
		v, _ := s.Arch.Variant(c.Variant) // a name that the set does not have is a mode of its first variant
		at := manual.Place{Variant: v}
		if n, ok := s.Arch.Stage(c.Stage); ok {
			at.Stage = n
		}
		met, err := instructions(s.At(at.Variant, at.Stage), c, name)
		if err != nil {
			return err
		}
		for n := range met {
			if counts[n] == nil {
				counts[n] = map[manual.Place]int{}
			}
			counts[n][at]++
		}
	}
	return nil
}

// instructions returns the instructions of a case's code, up to where it stops decoding, because data may follow; or of
// its text, if it has no code.
func instructions(t *isa.Target, c *casefile.StateCase, name func(d *isa.Def) manual.Instruction) (map[manual.Instruction]bool, error) {
	seen := map[manual.Instruction]bool{}
	if c.Code == nil {
		list, err := bundles(t, c)
		for i := range list {
			for j := range list[i].Parts {
				seen[name(list[i].Parts[j].Def)] = true
			}
		}
		return seen, err
	}
	var b isa.Bundle
	for at := 0; at < len(c.Code); at += b.Size() {
		if t.DecodeBundle(c.Code[at:], uint64(at), &b) != nil {
			break
		}
		for i := range b.Parts {
			seen[name(b.Parts[i].Def)] = true
		}
	}
	return seen, nil
}

// bundles returns the bundles of a case that is text only, because its encoding is not public.
func bundles(t *isa.Target, c *casefile.StateCase) ([]isa.Bundle, error) {
	if c.Syntax != "" {
		dialect, ok := t.Arch.Dialect(c.Syntax)
		if !ok {
			return nil, fmt.Errorf("%s: a syntax that is not known: %s", c.Name, c.Syntax)
		}
		var err error
		if t, err = t.With(dialect, nil); err != nil {
			return nil, err
		}
	}
	r, errs := asm.Assemble(t, []byte(strings.Join(c.Asm, "\n")), asm.Options{File: c.Name, TextOnly: true, NoLines: true})
	if len(errs) > 0 {
		return nil, fmt.Errorf("%s: %w", c.Name, errs[0])
	}
	return r.Bundles, nil
}
