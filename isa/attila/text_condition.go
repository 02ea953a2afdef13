package attila

import (
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// predDest is a predicate as result: p3.
var predDest = &isa.Kind{Name: "a predicate", Table: predNames[:], Samples: []uint64{0, 1, 31, 5},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		_, n, ok := parseReg(s, "p", "a predicate")
		return n, ok
	},
	Cells: func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return append(dst, isa.Span{Cell: predCell(v % NumPred), N: 1})
	}}

// conditionParts are those of boolean source i, all read and printed by its kind, since their meaning depends on the
// bank.
func conditionParts(i int) []isa.Part {
	parts := sourceParts(i)
	for j := range parts {
		parts[j].Side, parts[j].Default = isa.Silent, 0
	}
	parts[partBank].Kind = anyBank
	return parts
}

// boolean is a predicate, a component of a constant, true or false. For andp's relative constants the reference
// decodes the component of the address register from the wrong bit, so that it is always y. docs/reference/attila.md
// 12 no. 8.
var boolean = &isa.Kind{Name: "a condition", Samples: []uint64{1, 0, 2, 31, 3}, Text: boolText, Parse: parseBool, Cells: boolCells}

func boolText(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, _ uint64) []byte {
	b := splitBool(in, sourceIndex(in, a))
	switch {
	case b.literal:
		return strconv.AppendBool(dst, b.not)
	case b.not:
		dst = append(dst, '!')
	}
	if !b.param {
		return append(dst, predNames[b.n]...)
	}
	return append(appendSource(dst, b.bank, b.n, boolRel(in)), selects[b.swz]...)
}

func parseBool(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
	set := func(part int, v uint64) bool { return s.SetPart(in, a, part, v) }
	if !set(partBank, bankTemp) {
		return 0, false
	}
	switch {
	case s.Accept("true"):
		return 0, set(partNeg, 1) && set(partAbs, 1)
	case s.Accept("false"):
		return 0, set(partAbs, 1)
	}
	if s.Byte('!') && !set(partNeg, 1) {
		return 0, false
	}
	if s.Peek() != 'c' {
		_, n, ok := parseReg(s, "p", "a predicate, constant, true or false")
		return n, ok
	}
	at := s.Pos
	v, ok := parseSource(s, in, a, "c", "a constant")
	if !ok {
		return 0, false
	}
	if rel := relOf(in); rel.on && rel != boolRel(in) {
		return 0, s.Fail(at, isa.ErrOperand, "relative constants of andp take component y of the address register")
	}
	return v, parseSelect(s, in, a, at)
}

// parseSelect reads the component of a constant used as a condition.
func parseSelect(s *isa.Scan, in *isa.Inst, a *isa.Arg, at int) bool {
	swz := uint64(noSelect)
	if s.Peek() == '.' {
		var ok bool
		if swz, ok = parseSwizzle(s, in, a); !ok {
			return false
		}
		if swz == identity {
			swz = noSelect
		}
		if swz != noSelect && swz%0x55 != 0 {
			return s.Fail(at, isa.ErrOperand, "a condition is one component of a constant")
		}
	}
	return s.SetPart(in, a, partSwz, swz)
}

// canonBool clears what the text of boolean source i omits: the bank and swizzle of predicates, the register of
// literals, the absolute flag and unprinted swizzles of constants.
func canonBool(in *isa.Inst, i int) {
	b, at := splitBool(in, i), isa.Name(i)
	switch {
	case b.param:
		in.Put(nameAbs1+at, 0)
		if b.swz%0x55 != 0 {
			in.Put(nameSwz1+at, noSelect)
		}
	case b.literal:
		in.Put(nameBank1+at, bankTemp)
		in.Put(nameSrc1+at, 0)
		in.Put(nameSwz1+at, 0)
	default:
		in.Put(nameBank1+at, bankTemp)
		in.Put(nameSwz1+at, 0)
	}
}

// unit is a texture unit or attribute; the reference prints the modifiers of operand 2 with it.
var unit = &isa.Kind{Name: "a texture unit or attribute", Table: unitNames[:],
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		_, n, ok := parseReg(s, "t", "a texture unit or attribute")
		return n, ok
	},
	Samples: []uint64{0, 1, 15}}

// unitParts are those of a unit: it has no bank.
var unitParts = []isa.Part{{Name: "neg2", Side: isa.Before}, {Name: "abs2", Side: isa.Around}, {Name: "swz2", Side: isa.After, Default: identity}}

var sampleNames [256]string // see fillNames

// sample is a fragment sample: s3.
var sample = &isa.Kind{Name: "a sample", Table: sampleNames[:], Samples: []uint64{0, 3, 15},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		_, n, ok := parseReg(s, "s", "a sample")
		return n, ok
	}}

// killedParts are those of the source of kil, kls, zxp and zxs. With relative addressing it prints as the absolute
// value of a constant, whatever its bank and flags, so that its kind prints the bars and what is between them.
// docs/reference/attila.md 13.
func killedParts() []isa.Part {
	parts := sourceParts(0)
	parts[partAbs].Side, parts[partSwz].Side = isa.Silent, isa.Silent
	return parts
}

var killed = &isa.Kind{Name: source.Name, Samples: source.Samples, Cells: sourceCells, Text: killedText, Parse: parseKilled}

func killedText(_ isa.Printer, dst []byte, in *isa.Inst, a *isa.Arg, v uint64) []byte {
	bank, abs, rel := killedAs(in)
	if abs != 0 {
		dst = append(dst, '|')
	}
	dst = appendSource(dst, bank, v, rel)
	dst = append(dst, swizzles[a.Part(in.Word, partSwz)]...)
	if abs != 0 {
		dst = append(dst, '|')
	}
	return dst
}

// killedAs returns the bank and absolute flag that the source prints with.
func killedAs(in *isa.Inst) (bank, abs uint64, rel relField) {
	bank, abs, rel = in.Get(nameBank1), in.Get(nameAbs1), relOf(in)
	if rel.on {
		abs = 1
		if bank != bankParam2 {
			bank = bankParam
		}
	}
	return bank, abs, rel
}

func parseKilled(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
	bars := s.Byte('|')
	if bars && !s.SetPart(in, a, partAbs, 1) {
		return 0, false
	}
	v, ok := source.Parse(s, in, a)
	if !ok {
		return 0, false
	}
	if s.Peek() == '.' {
		swz, ok := parseSwizzle(s, in, a)
		if !ok || !s.SetPart(in, a, partSwz, swz) {
			return 0, false
		}
	}
	if bars && !s.Byte('|') {
		return 0, s.Expect(`"|"`)
	}
	return v, true
}

func canonKilled(in *isa.Inst) {
	bank, abs, _ := killedAs(in)
	in.Put(nameBank1, bank)
	in.Put(nameAbs1, abs)
}
