.isa gcn:gfx8
	s_load_dword s4, s[0:1], 0x0
	v_mov_b32 v0, s4 ; heddle: ignore pending-read, the diagnostic is not shown
	s_endpgm ; heddle: ignore pending-read
//@ diag("; heddle: ignore pending-read", warning, "unused-suppression", "the statement does not break")
