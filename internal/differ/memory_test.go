package differ

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
	"github.com/heddle-gpu/heddle/sanitize"
)

// memoryTexts are texts in which each expected finding is marked "// BOUND LANES LANE OFFSET LIMIT": a bound rules out
// so many accesses of lanes, first that of a lane, at an offset with a limit. v0 is the lane; the buffer of s[8:11] has
// 100 bytes at the address that s[0:1] holds.
var memoryTexts = []struct{ name, text string }{
	{"dwords of a buffer", `
	s_mov_b64 s[8:9], s[0:1]
	s_and_b32 s9, s9, 0xffff
	s_mov_b32 s10, 100
	s_mov_b32 s11, 0x00027fac
	v_lshlrev_b32 v1, 2, v0
	buffer_load_dword v2, v1, s[8:11], 0 offen // num_records 39 25 0x64 0x64
	buffer_store_dword v2, v1, s[8:11], 0 offen // num_records 39 25 0x64 0x64
	s_mov_b32 s10, 0x100
	buffer_load_dword v2, v1, s[8:11], 0 offen
	buffer_load_dword v2, v1, s[8:11], 0 offen offset:4 // num_records 1 63 0x100 0x100
	v_lshlrev_b32 v1, 4, v0
	s_mov_b32 s10, 0x3fc
	buffer_load_dwordx4 v[2:5], v1, s[8:11], 0 offen // num_records 1 63 0x3fc 0x3fc
	s_mov_b64 exec, 1
	buffer_atomic_add v0, v1, s[8:11], 0 offen offset:1020 // num_records 1 0 0x3fc 0x3fc
	s_endpgm
`},
	{"a stride", `
	s_mov_b32 s8, s0
	s_and_b32 s9, s1, 0xffff
	s_or_b32 s9, s9, 0x80040000
	s_mov_b32 s10, 32
	s_mov_b32 s11, 0x00027fac
	v_mov_b32 v1, 0
	buffer_load_dword v2, v[0:1], s[8:11], 0 idxen offen // num_records 32 32 0x20 0x20
	v_mov_b32 v1, 4
	s_mov_b32 s10, 64
	buffer_load_dword v2, v[0:1], s[8:11], 0 idxen offen // the stride 64 0 0x4 0x4
	s_endpgm
`},
	{"scalar loads of a buffer", `
	s_mov_b64 s[8:9], s[0:1]
	s_and_b32 s9, s9, 0xffff
	s_mov_b32 s10, 100
	s_buffer_load_dwordx4 s[12:15], s[8:11], 0x58 // num_records 1 3 0x64 0x64
	s_buffer_load_dwordx2 s[12:13], s[8:11], 0x5c
	s_endpgm
`},
	{"the limit of LDS", `
	s_mov_b32 m0, 64
	v_lshlrev_b32 v1, 2, v0
	ds_read_b32 v2, v1 // M0 48 16 0x40 0x40
	ds_write_b64 v1, v[2:3] // M0 49 15 0x3c 0x40
	s_mov_b32 m0, -1
	ds_read_b32 v2, v1
	s_endpgm
`},
}

// TestClipped: accesses that a bound of a descriptor rules out are found with instruction, lane, offset and limit, on
// all engines alike.
func TestClipped(t *testing.T) {
	for _, c := range memoryTexts {
		t.Run(c.name, func(t *testing.T) {
			want := marked(c.text)
			text := "\ts_load_dwordx2 s[0:1], s[4:5], 0x0\n\ts_waitcnt lgkmcnt(0)" + c.text
			o, lines := bare(t, c.name, []byte(text))
			for _, e := range rivals(t) {
				m := &sanitize.Memory{}
				w := verifying{sanitize.Combine(nil, m, &sanitize.Waits{}, &sanitize.Races{})}
				if e.Name() == ref.New().Name() { // in any order
					w.Sanitizer = sanitize.Combine(nil, &sanitize.Waits{}, &sanitize.Races{}, m)
				}
				if err := (&watched{block: 64, grid: 64, args: []int{1 << 12}}).launch(o, e, w); err != nil {
					t.Fatal(e.Name(), err)
				}
				var got []string
				for _, x := range m.Clipped() {
					got = append(got, fmt.Sprintf("%d %s %d %d %#x %#x", lines[x.At.Place.Addr]-1, x.Bound, x.Count, x.Lane, x.Offset, x.Limit))
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: found\n\t%s\nwant\n\t%s", e.Name(), strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
				}
			}
		})
	}
}

// marked returns the comments of a text, each after the number of its line.
func marked(text string) (list []string) {
	for i, line := range strings.Split(text, "\n") {
		if _, what, is := strings.Cut(line, "// "); is {
			list = append(list, fmt.Sprint(i+1, " ", what))
		}
	}
	return list
}

// verifying verifies the blocks of the code that sanitizers make.
type verifying struct{ *sanitize.Sanitizer }

// Watch wraps the code.
func (v verifying) Watch(code ir.Code, windows []exec.Window) ir.Code {
	return verified{v.Sanitizer.Watch(code, windows)}
}

// declaredText stores to its first buffer, which is declared to be read only, and loads from the second, which is
// declared to be written only. Expected findings are marked with what is accessed and in how many lanes.
const declaredText = `
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	v_lshlrev_b32 v1, 2, v0
	v_add_u32 v2, vcc, s0, v1
	v_mov_b32 v3, s1
	v_add_u32 v4, vcc, s2, v1
	v_mov_b32 v5, s3
	flat_load_dword v6, v[2:3]
	flat_store_dword v[4:5], v0
	flat_load_dword v7, v[4:5] // load 64
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32 v7, vcc, 1, v7
	s_mov_b64 exec, 0xf0
	flat_store_dword v[2:3], v7 // store 4
	flat_atomic_add v[2:3], v0 // atomic 4
	s_endpgm
`

// TestDeclared: accesses that a declaration does not allow happen and are recorded, with all engines and policies.
func TestDeclared(t *testing.T) {
	o, lines := bare(t, "declared", []byte(declaredText))
	want := marked(declaredText)
	for _, e := range rivals(t) {
		for _, policy := range []exec.Policy{exec.TrapFaults, exec.RecordFaults} {
			m := &sanitize.Memory{}
			memory := runDeclared(t, o, launch.Settings{Engine: e, Watcher: m, Policy: policy})
			var got []string
			for _, x := range m.Refused() {
				got = append(got, fmt.Sprintf("%d %s %d", lines[x.Place().Addr], x.Mem.Op, x.Count))
				if !x.Mem.Done || !strings.Contains(x.Reason(), "is declared ") {
					t.Errorf("%s: %v", e.Name(), x.Fault)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: found %q, want %q", e.Name(), got, want)
			}
			for lane := range 64 { // v7 is lane+1, and the atomic adds lane
				in := uint32(0)
				if lane >= 4 && lane < 8 {
					in = uint32(2*lane + 1)
				}
				a, b := memory.Buffers()[0].Data, memory.Buffers()[1].Data
				if a, b := binary.LittleEndian.Uint32(a[4*lane:]), binary.LittleEndian.Uint32(b[4*lane:]); a != in || b != uint32(lane) {
					t.Errorf("%s: lane %d has left %d and %d, want %d and %d", e.Name(), lane, a, b, in, lane)
				}
			}
		}
	}
}

// TestDeclaredOrder: groups that store to a buffer that is declared to be read are put in order as without the
// declaration: each adds 1 to what the one before has left.
func TestDeclaredOrder(t *testing.T) {
	const text = `
	s_load_dwordx2 s[0:1], s[4:5], 0
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v2, s0
	v_mov_b32 v3, s1
	flat_load_dword v4, v[2:3]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32 v4, vcc, 1, v4
	flat_store_dword v[2:3], v4
	s_endpgm
`
	o, _ := bare(t, "order", []byte(text))
	module, err := gcn.Load(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range rivals(t) {
		for _, checks := range []sanitize.Check{sanitize.CheckMemory, sanitize.CheckAll} {
			k := gcn.Kernel{Module: module, Name: o.Kernels[0].Name, Memory: gcn.NewMemory(), Grid: [3]uint32{64 * 64}, Block: [3]uint32{64}}
			b, err := k.Memory.Alloc("in", 256)
			if err != nil {
				t.Fatal(err)
			}
			b.Uses, k.Args = mem.Read, []gcn.Arg{gcn.Buf(b)}
			w := sanitize.New(checks, nil)
			if _, err := gcn.Launch(context.Background(), k, launch.Settings{Engine: e, Workers: 2, Watcher: w, Policy: exec.RecordFaults, Declared: true}); err != nil {
				t.Fatal(err)
			}
			if got := binary.LittleEndian.Uint32(b.Data); got != 64 {
				t.Errorf("%s, %v: the groups have left %d, want 64", e.Name(), checks, got)
			}
			races := 0
			for _, f := range w.Findings() {
				if f.Rule == "race-global" {
					races++
				}
			}
			if (races > 0) != (checks&sanitize.CheckRace != 0) {
				t.Errorf("%s, %v: %d races", e.Name(), checks, races)
			}
		}
	}
}

// runDeclared launches a wave with a buffer that is declared to be read, and one that is to be written.
func runDeclared(t *testing.T, o *object.CodeObject, set launch.Settings) *gcn.Memory {
	t.Helper()
	module, err := gcn.Load(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	k := gcn.Kernel{Module: module, Name: o.Kernels[0].Name, Memory: gcn.NewMemory(), Grid: [3]uint32{64}, Block: [3]uint32{64}}
	for i, uses := range []mem.Rights{mem.Read, mem.Write} {
		b, err := k.Memory.Alloc(fmt.Sprint("arg", i), 256)
		if err != nil {
			t.Fatal(err)
		}
		b.Uses = uses
		k.Args = append(k.Args, gcn.Buf(b))
	}
	if _, err := gcn.Launch(context.Background(), k, set); err != nil {
		t.Fatal(set.Engine.Name(), err)
	}
	return k.Memory
}

// findings returns findings in the form that all checks share.
func findings[T interface{ Finding() sanitize.Finding }](list []T) (all []string) {
	for _, x := range list {
		f := x.Finding()
		all = append(all, f.String())
	}
	return all
}

// TestMemoryKernels: no compiled kernel of the cases has an access that memory refuses or that is not declared, one
// that a bound rules out, or a barrier that not all waves come to, and all give the results in the manifest.
func TestMemoryKernels(t *testing.T) {
	eachKernel(t, !testing.Short(), func(m *casefile.Manifest, b *casefile.Build, _ int) {
		w, s := &sanitize.Memory{}, &sanitize.Sync{}
		set := launch.Settings{Engine: engines.Fastest(engines.Use{}), Workers: 1, Watcher: sanitize.Combine(nil, w, s), Policy: exec.RecordFaults, Declared: true}
		memory, _, err := gcn.RunManifest(context.Background(), m, b, set)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range w.Refused() {
			t.Errorf("%s: %v", b.File, x.Fault)
		}
		for _, x := range append(findings(w.Clipped()), findings(s.Found())...) {
			t.Errorf("%s: %v", b.File, x)
		}
		for k := range m.Buffers {
			of := &m.Buffers[k]
			if c := &of.Compare; of.Expect == "" || c.Mode != "" && c.Mode != "exact" || c.NaNAny || c.ZeroAny {
				continue
			}
			want, err := m.ExpectData(of)
			if got, ok := memory.Buffer(of.Name); err != nil || !ok || !bytes.Equal(got.Data, want) {
				t.Errorf("%s: buffer %s differs: %v", b.File, of.Name, err)
			}
		}
	})
}
