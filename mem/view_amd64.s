#include "go_asm.h"
#include "textflag.h"

// viewRows does eight quads at a time.

// twoQuads: the quads of eight lanes.
DATA twoQuads<>+0(SB)/8, $0x0101010100000000
GLOBL twoQuads<>(SB), RODATA|NOPTR, $8

// viewNumbers: the greatest float, -Inf, maxBias; viewMixed, viewMagnified; two quads, four; the first lane of each quad.
DATA ·viewNumbers+0(SB)/4, $0x7f7fffff
DATA ·viewNumbers+4(SB)/4, $0xff800000
DATA ·viewNumbers+8(SB)/4, $0x447a0000
DATA ·viewNumbers+12(SB)/4, $const_viewMixed
DATA ·viewNumbers+16(SB)/4, $const_viewMagnified
DATA ·viewNumbers+20(SB)/4, $2
DATA ·viewNumbers+24(SB)/4, $4
DATA ·viewNumbers+28(SB)/8, $0x1111111111111111
GLOBL ·viewNumbers(SB), RODATA|NOPTR, $36

// LEVELS makes to the views of the eight quads from number CX on, also on the stack, and gives their lanes weights.
#define LEVELS(to) \
	/* The level of detail, limited. */ \
	VMOVUPS      logs_slope(SI)(CX*4), Y0; \
	VADDPD       logs_log(SI)(CX*8), Y15, Y1; \
	VADDPD       (logs_log+32)(SI)(CX*8), Y15, Y2; \
	VCVTPD2PSY   Y1, X1; \
	VCVTPD2PSY   Y2, X2; \
	VINSERTF128  $1, X2, Y1, Y1; \
	VBROADCASTSS ·viewNumbers+0(SB), Y2; \
	VCMPPS       $6, Y2, Y0, Y2; \
	VBLENDVPS    Y2, Y0, Y1, Y1; \
	VBROADCASTSS ·viewNumbers+4(SB), Y3; \
	VCMPPS       $0, Y14, Y0, Y2; \
	VBLENDVPS    Y2, Y3, Y1, Y1; \
	VMINPS       Y12, Y1, Y1; \
	VMAXPS       Y1, Y13, Y1; \
	/* The levels, and the weight of the second. */ \
	VCMPPS       $14, Y14, Y1, Y2; \
	VROUNDPS     $9, Y1, Y3; \
	VSUBPS       Y3, Y1, Y4; \
	VANDPS       Y2, Y4, Y4; \
	VBROADCASTSS ·viewNumbers+8(SB), Y5; \
	VMINPS       Y5, Y3, Y3; \
	VCVTTPS2DQ   Y3, Y3; \
	VPADDD       Y11, Y3, Y3; \
	VPMINSD      Y10, Y3, Y3; \
	VBLENDVPS    Y2, Y3, Y11, to; \
	VPBROADCASTD ·viewNumbers+12(SB), Y5; \
	VCMPPS       $14, Y14, Y4, Y3; \
	VPAND        Y5, Y3, Y3; \
	VPOR         Y3, to, to; \
	VPBROADCASTD ·viewNumbers+16(SB), Y5; \
	VPANDN       Y5, Y2, Y2; \
	VPOR         Y2, to, to; \
	VMOVDQU      to, 0(SP)(CX*4); \
	/* Weights of lanes. */ \
	SPREAD(0); \
	SPREAD(32); \
	SPREAD(64); \
	SPREAD(96)

// SPREAD gives eight lanes the weights of the next two quads.
#define SPREAD(at) \
	VPERMPS Y4, Y6, Y5; \
	VMOVUPS Y5, (at)(R10); \
	VPADDD  Y7, Y6, Y6

// func viewRows(v *views, l *logs, u *limits, weights *[rowLanes]float32, need uint64)
TEXT ·viewRows(SB), NOSPLIT, $64-40
	MOVQ         v+0(FP), DI
	MOVQ         l+8(FP), SI
	MOVQ         u+16(FP), DX
	MOVQ         weights+24(FP), R10
	MOVQ         need+32(FP), R8
	VBROADCASTSD limits_bias(DX), Y15
	VXORPS       Y14, Y14, Y14
	VBROADCASTSS limits_low(DX), Y13
	VBROADCASTSS limits_high(DX), Y12
	VPBROADCASTD limits_base(DX), Y11
	VPBROADCASTD limits_last(DX), Y10
	VPMOVZXBD    twoQuads<>(SB), Y6
	VPBROADCASTD ·viewNumbers+20(SB), Y7
	XORQ         CX, CX
	LEVELS(Y8)
	VPMOVZXBD    twoQuads<>(SB), Y6
	ADDQ         $128, R10
	ADDQ         $8, CX
	LEVELS(Y9)

	// Lanes of each view.
	MOVQ ·viewNumbers+28(SB), R11
	XORQ CX, CX

viewLoop:
	BSFQ         R8, AX
	SHRQ         $2, AX
	MOVL         0(SP)(AX*4), BX
	VMOVD        BX, X5
	VPBROADCASTD X5, Y5
	VPCMPEQD     Y5, Y8, Y6
	VPCMPEQD     Y5, Y9, Y7
	VMOVMSKPS    Y6, AX
	VMOVMSKPS    Y7, R9
	SHLQ         $8, R9
	ORQ          AX, R9
	PDEPQ        R11, R9, R9 // the first lane of each quad
	MOVQ         R9, AX
	SHLQ         $4, R9
	SUBQ         AX, R9
	ANDQ         R8, R9
	MOVL         BX, views_kind(DI)(CX*4)
	MOVQ         R9, views_lanes(DI)(CX*8)
	INCQ         CX
	XORQ         R9, R8
	JNZ          viewLoop
	MOVQ         CX, views_n(DI)
	VZEROUPPER
	RET
