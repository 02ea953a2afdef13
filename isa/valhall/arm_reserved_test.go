package valhall

import (
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// legal reports whether Arm's table allows a word for the form: its fixed bits, listed values, and bits that must be 0.
func (f *armForm) legal(w uint64) bool {
	if w&f.mask != f.value || w&f.zero != 0 {
		return false
	}
	for i := range f.fields {
		x := &f.fields[i]
		v := w >> x.lo & (1<<x.n - 1)
		if x.listed && !slices.Contains(x.values, v) || v%max(x.unit, 1) != 0 {
			return false
		}
		if count := counts[x.number]; count != nil && v != count(func(name string) uint64 { return f.get(w, name) }) {
			return false
		}
	}
	return true
}

// get is the field of a word with that name, or 0.
func (f *armForm) get(w uint64, name string) uint64 {
	for i := range f.fields {
		switch x := &f.fields[i]; {
		case x.name == name:
			return w >> x.lo & (1<<x.n - 1)
		case x.name == "lane" && name == "d0": // all ones
			return 1<<x.n - 1
		}
	}
	return 0
}

// counts are the numbers of staging registers, by the text of the table.
var counts = map[string]func(get func(string) uint64) uint64{
	"(vecsize>>(register_format&1))+1": func(get func(string) uint64) uint64 { return get("vecsize")>>(get("register_format")&1) + 1 },
	"(vecsize>>1)+1":                   func(get func(string) uint64) uint64 { return get("vecsize")>>1 + 1 },
	"vecsize+1":                        func(get func(string) uint64) uint64 { return get("vecsize") + 1 },
	"2_if_lane_d0_else_1": func(get func(string) uint64) uint64 {
		if get("lane") == get("d0") {
			return 2
		}
		return 1
	},
	"1_if_aaddu/aadds_else_2": func(get func(string) uint64) uint64 {
		if get("atom_opc") <= 1 {
			return 1
		}
		return 2
	},
}

// encodingRules are the rules about fields of a word, independent of its registers and sources.
var encodingRules = strings.Fields("reserved-arm placeholder write-nothing write-half pair-odd staging-flags staging-count slot-group integer-condition exchange-return " +
	"compare-exchange varying-format atomic-offset")

// inUse are values that Arm's table reserves but Mesa's compiler emits. Programs of
// cases/state/valhall-compiled.jsonl.gz have U16_TO_U32 r9, r10.h11, LSHIFT_AND.i32 r4, r1, 0x0.b02, r4 and
// CLPER.i32.subgroup4 r4, r0, ^r4; one of pairs/valhall-programs.tsv.gz has IMULD.u64 r10, r4, r6.
var inUse = []reserve{
	{"swz_a", []uint64{2, 3}, "F16_TO_[SU]32 FPCLASS.f16 FRCP.f16 FRSQ.f16 MKVEC.v2i16 [SU]16_TO_?32", 0, 0},
	{"swz_b", []uint64{2, 3}, "MKVEC.v2i16", 0, 0},
	{"swz_b", []uint64{0}, "[LR]ROT_*.i32 [LR]ROT_*.i64 *SHIFT_*.i32 *SHIFT_*.i64 CLPER.i32 IMULD.u64", 0, 0},
	{"swz_a", []uint64{0}, "IMULD.u64", 0, 0},
}

// compiled reports whether an instruction has a value of inUse.
func compiled(in *isa.Inst) bool {
	return slices.ContainsFunc(inUse, func(r reserve) bool {
		return r.names(in.Def.Name) && slices.Contains(r.values, in.Get(isa.Name(slices.Index(names, r.field))))
	})
}

// TestReserved takes the words that Arm's table allows, with one field changed to each value that decodes, and checks
// that a rule reports exactly those that the table lacks. A row without a word in the table is reserved as a whole.
func TestReserved(t *testing.T) {
	for v, variant := range Set().Variants {
		tg, forms, met, words, reserved := Set().At(v, 0), armForms(t, firstArch+v), map[string]bool{}, 0, 0
		for i := range forms {
			for k, base := range forms[i].bases() {
				if !forms[i].legal(base) {
					t.Fatalf("%s: %016x is not legal", forms[i].name, base)
				}
				var b isa.Bundle
				if err := tg.DecodeBundle(wordOf(base), 0, &b); err != nil {
					t.Fatal(err)
				}
				near, d := []uint64{base}, b.Parts[0].Def
				if k == 0 || !met[d.Name] {
					near = neighbours(d, base)
				}
				met[d.Name] = true
				for _, w := range near {
					if tg.DecodeBundle(wordOf(w), 0, &b) != nil || b.Parts[0].Unclaimed() != "" {
						continue
					}
					words++
					found := tg.Lint(nil, &b, nil)
					legal := slices.ContainsFunc(forms, func(f armForm) bool { return f.legal(w) }) || compiled(&b.Parts[0])
					speaks := slices.ContainsFunc(found, func(f isa.Finding) bool { return slices.Contains(encodingRules, f.Rule) })
					if legal == speaks {
						t.Errorf("%s: %016x %s: in the table: %v, findings: %v", variant.Name, w, tg.Print(nil, &b), legal, found)
					}
					if !legal {
						reserved++
					}
				}
			}
		}
		for i := range Set().Arch.Defs {
			d := &Set().Arch.Defs[i]
			whole := slices.ContainsFunc(reserves, func(r reserve) bool { return r.field == "" && r.names(d.Name) })
			is := met[d.Name] || slices.ContainsFunc(forms, func(f armForm) bool { return f.legal(plainest(d)) })
			switch {
			case d.Variants>>v&1 == 0:
			case is && whole:
				t.Errorf("%s: %s: Arm's table has it, and reserves in rules_reserved.go says that the hardware reserves it", variant.Name, d.Name)
			case !is && !whole:
				t.Errorf("%s: %s: Arm's table does not have it, so reserves in rules_reserved.go must say that the hardware reserves it", variant.Name, d.Name)
			}
		}
		t.Logf("%s: %d words, %d reserved", variant.Name, words, reserved)
		if reserved < 1000 {
			t.Errorf("%s: %d words are reserved", variant.Name, reserved)
		}
	}
}

// plainest is the word of a row with each field at its default.
func plainest(d *isa.Def) uint64 {
	w := d.Value()
	for i := range d.Args {
		w = d.Args[i].Put(w, d.Args[i].Default)
		for k := range d.Args[i].Parts {
			w = d.Args[i].Parts[k].Put(w, d.Args[i].Parts[k].Default)
		}
	}
	return w.Lo
}

// bases are the words of a form with each field at its default, and those with one field at another listed value.
func (f *armForm) bases() []uint64 {
	base := f.base()
	list := []uint64{base}
	for i := range f.fields {
		x := &f.fields[i]
		for _, v := range x.values {
			if w := f.counted(base&^((1<<x.n-1)<<x.lo) | v<<x.lo); x.listed && w != base && f.legal(w) {
				list = append(list, w)
			}
		}
	}
	return list
}

// counted is a word with the number of staging registers that its other fields imply.
func (f *armForm) counted(w uint64) uint64 {
	for i := range f.fields {
		if x := &f.fields[i]; counts[x.number] != nil {
			w = w&^((1<<x.n-1)<<x.lo) | counts[x.number](func(name string) uint64 { return f.get(w, name) })<<x.lo
		}
	}
	return w
}

// neighbours are words with one field of a row changed to each of its values.
func neighbours(d *isa.Def, base uint64) (list []uint64) {
	change := func(at bits.Ranges) {
		if len(at) != 1 || at.Len() > 8 {
			return
		}
		lo := at[0].Lo
		mask := (uint64(1)<<at.Len() - 1) << lo
		for v := range uint64(1) << at.Len() {
			list = append(list, base&^mask|v<<lo)
		}
	}
	for i := range d.Args {
		a := &d.Args[i]
		if a.Kind == source || a.Kind == pair {
			continue
		}
		change(a.At)
		for k := range a.Parts {
			change(a.Parts[k].At)
		}
	}
	return list
}
