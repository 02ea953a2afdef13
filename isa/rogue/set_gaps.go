package rogue

import (
	"fmt"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// gaps describes the bits that no row of a class has, as far as it is known. docs/reference/rogue.md 2 and 5.
func gaps() []isa.Gap {
	is := func(at bits.Ranges, values ...uint64) isa.FieldIn { return isa.FieldIn{At: at, Values: values} }
	op := func(values ...uint64) isa.FieldIn { return is(span(2, 4, 1), values...) }
	control := func(code, msg string, of ...isa.FieldIn) isa.Gap {
		return isa.Gap{Class: group.Control, If: of, Code: code, Msg: msg}
	}
	private := func(n uint64, name string) isa.Gap {
		return control(isa.ErrEncoding, fmt.Sprintf("control instruction %d, %s: its format is not public", n, name), op(n))
	}
	test := several(span(0, 3, 1), bit(1, 0))
	list := []isa.Gap{
		{Class: group.Header, If: []isa.FieldIn{is(bit(1, 7), 1), is(span(2, 6, 5), 1)}, Code: isa.ErrReserved, Msg: "ALU type 1 is not defined"},
		{Class: group.Header, If: []isa.FieldIn{is(bit(1, 7), 1), is(bit(2, 4), 1)}, Code: isa.ErrReserved, Msg: "the reserved bit 4 of header byte 2 is set"},
		private(9, "uniq"), private(10, "fetch"),
		control("", "control instruction %d is not defined", op(upward(ctrlDITR, 4)...)),
		control(isa.ErrReserved, "branch condition 3 is not defined", op(ctrlBranch), is(span(3, 3, 2), 3)),
		control(isa.ErrReserved, "reserved bits of the branch are set", op(ctrlBranch)),
		{Class: group.Backend, If: []isa.FieldIn{is(span(0, 7, 5), 7), is(span(0, 2, 0), 4), is(span(1, 6, 5), 0)}, Code: isa.ErrReserved, Msg: "sample dimension 0 is not defined"},
		{Class: group.Test, If: []isa.FieldIn{is(test, upward(9, 4)...), is(span(0, 7, 4), 15)}, Msg: "test %d is not defined"},
	}
	for _, class := range [...]int{group.P0, group.P1} {
		list = append(list, isa.Gap{Class: class, If: []isa.FieldIn{is(span(0, 7, 5), 4), is(span(0, 3, 0), codeSOP)}, Code: isa.ErrEncoding,
			Msg: "f16sop: the layout of its other bytes is not public"})
	}
	return list
}

// upward lists the values from v up in a field of n bits.
func upward(v uint64, n int) (list []uint64) {
	for v++; v < 1<<n; v++ {
		list = append(list, v)
	}
	return list
}
