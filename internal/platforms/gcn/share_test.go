package gcn

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// machineCode is instructions as hex.
func machineCode(t *testing.T, lines ...string) string {
	t.Helper()
	var code []byte
	for _, text := range lines {
		var b isa.Bundle
		err := gcn.Set().At(0, 0).Parse(text, uint64(len(code)), &b)
		if err == nil {
			code, err = b.Encode(code)
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return hex.EncodeToString(code)
}

// TestGlobalShare: all groups of a launch access one share, which is initially zero, and the waves of a group can wait
// for each other at a global barrier: each lane counts itself, and none ends before both waves of its group have
// arrived.
func TestGlobalShare(t *testing.T) {
	code := machineCode(t,
		"s_movk_i32 m0, 0x100",
		"v_readfirstlane_b32 s4, v0",
		"s_cmp_lg_u32 s4, 0",
		"s_cbranch_scc1 3", // the second wave of a group
		"v_mov_b32_e32 v2, 1",
		"ds_gws_init v2 gds",
		"ds_append v1 offset:4 gds",
		"ds_gws_barrier v2 gds",
		"s_getreg_b32 s5, hwreg(HW_REG_STATUS, 11, 1)", // several waves
		"v_mov_b32_e32 v3, s5",
		"v_mov_b32_e32 v4, 0",
		"ds_add_u32 v4, v3 offset:8 gds",
		"s_endpgm")
	for _, workers := range []int{1, 4} {
		_, l, err := begin(t, testObject(t, code, object.Descriptor{}, nil), Kernel{Grid: [3]uint32{5 * 128}, Block: [3]uint32{128}}, launch.Settings{Workers: workers, Limits: exec.Limits{Total: 1000}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := l.Run(context.Background())
		if err != nil || !r.Serial {
			t.Fatalf("%+v, %v", r, err)
		}
		g, ok := l.Env.Space(ir.GlobalSpace, gcn.BankGDS).Segment("gds")
		if !ok {
			t.Fatal("the launch has no share")
		}
		for at, want := range []uint32{0, 5 * 128, 5 * 128} {
			if got := binary.LittleEndian.Uint32(g.Data[4*at:]); got != want {
				t.Errorf("word %d of the share is %d, want %d", at, got, want)
			}
		}
	}
}

// TestShareOfEachLaunch: a share is zero at the start of a launch, whatever launches before it left in theirs.
func TestShareOfEachLaunch(t *testing.T) {
	code := machineCode(t,
		"s_movk_i32 m0, 0x100",
		"ds_append v1 offset:4 gds", // returns what was counted before
		"v_mov_b32_e32 v2, 0x2000",
		"v_mov_b32_e32 v3, 0",
		"s_waitcnt lgkmcnt(0)",
		"flat_store_dword v[2:3], v1",
		"s_endpgm")
	m, err := Load(testObject(t, code, object.Descriptor{}, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	memory := NewMemory()
	b, err := memory.AllocAt("out", 0x2000, 8)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 10 {
		binary.LittleEndian.PutUint32(b.Data, ^uint32(0))
		k := Kernel{Module: m, Name: "k", Grid: [3]uint32{64}, Block: [3]uint32{64}, Memory: memory}
		_, err := Launch(t.Context(), k, launch.Settings{Engine: ref.New(), Limits: exec.Limits{Total: 1000}})
		if got := binary.LittleEndian.Uint32(b.Data); err != nil || got != 0 {
			t.Fatalf("launch %d: the share holds %d at its start, %v", n, got, err)
		}
	}
}
