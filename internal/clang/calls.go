package clang

import (
	"slices"

	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/object"
)

// calls returns the source positions of the first uses of undefined symbols; a position without a line if the file has
// none.
func calls(u *object.Unlinked, names []string) []loc.Position {
	list := make([]loc.Position, len(names))
	v := *u
	v.Symbols = slices.Clone(u.Symbols)
	for i := range v.Symbols {
		if y := &v.Symbols[i]; y.Section == object.Undefined {
			y.Bind = object.BindWeak // with weak symbols the file links, and then has addresses and lines
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

// addressOf returns the address of a relocation's field in the linked file: its offset in the function does not change.
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
