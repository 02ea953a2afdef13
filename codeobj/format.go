package codeobj

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// Names of directives.
const (
	dirTarget   = ".amdgcn_target"
	dirVersion  = ".amdhsa_code_object_version"
	dirKernel   = ".amdhsa_kernel"
	dirEnd      = ".end_amdhsa_kernel"
	dirMetadata = ".amdgpu_metadata"
)

// format returns what code objects add to the assembler's directives and symbols.
func format(c chip) *asm.Format {
	f := &asm.Format{
		Marks: []asm.MarkRow{
			{Name: dirTarget, Doc: "the processor", Expr: false},
			{Name: dirVersion, Doc: "the version of the code object format", Expr: true},
			{Name: dirKernel, Doc: "a kernel descriptor begins"},
			{Name: dirOldVersion, Doc: "MAJOR, MINOR: the version of a code object of version 2"},
			{Name: dirOldISA, Doc: "[MAJOR, MINOR, STEPPING, VENDOR, ARCHITECTURE]: the processor in code objects of version 2"},
			{Name: dirOldTarget, Doc: "the target in code objects of version 2 and in Mesa's"},
			{Name: dirOldKernel, Doc: "the symbol is a kernel, whose code begins with " + dirHeader},
			{Name: dirLDS, Doc: "NAME, SIZE[, ALIGN]: a variable in LDS"},
			{Name: dirEnd, Doc: "it ends: its 64 bytes lie here", Size: descriptorSize},
		},
		Blocks: []asm.BlockRow{{Name: dirMetadata, End: ".end_amdgpu_metadata", Doc: "what hosts read of kernels, in YAML"},
			{Name: dirOldMetadata, End: ".end_amd_amdgpu_hsa_metadata", Doc: "the same in code objects of version 2"}},
		Record: headerRecord(),
		Values: map[string]uint64{
			".amdgcn.gfx_generation_number": uint64(c.major), ".amdgcn.gfx_generation_minor": uint64(c.minor), ".amdgcn.gfx_generation_stepping": uint64(c.stepping),
		},
		Counts: []asm.Count{
			{Name: ".amdgcn.next_free_vgpr", Of: func(b *isa.Bundle) uint64 { return used(b, gcn.FileV, 256) }},
			{Name: ".amdgcn.next_free_sgpr", Of: func(b *isa.Bundle) uint64 { return used(b, gcn.FileS, c.scalars()) }},
		},
		Kinds: refKinds(),
		Funcs: functions(c),
		Frame: &asm.Frame{DataAlign: 4, Return: 16, Register: dwarfRegister}, // 16 is the program counter
	}
	for i := range keys {
		f.Marks = append(f.Marks, asm.MarkRow{Name: keys[i].name, Doc: keys[i].doc, Expr: true})
	}
	return f
}

// dwarfRegister returns the DWARF number of a register, in waves of 64 lanes. Source: LLVM, "User Guide for AMDGPU
// Backend", DWARF register identifiers.
func dwarfRegister(name string) (uint64, bool) {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]") // [s5] is s5
	switch name {
	case "pc":
		return 16, true
	case "exec":
		return 17, true
	case "exec_lo":
		return 1, true
	case "":
		return 0, false
	}
	n, err := strconv.ParseUint(strings.Trim(name[1:], "[]"), 10, 8)
	switch {
	case err != nil:
	case name[0] == 's' && n < 64:
		return 32 + n, true
	case name[0] == 's' && n < 106:
		return 1088 + n - 64, true
	case name[0] == 'v':
		return 2560 + n, true
	case name[0] == 'a':
		return 3072 + n, true
	}
	return 0, false
}

// used returns 1 + the highest register of a file, below limit, that an instruction names.
func used(b *isa.Bundle, file uint8, limit int) (n uint64) {
	var spans []isa.Span
	for i := range b.Parts {
		in := &b.Parts[i]
		for k := range in.Def.Args {
			a := &in.Def.Args[k]
			if a.Kind.Cells == nil {
				continue
			}
			spans = a.Kind.Cells(spans[:0], in, a, a.Get(in.Word))
			for _, s := range spans {
				if last := int(s.Index) + s.N; s.Cell != (ir.Cell{}) && s.File == file && last <= limit || file == gcn.FileV && s.File == file {
					n = max(n, uint64(last))
				}
			}
		}
	}
	return n
}

// functions returns those that LLVM writes into expressions about registers.
func functions(c chip) map[string]func(args []int64) (int64, bool) {
	fold := func(f func(x, y int64) int64) func(args []int64) (int64, bool) {
		return func(args []int64) (int64, bool) {
			v := args[0]
			for _, x := range args[1:] {
				v = f(v, x)
			}
			return v, true
		}
	}
	return map[string]func(args []int64) (int64, bool){
		"max": fold(func(x, y int64) int64 { return max(x, y) }),
		"or":  fold(func(x, y int64) int64 { return x | y }),
		// totalnumvgprs(accumulation, others): without accumulation registers in the same file the counts are not
		// added.
		"totalnumvgprs": func(a []int64) (int64, bool) { return max(a[0], a[len(a)-1]), len(a) == 2 },
		"extrasgprs": func(a []int64) (int64, bool) {
			if len(a) != 3 {
				return 0, false
			}
			return int64(c.extra(a[0] != 0, a[1] != 0, a[2] != 0)), true
		},
		"alignto": func(a []int64) (int64, bool) {
			if len(a) != 2 || a[1] <= 0 || a[0] < 0 || a[0] > 1<<40 || a[1] > 1<<40 {
				return 0, false
			}
			return (a[0] + a[1] - 1) / a[1] * a[1], true
		},
	}
}
