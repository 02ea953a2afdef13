package gcn

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// arch is the declaration without its rows.
var arch = isa.Arch{
	Name: "gcn",
	Doc:  "AMD Graphics Core Next 1.0 to 1.2",
	Variants: []isa.Variant{
		gfx8: {Name: "gfx8", Aliases: []string{"gfx801", "gfx802", "gfx803", "gfx805", "gfx810", "tonga", "iceland", "carrizo", "fiji", "polaris10", "polaris11", "stoney", "gcn1.2", "gcn3"},
			Doc: "GCN 1.2"},
		gfx7: {Name: "gfx7", Aliases: []string{"gfx700", "gfx701", "gfx702", "gfx703", "gfx704", "gfx705", "bonaire", "hawaii", "kabini", "kaveri", "mullins", "gcn1.1", "gcn2"},
			Doc: "GCN 1.1"},
		gfx6: {Name: "gfx6", Aliases: []string{"gfx600", "gfx601", "gfx602", "tahiti", "pitcairn", "verde", "hainan", "oland", "gcn1.0", "gcn1"},
			Doc: "GCN 1.0"},
	},
	Unit:     4,
	Longest:  8,
	Machine:  func(int) *ir.Machine { return machine },
	Sep:      ", ",
	Comments: []string{"//", ";", "/*"}, Beside: beside,
	GNU:      true,
	Blanks:   true,
	AnyCase:  true,
	Dialects: []string{"llvm", dialectCLRX: "clrx"},
	Lexis: []isa.Lexis{
		{Comments: []string{"//", ";", "/*"}, Starts: []string{"#"}},
		dialectCLRX: {Comments: []string{"//", "#", "/*"}, Separator: ';'},
	},
	Reword:    rewordCLRX,
	Register:  registerCLRX,
	Start:     start,
	Before:    skipVector,
	After:     afterMeaning,
	Cell:      cell,
	CellName:  unprinted,
	Compounds: []isa.Compound{{Name: "status", Cell: CellStatus, Bits: statusBits}},
	Modes:     modeFields,
	Branch:    branchAddress,
	Advise:    advise,
	Foreign:   foreign,
	Implied:   implied,
	Withheld:  withheld,
	Waits:     waits,
	Costs:     costs,
	Memories:  [ir.FlatSpace]string{ir.GroupSpace: "LDS"},
	Terms:     terms,
	Names:     names,
	Nop:       func(int) []byte { return []byte{0x00, 0x00, 0x80, 0xbf} }, // s_nop 0
	Bounds:    bounds,
	TellsPC:   tellsPC,
	Options: []isa.Option{
		{Name: "clock", Values: []string{"instructions"}, Default: "instructions", Source: "docs/reference/gcn.md 4.7",
			Doc: "What s_memtime and s_memrealtime return: the wave's count of instructions begun."},
		{Name: "float-atomics", Values: []string{"ieee"}, Default: "ieee", Source: "docs/reference/gcn.md 8.3",
			Doc: "Float atomics in LDS: denormals are kept, a sum rounds to nearest, a NaN gives way to a number, -0 is below +0."},
		{Name: "minmax-zero", Values: []string{"ordered"}, Default: "ordered", Source: "docs/reference/gcn.md 7.6",
			Doc: "Float minimum and maximum of zeros of both signs: -0 counts as below +0."},
		{Name: "mad-i64-flag", Values: []string{"overflow"}, Default: "overflow", Source: "docs/reference/gcn.md 7.1",
			Doc: "The mask that v_mad_i64_i32 writes: signed overflow of the 64-bit sum."},
		{Name: "pk-u8-rounding", Values: []string{"mode"}, Default: "mode", Source: "docs/reference/gcn.md 7.1",
			Doc: "How v_cvt_pk_u8_f32 and v_cvt_pkaccum_u8_f32 round: as MODE says."},
		{Name: "nan", Values: []string{"first"}, Default: "first", Source: "docs/reference/gcn.md 3.4",
			Doc: "Payload of a NaN result: that of the first NaN source, quieted; 0x7fc00000 if none."},
		optBufferRange: {Name: "buffer-range", Values: []string{"records", "bytes"}, Default: "records", Source: "docs/reference/gcn.md 8.1",
			Doc: "What num_records of a buffer with stride and without swizzle is held against on gfx6 and gfx7: records against the index, bytes less soffset against the offset. With swizzle the offset has to be below the stride too."},
		optBufferFormats: {Name: "buffer-formats", Values: []string{"nearest"}, Default: "nearest", Source: "docs/reference/gcn.md 8.1.1",
			Doc: "Conversion of buffer formats: to the nearest, ties to even; stores clamp, a NaN becomes 0 where it is no float, components that are not stored are 0; d16 converts once more."},
		optTypedSelect: {Name: "typed-select", Values: []string{"resource", "identity"}, Default: "resource", Source: "docs/reference/gcn.md 8.1.1",
			Doc: "Which components a tbuffer load gives: those that the resource selects, or each as it is. Else as buffer-formats."},
		optStoreLDS: {Name: "store-lds", Values: []string{"load"}, Default: "load", Source: "docs/reference/gcn.md 8.1",
			Doc: "Where buffer_store_lds_dword finds its dword: where a load with lds would put it."},
		optQuadSums: {Name: "quad-sums", Values: []string{"saturate", "wrap"}, Default: "saturate", Source: "docs/reference/gcn.md 7.1.4",
			Doc: "The four 32-bit sums of v_mqsad_u32_u8 where they are too large and the instruction does not say clamp."},
		optFaults: {Name: "gfx6-faults", Values: []string{"absent", "present"}, Default: "absent", Source: "docs/reference/gcn.md 7.6.3",
			Doc: "Faults of gfx6 hardware that compilers work around: v_fract_f64 gives 1 for the least negative numbers, v_frexp_exp -1 for infinity and NaN, v_frexp_mant a NaN for infinity."},
		optSigns: {Name: "integer-signs", Values: []string{"obeyed", "ignored"}, Default: "obeyed", Source: "docs/reference/gcn.md 2.5",
			Doc: "abs and neg bits of VOP3 on sources that are no floats, which text cannot give: they act on the top bit, or do nothing."},
		optMullit: {Name: "mullit", Values: []string{"r600", "page"}, Default: "r600", Source: "docs/reference/gcn.md 7.1.1",
			Doc: "Which second sources of v_mullit_f32 give the least number: the least number, -infinity and NaN, as on the R600 family, or none, as the VOP3 page says."},
		{Name: "interp-rounding", Values: []string{"mad"}, Default: "mad", Source: "docs/reference/gcn.md 7.5",
			Doc: "Interpolation rounds the product and the sum, and flushes denormals, as v_mad_f32 does."},
		{Name: "image-filter", Values: []string{"f32"}, Default: "f32", Source: "docs/reference/gcn.md 8.4.4",
			Doc: "How texels are filtered: weights and levels of detail as floats, cubes across their edges, anisotropic samples evenly along the longer slope."},
		{Name: "image-access", Values: []string{"zero"}, Default: "zero", Source: "docs/reference/gcn.md 8.4.5",
			Doc: "What is outside an image: loads give 0 in all components, stores and atomics do nothing; components that a store leaves out become 0."},
		{Name: "hwreg", Values: []string{"idle"}, Default: "idle", Source: "docs/reference/gcn.md 4.5",
			Doc: "Hardware registers other than MODE: STATUS shows conditions and priority, TRAPSTS what was written to it, the others 0; writes to them are dropped."},
		{Name: "messages", Values: []string{"dropped"}, Default: "dropped", Source: "docs/reference/gcn.md 4.6",
			Doc: "Messages of s_sendmsg to the host: nobody hears them."},
	},
}

// made are the compiled sets: one per generation, and that of all.
var made [numGens + 1]struct {
	once sync.Once
	set  *isa.Set
}

// Set returns the instruction set, compiled once.
func Set() *isa.Set { return compiled(numGens, 0) }

// Of returns the set with the rows of one generation, by index, compiled once: enough for work on one.
func Of(variant int) *isa.Set { return compiled(variant, 1<<variant) }

func compiled(i int, only uint32) *isa.Set {
	m := &made[i]
	m.once.Do(func() {
		s, err := compile(gens[:], families(), only)
		if err != nil {
			panic(err)
		}
		m.set = s
	})
	return m.set
}

// Arch returns the declaration of the set without its rows: names, variants, options.
func Arch() *isa.Arch { return &arch }

// compile makes the set of the families in the generations, or in those of a mask. The error joins all faults found.
func compile(gens []gen, fs []family, only uint32) (*isa.Set, error) {
	a, err := declare(gens, fs, only)
	if err != nil {
		return nil, err
	}
	return isa.Compile(a)
}

// Declared returns the declaration of the set: its rows, not compiled.
func Declared() *isa.Arch {
	a, err := declare(gens[:], families(), 0)
	if err != nil {
		panic(err)
	}
	return a
}

// declare makes the declaration of the families as compile does the set.
func declare(gens []gen, fs []family, only uint32) (*isa.Arch, error) {
	a := arch
	if a.Only = only; only != 0 {
		a.Whole = Set
	}
	b := newBuilder(gens, a.Options, only)
	if err := b.families(fs); err != nil {
		return nil, err
	}
	a.Defs, a.Rules, a.Flow = b.defs, append(rules(), flowRules()...), newFlow()
	return &a, nil
}

// unprinted returns the names of the cells that no operand prints.
func unprinted(c ir.Cell) string {
	switch c {
	case CellMode:
		return "mode"
	case CellSCC:
		return "scc"
	}
	return ""
}

// cell resolves a register name: v5, s[2:3], vcc, exec_lo, m0, scc, mode.
func cell(variant int, name string) ([]ir.Cell, error) {
	switch name {
	case "scc":
		return []ir.Cell{CellSCC}, nil
	case "mode":
		return []ir.Cell{CellMode}, nil
	case "trapsts":
		return []ir.Cell{CellTrapSts}, nil
	case "exec", "exec_lo", "exec_hi":
		return nil, fmt.Errorf("gcn: %s is not a cell of 32 bits", name)
	}
	if id := slices.Index(hwRegNames[:], name); id > 0 && name != "" {
		return []ir.Cell{{File: FileHW, Index: uint16(id)}}, nil
	}
	var sc isa.Scan
	sc.Reset(strings.TrimSpace(name), 0)
	r, _, ok := parseReg(&sc, &gens[variant].codes)
	if !ok || !sc.End() || r.code >= codeInt0 && r.code < codeVGPR {
		return nil, fmt.Errorf("gcn: no register %q", name)
	}
	var cs []ir.Cell
	for i := range r.n {
		if r.code >= codeVGPR {
			cs = append(cs, VGPR(r.code-codeVGPR+i))
		} else {
			cs = append(cs, SGPR(r.code+i))
		}
	}
	return cs, nil
}

// bounds returns those of approximate functions. docs/reference/gcn.md 3.6.
func bounds() []isa.Bound {
	const source = "docs/reference/gcn.md 3.6"
	return []isa.Bound{
		{Of: []string{"v_rcp_f32", "v_rcp_iflag_f32", "v_rsq_f32", "v_sqrt_f32", "v_exp_f32", "v_log_f32"}, ULP: 1, Source: source},
		{Of: []string{"v_sin_f32", "v_cos_f32"}, Text: "absolute error about 2^-19 to 2^-21, of up to 256 revolutions", Source: source},
		{Of: []string{"v_rcp_f64", "v_rsq_f64"}, Text: "relative error about 2^-22 to 2^-26", Source: source},
	}
}
