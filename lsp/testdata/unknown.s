	lg2 r2.x, r4.z
	//@ diag("lg2 r2.x, r4.z", error, "isa", "it reads as attila:attila")
