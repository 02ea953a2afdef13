package isa

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
)

// A Target is an instruction set as one program uses it: variant, stage, dialect of its text, options. It decodes,
// prints, parses and lifts; package asm assembles and lists with it. It is read-only and safe for many goroutines.
type Target struct {
	*Set
	Variant, Stage, Dialect int // by index
	trees                   []*tree
	options                 []uint8 // values by option
	plain                   Printer // of the dialect, without labels
	variantAsked            bool
	stageAsked              bool
}

// AskedBy returns the target with a record of what a user asked for: a name, such as gcn or gcn:gfx7, and a stage, if
// not "". Text that names a different variant or stage than the user did is an error; what the user did not name, the
// text may select.
func (t *Target) AskedBy(name, stage string) *Target {
	n := *t
	n.variantAsked, n.stageAsked = !strings.EqualFold(strings.TrimSuffix(name, ":"), t.Name), stage != ""
	return &n
}

// Asked reports whether the variant and the stage were asked for.
func (t *Target) Asked() (variant, stage bool) { return t.variantAsked, t.stageAsked }

// A Config selects a Target. The zero value selects the default of everything.
type Config struct {
	Variant, Stage, Dialect string
	Options                 map[string]string // of Arch.Options; a missing one has its default
}

// Target returns the target that c selects. The error for an unknown name lists the known ones.
func (s *Set) Target(c Config) (*Target, error) {
	v, ok := s.Arch.Variant(c.Variant)
	if !ok {
		return nil, fmt.Errorf("%s has no variant %q, only %s", s.Name, c.Variant, strings.Join(s.variants(), ", "))
	}
	st, ok := s.Arch.Stage(c.Stage)
	if !ok {
		return nil, fmt.Errorf("%s has no stage %q%s", s.Name, c.Stage, only(s.Stages))
	}
	d, ok := s.Arch.Dialect(c.Dialect)
	if !ok {
		return nil, fmt.Errorf("%s has no dialect %q%s", s.Name, c.Dialect, only(s.Dialects))
	}
	return s.At(v, st).With(d, c.Options)
}

func only(names []string) string {
	if len(names) == 0 {
		return ": it has one only"
	}
	return ", only " + strings.Join(names, ", ")
}

func (s *Set) variants() (names []string) {
	for _, v := range s.Variants {
		names = append(names, v.Name)
	}
	return names
}

// A madeTarget is a target whose decoding trees are made at its first use.
type madeTarget struct {
	once   sync.Once
	target Target
}

// At returns the target of a variant and stage, by index, with the default dialect and options. It is made once.
func (s *Set) At(variant, stage int) *Target {
	if s.Only != 0 && s.Only>>variant&1 == 0 {
		return s.whole().At(variant, stage)
	}
	m := &s.targets[variant][stage]
	m.once.Do(func() {
		for c := range max(1, len(s.Classes)) {
			m.target.trees = append(m.target.trees, newTree(s.rows(variant, stage, c)))
		}
	})
	return &m.target
}

// Move returns the target with another variant and stage, by index.
func (t *Target) Move(variant, stage int) *Target {
	n, at := *t, t.At(variant, stage)
	n.Set, n.Variant, n.Stage, n.trees = at.Set, variant, stage, at.trees
	return &n
}

// whole returns the set with the rows of all variants.
func (s *Set) whole() *Set {
	if s.Only == 0 {
		return s
	}
	return s.Whole()
}

// With returns the target with another dialect, by index, and other options. The error joins all unknown options and
// values.
func (t *Target) With(dialect int, options map[string]string) (*Target, error) {
	n := *t
	n.Dialect, n.plain = dialect, Printer{Dialect: dialect}
	if len(options) == 0 {
		return &n, nil
	}
	n.options = append([]uint8(nil), t.options...)
	var errs []error
	names := make([]string, 0, len(options))
	for name := range options {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		errs = append(errs, n.setOption(name, options[name]))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &n, nil
}

func (t *Target) setOption(name, value string) error {
	var known []string
	for i := range t.Options {
		o := &t.Options[i]
		known = append(known, o.Name)
		if o.Name != name {
			continue
		}
		for v, x := range o.Values {
			if x == value {
				t.options[i] = uint8(v)
				return nil
			}
		}
		return fmt.Errorf("option %s of %s has no value %q, only %s", name, t.Name, value, strings.Join(o.Values, ", "))
	}
	if len(known) == 0 {
		return fmt.Errorf("%s has no option %q: it has none", t.Name, name)
	}
	return fmt.Errorf("%s has no option %q, only %s", t.Name, name, strings.Join(known, ", "))
}

// Option returns the index of the value of an option, which is given by its index in Arch.Options.
func (t *Target) Option(option int) int { return int(t.options[option]) }

// Machine returns the machine of the target's variant.
func (t *Target) Machine() *ir.Machine { return t.Set.Machine(t.Variant) }

// Lexis returns that of the target's dialect.
func (t *Target) Lexis() Lexis {
	if t.Dialect < len(t.Arch.Lexis) {
		return t.Arch.Lexis[t.Dialect]
	}
	return Lexis{Comments: t.Comments}
}

// Printer returns a printer for the target's dialect.
func (t *Target) Printer() Printer { return t.plain }

// Print appends the text of a bundle, without labels. It may overwrite the capacity of dst after that, see
// [Printer.AppendBundle].
func (t *Target) Print(dst []byte, b *Bundle) []byte { return t.plain.AppendBundle(dst, t.Set, b) }

// Parse reads a text that is one bundle, as it would be read at addr.
func (t *Target) Parse(text string, addr uint64, b *Bundle) error {
	sc := Scan{Target: t}
	sc.Reset(text, addr)
	return sc.ParseWhole(b)
}

// Placed reports whether the text of the bundle, without labels, may depend on its address: it has a branch target, or
// its dialect is printed by PrintDialect and may contain addresses.
func (t *Target) Placed(b *Bundle) bool {
	if t.Dialect != 0 && t.PrintDialect != nil {
		return true
	}
	if t.Branch == nil {
		return false
	}
	for i := range b.Parts {
		if _, ok := t.Branch(b, i); ok {
			return true
		}
	}
	return false
}

// FullName returns the set and the variant: gcn:gfx8.
func (t *Target) FullName() string { return t.Name + ":" + t.Variants[t.Variant].Name }

// String returns the name of the target: gcn:gfx8, tesla:g80 vp.
func (t *Target) String() string {
	s := t.FullName()
	if len(t.Stages) > 0 {
		s += " " + t.Stages[t.Stage]
	}
	return s
}
