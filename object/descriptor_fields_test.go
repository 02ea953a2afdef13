package object

import (
	"encoding/binary"
	"testing"
)

// TestFields: each bit of a descriptor is in one field, and a field has the bits that the manual gives it.
func TestFields(t *testing.T) {
	whole := Descriptor{}
	for i := range whole.Raw {
		whole.Raw[i] = 0xff
	}
	var seen [DescriptorSize * 8]int
	for _, f := range whole.Fields("gfx803") {
		for b := f.Offset*8 + f.Lo; b <= f.Offset*8+f.Hi; b++ {
			seen[b]++
		}
		if want := ^uint64(0) >> (63 - (f.Hi - f.Lo)); f.Value != want {
			t.Errorf("%s is %#x where all bits are set, want %#x", f.Name, f.Value, want)
		}
	}
	for b, n := range seen {
		if n != 1 {
			t.Errorf("bit %d of byte %d is in %d fields", b%8, b/8, n)
		}
	}

	d := Descriptor{}
	binary.LittleEndian.PutUint32(d.Raw[48:], 0x00af_0000|2<<6|5) // docs/reference/gcn.md 9.1
	binary.LittleEndian.PutUint32(d.Raw[52:], 1<<7|1<<11|6<<1)
	binary.LittleEndian.PutUint16(d.Raw[56:], 9)
	binary.LittleEndian.PutUint64(d.Raw[16:], 0xfffffffffffff000)
	want := map[string]DescriptorField{
		"GRANULATED_WORKITEM_VGPR_COUNT": {Value: 5, Says: "24 vector registers"}, "GRANULATED_WAVEFRONT_SGPR_COUNT": {Value: 2, Says: "24 scalar registers"},
		"FLOAT_DENORM_MODE_16_64": {Value: 3, Says: "kept"}, "FLOAT_DENORM_MODE_32": {Value: 3, Says: "kept"}, "FLOAT_ROUND_MODE_32": {Says: "to nearest even"},
		"ENABLE_DX10_CLAMP": {Value: 1}, "ENABLE_IEEE_MODE": {Value: 1}, "PRIV": {}, "USER_SGPR_COUNT": {Value: 6}, "ENABLE_SGPR_WORKGROUP_ID_X": {Value: 1},
		"ENABLE_VGPR_WORKITEM_ID": {Value: 1, Says: "v0, v1 are x, y"}, "ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER": {Value: 1}, "ENABLE_SGPR_KERNARG_SEGMENT_PTR": {Value: 1},
		"ENABLE_SGPR_QUEUE_PTR": {}, "KERNEL_CODE_ENTRY_BYTE_OFFSET": {Value: 0xfffffffffffff000},
	}
	for _, f := range d.Fields("gfx803") {
		w, ok := want[f.Name]
		if ok && (f.Value != w.Value || f.Says != w.Says) {
			t.Errorf("%s is %d, %q; want %d, %q", f.Name, f.Value, f.Says, w.Value, w.Says)
		}
		delete(want, f.Name)
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
	for _, f := range d.Fields("gfx90a") {
		if f.Name == "GRANULATED_WORKITEM_VGPR_COUNT" && f.Says != "" {
			t.Errorf("of gfx90a registers are counted in other units: %q", f.Says)
		}
	}
}
