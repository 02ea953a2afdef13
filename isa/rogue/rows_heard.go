package rogue

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// heardRows are rows under the names and with the operands of PCO and Mesa 24.1 that differ from those here. They are
// read in all dialects and become the row of the same bits. docs/reference/rogue.md 9.
func heardRows() (rows []row) {
	fence := word("drc0", "drc1") // no bits encode it
	for _, r := range stateRows() {
		args := r.args
		switch r.name {
		case "atst":
			for inBits, name := range [...]string{"alphaf", "alphatst"} {
				ifb := isa.Arg{Name: names[nameIFB], Kind: plain, At: bit(0, 0), Place: isa.Hidden, Default: uint64(inBits)}
				r.name, r.args = name, append([]isa.Arg{ifb, args[1], fence}, args[2:]...)
				rows = append(rows, r)
			}
		case "depthf":
			r.args = append([]isa.Arg{fence}, args...)
			rows = append(rows, r)
		}
	}
	for _, r := range bitPhase2Rows() {
		if r.classes[0] == group.Shift2 {
			rows = append(rows, r.shiftOp())
		}
	}
	for _, r := range bitPhase0Rows() {
		switch {
		case r.name == "msk":
			r.args = append(r.args[:len(r.args)-2:len(r.args)-2], word("ft2"), source(0), source(1), source(2))
			r.name = "msk_bbyp0s1"
		case r.name == "byp" && r.classes[0] == group.Shift1:
			r.args = append(r.args[:len(r.args)-1:len(r.args)-1], word("ft3"), source(2))
			r.name = "bbyp0s1"
		default:
			continue
		}
		rows = append(rows, r)
	}
	rows = append(rows, maskedStores()...)
	for i := range rows {
		r := &rows[i]
		r.alias, r.heard, r.also, r.spell, r.ref = true, true, nil, nil, "9"
	}
	return rows
}

// shiftOp is a shift as one operation with a mode, and with the source of the sign.
func (r row) shiftOp() row {
	at := 0
	for r.args[at].Place == isa.Hidden {
		at++
	}
	r.args = append(r.args[:at:at], word("ft5"), word("ft4"), source(4), word("_", "ft0", "ft3"))
	r.name = "shift." + strings.ReplaceAll(r.name, ".", "_")
	return r
}

// maskedStores are stores with a mask and without a second-level cache mode, as in Mesa 24.1.
func maskedStores() (rows []row) {
	for _, r := range memoryRows() {
		if name, _ := strings.CutSuffix(r.name, ".regbl"); name != "st" || !strings.HasSuffix(r.layout.name, "_ext24") {
			continue
		}
		r.name, r.args = "st", slices.Clone(r.args)
		for i := range r.args {
			switch a := &r.args[i]; a.Name {
			case names[nameSLC]:
				a.Place, a.Needed, a.Kind = isa.Hidden, false, plain
			case names[nameMaskSrc]:
				a.Kind = pick("a source")
			}
		}
		rows = append(rows, r)
	}
	return rows
}
