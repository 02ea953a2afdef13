package main

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

// find returns the target of an ISA name and a stage; hint, if given, is the remedy for a missing name.
func find(name, stage, hint string) (*isa.Target, error) {
	if name == "" {
		return nil, fmt.Errorf("--isa is missing%s; one of %s", hint, strings.Join(isaNames(), ", "))
	}
	t, err := sets.Lookup(name)
	if err != nil {
		return nil, err
	}
	st, ok := t.Arch.Stage(stage)
	if !ok {
		what := "it decodes alike in every stage"
		if len(t.Stages) > 0 {
			what = "want one of " + strings.Join(t.Stages, ", ")
		}
		return nil, fmt.Errorf("--stage %s: no stage of %s; %s", stage, t.Name, what)
	}
	return t.Move(t.Variant, st).AskedBy(name, stage), nil
}

// A Style is the flags for the dialect and options of an instruction set.
type Style struct {
	Dialect string   `aliases:"syntax" placeholder:"NAME" help:"Style of the text, where there are several: llvm or clrx of gcn; envydis or seed of tesla; pco, seed or mesa24 of rogue; mesa24, mesa26 or kraid of valhall. A .dialect line says so in a file."`
	Option  []string `sep:"none" placeholder:"NAME=VALUE" help:"A choice of the instruction set where sources are silent, such as fmad=unfused of rogue; docs/reference lists them. A .option line says so in a file."`
}

// of returns the target with the dialect and options; the first of each by default.
func (y *Style) of(t *isa.Target) (*isa.Target, error) {
	d := t.Dialect
	if y.Dialect != "" {
		var ok bool
		if d, ok = t.Arch.Dialect(y.Dialect); !ok && len(t.Dialects) == 0 {
			return nil, fmt.Errorf("--dialect %s: %s has one style of text", y.Dialect, t.Name)
		} else if !ok {
			return nil, fmt.Errorf("--dialect %s: no dialect of %s; want one of %s", y.Dialect, t.Name, strings.Join(t.Dialects, ", "))
		}
	}
	options := map[string]string{}
	for _, o := range y.Option {
		name, value, ok := strings.Cut(o, "=")
		if !ok {
			return nil, fmt.Errorf("--option %s: want NAME=VALUE", o)
		}
		options[name] = value
	}
	return t.With(d, options)
}

// printed is of for printed text: some dialects can only be read.
func (y *Style) printed(t *isa.Target) (*isa.Target, error) {
	t, err := y.of(t)
	if err == nil && t.Dialect != 0 && !t.PrintsDialects() {
		return nil, fmt.Errorf("--dialect %s: %s is read in this style, and printed as %s", y.Dialect, t.Name, t.Dialects[0])
	}
	return t, err
}

// findFor is find for the code of an HSA code object, which names its own variant: a contradictory name is rejected.
func findFor(o *object.CodeObject, file, name, stage string) (*isa.Target, error) {
	if o.Variant() == "" {
		if _, err := sets.Lookup(o.Target); err != nil && o.Target != "" {
			return nil, fmt.Errorf("%s: holds code of %s: %w", file, o.Target, err)
		}
		return nil, fmt.Errorf("%s: holds code of %s; of AMD's chips gfx6, gfx7 and gfx8 are known", file, o.Target)
	}
	own, err := find(o.Target, stage, "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if name == "" || strings.EqualFold(name, own.Name) { // the name of a set stands for all its variants
		return own, nil
	}
	if t, err := find(name, "", ""); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	} else if t.Name != own.Name || t.Variant != own.Variant {
		return nil, contradiction(file, o.Target, t)
	}
	return own, nil
}

// contradiction returns the error for a file with code for another target than that of the command line.
func contradiction(file, says string, t *isa.Target) error {
	return hinted{fmt.Errorf("%s: holds code of %s, not of %s", file, says, t),
		"leave --isa out; --raw takes the file as bare code of that set, headers and all"}
}

func isaNames() (names []string) {
	for _, s := range sets.Sets() {
		for _, v := range s.Variants {
			names = append(names, s.Name+":"+v.Name)
		}
	}
	return names
}

// modeOf returns a mode register for lifting: given in hexadecimal, or the default of the set's programs.
func modeOf(t *isa.Target, text string) (uint32, error) {
	start := eval.StartMode(t)
	if text == "" {
		return start, nil
	}
	mode, err := t.ParseMode(text, start)
	if err != nil {
		return 0, fmt.Errorf("--%w", err)
	}
	return mode, nil
}

// modeDefault returns the initial mode of a set's programs.
func modeDefault(name string) string {
	t, err := find(name, "", "")
	if err != nil {
		panic("heddle: " + err.Error())
	}
	return t.ModeText(eval.StartMode(t))
}

// unhex reads hexadecimal digits.
func unhex(s string) ([]byte, error) {
	b, ok := manual.Hex(s)
	if !ok {
		return nil, fmt.Errorf("%q: want pairs of hexadecimal digits", s)
	}
	return b, nil
}
