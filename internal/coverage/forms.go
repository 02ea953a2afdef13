package coverage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
)

// A Form is a row of the tables of a set, with the modifiers that an instruction has: those that stand in its text, of
// the instruction or of an operand, whose value is not the default.
type Form struct {
	Name      string   `json:"name"`
	Encoding  string   `json:"encoding,omitempty"`
	Modifiers []string `json:"modifiers,omitempty"` // omod=1, src0.neg=1
}

// eachModifier calls do with the modifiers of an instruction, and their values and defaults.
func eachModifier(in *isa.Inst, do func(name string, value, normal uint64)) {
	for k := range in.Def.Args {
		a := &in.Def.Args[k]
		if a.Place != isa.Operand && a.Place != isa.Hidden {
			do(a.Name, a.Get(in.Word), a.Default)
		}
		for n := range a.Parts {
			if p := &a.Parts[n]; p.Side != isa.Silent {
				do(a.Name+"."+p.Name, p.Get(in.Word), p.Default)
			}
		}
	}
}

// formsOf returns the forms of a bundle.
func formsOf(b *isa.Bundle) (list []Form) {
	for i := range b.Parts {
		in := &b.Parts[i]
		f := Form{Name: in.Def.Name, Encoding: in.Def.Enc.Name}
		eachModifier(in, func(name string, value, normal uint64) {
			if value != normal {
				f.Modifiers = append(f.Modifiers, fmt.Sprintf("%s=%d", name, value))
			}
		})
		list = append(list, f)
	}
	return list
}

// rowsOf returns the rows of a set's variant by form: its name and encoding.
func rowsOf(t *isa.Target) map[string]*isa.Def {
	known := map[string]*isa.Def{}
	for i := range t.Defs {
		if d := &t.Defs[i]; d.InVariant(t.Variant) && !d.Alias && !d.Private && known[d.Name+" "+d.Enc.Name] == nil {
			known[d.Name+" "+d.Enc.Name] = d
		}
	}
	return known
}

// A set is which forms of a set ran, and which did not.
type set struct {
	Name  string
	Ran   []*ranForm
	Never []*ranForm
	Known bool // this build knows the set, and Never is all that is left of it
}

// A ranForm is a form, and how it ran.
type ranForm struct {
	Name, Encoding, Doc string
	Insts, Combinations int
	Values              []string // of modifiers: omod=1, 2
	Without             []string // modifiers that the row has and no instruction that ran
}

// sets returns the forms of the sets of all codes.
func (c *Coverage) sets() (list []*set) {
	by := map[string]map[string]map[string]int{} // set, form, modifiers
	add := func(set string, list []Form, n int) {
		if by[set] == nil {
			by[set] = map[string]map[string]int{}
		}
		for _, f := range list {
			key := f.Name + " " + f.Encoding
			if by[set][key] == nil {
				by[set][key] = map[string]int{}
			}
			by[set][key][strings.Join(f.Modifiers, " ")] += n
		}
	}
	for _, x := range c.Codes {
		add(x.ISA, nil, 0)
		for _, in := range x.Insts {
			if in.Waves > 0 {
				add(x.ISA, in.Forms, 1)
			}
		}
	}
	for _, o := range c.Ones {
		add(o.ISA, o.Forms, int(o.Tests))
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		s := &set{Name: name}
		rows := map[string]*isa.Def{}
		if t, err := sets.Lookup(name); err == nil {
			s.Known, rows = true, rowsOf(t)
		}
		for key, with := range by[name] {
			s.Ran = append(s.Ran, ranOf(key, rows[key], with))
		}
		for key, d := range rows {
			if by[name][key] == nil {
				s.Never = append(s.Never, ranOf(key, d, nil))
			}
		}
		for _, l := range [...][]*ranForm{s.Ran, s.Never} {
			slices.SortFunc(l, func(x, y *ranForm) int {
				return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Encoding, y.Encoding))
			})
		}
		list = append(list, s)
	}
	return list
}

// ranOf returns how a form ran, by the number of instructions with the same modifiers.
func ranOf(key string, d *isa.Def, with map[string]int) *ranForm {
	f := &ranForm{Combinations: len(with)}
	f.Name, f.Encoding, _ = strings.Cut(key, " ")
	values := map[string]map[string]bool{}
	for list, n := range with {
		f.Insts += n
		for _, m := range strings.Fields(list) {
			name, value, _ := strings.Cut(m, "=")
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			values[name][value] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		f.Values = append(f.Values, name+"="+strings.Join(slices.SortedFunc(maps.Keys(values[name]), shorter), ", "))
	}
	if d == nil {
		return f
	}
	f.Doc = d.Doc
	eachModifier(&isa.Inst{Def: d}, func(name string, _, _ uint64) {
		if values[name] == nil {
			f.Without = append(f.Without, name)
		}
	})
	return f
}

// shorter orders numbers as text.
func shorter(x, y string) int { return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) }
