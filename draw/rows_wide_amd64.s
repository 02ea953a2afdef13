#include "textflag.h"
#include "wide_amd64.h"

// byteWide and scaleWide take sixteen lanes at a time, as byteRow and scaleRow in rows_amd64.s do fewer.

// CHANNEL is a channel of sixteen lanes, at most 255. What is less than 0 is so then, and a NaN stays one.
#define CHANNEL(from, to) \
	VMOVUPS.Z (from)(AX*4), K1, to; \
	VMINPS    to, Z5, to; \
	VMULPS    Z6, to, to

// byPixel brings the bytes of four pixels together of which there are those of each channel.
DATA byPixel<>+0(SB)/8, $0x0d0905010c080400
DATA byPixel<>+8(SB)/8, $0x0f0b07030e0a0602
GLOBL byPixel<>(SB), RODATA|NOPTR, $16

// func byteWide(to []uint32, channels *[4][]uint32, truncate bool)
// As whole numbers NaNs are less than 0, and packing makes 0 of all that are.
TEXT ·byteWide(SB), NOSPLIT, $0-33
	MOVQ            to_base+0(FP), DI
	MOVQ            to_len+8(FP), CX
	MOVQ            channels+24(FP), DX
	MOVQ            0(DX), R8
	MOVQ            24(DX), R9
	MOVQ            48(DX), R10
	MOVQ            72(DX), R11
	MOVBLZX         truncate+32(FP), BX
	MOVL            $0x3f800000, AX
	MOVL            $0x437f0000, DX
	VPBROADCASTD    AX, Z5
	VPBROADCASTD    DX, Z6
	VBROADCASTI32X4 byPixel<>(SB), Z4
	MOVL            $0xffff, R13
	XORQ            AX, AX

byteLoop:
	CMPQ       AX, CX
	JGE        byteEnd
	LANES(AX, CX)
	CHANNEL(R8, Z0)
	CHANNEL(R9, Z1)
	CHANNEL(R10, Z2)
	CHANNEL(R11, Z3)
	TESTL      BX, BX
	JNE        cut
	VCVTPS2DQ  Z0, Z0
	VCVTPS2DQ  Z1, Z1
	VCVTPS2DQ  Z2, Z2
	VCVTPS2DQ  Z3, Z3

packed:
	VPACKSSDW Z1, Z0, Z0
	VPACKSSDW Z3, Z2, Z2
	VPACKUSWB Z2, Z0, Z0
	VPSHUFB   Z4, Z0, Z0
	VMOVDQU32 Z0, K1, (DI)(AX*4)
	ADDQ      $16, AX
	JMP       byteLoop

cut:
	VCVTTPS2DQ Z0, Z0
	VCVTTPS2DQ Z1, Z1
	VCVTTPS2DQ Z2, Z2
	VCVTTPS2DQ Z3, Z3
	JMP        packed

byteEnd:
	VZEROUPPER
	RET

// func scaleWide(to, from []uint32, factors []float32)
TEXT ·scaleWide(SB), NOSPLIT, $0-72
	MOVQ   to_base+0(FP), DI
	MOVQ   to_len+8(FP), CX
	MOVQ   from_base+24(FP), BX
	MOVQ   factors_base+48(FP), SI
	VPXORD Z4, Z4, Z4
	MOVL   $0xffff, R13
	XORQ   AX, AX

scaleLoop:
	CMPQ      AX, CX
	JGE       scaleEnd
	LANES(AX, CX)
	VMOVUPS.Z (BX)(AX*4), K1, Z0
	VMOVUPS.Z (SI)(AX*4), K1, Z1
	VCMPPS    $4, Z4, Z1, K1, K2   // not equal, or NaN
	VMULPS    Z0, Z1, K2, Z0
	VMOVUPS   Z0, K1, (DI)(AX*4)
	ADDQ      $16, AX
	JMP       scaleLoop

scaleEnd:
	VZEROUPPER
	RET
