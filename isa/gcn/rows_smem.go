package gcn

// smemRows lists the instructions of SMEM; gfx6 and gfx7 have them as SMRD. Source: docs/reference/gcn.md 1 and 4.
func smemRows() []row {
	return []row{
		// gfx6 gfx7 gfx8 mnemonic signature meaning doc
		{0x00, 0x00, 0x00, "s_load_dword", "b32 = pair", smemLoad(1), "A dword from the address a + offset."},
		{0x01, 0x01, 0x01, "s_load_dwordx2", "b64 = pair", smemLoad(2), "2 dwords from the address a + offset."},
		{0x02, 0x02, 0x02, "s_load_dwordx4", "b128 = pair", smemLoad(4), "4 dwords from the address a + offset."},
		{0x03, 0x03, 0x03, "s_load_dwordx8", "b256 = pair", smemLoad(8), "8 dwords from the address a + offset."},
		{0x04, 0x04, 0x04, "s_load_dwordx16", "b512 = pair", smemLoad(16), "16 dwords from the address a + offset."},
		{0x08, 0x08, 0x08, "s_buffer_load_dword", "b32 = quad", smemBufLoad(1), "A dword from the buffer at offset; 0 outside."},
		{0x09, 0x09, 0x09, "s_buffer_load_dwordx2", "b64 = quad", smemBufLoad(2), "2 dwords from the buffer at offset; 0 outside."},
		{0x0a, 0x0a, 0x0a, "s_buffer_load_dwordx4", "b128 = quad", smemBufLoad(4), "4 dwords from the buffer at offset; 0 outside."},
		{0x0b, 0x0b, 0x0b, "s_buffer_load_dwordx8", "b256 = quad", smemBufLoad(8), "8 dwords from the buffer at offset; 0 outside."},
		{0x0c, 0x0c, 0x0c, "s_buffer_load_dwordx16", "b512 = quad", smemBufLoad(16), "16 dwords from the buffer at offset; 0 outside."},
		{____, ____, 0x10, "s_store_dword", "= b32 pair", smemStore(1), "A dword to the address a + offset."},
		{____, ____, 0x11, "s_store_dwordx2", "= b64 pair", smemStore(2), "2 dwords to the address a + offset."},
		{____, ____, 0x12, "s_store_dwordx4", "= b128 pair", smemStore(4), "4 dwords to the address a + offset."},
		{____, ____, 0x18, "s_buffer_store_dword", "= b32 quad", smemBufStore(1), "A dword to the buffer at offset; dropped outside."},
		{____, ____, 0x19, "s_buffer_store_dwordx2", "= b64 quad", smemBufStore(2), "2 dwords to the buffer at offset; dropped outside."},
		{____, ____, 0x1a, "s_buffer_store_dwordx4", "= b128 quad", smemBufStore(4), "4 dwords to the buffer at offset; dropped outside."},
		{0x1f, 0x1f, 0x20, "s_dcache_inv", "", eff(noEffect), "Invalidates the scalar cache; no effect here."},
		{____, ____, 0x21, "s_dcache_wb", "", eff(noEffect), "Writes the scalar cache back; no effect here."},
		{____, 0x1d, 0x22, "s_dcache_inv_vol", "", eff(noEffect), "Invalidates volatile lines of the scalar cache; no effect here."},
		{____, ____, 0x23, "s_dcache_wb_vol", "", eff(noEffect), "Writes volatile lines of the scalar cache back; no effect here."},
		{0x1e, 0x1e, 0x24, "s_memtime", "b64 = | opt=clock", eff(liftTime), "A 64-bit counter of the clock."},
		{____, ____, 0x25, "s_memrealtime", "b64 = | opt=clock", eff(liftTime), "A 64-bit counter of real time."},
		{____, ____, 0x26, "s_atc_probe", "= imm pair", eff(noEffect), "Asks for the translation of the address a + offset; no effect here."},
		{____, ____, 0x27, "s_atc_probe_buffer", "= imm quad", eff(noEffect), "Asks for the translation of a buffer address; no effect here."},
	}
}
