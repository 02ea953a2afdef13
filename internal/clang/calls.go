package clang

import (
	"slices"

	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/object"
)

// calls are the positions of the source at which symbols that are not defined are used first; one without a line if the file does not say.
func calls(u *object.Unlinked, names []string) []loc.Position {
	list := make([]loc.Position, len(names))
	v := *u
	v.Symbols = slices.Clone(u.Symbols)
	for i := range v.Symbols {
		if y := &v.Symbols[i]; y.Section == object.Undefined {
			y.Bind = object.BindWeak // such a file links, and then it has addresses and lines
		}
	}
	data, err := v.Link()
	if err != nil {
		return list
	}
	o, err := object.ReadHSA(data)
	if err != nil {
		return list
	}
	for i := range u.Relocs {
		r := &u.Relocs[i]
		n := slices.Index(names, u.Symbols[r.Symbol].Name)
		if n < 0 || list[n].Known() {
			continue
		}
		if addr, ok := addressOf(u, o, r); ok {
			list[n] = o.Source(addr)
		}
	}
	return list
}

// addressOf is where the field of a relocation lies in the linked file: as far from the start of its function as before.
func addressOf(u *object.Unlinked, o *object.CodeObject, r *object.UnlinkedReloc) (uint64, bool) {
	for i := range u.Symbols {
		f := &u.Symbols[i]
		if f.Section != r.Section || f.Kind != object.Func || r.Off-f.Value >= f.Size {
			continue
		}
		for _, y := range o.Symbols {
			if y.Name == f.Name && y.Kind == object.Func {
				return y.Addr + r.Off - f.Value, true
			}
		}
	}
	return 0, false
}
