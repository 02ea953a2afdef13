package valhall

import "github.com/heddle-gpu/heddle/isa"

// Fields, operands and parts that meanings and texts read. Those of sources are consecutive, by source.
const (
	nameA isa.Name = iota // sources, a byte each
	nameB
	nameC
	nameD
	nameNegA // signs of floats
	nameNegB
	nameNegC
	nameAbsA
	nameAbsB
	nameAbsC
	nameSwzA // swizzle, widening, or lane of a source
	nameSwzB
	nameSwzC
	nameNotC // the source is inverted
	namePage // of uniform words and special values
	nameDst
	nameMask // halves of the result that are written: 1, 2, 3
	nameFlow
	nameStaging // first staging register
	nameCount   // number of staging registers
	nameFlags   // staging flags
	nameResult  // first register that a message writes in addition to those that it reads
	nameWrites  // number of these registers minus one
	nameSlot
	nameClamp // 1 0 to infinity, 2 -1 to 1, 3 0 to 1
	nameRound // 0 even, 1 up, 2 down, 3 to zero
	nameCond  // see the conditions in text_word.go
	nameTruth // result of a comparison: 0 i1, 1 f1, 2 m1, 3 u1
	nameVector
	nameFormat // of registers that a message converts to or from
	nameSource // of memory that it converts
	nameSample
	nameUpdate
	nameAccess
	nameLane     // destination lane of a narrow load
	nameUnsigned // and its extension
	nameOffset
	nameIndex
	nameTable
	nameTarget
	nameImm
	nameShift
	nameSaturate
	nameRHAdd
	nameNotResult
	nameArith // a right shift keeps the sign
	nameSubgroup
	nameLaneOp
	nameInactive
	nameAtomic
	nameCompare
	nameSkip
	nameRegType
	nameRegWidth
	nameRegWidth2
	nameChannels // of a texture's result
	nameDimension
	nameWide
	nameArray
	nameTexelOffset
	nameShadow
	nameLod
	nameIntegerCoord
	nameGather
	nameSampleUpdate
	nameVarWidth
	nameMux
	nameSqrt
	nameLog
	nameSecond
	nameConservative
	nameEq
	nameAbsolute
	nameZ
	nameStencil
	nameNegB64 // SEG_ADD subtracts
	namePreserve
	nameNegResult
	nameNaNMode // of FMIN and FMAX
	nameFTZ
	nameFlushInf
	nameFlushNaN
	nameMask0 // CLZ of 0 is all ones
	nameStoreLane
	nameSaturate64
	nameCarry     // IADDC gives the carry, ISUBB the borrow
	nameUnsignedA // bytes without signs
	nameUnsignedB
	nameFunction // FSINCOS: 0 cosine, 1 sine
	nameDerivative
	nameBiasOff
	nameClampOff
	nameLodFlags // 1 is nameBiasOff, 2 nameClampOff
)

var names = []string{nameA: "a", nameB: "b", nameC: "c", nameD: "d", nameNegA: "neg_a", nameNegB: "neg_b", nameNegC: "neg_c",
	nameAbsA: "abs_a", nameAbsB: "abs_b", nameAbsC: "abs_c", nameSwzA: "swz_a", nameSwzB: "swz_b", nameSwzC: "swz_c",
	nameNotC: "not", namePage: "page", nameDst: "dst", nameMask: "write_mask", nameFlow: "flow", nameStaging: "staging", nameCount: "staging_count",
	nameFlags: "staging_flags", nameResult: "result", nameWrites: "result_count", nameSlot: "slot", nameClamp: "clamp", nameRound: "round_mode",
	nameCond: "condition", nameTruth: "result_type", nameVector: "vector_size", nameFormat: "register_format", nameSource: "source_format",
	nameSample: "sample_mode", nameUpdate: "update_mode", nameAccess: "memory_access", nameLane: "load_lane", nameUnsigned: "unsigned",
	nameOffset: "offset", nameIndex: "index", nameTable: "table", nameTarget: "target", nameImm: "constant", nameShift: "shift",
	nameSaturate: "saturate", nameRHAdd: "rhadd", nameNotResult: "not_result", nameArith: "signed", nameSubgroup: "subgroup_size",
	nameLaneOp: "lane_operation", nameInactive: "inactive_result", nameAtomic: "atomic_operation", nameCompare: "compare", nameSkip: "skip",
	nameRegType: "register_type", nameRegWidth: "register_width", nameRegWidth2: "secondary_register_width", nameChannels: "channels",
	nameDimension: "dimension", nameWide: "wide_indices", nameArray: "array_enable", nameTexelOffset: "texel_offset", nameShadow: "shadow",
	nameLod: "lod_mode", nameIntegerCoord: "integer_coordinates", nameGather: "fetch_component", nameSampleUpdate: "sample_and_update_mode",
	nameVarWidth: "varying_texture_register_width", nameMux: "mux", nameSqrt: "sqrt", nameLog: "log", nameSecond: "second",
	nameConservative: "conservative", nameEq: "eq", nameAbsolute: "absolute", nameZ: "z", nameStencil: "stencil", nameNegB64: "neg", namePreserve: "preserve_null", nameNegResult: "neg_result", nameNaNMode: "nan_mode", nameFTZ: "ftz", nameFlushInf: "flush_inf",
	nameFlushNaN: "flush_nan", nameMask0: "mask", nameStoreLane: "store_lane", nameSaturate64: "saturate64",
	nameCarry: "return_carry", nameUnsignedA: "unsigned_a", nameUnsignedB: "unsigned_b", nameFunction: "operation", nameDerivative: "derivative", nameBiasOff: "lod_bias_disable", nameClampOff: "lod_clamp_disable", nameLodFlags: "lod_flags"}
