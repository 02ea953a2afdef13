package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// cellsOfHazard selects the relevant cells among those that an instruction touches.
type cellsOfHazard = func(in *isa.Inst, t *isa.Touched, dst []ir.Span) []ir.Span

// hazards are the rows of docs/reference/gcn.md 6.
func hazards() []isa.Hazard {
	return []isa.Hazard{
		{Rule: "lane-select", States: 4, FirstTraits: traitVALU, First: writesFile(FileS), ThenTraits: traitSelectsLane, Then: laneSelect},
		{Rule: "div-fmas-vcc", States: 4, FirstTraits: traitVALU, First: writesVCC, ThenTraits: traitDivFmas, Then: readsVCC},
		{Rule: "vmem-sgpr", States: 5, FirstTraits: traitVALU, First: writesFile(FileS), ThenTraits: traitVMEM, Then: readsFile(FileS)},
		{Rule: "dpp-exec", States: 5, FirstTraits: traitVALU, First: writesFile(FileExec), ThenTraits: traitDPP, Then: only(CellExec)},
		{Rule: "dpp-vgpr", States: 2, First: writesFile(FileV), ThenTraits: traitDPP, Then: laneSource},
		{Rule: "smrd-sgpr", States: 4, FirstTraits: traitVALU, First: writesFile(FileS), ThenTraits: traitSMEM, Then: readsFile(FileS)},
		{Rule: "buffer-resource", States: 4, FirstTraits: traitSALU, First: writesFile(FileS), ThenTraits: traitBufferLoad, Then: bufferResource},
		{Rule: "m0-message", States: 1, FirstTraits: traitSALU, First: writesM0, Then: sendsM0},
		{Rule: "m0-index", States: 1, FirstTraits: traitSALU, First: writesM0, Then: usesM0},
		{Rule: "getreg", States: 2, Stays: true, FirstTraits: traitSetsReg, First: hwCell, ThenTraits: traitGetsReg, Then: hwCell},
		{Rule: "setreg", States: 1, Stays: true, Variants: 1<<gfx6 | 1<<gfx7, FirstTraits: traitSetsReg, First: hwCell, ThenTraits: traitSetsReg, Then: hwCell},
		{Rule: "setreg", States: 2, Stays: true, Variants: 1 << gfx8, FirstTraits: traitSetsReg, First: hwCell, ThenTraits: traitSetsReg, Then: hwCell},
		{Rule: "vskip", States: 2, Stays: true, FirstTraits: traitSetsReg | traitSetsVskip, First: writesVskip, ThenTraits: traitVector, Then: only(CellMode)},
		{Rule: "trapsts", States: 1, Stays: true, FirstTraits: traitSetsReg, First: hwBits(hwTrapSts, 0, 31), ThenTraits: traitRFE, Then: only(ir.Cell{File: FileHW, Index: hwTrapSts})},
		{Rule: "store-data", States: 1, Stays: true, FirstTraits: traitStore, First: longStore, ThenTraits: traitVALU, Then: writesFile(FileV)},
		{Rule: "vccz-smem", FirstTraits: traitSMEM, First: writesVCC, ThenTraits: traitTestsVCC, Then: readsVCC},
		{Rule: "vccz-half", First: writesHalfVCC, ThenTraits: traitTestsVCC, Then: readsVCC},
	}
}

// overlap returns the part of the spans that lies in n cells from c on.
func overlap(spans []ir.Span, c ir.Cell, n int, dst []ir.Span) []ir.Span {
	for _, s := range spans {
		lo, hi := max(int(s.Cell.Index), int(c.Index)), min(int(s.Cell.Index)+int(s.Count), int(c.Index)+n)
		if s.Cell.File == c.File && lo < hi {
			dst = append(dst, ir.Span{Cell: ir.Cell{File: c.File, Index: uint16(lo)}, Count: uint16(hi - lo)})
		}
	}
	return dst
}

func inCells(first ir.Cell, n int, writes bool) cellsOfHazard {
	return func(_ *isa.Inst, t *isa.Touched, dst []ir.Span) []ir.Span {
		if writes {
			return overlap(t.Writes, first, n, dst)
		}
		return overlap(t.Reads, first, n, dst)
	}
}

func writesFile(file uint8) cellsOfHazard { return inCells(ir.Cell{File: file}, 1<<16, true) }
func readsFile(file uint8) cellsOfHazard  { return inCells(ir.Cell{File: file}, 1<<16, false) }

func writesVCC(_ *isa.Inst, t *isa.Touched, dst []ir.Span) []ir.Span {
	return overlap(t.Writes, CellVCC, 2, dst)
}

func readsVCC(_ *isa.Inst, t *isa.Touched, dst []ir.Span) []ir.Span {
	return overlap(t.Reads, CellVCC, 2, dst)
}

func writesM0(_ *isa.Inst, t *isa.Touched, dst []ir.Span) []ir.Span {
	return overlap(t.Writes, CellM0, 1, dst)
}

// writesHalfVCC returns VCC if one half of it is written.
func writesHalfVCC(_ *isa.Inst, t *isa.Touched, dst []ir.Span) []ir.Span {
	n := 0
	for _, s := range overlap(t.Writes, CellVCC, 2, nil) {
		n += int(s.Count)
	}
	if n == 1 {
		dst = append(dst, ir.Span{Cell: CellVCC, Count: 2})
	}
	return dst
}

// only returns a cell, whatever the instruction touches.
func only(c ir.Cell) cellsOfHazard {
	return func(_ *isa.Inst, _ *isa.Touched, dst []ir.Span) []ir.Span {
		return append(dst, ir.Span{Cell: c, Count: 1})
	}
}

// laneSelect returns the register that holds the number of a lane.
func laneSelect(in *isa.Inst, t *isa.Touched, dst []ir.Span) []ir.Span {
	if i := operandOf(in.Def, "src1"); i >= 0 {
		dst = t.Operand(in, &in.Def.Args[i], dst)
	}
	return dst
}

// bufferResource returns the registers of a buffer's resource, without those of its offset.
func bufferResource(in *isa.Inst, t *isa.Touched, dst []ir.Span) []ir.Span {
	if i := operandOf(in.Def, "sbase"); i >= 0 {
		dst = t.Operand(in, &in.Def.Args[i], dst)
	}
	return dst
}

// laneSource returns the register that DPP reads from other lanes: its first source.
func laneSource(in *isa.Inst, t *isa.Touched, dst []ir.Span) []ir.Span {
	if i := operandOf(in.Def, "src0"); i >= 0 {
		dst = t.Operand(in, &in.Def.Args[i], dst)
	}
	return dst
}

func hwCell(in *isa.Inst, _ *isa.Touched, dst []ir.Span) []ir.Span {
	c, _ := hwRegister(in, 0, 31)
	return append(dst, ir.Span{Cell: c, Count: 1})
}

// hwBits returns a hardware register if the instruction touches these bits of it.
func hwBits(id uint16, lo, hi uint) cellsOfHazard {
	return func(in *isa.Inst, _ *isa.Touched, dst []ir.Span) []ir.Span {
		if c, ok := hwRegister(in, lo, hi); ok && c.Index == id {
			dst = append(dst, ir.Span{Cell: c, Count: 1})
		}
		return dst
	}
}

// writesVskip returns MODE if s_setvskip or s_setreg may change its bit VSKIP.
func writesVskip(in *isa.Inst, t *isa.Touched, dst []ir.Span) []ir.Span {
	if in.Def.Enc.Name == "SOPC" {
		return append(dst, ir.Span{Cell: CellMode, Count: 1})
	}
	return hwBits(hwMode, modeVSkip, modeVSkip)(in, t, dst)
}

// sendsM0 returns M0 for instructions that send it: messages, trace data, the global data share.
func sendsM0(in *isa.Inst, _ *isa.Touched, dst []ir.Span) []ir.Span {
	if in.Def.Enc.Name == "SOPP" && traitsOf(in.Def)&traitReadsM0 != 0 || in.Def.Enc.Name == "DS" && in.Field(nameGDS) != 0 {
		dst = append(dst, ir.Span{Cell: CellM0, Count: 1})
	}
	return dst
}

// usesM0 returns M0 for instructions that use it as an index or an address: indexed moves, interpolation, LDS_DIRECT,
// loads to LDS.
func usesM0(in *isa.Inst, t *isa.Touched, dst []ir.Span) []ir.Span {
	enc := in.Def.Enc.Name
	switch {
	case enc == "SOPP" || enc == "DS":
		return dst
	case enc == "MUBUF":
		if in.Field(nameLDS) == 0 {
			return dst
		}
	case in.Has(nameSrc0) && in.Get(nameSrc0) == codeLDSDirect:
	case traitsOf(in.Def)&traitReadsM0 == 0:
		return dst
	}
	return append(dst, ir.Span{Cell: CellM0, Count: 1})
}

// longStore returns the data registers of a store of more than 64 bits that has no scalar offset.
func longStore(in *isa.Inst, t *isa.Touched, dst []ir.Span) []ir.Span {
	i := operandOf(in.Def, "vdata", "data")
	if traitsOf(in.Def)&traitStore == 0 || i < 0 {
		return dst
	}
	if j := operandOf(in.Def, "soffset"); j >= 0 {
		if len(t.Operand(in, &in.Def.Args[j], nil)) > 0 {
			return dst
		}
	}
	if data := t.Operand(in, &in.Def.Args[i], nil); len(data) == 1 && data[0].Count > 2 {
		dst = append(dst, data[0])
	}
	return dst
}
