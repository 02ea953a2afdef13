package codeobj_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/object"
)

// TestDirectivesAsLLVM: texts with directives that compilers write rarely become what llvm-mc and ld.lld make of them; see make.sh in
// testdata/mc.
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

// TestDirectivesRefused: what llvm-mc refuses is an error in the line and column where llvm-mc has it, or at the directive where llvm-mc
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
