// Package sets lists the instruction sets, for tools that take any of them by name.
package sets

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/attila"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// An Entry is one of the five instruction sets.
type Entry struct {
	Name string
	Doc  string
	Set  func() *isa.Set

	Declared func() *isa.Arch // what Set compiles: its rows cost half as much

	arch func() *isa.Arch   // what is known without rows; nil: that of Set
	of   func(int) *isa.Set // the set with the rows of a variant alone; nil: Set
}

// list is in the order of design.md.
var list = []Entry{
	{Name: "gcn", Doc: "AMD Graphics Core Next 1.0 to 1.2", Set: gcn.Set, Declared: gcn.Declared, arch: gcn.Arch, of: gcn.Of},
	{Name: "valhall", Doc: "Arm Mali, Valhall v9", Set: valhall.Set, Declared: valhall.Declared},
	{Name: "tesla", Doc: "NVIDIA Tesla, G80 to GT215", Set: tesla.Set, Declared: tesla.Declared},
	{Name: "rogue", Doc: "Imagination PowerVR Rogue USC", Set: rogue.Set, Declared: rogue.Declared},
	{Name: "attila", Doc: "UPC ATTILA", Set: attila.Set, Declared: attila.Declared},
}

// Entries are all five, in a fixed order.
func Entries() []Entry { return append([]Entry(nil), list...) }

// Sets are those of the entries.
func Sets() (sets []*isa.Set) {
	for _, e := range list {
		sets = append(sets, e.Set())
	}
	return sets
}

// Lookup finds an instruction set and variant by a name as tools take it: gcn, gcn:gfx7, gcn:fiji, or a variant's
// name or alias alone, gfx803. Case does not matter. The target is that of the first stage, with the default dialect
// and options.
func Lookup(name string) (*isa.Target, error) {
	head, variant, colon := strings.Cut(name, ":")
	if e := entry(head); e != nil {
		return e.variant(variant)
	}
	if !colon {
		for i := range list {
			e := &list[i]
			if v, ok := e.known().Variant(name); ok && name != "" {
				return e.target(v), nil
			}
		}
	}
	if text := foreignTo(name); text != "" {
		return nil, errors.New(text)
	}
	return nil, fmt.Errorf("no instruction set %q%s", name, hint(head, names(!colon)))
}

func entry(name string) *Entry {
	for i := range list {
		if strings.EqualFold(list[i].Name, name) {
			return &list[i]
		}
	}
	return nil
}

// known is what is known of a set without its rows.
func (e *Entry) known() *isa.Arch {
	if e.arch != nil {
		return e.arch()
	}
	return e.Set().Arch
}

func (e *Entry) variant(name string) (*isa.Target, error) {
	a := e.known()
	v, ok := a.Variant(name)
	if !ok {
		if text := foreignTo(name); text != "" {
			return nil, errors.New(text)
		}
		return nil, fmt.Errorf("%s has no variant %q%s", e.Name, name, hint(name, variants(a)))
	}
	return e.target(v), nil
}

// target is that of a variant.
func (e *Entry) target(v int) *isa.Target {
	set := e.Set
	if e.of != nil {
		set = func() *isa.Set { return e.of(v) }
	}
	return set().At(v, 0)
}

// names are all names of sets, and of variants too if asked for.
func names(variant bool) (all []string) {
	for _, e := range list {
		all = append(all, e.Name)
	}
	for i := range list {
		if variant {
			all = append(all, variants(list[i].known())...)
		}
	}
	return all
}

func variants(a *isa.Arch) (all []string) {
	for _, v := range a.Variants {
		all = append(append(all, v.Name), v.Aliases...)
	}
	return all
}

// hint names what is near a misspelling, or what there is.
func hint(word string, known []string) string {
	if near := isa.Nearest(strings.ToLower(word), known); near != "" {
		return fmt.Sprintf("; %s is the nearest name", near)
	}
	return "; there are " + strings.Join(known[:min(len(known), 5)], ", ")
}
