package heddle_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

// A port is a device that records its calls: reads return offsets and a count.
type port struct {
	list  []string
	reads uint32
}

func (d *port) read(offset uint64, p []byte) {
	d.reads++
	for i := 0; i+4 <= len(p); i += 4 {
		binary.LittleEndian.PutUint32(p[i:], d.reads<<16|uint32(offset)+uint32(i))
	}
	d.list = append(d.list, fmt.Sprintf("read %d at %#x", len(p), offset))
}

func (d *port) write(offset uint64, p []byte) {
	d.list = append(d.list, fmt.Sprintf("write %x at %#x", p, offset))
}

// TestDevice: loads and stores of every set that has addresses call the functions of a device, in the order of lanes.
func TestDevice(t *testing.T) {
	for _, c := range []struct {
		isa, program string
		set          []string
		lanes        int
		want         []string
		reg          string
		value        uint64
	}{
		{"gcn:gfx8", "flat_store_dwordx2 v[0:1], v[2:3]; flat_load_dword v4, v[0:1]", []string{"v[0:1]=0x9010,0x9000", "v2=7,8", "v3=9"}, 2,
			[]string{"write 0700000009000000 at 0x10", "write 0800000009000000 at 0x0", "read 4 at 0x10", "read 4 at 0x0"}, "v4", 0x10010},
		{"gcn:gfx6", "s_load_dwordx4 s[4:7], s[0:1], 0x0", []string{"s[0:1]=0x9010"}, 2, []string{"read 16 at 0x10"}, "s5", 0x10014},
		{"gcn:gfx8", "flat_atomic_add v4, v[0:1], v2 glc", []string{"v[0:1]=0x9010", "v2=7"}, 1, []string{"read 4 at 0x10", "write 17000100 at 0x10"}, "v4", 0x10010},
		{"tesla", "st b32 g0[$r0] $r1; ld b32 $r2 g0[$r0]", []string{"r0=0x9010", "r1=7"}, 1, []string{"write 07000000 at 0x10", "read 4 at 0x10"}, "$r2", 0x10010},
		{"valhall", "STORE.i32.slot0 @r2, r0, offset:0; LOAD.i32.slot0.wait0 @r4, r0, offset:4", []string{"r0=0x9010", "r2=7"}, 1,
			[]string{"write 07000000 at 0x10", "read 4 at 0x14"}, "r4", 0x10014},
		{"rogue", "{ s0 = r10, s3 = r6..7 backend: st.writethrough s0, 2, drc0, 1, s3, _; }; { s0 = r6..7, s3 = r8 backend: ld s3, drc0, 1, s0; }",
			[]string{"r6=0x9010", "r10=7"}, 1, []string{"write 07000000 at 0x10", "read 4 at 0x10"}, "r8", 0x10010},
	} {
		for _, hooked := range []bool{false, true} {
			w := wave(t, c.isa, c.program, heddle.State{Lanes: c.lanes, Set: c.set})
			var d port
			if err := w.MapDevice(0x9000, 0x100, d.read, d.write); err != nil {
				t.Fatal(err)
			}
			if hooked {
				w.OnInstruction(heddle.Anywhere, func(uint64) {})
			}
			if err := w.Run(); err != nil || w.Bits(c.reg, 0) != c.value {
				t.Errorf("%s: %v; %s is %#x, want %#x", c.isa, err, c.reg, w.Bits(c.reg, 0), c.value)
			}
			same(t, c.isa, d.list, c.want)
		}
	}
}

// TestDeviceState: a function of a device sees pc and registers as before the instruction, reads and writes memory
// and code, and stops the run.
func TestDeviceState(t *testing.T) {
	w := wave(t, "gcn:gfx8", "s_mov_b32 s0, 7; flat_load_dword v4, v[0:1]; s_mov_b32 s0, 8; flat_store_dword v[2:3], v4; s_mov_b32 s0, 9; flat_load_dword v5, v[6:7]; s_setpc_b64 s[2:3]",
		heddle.State{Lanes: 1, Set: []string{"v[0:1]=0x9000", "v[2:3]=0x9004", "v[6:7]=0x5000", "s[2:3]=0x4000"}, Global: []heddle.Region{{Addr: 0x5000, Data: make([]byte, 4)}}})
	if err := w.LoadText(0x4000, "s_mov_b32 s1, 1; s_endpgm"); err != nil {
		t.Fatal(err)
	}
	var list []string
	tell := func(what string) {
		list = append(list, fmt.Sprintf("%s pc=%d s0=%d", what, w.Bits("pc", 0), w.U32("s0", 0)))
	}
	var inside []error
	if err := w.MapDevice(0x9000, 8, func(uint64, []byte) { tell("read") }, func(uint64, []byte) {
		tell("write")
		inside = append(inside, w.WriteMemory(0x5000, []byte{0x55}), w.WriteMemory(0x4000, []byte{0x85, 0, 0x81, 0xbe}))
		_, err := w.Step(1)
		inside = append(inside, err, w.Map(0x7000, 4, mem.Read), w.Unmap(0x9000), w.MapDevice(0x8000, 4, func(uint64, []byte) {}, nil))
		w.Stop()
	}); err != nil {
		t.Fatal(err)
	}
	w.SetBits("pc", 0, 0x4000)
	halts(t, "code that the device changes is decoded before", heddle.HaltEnd)(w.Step(5))
	w.SetBits("pc", 0, 0)
	halts(t, "stopped", heddle.HaltStop)(w.Step(100))
	same(t, "states", list, []string{"read pc=4 s0=7", "write pc=16 s0=8"})
	if w.Bits("pc", 0) != 24 || w.U32("s0", 0) != 8 {
		t.Errorf("stopped at %d with s0=%d", w.Bits("pc", 0), w.U32("s0", 0))
	}
	for i, err := range inside {
		if (err == nil) != (i < 2) {
			t.Errorf("call %d of a device: %v", i, err)
		}
	}
	halts(t, "on", heddle.HaltEnd)(w.Step(100))
	if w.U32("v5", 0) != 0x55 || w.U32("s1", 0) != 5 {
		t.Errorf("v5 %#x, s1 %d", w.U32("v5", 0), w.U32("s1", 0))
	}
}

// TestDeviceHooks: access hooks are called after reads and before writes of a device, lane by lane.
func TestDeviceHooks(t *testing.T) {
	w := wave(t, "gcn:gfx8", "flat_load_dword v4, v[0:1]; flat_store_dword v[0:1], v4; flat_atomic_swap v5, v[0:1], v6 glc", heddle.State{Lanes: 2, Set: []string{"v[0:1]=0x9000,0x9004"}})
	var d port
	if err := w.MapDevice(0x9000, 0x100, d.read, d.write); err != nil {
		t.Fatal(err)
	}
	tell := func(a *exec.Access) { d.list = append(d.list, fmt.Sprintf("%v %#x", a.Kind, a.Value())) }
	w.OnLoad(heddle.Anywhere, tell)
	w.OnStore(heddle.Anywhere, tell)
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	same(t, "order", d.list, []string{
		"read 4 at 0x0", "load 0x10000", "read 4 at 0x4", "load 0x20004",
		"store 0x10000", "write 00000100 at 0x0", "store 0x20004", "write 04000200 at 0x4",
		"read 4 at 0x0", "write 00000000 at 0x0", "atomic load 0x30000", "atomic store 0x0",
		"read 4 at 0x4", "write 00000000 at 0x4", "atomic load 0x40004", "atomic store 0x0",
	})
}

// TestDeviceFaults: an access that a device does not allow, or that lies in it only partly, is a fault, and no
// function is called for an instruction if one of its lanes faults.
func TestDeviceFaults(t *testing.T) {
	for _, c := range []struct {
		program     string
		addr        string
		read, write bool
		kind        mem.FaultKind
	}{
		{"flat_load_dword v4, v[0:1]", "0x9000", false, true, mem.NoRead},
		{"flat_store_dword v[0:1], v4", "0x9000", true, false, mem.ReadOnly},
		{"flat_atomic_add v[0:1], v4", "0x9000", true, false, mem.ReadOnly},
		{"flat_load_dwordx2 v[4:5], v[0:1]", "0x90fc", true, true, mem.OutOfRange},
		{"flat_load_dword v4, v[0:1]", "0x9000,0xa000", true, true, mem.OutOfRange},
	} {
		w := wave(t, "gcn:gfx8", c.program, heddle.State{Lanes: 2, Set: []string{"v[0:1]=" + c.addr}})
		var d port
		read, write := d.read, d.write
		if !c.read {
			read = nil
		}
		if !c.write {
			write = nil
		}
		if err := w.MapDevice(0x9000, 0x100, read, write); err != nil {
			t.Fatal(err)
		}
		var f *exec.Fault
		if err := w.Run(); !errors.As(err, &f) || f.Kind != exec.FaultMemory || f.Mem.Kind != c.kind || len(d.list) > 0 {
			t.Errorf("%s at %s: %v, calls %v", c.program, c.addr, err, d.list)
		}
	}
}

// TestDeviceRegions: devices are listed, overlap nothing, and can be removed; the host cannot read or write their
// bytes.
func TestDeviceRegions(t *testing.T) {
	w := wave(t, "gcn:gfx8", "flat_load_dword v4, v[0:1]", heddle.State{Lanes: 1, Set: []string{"v[0:1]=0x9000"}})
	var d port
	if err := errors.Join(w.Map(0x8000, 0x1000, mem.Read), w.MapDevice(0x9000, 0x100, d.read, nil), w.Map(0xa000, 0x1000, mem.Read)); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, x := range w.Regions() {
		list = append(list, fmt.Sprintf("%#x %#x %d", x.Base, x.Size, x.Rights))
	}
	same(t, "regions", list, []string{"0x8000 0x1000 1", "0x9000 0x100 1", "0xa000 0x1000 1"})
	const top = ^uint64(0)
	for what, err := range map[string]error{
		"overlaps":     w.MapDevice(0x90ff, 1, d.read, nil),
		"Overlaps":     w.MapDevice(0x8fff, 1, d.read, nil),
		"overlaps ":    w.Map(0x90ff, 4, mem.Read),
		"no function":  w.MapDevice(0xb000, 1, nil, nil),
		"bytes":        w.MapDevice(0xb000, 0, d.read, nil),
		"64-bit":       w.MapDevice(top, 2, d.read, nil),
		"a device":     w.ReadMemory(0x8ffe, make([]byte, 4)),
		"a device ":    w.WriteMemory(0x9000, make([]byte, 4)),
		"is a device":  w.Protect(0x9000, mem.Read),
		"is a device:": w.Unmap(0x9001),
	} {
		if err == nil || !strings.Contains(err.Error(), strings.ToLower(strings.TrimSpace(what))) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := w.MapDevice(top, 1, d.read, nil); err != nil {
		t.Error(err)
	}
	if err := errors.Join(w.Run(), w.Unmap(0x9000), w.Unmap(top)); err != nil {
		t.Fatal(err)
	}
	if err := w.Run(); err == nil || len(w.Regions()) != 2 {
		t.Errorf("after the device has gone: %v, %v", err, w.Regions())
	}
}

// TestDevicesAllocate: accesses of a device, and of memory next to one, do not allocate.
func TestDevicesAllocate(t *testing.T) {
	w := wave(t, "gcn:gfx8", "flat_load_dwordx2 v[2:3], v[0:1]; flat_store_dwordx2 v[0:1], v[2:3]", heddle.State{Set: []string{"v[0:1]=0x9000"}})
	if err := w.MapDevice(0x9000, 0x100, func(uint64, []byte) {}, func(uint64, []byte) {}); err != nil {
		t.Fatal(err)
	}
	stepsAllocate(t, "device", w)
}
