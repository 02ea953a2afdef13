package gcn

// Moves between lanes and scalar registers: on gfx6 and gfx7 two of them are VOP2, on gfx8 VOP3. They ignore EXEC,
// except that v_readfirstlane takes the lowest active lane. Source: docs/reference/gcn.md 0 and 7.1.

func lane1() []row {
	return []row{
		// gfx6 gfx7 gfx8 mnemonic signature meaning doc
		{0x002, 0x002, 0x002, "v_readfirstlane_b32", "sgpr = vgpr | r:exec", eff(liftReadFirst), "a of the lowest active lane, of lane 0 if none is."},
	}
}

func lane2() []row {
	return []row{
		// gfx6 gfx7 gfx8 mnemonic signature meaning doc
		{0x001, 0x001, _____, "v_readlane_b32", "sgpr = vgpr lane", eff(liftReadLane), "a of lane b modulo 64, active or not."},
		{0x002, 0x002, _____, "v_writelane_b32", "b32 = ssrc lane", eff(liftWriteLane), "Lane b modulo 64 of d becomes a, active or not."},
	}
}

func lane3() []row {
	return []row{
		// gfx6 gfx7 gfx8 mnemonic signature meaning doc
		{_____, _____, 0x289, "v_readlane_b32", "sgpr = vgpr lane", eff(liftReadLane), "a of lane b modulo 64, active or not."},
		{_____, _____, 0x28a, "v_writelane_b32", "b32 = ssrc lane", eff(liftWriteLane), "Lane b modulo 64 of d becomes a, active or not."},
	}
}
