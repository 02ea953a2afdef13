package codeobj_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// TestDirectivesAsLLVM: texts with directives that compilers rarely write give the output of llvm-mc and ld.lld; see
// make.sh in testdata/mc.
func TestDirectivesAsLLVM(t *testing.T) {
	files, err := filepath.Glob("testdata/mc/*.s")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(file, ".s")
			want, err := object.ReadUnlinked(cases.Text(t, name+".o.gz"))
			if err != nil {
				t.Fatal(err)
			}
			c := assemble(t, text)
			for _, what := range unequal(c.Unlinked, want) {
				t.Error(what)
			}
			if name == filepath.Join("testdata", "mc", "cfi") {
				return // is not linked: see make.sh
			}
			for _, what := range unlike(t, c.Data, cases.Text(t, name+".hsaco.gz")) {
				t.Error("linked: ", what)
			}
		})
	}
}

// TestDirectivesRefused: what llvm-mc refuses is an error at the same line and column, or at the directive if llvm-mc
// names the end of the file.
func TestDirectivesRefused(t *testing.T) {
	const proc = ".cfi_startproc\n"
	for _, tt := range []struct{ text, want string }{
		{".ascii \"\\400\"", `1:9: \400 is more than a byte holds; \377 is the highest`},
		{".string \"a\\777\"", `1:11: \777 is more`},
		{".ascii \"\\8\"", "1:9: no such escape"},
		{"  .cfi_endproc", "1:3: .cfi_endproc is not between .cfi_startproc and .cfi_endproc"},
		{"f: .cfi_undefined 3", "1:4: .cfi_undefined is not between"},
		{proc + "\t.cfi_startproc\n.cfi_endproc", "2:2: the function of line 1 has no .cfi_endproc"},
		{"f: .cfi_startproc ; f\ns_nop 0", "1:4: the function has no .cfi_endproc"},
		{proc + ".data\n.cfi_undefined 3\n.text\n.cfi_endproc", "3:1: the function of line 1 began in another section"},
		{proc + ".cfi_escape 256\n.cfi_endproc", "2:13: the value does not fit 1 byte"},
		{".byte 1, 256", "1:10: the value does not fit 1 byte"},
		{".short 65536", "1:8: the value does not fit 2 bytes"},
		{proc + ".cfi_undefined vcc\n.cfi_endproc", `2:16: "vcc" where a register that has a DWARF number, or this number is expected`},
		{proc + ".cfi_undefined v256\n.cfi_endproc", "2:16: "},
		{proc + ".cfi_personality 0x101, x\n.cfi_endproc", "2:18: 0x101 is no form of an address"},
		{proc + ".cfi_lsda 0x30, x\n.cfi_endproc", "2:11: 0x30 is no form of an address"},
		{proc + ".cfi_lsda 0x1a, x\n.cfi_endproc", "2:11: no relocation has two bytes"},
		{proc + ".cfi_lsda 27\n.cfi_endproc", `2:13: end of line where "," is expected`},
		{"f:" + proc + ".cfi_label f\n.cfi_endproc", "2:12: f is defined a second time; first in line 1"},
		{proc + ".cfi_label x\n.cfi_label x\n.cfi_endproc", "3:12: x is defined a second time; first in line 2"},
		{".cfi_sections .eh_frame, .debug_frame\n" + proc + ".cfi_label x\n.cfi_endproc", "3:1: x is defined in .eh_frame and in .debug_frame"},
		{proc + ".cfi_negate_ra_state\n.cfi_endproc", "2:1: no directive .cfi_negate_ra_state"},
		{".file 1 \"a\"\n.file 3 \"b\"", "2:1: there is no .file 2; files are numbered from 1 on without gaps"},
		{".file 3 \"b\"\n.loc 3 1\ns_nop 0", "1:1: there is no .file 1"},
		{".file 0 \"a\"\n.file 1 \"a\"\n.file 2 \"b\"", "3:1: there is no .file 1; files are numbered from 1 on without gaps, and one that is equal to file 0 has no other number"},
		{".section a,\"az\"", "1:14: 'z' is no flag of a section; a w x M S e R G ? o are"},
		{".section a,\"aT\"", "1:14: thread-local sections are unsupported"},
		{".section a,\"G?\",@progbits,g", "1:13: flag G names a group"},
		{".section a,\"a\"\n .section a,\"aR\"", `2:2: section a is "a",@progbits before this line, here "aR",@progbits`},
		{".section a,\"aM\",@progbits,4\n.section a,\"aM\",@progbits,8", `2:1: section a is "aM",@progbits,4 before`},
		{".section .bss,\"aw\",@progbits", `1:1: section .bss is "aw",@nobits before`},
		{".section .debug_str,\"a\"", `1:1: section .debug_str is "MS",@progbits,1 before`},
		{" .popsection", "1:2: there is no .pushsection before this line"},
		{" .endif", "1:2: there is no .if"},
	} {
		_, errs, err := codeobj.Assemble([]byte(tt.text+"\n"), codeobj.Options{Target: "gfx803"})
		got := fmt.Sprint(err)
		if len(errs) > 0 {
			got = fmt.Sprintf("%d:%d: %s", errs[0].Line, errs[0].Col, errs[0].Msg)
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
	for _, text := range []string{".section a,\"a\"\n.section a,\"\"\n", ".section a,\"a\"\n.section a\n", ".section .text.x,\"a\"\n.section .text.x,\"ax\"\n", ".file 0 \"a\"\n.file 1 \"a\"\n"} {
		assemble(t, []byte(".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n"+text))
	}
}

// TestOldTexts: text of a code object of version 2 runs; that of Mesa's target is refused by run.
func TestOldTexts(t *testing.T) {
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join("testdata", "mc", name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	o, err := object.ReadHSA(assemble(t, read("v2.s")).Data)
	if err != nil || o.Version != 2 || len(o.Kernels) != 1 || o.Kernels[0].Meta == nil {
		t.Fatal(err)
	}
	module, err := gcn.Load(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	memory := gcn.NewMemory()
	a, err := memory.Alloc("a", 4*64)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 64 {
		a.Data[4*i] = byte(3 * i)
	}
	k := gcn.Kernel{Module: module, Name: "k", Memory: memory, Grid: [3]uint32{64}, Block: [3]uint32{64}, Args: []gcn.Arg{gcn.Buf(a), gcn.I32(5)}}
	if _, err := gcn.Launch(context.Background(), k, launch.Settings{Engine: ref.New()}); err != nil {
		t.Fatal(err)
	}
	for i := range 64 {
		if got, want := a.Data[4*i], byte(3*((i+1)&63)+5); got != want {
			t.Errorf("a[%d] is %d, want %d", i, got, want)
		}
	}
	if o, err = object.ReadHSA(assemble(t, read("mesa.s")).Data); err != nil || !o.Mesa || len(o.Kernels) != 1 {
		t.Fatal(o, err)
	}
	if _, err := gcn.Load(o, nil); err == nil || !strings.Contains(err.Error(), "amdgcn-mesa-mesa3d cannot be run") {
		t.Error(err)
	}
}

// TestOldTextErrors: errors in such texts have the line and column of the directive or field.
func TestOldTextErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{".amd_kernel_code_t\n  priority = 4\n.end_amd_kernel_code_t", "2:3: priority: 4 does not fit 2 bits"},
		{".amd_kernel_code_t\n\tenable_wgp_mode = 1\n.end_amd_kernel_code_t", "2:2: enable_wgp_mode is not in gfx8, only from gfx10 on"},
		{".amd_kernel_code_t\n\tprioritys = 1\n.end_amd_kernel_code_t", "2:2: no field prioritys of .amd_kernel_code_t"},
		{".amd_kernel_code_t\n priority = 1", "1:1: the header has no .end_amd_kernel_code_t"},
		{".end_amd_kernel_code_t", "1:1: .end_amd_kernel_code_t is not between"},
		{".amdgpu_hsa_kernel f", "1:1: kernel f: there is no such label"},
		{".hsa_code_object_isa 8,0", "1:1: .hsa_code_object_isa: 2 numbers, more are expected"},
		{".hsa_code_object_version 2,x", `1:1: .hsa_code_object_version: "x" is no number`},
		{".amd_amdgpu_isa \"amdgcn-mesa-mesa3d--gfx700\"", "1:1: \"amdgcn-mesa-mesa3d--gfx700\" where the file is for gfx803"},
		{"priority = 1\n.amd_kernel_code_t\n.end_amd_kernel_code_t\n.long priority, nothing", "4:17: symbol that is not defined"},
	} {
		text := ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n" + tt.text + "\n"
		_, errs, err := codeobj.Assemble([]byte(text), codeobj.Options{})
		got := fmt.Sprint(err)
		if len(errs) > 0 {
			got = fmt.Sprintf("%d:%d: %s", errs[0].Line-1, errs[0].Col, errs[0].Msg)
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
}
