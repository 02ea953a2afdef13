package clang_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/launch"
)

// launched runs a kernel whose first argument is a buffer of 32-bit words, and returns the final words.
func launched(t *testing.T, m *gcn.Module, k gcn.Kernel, words int, args ...gcn.Arg) []uint32 {
	t.Helper()
	k.Module, k.Memory = m, gcn.NewMemory()
	out, err := k.Memory.Alloc("o", 4*words)
	if err != nil {
		t.Fatal(err)
	}
	k.Args = append([]gcn.Arg{gcn.Buf(out)}, args...)
	if _, err := gcn.Launch(context.Background(), k, launch.Settings{Engine: portable.New()}); err != nil {
		t.Fatal(err)
	}
	got := make([]uint32, words)
	if _, err := binary.Decode(out.Data, binary.LittleEndian, got); err != nil {
		t.Fatal(err)
	}
	return got
}

const idsSource = `
kernel void ids(global uint *o) {
  size_t n = get_global_linear_id();
  o += n * 29;
  for (uint d = 0; d < 4; d++) {
    o[d] = get_global_id(d); o[4 + d] = get_local_id(d); o[8 + d] = get_group_id(d); o[12 + d] = get_local_size(d);
    o[16 + d] = get_enqueued_local_size(d); o[20 + d] = get_num_groups(d); o[24 + d] = get_global_size(d) * 1000 + get_global_offset(d);
  }
  o[28] = get_local_linear_id() * 10 + get_work_dim();
}`

// TestWorkItems: work-item functions for all code object versions, on a grid with partial workgroups and an offset.
func TestWorkItems(t *testing.T) {
	grid, block, offset := [3]uint32{10, 6, 3}, [3]uint32{4, 4, 2}, [3]uint64{100, 7, 3}
	for _, b := range []struct{ clang, version string }{{"clang-14", "4"}, {"clang-14", ""}, {"clang-19", ""}, {"clang-22", "4"}, {"clang-22", "5"}, {"clang-22", "6"}} {
		t.Run(b.clang+"/"+b.version, func(t *testing.T) {
			clang.NeedTool(t, b.clang)
			o := clang.Options{Clang: b.clang, Std: "CL2.0"}
			if b.version != "" {
				o.Flags = []string{"-mcode-object-version=" + b.version}
			}
			got := launched(t, compileText(t, idsSource, o), gcn.Kernel{Name: "ids", Grid: grid, Block: block, Offset: offset}, 29*10*6*3)
			for n := range 10 * 6 * 3 {
				at := [3]int{n % 10, n / 10 % 6, n / 60}
				want := make([]uint32, 29)
				for d := range 4 {
					want[12+d], want[16+d], want[20+d], want[24+d] = 1, 1, 1, 1000 // outside the dimensions of the grid
				}
				for d, x := range at {
					size := min(int(block[d]), int(grid[d])-x/int(block[d])*int(block[d]))
					want[d], want[4+d], want[8+d] = uint32(x)+uint32(offset[d]), uint32(x)%block[d], uint32(x)/block[d]
					want[12+d], want[16+d], want[20+d], want[24+d] = uint32(size), block[d], (grid[d]+block[d]-1)/block[d], grid[d]*1000+uint32(offset[d])
				}
				want[28] = ((want[6]*want[13]+want[5])*want[12]+want[4])*10 + 3
				if !slices.Equal(got[n*29:][:29], want) {
					t.Fatalf("item %v has %d, want %d", at, got[n*29:][:29], want)
				}
			}
		})
	}
}

const sharedSource = `
kernel void shared(global uint *o, local uint *s) {
  uint l = get_local_id(0);
  event_t e = async_work_group_copy(s, (const global uint *)o + 64, 64, 0);
  wait_group_events(1, &e);
  uint v = s[63 - l];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) { s[0] = 0; s[1] = ~0u; s[2] = 5; }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&s[0], l); atomic_min(&s[1], l + 7); atomic_max(&s[2], l); atomic_inc((volatile global uint *)&o[3]);
  atomic_cmpxchg(&s[2], 1000u, 1u);
  mem_fence(CLK_LOCAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (l < 3) o[l] = s[l];
  if (l == 5) printf("v %d %s\n", v, "x");
  if (l == 6) { ushort hb[4]; private half *h = (private half *)hb; vstore_half4_rtz((float4)(1.0009765625f, -65520.0f, 1e-8f, 3.0f), 0, h); o[4] = as_uint(vload_half(0, h)); o[5] = as_uint(vload_half4(0, h).y); o[6] = as_uint(vload_half(2, h)); }
  if (l == 7) { float4 a = (float4)(1, 2, 3, 4), b = (float4)(-2, 0.5f, 4, 1);
    o[8] = as_uint(dot(a, b)); o[9] = as_uint(length(b.xyz)); o[10] = as_uint(normalize(a).w); o[11] = as_uint(cross(a, b).y); o[12] = as_uint(distance(a, b));
    o[13] = as_uint(length((float2)(3e30f, 4e30f))); o[14] = as_uint(mix(1.0f, 3.0f, 0.25f)); o[15] = as_uint(smoothstep(0.0f, 2.0f, 0.5f)); o[16] = as_uint(clamp(a, 1.5f, 2.5f).x);
    uint4 m = shuffle((uint4)(10, 11, 12, 13), (uint4)(3, 2, 1, 0)); o[17] = m.x * 100 + m.w; o[18] = any(isgreater(a, b)) * 10 + all(isgreater(a, b));
    o[19] = upsample((ushort)0x1234, (ushort)0x5678); o[20] = select(1u, 2u, 1u) * 10 + select((uint2)(1, 1), (uint2)(2, 2), (uint2)(1, 0x80000000)).y; o[21] = mul24(-3, 5) + mad24(100u, 3u, 1u); }
}`

// TestShared: barriers, atomics, copies, halves, printf and functions of vectors, by each compiler.
func TestShared(t *testing.T) {
	f := func(x float64) uint32 { return math.Float32bits(float32(x)) }
	want := []uint32{64 * 63 / 2, 7, 63, 64,
		f(1.0009765625), f(-65504), f(0), 0, // the half below 1e-8 is 0
		f(-2 + 1 + 12 + 4), f(math.Sqrt(4 + 0.25 + 16)), f(4 / math.Sqrt(30)), f(3*-2 - 1*4), f(math.Sqrt(9 + 2.25 + 1 + 9)),
		f(5e30), f(1.5), f(0.25 * 0.25 * (3 - 0.5)), f(1.5), 1310, 10, 0x12345678, 22, 301 - 15}
	for _, b := range []struct{ clang, target, std, opt string }{{"clang-14", "gfx803", "CL1.2", "2"}, {"clang-19", "gfx600", "CL1.2", "0"}, {"clang-22", "gfx700", "CL2.0", "2"},
		{"clang-22", "gfx803", "CL3.0", "0"}} {
		t.Run(b.clang+"/"+b.std, func(t *testing.T) {
			clang.NeedTool(t, b.clang)
			m := compileText(t, sharedSource, clang.Options{Clang: b.clang, Target: b.target, Std: b.std, Opt: b.opt})
			memory := gcn.NewMemory()
			out, err := memory.Alloc("o", 4*128)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 64 {
				binary.LittleEndian.PutUint32(out.Data[4*(64+i):], uint32(1000+i))
			}
			var printed bytes.Buffer
			k := gcn.Kernel{Module: m, Name: "shared", Grid: [3]uint32{64}, Block: [3]uint32{64}, Args: []gcn.Arg{gcn.Buf(out), gcn.Local(256)}, Memory: memory}
			if _, err := gcn.Launch(context.Background(), k, launch.Settings{Engine: portable.New(), Print: &printed}); err != nil {
				t.Fatal(err)
			}
			if printed.String() != "v 1058 x\n" { // s[63-5]
				t.Errorf("printf prints %q", &printed)
			}
			for i, w := range want {
				got := binary.LittleEndian.Uint32(out.Data[4*i:])
				x, y := float64(math.Float32frombits(got)), float64(math.Float32frombits(w))
				if isFloat := i >= 8 && i <= 12; got != w && !(isFloat && math.Abs(x-y) <= math.Abs(y)*3e-7) {
					t.Errorf("word %d is %#x (%v), want %#x (%v)", i, got, x, w, y)
				}
			}
		})
	}
}

const orderedSource = `
kernel void ordered(global uint *o) {
  local atomic_int n; local atomic_uint m; local atomic_flag f;
  if (get_local_id(0) == 0) { atomic_init(&n, 5); atomic_init(&m, 0); atomic_flag_clear(&f); }
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  atomic_fetch_add(&n, 2);
  atomic_fetch_or_explicit(&m, 1u << (get_local_id(0) & 31), memory_order_relaxed, memory_scope_work_group);
  bool first = !atomic_flag_test_and_set(&f);
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (first) {
    int was = 1, is = 133;
    o[0] = atomic_load(&n); o[1] = atomic_load_explicit(&m, memory_order_acquire, memory_scope_device);
    o[2] = atomic_compare_exchange_strong(&n, &was, 7); o[3] = was; o[4] = atomic_compare_exchange_strong_explicit(&n, &is, 9, memory_order_seq_cst, memory_order_relaxed, memory_scope_device);
    o[5] = atomic_exchange(&n, 11); atomic_store(&n, 12); o[6] = atomic_fetch_max(&n, 20); o[7] = atomic_load(&n);
  }
}`

// TestOrdered: the atomic functions of OpenCL C 2.0.
func TestOrdered(t *testing.T) {
	for _, name := range []string{"clang-14", "clang-19", "clang-22"} {
		t.Run(name, func(t *testing.T) {
			clang.NeedTool(t, name)
			got := launched(t, compileText(t, orderedSource, clang.Options{Clang: name, Std: "CL2.0"}), gcn.Kernel{Name: "ordered", Grid: [3]uint32{64}, Block: [3]uint32{64}}, 8)
			if want := []uint32{133, math.MaxUint32, 0, 133, 1, 9, 12, 20}; !slices.Equal(got, want) {
				t.Errorf("got %d, want %d", got, want)
			}
		})
	}
}

// TestLibclc: functions that heddle lacks come from libclc, while the id functions remain heddle's.
func TestLibclc(t *testing.T) {
	clang.NeedLibclc(t, "clang-22")
	text := "kernel void k(global float *o) { uint i = get_global_id(0); o[i] = pow(1.5f, (float)i) + erf(0.5f) + sin(1000.0f * i); }"
	m := compileText(t, text, clang.Options{Clang: "clang-22"})
	got := launched(t, m, gcn.Kernel{Name: "k", Grid: [3]uint32{64}, Block: [3]uint32{16}}, 64)
	for i, g := range got {
		x, want := float64(math.Float32frombits(g)), math.Pow(1.5, float64(i))+math.Erf(0.5)+math.Sin(1000*float64(i))
		if math.Abs(x-want) > math.Max(1, math.Abs(want))*1e-5 {
			t.Errorf("item %d: %v, want %v", i, x, want)
		}
	}
}

// TestBuiltinsCompile: every function of the library compiles with each compiler, without undefined references.
func TestBuiltinsCompile(t *testing.T) {
	for _, c := range []struct{ clang, target, std string }{{"clang-14", "gfx600", "CL2.0"}, {"clang-19", "gfx803", "CL3.0"}, {"clang-22", "gfx700", "CL2.0"}} {
		t.Run(fmt.Sprint(c.clang, c.std), func(t *testing.T) {
			clang.NeedTool(t, c.clang)
			clang.CheckLibrary(t, c.clang, c.target, c.std)
		})
	}
}
