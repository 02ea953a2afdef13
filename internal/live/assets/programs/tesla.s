// Rings around the middle of the picture, that move with time. The colour is $r0 to $r3.
	interp $r4 v[0x0]
	rcp f32 $r4 $r4
	interp $r0 v[0x60] $r4		// u, 0 to 1 from the left
	interp $r1 v[0x64] $r4		// v, 0 to 1 from below
	interp $r2 v[0x70] $r4		// the time
	add f32 $r5 $r0 0xbf000000	// from the middle
	add f32 $r6 $r1 0xbf000000
	mul f32 $r5 $r5 $r5
	mul f32 $r6 $r6 $r6
	add rn f32 $r5 $r5 $r6
	mul f32 $r5 $r5 0x42480000	// 50 times the square of the distance
	add rn f32 $r5 $r5 $r2
	presin f32 $r5 $r5
	sin f32 $r2 $r5
	mov b32 $r3 0x3f800000
	exit mov b32 $r0 $r0
