package rogue

import (
	"strconv"
	"sync"
)

// constants are the constant values of the special bank, by number; known tells which of them are public.
// docs/reference/rogue.md 4.
var constants = [160]uint32{
	0: 0x00000000, 1: 0x00000001, 2: 0x00000002, 3: 0x00000003, 4: 0x00000004, 5: 0x00000005, 6: 0x00000006, 7: 0x00000007,
	8: 0x00000008, 9: 0x00000009, 10: 0x0000000a, 11: 0x0000000b, 12: 0x0000000c, 13: 0x0000000d, 14: 0x0000000e, 15: 0x0000000f,
	16: 0x00000010, 17: 0x00000011, 18: 0x00000012, 19: 0x00000013, 20: 0x00000014, 21: 0x00000015, 22: 0x00000016, 23: 0x00000017,
	24: 0x00000018, 25: 0x00000019, 26: 0x0000001a, 27: 0x0000001b, 28: 0x0000001c, 29: 0x0000001d, 30: 0x0000001e, 31: 0x0000001f,
	64: 0x3f800000, 65: 0x40000000, 66: 0x40800000, 67: 0x41000000, 68: 0x41800000, 69: 0x42000000, 70: 0x42800000, 71: 0x43000000,
	72: 0x43800000, 73: 0x44000000, 74: 0x44800000, 75: 0x3f000000, 76: 0x3e800000, 77: 0x3e000000, 78: 0x3d800000, 79: 0x3d000000,
	80: 0x3c800000, 81: 0x3c000000, 82: 0x3b800000, 83: 0x3b000000, 84: 0x3a800000, 85: 0x3a000000, 86: 0x39800000, 87: 0x39000000,
	88: 0x38800000, 89: 0x402df854, 90: 0x3ebc5ab2, 91: 0x3fb504f3, 92: 0x3f3504f3, 93: 0x3f490fdb, 94: 0x3fc90fdb, 95: 0x40490fdb,
	128: 0x3ea2f983, 129: 0x3f22f983, 130: 0x3fa2f983, 131: 0x40c90fdb, 132: 0x41490fdb, 133: 0x41c90fdb, 134: 0x37800000, 135: 0x38000000,
	136: 0x3b4d2e1c, 137: 0x414eb852, 138: 0x3ed55555, 139: 0x3f870a3d, 140: 0x3d6147ae, 141: 0x80000000, 142: 0x7f800000, 143: 0xffffffff,
	144: 0x7fff7fff, 145: 0x3e9a209b, 146: 0x3f317218, 147: 0x0000007f, 148: 0x7f7fffff, 149: 0x4b000000, 150: 0x4b800000, 151: 0x3f860a92,
	152: 0x3eaaaaab, 153: 0x3e2aaaab, 154: 0x40549a78, 155: 0x3fb8aa3b, 156: 0x3d25aee6, 157: 0x3d9e8391, 158: 0x3f72a76f, 159: 0x4019999a,
}

// constant is the value of number n of the special bank, if it is a public constant.
func constant(n uint16) (v uint32, ok bool) {
	if n >= uint16(len(constants)) || !isConstant(n) {
		return 0, false
	}
	return constants[n], true
}

// specialNames are the names of what the registers of the special bank hold, by number.
var specialNames = [numSpecial]string{
	44: "face_orient", 45: "cluster_num", 46: "output_part", 47: "task_id", 48: "slot_num", 49: "tile_x_pix", 50: "tile_y_pix",
	51: "inst_num", 52: "dm_task_type", 53: "samp_num", 54: "tiled_ld_comp0", 55: "tiled_ld_comp1", 56: "tiled_ld_comp2", 57: "tiled_ld_comp3",
	58: "tiled_st_comp0", 59: "tiled_st_comp1", 60: "tiled_st_comp2", 61: "tiled_st_comp3", 62: "batch_num", 63: "inst_valid",
	96: "tile_xy", 97: "x_p", 98: "x_s", 100: "y_p", 101: "y_s", 102: "wg_id", 103: "sh_alloc_size", 112: "local_addr_inst_num",
	114: "tile_x_p", 115: "tile_x_s", 116: "tile_y_p", 117: "tile_y_s", 118: "render_tgt_id", 119: "tiled_ld_comp4", 120: "tiled_ld_comp5",
	121: "tiled_ld_comp6", 122: "tiled_ld_comp7", 123: "tiled_st_comp4", 124: "tiled_st_comp5", 125: "tiled_st_comp6", 126: "tiled_st_comp7",
	127: "gpu_offset", 160: "timer_80ns",
}

// specialNumbers are the numbers of special registers by PCO's names: those of specialNames, and longer names of some
// registers. Source: pco_isa.py of Mesa.
var specialNumbers = sync.OnceValue(func() map[string]uint16 {
	m := map[string]uint16{"back_face": SpecialFace}
	for n, name := range specialNames {
		if name != "" {
			m[name] = uint16(n)
		}
	}
	for n := range uint16(numGlobals) {
		m["global"+strconv.Itoa(int(n))] = specialGlobal + n
	}
	for n := range uint16(numPixels) {
		m["pixout"+strconv.Itoa(int(n))] = special(specialPixel, specialPixel4, int(n), numPixels).n
	}
	return m
})
