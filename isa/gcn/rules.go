package gcn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// The rules about single instructions. An instruction that breaks one of severity error decodes and prints, and runs
// as far as its semantics are known; assemblers refuse it and lint reports it. A value that a field cannot hold at
// all breaks no rule: its kind refuses the text. docs/reference/gcn.md 2.

// rules are those of single instructions.
func rules() []isa.Rule {
	return []isa.Rule{
		{ID: "constant-bus", Doc: "A vector instruction reads one scalar value: a scalar register or pair, a flag or a literal.",
			Source: "docs/reference/gcn.md 2.5", Example: "v_add_f32_e64 v0, s1, s2", Check: constantBus},
		{ID: "sgpr-alignment", Doc: "Scalar pairs begin at even numbers, longer runs at multiples of 4.",
			Source: "docs/reference/gcn.md 2.4", Example: "s_mov_b64 s[1:2], s[4:5]", Check: sgprAlignment},
		{ID: "reserved-source", Doc: "A source is no code that these generations reserve.",
			Source: "docs/reference/gcn.md 2.1", Example: "v_mov_b32_e32 v0, src_shared_base", Check: reservedSource},
		{ID: "scalar-memory-data", Doc: "Scalar memory instructions neither load nor store EXEC and M0.",
			Source: "docs/reference/gcn.md 4.7", Example: "s_load_dword m0, s[2:3], 0x0", Check: scalarMemoryData},
		{ID: "attribute-range", Doc: "The number of an interpolated attribute is at most 32.",
			Source: "docs/reference/gcn.md 7.5", Example: "v_interp_p1_f32_e32 v0, v1, attr33.x", Check: attributeRange},
		{ID: "gpr-idx-mode", Doc: "The operands of indexed access are four bits: SRC0, SRC1, SRC2 and DST.",
			Source: "docs/reference/gcn.md 4.3", Example: "s_set_gpr_idx_mode 0x10", Variants: 1 << gfx8, Check: gprIdxMode},
		{ID: "lds-direct", Doc: "LDS_DIRECT is no source of instructions that swap their operands.",
			Source: "docs/reference/gcn.md 7.6.6", Example: "v_subrev_f32_e32 v0, src_lds_direct, v1", Check: ldsDirectSource},
		{ID: "dpp-64bit", Doc: "DPP has no sources of 64 bits.",
			Source: "docs/reference/gcn.md 2.5", Example: "v_ceil_f64_dpp v[0:1], v[2:3] row_shl:1 row_mask:0xf bank_mask:0xf", Variants: 1 << gfx8, Check: dpp64},
		{ID: "movrel-source", Doc: "The source of v_movrels and v_movrelsd is a vector register.",
			Source: "docs/reference/gcn.md 7.6.1", Example: "v_movrels_b32_e32 v0, 1", Check: movrelSource},
		{ID: "movrel-form", Doc: "Moves by M0 have no SDWA and no DPP form.",
			Source: "docs/reference/gcn.md 7.6.1", Example: "v_movreld_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf", Variants: 1 << gfx8, Check: movrelForm},
		{ID: "mac-dst-sel", Doc: "v_mac with SDWA writes the whole register, which is its addend.",
			Source: "docs/reference/gcn.md 2.5", Variants: 1 << gfx8, Check: macDstSel,
			Example: "v_mac_f32_sdwa v0, v1, v2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD"},
		{ID: "mask-source", Doc: "A lane mask that is read is a pair of scalar registers.",
			Source: "docs/reference/gcn.md 1.3", Example: "v_addc_u32_e64 v0, vcc, v1, v2, 0", Check: maskSource},
		{ID: "register-source", Doc: "The source of a jump to a register, of s_cbranch_join and of s_movrels is a register.",
			Source: "docs/reference/gcn.md 4.4", Example: "s_setpc_b64 1", Check: registerSource},
		{ID: "register-range", Doc: "All registers of a tuple are there.",
			Source: "docs/reference/gcn.md 2.1", Example: "s_load_dwordx8 ttmp[8:15], s[0:1], s0", Check: registerRange},
		{ID: "store-tfe", Doc: "Stores have no TFE: it is the status of a load.",
			Source: "docs/reference/gcn.md 8.1", Example: "buffer_store_dword v[0:1], off, s[0:3], 0 tfe", Check: storeTFE},
		{ID: "atomic-dmask", Doc: "DMASK of an image atomic is 1, 3 or 15, by the size of its data.",
			Source: "docs/reference/gcn.md 8.4", Example: "image_atomic_add v0, v1, s[0:7] dmask:0x2", Check: atomicDmask},
		{ID: "gather-dmask", Doc: "DMASK of a gather has one bit, that of the component.",
			Source: "docs/reference/gcn.md 8.4", Example: "image_gather4 v[0:3], v[0:1], s[0:7], s[0:3] dmask:0x3", Check: gatherDmask},
	}
}

// isVector reports whether a row is in a layout of vector arithmetic.
func isVector(d *isa.Def) bool { return strings.HasPrefix(d.Enc.Name, "VOP") }

// scalarSources returns the operands of a row whose codes may name scalar registers, among others.
func scalarSources(d *isa.Def) (args []*isa.Arg) {
	for i := range d.Args {
		a := &d.Args[i]
		if (strings.HasPrefix(a.Name, "src") || strings.HasPrefix(a.Name, "ssrc") || a.Name == "soffset") && len(a.Kind.Table) >= 256 && strings.HasPrefix(a.Kind.Table[0], "s") {
			args = append(args, a)
		}
	}
	return args
}

// shown returns the text of a source operand without its modifiers.
func shown(in *isa.Inst, a *isa.Arg) string {
	if v := a.Get(in.Word); v != codeLiteral {
		return a.Kind.Table[v]
	}
	return "a literal constant"
}

// A scalarValue is one that a vector instruction reads: a register by its code and how many words of it are read, or
// a flag or the literal by its code.
type scalarValue struct{ code, words int }

// constantBus compares values as LLVM does: parts of a pair differ from the pair, and LDS_DIRECT does not count.
func constantBus(d *isa.Def) isa.RuleCheck {
	if !isVector(d) {
		return nil
	}
	args := scalarSources(d)
	hidden, name := scalarValue{code: -1}, ""
	switch {
	case readsHidden(d, hiddenM0):
		hidden, name = scalarValue{codeM0, 1}, "m0"
	case readsHidden(d, hiddenVCC) || argOf(d, "cin") != nil:
		hidden, name = scalarValue{codeVCC, 2}, "vcc"
	case argOf(d, "k") != nil:
		hidden, name = scalarValue{code: codeLiteral}, "a literal constant"
	}
	if len(args) == 0 || len(args) == 1 && hidden.code < 0 {
		return nil
	}
	var lane *isa.Arg // its number may be in M0, in addition to a scalar source
	if strings.HasPrefix(d.Name, "v_writelane") {
		lane = args[len(args)-1]
	}
	return func(in *isa.Inst) *isa.Breach {
		had, first := hidden, (*isa.Arg)(nil)
		for _, a := range args {
			v := scalarValue{code: int(a.Get(in.Word))}
			switch {
			case v.code >= codeVGPR || v.code >= codeInt0 && v.code < codeVCCZ || v.code == codeLDSDirect || v.code == codeM0 && a == lane:
				continue
			case v.code < codeInt0:
				v.words = (a.Width + 31) / 32
			}
			if had.code < 0 {
				had, first = v, a
			}
			if v == had {
				continue
			}
			other := name
			if first != nil {
				other = shown(in, first)
			}
			return &isa.Breach{Arg: a.Index(), Msg: fmt.Sprintf("reads %s and %s, where a vector instruction reads one scalar value", other, shown(in, a)),
				Hint: "v_mov_b32 copies a scalar value to a vector register"}
		}
		return nil
	}
}

// argOf returns the operand or modifier of a row of that name, nil if it has none.
func argOf(d *isa.Def, name string) *isa.Arg {
	for i := range d.Args {
		if d.Args[i].Name == name {
			return &d.Args[i]
		}
	}
	return nil
}

// readsHidden reports whether instructions of a row read a cell that no operand names.
func readsHidden(d *isa.Def, h hidden) bool {
	for i := range d.Implicit {
		if m := &d.Implicit[i]; m.Name == hiddenCells[h].name && m.Role != isa.Define {
			return true
		}
	}
	return false
}

// sgprAlignment checks the operands that name several scalar registers.
func sgprAlignment(d *isa.Def) isa.RuleCheck {
	type run struct {
		arg   *isa.Arg
		shift int // of the code of the first register
		low   int // its bits that must be 0
	}
	var runs []run
	for i := range d.Args {
		a := &d.Args[i]
		if len(a.At) == 0 || a.Kind.Cells == nil {
			continue
		}
		// The value 4 means s4, or s8 or s16 if the number is divided.
		for _, s := range a.Kind.Cells(nil, &isa.Inst{Def: d}, a, 4) {
			if s.File != FileS || s.N < 2 {
				continue
			}
			shift := 0
			for 4<<shift < int(s.Index) {
				shift++
			}
			runs = append(runs, run{a, shift, min(s.N, 4) - 1})
		}
	}
	if len(runs) == 0 {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for i := range runs {
			r := &runs[i]
			v := int(r.arg.Get(in.Word)) << r.shift
			if v < codeInt0 && v&r.low != 0 {
				return &isa.Breach{Arg: r.arg.Index(), Msg: fmt.Sprintf("%s begins at a number that is no multiple of %d",
					r.arg.Kind.Table[v>>r.shift], r.low+1)}
			}
		}
		return nil
	}
}

func reservedSource(d *isa.Def) isa.RuleCheck {
	args := scalarSources(d)
	if len(args) == 0 {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for _, a := range args {
			if v := a.Get(in.Word); v < codeVGPR && reservedNames[v] != "" {
				return &isa.Breach{Arg: a.Index(), Msg: fmt.Sprintf("%s is a register of later generations; its code %d is reserved here", reservedNames[v], v)}
			}
		}
		return nil
	}
}

func attributeRange(d *isa.Def) isa.RuleCheck {
	attr := argOf(d, "attr")
	if attr == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if v := attr.Get(in.Word); v>>2 > maxAttribute {
			return &isa.Breach{Arg: attr.Index(), Msg: fmt.Sprintf("%s, where the last attribute is attr%d", attr.Kind.Table[v], maxAttribute)}
		}
		return nil
	}
}

func ldsDirectSource(d *isa.Def) isa.RuleCheck {
	src := argOf(d, "src0")
	if src == nil || src.At.Len() != 9 || !isVector(d) || !strings.Contains(d.Name, "rev_") || strings.HasPrefix(d.Name, "v_bfrev") {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if src.Get(in.Word) == codeLDSDirect {
			return &isa.Breach{Arg: src.Index(), Msg: "LDS_DIRECT is no source of an instruction that swaps its operands"}
		}
		return nil
	}
}

func dpp64(d *isa.Def) isa.RuleCheck {
	if !strings.HasSuffix(d.Enc.Name, "_DPP") || !slices.ContainsFunc(d.Args, func(a isa.Arg) bool { return a.Width > 32 && strings.HasPrefix(a.Name, "src") }) {
		return nil
	}
	return func(*isa.Inst) *isa.Breach {
		return &isa.Breach{Arg: -1, Msg: "has sources of 64 bits, which DPP does not move", Hint: "v_mov_b32_dpp moves each half"}
	}
}

func movrelSource(d *isa.Def) isa.RuleCheck {
	src := argOf(d, "src0")
	if src == nil || !strings.HasPrefix(d.Name, "v_movrels") {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if v := src.Get(in.Word); v < codeVGPR && src.At.Len() == 9 {
			return &isa.Breach{Arg: src.Index(), Msg: shown(in, src) + " is no vector register"}
		}
		return nil
	}
}

func movrelForm(d *isa.Def) isa.RuleCheck {
	if !strings.HasPrefix(d.Name, "v_movrel") || !strings.HasSuffix(d.Enc.Name, "_SDWA") && !strings.HasSuffix(d.Enc.Name, "_DPP") {
		return nil
	}
	return func(*isa.Inst) *isa.Breach {
		return &isa.Breach{Arg: -1, Msg: "has no such form: no source says what it reads and writes"}
	}
}

func macDstSel(d *isa.Def) isa.RuleCheck {
	sel := argOf(d, "dst_sel")
	if sel == nil || !strings.HasPrefix(d.Name, "v_mac_") {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if sel.Get(in.Word) != 6 { // DWORD
			return &isa.Breach{Arg: sel.Index(), Msg: "writes the whole register", Hint: "dst_sel:DWORD"}
		}
		return nil
	}
}

// maskSource checks the masks that VOP3 reads from a field of nine bits.
func maskSource(d *isa.Def) isa.RuleCheck {
	if d.Enc.Name != "VOP3" {
		return nil
	}
	e := d.Data.(*entry)
	var src *isa.Arg
	for i := range e.sources {
		if e.src[i].t == mask {
			src = argOf(d, srcFields[e.src[i].n])
		}
	}
	if src == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		if src.Get(in.Word) >= codeInt0 {
			return &isa.Breach{Arg: src.Index(), Msg: shown(in, src) + " is no pair of scalar registers, which the lane mask is"}
		}
		return nil
	}
}
