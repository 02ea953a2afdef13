package valhall

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/launch"
)

// archs are the variants, in the order of their architectures.
var archs = []string{"v9", "v10", "v11", "v12", "v13", "v14"}

func targetOf(t *testing.T, variant string) *isa.Target {
	t.Helper()
	tg, err := valhall.Set().Target(isa.Config{Variant: variant})
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// assembled is a program in an architecture.
func assembled(t *testing.T, variant, text string) []byte {
	t.Helper()
	a, errs := asm.Assemble(targetOf(t, variant), []byte(text), asm.Options{File: variant})
	for _, e := range errs {
		t.Fatal(e.Detail())
	}
	return a.Code
}

// inArchs runs a kernel, made by text, in all architectures.
func inArchs(t *testing.T, text string, run func(t *testing.T, of func(k *launch.Kernel))) {
	for _, v := range archs {
		t.Run(v, func(t *testing.T) {
			of := exec.NewProgram(&isa.Program{Target: targetOf(t, v), Code: assembled(t, v, text)})
			run(t, func(k *launch.Kernel) { k.Program = of })
		})
	}
}

// perInvocation is a kernel like those of Mesa's tests on chips: one workgroup, u0 and u1 the address of the data, u2
// the number of bytes for each invocation; its index is r60. It reads its data and writes results after them.
const perInvocation = `
	IMUL.i32 r0, r60, u2
	SHADDX.u64 r2, u0, r0.w0, shift:0x0
	LOAD.i128.unsigned.slot0.wait0 @r4:r5:r6:r7, r2, offset:0
	FMA.f32 r8, r4, r5, r6
	IADD.s32.saturate r9, r4, r7
	CLZ.u32 r10, r5
	POPCOUNT.i32 r11, r6
	STORE.i128.slot1.wait1 @r8:r9:r10:r11, r2, offset:16
	IMULD.u64 r12, r4.w0, r5.w0
	MUX.i32.bit r14, r4, r5, r6
	ICMP_OR.u32.lt.i1 r15, r4, r5, 0x0
	STORE.i128.slot1.end @r12:r13:r14:r15, r2, offset:32
`

// TestInvocations: the results of the operations, by their definitions, for the data of each of up to 1024 invocations.
func TestInvocations(t *testing.T) {
	const stride = 64
	inArchs(t, perInvocation, func(t *testing.T, of func(*launch.Kernel)) {
		rnd := rand.New(rand.NewPCG(10, 14))
		for _, n := range []int{1, 15, 1000, 1024} {
			out := &launch.Buffer{Name: "data", Addr: outAt, Data: make([]byte, n*stride)}
			for i := range out.Data {
				out.Data[i] = byte(rnd.Uint32())
			}
			for i := range n {
				for j := range 3 { // numbers, so that no rule of NaNs or subnormals comes in
					binary.LittleEndian.PutUint32(out.Data[i*stride+4*j:], math.Float32bits(float32(rnd.IntN(1<<12)-1<<11)))
				}
			}
			want := slices.Clone(out.Data)
			for i := range n {
				at := want[i*stride:]
				a, b, c, d := wordAt(at, 0), wordAt(at, 1), wordAt(at, 2), wordAt(at, 3)
				f := math.Float32frombits
				product := uint64(a) * uint64(b)
				less := uint32(0)
				if a < b {
					less = 1
				}
				sum := min(max(int64(int32(a))+int64(int32(d)), math.MinInt32), math.MaxInt32)
				for j, w := range []uint32{math.Float32bits(float32(math.FMA(float64(f(a)), float64(f(b)), float64(f(c))))), uint32(int32(sum)),
					uint32(bits.LeadingZeros32(b)), uint32(bits.OnesCount32(c)), uint32(product), uint32(product >> 32), a&c | b&^c, less} {
					binary.LittleEndian.PutUint32(at[16+4*j:], w)
				}
			}
			k := &launch.Kernel{Name: "one op", Groups: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(n), 1, 1}, Args: le(outAt&math.MaxUint32, outAt>>32, stride), Buffers: []*launch.Buffer{out}}
			of(k)
			if _, err := compute.Launch(context.Background(), k, settings(2)); err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(want); i += 4 {
				if got, want := wordAt(out.Data[i:], 0), wordAt(want[i:], 0); got != want {
					t.Fatalf("%d invocations: byte %d of invocation %d is %#x, want %#x", n, i%stride, i/stride, got, want)
				}
			}
		}
	})
}

// TestBeginInArchs: threads have the same initial state in all architectures as in v9: their positions in r55 to r62,
// warp_id and lane_id; uniform words to u255.
func TestBeginInArchs(t *testing.T) {
	inArchs(t, showAll, func(t *testing.T, of func(*launch.Kernel)) {
		k, out := kernel(t, "NOP.end", [3]uint32{3, 2, 1}, [3]uint32{9, 2, 2}, 64*27*4*2)
		k.Args = append(k.Args, le(27, 4)...)
		of(k)
		if _, err := compute.Launch(context.Background(), k, settings(1)); err != nil {
			t.Fatal(err)
		}
		for i := range 27 * 4 * 2 {
			at := [3]int{i % 27, i / 27 % 4, i / 108}
			local := [3]int{at[0] % 9, at[1] % 2, at[2]}
			number := local[0] + 9*local[1] + 18*local[2]
			for j, want := range map[int]int{54: number / 16, 55: local[0] | local[1]<<16, 56: local[2], 57: at[0] / 9, 58: at[1] / 2, 59: 0, 60: at[0], 61: at[1], 62: at[2], 63: number % 16} {
				if got := wordAt(out.Data, 16*i+j-52); got != uint32(want) {
					t.Fatalf("thread %v: r%d is %#x, want %#x", at, j, got, want)
				}
			}
		}
	})
	inArchs(t, "SHADDX.u64 r2, u0, r60.w0, shift:0x2\nMOV.i32 r0, u255\nSTORE.i32.slot0.end @r0, r2, offset:0", func(t *testing.T, of func(*launch.Kernel)) {
		k, out := kernel(t, "NOP.end", [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 4)
		k.Args = append(k.Args, make([]byte, 4*254)...)
		k.Args[4*255] = 77
		of(k)
		if _, err := compute.Launch(context.Background(), k, settings(1)); err != nil || wordAt(out.Data, 0) != 77 {
			t.Fatalf("%v, u255 is %d", err, wordAt(out.Data, 0))
		}
	})
}

// TestGroupsInArchs: workgroup memory, barriers and atomics, in all architectures: each thread counts in a word of its
// workgroup, and reads what the opposite thread has written.
func TestGroupsInArchs(t *testing.T) {
	inArchs(t, linear+`
		MOV.i32 r2, workgroup_local_pointer.w0
		MOV.i32 r3, workgroup_local_pointer.w1
		ATOM1_RETURN.i32.slot0.ainc.wait0 @r8, r2, offset:0x0
		U16_TO_U32 r1, r55.h00
		SHADDX.u64 r4, workgroup_local_pointer.w0, r1.w0, shift:0x2
		STORE.i32.slot0.wait0 @r0, r4, offset:4
		BARRIER.slot7.wait
		IADD_IMM.i32 r6, 0x0, #0x2F
		ISUB.u32 r1, r6, r1
		SHADDX.u64 r4, workgroup_local_pointer.w0, r1.w0, shift:0x2
		LOAD.i32.unsigned.slot0 @r10, r4, offset:4
		LOAD.i32.unsigned.slot1.wait01 @r11, r2, offset:0
		SHADDX.u64 r4, u0, r0.w0, shift:0x3
		STORE.i64.slot0.end @r10:r11, r4, offset:0
	`, func(t *testing.T, of func(*launch.Kernel)) {
		k, out := kernel(t, "NOP.end", [3]uint32{5, 1, 1}, [3]uint32{48, 1, 1}, 8*48*5)
		k.Args, k.GroupBytes = append(k.Args, le(48*5, 1)...), 4*49
		of(k)
		if _, err := compute.Launch(context.Background(), k, settings(2)); err != nil {
			t.Fatal(err)
		}
		for i := range 48 * 5 {
			if across, counted := wordAt(out.Data, 2*i), wordAt(out.Data, 2*i+1); across != uint32(i/48*48+47-i%48) || counted != 48 {
				t.Fatalf("thread %d finds %d, %d counted", i, across, counted)
			}
		}
	})
}

// TestCompiledInArchs: compute programs that Mesa compiled for v9, assembled anew from their text, leave the same
// memory in all later architectures that have their instructions.
func TestCompiledInArchs(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "..", "cases", "state", "valhall-compiled.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gone := map[string][]string{"c08_pack.default": {"U8_TO_F32", "V2F32_TO_V2F16"}, "c08_pack.noopt": {"U8_TO_F32", "V2F32_TO_V2F16"}, "c08_pack.nopsched": {"U8_TO_F32", "V2F32_TO_V2F16"}}
	ran := map[string]int{}
	for c, err := range casefile.States(f, "cases") {
		if err != nil {
			t.Fatal(err)
		}
		if c.Stage != "compute" || c.Final == nil || c.Compare.Type == "none" {
			continue
		}
		text := textOf(t, "v9", c.Code)
		for _, v := range archs[1:] {
			a, errs := asm.Assemble(targetOf(t, v), []byte(text), asm.Options{File: v})
			if len(errs) > 0 {
				for _, e := range errs {
					if e.Code != "variant" || !slices.Contains(gone[c.Name], strings.Fields(e.Msg)[0]) || v == "v10" {
						t.Errorf("%s: %s", c.Name, e.Detail())
					}
				}
				continue
			}
			ran[v]++
			x := c.Exact()
			x.Code, x.Variant = a.Code, v
			byManifest(t, x)
		}
	}
	for _, v := range archs[1:] {
		want := 53
		if v != "v10" {
			want -= len(gone)
		}
		if ran[v] != want {
			t.Errorf("%s: %d programs run, want %d", v, ran[v], want)
		}
	}
}

// textOf is the text of code of a variant.
func textOf(t *testing.T, variant string, code []byte) string {
	t.Helper()
	var text strings.Builder
	var b isa.Bundle
	tg := targetOf(t, variant)
	for at := 0; at < len(code); at += 8 {
		if err := tg.DecodeBundle(code[at:], uint64(at), &b); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s\n", tg.Print(nil, &b))
	}
	return text.String()
}
