package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// logicRows are shifts with a logic operation behind, and choices by bits. docs/reference/valhall.md 10.2.
func logicRows() []row {
	keep, not := on("signed", 34), on("not_result", 30)
	right := func(result operand, t ir.Type) *form {
		return newForm(mods(keep, not), result, src(0, t).wide(false), shiftAmount(t), inverted(t))
	}
	left := func(result operand, t ir.Type) *form {
		return newForm(mods(not), result, src(0, t).wide(false), shiftAmount(t), inverted(t))
	}
	muxArg := mods(pick("mux", 32, 2, mux, 1))
	right32, left32, right16, left16 := right(dst(), ir.I32), left(dst(), ir.I32), right(dst(), ir.V2I16), left(dst(), ir.V2I16)
	right8, left8, right64, left64 := right(dst(), ir.V4I8), left(dst(), ir.V4I8), right(dst64(), ir.I64), left(dst64(), ir.I64)
	return []row{
		{name: "RSHIFT_AND.i32", op: 0xb4, fix: shiftOp(0, 0), unit: unitSFU, form: right32, mean: shifted(V.ShrU, V.And), doc: "(a >> b) & c", ref: "10.2", options: []string{choiceShiftWiden}},
		{name: "RSHIFT_OR.i32", op: 0xb4, fix: shiftOp(1, 0), unit: unitSFU, form: right32, mean: shifted(V.ShrU, V.Or), doc: "(a >> b) | c", ref: "10.2", options: []string{choiceShiftWiden}},
		{name: "RSHIFT_XOR.i32", op: 0xb4, fix: shiftOp(2, 0), unit: unitSFU, form: right32, mean: shifted(V.ShrU, V.Xor), doc: "(a >> b) ^ c", ref: "10.2", options: []string{choiceShiftWiden}},
		{name: "LSHIFT_AND.i32", op: 0xb4, fix: shiftOp(0, 1), unit: unitSFU, form: left32, mean: shifted(V.Shl, V.And), doc: "(a << b) & c", ref: "10.2"},
		{name: "LSHIFT_OR.i32", op: 0xb4, fix: shiftOp(1, 1), unit: unitSFU, form: left32, mean: shifted(V.Shl, V.Or), doc: "(a << b) | c", ref: "10.2"},
		{name: "LSHIFT_XOR.i32", op: 0xb4, fix: shiftOp(2, 1), unit: unitSFU, form: left32, mean: shifted(V.Shl, V.Xor), doc: "(a << b) ^ c", ref: "10.2"},
		{name: "RSHIFT_AND.v2i16", op: 0xb5, fix: shiftOp(0, 0), unit: unitSFU, form: right16, mean: shifted(V.ShrU, V.And), doc: "(a >> b) & c", ref: "10.2", options: []string{choiceShiftWiden}},
		{name: "RSHIFT_OR.v2i16", op: 0xb5, fix: shiftOp(1, 0), unit: unitSFU, form: right16, mean: shifted(V.ShrU, V.Or), doc: "(a >> b) | c", ref: "10.2", options: []string{choiceShiftWiden}},
		{name: "RSHIFT_XOR.v2i16", op: 0xb5, fix: shiftOp(2, 0), unit: unitSFU, form: right16, mean: shifted(V.ShrU, V.Xor), doc: "(a >> b) ^ c", ref: "10.2", options: []string{choiceShiftWiden}},
		{name: "LSHIFT_AND.v2i16", op: 0xb5, fix: shiftOp(0, 1), unit: unitSFU, form: left16, mean: shifted(V.Shl, V.And), doc: "(a << b) & c", ref: "10.2"},
		{name: "LSHIFT_OR.v2i16", op: 0xb5, fix: shiftOp(1, 1), unit: unitSFU, form: left16, mean: shifted(V.Shl, V.Or), doc: "(a << b) | c", ref: "10.2"},
		{name: "LSHIFT_XOR.v2i16", op: 0xb5, fix: shiftOp(2, 1), unit: unitSFU, form: left16, mean: shifted(V.Shl, V.Xor), doc: "(a << b) ^ c", ref: "10.2"},
		{name: "RSHIFT_AND.v4i8", op: 0xb6, fix: shiftOp(0, 0), unit: unitSFU, form: right8, mean: shifted(V.ShrU, V.And), doc: "(a >> b) & c", ref: "10.2", options: []string{choiceByteAmounts}},
		{name: "RSHIFT_OR.v4i8", op: 0xb6, fix: shiftOp(1, 0), unit: unitSFU, form: right8, mean: shifted(V.ShrU, V.Or), doc: "(a >> b) | c", ref: "10.2", options: []string{choiceByteAmounts}},
		{name: "RSHIFT_XOR.v4i8", op: 0xb6, fix: shiftOp(2, 0), unit: unitSFU, form: right8, mean: shifted(V.ShrU, V.Xor), doc: "(a >> b) ^ c", ref: "10.2", options: []string{choiceByteAmounts}},
		{name: "LSHIFT_AND.v4i8", op: 0xb6, fix: shiftOp(0, 1), unit: unitSFU, form: left8, mean: shifted(V.Shl, V.And), doc: "(a << b) & c", ref: "10.2", options: []string{choiceByteAmounts}},
		{name: "LSHIFT_OR.v4i8", op: 0xb6, fix: shiftOp(1, 1), unit: unitSFU, form: left8, mean: shifted(V.Shl, V.Or), doc: "(a << b) | c", ref: "10.2", options: []string{choiceByteAmounts}},
		{name: "LSHIFT_XOR.v4i8", op: 0xb6, fix: shiftOp(2, 1), unit: unitSFU, form: left8, mean: shifted(V.Shl, V.Xor), doc: "(a << b) ^ c", ref: "10.2", options: []string{choiceByteAmounts}},
		{name: "RSHIFT_AND.i64", op: 0x1b7, fix: shiftOp(0, 0), unit: unitSFU, form: right64, mean: shifted(V.ShrU, V.And), doc: "(a >> b) & c", ref: "10.2", options: []string{choiceShiftWiden}},
		{name: "RSHIFT_OR.i64", op: 0x1b7, fix: shiftOp(1, 0), unit: unitSFU, form: right64, mean: shifted(V.ShrU, V.Or), doc: "(a >> b) | c", ref: "10.2", options: []string{choiceShiftWiden}},
		{name: "RSHIFT_XOR.i64", op: 0x1b7, fix: shiftOp(2, 0), unit: unitSFU, form: right64, mean: shifted(V.ShrU, V.Xor), doc: "(a >> b) ^ c", ref: "10.2", options: []string{choiceShiftWiden}},
		{name: "LSHIFT_AND.i64", op: 0x1b7, fix: shiftOp(0, 1), unit: unitSFU, form: left64, mean: shifted(V.Shl, V.And), doc: "(a << b) & c", ref: "10.2"},
		{name: "LSHIFT_OR.i64", op: 0x1b7, fix: shiftOp(1, 1), unit: unitSFU, form: left64, mean: shifted(V.Shl, V.Or), doc: "(a << b) | c", ref: "10.2"},
		{name: "LSHIFT_XOR.i64", op: 0x1b7, fix: shiftOp(2, 1), unit: unitSFU, form: left64, mean: shifted(V.Shl, V.Xor), doc: "(a << b) ^ c", ref: "10.2"},
		{name: "MUX.i32", op: 0xb8, unit: unitSFU, form: newForm(muxArg, dst(), src(0, ir.I32), src(1, ir.I32), src(2, ir.I32)), mean: isa.Eff(muxed), doc: "a where c says so, else b", ref: "10.2"},
		{name: "MUX.v2i16", op: 0xb9, unit: unitSFU, form: newForm(muxArg, dst(), src(0, ir.V2I16).halves(), src(1, ir.V2I16).halves(), src(2, ir.V2I16).halves()), mean: isa.Eff(muxed), doc: "a where c says so, else b", ref: "10.2"},
		{name: "MUX.v4i8", op: 0xba, unit: unitSFU, form: newForm(muxArg, dst(), src(0, ir.V4I8), src(1, ir.V4I8), src(2, ir.V4I8)), mean: isa.Eff(muxed), doc: "a where c says so, else b", ref: "10.2"},
	}
}
