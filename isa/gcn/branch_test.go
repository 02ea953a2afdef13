package gcn_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// nop is s_nop 0, branch s_branch 0, as words.
const nop, branch = 0xbf800000, 0xbf820000

// program returns words in memory order: the given numbers of no-operations before and after the branch.
func program(before, behind int, simm uint16) (code []byte) {
	for range before {
		code = binary.LittleEndian.AppendUint32(code, nop)
	}
	code = binary.LittleEndian.AppendUint32(code, branch|uint32(simm))
	for range behind {
		code = binary.LittleEndian.AppendUint32(code, nop)
	}
	return code
}

// TestBranchReach: the target of a branch is at most 32767 dwords after the next instruction, and 32768 before it.
// Branches of exactly this distance assemble and come back from a listing; one dword more is refused.
func TestBranchReach(t *testing.T) {
	target := gcn.Set().At(0, 0)
	ahead := func(n int) string { return fmt.Sprintf("s_branch there\n.fill %d, 4, %#x\nthere: s_nop 0\n", n, nop) }
	back := func(n int) string { return fmt.Sprintf("there:\n.fill %d, 4, %#x\ns_branch there\n", n, nop) }
	for _, c := range []struct {
		src  string
		want []byte
	}{
		{ahead(0), program(0, 1, 0)},
		{ahead(32767), program(0, 32768, 0x7fff)},
		{ahead(32768), nil},
		{back(0), program(0, 0, 0xffff)},
		{back(32767), program(32767, 0, 0x8000)},
		{back(32768), nil},
		{"s_branch 65535", program(0, 0, 0xffff)},
		{"s_branch -32768", program(0, 0, 0x8000)},
		{"s_branch 65536", nil},
		{"s_branch -32769", nil},
	} {
		name := c.src[:min(len(c.src), 50)]
		a, errs := asm.Assemble(target, []byte(c.src), asm.Options{})
		if c.want == nil {
			if len(errs) != 1 || errs[0].Code != "range" {
				t.Errorf("%q: %v, want one error of range", name, errs)
			}
			continue
		}
		if len(errs) > 0 || !bytes.Equal(a.Code, c.want) {
			t.Errorf("%q: %v, or other bytes", name, errs)
			continue
		}
		if !strings.Contains(c.src, "there") {
			continue
		}
		var list bytes.Buffer
		if err := asm.List(&list, target, a.Code, 0, asm.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		_, operand, _ := strings.Cut(list.String(), "s_branch ")
		label, _, _ := strings.Cut(operand, "\n")
		if !strings.Contains(list.String(), "\n"+label+":") {
			t.Errorf("%q: the listing has no label %q", name, label)
		}
		if b, errs := asm.Assemble(target, list.Bytes(), asm.Options{}); len(errs) > 0 || !bytes.Equal(b.Code, c.want) {
			t.Errorf("%q: the listing does not come back: %v", name, errs)
		}
	}
}
