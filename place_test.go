package heddle_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

// floats returns numbers as they are in memory, off bytes after a multiple of 8.
func floats(off int, values ...float32) []byte {
	b := mem.Alloc(off + 4*len(values))[off:]
	for i, v := range values {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
	}
	return b
}

// TestInPlace: a kernel works on the caller's bytes, at any address, and cannot write read-only ones.
func TestInPlace(t *testing.T) {
	m := load(t, saxpy)
	l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}}
	for _, off := range []int{0, 4} { // the guest finds them as far after a multiple of 8
		x, y := floats(off, 1, 2, 3, 4), floats(off, 0.5, 0.5, 0.5, 0.5)
		_, err := m.Launch(t.Context(), l, heddle.InPlace{Data: x, ReadOnly: true}, heddle.InPlace{Data: y}, float32(10), 4)
		if want := floats(0, 10.5, 20.5, 30.5, 40.5); err != nil || !slices.Equal(y, want) {
			t.Errorf("%d bytes behind: % x, %v; want % x", off, y, err, want)
		}
	}
	x, y := floats(0, 1, 2, 3, 4), floats(0, 1, 1, 1, 1)
	if _, err := m.Launch(t.Context(), l, heddle.InPlace{Data: x}, heddle.InPlace{Data: x}, float32(1), 4); err != nil {
		t.Error("one buffer twice:", err)
	}
	if want := floats(0, 2, 4, 6, 8); !slices.Equal(x, want) {
		t.Errorf("x + x is % x, want % x", x, want)
	}
	before := slices.Clone(y)
	_, err := m.Launch(t.Context(), l, heddle.InPlace{Data: x}, heddle.InPlace{Data: y, ReadOnly: true}, float32(1), 4)
	var f *exec.Fault
	if !errors.As(err, &f) || f.Mem.Kind != mem.ReadOnly || !slices.Equal(y, before) {
		t.Errorf("a store to what is read-only: %v, % x", err, y)
	}
	for _, tt := range []struct {
		x, y heddle.InPlace
		want string
	}{
		{heddle.InPlace{}, heddle.InPlace{Data: y}, "argument 0: there are no bytes"},
		{heddle.InPlace{Data: x}, heddle.InPlace{Data: x[4:]}, "argument 1: the bytes overlap those of buffer \"arg0\" in part"},
		{heddle.InPlace{Data: x}, heddle.InPlace{Data: x, ReadOnly: true}, "argument 1: buffer \"arg0\" is the same, and of the two one is read-only"},
	} {
		if _, err := m.Launch(t.Context(), l, tt.x, tt.y, float32(1), 4); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// TestWaveInPlace: a wave works on the caller's bytes.
func TestWaveInPlace(t *testing.T) {
	gcn := heddle.MustFind("gfx803")
	data, group := floats(0, 1, 2), floats(0, 3, 4)
	s := heddle.State{InPlace: true, Global: []heddle.Region{{Name: "x", Addr: 0x1000, Data: data}}, Group: group, Regs: map[string][]uint64{
		"v0": {0x1000}, "v2": {0x40e00000}, "v3": {4}, "exec": {1}, "m0": {0xffffffff},
	}}
	w, err := gcn.NewWave("flat_store_dword v[0:1], v2\nds_write_b32 v3, v2", s)
	if err == nil {
		err = w.Run()
	}
	if err != nil || !slices.Equal(data, floats(0, 7, 2)) || !slices.Equal(group, floats(0, 3, 7)) {
		t.Errorf("global % x, group % x, %v", data, group, err)
	}
	s.Global[0].ReadOnly = true
	if w, err = gcn.NewWave("flat_store_dword v[0:1], v2", s); err != nil {
		t.Fatal(err)
	}
	var f *exec.Fault
	if err := w.Run(); !errors.As(err, &f) || f.Mem.Kind != mem.ReadOnly {
		t.Errorf("a store to what is read-only: %v", err)
	}
	s.Global[0].Data = data[1:]
	if _, err := gcn.NewWave("s_nop 0", s); err == nil || !strings.Contains(err.Error(), "not aligned") {
		t.Errorf("bytes that are not aligned: %v", err)
	}
}

// TestRunContext: an endless loop ends with its context.
func TestRunContext(t *testing.T) {
	w, err := heddle.MustFind("gfx803").NewWave("l:\ns_branch l", heddle.State{Steps: math.MaxUint64})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var f *exec.Fault
	if err := w.RunContext(ctx); !errors.As(err, &f) || f.Kind != exec.FaultStopped || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}
