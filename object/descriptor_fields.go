package object

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// A DescriptorField is a field of a kernel descriptor, with its name in LLVM's "User Guide for AMDGPU Backend".
type DescriptorField struct {
	Name   string `json:"name"`
	Offset int    `json:"offset"`        // in bytes, of its word
	Lo     int    `json:"lo"`            // bits of the word
	Hi     int    `json:"hi"`            // included
	Value  uint64 `json:"value"`         // as encoded
	Says   string `json:"says,omitzero"` // meaning of the value
}

// A descriptorRow is a field and its position.
type descriptorRow struct {
	off, lo, hi int
	name        string
	says        func(v uint64) string // nil: the number is enough
	old         bool                  // the meaning applies to gfx6 to gfx8 only
}

const (
	offRsrc3      = 44
	offRsrc1      = 48
	offRsrc2      = 52
	offProperties = 56
	offPreload    = 58
)

func saysRound(v uint64) string { return [...]string{"to nearest even", "up", "down", "to zero"}[v] }

func saysDenorm(v uint64) string {
	return [...]string{"sources and results flushed", "results flushed", "sources flushed", "kept"}[v]
}

func says(format string, f func(v uint64) uint64) func(uint64) string {
	return func(v uint64) string { return fmt.Sprintf(format, f(v)) }
}

// descriptorRows are the fields of a descriptor, in order. Source: docs/reference/gcn.md 9.1.
func descriptorRows() []descriptorRow {
	return []descriptorRow{
		{off: 0, hi: 31, name: "GROUP_SEGMENT_FIXED_SIZE"},
		{off: 4, hi: 31, name: "PRIVATE_SEGMENT_FIXED_SIZE"},
		{off: 8, hi: 31, name: "KERNARG_SIZE"},
		{off: 12, hi: 31, name: "RESERVED0"},
		{off: 16, hi: 63, name: "KERNEL_CODE_ENTRY_BYTE_OFFSET"},
		{off: 24, hi: 63, name: "RESERVED1"}, {off: 32, hi: 63, name: "RESERVED1"}, {off: 40, hi: 31, name: "RESERVED1"},
		{off: offRsrc3, hi: 31, name: "COMPUTE_PGM_RSRC3"},
		{off: offRsrc1, lo: 0, hi: 5, name: "GRANULATED_WORKITEM_VGPR_COUNT", says: says("%d vector registers", func(v uint64) uint64 { return 4 * (v + 1) }), old: true},
		{off: offRsrc1, lo: 6, hi: 9, name: "GRANULATED_WAVEFRONT_SGPR_COUNT", says: says("%d scalar registers", func(v uint64) uint64 { return 8 * (v + 1) }), old: true},
		{off: offRsrc1, lo: 10, hi: 11, name: "PRIORITY"},
		{off: offRsrc1, lo: 12, hi: 13, name: "FLOAT_ROUND_MODE_32", says: saysRound},
		{off: offRsrc1, lo: 14, hi: 15, name: "FLOAT_ROUND_MODE_16_64", says: saysRound},
		{off: offRsrc1, lo: 16, hi: 17, name: "FLOAT_DENORM_MODE_32", says: saysDenorm},
		{off: offRsrc1, lo: 18, hi: 19, name: "FLOAT_DENORM_MODE_16_64", says: saysDenorm},
		{off: offRsrc1, lo: 20, hi: 20, name: "PRIV"},
		{off: offRsrc1, lo: 21, hi: 21, name: "ENABLE_DX10_CLAMP"},
		{off: offRsrc1, lo: 22, hi: 22, name: "DEBUG_MODE"},
		{off: offRsrc1, lo: 23, hi: 23, name: "ENABLE_IEEE_MODE"},
		{off: offRsrc1, lo: 24, hi: 31, name: "RESERVED"},
		{off: offRsrc2, lo: 0, hi: 0, name: "ENABLE_PRIVATE_SEGMENT"},
		{off: offRsrc2, lo: 1, hi: 5, name: "USER_SGPR_COUNT"},
		{off: offRsrc2, lo: 6, hi: 6, name: "ENABLE_TRAP_HANDLER"},
		{off: offRsrc2, lo: 7, hi: 7, name: "ENABLE_SGPR_WORKGROUP_ID_X"},
		{off: offRsrc2, lo: 8, hi: 8, name: "ENABLE_SGPR_WORKGROUP_ID_Y"},
		{off: offRsrc2, lo: 9, hi: 9, name: "ENABLE_SGPR_WORKGROUP_ID_Z"},
		{off: offRsrc2, lo: 10, hi: 10, name: "ENABLE_SGPR_WORKGROUP_INFO"},
		{off: offRsrc2, lo: 11, hi: 12, name: "ENABLE_VGPR_WORKITEM_ID", says: func(v uint64) string {
			return [...]string{"v0 is x", "v0, v1 are x, y", "v0, v1, v2 are x, y, z", "undefined"}[v]
		}, old: true},
		{off: offRsrc2, lo: 13, hi: 13, name: "ENABLE_EXCEPTION_ADDRESS_WATCH"},
		{off: offRsrc2, lo: 14, hi: 14, name: "ENABLE_EXCEPTION_MEMORY"},
		{off: offRsrc2, lo: 15, hi: 23, name: "GRANULATED_LDS_SIZE"},
		{off: offRsrc2, lo: 24, hi: 24, name: "ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION"},
		{off: offRsrc2, lo: 25, hi: 25, name: "ENABLE_EXCEPTION_FP_DENORMAL_SOURCE"},
		{off: offRsrc2, lo: 26, hi: 26, name: "ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO"},
		{off: offRsrc2, lo: 27, hi: 27, name: "ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW"},
		{off: offRsrc2, lo: 28, hi: 28, name: "ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW"},
		{off: offRsrc2, lo: 29, hi: 29, name: "ENABLE_EXCEPTION_IEEE_754_FP_INEXACT"},
		{off: offRsrc2, lo: 30, hi: 30, name: "ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO"},
		{off: offRsrc2, lo: 31, hi: 31, name: "RESERVED"},
		{off: offProperties, lo: 0, hi: 0, name: "ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER"},
		{off: offProperties, lo: 1, hi: 1, name: "ENABLE_SGPR_DISPATCH_PTR"},
		{off: offProperties, lo: 2, hi: 2, name: "ENABLE_SGPR_QUEUE_PTR"},
		{off: offProperties, lo: 3, hi: 3, name: "ENABLE_SGPR_KERNARG_SEGMENT_PTR"},
		{off: offProperties, lo: 4, hi: 4, name: "ENABLE_SGPR_DISPATCH_ID"},
		{off: offProperties, lo: 5, hi: 5, name: "ENABLE_SGPR_FLAT_SCRATCH_INIT"},
		{off: offProperties, lo: 6, hi: 6, name: "ENABLE_SGPR_PRIVATE_SEGMENT_SIZE"},
		{off: offProperties, lo: 7, hi: 9, name: "RESERVED"},
		{off: offProperties, lo: 10, hi: 10, name: "ENABLE_WAVEFRONT_SIZE32"},
		{off: offProperties, lo: 11, hi: 11, name: "USES_DYNAMIC_STACK"},
		{off: offProperties, lo: 12, hi: 15, name: "RESERVED"},
		{off: offPreload, hi: 15, name: "KERNARG_PRELOAD"},
		{off: 60, hi: 31, name: "RESERVED4"},
	}
}

// Fields returns all fields of the descriptor; reserved fields only if they are not 0. For chips after gfx8 fewer
// fields have a meaning.
func (d *Descriptor) Fields(target string) (list []DescriptorField) {
	var raw [DescriptorSize + 8]byte
	copy(raw[:], d.Raw[:])
	for _, r := range descriptorRows() {
		v := binary.LittleEndian.Uint64(raw[r.off:]) >> r.lo & (1<<(r.hi-r.lo+1) - 1) // for 64 bits the mask is ^0
		if strings.HasPrefix(r.name, "RESERVED") && v == 0 {
			continue
		}
		f := DescriptorField{Name: r.name, Offset: r.off, Lo: r.lo, Hi: r.hi, Value: v}
		if r.says != nil && (!r.old || Variant(target) != "") {
			f.Says = r.says(v)
		}
		list = append(list, f)
	}
	for i, name := range [...]string{"X", "Y", "Z"} { // of amd_kernel_code_t; the bits are reserved in a descriptor
		if d.GroupCount(i) {
			list = append(list, DescriptorField{Name: "ENABLE_SGPR_GRID_WORKGROUP_COUNT_" + name, Offset: offProperties, Lo: codeCountsShift + i, Hi: codeCountsShift + i, Value: 1})
		}
	}
	return list
}
