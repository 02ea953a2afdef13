package rogue

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// sample makes a group around a part, for tests and for explain.
func sample(t *isa.Target, in *isa.Inst, b *isa.Bundle) bool {
	b.Parts, b.Pad = b.Parts[:0], 0
	g := groupText{Contents: group.Contents{Bundle: b, Repeat: 1}}
	g.HasDst[0], g.Dst[0] = true, group.OperandOf(bankTemp, 0)
	switch c := in.Def.Class; c {
	case group.Header:
		g.sampleHeader(t, in)
	case group.Lower, group.Upper, group.Dest, group.Dest2, group.Selectors:
		g.sampleMap(in)
		g.sampleParts(t, group.HasP0)
	default:
		*b.Grow() = *in
		for n := range g.Src {
			if c == group.P0 && sourcesOf(in)>>n&1 != 0 {
				g.Src[n] = group.OperandOf(bankTemp, uint16(1+n))
			}
		}
		switch {
		case c == group.Control:
			g.HasDst[0] = info(in).reads&writeW0 != 0
			g.sampleFlags(in)
		case c == group.P1:
			g.sampleParts(t, group.HasP0)
		case c == group.Backend: // many of its sources are several registers, which not all registers can be
			for n := range g.Src {
				g.Src[n], g.Named[n] = group.OperandOf(bankTemp, uint16(40*n)), sourcesOf(in)>>n&1 != 0
			}
		case c == group.Move && info(in).entry == "MOVC": // it needs a test, whose short form needs another instruction after it
			g.add(t, "tst", group.Test)
			g.add(t, "pck", group.Pack)
		case (c == group.Move || c == group.Test) && !in.Has(nameP2End):
			g.add(t, "pck", group.Pack)
		}
		if info(in).entry == "TSTC" {
			g.add(t, "add64", group.P0)
		}
	}
	if in.Size > 0 && formOf(in.Def.Class) < numForms && in.Def.Class != group.Header {
		g.forms.names[formOf(in.Def.Class)] = in.Def.Enc.Name
	}
	if in.Def.Class == group.Bitmask {
		g.forms.ph0 = in.Get(nameVendor) == 0
	}
	if in.Def.Class != group.Selectors {
		g.sampleFeeds()
	}
	return g.encode(t, 0) == ""
}

// sampleFeeds selects the source of IS0 if nothing drives a feed-through.
func (g *groupText) sampleFeeds() {
	early, all := driven(g.Bundle)
	if early>>group.FT0&1 == 0 {
		g.Sel[3] = group.FTE
	}
	if all>>group.FT0&1 == 0 {
		g.Sel[1], g.Sel[4], g.Sel[5] = 1, group.FTE, group.FTE
	}
	if all>>group.FT1&1 == 0 && group.Find(g.Bundle, group.Test) != nil {
		g.Sel[2] = 1
	}
}

// sampleFlags copies the fields of a header that the parts do not determine.
func (g *groupText) sampleFlags(h *isa.Inst) {
	g.Condition, g.olchk, g.exact = h.Get(nameCC), h.Get(nameOlchk) != 0, true
}

func (g *groupText) sampleHeader(t *isa.Target, h *isa.Inst) {
	g.sampleFlags(h)
	g.HasDst = [2]bool{h.Get(nameW0) != 0, h.Get(nameW1) != 0}
	g.Dst[1] = group.OperandOf(bankShared, 300)
	g.end, g.atom, g.Repeat = h.Opt(nameEnd) != 0, h.Opt(nameAtom) != 0, 1+int(h.Opt(nameRepeat))
	g.forms.names[formHeader] = h.Def.Enc.Name
	if !info(h).bits {
		g.sampleParts(t, group.PhaseSets[h.Get(namePhases)])
		return
	}
	set := h.Get(namePhases)
	for i, x := range [...]struct {
		name  string
		class uint8
	}{{"byp", group.Bitmask}, {"or", group.Logical}, {"lsl", group.Shift2}} {
		if set>>i&1 != 0 {
			g.add(t, x.name, x.class)
		}
	}
}

// sampleParts adds an instruction of each phase.
func (g *groupText) sampleParts(t *isa.Target, set uint8) {
	for i, x := range [...]struct {
		name  string
		class uint8
	}{{"fmad", group.P0}, {"mbyp", group.P1}, {"pck", group.Pack}, {"uvsw.emit", group.Backend}} {
		if set>>i&1 != 0 {
			g.add(t, x.name, x.class)
		}
	}
}

// sampleMap copies the sources, selectors or results of a map.
func (g *groupText) sampleMap(in *isa.Inst) {
	m := info(in).mapping
	switch c := in.Def.Class; c {
	case group.Selectors:
		for j := range isa.Name(5) {
			g.Sel[1+j] = uint8(in.Get(nameIS1 + j))
		}
	case group.Dest, group.Dest2:
		g.HasDst[1] = c == group.Dest2
		for j := range m.Fields {
			g.Dst[j] = group.OperandOf(uint8(in.Get(nameDB0+isa.Name(j))), uint16(in.Get(nameD0+isa.Name(j))))
		}
	default:
		base := 0
		if c == group.Upper {
			base = group.FirstUpper
		} else {
			g.IS0 = muxSource[in.Opt(nameMux)]
		}
		for j := range m.Fields {
			g.Src[base+j], g.Named[base+j] = group.OperandOf(uint8(in.Get(nameB0+isa.Name(j))), uint16(in.Get(nameN0+isa.Name(j)))), true
		}
	}
}

// add adds the first instruction of a name in a class.
func (g *groupText) add(t *isa.Target, name string, class uint8) {
	for _, d := range t.Rows(name) {
		if d.Class == class {
			*g.Bundle.Grow() = isa.Inst{Def: d, Word: d.Value(), Size: uint8(d.Enc.Bits / 8), Var: uint8(t.Variant)}
			return
		}
	}
}
