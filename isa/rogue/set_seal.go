package rogue

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// A group is the contents of a group's text, before maps and header are chosen.
type group struct {
	b        *isa.Bundle
	src      [6]reg
	has      [6]bool // the source is named
	is0      uint8   // source number
	iss      [6]uint8
	dst      [2]reg
	hasDst   [2]bool
	cc       uint64
	repeat   int // 1 to 4
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
	case classHeader:
		return formHeader
	case classP0, classP0Sel, classBitmask:
		return formP0
	case classP1:
		return formP1
	case classTst:
		return formTst
	case classMov:
		return formMov
	case classBackend:
		return formBackend
	case classControl:
		return formControl
	case classLower:
		return formLower
	case classUpper:
		return formUpper
	case classDest, classDest2:
		return formDest
	}
	return numForms
}

// holdsRegs reports whether a variant has room for the registers and the code of the selector.
func (m *mapping) holdsRegs(regs []reg, mux uint64) bool {
	if len(regs) > len(m.fields) || mux>>m.muxWidth != 0 {
		return false
	}
	for i, r := range regs {
		if w := &m.width[i]; r.bank>>w[0] != 0 || r.n>>w[1] != 0 {
			return false
		}
	}
	return true
}

// place adds the part of a map: the requested variant, or the first that has room. msg is the error if there is none.
func (g *group) place(t *isa.Target, class uint8, regs []reg, mux uint64, want, what string) (msg string) {
	for i := range t.Defs {
		d := &t.Defs[i]
		if d.Class != class {
			continue
		}
		m := d.Data.(*row).mapping
		regs := regs
		for want == m.name && len(regs) > len(m.fields) && regs[len(regs)-1] == (reg{}) { // positions that the map lacks read constant 0
			regs = regs[:len(regs)-1]
		}
		if want != "" && want != m.name || !m.holdsRegs(regs, mux) {
			continue
		}
		in := g.b.Grow()
		*in = isa.Inst{Def: d, Word: d.Value(), Size: uint8(d.Enc.Bits / 8), Var: uint8(t.Variant)}
		bank, number := nameB0, nameN0
		if class >= classDest {
			bank, number = nameDB0, nameD0
		}
		for j, r := range regs {
			in.Put(bank+isa.Name(j), uint64(r.bank))
			in.Put(number+isa.Name(j), uint64(r.n))
		}
		if len(m.mux) > 0 {
			in.Put(nameMux, mux)
		}
		return ""
	}
	if want != "" {
		return fmt.Sprintf("%s: there is no form %q that holds them", what, want)
	}
	return what + ": " + noMap(class, regs)
}

// noMap names the register that no map of the class holds.
func noMap(class uint8, regs []reg) string {
	name := func(r reg) string { return string(appendReg(nil, r, 1, PCO)) }
	for i, r := range regs {
		if class >= classDest {
			continue
		}
		if i == 1 && (r.bank > bankCoeff || r.n > 255) {
			return name(r) + " cannot be s1 or s4: shared, alternate and indexed registers cannot, nor numbers above 255"
		}
		if i == 2 && class == classUpper && (r.bank > bankCoeff || r.n > 255) {
			return name(r) + " cannot be s5: shared, alternate and indexed registers cannot, nor numbers above 255"
		}
	}
	return "no map holds registers of these numbers"
}

// seal completes the bundle: maps, header, order, addresses, and at least atLeast bytes of padding.
func (g *group) seal(t *isa.Target, atLeast int) (msg string) {
	b := g.b
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
	slices.SortStableFunc(b.Parts, func(x, y isa.Inst) int { return int(inMemory[x.Def.Class]) - int(inMemory[y.Def.Class]) })
	if msg = g.phases(t); msg != "" {
		return msg
	}
	share(b)
	return g.finish(t, atLeast, mapped)
}

// lengthen selects the encodings that text requests.
func (g *group) lengthen(t *isa.Target) (msg string) {
	for i := range g.b.Parts {
		in := &g.b.Parts[i]
		if in.Def.Class == classBitmask && g.forms.ph0 {
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
		if _, ok := shorter(d, in.Def); !ok && in.Def.Class != classBitmask {
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
func (g *group) shape() (mapped, selected bool) {
	for i := range g.b.Parts {
		in := &g.b.Parts[i]
		if in.Def.Class == classControl {
			return info(in).uses != 0 || info(in).reads&writeW0 != 0, false
		}
		selected = selected || phaseOf(in.Def.Class) != 0
	}
	return true, selected
}

// used are the sources that instructions or assignments name.
func (g *group) used() (used uint8) {
	for i := range g.b.Parts {
		used |= sourcesOf(&g.b.Parts[i])
	}
	for n, has := range g.has {
		if has {
			used |= 1 << n
		}
	}
	if phased := find(g.b, classBitmask) != nil || find(g.b, classCount) != nil; phased && find(g.b, classShift1) == nil && takesShift(find(g.b, classLogical), find(g.b, classCount)) {
		used |= 1 << 2
	}
	return used
}

// idleUnits are the operations of units of the bit unit that text leaves out, by class.
var idleUnits = [...]struct {
	class uint8
	phase uint8
	name  string
}{{classBitmask, 1, "byp"}, {classShift1, 1, "byp"}, {classCount, 1, "byp"}, {classShift2, 4, "lsl"}, {classBitTest, 4, "tz"}}

// addUnits adds the idle units of the bit unit's phases.
func (g *group) addUnits(t *isa.Target) {
	var phases uint8
	for i := range g.b.Parts {
		phases |= bitPhaseOf(g.b.Parts[i].Def.Class)
	}
	for _, x := range idleUnits {
		if phases&x.phase == 0 || find(g.b, x.class) != nil {
			continue
		}
		for _, d := range t.Rows(x.name) {
			if d.Class == x.class && d.Enc.Bits == 8 {
				in := g.b.Grow()
				*in = isa.Inst{Def: d, Word: d.Value(), Size: 1, Var: uint8(t.Variant)}
				if x.class == classBitmask && !g.forms.ph0 {
					in.Put(nameVendor, 1)
				}
				break
			}
		}
	}
}

// addMaps adds the parts of the maps.
func (g *group) addMaps(t *isa.Target, selected bool, used uint8) (msg string) {
	if used == 0 && len(g.b.Parts) > 0 && sourceless(&g.b.Parts[0]) && g.forms.names[formLower] == "" && g.forms.names[formUpper] == "" {
		return g.addResults(t)
	}
	lower, upper := max(1, count(used&7)), max(1, count(used>>firstUpper))
	if msg = g.place(t, classLower, g.src[:lower], uint64(muxCode[g.is0]), g.forms.names[formLower], "sources s0 to s2"); msg != "" {
		return msg
	}
	if msg = g.place(t, classUpper, g.src[firstUpper:firstUpper+upper], 0, g.forms.names[formUpper], "sources s3 to s5"); msg != "" {
		return msg
	}
	if selected {
		in := g.b.Grow()
		d := t.Rows("iss")[0]
		*in = isa.Inst{Def: d, Word: d.Value(), Size: 1, Var: uint8(t.Variant)}
		for j := range isa.Name(5) {
			in.Put(nameIS1+j, uint64(g.iss[1+j]))
		}
	}
	return g.addResults(t)
}

// addResults adds the destination map.
func (g *group) addResults(t *isa.Target) (msg string) {
	switch {
	case g.hasDst == [2]bool{true, true}:
		return g.place(t, classDest2, g.dst[:], 0, g.forms.names[formDest], "results")
	case g.hasDst[0]:
		return g.place(t, classDest, g.dst[:1], 0, g.forms.names[formDest], "w0")
	case g.hasDst[1]:
		return g.place(t, classDest, g.dst[1:], 0, g.forms.names[formDest], "w1")
	}
	return ""
}

// phases checks that the phases may occur together, and adds the header.
func (g *group) phases(t *isa.Target) (msg string) {
	var seen [numClasses]bool
	var set, bitSet uint8
	for i := range g.b.Parts {
		c := g.b.Parts[i].Def.Class
		if c == classP0Sel { // it belongs to phase 0
			c = classP0
		}
		if seen[c] {
			return "two of one phase: " + classNames[c]
		}
		seen[c] = true
		set |= phaseOf(c)
		bitSet |= bitPhaseOf(c)
	}
	if seen[classControl] {
		if set|bitSet != 0 {
			return "a control instruction needs a group of its own"
		}
		if g.end || g.atom || g.repeat != 1 {
			return "a control group cannot repeat, be atomic, or end the program but with nop.end"
		}
		return ""
	}
	switch {
	case set != 0 && bitSet != 0:
		return "instructions of the main unit and of the bit unit in one group"
	case set|bitSet == 0:
		return "a group without instructions"
	case set != 0 && !slices.Contains(phaseSets[:], set) && !g.b.Private(): // which phases go with instructions without public encoding is unknown
		return phasesWrong(set)
	}
	g.endPhase2(t)
	g.header(t, set, bitSet)
	return ""
}

// phasesWrong says why phases cannot occur together.
func phasesWrong(set uint8) string {
	switch {
	case set&hasP1 != 0 && set&hasP0 == 0:
		return "phase 1 without phase 0"
	case set&hasBackend != 0 && set&(hasP0|hasP2) == hasP0:
		return "phase 0 and the backend without phase 2: no group has just these"
	}
	return "no group has just these phases: phase 0; phase 2; the backend; phases 0 and 1; 0 and 2; 0, 1 and 2; 0, 2 and the backend; or all"
}

// endPhase2 marks the last instruction of phase 2.
func (g *group) endPhase2(t *isa.Target) {
	last := true
	for _, class := range [...]uint8{classPck, classTst, classMov} {
		in := find(g.b, class)
		if in == nil {
			continue
		}
		if last && !in.Has(nameP2End) && class != classPck { // its short form cannot end the phase
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
func (g *group) header(t *isa.Target, set, bitSet uint8) {
	long := g.forms.names[formHeader] == "main" || g.end || g.atom || g.repeat > 1 || g.cc > condTrue || bitSet != 0
	rows, at := t.Rows("main"), 0
	if long {
		at = 1
	}
	if bitSet != 0 {
		rows, at = t.Rows("bitwise"), 0
	}
	d := rows[at]
	g.b.Parts = slices.Insert(g.b.Parts, 0, isa.Inst{Def: d, Word: d.Value(), Size: uint8(d.Enc.Bits / 8), Var: uint8(t.Variant)})
	h := &g.b.Parts[0]
	if set != 0 {
		h.Put(namePhases, uint64(max(0, slices.Index(phaseSets[:], set))))
	} else {
		h.Put(namePhases, uint64(bitSet))
	}
	if long {
		h.Put(nameEnd, flagOf(g.end))
		h.Put(nameAtom, flagOf(g.atom))
		h.Put(nameRepeat, uint64(g.repeat-1))
	}
}

func flagOf(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}

// share merges the bits of units that share a byte, and copies the byte to all of them.
func share(b *isa.Bundle) {
	for i := range b.Parts {
		if i+1 == len(b.Parts) || isView(b.Parts[i].Def.Class) || !isView(b.Parts[i+1].Def.Class) {
			continue
		}
		base := &b.Parts[i]
		for j := i + 1; j < len(b.Parts) && isView(b.Parts[j].Def.Class); j++ {
			if b.Parts[j].Def.Private {
				continue
			}
			own := ownBits[b.Parts[j].Def.Class]
			base.Word = base.Word.AndNot(own).Or(b.Parts[j].Word.And(own))
		}
		for j := i + 1; j < len(b.Parts) && isView(b.Parts[j].Def.Class); j++ {
			b.Parts[j].Size = 0
			if !b.Parts[j].Def.Private { // a private view has bits of its own
				b.Parts[j].Word = base.Word.First(1)
			}
		}
	}
}

// finish completes the header and the addresses of all parts.
func (g *group) finish(t *isa.Target, atLeast int, mapped bool) (msg string) {
	b := g.b
	h := &b.Parts[0]
	if t.Dialect != PCO && !g.exact { // other dialects do not print it
		g.olchk = g.olchk || g.overlaps()
	}
	h.Put(nameCC, g.cc)
	h.Put(nameOlchk, flagOf(g.olchk))
	h.Put(nameW0, flagOf(g.hasDst[0]))
	h.Put(nameW1, flagOf(g.hasDst[1]))
	addr, size, assist := g.addr(), 0, 0
	for i := range b.Parts {
		in := &b.Parts[i]
		c := in.Def.Class
		in.Addr = addr + uint64(size)
		if isView(c) {
			in.Addr = base(b, i).Addr
		}
		size += int(in.Size)
		if phase := phaseOf(c); c == classHeader || bitPhaseOf(c) != 0 || phase == hasP2 || phase == hasBackend || c == classControl && mapped {
			assist = size
		}
	}
	h.Put(nameDA, uint64(assist)&15)
	b.Pad = uint8(max(size&1, atLeast))
	if size += int(b.Pad); size&1 != 0 {
		b.Pad++
		size++
	}
	if size > maxGroup && !b.Private() {
		return fmt.Sprintf("a group of %d bytes; %d are possible", size, maxGroup)
	}
	h.Put(nameLength, uint64(size/2)&15)
	return ""
}

// overlaps reports whether the group reads or writes pixel outputs, which need the check of overlaps.
// docs/reference/rogue.md 2.
func (g *group) overlaps() bool {
	for n, r := range g.src {
		if g.has[n] && r.isPixel() {
			return true
		}
	}
	for i, has := range g.hasDst {
		if has && g.dst[i].isPixel() {
			return true
		}
	}
	in := find(g.b, classBackend)
	return in != nil && info(in).layout.name == "movmsk"
}

// addr is the address of the group: that of its first instruction when it was read.
func (g *group) addr() uint64 {
	for i := range g.b.Parts {
		if c := g.b.Parts[i].Def.Class; c != classHeader {
			return g.b.Parts[i].Addr
		}
	}
	return 0
}

// base is the part whose bytes a view shares.
func base(b *isa.Bundle, i int) *isa.Inst {
	for isView(b.Parts[i].Def.Class) {
		i--
	}
	return &b.Parts[i]
}
