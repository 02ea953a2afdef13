package gcn

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// imageKernel copies an image of 8x8 texels, writes below it what lies between each texel and the next, and counts
// texels in a third image. It makes the T# itself: 8_8_8_8 unorm of 8x16 texels in s[8:15] and s[16:23], 32 uint in
// s[28:35].
const imageKernel = `
	s_load_dwordx4 s[36:39], s[4:5], 0x0
	s_load_dwordx2 s[40:41], s[4:5], %s
	s_waitcnt lgkmcnt(0)
	s_lshr_b64 s[8:9], s[36:37], 8
	s_lshr_b64 s[16:17], s[38:39], 8
	s_lshr_b64 s[28:29], s[40:41], 8
	s_or_b32 s9, s9, 0xa00000
	s_or_b32 s17, s17, 0xa00000
	s_or_b32 s29, s29, 0x10400000
	s_mov_b32 s10, 0x3c007
	s_mov_b32 s18, 0x3c007
	s_mov_b32 s30, 0x3c007
	s_mov_b32 s11, 0x90800fac
	s_mov_b32 s19, 0x90800fac
	s_mov_b32 s31, 0x90800fac
	s_mov_b32 s12, 0x1e000
	s_mov_b32 s20, 0x1e000
	s_mov_b32 s32, 0x1e000
	s_mov_b64 s[14:15], 0
	s_mov_b64 s[22:23], 0
	s_mov_b64 s[34:35], 0
	s_mov_b32 s13, 0
	s_mov_b32 s21, 0
	s_mov_b32 s33, 0
	s_mov_b32 s24, 0x92
	s_mov_b32 s25, 0
	s_mov_b32 s26, 0x500000
	s_mov_b32 s27, 0
	v_and_b32_e32 v1, 7, v0
	v_lshrrev_b32_e32 v2, 3, v0
	image_load v[4:7], v[1:2], s[8:15] dmask:0xf unorm
	s_waitcnt vmcnt(0)
	image_store v[4:7], v[1:2], s[16:23] dmask:0xf unorm
	v_cvt_f32_u32_e32 v8, v1
	v_cvt_f32_u32_e32 v9, v2
	v_add_f32_e32 v8, 1.0, v8
	v_add_f32_e32 v9, 0.5, v9
	image_sample_lz v[10:13], v[8:9], s[8:15], s[24:27] dmask:0xf unorm
	v_or_b32_e32 v3, 8, v2
	v_mov_b32_e32 v2, v3
	s_waitcnt vmcnt(0)
	image_store v[10:13], v[1:2], s[16:23] dmask:0xf unorm
	v_mov_b32_e32 v1, 3
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v14, 1
	image_atomic_add v14, v[1:2], s[28:35] dmask:0x1 unorm glc
	s_waitcnt vmcnt(0)
	v_and_b32_e32 v1, 7, v0
	v_lshrrev_b32_e32 v2, 3, v0
	v_or_b32_e32 v2, 8, v2
	image_store v14, v[1:2], s[28:35] dmask:0x1 unorm
	s_endpgm
`

// hexAt returns the machine code of instructions, one per line, for a target.
func hexAt(t *testing.T, target, lines string) string {
	t.Helper()
	variant, ok := gcn.Set().Arch.Variant(target)
	if !ok {
		t.Fatalf("there is no %s", target)
	}
	var code []byte
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		var b isa.Bundle
		err := gcn.Set().At(variant, 0).Parse(strings.TrimSpace(line), 0, &b)
		if err == nil {
			code, err = b.Encode(code)
		}
		if err != nil {
			t.Fatal(line, err)
		}
	}
	return hex.EncodeToString(code)
}

// TestImageKernel runs it and compares the bytes of all three images. The pitch is 16 texels.
func TestImageKernel(t *testing.T) {
	for _, target := range []struct{ name, third string }{{"gfx803", "0x10"}, {"gfx700", "0x4"}, {"gfx600", "0x4"}} { // in bytes, and in dwords
		t.Run(target.name, func(t *testing.T) {
			memory := NewMemory()
			var args []Arg
			var bufs []*Buffer
			meta := &object.KernelMetadata{}
			for i, name := range []string{"in", "out", "count"} {
				b, err := memory.Alloc(name, 16*16*4)
				if err != nil {
					t.Fatal(err)
				}
				bufs, args = append(bufs, b), append(args, Buf(b))
				meta.Args = append(meta.Args, object.Arg{Name: name, Offset: uint32(8 * i), Size: 8, ValueKind: "global_buffer"})
			}
			in := func(x, y, c int) int { return (x*x*6 + y*22 + c*50) & 0xfe }
			want := [3][]byte{make([]byte, 1024), make([]byte, 1024), make([]byte, 1024)}
			for y := range 8 {
				for x := range 8 {
					for c := range 4 {
						at := (16*y+x)*4 + c
						bufs[0].Data[at] = byte(in(x, y, c))
						want[0][at] = byte(in(x, y, c))
						want[1][at] = byte(in(x, y, c))
						want[1][at+16*8*4] = byte((in(x, y, c) + in(min(x+1, 7), y, c)) / 2)
					}
					want[2][(16*(y+8)+x)*4] = byte(8*y + x) // lanes count one after the other
				}
			}
			want[2][12] = 64
			desc := object.Descriptor{KernargSize: 24, Rsrc1: 15 | 7<<6 | 0xc0<<12, Rsrc2: 6 << 1, Properties: 1 | 8}
			code := testObject(t, hexAt(t, target.name, fmt.Sprintf(imageKernel, target.third)), desc, meta)
			code.Target = target.name
			_, l, err := begin(t, code, Kernel{Grid: [3]uint32{64}, Block: [3]uint32{64}, Memory: memory, Args: args}, launch.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			for i, b := range bufs {
				if !slices.Equal(b.Data, want[i]) {
					t.Errorf("%s: % x\nwant % x", b.Name, b.Data, want[i])
				}
			}
		})
	}
}
