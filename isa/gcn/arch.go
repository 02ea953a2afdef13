package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Files of the machine, by index.
const (
	FileV    = iota // vector registers
	FileS           // scalar registers by source code: s0-s101, flat_scratch, xnack_mask, vcc, tba, tma, ttmp, m0
	FileExec        // the execution mask
	FileSCC         // the scalar condition
	FileHW          // hardware registers by the id of s_getreg: 1 is MODE
	FileApe         // high words of the apertures of flat addresses: 0 private, 1 shared
)

// Cells that launch conventions name.
var (
	CellVCC         = ir.Cell{File: FileS, Index: codeVCC}
	CellM0          = ir.Cell{File: FileS, Index: codeM0}
	CellExec        = ir.Cell{File: FileExec}
	CellSCC         = ir.Cell{File: FileSCC}
	CellMode        = ir.Cell{File: FileHW, Index: hwMode}
	CellStatus      = ir.Cell{File: FileHW, Index: hwStatus} // except for the bits that other cells hold
	CellTrapSts     = ir.Cell{File: FileHW, Index: hwTrapSts}
	CellSync        = ir.Cell{File: FileHW, Index: hwSync}
	CellPrivateBase = ir.Cell{File: FileApe, Index: 0}
	CellSharedBase  = ir.Cell{File: FileApe, Index: 1}
)

// VGPR and SGPR return the cells of vector and scalar register i.
func VGPR(i int) ir.Cell { return ir.Cell{File: FileV, Index: uint16(i)} }
func SGPR(i int) ir.Cell { return ir.Cell{File: FileS, Index: uint16(i)} }

// Hardware registers by id. docs/reference/gcn.md 4.5.
const (
	hwMode    = 1
	hwStatus  = 2
	hwTrapSts = 3
	hwSync    = 63 // no register that s_getreg reads: what the wave waits for at a resource of global wave sync
	numHWReg  = 64
)

// Bits of MODE that change how code is lifted. docs/reference/gcn.md 3.
const (
	modeRound32   = 0 // 2 bits
	modeRound64   = 2 // 2 bits, f64 and f16
	modeDenorm32  = 4 // 2 bits: allow input, allow output
	modeDenorm64  = 6 // 2 bits, f64 and f16
	modeDX10Clamp = 8
	modeIEEE      = 9
	modeGPRIdx    = 27
	modeVSkip     = 28

	modeMask = 0x3ff | 1<<modeGPRIdx | 1<<modeVSkip

	modeCSP = 29 // 3 bits
)

// Bits of STATUS. docs/reference/gcn.md 4.5.
const (
	statusSCC         = 0
	statusPriority    = 3 // 2 bits
	statusExecz       = 9
	statusVccz        = 10
	statusValid       = 16
	statusCondDbgUser = 20
	statusCondDbgSys  = 21
)

// StatusInGroup is the bit of STATUS that says that a workgroup has several waves.
const StatusInGroup = 1 << 11

// BankGDS is the bank of global memory that is the global data share. After it, at GWSBase, are the resources of
// global wave sync. docs/reference/gcn.md 8.3.
const (
	BankGDS  = 1
	GDSBytes = 64 << 10
	GWSBase  = 1 << 20
	GWSBytes = 64 * 8
)

// BankOrder is the bank of global memory that holds whose turn it is among the waves of a launch with ordered append:
// the id of the first wave that will come again, then of each id how often its wave has let the next one pass.
// docs/reference/gcn.md 8.3.
const (
	BankOrder  = 2
	OrderIDs   = 1 << 11
	OrderBytes = 4 + 4*OrderIDs
)

var machine = &ir.Machine{
	Name: "gcn",
	Files: []ir.File{
		FileV:    {Name: "v", Kind: ir.Lane32, Count: 256, Range: ir.RangeZero, Unset: true},
		FileS:    {Name: "s", Kind: ir.Wave32, Count: 128, Range: ir.RangeZero, Unset: true},
		FileExec: {Name: "exec", Kind: ir.ExecMask, Count: 1},
		FileSCC:  {Name: "scc", Kind: ir.Wave1, Count: 1, Unset: true},
		FileHW:   {Name: "hwreg", Kind: ir.Wave32, Count: numHWReg},
		FileApe:  {Name: "aperture", Kind: ir.Wave32, Count: 2},
	},
	Widths:   []int{64},
	Control:  ir.MaskData,
	ModeMask: modeMask,
	Mode:     CellMode,
	Spaces:   ir.Spaces{ir.GlobalSpace: 3, ir.GroupSpace: 1, ir.FlatSpace: 1},
	Queues:   queues,
	Bounds:   []string{boundRecords: "num_records", boundStride: "the stride", boundM0: "M0"},
}

// Indices of the generations, which are the variants; gfx8 is the default.
const (
	gfx8 = iota
	gfx7
	gfx6
	numGens
)

// A gen describes a generation, besides the opcodes in its column of the rows. A generation has the rows with an
// opcode in its column and a form whose layout it has.
type gen struct {
	codes     codes
	layouts   func() layouts
	intClamp  bool // clamp saturates integer results
	gprIndex  bool // MODE can make M0 an index of vector operands
	alignLDS  bool // the low bits of addresses of local memory are ignored
	smrd      bool // scalar memory is SMRD: constant offsets count dwords
	byteRange bool // buffers with a stride that are not swizzled have their size in bytes
	snormOGL  bool // number format 6 of buffers is SNORM_OGL
}

// FLAT_SCRATCH_LO.
const (
	flatScratch8 = 102
	flatScratch7 = 104
)

var gens = [numGens]gen{
	gfx8: {codes: codes{sgprs: 102, flatScratch: flatScratch8, xnackMask: 104, inv2Pi: 248}, layouts: gfx8Layouts,
		intClamp: true, gprIndex: true, byteRange: true},
	gfx7: {codes: codes{sgprs: 104, flatScratch: flatScratch7, xnackMask: -1, inv2Pi: -1}, layouts: gfx7Layouts, smrd: true, snormOGL: true},
	gfx6: {codes: codes{sgprs: 104, flatScratch: -1, xnackMask: -1, inv2Pi: -1}, layouts: gfx6Layouts, alignLDS: true, smrd: true, snormOGL: true},
}

// A hidden is a cell that instructions touch without an operand that names it.
type hidden uint8

const (
	hiddenExec hidden = iota
	hiddenSCC
	hiddenVCC
	hiddenM0
	hiddenMode
	hiddenStatus
	hiddenSync
	hiddenFlatScratch
	hiddenAperture
	numHidden
)

// hiddenCells are their names, cells, and how many.
var hiddenCells = [numHidden]struct {
	name string
	cell func(c *codes) ir.Cell
	n    int
}{
	hiddenExec:        {"exec", func(*codes) ir.Cell { return CellExec }, 1},
	hiddenSCC:         {"scc", func(*codes) ir.Cell { return CellSCC }, 1},
	hiddenVCC:         {"vcc", func(*codes) ir.Cell { return CellVCC }, 2},
	hiddenM0:          {"m0", func(*codes) ir.Cell { return CellM0 }, 1},
	hiddenMode:        {"mode", func(*codes) ir.Cell { return CellMode }, 1},
	hiddenStatus:      {"status", func(*codes) ir.Cell { return CellStatus }, 1},
	hiddenSync:        {"sync", func(*codes) ir.Cell { return CellSync }, 1},
	hiddenFlatScratch: {"flat_scratch_hi", func(c *codes) ir.Cell { return SGPR(c.flatScratch + 1) }, 1},
	hiddenAperture:    {"aperture", func(*codes) ir.Cell { return CellPrivateBase }, 1},
}

// hwRegNames are the hardware registers by id. docs/reference/gcn.md 4.
var hwRegNames = [64]string{1: "HW_REG_MODE", 2: "HW_REG_STATUS", 3: "HW_REG_TRAPSTS", 4: "HW_REG_HW_ID",
	5: "HW_REG_GPR_ALLOC", 6: "HW_REG_LDS_ALLOC", 7: "HW_REG_IB_STS"}

// hwWritable reports whether code can change a hardware register.
func hwWritable(id int) bool { return id == hwMode || id == hwTrapSts }

// hwField returns the parts of a hardware register operand.
func hwField(imm uint64) (id int, off, size uint) {
	return int(imm & 63), uint(imm >> 6 & 31), uint(imm>>11&31) + 1
}

// Options that meanings read, by index in arch.Options.
const (
	optBufferRange = iota + 6
	optBufferFormats
	optTypedSelect
	optStoreLDS
	optQuadSums
	optFaults
	optSigns
	optMullit
)

// Values of options by index.
const (
	sumsSaturate   = 0 // of optQuadSums
	faultsAbsent   = 0 // of optFaults
	signsObeyed    = 0 // of optSigns
	mullitR600     = 0 // of optMullit
	rangeBytes     = 1 // of optBufferRange
	selectResource = 0 // of optTypedSelect
)

// Bounds of accesses, in Machine.Bounds: of a buffer resource, and of LDS and the global data share.
const (
	boundRecords = iota
	boundStride
	boundM0
)

// Queues of outstanding operations. s_waitcnt waits for the first three, each of which is a counter; operations of
// the others count in these, too, but complete in an order of their own. docs/reference/gcn.md 5.
const (
	queueVM        = iota // buffers and images
	queueLGKM             // LDS
	queueEXP              // exports of colours
	queueFlat             // FLAT, in addition to queueVM: it may access LDS
	queueSMEM             // scalar memory
	queueGDS              // the global data share
	queueMessage          // messages
	queueGDSData          // registers that the global data share has not read yet
	queueStoreData        // registers that a store has not read yet; gfx6
	queueEXPPos           // exports of positions
	queueEXPParam         // exports of parameters
)

var queues = []ir.Queue{
	queueVM:        {Name: "vm", Max: 15},
	queueLGKM:      {Name: "lgkm", Max: 15},
	queueEXP:       {Name: "exp", Max: 7},
	queueFlat:      {Name: "flat", Max: 15, Unordered: true, Counter: 1 + queueLGKM, Group: true},
	queueSMEM:      {Name: "smem", Max: 15, Unordered: true, Counter: 1 + queueLGKM},
	queueGDS:       {Name: "gds", Max: 15, Counter: 1 + queueLGKM},
	queueMessage:   {Name: "message", Max: 15, Counter: 1 + queueLGKM},
	queueGDSData:   {Name: "gds_data", Max: 7, Counter: 1 + queueEXP},
	queueStoreData: {Name: "store_data", Max: 7, Counter: 1 + queueEXP},
	queueEXPPos:    {Name: "exp_pos", Max: 7, Counter: 1 + queueEXP},
	queueEXPParam:  {Name: "exp_param", Max: 7, Counter: 1 + queueEXP},
}

// counters of s_waitcnt: name, position and queue, and the bits that the counter also has on later generations.
// docs/reference/gcn.md 5.
var counters = [...]struct {
	name  string
	at    bits.Range
	queue int
	later bits.Ranges
}{{"vmcnt", bits.Span(0, 3), queueVM, bits.Ranges{bits.Span(14, 15)}}, {"expcnt", bits.Span(4, 6), queueEXP, nil}, {"lgkmcnt", bits.Span(8, 11), queueLGKM, bits.Ranges{bits.Span(12, 13)}}}

// laterMost is the largest value of a counter with the bits of later generations.
const laterMost = 63

// target returns the target address of a branch: the next instruction plus four times the signed constant.
func target(in *isa.Inst) uint64 {
	return in.Addr + uint64(in.Size) + uint64(int64(int16(in.Get(nameSimm16)))*4)
}

// SGPRs returns how many numbered scalar registers a variant, given by its index, has codes for.
func SGPRs(variant int) int { return gens[variant].codes.sgprs }

// TTMPs returns the registers of the trap handler: the first, and how many.
func TTMPs() (first ir.Cell, n int) { return SGPR(codeTTMP), numTTMP }

// LimitInBytes reports whether a variant counts the limit of a linear buffer resource with a stride in bytes, as gfx8
// does, rather than in strides. Source: docs/reference/gcn.md 8.1.
func LimitInBytes(variant int) bool { return variant == gfx8 }
