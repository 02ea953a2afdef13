	lg2 r2.x, r4.z
	//@ diag("lg2 r2.x, r4.z", error, "isa", "it reads as attila:attila")
.is
//@ complete(".is", ".isa attila:sim", ".isa gcn:gfx6", "!lg2")
