//go:build linux && amd64

package amdgpu

import (
	"bytes"
	"context"
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// appends: each wave, later ones of four first, adds its number and 1 to a counter, and stores what it was. The first
// one puts it there in place of what earlier dispatches have left, as radeonsi's culling of primitives does.
//
//	s[0:3] the results, s4 the group, s5 group info
const appends = `
	s_bfe_u32 s6, s5, 0xb0006
	s_and_b32 s7, s6, 3
again:
	s_cmp_eq_u32 s7, 3
	s_cbranch_scc1 go
	s_sleep 1
	s_add_u32 s7, s7, 1
	s_branch again
go:
	s_mov_b64 exec, 1
	s_mov_b32 m0, s6
	s_add_u32 s7, s6, 1
	v_mov_b32 v1, s7
	v_mov_b32 v2, 0
	s_cmp_eq_u32 s6, 0
	s_cbranch_scc1 first
	ds_ordered_count v2, v1 offset:768 gds
	s_branch over
first:
	ds_ordered_count v3, v1 offset:4864 gds
over:
	s_waitcnt lgkmcnt(0)
	s_lshl_b32 s6, s6, 2
	v_mov_b32 v0, s6
	buffer_store_dword v2, v0, s[0:3], 0 offen
	s_endpgm
`

// TestOrderedAppend: dispatches with ORDERED_APPEND_ENBL number their waves, which append in that order, on each
// generation, and a capture runs as the dispatch has run.
func TestOrderedAppend(t *testing.T) {
	for _, c := range []struct {
		chip               string
		initiator, threads uint32
	}{{"tahiti", gcn.InitOrdered, 128}, {"bonaire", gcn.InitOrdered, 128}, {"polaris10", gcn.InitOrdered, 128}, {"polaris10", gcn.InitOrdered | gcn.InitOrderedGroups, 64}} {
		folder := t.TempDir()
		b := newBench(t, c.chip, Options{Workers: 2, Captures: &Captures{Folder: folder, Most: 1, Log: t.Logf}})
		b.assemble(t, 0x20000, appends)
		out, _, err := b.NewBuffer(1<<12, 0, &b.d.gtt)
		if err == nil {
			err = b.VM.Map(drm.Mapping{VA: 0x200000, Size: 1 << 12, Buffer: out, Rights: mem.ReadWrite})
		}
		if err != nil {
			t.Fatal(err)
		}
		s := &shader{va: 0x20000, rsrc2: groupIDX | 1<<10, user: rawBuffer(0x200000, 1<<12), block: [3]uint32{c.threads, 1, 1}}
		var words []uint32
		for range 2 {
			one := s.commands([3]uint32{10, 1, 1})
			one[len(one)-1] |= c.initiator
			words = append(words, one...)
		}
		if err := b.run(ring{kind: ipCompute}, 0x50000, words...); err != nil {
			t.Fatal(err, b.log)
		}
		for i := range 10 * c.threads / 64 {
			if got, want := binary.LittleEndian.Uint32(out.Bytes()[4*i:]), i*(i+1)/2; got != want {
				t.Errorf("%s, %#x: number %d finds %d, want %d", c.chip, c.initiator, i, got, want)
			}
		}
		m, err := casefile.ReadManifestFile(filepath.Join(folder, "dispatch1", "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Variants[0].Bare.Descriptor.Initiator; got != c.initiator {
			t.Errorf("the capture has %#x, want %#x", got, c.initiator)
		}
		again, _, err := gcn.RunManifest(context.Background(), m, &m.Variants[0], launch.Settings{Engine: b.d.opt.Engine})
		if err != nil || len(again.Buffers()) != 1 || !bytes.Equal(again.Buffers()[0].Data, out.Bytes()) {
			t.Errorf("the capture: %v", err)
		}
	}
}

// TestUnordered: without ORDERED_APPEND_ENBL the instruction is a fault that says so.
func TestUnordered(t *testing.T) {
	b := newBench(t, "polaris10", Options{})
	b.assemble(t, 0x20000, appends)
	s := &shader{va: 0x20000, rsrc2: groupIDX | 1<<10, user: rawBuffer(0x30000, 1<<12), block: [3]uint32{64, 1, 1}}
	if err := b.run(ring{kind: ipCompute}, 0x50000, s.commands([3]uint32{1, 1, 1})...); err == nil || !strings.Contains(b.log.String(), "ORDERED_APPEND_ENBL") {
		t.Errorf("%v, %s", err, b.log)
	}
}

// TestCaptureOrder: a capture has the mode of appends only with the bit that orders them, as manifests want it.
func TestCaptureOrder(t *testing.T) {
	for initiator, want := range map[uint32]uint32{gcn.InitOrderedGroups: 0, initEnable | gcn.InitOrdered: gcn.InitOrdered, gcn.InitOrdered | gcn.InitOrderedGroups: 24} {
		c := &capture{k: &gcn.RegisterLaunch{Initiator: initiator}}
		if got := c.manifest(&gcn.Tiling{Gen: 8}).Variants[0].Bare.Descriptor.Initiator; got != want {
			t.Errorf("%#x: %#x, want %#x", initiator, got, want)
		}
	}
}
