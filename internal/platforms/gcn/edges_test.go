package gcn

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// TestHiddenArguments: the hidden arguments of version 5 on all axes: of a grid whose last groups are partial on each
// axis, each by another number; of a grid of whole groups; and of one with fewer axes. Offsets and sizes are those of
// LLVM, "User Guide for AMDGPU Backend", code object V5 metadata: counts in 4 bytes, sizes and remainders in 2.
func TestHiddenArguments(t *testing.T) {
	var args []object.Arg
	at := uint32(0)
	add := func(kind string, size uint32) {
		args = append(args, object.Arg{Offset: at, Size: size, ValueKind: "hidden_" + kind})
		at += size
	}
	for _, kind := range []string{"block_count", "group_size", "remainder", "global_offset"} {
		for _, axis := range "xyz" {
			add(kind+"_"+string(axis), map[string]uint32{"block_count": 4, "group_size": 2, "remainder": 2, "global_offset": 8}[kind])
		}
	}
	add("grid_dims", 2)
	for _, c := range []struct {
		grid, block                [3]uint32
		counts, sizes, rests, dims [3]uint32 // dims in the first
	}{
		{[3]uint32{100, 53, 11}, [3]uint32{16, 7, 4}, [3]uint32{6, 7, 2}, [3]uint32{16, 7, 4}, [3]uint32{4, 4, 3}, [3]uint32{3}},
		{[3]uint32{101, 55, 9}, [3]uint32{16, 8, 4}, [3]uint32{6, 6, 2}, [3]uint32{16, 8, 4}, [3]uint32{5, 7, 1}, [3]uint32{3}},
		{[3]uint32{96, 56, 8}, [3]uint32{16, 7, 4}, [3]uint32{6, 8, 2}, [3]uint32{16, 7, 4}, [3]uint32{}, [3]uint32{3}},
		{[3]uint32{100, 5}, [3]uint32{16, 7}, [3]uint32{6, 0, 1}, [3]uint32{16, 7, 1}, [3]uint32{4, 5, 0}, [3]uint32{2}},
		{[3]uint32{10}, [3]uint32{64}, [3]uint32{0, 1, 1}, [3]uint32{64, 1, 1}, [3]uint32{10, 0, 0}, [3]uint32{1}},
	} {
		offset := [3]uint64{1 << 33, 5, 7}
		d, _, err := begin(t, testObject(t, endpgm, object.Descriptor{}, &object.KernelMetadata{Args: args}), Kernel{Grid: c.grid, Block: c.block, Offset: offset}, launch.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		var want []byte
		le := binary.LittleEndian
		for _, n := range c.counts {
			want = le.AppendUint32(want, n)
		}
		for _, list := range [][3]uint32{c.sizes, c.rests} {
			for _, n := range list {
				want = le.AppendUint16(want, uint16(n))
			}
		}
		for _, n := range offset {
			want = le.AppendUint64(want, n)
		}
		want = le.AppendUint16(want, uint16(c.dims[0]))
		if hex.EncodeToString(d.kernarg) != hex.EncodeToString(want) {
			t.Errorf("grid %v in groups of %v:\n%x, want\n%x", c.grid, c.block, d.kernarg, want)
		}
	}
}

// TestUnknownHidden: an unknown hidden argument, and one that is too large, are errors that name it.
func TestUnknownHidden(t *testing.T) {
	for kind, want := range map[string]string{"hidden_tea": "hidden arguments of kind hidden_tea are not built yet", "hidden_none": "the metadata gives hidden_none 9 bytes"} {
		meta := &object.KernelMetadata{Args: []object.Arg{{Size: 9, ValueKind: kind}}}
		_, _, err := begin(t, testObject(t, endpgm, object.Descriptor{}, meta), Kernel{Grid: [3]uint32{1}, Block: [3]uint32{1}}, launch.Settings{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", kind, err, want)
		}
	}
}

// TestArgumentsWithoutMetadata: arguments follow each other, each aligned to its size up to 16, pointers to 8 and
// offsets in local memory to 4; odd sizes to 4. There are no hidden arguments.
func TestArgumentsWithoutMetadata(t *testing.T) {
	memory := NewMemory()
	x, err := memory.Alloc("x", 16)
	if err != nil {
		t.Fatal(err)
	}
	const addr = "0000000010000000" // of the first buffer
	i8, err := Number("i8", 0x7f)
	if err != nil {
		t.Fatal(err)
	}
	vec := Bytes([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	for _, c := range []struct {
		name string
		args []Arg
		want string
		lds  int
	}{
		{"none", nil, "", 0},
		{"a number before a pointer", []Arg{U32(5), Buf(x)}, "05000000" + "00000000" + addr, 0},
		{"a pointer before a number", []Arg{Buf(x), I32(-1)}, addr + "ffffffff", 0},
		{"a byte before a word", []Arg{i8, U32(1), i8}, "7f000000" + "01000000" + "7f", 0},
		{"a word of eight bytes", []Arg{U32(1), U64(2), F64(1)}, "0100000000000000" + "0200000000000000" + "000000000000f03f", 0},
		{"a vector", []Arg{U64(1), vec}, "0100000000000000" + "0000000000000000" + "0102030405060708090a0b0c0d0e0f10", 0},
		{"three bytes", []Arg{i8, Bytes([]byte{1, 2, 3}), i8}, "7f000000" + "010203" + "7f", 0},
		{"no pointer", []Arg{Buf(nil), Address(0x1234)}, "0000000000000000" + "3412000000000000", 0},
		{"local memory", []Arg{i8, Local(10), Local(3), Buf(x)}, "7f000000" + "14000000" + "1e000000" + "00000000" + addr, 20 + 10 + 3},
	} {
		k := Kernel{Grid: [3]uint32{64}, Block: [3]uint32{64}, Args: c.args, Memory: memory}
		d, l, err := begin(t, testObject(t, endpgm, object.Descriptor{GroupSize: 20}, nil), k, launch.Settings{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := hex.EncodeToString(d.kernarg); got != c.want || c.lds != 0 && l.GroupBytes != c.lds {
			t.Errorf("%s: %s, want %s; %d bytes of local memory", c.name, got, c.want, l.GroupBytes)
		}
		if _, err := l.Run(context.Background()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// What the descriptor counts besides is zeros.
	d, _, err := begin(t, testObject(t, endpgm, object.Descriptor{KernargSize: 16}, nil), Kernel{Grid: [3]uint32{1}, Block: [3]uint32{1}, Args: []Arg{U32(1)}}, launch.Settings{})
	if err != nil || hex.EncodeToString(d.kernarg) != "01000000000000000000000000000000" {
		t.Errorf("%x, %v", d.kernarg, err)
	}
	for want, args := range map[string][]Arg{
		"argument 1 (0 bytes by value) is missing":                                                       {U32(1), {}},
		"argument 0 (address of a buffer): buffer \"x\" is not of the launch's memory":                   {Buf(x)},
		"argument 1 (local memory): local memory grows to 65557 bytes; a group has 65536":                {U32(1), Local(65537)},
		fmt.Sprintf("%d bytes of arguments; at most %d can be passed", maxKernarg+1, uint32(maxKernarg)): {Bytes(make([]byte, maxKernarg+1))},
	} {
		k := Kernel{Grid: [3]uint32{64}, Block: [3]uint32{64}, Args: args, Memory: NewMemory()}
		if _, _, err := begin(t, testObject(t, endpgm, object.Descriptor{GroupSize: 20}, nil), k, launch.Settings{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestWavesOfAGroup: the number of waves of a group, its group info word, the live lanes, and which groups are too
// large. The word is from LLVM, "User Guide for AMDGPU Backend", initial kernel execution state, with the number of the
// wave in the place of the ordered append term.
func TestWavesOfAGroup(t *testing.T) {
	desc := object.Descriptor{Rsrc2: 1 << 10} // group info in s0
	for _, c := range []struct {
		block [3]uint32
		waves int
		last  uint64 // lanes of the last wave
	}{
		{[3]uint32{1024}, 16, ^uint64(0)}, {[3]uint32{32, 32}, 16, ^uint64(0)}, {[3]uint32{16, 8, 8}, 16, ^uint64(0)}, {[3]uint32{1000}, 16, 1<<40 - 1},
		{[3]uint32{961}, 16, 1}, {[3]uint32{960}, 15, ^uint64(0)}, {[3]uint32{64}, 1, ^uint64(0)}, {[3]uint32{65}, 2, 1}, {[3]uint32{63}, 1, 1<<63 - 1},
		{[3]uint32{1}, 1, 1}, {[3]uint32{7, 11, 13}, 16, 1<<41 - 1},
	} {
		_, l, err := begin(t, testObject(t, endpgm, desc, nil), Kernel{Grid: c.block, Block: c.block}, launch.Settings{})
		if err != nil {
			t.Errorf("groups of %v: %v", c.block, err)
			continue
		}
		s, err := l.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		slot := s.NewSlot()
		if err := slot.Begin(0); err != nil {
			t.Fatal(err)
		}
		if len(slot.Waves) != c.waves {
			t.Errorf("groups of %v have %d waves, want %d", c.block, len(slot.Waves), c.waves)
			continue
		}
		for i := range slot.Waves {
			st, lanes, info := slot.Waves[i].State, ^uint64(0), uint32(c.waves|i<<6)
			if i == c.waves-1 {
				lanes = c.last
			}
			if i == 0 {
				info |= 1 << 31
			}
			if st.Live != lanes || st.Exec != lanes || st.Get(gcn.SGPR(0), 0) != info {
				t.Errorf("groups of %v, wave %d: lanes %#x, info %#x; want %#x, %#x", c.block, i, st.Live, st.Get(gcn.SGPR(0), 0), lanes, info)
			}
		}
		r, err := l.Run(context.Background())
		if err != nil || r.Waves != uint64(c.waves) || r.Instructions != uint64(c.waves) {
			t.Errorf("groups of %v: %+v, %v", c.block, r, err)
		}
	}
	for _, block := range [][3]uint32{{1025}, {32, 33}, {1, 1, 1025}, {1024, 2}} {
		if _, _, err := begin(t, testObject(t, endpgm, desc, nil), Kernel{Grid: block, Block: block}, launch.Settings{}); err == nil || !strings.Contains(err.Error(), "more than 1024 work-items") {
			t.Errorf("groups of %v: %v", block, err)
		}
	}
}

// TestScratchOfAGroup: a group whose last wave is partial has scratch for that wave, too.
func TestScratchOfAGroup(t *testing.T) {
	for _, items := range []uint32{64, 65, 127, 128, 129, 1000, 1024} {
		k := Kernel{Grid: [3]uint32{items}, Block: [3]uint32{items}}
		// The size is such that memory is just enough for the waves of the group, and not for one more.
		waves := (uint64(items) + 63) / 64
		lane := (uint64(scratchEnd-scratchBase)/waves - scratchGuard) / 64 &^ 15
		if lane*64*waves > maxScratch {
			lane = maxScratch / 64 / waves &^ 15
		}
		_, l, err := begin(t, testObject(t, endpgm, object.Descriptor{PrivateSize: uint32(lane)}, nil), k, launch.Settings{})
		if err != nil {
			t.Errorf("%d items: %v", items, err)
			continue
		}
		last := l.Own(int(waves) - 1)
		if end := last.Base + last.Size; end > scratchEnd || last.Size != lane*64 {
			t.Errorf("%d items: scratch of wave %d ends at %#x and has %d bytes", items, waves-1, end, last.Size)
		}
		over := object.Descriptor{PrivateSize: uint32(lane) + 16}
		if _, _, err := begin(t, testObject(t, endpgm, over, nil), k, launch.Settings{}); err == nil || !strings.Contains(err.Error(), "bytes of scratch per lane") {
			t.Errorf("%d items, %d bytes: %v", items, over.PrivateSize, err)
		}
	}
}

// TestSystem: the contents of the queue and the dispatch packet, byte by byte where a kernel reads them.
// docs/reference/gcn.md 9.4.
func TestSystem(t *testing.T) {
	desc := object.Descriptor{GroupSize: 20, PrivateSize: 20, KernargSize: 8}
	d, _, err := begin(t, testObject(t, endpgm, desc, nil), Kernel{Grid: [3]uint32{100, 7, 5}, Block: [3]uint32{10, 3, 2}}, launch.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	queue := make([]byte, 0x100)
	d.queue(queue)
	if shared, private := le.Uint32(queue[0x40:]), le.Uint32(queue[0x44:]); shared != 0x20000000 || private != 0x20000001 {
		t.Errorf("apertures %#x and %#x", shared, private)
	}
	var want []byte
	want = le.AppendUint16(want, 2) // a kernel dispatch
	for _, n := range []uint16{3, 10, 3, 2, 0} {
		want = le.AppendUint16(want, n) // dimensions, groups
	}
	for _, n := range []uint32{100, 7, 5, 32, 20} { // work-items, scratch per lane, local memory
		want = le.AppendUint32(want, n)
	}
	want = le.AppendUint64(want, codeBase+0x40) // the descriptor
	want = le.AppendUint64(want, kernargAddr)
	want = append(want, make([]byte, 64-len(want))...)
	packet := make([]byte, 64)
	if d.packet(packet); hex.EncodeToString(packet) != hex.EncodeToString(want) {
		t.Errorf("packet\n%x, want\n%x", packet, want)
	}
}
