package codeobj_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// TestOutlineProgram: lines of metadata are no statements.
func TestOutlineProgram(t *testing.T) {
	const file = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n\ts_endpgm ; end\n.amdgpu_metadata\namdhsa.kernels: s_nop 0\n.end_amdgpu_metadata\n# all\n\ts_nop 0 /* x\n y */ s_nop 1\n"
	o := asm.NewOutline(gcn.Set().At(0, 0), codeobj.Format("gfx803"), []byte(file))
	var comments []string
	for _, c := range o.Comments {
		comments = append(comments, file[c.From:c.To])
	}
	if got, want := strings.Join(comments, "|"), "; end|# all|/* x|y */"; got != want {
		t.Errorf("comments %q, want %q", got, want)
	}
	var kinds []asm.PieceKind
	for _, p := range o.Pieces {
		kinds = append(kinds, p.Kind)
	}
	if got, want := fmt.Sprint(kinds), fmt.Sprint([]asm.PieceKind{asm.PieceDirective, asm.PieceInstruction, asm.PieceDirective, asm.PieceData, asm.PieceDirective, asm.PieceInstruction, asm.PieceInstruction}); got != want {
		t.Errorf("kinds %s, want %s", got, want)
	}
}

// TestLines: each section knows the lines of its bytes, in whatever order they are.
func TestLines(t *testing.T) {
	const file = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n" +
		"\ts_nop 1\n" + // line 2
		".data\n\t.long 7\n" + // 4
		".text\nl:\ts_nop 2\n" + // 6
		"\ts_branch l\n" + // 7
		".section .rodata\n\t.byte 1, 2\n" + // 9
		"\t.p2align 2\n" + // 10
		".previous\n\ts_endpgm\n" // 12
	c, errs, err := codeobj.Assemble([]byte(file), codeobj.Options{Lines: true})
	if err != nil || len(errs) > 0 {
		t.Fatal(errs, err)
	}
	var got strings.Builder
	for _, s := range c.Program.Sections {
		for i, l := range s.Lines {
			end := len(s.Data)
			if i+1 < len(s.Lines) {
				end = s.Lines[i+1].Off
			}
			fmt.Fprintf(&got, "%s %d:%d %x\n", s.Name, l.Line, l.Col, s.Data[l.Off:end])
		}
	}
	want := ".text 2:2 010080bf\n.text 6:4 020080bf\n.text 7:2 feff82bf\n.text 12:2 000081bf\n.data 4:2 07000000\n.rodata 9:2 0102\n.rodata 10:2 0000\n"
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
	if c, _, _ := codeobj.Assemble([]byte(file), codeobj.Options{}); len(c.Program.Sections[0].Lines) != 0 {
		t.Error("lines that nobody asked for")
	}
}

// TestPartialProgram: with an error, the program is returned on request, but never a code object.
func TestPartialProgram(t *testing.T) {
	const file = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n\ts_nop 1\n\ts_nap\n\ts_endpgm\n"
	c, errs, err := codeobj.Assemble([]byte(file), codeobj.Options{Partial: true})
	if err != nil || len(errs) != 1 || c == nil || c.Data != nil || !bytes.Equal(c.Program.Sections[0].Data, []byte{1, 0, 0x80, 0xbf, 0, 0, 0, 0, 0, 0, 0x81, 0xbf}) {
		t.Errorf("%+v, %v, %v", c, errs, err)
	}
}
