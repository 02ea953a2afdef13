package object

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cubin"
)

var nop = []byte{1, 0, 0, 0xf0, 1, 0, 0, 0xe0} // nop exit

func sampleCubin(wide bool, sm uint32) []byte {
	return cubin.Write(wide, sm|sm<<16, 2, []cubin.Section{
		{Name: ".text.first", Kind: 1, Info: 7<<24 | 3, Flags: 6, Data: nop},
		{Name: ".text.second", Kind: 1, Info: 12 << 24, Flags: 6, Data: append(bytes.Repeat([]byte{1, 0, 0, 0xf0, 0, 0, 0, 0xe0}, 2), nop...)},
		{Name: ".nv.constant0", Kind: 1, Data: []byte{1, 2, 3, 4}},
		{Name: ".nv.constant1.second", Kind: 1, Data: []byte{5, 6, 7, 8, 9, 10, 11, 12}},
		{Name: ".nv.shared.second", Kind: 8, Size: 0x50},
		{Name: ".nv.local.second", Kind: 8, Size: 16},
		{Name: ".nv.info.second", Kind: 0x70000000, Data: append(append([]byte{3, 0x19, 12, 0}, cubin.Param(1, 4, 4)...), cubin.Param(0, 0, 4)...)},
		{Name: ".strtab", Kind: 3, Data: []byte("\x00here\x00there\x00")},
		{Name: ".symtab", Kind: 2, Link: 8, Entry: symbolBytes(wide), Data: slices.Concat(symbolEntry(wide, 0, 0, 0), symbolEntry(wide, 1, 2, 8), symbolEntry(wide, 6, 1, 0))},
		{Name: ".rel.text.second", Kind: 9, Link: 9, Info: 2, Entry: relEntry(wide), Data: relocEntry(wide, 0, 2, 1)},
		{Name: ".rel.nv.constant1.second", Kind: 9, Link: 9, Info: 4, Entry: relEntry(wide), Data: slices.Concat(relocEntry(wide, 4, 1, 1), relocEntry(wide, 0, 1, 5), relocEntry(wide, 0, 0, 0))},
		{Name: ".rel.nv.constant0", Kind: 9, Link: 9, Info: 3, Entry: relEntry(wide), Data: relocEntry(wide, 0, 1, 4)},
	})
}

func relEntry(wide bool) uint64    { return map[bool]uint64{false: 8, true: 16}[wide] }
func symbolBytes(wide bool) uint64 { return map[bool]uint64{false: 16, true: 24}[wide] }

// relocEntry is an entry without an addend: offset, symbol, type.
func relocEntry(wide bool, offset, symbol, typ uint32) []byte {
	le := binary.LittleEndian
	if wide {
		return le.AppendUint64(le.AppendUint64(nil, uint64(offset)), uint64(symbol)<<32|uint64(typ))
	}
	return le.AppendUint32(le.AppendUint32(nil, offset), symbol<<8|typ)
}

// symbolEntry is a global symbol: where its name is, section, value.
func symbolEntry(wide bool, name uint32, section uint16, value uint32) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, name)
	if wide {
		return le.AppendUint64(le.AppendUint64(le.AppendUint16(append(b, 0x12, 0), section), uint64(value)), 0)
	}
	return le.AppendUint16(append(le.AppendUint32(le.AppendUint32(b, value), 0), 0x12, 0), section)
}

func TestReadCubin(t *testing.T) {
	for _, wide := range []bool{false, true} {
		for sm, variant := range map[uint32]string{10: "g80", 11: "g84", 12: "gt215", 13: "g200"} {
			c, err := ReadCubin(sampleCubin(wide, sm))
			if err != nil {
				t.Fatal(wide, sm, err)
			}
			if c.SM != int(sm) || c.Variant() != variant || c.Wide != wide || len(c.Kernels) != 2 || len(c.Sections) != 14 {
				t.Errorf("sm_%d, %v: %+v", sm, wide, c)
			}
			k, err := c.Kernel("second")
			if err != nil {
				t.Fatal(err)
			}
			if len(k.Code) != 24 || k.Registers != 12 || k.Shared != 0x50 || k.Local != 16 {
				t.Errorf("%+v", k)
			}
			if got := fmt.Sprint(k.Relocs, c.Relocs); got != "[R_CUDA_32 for there at .text.second+0x0 R_CUDA_ABS32_26 for here at .nv.constant1.second+0x0] [R_CUDA_G64 for here at .nv.constant0+0x0]" {
				t.Error(got)
			}
			if len(k.Params) != 2 || k.Params[0] != (CubinParam{0, 0, 4}) || k.Params[1] != (CubinParam{1, 4, 4}) {
				t.Errorf("parameters %+v", k.Params)
			}
			banks := c.Banks(k)
			if string(banks[0]) != "\x01\x02\x03\x04" || string(banks[1]) != "\x05\x06\x07\x08\x11\x0a\x0b\x0c" || banks[2] != nil {
				t.Errorf("banks %x", banks)
			}
			if _, err := c.Kernel(""); err == nil || !strings.Contains(err.Error(), "2 kernels: first, second") {
				t.Error(err)
			}
			if _, err := c.Kernel("third"); err == nil || !strings.Contains(err.Error(), `no kernel "third"`) {
				t.Error(err)
			}
		}
	}
}

func TestReadCubinErrors(t *testing.T) {
	good := sampleCubin(true, 13)
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"sm_20", "code for sm_20", sampleCubin(true, 20)},
		{"sm_90, new ABI", "code for sm_90", cubin.Write(true, 90<<8|2, 8, nil)},
		{"code without bytes", ".text.k is code without bytes in the file", cubin.Write(true, 10, 2, []cubin.Section{{Name: ".text.k", Kind: 8, Data: nop}})},
		{"large bank", "a constant bank has at most 0x10000", cubin.Write(true, 10, 2, []cubin.Section{{Name: ".nv.constant1", Kind: 1, Data: make([]byte, 64<<10+1)}})},
		{"bank", "no constant bank", cubin.Write(true, 10, 2, []cubin.Section{{Name: ".nv.constant99", Kind: 1, Data: nop}})},
		{"header", "file+0x0: the file ends before the headers that its ELF header names", good[:64]},
		{"AMD", "no ELF file of CUDA", append(append([]byte{}, good[:18]...), append([]byte{224, 0}, good[20:]...)...)},
		{"nothing", "no ELF file of CUDA", nil},
	} {
		_, err := ReadCubin(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for n := range good {
		ReadCubin(good[:n]) // no prefix panics
	}
}

func FuzzReadCubin(f *testing.F) {
	f.Add(sampleCubin(false, 10))
	f.Add(sampleCubin(true, 13))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadCubin(data)
		if err != nil {
			return
		}
		for i := range c.Kernels {
			c.Banks(&c.Kernels[i])
		}
		if c.Variant() == "" {
			t.Fatal(c.SM)
		}
	})
}
