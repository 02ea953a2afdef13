package rogue

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// A groupText is what the text of a group says, before maps and header are chosen.
type groupText struct {
	group.Contents
	end      bool
	atom     bool
	olchk    bool
	exact    bool // olchk is as the text says, whatever the group touches
	forms    forms
	assigned bool // sources, selectors or results are named
}

// forms are the encodings that text requests although a shorter one would do, by label.
type forms struct {
	ph0   bool // bit 7 of the bit unit's first phase is clear
	names [numForms]string
}

// Labels of forms by index.
const (
	formHeader = iota
	formP0
	formP1
	formTst
	formMov
	formBackend
	formControl
	formLower
	formUpper
	formDest
	numForms
)

var formLabels = [numForms]string{formHeader: "header", formP0: "p0", formP1: "p1", formTst: "p2_tst", formMov: "p2_mov", formBackend: "backend", formControl: "ctrl", formLower: "lower", formUpper: "upper", formDest: "dest"}

// formOf is the index of the label of a class; numForms: the class has a single form.
func formOf(class uint8) int {
	switch class {
	case group.Header:
		return formHeader
	case group.P0, group.P0Elements, group.Bitmask:
		return formP0
	case group.P1:
		return formP1
	case group.Test:
		return formTst
	case group.Move:
		return formMov
	case group.Backend:
		return formBackend
	case group.Control:
		return formControl
	case group.Lower:
		return formLower
	case group.Upper:
		return formUpper
	case group.Dest, group.Dest2:
		return formDest
	}
	return numForms
}

// place adds the part of a map: the requested variant, or the first that has room. msg is the error if there is none.
func (g *groupText) place(t *isa.Target, class uint8, list []group.Operand, mux uint64, want, what string) (msg string) {
	for i := range t.Defs {
		d := &t.Defs[i]
		if d.Class != class {
			continue
		}
		m, list := d.Data.(*row).mapping, list
		for want == m.name && len(list) > len(m.Fields) && list[len(list)-1] == 0 { // positions that the map lacks read constant 0
			list = list[:len(list)-1]
		}
		if want != "" && want != m.name || !m.Holds(list, mux) {
			continue
		}
		*g.Bundle.Grow() = isa.Inst{Def: d, Word: m.Encode(d.Value(), list, mux), Size: uint8(d.Enc.Bits / 8), Var: uint8(t.Variant)}
		return ""
	}
	if want != "" {
		return fmt.Sprintf("%s: there is no form %q that holds them", what, want)
	}
	return what + ": " + noMap(class, list)
}

// noMap names the register that no map of the class holds.
func noMap(class uint8, list []group.Operand) string {
	name := func(r reg) string { return string(appendReg(nil, r, 1, PCO)) }
	for i, x := range list {
		r := regOf(x)
		if class >= group.Dest {
			continue
		}
		if i == 1 && (r.bank > bankCoeff || r.n > 255) {
			return name(r) + " cannot be s1 or s4: shared, alternate and indexed registers cannot, nor numbers above 255"
		}
		if i == 2 && class == group.Upper && (r.bank > bankCoeff || r.n > 255) {
			return name(r) + " cannot be s5: shared, alternate and indexed registers cannot, nor numbers above 255"
		}
	}
	return "no map holds registers of these numbers"
}

// encode completes the bundle: maps, header, order, addresses, and at least atLeast bytes of padding.
func (g *groupText) encode(t *isa.Target, atLeast int) (msg string) {
	b := g.Bundle
	b.Own = uint8(t.Option(optDistance))
	if msg = g.lengthen(t); msg != "" {
		return msg
	}
	mapped, selected := g.shape()
	used := g.used()
	g.addUnits(t)
	if mapped {
		if msg = g.addMaps(t, selected, used); msg != "" {
			return msg
		}
	} else if g.assigned {
		return "this control instruction has neither sources nor results"
	}
	group.Sort(b.Parts)
	if msg = g.phases(t); msg != "" {
		return msg
	}
	addr := g.addr()
	g.complete(t)
	return group.Layout(b, addr, atLeast)
}

// lengthen selects the encodings that text requests.
func (g *groupText) lengthen(t *isa.Target) (msg string) {
	for i := range g.Bundle.Parts {
		in := &g.Bundle.Parts[i]
		if in.Def.Class == group.Bitmask && g.forms.ph0 {
			in.Put(nameVendor, 0)
		}
		f := formOf(in.Def.Class)
		if f == numForms || g.forms.names[f] == "" || g.forms.names[f] == in.Def.Enc.Name {
			continue
		}
		if !lengthened(t, in, g.forms.names[f]) {
			return in.Def.Name + " has no encoding " + g.forms.names[f] + " with the same text"
		}
	}
	return ""
}

// lengthened selects another encoding of an instruction. It reports false if there is none with that name.
func lengthened(t *isa.Target, in *isa.Inst, name string) bool {
	for i := range t.Defs {
		d := &t.Defs[i]
		if d.Private || d.Alias || d.Name != in.Def.Name || d.Enc.Name != name || formOf(d.Class) != formOf(in.Def.Class) || d.Enc.Bits < in.Def.Enc.Bits {
			continue
		}
		if _, ok := shorter(d, in.Def); !ok && in.Def.Class != group.Bitmask {
			continue
		}
		long := isa.Inst{Def: d, Word: d.Value(), Addr: in.Addr, Size: uint8(d.Enc.Bits / 8), Var: in.Var, Stage: in.Stage}
		copyFields(&long, in)
		*in = long
		return true
	}
	return false
}

// copyFields copies the fields that both instructions have; others get their defaults.
func copyFields(to, from *isa.Inst) {
	for i := range to.Def.Args {
		a := &to.Def.Args[i]
		if len(a.At) > 0 {
			v := a.Default
			if x := from.Def.Find(a.Name); x != nil && len(x.At) > 0 {
				v = x.Get(from.Word)
			}
			to.Word = a.Put(to.Word, v)
		}
		for j := range a.Parts {
			q := &a.Parts[j]
			v := q.Default
			if x := from.Def.Find(a.Name); x != nil {
				for k := range x.Parts {
					if x.Parts[k].Name == q.Name && len(x.Parts[k].At) > 0 {
						v = x.Parts[k].Get(from.Word)
					}
				}
			}
			if len(q.At) > 0 {
				to.Word = q.Put(to.Word, v)
			}
		}
	}
}

// shape reports whether the group has maps, and whether it has the byte of internal selectors.
func (g *groupText) shape() (mapped, selected bool) {
	for i := range g.Bundle.Parts {
		in := &g.Bundle.Parts[i]
		if in.Def.Class == group.Control {
			return group.IsMapped(in.Def), false
		}
		selected = selected || group.PhaseOf(in.Def.Class) != 0
	}
	return true, selected
}

// used are the sources that instructions or assignments name.
func (g *groupText) used() (used uint8) {
	for i := range g.Bundle.Parts {
		used |= sourcesOf(&g.Bundle.Parts[i])
	}
	for n, has := range g.Named {
		if has {
			used |= 1 << n
		}
	}
	if phased := group.Find(g.Bundle, group.Bitmask) != nil || group.Find(g.Bundle, group.Count) != nil; phased && group.Find(g.Bundle, group.Shift1) == nil && takesShift(group.Find(g.Bundle, group.Logical), group.Find(g.Bundle, group.Count)) {
		used |= 1 << 2
	}
	return used
}

// idleUnits are the operations of units of the bit unit that text leaves out, by class.
var idleUnits = [...]struct {
	class uint8
	phase uint8
	name  string
}{{group.Bitmask, 1, "byp"}, {group.Shift1, 1, "byp"}, {group.Count, 1, "byp"}, {group.Shift2, 4, "lsl"}, {group.BitTest, 4, "tz"}}

// addUnits adds the idle units of the bit unit's phases.
func (g *groupText) addUnits(t *isa.Target) {
	var phases uint8
	for i := range g.Bundle.Parts {
		phases |= group.BitPhaseOf(g.Bundle.Parts[i].Def.Class)
	}
	for _, x := range idleUnits {
		if phases&x.phase == 0 || group.Find(g.Bundle, x.class) != nil {
			continue
		}
		for _, d := range t.Rows(x.name) {
			if d.Class == x.class && d.Enc.Bits == 8 {
				in := g.Bundle.Grow()
				*in = isa.Inst{Def: d, Word: d.Value(), Size: 1, Var: uint8(t.Variant)}
				if x.class == group.Bitmask && !g.forms.ph0 {
					in.Put(nameVendor, 1)
				}
				break
			}
		}
	}
}

// addMaps adds the parts of the maps.
func (g *groupText) addMaps(t *isa.Target, selected bool, used uint8) (msg string) {
	if used == 0 && len(g.Bundle.Parts) > 0 && group.IsSourceless(g.Bundle.Parts[0].Def) && g.forms.names[formLower] == "" && g.forms.names[formUpper] == "" {
		return g.addResults(t)
	}
	lower, upper := max(1, count(used&7)), max(1, count(used>>group.FirstUpper))
	if msg = g.place(t, group.Lower, g.Src[:lower], uint64(muxCode[g.IS0]), g.forms.names[formLower], "sources s0 to s2"); msg != "" {
		return msg
	}
	if msg = g.place(t, group.Upper, g.Src[group.FirstUpper:group.FirstUpper+upper], 0, g.forms.names[formUpper], "sources s3 to s5"); msg != "" {
		return msg
	}
	if selected {
		in := g.Bundle.Grow()
		d := t.Rows("iss")[0]
		*in = isa.Inst{Def: d, Word: d.Value(), Size: 1, Var: uint8(t.Variant)}
		for j := range isa.Name(5) {
			in.Put(nameIS1+j, uint64(g.Sel[1+j]))
		}
	}
	return g.addResults(t)
}

// addResults adds the destination map.
func (g *groupText) addResults(t *isa.Target) (msg string) {
	switch {
	case g.HasDst == [2]bool{true, true}:
		return g.place(t, group.Dest2, g.Dst[:], 0, g.forms.names[formDest], "results")
	case g.HasDst[0]:
		return g.place(t, group.Dest, g.Dst[:1], 0, g.forms.names[formDest], "w0")
	case g.HasDst[1]:
		return g.place(t, group.Dest, g.Dst[1:], 0, g.forms.names[formDest], "w1")
	}
	return ""
}

// phases checks that the phases may occur together, and adds the header.
func (g *groupText) phases(t *isa.Target) (msg string) {
	var seen [group.NumClasses]bool
	var set, bitSet uint8
	for i := range g.Bundle.Parts {
		c := g.Bundle.Parts[i].Def.Class
		if c == group.P0Elements { // it belongs to phase 0
			c = group.P0
		}
		if seen[c] {
			return "two of one phase: " + classNames[c]
		}
		seen[c] = true
		set |= group.PhaseOf(c)
		bitSet |= group.BitPhaseOf(c)
	}
	if seen[group.Control] {
		if set|bitSet != 0 {
			return "a control instruction needs a group of its own"
		}
		if g.end || g.atom || g.Repeat != 1 {
			return "a control group cannot repeat, be atomic, or end the program but with nop.end"
		}
		return ""
	}
	switch {
	case set != 0 && bitSet != 0:
		return "instructions of the main unit and of the bit unit in one group"
	case set|bitSet == 0:
		return "a group without instructions"
	case set != 0 && !slices.Contains(group.PhaseSets[:], set) && !g.Bundle.Private(): // which phases go with instructions without public encoding is unknown
		return phasesWrong(set)
	}
	g.endPhase2(t)
	g.header(t, set, bitSet)
	return ""
}

// phasesWrong says why phases cannot occur together.
func phasesWrong(set uint8) string {
	switch {
	case set&group.HasP1 != 0 && set&group.HasP0 == 0:
		return "phase 1 without phase 0"
	case set&group.HasBackend != 0 && set&(group.HasP0|group.HasP2) == group.HasP0:
		return "phase 0 and the backend without phase 2: no group has just these"
	}
	return "no group has just these phases: phase 0; phase 2; the backend; phases 0 and 1; 0 and 2; 0, 1 and 2; 0, 2 and the backend; or all"
}

// endPhase2 marks the last instruction of phase 2.
func (g *groupText) endPhase2(t *isa.Target) {
	last := true
	for _, class := range [...]uint8{group.Pack, group.Test, group.Move} {
		in := group.Find(g.Bundle, class)
		if in == nil {
			continue
		}
		if last && !in.Has(nameP2End) && class != group.Pack { // its short form cannot end the phase
			lengthened(t, in, in.Def.Enc.Name+"_ext")
		}
		if in.Has(nameP2End) {
			v := uint64(0)
			if last {
				v = 1
			}
			in.Put(nameP2End, v)
		}
		last = false
	}
}

// header adds the header.
func (g *groupText) header(t *isa.Target, set, bitSet uint8) {
	long := g.forms.names[formHeader] == "main" || g.end || g.atom || g.Repeat > 1 || g.Condition > group.IfP0 || bitSet != 0
	rows, at := t.Rows("main"), 0
	if long {
		at = 1
	}
	if bitSet != 0 {
		rows, at = t.Rows("bitwise"), 0
	}
	d := rows[at]
	g.Bundle.Parts = slices.Insert(g.Bundle.Parts, 0, isa.Inst{Def: d, Word: d.Value(), Size: uint8(d.Enc.Bits / 8), Var: uint8(t.Variant)})
	h := &g.Bundle.Parts[0]
	if set != 0 {
		h.Put(namePhases, uint64(max(0, slices.Index(group.PhaseSets[:], set))))
	} else {
		h.Put(namePhases, uint64(bitSet))
	}
	if long {
		h.Put(nameEnd, flagOf(g.end))
		h.Put(nameAtom, flagOf(g.atom))
		h.Put(nameRepeat, uint64(g.Repeat-1))
	}
}

func flagOf(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}

// complete completes the header, but for sizes.
func (g *groupText) complete(t *isa.Target) {
	h := &g.Bundle.Parts[0]
	if t.Dialect != PCO && !g.exact { // other dialects do not print it
		g.olchk = g.olchk || g.overlaps()
	}
	h.Put(nameCC, g.Condition)
	h.Put(nameOlchk, flagOf(g.olchk))
	h.Put(nameW0, flagOf(g.HasDst[0]))
	h.Put(nameW1, flagOf(g.HasDst[1]))
}

// overlaps reports whether the group reads or writes pixel outputs, which need the check of overlaps.
// docs/reference/rogue.md 2.
func (g *groupText) overlaps() bool {
	for n, x := range g.Src {
		if g.Named[n] && regOf(x).isPixel() {
			return true
		}
	}
	for i, has := range g.HasDst {
		if has && regOf(g.Dst[i]).isPixel() {
			return true
		}
	}
	in := group.Find(g.Bundle, group.Backend)
	return in != nil && info(in).layout.name == "movmsk"
}

// addr is the address of the group: that of its first instruction when it was read.
func (g *groupText) addr() uint64 {
	for i := range g.Bundle.Parts {
		if c := g.Bundle.Parts[i].Def.Class; c != group.Header {
			return g.Bundle.Parts[i].Addr
		}
	}
	return 0
}
