package codeobj_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/object"
)

// descriptor returns that of a kernel with some directives, for a processor.
func descriptor(t *testing.T, target, directives string) object.Descriptor {
	t.Helper()
	text := "\t.amdgcn_target \"amdgcn-amd-amdhsa--" + target + "\"\n\t.globl k\nk:\n\ts_endpgm\n\t.rodata\n\t.p2align 6\n\t.amdhsa_kernel k\n" + directives + "\t.end_amdhsa_kernel\n"
	o, err := object.ReadHSA(assemble(t, []byte(text)).Data)
	if err != nil {
		t.Fatal(err)
	}
	return o.Kernels[0].Descriptor
}

// TestRegisterCounts: blocks of 4 vector and 8 scalar registers, with some added: docs/reference/gcn.md 9.1.
func TestRegisterCounts(t *testing.T) {
	tests := []struct {
		target       string
		vgprs, sgprs int
		more         string
		v, s         int // registers of a wave
	}{
		{"gfx803", 0, 0, "", 4, 8}, // 0 and 6
		{"gfx803", 4, 2, "", 4, 8},
		{"gfx803", 5, 3, "", 8, 16},
		{"gfx803", 256, 102, "", 256, 112},
		{"gfx803", 24, 20, ".amdhsa_reserve_flat_scratch 0\n", 24, 24}, // 2 for vcc
		{"gfx803", 25, 24, ".amdhsa_reserve_flat_scratch 0\n.amdhsa_reserve_vcc 0\n", 28, 24}, // none
		{"gfx803", 1, 13, ".amdhsa_reserve_flat_scratch 0\n.amdhsa_reserve_xnack_mask 1\n", 4, 24},
		{"gfx802", 1, 13, "", 4, 96},
	}
	for _, tt := range tests {
		d := descriptor(t, tt.target, fmt.Sprintf(".amdhsa_next_free_vgpr %d\n.amdhsa_next_free_sgpr %d\n%s", tt.vgprs, tt.sgprs, tt.more))
		if d.VGPRs() != tt.v || d.SGPRs() != tt.s {
			t.Errorf("%+v: %d and %d registers", tt, d.VGPRs(), d.SGPRs())
		}
	}
}

// TestDefaults: the defaults of a descriptor.
func TestDefaults(t *testing.T) {
	const need = ".amdhsa_next_free_vgpr 1\n.amdhsa_next_free_sgpr 1\n"
	d := descriptor(t, "gfx803", need)
	if d.Rsrc1 != 0|0<<6|3<<18|1<<21|1<<23 || d.Rsrc2 != 1<<7 || d.Properties != 0 || d.KernargSize != 0 || d.GroupSize != 0 || d.PrivateSize != 0 {
		t.Errorf("%#x %#x %#x", d.Rsrc1, d.Rsrc2, d.Properties)
	}
	d = descriptor(t, "gfx803", need+".amdhsa_user_sgpr_private_segment_buffer 1\n.amdhsa_user_sgpr_queue_ptr 1\n.amdhsa_user_sgpr_private_segment_size 1\n.amdhsa_system_vgpr_workitem_id 2\n"+
		".amdhsa_exception_int_div_zero 1\n.amdhsa_float_round_mode_32 3\n.amdhsa_kernarg_size 0x100\n.amdhsa_uses_dynamic_stack 1\n")
	if d.Rsrc1 != 3<<12|3<<18|1<<21|1<<23 || d.Rsrc2 != 7<<1|1<<7|2<<11|1<<30 || d.Properties != 1|1<<2|1<<6|1<<11 || d.KernargSize != 256 {
		t.Errorf("%#x %#x %#x", d.Rsrc1, d.Rsrc2, d.Properties)
	}
}

// sections is a program with most directives for sections and symbols.
const sections = `	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 4
	.text
	.weak f
	.hidden f
	.type f,@function
f:	s_nop 0
	s_mov_b32 s0, data@abs32@lo
	.size f, .-f
	.set .amdgcn.next_free_sgpr, 0
	.section .rodata.x,"a",@progbits
	.p2align 4
	.byte 1
	.balignl 8, 0x11223344
	.p2align 4, 0xff
	.long max(1, .amdgcn.next_free_sgpr, 3), or(1, 4), f-f+2, .amdgcn.gfx_generation_number
	.text
	s_mov_b32 s7, s6
	.section .rodata.x
	.long .amdgcn.next_free_sgpr
	.quad f+4, 7
	.long f - .
	.octa 0x000102030405060708090a0b0c0d0e0f
	.uleb128 300
	.sleb128 -2
	.data
	.globl data
data:	.quad data
	.bss
	.zero 100
	.weak nobody
	.data
	.quad nobody
`

// TestSections: the effects of its directives on the program.
func TestSections(t *testing.T) {
	c := assemble(t, []byte(sections))
	o, err := object.ReadHSA(c.Data)
	if err != nil || o.Version != 4 || o.Target != "gfx803" {
		t.Fatalf("%+v, %v", o, err)
	}
	at := map[string]object.Symbol{}
	for _, y := range o.Symbols {
		at[y.Name] = y
	}
	if f := at["f"]; f.Kind != object.Func || f.Vis != object.VisHidden || f.Size != 12 {
		t.Errorf("%+v", f)
	}
	sect := map[string]object.ImageSection{}
	for _, s := range o.Sections {
		sect[s.Name] = s
	}
	const base = 0x40_0000
	bias := base - o.Base
	image := o.Load(base)
	x := sect[".rodata"]
	le := binary.LittleEndian
	want := []byte{1, 0, 0, 0, 0, 0, 0, 0} // a gap that the unit does not fill is zeros
	want = append(want, bytes.Repeat([]byte{0xff}, 8)...)
	for _, v := range []uint32{3, 5, 2, 8, 8} { // s7 is the highest since the count was restarted: 8
		want = le.AppendUint32(want, v)
	}
	want = le.AppendUint64(want, at["f"].Addr+4+bias)
	want = le.AppendUint64(want, 7)
	want = le.AppendUint32(want, uint32(at["f"].Addr-(x.Addr+uint64(len(want)))))
	want = append(want, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
	want = append(want, 0xac, 0x02, 0x7e)
	if got := image[x.Addr-o.Base:][:x.Size]; !bytes.Equal(got, want) {
		t.Errorf("data is\n%x, want\n%x", got, want)
	}
	d := sect[".data"]
	data := image[d.Addr-o.Base:][:d.Size]
	if le.Uint64(data) != at["data"].Addr+bias || le.Uint64(data[8:]) != 0 || sect[".bss"].Size != 100 || !sect[".bss"].Zero {
		t.Errorf("%x, %+v", data, sect[".bss"])
	}
	code := image[at["f"].Addr-o.Base:]
	if le.Uint32(code[8:]) != uint32(at["data"].Addr+bias) {
		t.Errorf("literal %x", code[8:12])
	}
}

func TestDirectiveErrors(t *testing.T) {
	for text, want := range map[string]string{
		".section .rodata,\"a\"\n.section .rodata,\"ax\"": "section .rodata is \"a\",@progbits before this line, here \"ax\",@progbits",
		".section":                            "the name of a section",
		".popsection":                         "there is no .pushsection before this line",
		".type f,@thing":                      "no type of a symbol",
		".size f, f":                          "an operand or a label of this file",
		"f: .size f, f":                       "the size is no number",
		".data\nf:\n.text\ng:\n.byte f":       "an address has four or eight bytes",
		".data\nf:\n.text\n.data\n.short 1-f": "depends on where two sections",
		"s_add_u32 s0, s1, f@rel32@lo*2":      "has no room for an address",
		"s_movk_i32 s0, f@rel32@lo":           "does not fit 16 bits",
		"v_mov_b32 v0, f@nothing":             "an operand or a label",
		".bss\n.byte 1":                       "section .bss holds something else than zeros",
		".amdhsa_kernarg_size 1":              "is outside of .amdhsa_kernel",
		".amdhsa_code_object_version 9":       "version 9 cannot be written",
		".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.amdgcn_target \"amdgcn-amd-amdhsa--gfx801\"": "gfx801 where the file is for gfx803",
		".amdgpu_metadata\na: 1":                      ".amdgpu_metadata has no .end_amdgpu_metadata",
		".amdgpu_metadata\n- 1\n.end_amdgpu_metadata": "metadata is no map",
		".amdhsa_frobnicate 1":                        "no directive .amdhsa_frobnicate",
		".octa -1":                                    "a number of up to 128 bits",
		".address 3\n.address 4":                      "the section has another address already",
		".long nothing(1)":                            "nothing is no function",
	} {
		_, errs, err := codeobj.Assemble([]byte(text), codeobj.Options{Target: "gfx803"})
		got := fmt.Sprint(err)
		if len(errs) > 0 {
			got = errs[0].Msg
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestQuotedNames: text with names in double quotes, as clang writes those that are no words, assembles to what clang
// itself makes of the source; the code object runs, and its own text assembles to the same code object.
func TestQuotedNames(t *testing.T) {
	want, err := object.ReadUnlinked(cases.Text(t, "testdata/quoted/k.o.gz"))
	if err != nil {
		t.Fatal(err)
	}
	c := assemble(t, cases.Text(t, "testdata/quoted/k.s.gz"))
	for _, u := range []*object.Unlinked{c.Unlinked, want} {
		for i := range u.Symbols {
			if y := &u.Symbols[i]; y.Section == object.Absolute { // counts of registers: clang writes more of them into a text
				y.Name = ""
			}
		}
	}
	for _, what := range unequal(c.Unlinked, want) {
		t.Error(what)
	}
	was, err := object.ReadHSA(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := codeobj.Source(&text, was); err != nil {
		t.Fatal(err)
	}
	is, err := object.ReadHSA(assemble(t, text.Bytes()).Data)
	if err != nil {
		t.Fatal(err)
	}
	if what := differ(was, is); what != "" {
		t.Error(what)
	}
	if _, ok := is.Kernel("füllen"); !ok {
		t.Error("there is no kernel füllen")
	}
}

// TestSunFlags: flags of a section as clang 14 writes them for -gsplit-dwarf; its own assembler does not know
// #exclude.
func TestSunFlags(t *testing.T) {
	c := assemble(t, []byte(".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.section .debug_info.dwo,#exclude\n.long 1\n.section .x,#alloc,#write\n.long 2\n"))
	for _, s := range c.Unlinked.Sections {
		if split := s.Name == ".debug_info.dwo"; s.Exclude != split || split && s.Alloc || s.Name == ".x" && !(s.Alloc && s.Write) {
			t.Errorf("%+v", s)
		}
	}
	if section(t, c.Data, ".debug_info.dwo") != nil || len(section(t, c.Data, ".x")) != 4 {
		t.Error("sections of the linked file")
	}
}

// TestNoProcessor: text that does not name its processor is an error with a hint, and so is LLVM IR.
func TestNoProcessor(t *testing.T) {
	for text, want := range map[string]string{
		"s_endpgm\n": "k.s: there is no .amdgcn_target, and no option names the processor, such as gfx803",
		"; ModuleID = 'k.cl'\ntarget datalayout = \"e\"\ntarget triple = \"amdgcn-amd-amdhsa\"\n": "k.s: LLVM IR, and no assembly: clang compiles it if its name ends in .ll",
	} {
		if _, errs, err := codeobj.Assemble([]byte(text), codeobj.Options{File: "k.s"}); err == nil || err.Error() != want {
			t.Errorf("%v %v, want %s", errs, err, want)
		}
	}
}
