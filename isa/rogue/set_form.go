package rogue

import (
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// shorter returns when an instruction of the longer of two rows of a name could be encoded by the shorter one; ok is
// false if their texts differ.
func shorter(long, short *isa.Def) (f shortForm, ok bool) {
	if long.Data.(*row).pair != short.Data.(*row).pair {
		return f, false
	}
	for i := range short.Args {
		if a := &short.Args[i]; len(a.At) == 0 && a.Place == isa.Suffix && !says(long, a.Name) {
			return f, false
		}
	}
	for i := range long.Args {
		a := &long.Args[i]
		if len(a.At) == 0 {
			if a.Place == isa.Suffix && short.Find(a.Name) == nil {
				return f, false
			}
		} else if short.Find(a.Name) == nil && a.Place != isa.Hidden {
			if a.Needed || a.Place == isa.Operand && a.Name != names[nameCin] {
				return f, false
			}
			f.add(a.At, a.Default)
		}
		for j := range a.Parts {
			if p := &a.Parts[j]; len(p.At) > 0 && !hasPart(short, p.Name) {
				f.add(p.At, p.Default)
			}
		}
	}
	return f, true
}

// says reports whether a row has a suffix of that name, or one with that spelling.
func says(d *isa.Def, name string) bool {
	for i := range d.Args {
		a := &d.Args[i]
		if a.Place != isa.Suffix {
			continue
		}
		if a.Name == name || slices.ContainsFunc(a.Kind.Spell, func(sp isa.Spelling) bool { return sp.Text == "."+name }) {
			return true
		}
	}
	return false
}

func (f *shortForm) add(at bits.Ranges, v uint64) {
	f.mask, f.value = f.mask.Or(at.Mask()), at.Put(f.value, v)
}

func hasPart(d *isa.Def, name string) bool {
	for i := range d.Args {
		for j := range d.Args[i].Parts {
			if d.Args[i].Parts[j].Name == name {
				return true
			}
		}
	}
	return false
}

// shorten finds the short forms of all rows.
func shorten(ds []isa.Def) map[*row]*shortForm {
	found := map[*row]*shortForm{}
	for i := range ds {
		for j := range i {
			long, short := &ds[i], &ds[j]
			class := long.Class
			if class == group.P0Elements {
				class = group.P0
			}
			if long.Private || short.Private || long.Name != short.Name || class != short.Class || class == group.Bitmask || short.Enc.Bits >= long.Enc.Bits {
				continue
			}
			if f, ok := shorter(long, short); ok {
				found[long.Data.(*row)] = &f
			}
		}
	}
	return found
}
