// v[0x00] = 1/w, v[0x10] = normal, v[0x20] = place on the surface: both divided by w
// c0[0x00] = direction to the light, c0[0x10] = half way between light and eye

	interp $r8 v[0x0]
	rcp f32 $r8 $r8
	interp $r0 v[0x20] $r8
	interp $r1 v[0x24] $r8

	mul f32 $r0 $r0 0x41c00000		// 24 x 8 cells
	mul f32 $r1 $r1 0x41000000
	cvt rmi f32 $r2 f32 $r0
	cvt rmi f32 $r3 f32 $r1
	add rn f32 $r0 $r0 neg $r2		// where in the cell
	add rn f32 $r1 $r1 neg $r3
	add f32 $r0 $r0 0xbf000000
	add f32 $r1 $r1 0xbf000000
	mul rn f32 $r4 $r0 $r0
	add f32 $r4 (mul $r1 $r1) $r4
	mov b32 $r5 0x3d8f5c29			// 0.07
	set $c0 # l f32 $r4 $r5
	(lg $c0) discard			// a hole

	add rn f32 $r2 $r2 $r3			// every other cell
	cvt rzi s32 $r2 f32 $r2
	mov b32 $r9 1
	and b32 $c1 # $r2 $r9

	interp $r4 v[0x10] $r8
	interp $r5 v[0x14] $r8
	interp $r6 v[0x18] $r8
	mul rn f32 $r7 $r4 $r4
	add f32 $r7 (mul $r5 $r5) $r7
	add f32 $r7 (mul $r6 $r6) $r7
	rsqrt f32 $r7 $r7
	interp $r9 flat v[0x3fc]		// of the back the other side shows
	and b32 $c0 # $r9 $r9
	(e $c0) cvt neg f32 $r7 f32 $r7
	mul rn f32 $r4 $r4 $r7
	mul rn f32 $r5 $r5 $r7
	mul rn f32 $r6 $r6 $r7

	mul rn f32 $r7 $r4 c0[0x0]		// diffuse
	add f32 $r7 (mul $r5 c0[0x4]) $r7
	add f32 $r7 (mul $r6 c0[0x8]) $r7
	max f32 $r7 $r7 c0[0xc]
	add f32 $r7 $r7 0x3e4ccccd		// ambient 0.2

	mul rn f32 $r9 $r4 c0[0x10]		// specular, to the 32nd
	add f32 $r9 (mul $r5 c0[0x14]) $r9
	add f32 $r9 (mul $r6 c0[0x18]) $r9
	max f32 $r9 $r9 c0[0xc]
	lg2 f32 $r9 $r9
	mul f32 $r9 $r9 0x42000000
	preex2 f32 $r9 $r9
	ex2 f32 $r9 $r9
	mul f32 $r9 $r9 0x3f000000

	joinat lit
	(e $c1) bra light			// the warp parts
	mov b32 $r0 0x3f19999a			// 0.6 0.8 0.1
	mov b32 $r1 0x3f4ccccd
	mov b32 $r2 0x3dcccccd
	bra lit
light:	mov b32 $r0 0x3f666666			// 0.9 0.9 0.85
	mov b32 $r1 0x3f666666
	mov b32 $r2 0x3f59999a
lit:	join nop
	add sat f32 $r0 (mul $r0 $r7) $r9
	add sat f32 $r1 (mul $r1 $r7) $r9
	add sat f32 $r2 (mul $r2 $r7) $r9
	mov b32 $r3 0x3f800000
	exit nop
