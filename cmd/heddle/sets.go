package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/all"
	"github.com/heddle-gpu/heddle/object"
)

// A target is an instruction set, variant and stage as the command line names them.
type target struct {
	set            *isa.Set
	variant, stage int
}

// find is the target of an ISA name and a stage; hint, if given, says what would do instead of a name.
func find(name, stage, hint string) (t target, err error) {
	if name == "" {
		return t, fmt.Errorf("--isa is missing%s; one of %s", hint, strings.Join(isaNames(), ", "))
	}
	if t.set, t.variant, err = all.Lookup(name); err != nil {
		return t, err
	}
	var ok bool
	if t.stage, ok = t.set.Arch.Stage(stage); !ok {
		what := "it decodes alike in every stage"
		if len(t.set.Stages) > 0 {
			what = "want one of " + strings.Join(t.set.Stages, ", ")
		}
		return t, fmt.Errorf("--stage %s: no stage of %s; %s", stage, t.set.Name, what)
	}
	return t, nil
}

// findFor is find for the code of an HSA code object, which names its own instruction set: another one is refused.
func findFor(o *object.CodeObject, file, name, stage string) (t target, err error) {
	if name == "" {
		name = o.Target
	}
	if t, err = find(name, stage, ""); err != nil {
		return t, fmt.Errorf("%s: %w", file, err)
	}
	if own, err := find(o.Target, "", ""); err == nil && own.set != t.set {
		return t, fmt.Errorf("%s: holds code of %s, not of %s; --raw takes the file as bare code", file, o.Target, t.set.Name)
	}
	return t, nil
}

func isaNames() (names []string) {
	for _, s := range all.Sets() {
		for _, v := range s.Variants {
			names = append(names, s.Name+":"+v.Name)
		}
	}
	return names
}

// mode is a mode register for lifting: as given in hexadecimal, or what the set's programs begin with.
func (t target) mode(text string) (uint32, error) {
	if text != "" {
		v, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 32)
		if err != nil {
			return 0, fmt.Errorf("--mode %s: want hexadecimal digits", text)
		}
		return uint32(v), nil
	}
	return eval.StartMode(t.set, t.variant), nil
}

// unhex reads hexadecimal digits.
func unhex(s string) ([]byte, error) {
	b, ok := manual.Hex(s)
	if !ok {
		return nil, fmt.Errorf("%q: want pairs of hexadecimal digits", s)
	}
	return b, nil
}
