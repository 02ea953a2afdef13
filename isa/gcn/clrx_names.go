package gcn

import "strings"

// Names of CLRX's text.

// A clrxName is a word and its value.
type clrxName struct {
	text  string
	value uint64
}

// valueOf returns the value of a word.
func valueOf(names []clrxName, w string) (uint64, bool) {
	for i := range names {
		if names[i].text == w {
			return names[i].value, true
		}
	}
	return 0, false
}

// clrxMnemonics are mnemonics that LLVM spells differently.
var clrxMnemonics = []struct{ clrx, llvm string }{
	{"s_cmp_ne_u64", "s_cmp_lg_u64"}, {"v_qsad_u8", "v_qsad_pk_u16_u8"}, {"v_mqsad_u8", "v_mqsad_pk_u16_u8"},
}

// clrxTwins are prefixes of names of which each generation has one.
var clrxTwins = []struct{ from, to string }{
	{"v_add_u32", "v_add_i32"}, {"v_sub_u32", "v_sub_i32"}, {"v_subrev_u32", "v_subrev_i32"},
	{"v_add_i32", "v_add_u32"}, {"v_sub_i32", "v_sub_u32"}, {"v_subrev_i32", "v_subrev_u32"},
}

// llvmMnemonic returns LLVM's spelling of a mnemonic.
func llvmMnemonic(w string) string {
	for i := range clrxMnemonics {
		if clrxMnemonics[i].clrx == w {
			return clrxMnemonics[i].llvm
		}
	}
	if !strings.HasPrefix(w, "v_cmp") {
		return w
	}
	block, rest, _ := strings.Cut(w[2:], "_") // compares have different names for each type
	op, t, _ := strings.Cut(rest, "_")
	for _, p := range clrxPredicates {
		if p.clrx == op && t != "" && strings.Contains(p.types, t[:1]) {
			return "v_" + block + "_" + p.llvm + "_" + t
		}
	}
	return w
}

// clrxPredicates are the predicates of compares with more than one name, by the first letter of the type.
var clrxPredicates = []struct{ clrx, types, llvm string }{
	{"lg", "iu", "ne"}, {"tru", "iu", "t"}, {"t", "f", "tru"}, {"ne", "f", "neq"},
}

// clrxCounters are the counters of s_waitcnt, with the largest number of each.
var clrxCounters = []clrxName{{"vmcnt", 15}, {"expcnt", 7}, {"lgkmcnt", 15}}

// clrxHWRegs are hardware registers by name; the prefix hwreg_ is optional.
var clrxHWRegs = []clrxName{{"mode", 1}, {"status", 2}, {"trapsts", 3}, {"hw_id", 4}, {"gpr_alloc", 5}, {"lds_alloc", 6}, {"ib_sts", 7},
	{"pc_lo", 8}, {"pc_hi", 9}, {"inst_dw0", 10}, {"inst_dw1", 11}, {"ib_dbg0", 12}, {"ib_dbg1", 13}}

// clrxOf8 are the names of hardware registers and messages that only gfx8 has.
const clrxOf8 = " ib_dbg1 savewave msg_savewave "

// clrxMessages and clrxGSOps are messages and their operations.
var (
	clrxMessages = []clrxName{{"interrupt", 1}, {"gs", 2}, {"gs_done", 3}, {"savewave", 4}, {"system", 15}, {"sysmsg", 15}, {"msg_interrupt", 1}, {"msg_gs", 2}, {"msg_gs_done", 3}, {"msg_savewave", 4}, {"msg_system", 15}, {"msg_sysmsg", 15}}
	clrxGSOps    = []clrxName{{"nop", 0}, {"cut", 1}, {"emit", 2}, {"emit_cut", 3}, {"emit-cut", 3}, {"gs_op_nop", 0}, {"gs_op_cut", 1}, {"gs_op_emit", 2}, {"gs_op_emit_cut", 3}}
)

// clrxDataFormats and clrxNumFormats are the parts of a format. docs/reference/gcn.md 10.
var (
	clrxDataFormats = []clrxName{{"invalid", 0}, {"8", 1}, {"16", 2}, {"8_8", 3}, {"32", 4}, {"16_16", 5}, {"10_11_11", 6}, {"11_11_10", 7}, {"10_10_10_2", 8}, {"2_10_10_10", 9}, {"8_8_8_8", 10}, {"32_32", 11}, {"16_16_16_16", 12}, {"32_32_32", 13}, {"32_32_32_32", 14}, {"reserved", 15}}
	clrxNumFormats  = []clrxName{{"unorm", 0}, {"snorm", 1}, {"uscaled", 2}, {"sscaled", 3}, {"uint", 4}, {"sint", 5}, {"snorm_ogl", 6}, {"float", 7}}
)
