package valhall

import "github.com/heddle-gpu/heddle/isa"

// Modifiers that many rows have, and the fields in places that rows leave free.
var slotArg, vectorArg, formatArg, roundArg, roundAnyArg, stickyArg, clampArg, subgroupArg, flowArg, placeholder isa.Arg

// unplaced is the placeholder of a row that uses the lowest bit of its place.
var unplaced operand

// none0 is the default of modifiers that always have text.
const none0 = 0

// fillForms makes them.
func fillForms() {
	slotArg = pick("slot", 30, 3, slot, none0)
	vectorArg, formatArg = pick("vector_size", 28, 2, vector, 0), pick("register_format", 24, 3, format, none0)
	roundArg, clampArg = pick("round_mode", 30, 2, round, 0), pick("clamp", 32, 2, clamp, 0)
	roundAnyArg, stickyArg = pick("round_mode", 30, 3, roundAny, 0), on("sticky", 34)
	subgroupArg = pick("subgroup_size", 36, 4, subgroup, 3)
	flowArg = isa.Arg{Name: "flow", At: flowBits, Kind: flow, Place: isa.Suffix}
	placeholder = fixedValue(40, 47, 0xc0)
	unplaced = operand{arg: fixedValue(41, 47, 0x60)}
}

// fixedValue is a field with one value, which text does not express.
func fixedValue(lo, hi int, v uint64) isa.Arg {
	return isa.Arg{Name: "placeholder", At: span(lo, hi), Kind: &isa.Kind{Name: "a placeholder", Canon: func(uint64) uint64 { return v }}, Place: isa.Hidden, Default: v}
}

// ignored are bits that hardware ignores.
func ignored(lo, hi int) operand {
	a := fixedValue(lo, hi, 0)
	a.Name = "ignored"
	return operand{arg: a}
}

// loadLane is the destination lane of a load of a width; most widths have only one.
func loadLane(width string) isa.Arg {
	k := loadLanes[width]
	a := pick("load_lane", 36, 3, k, firstValue(k))
	if k.Spell == nil {
		a.Place = isa.Hidden
	}
	return a
}

// firstValue is the first valid value of a kind.
func firstValue(k *isa.Kind) uint64 {
	for v := range k.Reserved {
		if !k.Reserved[v] && k.Table[v] == "" {
			return uint64(v)
		}
	}
	return 0
}
