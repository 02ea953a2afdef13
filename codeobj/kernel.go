package codeobj

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
)

const descriptorSize = 64

// A key is a directive between .amdhsa_kernel and its end: a field of the descriptor, or an input for the computation
// of fields.
type key struct {
	name string
	most uint64
	def  int64
	from int   // the first generation that has it
	put  place // the field in the descriptor; zero: an input for other fields
	user int   // user SGPRs that it takes
	doc  string
}

// A place is a bit field of the descriptor.
type place struct {
	off, bit int
	is       bool
}

// Offsets of the descriptor's words. Source: docs/reference/gcn.md 9.1.
const (
	offGroup   = 0
	offScratch = 4
	offKernarg = 8
	offEntry   = 16
	offRsrc1   = 48
	offRsrc2   = 52
	offProps   = 56
)

// Names of keys that are inputs for other fields.
const (
	keyUserCount = ".amdhsa_user_sgpr_count"
	keyVGPRs     = ".amdhsa_next_free_vgpr"
	keySGPRs     = ".amdhsa_next_free_sgpr"
	keyVCC       = ".amdhsa_reserve_vcc"
	keyFlat      = ".amdhsa_reserve_flat_scratch"
	keyXnack     = ".amdhsa_reserve_xnack_mask"
)

const all32 = 1<<32 - 1

// keys are those of gfx6 to gfx8, with LLVM's defaults.
var keys = []key{
	{name: ".amdhsa_group_segment_fixed_size", most: all32, put: place{offGroup, 0, true}, doc: "bytes of LDS"},
	{name: ".amdhsa_private_segment_fixed_size", most: all32, put: place{offScratch, 0, true}, doc: "bytes of scratch of a lane"},
	{name: ".amdhsa_kernarg_size", most: all32, put: place{offKernarg, 0, true}, doc: "bytes of arguments"},
	{name: keyUserCount, most: 31, def: -1, doc: "user SGPRs; if not given, those that are asked for"},
	{name: ".amdhsa_user_sgpr_private_segment_buffer", most: 1, put: place{offProps, 0, true}, user: 4, doc: "the scratch resource, s[0:3]"},
	{name: ".amdhsa_user_sgpr_dispatch_ptr", most: 1, put: place{offProps, 1, true}, user: 2, doc: "address of the dispatch packet"},
	{name: ".amdhsa_user_sgpr_queue_ptr", most: 1, put: place{offProps, 2, true}, user: 2, doc: "address of the queue"},
	{name: ".amdhsa_user_sgpr_kernarg_segment_ptr", most: 1, put: place{offProps, 3, true}, user: 2, doc: "address of the arguments"},
	{name: ".amdhsa_user_sgpr_dispatch_id", most: 1, put: place{offProps, 4, true}, user: 2, doc: "number of the dispatch"},
	{name: ".amdhsa_user_sgpr_flat_scratch_init", most: 1, put: place{offProps, 5, true}, user: 2, doc: "scratch offset and bytes per lane"},
	{name: ".amdhsa_user_sgpr_private_segment_size", most: 1, put: place{offProps, 6, true}, user: 1, doc: "bytes of scratch of a lane"},
	{name: ".amdhsa_uses_dynamic_stack", most: 1, put: place{offProps, 11, true}, doc: "the bytes of scratch are a lower bound"},
	{name: ".amdhsa_system_sgpr_private_segment_wavefront_offset", most: 1, put: place{offRsrc2, 0, true}, doc: "an SGPR has the wave's scratch offset"},
	{name: ".amdhsa_system_sgpr_workgroup_id_x", most: 1, def: 1, put: place{offRsrc2, 7, true}, doc: "an SGPR has the group's id, x"},
	{name: ".amdhsa_system_sgpr_workgroup_id_y", most: 1, put: place{offRsrc2, 8, true}, doc: "y"},
	{name: ".amdhsa_system_sgpr_workgroup_id_z", most: 1, put: place{offRsrc2, 9, true}, doc: "z"},
	{name: ".amdhsa_system_sgpr_workgroup_info", most: 1, put: place{offRsrc2, 10, true}, doc: "an SGPR has the group info word"},
	{name: ".amdhsa_system_vgpr_workitem_id", most: 2, put: place{offRsrc2, 11, true}, doc: "v0 has the work-item's id: 0 x, 1 also v1 y, 2 also v2 z"},
	{name: keyVGPRs, most: 256, def: -1, doc: "number after that of the last vector register; required"},
	{name: keySGPRs, most: 112, def: -1, doc: "number after that of the last scalar register, without vcc and the like; required"},
	{name: keyVCC, most: 1, def: 1, doc: "vcc is used"},
	{name: keyFlat, most: 1, def: 1, from: 7, doc: "flat_scratch is used"},
	{name: keyXnack, most: 1, def: -1, from: 8, doc: "xnack_mask is used"},
	{name: ".amdhsa_float_round_mode_32", most: 3, put: place{offRsrc1, 12, true}, doc: "rounding of f32: 0 nearest, 1 up, 2 down, 3 to zero"},
	{name: ".amdhsa_float_round_mode_16_64", most: 3, put: place{offRsrc1, 14, true}, doc: "of f16 and f64"},
	{name: ".amdhsa_float_denorm_mode_32", most: 3, put: place{offRsrc1, 16, true}, doc: "denormals of f32: 1 sources keep them, 2 results do"},
	{name: ".amdhsa_float_denorm_mode_16_64", most: 3, def: 3, put: place{offRsrc1, 18, true}, doc: "of f16 and f64"},
	{name: ".amdhsa_dx10_clamp", most: 1, def: 1, put: place{offRsrc1, 21, true}, doc: "clamp turns NaN into 0"},
	{name: ".amdhsa_ieee_mode", most: 1, def: 1, put: place{offRsrc1, 23, true}, doc: "min, max and clamp quiet signalling NaN"},
	{name: ".amdhsa_exception_fp_ieee_invalid_op", most: 1, put: place{offRsrc2, 24, true}, doc: "trap on invalid operations"},
	{name: ".amdhsa_exception_fp_denorm_src", most: 1, put: place{offRsrc2, 25, true}, doc: "on denormal sources"},
	{name: ".amdhsa_exception_fp_ieee_div_zero", most: 1, put: place{offRsrc2, 26, true}, doc: "on divisions by zero"},
	{name: ".amdhsa_exception_fp_ieee_overflow", most: 1, put: place{offRsrc2, 27, true}, doc: "on overflow"},
	{name: ".amdhsa_exception_fp_ieee_underflow", most: 1, put: place{offRsrc2, 28, true}, doc: "on underflow"},
	{name: ".amdhsa_exception_fp_ieee_inexact", most: 1, put: place{offRsrc2, 29, true}, doc: "on inexact results"},
	{name: ".amdhsa_exception_int_div_zero", most: 1, put: place{offRsrc2, 30, true}, doc: "on integer divisions by zero"},
	{name: ".amdhsa_fp16_overflow", most: 1, from: 9}, {name: ".amdhsa_enable_private_segment", most: 1, from: 9},
	{name: ".amdhsa_user_sgpr_kernarg_preload_length", most: 31, from: 9}, {name: ".amdhsa_user_sgpr_kernarg_preload_offset", most: 511, from: 9},
	{name: ".amdhsa_accum_offset", most: 256, from: 9}, {name: ".amdhsa_tg_split", most: 1, from: 9},
	{name: ".amdhsa_wavefront_size32", most: 1, from: 10}, {name: ".amdhsa_workgroup_processor_mode", most: 1, from: 10},
	{name: ".amdhsa_memory_ordered", most: 1, from: 10}, {name: ".amdhsa_forward_progress", most: 1, from: 10},
	{name: ".amdhsa_shared_vgpr_count", most: 31, from: 10}, {name: ".amdhsa_inst_pref_size", most: 255, from: 11},
	{name: ".amdhsa_round_robin_scheduling", most: 1, from: 12},
}

func keyOf(name string) *key {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

// A kernel is a descriptor that is being read.
type kernel struct {
	name  string
	open  asm.Mark // .amdhsa_kernel
	given map[string]asm.Mark
}

// value returns the value of a key, or its default.
func (k *kernel) value(name string) int64 {
	if m, ok := k.given[name]; ok {
		return m.Value
	}
	return keyOf(name).def
}

// take reads a key.
func (b *builder) take(k *kernel, m asm.Mark) {
	d := keyOf(m.Name)
	switch old, twice := k.given[m.Name]; {
	case b.chip.major < d.from:
		b.fail(m, "%s begins with gfx%d; this is %s", m.Name, d.from, b.named)
	case twice:
		b.fail(m, "%s is given twice; first in line %d", m.Name, old.Line)
	case !m.Given:
		b.fail(m, "%s has no value", m.Name)
	case m.Value < 0 || uint64(m.Value) > d.most:
		b.fail(m, "%s is %d: want 0 to %d", m.Name, m.Value, d.most)
	}
	k.given[m.Name] = m
}

// descriptor returns the 64 bytes of a kernel, without its entry.
func (b *builder) descriptor(k *kernel) []byte {
	d := make([]byte, descriptorSize)
	le := binary.LittleEndian
	users := 0
	for i := range keys {
		row := &keys[i]
		v := k.value(row.name)
		if row.put.is && row.from <= b.chip.major {
			w := le.Uint32(d[row.put.off:])
			le.PutUint32(d[row.put.off:], w|uint32(v)<<row.put.bit)
		}
		if v == 1 {
			users += row.user
		}
	}
	if n := k.value(keyUserCount); n >= 0 {
		if users > int(n) {
			b.fail(k.given[keyUserCount], "%s is %d; what is asked for takes %d", keyUserCount, n, users)
		}
		users = int(n)
	}
	vgprs, sgprs := b.registers(k)
	le.PutUint32(d[offRsrc1:], le.Uint32(d[offRsrc1:])|uint32(vgprs)|uint32(sgprs)<<6)
	le.PutUint32(d[offRsrc2:], le.Uint32(d[offRsrc2:])|uint32(users)<<1)
	return d
}

// registers computes the fields for vector and scalar registers. Source: docs/reference/gcn.md 9.1, rsrc1. On gfx6,
// where no directive can change it, LLVM's assembler counts registers for flat scratch, too, which gfx6 does not
// have.
func (b *builder) registers(k *kernel) (vgprs, sgprs int) {
	for _, name := range []string{keyVGPRs, keySGPRs} {
		if _, ok := k.given[name]; !ok {
			b.fail(k.open, "%s of kernel %s is missing", name, k.name)
			return 0, 0
		}
	}
	xnack := k.value(keyXnack) == 1 || k.value(keyXnack) < 0 && b.chip.xnack && b.xnackOn()
	extra := b.chip.extra(k.value(keyVCC) == 1, k.value(keyFlat) == 1, xnack)
	n, most := int(k.value(keySGPRs)), b.chip.scalars()
	early := b.chip.major < 8 || b.chip.initBug // the extra ones are among those that have numbers
	if early {
		n += extra
	}
	if n > most {
		b.fail(k.given[keySGPRs], "%d scalar registers; %s has %d", n, b.named, most)
	}
	if !early {
		n += extra
	}
	if b.chip.initBug {
		n = 96
	}
	return (max(int(k.value(keyVGPRs)), 1)+3)/4 - 1, (max(n, 1)+7)/8 - 1
}

// fail records an error at a directive.
func (b *builder) fail(m asm.Mark, format string, args ...any) {
	if len(b.errs) < maxErrors {
		b.errs = append(b.errs, &isa.Error{Code: isa.ErrDirective, File: b.opt.File, Line: m.Line, Col: column(m), Source: m.Source, Msg: fmt.Sprintf(format, args...)})
	}
}

const maxErrors = 100

// column returns the column of a directive in its line.
func column(m asm.Mark) int { return max(strings.Index(m.Source, m.Name), 0) + 1 }
