.isa gcn:gfx8
	s_load_dword s4, s[0:1], 0x0
	v_mov_b32 v0, s4 //@ diag("v_mov_b32 v0, s4", warning, "pending-read", "s4") fix("v_mov_b32", "insert \"s_waitcnt lgkmcnt(0)\" in front", "+\ts_waitcnt lgkmcnt(0)")
	s_endpgm
