package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// DS: local data share, lane permutations, global data share and global wave sync. docs/reference/gcn.md 1 and 8.3.
// Words of signatures: a is the address register; behind the bar, off2 are two offsets in place of one, off is an
// offset without gds, gds! is gds always set, swizzle is the offset as a pattern, none is no operand at all.
// opt=NAME is the option that chose the meaning.

// dsVI is the layout of gfx8; gfx6 and gfx7 have GDS and the opcode one bit higher.
var dsVI = &isa.Encoding{Name: "DS", Bits: 64, Fixed: []isa.Fixed{isa.Must(26, 31, 0b110110)}, Opcode: bits.Ranges{bits.Span(17, 24)},
	Fields: []isa.Field{
		isa.Bits("offset", 0, 15, number10("offset")),
		isa.Bits("offset0", 0, 7, number10("offset0")), isa.Bits("offset1", 8, 15, number10("offset1")),
		isa.Bits("gds", 16, 16, flag("gds")),
		isa.Bits("addr", 32, 39, nil), isa.Bits("data0", 40, 47, nil), isa.Bits("data1", 48, 55, nil), isa.Bits("vdst", 56, 63, nil),
	}, Source: "docs/reference/gcn.md 1.1"}

// dsForms is the one form of a row.
func dsForms(r *memRow) []isa.Def {
	dst, src, more := r.parts()
	d := isa.Def{Enc: dsVI}
	for _, t := range dst {
		d.Args = append(d.Args, vgprArg("vdst", regs(t), isa.Define))
	}
	data := []string{"data0", "data1"}
	for _, t := range src {
		if t == "a" {
			d.Args = append(d.Args, vgprArg("addr", 1, isa.Use))
			continue
		}
		d.Args = append(d.Args, vgprArg(data[0], regs(t), isa.Use))
		data = data[1:]
	}
	switch more {
	case "none":
	case "off":
		d.Args = append(d.Args, modArgs("offset")...)
		d.Fix = []isa.Fixed{isa.Must(16, 16, 0)}
	case "gds!":
		gds := wordArg("gds", true)
		gds.Place = isa.Modifier
		d.Args = append(append(d.Args, modArgs("offset")...), gds)
		d.Fix = []isa.Fixed{isa.Must(16, 16, 1)}
	case "off2":
		d.Args = append(d.Args, modArgs("offset0", "offset1", "gds")...)
	case "swizzle":
		d.Args = append(d.Args, isa.Arg{Name: "offset", Kind: swizzle, Place: isa.Modifier})
		d.Args = append(d.Args, modArgs("gds")...)
	default:
		d.Args = append(d.Args, modArgs("offset", "gds")...)
	}
	return []isa.Def{d}
}

// dsUndescribed lists instructions that the sources name and do not describe.
var dsUndescribed = []memRow{
	// gfx6 gfx7 gfx8 mnemonic signature meaning doc
	{____, 0x7e, 0x7e, "ds_condxchg32_rtn_b64", "b64 = a b64", nil, "Conditional exchange; listed, not described."},
	{0x80, 0x80, 0x80, "ds_add_src2_u32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x81, 0x81, 0x81, "ds_sub_src2_u32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x82, 0x82, 0x82, "ds_rsub_src2_u32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x83, 0x83, 0x83, "ds_inc_src2_u32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x84, 0x84, 0x84, "ds_dec_src2_u32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x85, 0x85, 0x85, "ds_min_src2_i32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x86, 0x86, 0x86, "ds_max_src2_i32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x87, 0x87, 0x87, "ds_min_src2_u32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x88, 0x88, 0x88, "ds_max_src2_u32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x89, 0x89, 0x89, "ds_and_src2_b32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x8a, 0x8a, 0x8a, "ds_or_src2_b32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x8b, 0x8b, 0x8b, "ds_xor_src2_b32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x8d, 0x8d, 0x8d, "ds_write_src2_b32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x92, 0x92, 0x92, "ds_min_src2_f32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0x93, 0x93, 0x93, "ds_max_src2_f32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{____, ____, 0x95, "ds_add_src2_f32", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xc0, 0xc0, 0xc0, "ds_add_src2_u64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xc1, 0xc1, 0xc1, "ds_sub_src2_u64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xc2, 0xc2, 0xc2, "ds_rsub_src2_u64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xc3, 0xc3, 0xc3, "ds_inc_src2_u64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xc4, 0xc4, 0xc4, "ds_dec_src2_u64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xc5, 0xc5, 0xc5, "ds_min_src2_i64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xc6, 0xc6, 0xc6, "ds_max_src2_i64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xc7, 0xc7, 0xc7, "ds_min_src2_u64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xc8, 0xc8, 0xc8, "ds_max_src2_u64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xc9, 0xc9, 0xc9, "ds_and_src2_b64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xca, 0xca, 0xca, "ds_or_src2_b64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xcb, 0xcb, 0xcb, "ds_xor_src2_b64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xcd, 0xcd, 0xcd, "ds_write_src2_b64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xd2, 0xd2, 0xd2, "ds_min_src2_f64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{0xd3, 0xd3, 0xd3, "ds_max_src2_f64", "= a", nil, "An LDS element changed by another whose place is not described."},
	{____, 0xfd, 0xfd, "ds_condxchg32_rtn_b128", "b128 =", nil, "Conditional exchange; listed, not described."},
}
