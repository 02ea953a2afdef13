package codeobj

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/object"
)

// Text of code objects of version 2, as clang up to 14 writes it with -mcode-object-version=2, and of
// amdgcn-mesa-mesa3d: a kernel's code begins with a header, amd_kernel_code_t, and notes are directives.

const (
	dirOldVersion  = ".hsa_code_object_version"
	dirOldISA      = ".hsa_code_object_isa"
	dirOldTarget   = ".amd_amdgpu_isa"
	dirOldKernel   = ".amdgpu_hsa_kernel"
	dirOldMetadata = ".amd_amdgpu_hsa_metadata"
	dirLDS         = ".amdgpu_lds"
	dirHeader      = ".amd_kernel_code_t"
	dirHeaderEnd   = ".end_amd_kernel_code_t"

	noteOldVersion, noteOldISA, noteOldMetadata, noteOldTarget = 1, 3, 10, 11

	mesaTriple = "amdgcn-mesa-mesa3d-"
)

// A headerField is bits of amd_kernel_code_t. Other is a second name that LLVM's assembler accepts.
type headerField struct {
	name, other      string
	off, bit, length int
	from             int // the first generation in which it may be set
}

// headerFields are the fields. Source: LLVM, "User Guide for AMDGPU Backend", and the output of llvm-mc 14 and 22.
var headerFields = []headerField{
	{"amd_code_version_major", "kernel_code_version_major", 0, 0, 32, 0},
	{"amd_code_version_minor", "kernel_code_version_minor", 4, 0, 32, 0},
	{"amd_machine_kind", "machine_kind", 8, 0, 16, 0},
	{"amd_machine_version_major", "machine_version_major", 10, 0, 16, 0},
	{"amd_machine_version_minor", "machine_version_minor", 12, 0, 16, 0},
	{"amd_machine_version_stepping", "machine_version_stepping", 14, 0, 16, 0},
	{"kernel_code_entry_byte_offset", "", 16, 0, 64, 0},
	{"kernel_code_prefetch_byte_size", "", 32, 0, 64, 0},
	{"max_scratch_backing_memory_byte_size", "", 0, 0, 0, 0}, // llvm-mc does not write it
	{"granulated_workitem_vgpr_count", "compute_pgm_rsrc1_vgprs", 48, 0, 6, 0},
	{"granulated_wavefront_sgpr_count", "compute_pgm_rsrc1_sgprs", 48, 6, 4, 0},
	{"priority", "compute_pgm_rsrc1_priority", 48, 10, 2, 0},
	{"float_mode", "compute_pgm_rsrc1_float_mode", 48, 12, 8, 0},
	{"priv", "compute_pgm_rsrc1_priv", 48, 20, 1, 0},
	{"enable_dx10_clamp", "compute_pgm_rsrc1_dx10_clamp", 48, 21, 1, 0},
	{"debug_mode", "compute_pgm_rsrc1_debug_mode", 48, 22, 1, 0},
	{"enable_ieee_mode", "compute_pgm_rsrc1_ieee_mode", 48, 23, 1, 0},
	{"enable_wgp_mode", "compute_pgm_rsrc1_wgp_mode", 48, 29, 1, 10},
	{"enable_mem_ordered", "compute_pgm_rsrc1_mem_ordered", 48, 30, 1, 10},
	{"enable_fwd_progress", "compute_pgm_rsrc1_fwd_progress", 48, 31, 1, 10},
	{"enable_sgpr_private_segment_wave_byte_offset", "compute_pgm_rsrc2_scratch_en", 52, 0, 1, 0},
	{"user_sgpr_count", "compute_pgm_rsrc2_user_sgpr", 52, 1, 5, 0},
	{"enable_trap_handler", "compute_pgm_rsrc2_trap_handler", 52, 6, 1, 0},
	{"enable_sgpr_workgroup_id_x", "compute_pgm_rsrc2_tgid_x_en", 52, 7, 1, 0},
	{"enable_sgpr_workgroup_id_y", "compute_pgm_rsrc2_tgid_y_en", 52, 8, 1, 0},
	{"enable_sgpr_workgroup_id_z", "compute_pgm_rsrc2_tgid_z_en", 52, 9, 1, 0},
	{"enable_sgpr_workgroup_info", "compute_pgm_rsrc2_tg_size_en", 52, 10, 1, 0},
	{"enable_vgpr_workitem_id", "compute_pgm_rsrc2_tidig_comp_cnt", 52, 11, 2, 0},
	{"enable_exception_msb", "compute_pgm_rsrc2_excp_en_msb", 52, 13, 2, 0},
	{"granulated_lds_size", "compute_pgm_rsrc2_lds_size", 52, 15, 9, 0},
	{"enable_exception", "compute_pgm_rsrc2_excp_en", 52, 24, 7, 0},
	{"enable_sgpr_private_segment_buffer", "", 56, 0, 1, 0},
	{"enable_sgpr_dispatch_ptr", "", 56, 1, 1, 0},
	{"enable_sgpr_queue_ptr", "", 56, 2, 1, 0},
	{"enable_sgpr_kernarg_segment_ptr", "", 56, 3, 1, 0},
	{"enable_sgpr_dispatch_id", "", 56, 4, 1, 0},
	{"enable_sgpr_flat_scratch_init", "", 56, 5, 1, 0},
	{"enable_sgpr_private_segment_size", "", 56, 6, 1, 0},
	{"enable_sgpr_grid_workgroup_count_x", "", 56, 7, 1, 0},
	{"enable_sgpr_grid_workgroup_count_y", "", 56, 8, 1, 0},
	{"enable_sgpr_grid_workgroup_count_z", "", 56, 9, 1, 0},
	{"enable_wavefront_size32", "", 56, 10, 1, 10},
	{"enable_ordered_append_gds", "", 56, 16, 1, 0},
	{"private_element_size", "", 56, 17, 2, 0},
	{"is_ptr64", "", 56, 19, 1, 0},
	{"is_dynamic_callstack", "", 56, 20, 1, 0},
	{"is_debug_enabled", "", 56, 21, 1, 0},
	{"is_xnack_enabled", "", 56, 22, 1, 0},
	{"workitem_private_segment_byte_size", "", 60, 0, 32, 0},
	{"workgroup_group_segment_byte_size", "", 64, 0, 32, 0},
	{"gds_segment_byte_size", "", 68, 0, 32, 0},
	{"kernarg_segment_byte_size", "", 72, 0, 64, 0},
	{"workgroup_fbarrier_count", "", 80, 0, 32, 0},
	{"wavefront_sgpr_count", "", 84, 0, 16, 0},
	{"workitem_vgpr_count", "", 86, 0, 16, 0},
	{"reserved_vgpr_first", "", 88, 0, 16, 0},
	{"reserved_vgpr_count", "", 90, 0, 16, 0},
	{"reserved_sgpr_first", "", 92, 0, 16, 0},
	{"reserved_sgpr_count", "", 94, 0, 16, 0},
	{"debug_wavefront_private_segment_offset_sgpr", "", 96, 0, 16, 0},
	{"debug_private_segment_buffer_sgpr", "", 98, 0, 16, 0},
	{"kernarg_segment_alignment", "", 100, 0, 8, 0},
	{"group_segment_alignment", "", 101, 0, 8, 0},
	{"private_segment_alignment", "", 102, 0, 8, 0},
	{"wavefront_size", "", 103, 0, 8, 0},
	{"call_convention", "", 104, 0, 32, 0},
	{"runtime_loader_kernel_symbol", "", 120, 0, 64, 0},
}

// headerRecord returns the directive of the header and its fields.
func headerRecord() *asm.Record {
	r := &asm.Record{Name: dirHeader, End: dirHeaderEnd, Doc: "the header of a kernel, as NAME = EXPR lines: code objects of version 2 and Mesa's", Size: object.KernelCodeSize}
	for i := range headerFields {
		f := &headerFields[i]
		for _, name := range []string{f.name, f.other} {
			if name != "" {
				r.Fields = append(r.Fields, asm.MarkRow{Name: name, Doc: "a field of " + dirHeader, Expr: true})
			}
		}
	}
	return r
}

// A header is amd_kernel_code_t while its fields are read.
type header struct {
	open asm.Mark
	data [object.KernelCodeSize]byte
}

// newHeader returns a header with the defaults of all fields.
func newHeader(m asm.Mark, c chip) *header {
	h := &header{open: m}
	le := binary.LittleEndian
	le.PutUint32(h.data[0:], 1)
	le.PutUint32(h.data[4:], 2)
	for i, v := range []int{1, c.major, c.minor, c.stepping} {
		le.PutUint16(h.data[8+2*i:], uint16(v))
	}
	le.PutUint64(h.data[16:], object.KernelCodeSize)
	copy(h.data[100:], []byte{4, 4, 4, 6, 0xff, 0xff, 0xff, 0xff})
	return h
}

// setField sets a field.
func (b *builder) setField(h *header, m asm.Mark) {
	i := slices.IndexFunc(headerFields, func(f headerField) bool { return f.name == m.Name || f.other == m.Name })
	f := &headerFields[i]
	v := uint64(m.Value)
	switch {
	case !m.Given:
		b.fail(m, "%s: a value is expected", m.Name)
		return
	case f.from > b.chip.major && v != 0:
		b.fail(m, "%s is not in gfx%d, only from gfx%d on", m.Name, b.chip.major, f.from)
		return
	case f.length == 0:
		return
	case f.length < 64 && m.Value>>f.length != 0 && m.Value>>(f.length-1) != -1:
		b.fail(m, "%s: %d does not fit %d bits", m.Name, m.Value, f.length)
		return
	}
	for n := range f.length {
		at, bit := f.off+(f.bit+n)/8, byte(1)<<((f.bit+n)%8)
		if h.data[at] &^= bit; v>>n&1 != 0 {
			h.data[at] |= bit
		}
	}
}

// writeHeader puts the header where its directive ends.
func (b *builder) writeHeader(h *header, end asm.Mark) {
	s := &b.u.Sections[end.Section]
	if s.Zero {
		b.fail(h.open, "a kernel's header cannot lie in %s, which holds nothing but zeros", s.Name)
		return
	}
	copy(s.Data[end.Off:], h.data[:])
}

// oldMark reads a directive of version 2 or of Mesa; false: it is none.
func (b *builder) oldMark(m asm.Mark) bool {
	le := binary.LittleEndian
	switch m.Name {
	case dirOldVersion:
		args := operands(m.Text)
		major, minor := b.operand(m, args, 0), b.operand(m, args, 1)
		b.old(m.Line, noteOldVersion, le.AppendUint32(le.AppendUint32(nil, major), minor))
	case dirOldISA:
		b.oldISA(m)
	case dirOldTarget:
		name := unquoted(m.Text)
		if named, _, err := processor(name); err != nil || named != b.named {
			b.fail(m, "%q where the file is for %s", name, b.named)
		}
		b.u.Mesa = strings.HasPrefix(name, mesaTriple)
		b.old(m.Line, noteOldTarget, []byte(name))
	case dirOldKernel:
		name := unquoted(m.Text)
		i, ok := b.symbols[name]
		if !ok {
			b.fail(m, "kernel %s: there is no such label", name)
			return true
		}
		b.u.Symbols[i].Kind = object.KernelCode
	case dirLDS: // llvm-mc lists the symbol only if code names it, and then ld.lld has no address for it
	default:
		return false
	}
	return true
}

// old adds a note of version 2. Mesa's text, which has one without the others, is of that version, too.
func (b *builder) old(line int, kind uint32, desc []byte) {
	b.notes = append(b.notes, note{line, object.OldNote(kind, desc)})
}

// A note is a note and the line of its directive.
type note struct {
	line int
	data []byte
}

// oldISA adds the note of the processor: major, minor, stepping, "AMD", "AMDGPU", or without operands that of the
// file.
func (b *builder) oldISA(m asm.Mark) {
	v, names := []uint32{uint32(b.chip.major), uint32(b.chip.minor), uint32(b.chip.stepping)}, []string{"AMD", "AMDGPU"}
	if args := operands(m.Text); len(args) > 0 {
		for i := range v {
			v[i] = b.operand(m, args, i)
		}
		for i := range names {
			if len(args) != 5 {
				b.fail(m, `%s: MAJOR, MINOR, STEPPING, "VENDOR", "ARCHITECTURE" are expected`, m.Name)
				return
			}
			names[i] = unquoted(args[3+i])
		}
	}
	le := binary.LittleEndian
	desc := le.AppendUint16(nil, uint16(len(names[0])+1))
	desc = le.AppendUint16(desc, uint16(len(names[1])+1))
	for _, n := range v {
		desc = le.AppendUint32(desc, n)
	}
	b.old(m.Line, noteOldISA, fmt.Appendf(desc, "%s\x00%s\x00", names[0], names[1]))
}

// operands splits a text at commas.
func operands(text string) (list []string) {
	if text, _, _ = strings.Cut(text, ";"); strings.TrimSpace(text) == "" {
		return nil
	}
	for s := range strings.SplitSeq(text, ",") {
		list = append(list, strings.TrimSpace(s))
	}
	return list
}

// operand returns a number among them.
func (b *builder) operand(m asm.Mark, args []string, i int) uint32 {
	if i >= len(args) {
		b.fail(m, "%s: %d numbers, more are expected", m.Name, len(args))
		return 0
	}
	n, err := strconv.ParseUint(args[i], 0, 32)
	if err != nil {
		b.fail(m, "%s: %q is no number of 32 bits", m.Name, args[i])
	}
	return uint32(n)
}

// sniffOld returns the processor that a line of such a text names; is: it names one.
func sniffOld(word, rest string, parts *[3]string) (target string, is bool) {
	switch word {
	case dirOldISA:
		if args := operands(rest); len(args) >= 3 {
			return "gfx" + args[0] + args[1] + args[2], true
		}
		return "", true
	case dirOldTarget:
		target, _, _ := processor(unquoted(rest))
		return target, true
	case dirOldVersion, dirOldKernel, dirHeader:
		return "", true
	}
	for i, name := range []string{"amd_machine_version_major", "amd_machine_version_minor", "amd_machine_version_stepping"} {
		if value, ok := strings.CutPrefix(strings.TrimSpace(rest), "="); ok && word == name {
			parts[i] = strings.TrimSpace(value)
		}
	}
	if parts[0] != "" && parts[1] != "" && parts[2] != "" {
		return "gfx" + parts[0] + parts[1] + parts[2], true
	}
	return "", false
}
