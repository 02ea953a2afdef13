package gcn

import (
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// The control flow data of the set. docs/reference/gcn.md 4 to 6.

func newFlow() *isa.Flow {
	return &isa.Flow{
		Traits:  traitsOf,
		States:  waitStates,
		Pending: operations,
		Hazards: hazards(),
		Active:  activeChange,
		Unset:   unsetRule,
		Group:   groupAccess,
		Name:    cellName,
		Wait:    waitText,
		Idle:    func(states int) string { return "s_nop " + strconv.Itoa(states-1) },
		Doubts:  []int{queueFlat},
		Full:    []int{queueEXP, queueGDSData, queueStoreData, queueEXPPos, queueEXPParam},
		Callers: []int{queueVM, queueLGKM, queueEXP},
		Never:   []ir.Cell{CellM0},
	}
}

// Traits of rows besides those of all sets.
const (
	traitVector isa.Traits = isa.TraitOwn << iota // vector instructions, also of memory
	traitVALU
	traitSALU
	traitVMEM // with a resource
	traitSMEM
	traitLDS
	traitDPP
	traitSelectsLane
	traitDivFmas
	traitGetsReg
	traitSetsReg
	traitReadsM0    // the message or index in it
	traitBufferLoad // s_buffer_load
	traitTestsVCC   // branches on it
	traitRFE
	traitSetsVskip
	traitStore
	traitIdles   // s_nop
	traitTellsPC // gives the address of the next instruction
)

// encodingTraits are those that all rows of an encoding have.
var encodingTraits = [...]struct {
	name   string
	traits isa.Traits
}{
	{"VOP1", traitVector | traitVALU}, {"VOP2", traitVector | traitVALU}, {"VOPC", traitVector | traitVALU}, {"VOP3", traitVector | traitVALU},
	{"VINTRP", traitVector | traitVALU},
	{"VOP1_SDWA", traitVector | traitVALU}, {"VOP2_SDWA", traitVector | traitVALU}, {"VOPC_SDWA", traitVector | traitVALU},
	{"VOP1_DPP", traitVector | traitVALU | traitDPP}, {"VOP2_DPP", traitVector | traitVALU | traitDPP},
	{"SOP1", traitSALU}, {"SOP2", traitSALU}, {"SOPC", traitSALU}, {"SOPK", traitSALU}, {"SOPP", isa.TraitControl},
	{"SMEM", traitSMEM}, {"SMRD", traitSMEM}, {"DS", traitVector | traitLDS | isa.TraitGroup}, {"FLAT", traitVector},
	{"MUBUF", traitVector | traitVMEM}, {"MTBUF", traitVector | traitVMEM}, {"MIMG", traitVector | traitVMEM}, {"EXP", traitVector},
}

// nameTraits are those of rows by a prefix of their mnemonic; the first match counts.
var nameTraits = [...]struct {
	prefix string
	traits isa.Traits
}{
	{"s_swappc", isa.TraitControl | isa.TraitCall | traitTellsPC}, {"s_getpc", traitTellsPC}, {"s_setpc", isa.TraitControl}, {"s_rfe", isa.TraitControl | isa.TraitEnd | traitRFE},
	{"s_cbranch_vcc", isa.TraitLanes | traitTestsVCC}, {"s_cbranch_exec", isa.TraitLanes}, {"s_cbranch_", isa.TraitControl},
	{"s_nop", traitIdles}, {"s_endpgm", isa.TraitEnd}, {"s_barrier", isa.TraitBarrier},
	{"s_set_gpr_idx_on", isa.TraitIndexOn}, {"s_set_gpr_idx_off", isa.TraitIndexOff}, {"s_setvskip", traitSetsVskip},
	{"s_getreg", traitGetsReg}, {"s_setreg", traitSetsReg}, {"s_sendmsg", traitReadsM0}, {"s_ttracedata", traitReadsM0}, {"s_movrel", traitReadsM0},
	{"s_cmov", isa.TraitPart}, {"s_buffer_load", traitBufferLoad}, {"v_readlane", traitSelectsLane}, {"v_writelane", traitSelectsLane}, {"v_div_fmas", traitDivFmas},
	{"v_movrel", traitReadsM0}, {"v_interp", traitReadsM0},
	{"buffer_store", traitStore}, {"tbuffer_store", traitStore}, {"flat_store", traitStore},
}

func traitsOf(d *isa.Def) isa.Traits {
	var t isa.Traits
	for _, e := range &encodingTraits {
		if e.name == d.Enc.Name {
			t = e.traits
		}
	}
	for _, n := range &nameTraits {
		if strings.HasPrefix(d.Name, n.prefix) {
			return t | n.traits
		}
	}
	return t
}

// waitStates returns those of one instruction: s_nop has one more than its constant.
func waitStates(in *isa.Inst, t isa.Traits) int {
	if t&traitIdles != 0 {
		return int(in.Get(nameSimm16)&0xf) + 1
	}
	return 1
}

// unsetRule returns the rule about a cell that no instruction and no launch has written.
func unsetRule(in *isa.Inst, t isa.Traits, c ir.Cell) string {
	code := int(c.Index)
	switch {
	case c.File == FileV:
		return "vgpr-unset"
	case c.File == FileSCC:
		return "sgpr-unset"
	case c == CellM0 && t&traitLDS != 0:
		return "m0-unset"
	case c.File == FileS && (code < gens[in.Var].codes.sgprs || code == codeVCC || code == codeVCC+1 || code == codeM0):
		return "sgpr-unset"
	}
	return ""
}

// groupAccess returns the bounds of an access of LDS. docs/reference/gcn.md 8.3.
func groupAccess(in *isa.Inst, cell func(ir.Cell) (uint64, bool)) (lo, hi uint64, ok bool) {
	if in.Def.Enc.Name != "DS" || in.Field(nameGDS) != 0 || !in.Has(nameAddr) {
		return 0, 0, false
	}
	size, pair, unit := dsSize(in.Def.Name)
	a, known := cell(VGPR(int(in.Get(nameAddr))))
	switch {
	case !known || size == 0:
		return 0, 0, false
	case pair:
		x, y := in.Get(nameOffset0)*unit, in.Get(nameOffset1)*unit
		return a + min(x, y), a + max(x, y) + size, true
	}
	lo = (a + in.Get(nameOffset)) & 0xffffffff
	return lo, lo + size, true
}

// dsNoAccess are the parts of names of instructions that access no memory, or at an address that no operand gives, or
// nobody knows where.
var dsNoAccess = [...]string{"condxchg", "swizzle", "permute", "append", "consume", "gws", "ordered", "src2", "nop"}

// dsSize returns the bytes of an access by its name, whether there are two of them, and the unit of their offsets.
func dsSize(name string) (size uint64, pair bool, unit uint64) {
	if slices.ContainsFunc(dsNoAccess[:], func(s string) bool { return strings.Contains(name, s) }) {
		return 0, false, 0
	}
	for _, s := range [...]struct {
		bits string
		size uint64
	}{{"128", 16}, {"96", 12}, {"64", 8}, {"32", 4}, {"16", 2}, {"8", 1}} {
		if strings.HasSuffix(name, s.bits) {
			size = s.size
			break
		}
	}
	pair = strings.Contains(name, "2_") || strings.Contains(name, "2st64_") || strings.HasPrefix(name, "ds_wrxchg2")
	if unit = size; strings.Contains(name, "st64") {
		unit *= 64
	}
	return size, pair, unit
}

// hwRegister returns the hardware register that s_getreg or s_setreg names, as a cell, and whether its bits lo to hi
// are touched.
func hwRegister(in *isa.Inst, lo, hi uint) (ir.Cell, bool) {
	id, off, size := hwField(in.Word.Get(bits.Span(0, 15)))
	return ir.Cell{File: FileHW, Index: uint16(id)}, off <= hi && off+size > lo
}

// cellName returns the name of a cell in text.
func cellName(variant int, c ir.Cell) string {
	code := int(c.Index)
	switch c.File {
	case FileV:
		return "v" + strconv.Itoa(code)
	case FileExec:
		return "exec"
	case FileSCC:
		return "scc"
	case FileHW:
		if name := hwRegNames[code&63]; name != "" {
			return name
		}
	case FileS:
		k := &gens[variant].codes
		for _, p := range k.pairs() {
			if i := code - p.code; p.code >= 0 && (i == 0 || i == 1) {
				return p.name + [...]string{"_lo", "_hi"}[i]
			}
		}
		switch {
		case code < k.sgprs:
			return "s" + strconv.Itoa(code)
		case code == codeM0:
			return "m0"
		case code >= codeTTMP && code < codeTTMP+numTTMP:
			return "ttmp" + strconv.Itoa(code-codeTTMP)
		}
	}
	return machine.CellName(c)
}

// waitText returns the s_waitcnt that leaves n operations of a counter outstanding, or none of all counters.
func waitText(queue, n int) string {
	text := "s_waitcnt"
	for _, c := range counters {
		if c.queue == queue || queue < 0 {
			text += " " + c.name + "(" + strconv.Itoa(n) + ")"
		}
	}
	return text
}

// tellsPC reports whether an instruction gives the address of the next one.
func tellsPC(in *isa.Inst) bool { return traitsOf(in.Def)&traitTellsPC != 0 }
