package heddle

import (
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// An ISA is a variant of an instruction set, ready for use. It is read-only and safe for concurrent use.
type ISA struct{ target *isa.Target }

// Find finds an instruction set by a name as tools accept it: gcn, gcn:gfx8, attila:sim, or the name or an alias of a
// variant alone, gfx803, fiji. Case does not matter. A set without a variant means its first variant; the stage is
// the first. The error names similar names, or all of them.
func Find(name string) (*ISA, error) {
	t, err := sets.Lookup(name)
	if err != nil {
		return nil, err
	}
	return &ISA{t}, nil
}

// MustFind is Find for names that are constants of a program: it panics if there is no such instruction set.
func MustFind(name string) *ISA {
	a, err := Find(name)
	if err != nil {
		panic("heddle: " + err.Error())
	}
	return a
}

// List returns all variants of all instruction sets.
func List() (list []*ISA) {
	for _, s := range sets.Sets() {
		for v := range s.Variants {
			list = append(list, MustFind(s.Name+":"+s.Variants[v].Name))
		}
	}
	return list
}

// With returns the instruction set with another variant, stage, assembler dialect or options. The variant is kept if
// it is omitted; the others then have their defaults.
func (a *ISA) With(c isa.Config) (*ISA, error) {
	if c.Variant == "" {
		c.Variant = a.target.Variants[a.target.Variant].Name
	}
	t, err := a.target.Set.Target(c)
	if err != nil {
		return nil, err
	}
	return &ISA{t}, nil
}

// String returns a name with which Find finds it, and the stage if it has stages.
func (a *ISA) String() string { return a.target.String() }

// Target returns the instruction set as packages isa, asm and exec use it.
func (a *ISA) Target() *isa.Target { return a.target }
