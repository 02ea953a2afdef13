package attila

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

func predCell(n uint64) ir.Cell { return ir.Cell{File: FileP, Index: uint16(n)} }

// limits are the numbers of registers of banks.
var limits = [8]uint64{bankIn: NumIn, bankOut: NumOut, bankParam: 256, bankTemp: NumTemp, bankAddr: NumAddr, bankParam2: 256}

// files are the register files by bank.
var files = [8]uint8{bankIn: FileI, bankOut: FileO, bankTemp: FileR, bankAddr: FileA}

// addressCell returns the component of the address register that constants are relative to; see boolean.
func addressCell(in *isa.Inst, rel relField) ir.Cell {
	if rowOf(in).form.typ == ir.I1 {
		rel = boolRel(in)
	}
	return ir.Cell{File: FileA, Index: uint16(4*rel.reg + rel.comp)}
}

// sourceCell returns the cell of component c of source i, which is a register.
func sourceCell(in *isa.Inst, i, c int) ir.Cell {
	return ir.Cell{File: files[srcBankOf(in, i)], Index: uint16(4*srcReg(in, i)) + uint16(pick(srcSwz(in, i), c))}
}

// resultCell returns the cell of component c of the result.
func resultCell(in *isa.Inst, c int) ir.Cell {
	return ir.Cell{File: files[in.Get(nameRBank)], Index: uint16(4*in.Get(nameDst)) + uint16(c)}
}

// sourceCells appends the cells of a source: for a register the components that the instruction reads, for a relative
// constant the address register.
func sourceCells(dst []isa.Span, in *isa.Inst, a *isa.Arg, _ uint64) []isa.Span {
	i := sourceIndex(in, a)
	if isParam(srcBankOf(in, i)) {
		return relCells(dst, in)
	}
	for c := range 4 {
		if rowOf(in).mean.uses(in, i, c) && srcReg(in, i) < limits[srcBankOf(in, i)] {
			dst = append(dst, isa.Span{Cell: sourceCell(in, i, c), N: 1})
		}
	}
	return dst
}

// boolCells appends the cells of a condition.
func boolCells(dst []isa.Span, in *isa.Inst, a *isa.Arg, _ uint64) []isa.Span {
	switch b := splitBool(in, sourceIndex(in, a)); {
	case b.param:
		return relCells(dst, in)
	case b.literal || b.n >= NumPred:
		return dst
	default:
		return append(dst, isa.Span{Cell: predCell(b.n), N: 1})
	}
}

func relCells(dst []isa.Span, in *isa.Inst) []isa.Span {
	if rel := relOf(in); usesRel(in) && rel.reg < NumAddr {
		dst = append(dst, isa.Span{Cell: addressCell(in, rel), N: 1})
	}
	return dst
}

// resultCells appends the components of the result in the mask.
func resultCells(dst []isa.Span, in *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
	if v >= limits[in.Get(nameRBank)] {
		return dst
	}
	for c := range 4 {
		if rowOf(in).mean.writes(in, c) {
			dst = append(dst, isa.Span{Cell: resultCell(in, c), N: 1})
		}
	}
	return dst
}
