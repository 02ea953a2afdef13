// a[0x00] = position, a[0x10] = normal, a[0x20] = place on the surface
// c0[0x00] to c0[0x30] = rows of projection * view * model, c0[0x40] to c0[0x60] = rows of the model's rotation

	mov b32 $r0 a[0x0]
	mov b32 $r1 a[0x4]
	mov b32 $r2 a[0x8]
	mul rn f32 $r3 $r0 c0[0x0]
	add f32 $r3 (mul $r1 c0[0x4]) $r3
	add f32 $r3 (mul $r2 c0[0x8]) $r3
	add rn f32 o[0x0] $r3 c0[0xc]
	mul rn f32 $r3 $r0 c0[0x10]
	add f32 $r3 (mul $r1 c0[0x14]) $r3
	add f32 $r3 (mul $r2 c0[0x18]) $r3
	add rn f32 o[0x4] $r3 c0[0x1c]
	mul rn f32 $r3 $r0 c0[0x20]
	add f32 $r3 (mul $r1 c0[0x24]) $r3
	add f32 $r3 (mul $r2 c0[0x28]) $r3
	add rn f32 o[0x8] $r3 c0[0x2c]
	mul rn f32 $r3 $r0 c0[0x30]
	add f32 $r3 (mul $r1 c0[0x34]) $r3
	add f32 $r3 (mul $r2 c0[0x38]) $r3
	add rn f32 o[0xc] $r3 c0[0x3c]

	mov b32 $r0 a[0x10]
	mov b32 $r1 a[0x14]
	mov b32 $r2 a[0x18]
	mul rn f32 $r3 $r0 c0[0x40]
	add f32 $r3 (mul $r1 c0[0x44]) $r3
	add f32 o[0x10] (mul $r2 c0[0x48]) $r3
	mul rn f32 $r3 $r0 c0[0x50]
	add f32 $r3 (mul $r1 c0[0x54]) $r3
	add f32 o[0x14] (mul $r2 c0[0x58]) $r3
	mul rn f32 $r3 $r0 c0[0x60]
	add f32 $r3 (mul $r1 c0[0x64]) $r3
	add f32 o[0x18] (mul $r2 c0[0x68]) $r3
	mov b32 o[0x20] a[0x20]
	mov b32 o[0x24] a[0x24]
	exit nop
