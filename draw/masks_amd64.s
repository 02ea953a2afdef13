#include "textflag.h"

// laneBits: a bit for each of eight lanes.
DATA laneBits<>+0(SB)/8, $0x0000000200000001
DATA laneBits<>+8(SB)/8, $0x0000000800000004
DATA laneBits<>+16(SB)/8, $0x0000002000000010
DATA laneBits<>+24(SB)/8, $0x0000008000000040
GLOBL laneBits<>(SB), RODATA|NOPTR, $32

// func spreadRow(to []uint32, lanes uint64)
TEXT ·spreadRow(SB), NOSPLIT, $0-32
	MOVQ    to_base+0(FP), DI
	MOVQ    to_len+8(FP), DX
	MOVQ    lanes+24(FP), AX
	VMOVDQU laneBits<>(SB), Y1
	XORQ    CX, CX

spreadLoop:
	VMOVD        AX, X0
	VPBROADCASTB X0, Y0
	VPAND        Y1, Y0, Y0
	VPCMPEQD     Y1, Y0, Y0
	VPSRLD       $31, Y0, Y0
	VMOVDQU      Y0, (DI)(CX*4)
	SHRQ         $8, AX
	ADDQ         $8, CX
	CMPQ         CX, DX
	JLT          spreadLoop
	VZEROUPPER
	RET

// BITS shifts the lowest bits of eight lanes into the lanes in AX.
#define BITS(at) \
	VMOVDQU   at(SI), Y0; \
	VPSLLD    $31, Y0, Y0; \
	VMOVMSKPS Y0, BX; \
	SHLQ      $8, AX; \
	ORQ       BX, AX

// func lowestRow(from *[ir.MaxLanes]uint32) (lanes uint64)
TEXT ·lowestRow(SB), NOSPLIT, $0-16
	MOVQ from+0(FP), SI
	XORL AX, AX
	BITS(224)
	BITS(192)
	BITS(160)
	BITS(128)
	BITS(96)
	BITS(64)
	BITS(32)
	BITS(0)
	MOVQ AX, lanes+8(FP)
	VZEROUPPER
	RET

// Lanes of two quads: which halves of places they have, and where they are in their quads.
DATA quadsOfEight<>+0(SB)/8, $0x0000000000000000
DATA quadsOfEight<>+8(SB)/8, $0x0000000000000000
DATA quadsOfEight<>+16(SB)/8, $0x0000000200000002
DATA quadsOfEight<>+24(SB)/8, $0x0000000200000002
GLOBL quadsOfEight<>(SB), RODATA|NOPTR, $32

DATA inQuadOfEight<>+0(SB)/8, $0x0000000100000000
DATA inQuadOfEight<>+8(SB)/8, $0x0001000100010000
GLOBL inQuadOfEight<>(SB), RODATA|NOPTR, $16

// func pixelsRow(to []uint32, quads *[ir.MaxLanes / 4]quad)
TEXT ·pixelsRow(SB), NOSPLIT, $0-32
	MOVQ           to_base+0(FP), DI
	MOVQ           to_len+8(FP), DX
	MOVQ           quads+24(FP), SI
	VMOVDQU        quadsOfEight<>(SB), Y2
	VBROADCASTI128 inQuadOfEight<>(SB), Y3
	XORQ           CX, CX

pixelsLoop:
	VMOVDQU (SI)(CX*2), X0
	VPSRLQ  $16, X0, X1
	VPOR    X1, X0, X0      // x is the low half
	VPERMD  Y0, Y2, Y0
	VPADDD  Y3, Y0, Y0
	VMOVDQU Y0, (DI)(CX*4)
	ADDQ    $8, CX
	CMPQ    CX, DX
	JLT     pixelsLoop
	VZEROUPPER
	RET
