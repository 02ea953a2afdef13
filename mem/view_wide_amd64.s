#include "go_asm.h"
#include "textflag.h"

// viewWide does sixteen quads at a time, viewRows in view_amd64.s eight.

// quadOf: the quads of sixteen lanes.
DATA quadOf<>+0(SB)/8, $0x0101010100000000
DATA quadOf<>+8(SB)/8, $0x0303030302020202
GLOBL quadOf<>(SB), RODATA|NOPTR, $16

// func viewWide(v *views, l *logs, u *limits, weights *[rowLanes]float32, need uint64)
TEXT ·viewWide(SB), NOSPLIT, $64-40
	MOVQ l+8(FP), SI
	MOVQ u+16(FP), DX
	MOVQ v+0(FP), DI
	MOVQ weights+24(FP), R10
	MOVQ need+32(FP), R8

	// The level of detail, limited.
	VMOVUPS      logs_slope(SI), Z0
	VBROADCASTSD limits_bias(DX), Z2
	VADDPD       logs_log(SI), Z2, Z1
	VADDPD       (logs_log+64)(SI), Z2, Z2
	VCVTPD2PS    Z1, Y1
	VCVTPD2PS    Z2, Y2
	VINSERTF64X4 $1, Y2, Z1, Z1
	VXORPS       Z9, Z9, Z9
	VCMPPS.BCST  $6, ·viewNumbers+0(SB), Z0, K1
	VMOVAPS      Z0, K1, Z1
	VCMPPS       $0, Z9, Z0, K1
	VBROADCASTSS ·viewNumbers+4(SB), K1, Z1
	VBROADCASTSS limits_low(DX), Z2
	VMINPS.BCST  limits_high(DX), Z1, Z1
	VMAXPS       Z1, Z2, Z1

	// The levels, and the weight of the second.
	VCMPPS         $14, Z9, Z1, K1
	VRNDSCALEPS    $9, Z1, Z2
	VSUBPS.Z       Z2, Z1, K1, Z3
	VCMPPS         $14, Z9, Z3, K2
	VMINPS.BCST    ·viewNumbers+8(SB), Z2, Z2
	VCVTTPS2DQ     Z2, Z2
	VPBROADCASTD   limits_base(DX), Z4
	VPADDD         Z4, Z2, Z2
	VPMINSD.BCST   limits_last(DX), Z2, K1, Z4
	VPORD.BCST     ·viewNumbers+12(SB), Z4, K2, Z4
	KNOTW          K1, K1
	VPORD.BCST     ·viewNumbers+16(SB), Z4, K1, Z4
	VMOVDQU32      Z4, 0(SP) // by quad

	// Weights of lanes.
	VPMOVZXBD    quadOf<>(SB), Z5
	VPBROADCASTD ·viewNumbers+24(SB), Z6
	VPERMPS      Z3, Z5, Z7
	VMOVUPS      Z7, (R10)
	VPADDD       Z6, Z5, Z5
	VPERMPS      Z3, Z5, Z7
	VMOVUPS      Z7, 64(R10)
	VPADDD       Z6, Z5, Z5
	VPERMPS      Z3, Z5, Z7
	VMOVUPS      Z7, 128(R10)
	VPADDD       Z6, Z5, Z5
	VPERMPS      Z3, Z5, Z7
	VMOVUPS      Z7, 192(R10)

	// Lanes of each view.
	XORQ CX, CX

viewLoop:
	BSFQ         R8, AX
	SHRQ         $2, AX
	MOVL         0(SP)(AX*4), BX
	VPBROADCASTD BX, Z5
	VPCMPEQD     Z5, Z4, K1
	VPMOVM2D     K1, Z5
	VPMOVB2M     Z5, K2
	KMOVQ        K2, R9
	ANDQ         R8, R9
	MOVL         BX, views_kind(DI)(CX*4)
	MOVQ         R9, views_lanes(DI)(CX*8)
	INCQ         CX
	XORQ         R9, R8
	JNZ          viewLoop
	MOVQ         CX, views_n(DI)
	VZEROUPPER
	RET
