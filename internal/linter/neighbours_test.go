package linter

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/lint"
)

// TestNeighbours: rules see the previous and the next instruction; bytes that do not decode are not neighbours.
func TestNeighbours(t *testing.T) {
	t0 := gcn.Set().At(0, 0)
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
	var code []byte
	for _, w := range []uint32{0xbf800001, 0xbf800002, 0xffffffff, 0xbf800003, 0xbf800004} { // s_nop is SOPP opcode 0
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	r := lint.Run(lint.Code{Target: set.At(0, 0), Bytes: code, Base: 0x100}, lint.Options{Least: isa.SeverityNote})
	want := []string{"none | s_nop 1 | s_nop 2", "s_nop 1 | s_nop 2 | none", "none | s_nop 3 | s_nop 4", "s_nop 3 | s_nop 4 | none"}
	if !slices.Equal(got, want) {
		t.Errorf("rules see %q, want %q", got, want)
	}
	if len(r.Findings) != 2 || r.Findings[0].Addr != 0x108 || r.Findings[0].Rule != "invalid" || r.Findings[1].Rule != "unreached-code" {
		t.Errorf("findings:%s", listed(r))
	}
}
