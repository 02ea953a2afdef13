package rogue

import (
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// A twin is a row in the syntax of Mesa 24.1, if that differs from PCO's: the same bits, but other names, modifiers or
// order of operands. Twins are read in all dialects and never decode: an instruction read by a twin becomes one of the
// row itself.

// mesaOrder is the order in which Mesa 24.1 prints modifiers. docs/reference/rogue.md 9.
func mesaOrder() []string {
	return []string{names[nameFormat], names[nameMode], "link", names[nameBPred], names[nameLP], names[nameSat], names[nameScale], names[nameRound],
		"z", "gz", "gez", "c", "e", "g", "ge", "ne", "l", "le", "f32", names[nameType], names[nameP2End],
		names[nameProj], names[nameFCNorm], names[nameNNCoords], names[nameLOD], names[namePPLOD], names[nameTAO], names[nameSOO], names[nameSNO], "wrt", names[nameBypass],
		names[nameCache], names[nameSLC], names[nameArray], names[nameSched], names[nameF16], names[nameFreeP]}
}

// mesaRules change the twins of some rows beyond the order of modifiers.
var mesaRules = []struct {
	structs []string // names of encodings
	change  func(r *row)
}{
	{[]string{"uvsw_write_imm", "uvsw_write_reg", "uvsw_write_emit_endtask_imm", "uvsw_write_emit_endtask_reg", "uvsw_emit_endtask"}, mesaOutput},
	{[]string{"tst", "tst_ext"}, mesaTest},
	{[]string{"movc", "movc_ext"}, mesaMove},
	{[]string{"smp_brief", "smp_exta", "smp_extab", "smp_extabc"}, mesaSample},
	{[]string{"st_immbl", "st_regbl", "st_immbl_ext24", "st_regbl_ext24"}, mesaStore},
}

// twinsOf are the twins of the rows that have one.
func twinsOf(rows []row) (twins []row) {
	for i := range rows {
		r := rows[i]
		if r.private {
			continue
		}
		r.alias, r.also, r.args = true, nil, slices.Clone(r.args)
		if Mesa24 < len(r.spell) && r.spell[Mesa24] != "" {
			r.name = r.spell[Mesa24]
		}
		r.spell = nil
		changed := orderSuffixes(r.args)
		for _, x := range mesaRules {
			if slices.Contains(x.structs, r.layout.name) {
				x.change(&r)
				changed = true
			}
		}
		if changed {
			twins = append(twins, r)
		}
	}
	return twins
}

// orderSuffixes sorts modifiers into the order of Mesa 24.1, unknown ones last. It reports whether that changes the
// order.
func orderSuffixes(args []isa.Arg) (changed bool) {
	var at []int
	var list []isa.Arg
	for i := range args {
		if args[i].Place == isa.Suffix {
			at, list = append(at, i), append(list, args[i])
		}
	}
	order := mesaOrder()
	place := func(a isa.Arg) int {
		if i := slices.Index(order, a.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(list, func(a, b isa.Arg) int { return place(a) - place(b) })
	for i, a := range list {
		changed = changed || args[at[i]].Name != a.Name
		args[at[i]] = a
	}
	return changed
}

// mesaOutput puts the output before the value that is written to it.
func mesaOutput(r *row) {
	r.name = map[string]string{"uvsw.write.emit.endtask": "uvsw.writethenemitthenendtask", "uvsw.emit.endtask": "uvsw.emitthenendtask"}[r.name]
	if r.name == "" {
		r.name = "uvsw.write"
	}
	if len(r.args) < 2 {
		return
	}
	r.args[0], r.args[1] = r.args[1], r.args[0]
	if a := &r.args[0]; a.Name == names[nameImm] {
		k := *a.Kind
		text := k.Text
		k.Text = func(p isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
			return text(p, append(dst, "vo"...), in, a, v)
		}
		a.Kind = &k
	}
}

// mesaTest names both operands of a test, read or not, with their element; the short form has none.
func mesaTest(r *row) {
	n := len(r.args)
	for i := range 2 {
		text := "is" + string(rune('1'+i))
		if r.layout.name == "tst" {
			r.args[n-2+i] = word(text, "_")
			continue
		}
		a := word(text, "_")
		a.Parts = []isa.Part{r.args[n-2+i].Parts[0]}
		a.Parts[0].Kind = dotted("an element", "e0 e1 e2 e3")
		r.args[n-2+i] = a
	}
}

// mesaMove prints _ for w1 and its source if the group does not write w1, and _ for the condition of an unconditional
// move.
func mesaMove(r *row) {
	w1 := &isa.Kind{Name: "w1 or _", Text: func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, _ uint64) []byte {
		if writesW1(p.Bundle) {
			return append(dst, "w1"...)
		}
		return append(dst, '_')
	}, Spell: []isa.Spelling{{Text: "w1"}, {Text: "_"}}}
	feeds := [...]string{"ft0", "ft1", "ft2", "fte"}
	second := &isa.Kind{Name: "a feed-through or _", Text: func(p isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if v == 0 && !writesW1(p.Bundle) {
			return append(dst, '_')
		}
		return append(dst, feeds[v&3]...)
	}}
	var kept []isa.Arg // no operands, w0 and the feed-throughs
	for _, a := range r.args {
		if a.Place != isa.Operand {
			kept = append(kept, a)
		}
	}
	get := func(name string) isa.Arg {
		return r.args[slices.IndexFunc(r.args, func(a isa.Arg) bool { return a.Name == name })]
	}
	mov1 := get(names[nameMov1])
	second.Spell = mov1.Kind.Spell
	mov1.Kind = second
	when := word("ftt")
	if r.name != "movc" || r.entry == "MOV" {
		r.name, when = "movc", word("_")
	}
	w0 := get("w0")
	if len(w0.Parts) == 0 {
		w0 = word("w0", "w0.e0.e1.e2.e3")
	} else {
		w0.Parts = slices.Clone(w0.Parts)
		mask := *w0.Parts[0].Kind
		mask.Table = append(slices.Clone(mask.Table[:15]), ".e0.e1.e2.e3")
		w0.Parts[0].Kind = &mask
	}
	r.args = append(kept, w0, isa.Arg{Name: "w1", Kind: w1, At: bits.Ranges{}}, when, get(names[nameMov0]), mov1)
}

// writesW1 reports whether the group of a part writes w1.
func writesW1(b *isa.Bundle) bool { return b != nil && head(b).Get(nameW1) != 0 }

// cacheNames are accepted for the cache modes of loads and stores alike, by code.
var cacheNames = [...][]string{{".writethrough"}, {".bypass", ".writeback"}, {".forcelinefill", ".lazywriteback"}}

// mesaCache is a cache mode that prints nothing for code 0, and accepts the names of loads for stores and vice versa.
func mesaCache(write bool) *isa.Kind {
	k := dotted("a cache mode", "- bypass forcelinefill ?")
	if write {
		k = dotted("a cache mode", "- writeback lazywriteback ?")
	}
	for v, list := range cacheNames {
		also(k, uint64(v), list...)
	}
	return k
}

// replaceKind replaces the kind of the arg of a name, if it exists.
func replaceKind(args []isa.Arg, n isa.Name, k *isa.Kind) {
	for i := range args {
		if args[i].Name == names[n] {
			args[i].Kind = k
		}
	}
}

func mesaStore(r *row) { replaceKind(r.args, nameCache, mesaCache(true)) }

// mesaSample omits a level of detail that is constant 0.
func mesaSample(r *row) {
	replaceKind(r.args, nameCache, mesaCache(slices.ContainsFunc(r.args, func(a isa.Arg) bool { return a.Name == "wrt" })))
	lod := dotted("a level of detail", "- bias replace gradient")
	replaceKind(r.args, nameLOD, also(lod, lodGradients, ".gradients"))
	for i := range r.args {
		if a := &r.args[i]; a.Name == "s3" {
			k := *a.Kind
			text := k.Text
			k.Text = func(p isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
				if p.Bundle != nil && sourceReg(p.Bundle, group.FirstUpper) == (reg{}) {
					return append(dst, '_')
				}
				return text(p, dst, in, a, v)
			}
			a.Kind = &k
		}
	}
}

// sourceReg is source n of a group.
func sourceReg(b *isa.Bundle, n int) reg {
	class, at := uint8(group.Lower), isa.Name(n)
	if n >= group.FirstUpper {
		class, at = group.Upper, at-group.FirstUpper
	}
	in := group.Find(b, class)
	if in == nil || int(at) >= len(info(in).mapping.Fields) {
		return reg{}
	}
	return reg{uint8(in.Get(nameB0 + at)), uint16(in.Get(nameN0 + at))}
}

// pair links rows and their twins.
func pair(defs []isa.Def) {
	for i := range defs {
		d := &defs[i]
		r := d.Data.(*row)
		if !r.alias {
			continue
		}
		for j := range defs {
			e := &defs[j]
			if o := e.Data.(*row); !o.alias && o.layout == r.layout && e.Class == d.Class && e.Mask() == d.Mask() && e.Value() == d.Value() {
				if r.original = e; !r.heard {
					o.twin = d
				}
				break
			}
		}
	}
}

// link completes compiled rows: it pairs twins, makes the decoder, and records which sources instructions
// name.
func link(defs []isa.Def) {
	pair(defs)
	makeTags()
	decoder.Link(defs)
	for i := range defs {
		r := defs[i].Data.(*row)
		in := isa.Inst{Def: &defs[i]}
		r.simple = r.extent == nil && len(r.picks) == 0 && !in.Has(nameLOD) && !in.Has(nameSink) && 1<<(defs[i].Class&31)&idleBits == 0
		if r.named = r.uses; defs[i].Class == group.P1 {
			r.named <<= group.FirstUpper
		}
		c := defs[i].Class
		if f := formOf(c); f < numForms {
			r.form = formLabels[f] + "=" + r.layout.name
		}
		if c == group.Header && !r.bits && in.Has(nameEnd) { // another one is shorter, with a one-bit condition
			r.short = &shortForm{}
			for _, n := range [...]isa.Name{nameEnd, nameAtom, nameRepeat} {
				r.short.add(defs[i].Find(names[n]).At, 0)
			}
			cc := defs[i].Find(names[nameCC]).At
			r.short.mask = r.short.mask.Or(cc.Put(bits.Word{}, 1<<cc.Len()-2)) // all but the lowest bit
		}
		if c == group.Header || c == group.Control {
			r.head, r.result = headingOf(&defs[i]), group.IsSourceless(&defs[i])
		}
	}
}
