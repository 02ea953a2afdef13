package valhall

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Operands and modifiers of forms. docs/reference/valhall.md 2 to 5.

var (
	pageKind = &isa.Kind{Name: "the page of uniform words and special values"}
	pagePart = isa.Part{Name: "page", At: pageBits, Kind: pageKind, Shared: true, Conflict: "sources of two pages: an instruction reads uniform words and special values of one"}
)

// letters are the names of sources.
const letters = "abcd"

// src is source i, in byte i of the word, with a type.
func src(i int, t ir.Type) operand {
	k, width := source, 32
	if t.Bits() == 64 {
		k, width = pair, 64
	}
	return operand{used: true, src: origin{typ: t}, arg: isa.Arg{Name: letters[i : i+1], At: span(8*i, 8*i+7), Kind: k, Role: isa.Use, Width: width,
		AnyOrder: true, Parts: []isa.Part{pagePart}}}
}

// at is the source, in another byte of the word.
func (o operand) at(lo int) operand {
	o.arg.At = span(lo, lo+7)
	return o
}

// index is the number of the source.
func (o operand) index() int { return int(o.arg.Name[0] - 'a') }

// having is the source with a part after it.
func (o operand) having(name string, at bits.Ranges, k *isa.Kind, def uint64) operand {
	n := len(o.arg.Parts)
	o.arg.Parts = append(o.arg.Parts[:n:n], isa.Part{Name: name, At: at, Kind: k, Side: isa.After, Default: def})
	return o
}

// signs adds sign and absolute value.
func (o operand) signs() operand {
	i, n := o.index(), o.arg.Name
	return o.having("neg_"+n, span(38-2*i, 38-2*i), negate, 0).having("abs_"+n, span(39-2*i, 39-2*i), absolute, 0)
}

// swizzled adds a swizzle, widening or lane.
func (o operand) swizzled(m mod, lo, n int, k *isa.Kind, def uint64) operand {
	o.src.mod = m
	return o.having("swz_"+o.arg.Name, span(lo, lo+n-1), k, def)
}

// half is the widening of one half to f32, halves the swizzle of two halves.
func (o operand) half() operand   { return o.swizzled(modWiden2, 28-2*o.index(), 2, widen2, 0) }
func (o operand) halves() operand { return o.swizzled(modSwz16, 28-2*o.index(), 2, swizzle16, swz01) }

// someHalf is one half of 16 bits: a swizzle of which only the low half is used.
func (o operand) someHalf() operand { return o.swizzled(modSwz16, 28-2*o.index(), 2, someHalf, swz01) }

// wide is the swizzle of an integer source: its bytes, halves or words, extended as the instruction says.
func (o operand) wide(signed bool) operand {
	lo, word := 36, widen64
	if o.index() == 1 {
		lo, word = 26, widenEither
	}
	o.src.signed = signed
	switch o.src.typ {
	case ir.V4I8:
		return o.swizzled(modWiden8, lo, 4, widen8, 0)
	case ir.V2I16:
		return o.swizzled(modWiden16, lo, 4, widen16, swz01)
	case ir.I64:
		return o.swizzled(modWiden64, lo, 4, word, 0)
	}
	return o.swizzled(modWiden32, lo, 4, widen32, 0)
}

// byte is a source of which one byte is used.
func (o operand) byte(lo int, signed bool) operand {
	o.src.signed = signed
	return o.swizzled(modByte, lo, 2, byteLane, 0)
}

func (o operand) bytes(signed bool) operand {
	o.src.signed = signed
	return o.swizzled(modBytes, 36, 4, halfBytes, 0)
}

// Float sources: f32 with the halves of a register as f16, v2f16 with swizzles.
func float32s(i int) operand { return src(i, ir.F32).signs().half() }
func float16s(i int) operand { return src(i, ir.V2F16).signs().halves() }

// oneHalf is an f16 that one bit selects.
func oneHalf(i int) operand {
	return src(i, ir.F16).signs().swizzled(modHalf, 28-2*i, 1, halfLane, 0)
}

// submatrix is a source of MMUL of which one of two parts is used.
func (o operand) submatrix() operand {
	return o.having("swz_"+o.arg.Name, span(28-2*o.index(), 29-2*o.index()), matrixPart, 0)
}

// shiftAmount is the second source of shifts with elements of a type, inverted the third, which may be inverted.
func shiftAmount(t ir.Type) operand {
	k := shiftLane
	switch t {
	case ir.V2I16:
		k = shiftLanes
	case ir.V4I8:
		k = shiftBytes
	}
	return src(1, ir.V4I8).swizzled(modShift, 26, 4, k, 0)
}

func inverted(t ir.Type) operand { return src(2, t).having("not", span(35, 35), invert, 0) }

// tested is the source that a branch tests.
func tested() operand { return src(0, ir.I32).swizzled(modCombine, 37, 3, combine, 0) }

// Results: of 32 bits or of named halves; of 64 bits.
func dst() operand   { return dstOf(32) }
func dst64() operand { return dstOf(64) }

func dstOf(width int) operand {
	return operand{arg: isa.Arg{Name: "dst", At: dstBits, Kind: result, Role: isa.Define, Width: width,
		Parts: []isa.Part{{Name: "write_mask", At: maskBits, Kind: halves, Side: isa.After, Default: 3}}}}
}

// dstNarrow is an f32 result that becomes f16 if the destination is one half or both.
func dstNarrow() operand {
	o := dstOf(32)
	o.arg.Parts[0].Kind = narrow
	return o
}

// read and written are register groups with staging flags in the word; counted groups are those of texture
// instructions, whose words have no flags.
func read() operand    { return groupOf(isa.Use, stagingRead) }
func written() operand { return groupOf(isa.Define, stagingWrite) }
func both() operand    { return groupOf(isa.Use, stagingRead|stagingWrite) }

func groupOf(role isa.Role, flags uint64) operand {
	o := counted(role)
	o.arg.Parts = append(o.arg.Parts, isa.Part{Name: "staging_flags", At: maskBits, Kind: stagingUse[flags], Default: flags})
	return o
}

func counted(role isa.Role) operand {
	return operand{arg: isa.Arg{Name: "staging", At: dstBits, Kind: staged, Role: role, Width: 32, Parts: []isa.Part{{Name: "staging_count", At: countBits, Kind: count}}}}
}

// returned is the register group that a message writes in addition to one that it reads.
func returned(at bits.Ranges) operand {
	return operand{arg: isa.Arg{Name: "result", At: at, Kind: stagedResult, Role: isa.Define, Width: 32, Parts: []isa.Part{{Name: "result_count", At: writesBits, Kind: count}}}}
}

// written8 is returned in the place of a result, if the word has flags that it is written.
func written8() operand {
	o := returned(dstBits)
	o.arg.Parts = append(o.arg.Parts, isa.Part{Name: "staging_flags", At: maskBits, Kind: stagingUse[stagingWrite], Default: stagingWrite})
	return o
}

// number is a numeric operand.
func number(name string, lo, n int, k *isa.Kind) operand {
	return operand{arg: isa.Arg{Name: name, At: span(lo, lo+n-1), Kind: k}}
}

// pick is a modifier of the mnemonic, in a one-word mnemonic. If its default prints, it is never left out.
func pick(name string, lo, n int, k *isa.Kind, def uint64) isa.Arg {
	return isa.Arg{Name: name, At: span(lo, lo+n-1), Kind: k, Place: isa.Suffix, Default: def, Needed: k.Table[def] != "" || k.Reserved[def]}
}

func on(name string, at int) isa.Arg { return pick(name, at, 1, flag(name), 0) }

// mods is a list of modifiers.
func mods(list ...isa.Arg) []isa.Arg { return list }

// secondary is the secondary opcode, in bits lo to hi.
func secondary(lo, hi int, v uint64) []isa.Fixed { return []isa.Fixed{isa.Must(lo, hi, v)} }

// shiftOp is the secondary opcode of shifts: the logic operation, and the kind of shift. docs/reference/valhall.md 1.1.
func shiftOp(op, how uint64) []isa.Fixed {
	return []isa.Fixed{isa.Must(24, 25, op), isa.Must(32, 33, how)}
}
