package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// logicRows are shifts followed by a logic operation, and selects by bits. docs/reference/valhall.md 10.2.
func logicRows() []row {
	muxArg := mods(pick("mux", 32, 2, mux, 1))
	var rows []row
	keep, not := on("signed", 34), on("not_result", 30)
	for _, t := range shiftTypes {
		operands := []operand{dstOf(max(t.typ.Bits(), 32)), src(0, t.typ).wide(false), shiftAmount(t.typ), inverted(t.typ)}
		plain, signed := newForm(mods(not), operands...), newForm(mods(keep, not), operands...)
		for how, move := range moves {
			for op, logic := range logics {
				f := plain
				if move.signed != nil {
					f = signed
				}
				rows = append(rows, row{name: move.name + "_" + logic.name + "." + t.name, op: t.op, fix: shiftOp(uint64(op), uint64(how)), unit: unitSFU,
					form: f, mean: shifted(move.f, move.signed, logic.f), doc: "(a " + move.doc + " b) " + logic.doc + " c", ref: "10.2"})
			}
		}
	}
	return append(rows, []row{
		{name: "MUX.i32", op: 0xb8, unit: unitSFU, form: newForm(muxArg, dst(), src(0, ir.I32), src(1, ir.I32), src(2, ir.I32)), mean: isa.Effect(muxed), doc: "a where c says so, else b", ref: "10.2"},
		{name: "MUX.v2i16", op: 0xb9, unit: unitSFU, form: newForm(muxArg, dst(), src(0, ir.V2I16).halves(), src(1, ir.V2I16).halves(), src(2, ir.V2I16).halves()), mean: isa.Effect(muxed), doc: "a where c says so, else b", ref: "10.2"},
		{name: "MUX.v4i8", op: 0xba, unit: unitSFU, form: newForm(muxArg, dst(), src(0, ir.V4I8), src(1, ir.V4I8), src(2, ir.V4I8)), mean: isa.Effect(muxed), doc: "a where c says so, else b", ref: "10.2"},
	}...)
}

// shiftTypes are the elements of shifts, and their opcodes.
var shiftTypes = [...]struct {
	name string
	op   uint64
	typ  ir.Type
}{{"i32", 0xb4, ir.I32}, {"v2i16", 0xb5, ir.V2I16}, {"v4i8", 0xb6, ir.V4I8}, {"i64", 0x1b7, ir.I64}}

// moves are the kinds of shifts, by code; signed is the kind with a signed shift.
var moves = [...]struct {
	name, doc string
	f, signed isa.Binary
}{{"RSHIFT", ">>", V.ShrU, V.ShrS}, {"LSHIFT", "<<", V.Shl, nil}, {"RROT", "rotated right by", rotatedRight, nil}, {"LROT", "rotated left by", rotatedLeft, nil}}

// logics are the logic operations after the shift.
var logics = [...]struct {
	name, doc string
	f         isa.Binary
}{{"AND", "&", V.And}, {"OR", "|", V.Or}, {"XOR", "^", V.Xor}}
