package main

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestLintNeighbours: rules see the instructions right before and behind; what does not decode is a neighbour of nobody.
func TestLintNeighbours(t *testing.T) {
	t0, err := find("gcn:gfx8", "", "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	text := func(b *isa.Bundle) string {
		if b == nil {
			return "none"
		}
		return string(t0.Print(nil, b))
	}
	arch := *t0.Arch
	arch.Validate = func(v *isa.View) []isa.Finding {
		got = append(got, text(v.Prev)+" | "+text(v.Bundle)+" | "+text(v.Next))
		return nil
	}
	set, err := isa.Compile(&arch)
	if err != nil {
		t.Fatal(err)
	}
	target, err := set.Target(isa.Config{Variant: "gfx8"})
	if err != nil {
		t.Fatal(err)
	}
	var code []byte
	for _, w := range []uint32{0xbf800001, 0xbf800002, 0xffffffff, 0xbf800003, 0xbf800004} { // s_nop is SOPP opcode 0
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	found := lintCode(target, code, 0x100, nil)
	want := []string{"none | s_nop 1 | s_nop 2", "s_nop 1 | s_nop 2 | none", "none | s_nop 3 | s_nop 4", "s_nop 3 | s_nop 4 | none"}
	if !slices.Equal(got, want) {
		t.Errorf("rules see %q, want %q", got, want)
	}
	if len(found) != 1 || found[0].Addr != 0x108 {
		t.Errorf("findings %v", found)
	}
}
