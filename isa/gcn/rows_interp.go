package gcn

// vintrpRows lists the instructions of VINTRP. Source: docs/reference/gcn.md 1 and 7.5.
func vintrpRows() []row {
	return []row{
		// gfx6 gfx7 gfx8 mnemonic signature meaning doc
		{0x00, 0x00, 0x00, "v_interp_p1_f32", "= v | opt=interp-rounding", eff(interpP1), "P10 * a + P0 of the attribute."},
		{0x01, 0x01, 0x01, "v_interp_p2_f32", "d = v | opt=interp-rounding", eff(interpP2), "P20 of the attribute * a + d, d the destination before."},
		{0x02, 0x02, 0x02, "v_interp_mov_f32", "= p", eff(interpMov), "P10, P20 or P0 of the attribute."},
	}
}

// vop3Interp lists interpolation among the opcodes of VOP3.
func vop3Interp() []row {
	return []row{
		// gfx6 gfx7 gfx8 mnemonic signature meaning doc
		{____, ____, 0x270, "v_interp_p1_f32", "= v attr | e64 clamp omod opt=interp-rounding", eff(interpP1), "P10 * a + P0 of the attribute."},
		{____, ____, 0x271, "v_interp_p2_f32", "d = v attr | e64 clamp omod opt=interp-rounding", eff(interpP2), "P20 of the attribute * a + d, d the destination before."},
		{____, ____, 0x272, "v_interp_mov_f32", "= p attr | e64 clamp omod", eff(interpMov), "P10, P20 or P0 of the attribute."},
		{____, ____, 0x274, "v_interp_p1ll_f16", "= v attr | high clamp omod opt=interp-rounding", eff(interpP1LL), "P10 * a + P0 of the attribute, whose values are halves of words."},
		{____, ____, 0x275, "v_interp_p1lv_f16", "= v attr d | high clamp omod opt=interp-rounding", eff(interpP1LV), "P10 * a + d, d a P0 read before, values halves of words."},
		{____, ____, 0x276, "v_interp_p2_f16", "= v attr d | high clamp opt=interp-rounding", eff(interpP2F16), "P20 of the attribute * a + d, values halves of words."},
	}
}
