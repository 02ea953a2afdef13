package codeobj_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/object"
)

const small = `	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.globl	k
k:	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, d@rel32@lo+4
	s_addc_u32 s5, s5, d@rel32@hi+12
	s_endpgm
	.section .rodata,"a",@progbits
	.amdhsa_kernel k
	.amdhsa_next_free_vgpr max(.amdgcn.next_free_vgpr, 1)
	.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
d:	.quad k, d - . , 3
	.size d, .-d
	.data
	.p2alignl 3, 7
	.long d@abs32@lo
	.octa 0x123
	.uleb128 d-d+300
	.amdgpu_metadata
---
amdhsa.kernels: [ { .name: k, .symbol: k.kd, .args: [] } ]
amdhsa.version: [ 1, 1 ]
	.end_amdgpu_metadata
`

// FuzzAssemble: any text is refused with errors that have a place, or assembles to a code object that can be read.
func FuzzAssemble(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.section .bss\n.zero 70000\n.address 0x8000\n.pushsection x\n.popsection\n.previous\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, errs, err := codeobj.Assemble(text, codeobj.Options{Target: "gfx803"})
		for _, e := range errs {
			if e.Line < 1 || e.Msg == "" {
				t.Errorf("%+v", e)
			}
		}
		if (c == nil) != (len(errs) > 0 || err != nil) {
			t.Errorf("%v, %v, %v", c, errs, err)
		}
		if c == nil {
			return
		}
		if _, err := object.ReadHSA(c.Data); err != nil && bytes.Contains(text, []byte(".amdhsa_kernel")) && !bytes.Contains(text, []byte("metadata")) {
			t.Errorf("what was written cannot be read: %v", err)
		}
	})
}

// FuzzSource: the text of any code object assembles to the same program, or is refused.
func FuzzSource(f *testing.F) {
	files, err := filepath.Glob("../object/testdata/*.hsaco")
	if err != nil || len(files) < 4 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		was, err := object.ReadHSA(data)
		if err != nil || was.Variant() != "gfx8" {
			return
		}
		var text bytes.Buffer
		if codeobj.Source(&text, was) != nil {
			return
		}
		c, errs, err := codeobj.Assemble(text.Bytes(), codeobj.Options{})
		if err != nil || len(errs) > 0 {
			return // sections that overlap what is written before them, names that are no names
		}
		is, err := object.ReadHSA(c.Data)
		if err != nil {
			return
		}
		for _, s := range was.Sections {
			a, _ := was.Bytes(s.Addr, s.Size)
			if b, ok := is.Bytes(s.Addr, s.Size); s.Exec && ok && !bytes.Equal(a, b) && len(was.Relocs) == 0 && len(was.Sections) > 1 {
				t.Errorf("section %s differs", s.Name)
			}
		}
	})
}
