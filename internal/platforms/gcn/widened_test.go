package gcn

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// hexOf returns the machine code of instructions, one per line.
func hexOf(t *testing.T, lines string) string {
	t.Helper()
	var code []byte
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		var b isa.Bundle
		err := gcn.Set().At(0, 0).Parse(strings.TrimSpace(line), 0, &b)
		if err == nil {
			code, err = b.Encode(code)
		}
		if err != nil {
			t.Fatal(line, err)
		}
	}
	return hex.EncodeToString(code)
}

// TestWidenedLoads: compilers load 16 bytes where a kernel needs the last 12 of its arguments or of a buffer. The
// excess reads as zeros; a load that is entirely past the end is still a fault, and so is a store.
func TestWidenedLoads(t *testing.T) {
	meta := &object.KernelMetadata{Args: []object.Arg{
		{Name: "out", Offset: 0, Size: 8, ValueKind: "global_buffer"}, {Name: "in", Offset: 8, Size: 8, ValueKind: "global_buffer"},
		{Name: "v", Offset: 16, Size: 12, ValueKind: "by_value"},
	}}
	const load = `
		s_load_dwordx4 s[0:3], s[4:5], 0x0
		s_load_dwordx4 s[8:11], s[4:5], 0x10
		s_waitcnt lgkmcnt(0)
	`
	const store = `
		v_mov_b32_e32 v4, s0
		v_mov_b32_e32 v5, s1
		v_mov_b32_e32 v0, s10
		v_mov_b32_e32 v1, s11
		v_mov_b32_e32 v2, s14
		v_mov_b32_e32 v3, s15
		flat_store_dwordx4 v[4:5], v[0:3]
		s_endpgm
	`
	for _, c := range []struct{ code, fault string }{
		{"s_load_dwordx4 s[12:15], s[2:3], 0x8", ""},
		{"s_load_dwordx2 s[12:13], s[2:3], 0x14", `load of 8 bytes at 0x1000011014: no segment; nearest is "in"`},
		{"s_load_dwordx4 s[12:15], s[2:3], 0xc", `load of 16 bytes at 0x100001100c: ends past "in" (0x1000011000-0x1000011014)`},
		{"s_store_dwordx4 s[12:15], s[2:3], 0x8", `store of 16 bytes at 0x1000011008: ends past "in" (0x1000011000-0x1000011014)`},
	} {
		memory := NewMemory()
		out, err := memory.Alloc("out", 16)
		if err != nil {
			t.Fatal(err)
		}
		in, err := memory.Alloc("in", 20)
		if err != nil {
			t.Fatal(err)
		}
		for i := range in.Data {
			in.Data[i] = byte(i + 1)
		}
		k := Kernel{Grid: [3]uint32{1}, Block: [3]uint32{1}, Memory: memory, Args: []Arg{Buf(out), Buf(in), Bytes([]byte("abcdefghijkl"))}}
		desc := object.Descriptor{KernargSize: 28, Rsrc2: 6 << 1, Properties: 1 | 8}
		_, l, err := begin(t, testObject(t, hexOf(t, load+c.code+store), desc, meta), k, launch.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Run(context.Background())
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v", c.code, err)
			}
			continue
		}
		want := []byte("ijkl\x00\x00\x00\x00\x11\x12\x13\x14\x00\x00\x00\x00")
		if err != nil || !slices.Equal(out.Data, want) || binary.LittleEndian.Uint32(in.Data[16:]) != 0x14131211 {
			t.Errorf("%s: % x, %v", c.code, out.Data, err)
		}
	}
}
