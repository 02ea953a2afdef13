package valhall

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Encodings that Arm's table reserves and Mesa 24.1 has text for. TestReserved checks this list against that table.

func reservedRules() []isa.Rule {
	return []isa.Rule{{ID: "reserved-arm", Severity: isa.SeverityWarning, Source: sectText, Check: reservedByArm,
		Doc:     "No field has a value that Arm's table of encodings reserves, and Mesa 24.1 names but does not use.",
		Example: "FEXP.f32.clamp_0_1 r0, r48, r49"}}
}

// A reserve is reserved values of a field.
type reserve struct {
	field  string // name of a modifier, or of a part of an operand; "": the instruction is reserved. Of two names, the second field is set
	values []uint64
	rows   string // patterns of mnemonics
	// since and until are the first and the last architecture that reserves it; 0: no limit.
	since, until int
}

// reserves are values that other rules do not report: write masks, staging registers, slots, conditions and atomic
// operations. Reserved values that Mesa's compiler emits anyway are not listed: the high bit of the choice between two
// halves, b02 of a shift by 0 and of the lane of CLPER, and sources of IMULD.u64 that are not widened.
var reserves = []reserve{
	{"", nil, "CLPER.s32 CLPER.v* CLPER.?64", 0, 0},

	// Floats and conversions.
	{"clamp", []uint64{1, 2, 3}, "FEXP.f32", 0, 0},
	{"round_mode", []uint64{1, 2, 3}, "F16_TO_F32", 0, 0},
	{"swz_a", []uint64{1, 2}, "F32_TO_?32", 0, 10},
	{"swz_a", []uint64{1, 2}, "FPCLASS.f32", 0, 0},
	{"write_mask", []uint64{1, 2}, "FROUND.f32", 11, 0},
	{"swz_a", []uint64{3}, "LDEXP.v2f16", 0, 0},
	{"page", []uint64{1, 2, 3}, "MMUL.*", 0, 0},
	{"write_mask", []uint64{1, 2}, "MMUL.*", 0, 0},
	{"swz_a", []uint64{2, 3, 4, 5, 6, 7}, "[SU]32_TO_F32", 0, 10},
	{"sqrt log", []uint64{1}, "FREXP?.*", 0, 0},

	// Integers, shifts, comparisons, lanes.
	{"swz_a", []uint64{0}, "IMUL.s64", 0, 0},
	{"swz_b", []uint64{0}, "IMUL.s64", 0, 0},
	{"swz_b", []uint64{9}, "IMUL.s64 IMULD.u64", 0, 0},
	{"saturate", []uint64{1}, "IMULD.u64", 0, 0},
	{"swz_a", []uint64{8}, "[LR]ROT_*.i64 [LR]SHIFT_*.i64", 0, 0},
	{"swz_b", []uint64{10, 11}, "[LR]ROT_*.i32 [LR]ROT_*.i64 *SHIFT_*.i32 *SHIFT_*.i64", 0, 0},
	{"swz_b", []uint64{2, 3}, "CLPER.i32", 0, 0},
	{"subgroup_size", []uint64{0, 1}, "CLPER_OR", 0, 0},
	{"result_type", []uint64{3}, "FCMP_* ICMP_AND.* ICMP_OR.* ICMP_MULTI.s32", 0, 0},
	{"result_type", []uint64{1}, "ICMP_*.v4?8", 0, 0},
	{"mux", []uint64{2}, "MUX.v4i8", 0, 0},

	// Memory and varyings.
	{"unsigned", []uint64{0}, "LOAD.i24 LOAD.i48 LOAD.i64 LOAD.i96 LOAD.i128 LD_BUFFER.i24 LD_BUFFER.i48 LD_BUFFER.i64 LD_BUFFER.i96 LD_BUFFER.i128", 0, 0},
	{"vector_size", []uint64{1, 2, 3}, "LEA_ATTR LEA_TEX", 0, 0},
	{"vector_size", []uint64{0, 1, 2}, "BLEND", 0, 0},
	{"slot", []uint64{1, 2}, "ZS_EMIT", 0, 0},
	{"register_format", []uint64{4, 5, 6, 7}, "LD_VAR LD_VAR_IMM", 0, 0},
	{"register_format", []uint64{5, 7}, "LD_VAR_FLAT LD_VAR_FLAT_IMM", 0, 0},
	{"register_format", []uint64{0, 3, 4, 5, 6, 7}, "LD_VAR_SPECIAL", 0, 0},
	{"vector_size", []uint64{2, 3}, "LD_VAR_SPECIAL", 0, 0},
	{"update_mode", []uint64{0, 1}, "LD_VAR_SPECIAL", 0, 13},
	{"index", []uint64{1}, "LD_VAR_SPECIAL", 0, 13},
	{"source_format", []uint64{0, 1}, "LD_VAR_BUF.* LD_VAR_BUF_IMM.*", 14, 0},
	{"index", []uint64{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, "LD_VAR_SPECIAL", 0, 0},

	// Textures.
	{"dimension", []uint64{3}, "TEX_FETCH", 0, 0},
	{"dimension", []uint64{3}, "VAR_TEX_SINGLE VAR_TEX_BUF_SINGLE VAR_TEX_DUAL VAR_TEX_BUF_DUAL VAR_TEX_GRADIENT VAR_TEX_BUF_GRADIENT", 0, 10},
	{"dimension", []uint64{0, 2}, "TEX_GATHER", 0, 0},
	{"dimension", []uint64{0, 2, 3}, "TEX_WEIGHTS VAR_TEX_GATHER VAR_TEX_BUF_GATHER", 0, 0},
	{"integer_coordinates", []uint64{1}, "VAR_TEX_GATHER VAR_TEX_BUF_GATHER", 0, 0},
	{"lod_mode", []uint64{3, 4, 5, 6, 7}, "VAR_TEX_SINGLE VAR_TEX_BUF_SINGLE VAR_TEX_DUAL VAR_TEX_BUF_DUAL", 0, 0},
	{"array_enable", []uint64{1}, "VAR_TEX_GRADIENT VAR_TEX_BUF_GRADIENT", 0, 0},
	{"shadow", []uint64{1}, "VAR_TEX_GRADIENT VAR_TEX_BUF_GRADIENT", 0, 0},
	{"wide_indices", []uint64{1}, "TEX_DUAL VAR_TEX_DUAL VAR_TEX_BUF_DUAL", 0, 0},
	{"varying_texture_register_width", []uint64{2, 3}, "VAR_TEX_SINGLE VAR_TEX_BUF_SINGLE VAR_TEX_GATHER VAR_TEX_BUF_GATHER VAR_TEX_GRADIENT VAR_TEX_BUF_GRADIENT", 0, 0},
}

// names reports whether the patterns match a mnemonic.
func (r *reserve) names(name string) bool {
	for pattern := range strings.FieldsSeq(r.rows) {
		if ok, err := path.Match(pattern, name); ok || err != nil {
			return ok
		}
	}
	return false
}

// reservedByArm checks the fields of a row that have reserved values.
func reservedByArm(d *isa.Def) isa.RuleCheck {
	type look struct {
		name, with isa.Name
		*reserve
	}
	var looks []look
	for i := range reserves {
		r := &reserves[i]
		if !r.names(d.Name) {
			continue
		}
		if r.field == "" {
			return func(*isa.Inst) *isa.Breach {
				return &isa.Breach{Msg: "Arm's table of encodings has no such instruction", Arg: -1}
			}
		}
		field, with, _ := strings.Cut(r.field, " ")
		looks = append(looks, look{isa.Name(slices.Index(names, field)), isa.Name(slices.Index(names, cmp.Or(with, field))), r})
	}
	if looks == nil {
		return nil
	}
	return func(in *isa.Inst) *isa.Breach {
		for i := range looks {
			x := &looks[i]
			if a := archOf(in); a < x.since || x.until != 0 && a > x.until {
				continue
			}
			if v := in.Get(x.name); slices.Contains(x.values, v) && (x.with == x.name || in.Get(x.with) != 0) {
				return &isa.Breach{Msg: fmt.Sprintf("%s %d is reserved in Arm's table of encodings", x.field, v), Arg: -1}
			}
		}
		return nil
	}
}
