#include "textflag.h"

// clampRow and scaleRow take four lanes at a time, with what every amd64 has, byteRow eight with AVX2. The formulas and their order are those of rows.go; no step is fused.

// func clampRow(to []float32, low, high float32)
TEXT ·clampRow(SB), NOSPLIT, $0-32
	MOVQ   to_base+0(FP), DI
	MOVQ   to_len+8(FP), CX
	MOVSS  low+24(FP), X6
	MOVSS  high+28(FP), X7
	SHUFPS $0, X6, X6
	SHUFPS $0, X7, X7
	SHLQ   $2, CX
	XORQ   AX, AX

clamp:
	CMPQ   AX, CX
	JGE    clampEnd
	MOVUPS (DI)(AX*1), X0
	MOVAPS X7, X1
	MINPS  X0, X1 // of equals, and for NaN, the lane's
	MINPS  X7, X0 // the bound
	ORPS   X1, X0 // -0 if one is
	MOVAPS X6, X1
	MOVAPS X0, X2
	MOVAPS X0, X3
	MAXPS  X0, X1
	MAXPS  X6, X2
	ANDPS  X2, X1 // +0 if one is
	CMPPS  X3, X3, $3
	ANDPS  X3, X0
	ORPS   X1, X0
	MOVUPS X0, (DI)(AX*1)
	ADDQ   $16, AX
	JMP    clamp

clampEnd:
	RET

// func scaleRow(to, from []uint32, factors []float32)
TEXT ·scaleRow(SB), NOSPLIT, $0-72
	MOVQ  to_base+0(FP), DI
	MOVQ  to_len+8(FP), CX
	MOVQ  from_base+24(FP), BX
	MOVQ  factors_base+48(FP), SI
	XORPS X4, X4
	SHLQ  $2, CX
	XORQ  AX, AX

scale:
	CMPQ   AX, CX
	JGE    scaleEnd
	MOVUPS (BX)(AX*1), X0
	MOVUPS (SI)(AX*1), X1
	MOVAPS X1, X2
	CMPPS  X4, X2, $0
	MULPS  X0, X1
	ANDPS  X2, X0
	ANDNPS X1, X2
	ORPS   X2, X0
	MOVUPS X0, (DI)(AX*1)
	ADDQ   $16, AX
	JMP    scale

scaleEnd:
	RET

// func byteRow(to, r, g, b, a []uint32, truncate bool)
TEXT ·byteRow(SB), NOSPLIT, $0-121
	MOVQ    to_base+0(FP), DI
	MOVQ    to_len+8(FP), CX
	MOVQ    r_base+24(FP), R8
	MOVQ    g_base+48(FP), R9
	MOVQ    b_base+72(FP), R10
	MOVQ    a_base+96(FP), R11
	MOVBLZX truncate+120(FP), BX
	MOVL    $0x3f800000, AX
	MOVL    $0x437f0000, DX
	VMOVD   AX, X5
	VMOVD   DX, X6
	VBROADCASTSS X5, Y5
	VBROADCASTSS X6, Y6
	VXORPS  Y4, Y4, Y4
	SHLQ    $2, CX
	XORQ    AX, AX
	SUBQ    $32, CX
	TESTL   BX, BX
	JNE     cutEight

nearestEight:
	CMPQ AX, CX
	JGT  nearestFour
	VMOVUPS  (R8)(AX*1), Y0
	VMOVUPS  (R9)(AX*1), Y1
	VMOVUPS  (R10)(AX*1), Y2
	VMOVUPS  (R11)(AX*1), Y3
	VMAXPS   Y4, Y0, Y0
	VMAXPS   Y4, Y1, Y1
	VMAXPS   Y4, Y2, Y2
	VMAXPS   Y4, Y3, Y3
	VMINPS   Y5, Y0, Y0
	VMINPS   Y5, Y1, Y1
	VMINPS   Y5, Y2, Y2
	VMINPS   Y5, Y3, Y3
	VMULPS   Y6, Y0, Y0
	VMULPS   Y6, Y1, Y1
	VMULPS   Y6, Y2, Y2
	VMULPS   Y6, Y3, Y3
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	VCVTPS2DQ Y2, Y2
	VCVTPS2DQ Y3, Y3
	VPSLLD   $8, Y1, Y1
	VPSLLD   $16, Y2, Y2
	VPSLLD   $24, Y3, Y3
	VPOR     Y1, Y0, Y0
	VPOR     Y3, Y2, Y2
	VPOR     Y2, Y0, Y0
	VMOVDQU  Y0, (DI)(AX*1)
	ADDQ $32, AX
	JMP  nearestEight

nearestFour:
	ADDQ $16, CX
	CMPQ AX, CX
	JGT  nearestEnd8
	VMOVUPS  (R8)(AX*1), X0
	VMOVUPS  (R9)(AX*1), X1
	VMOVUPS  (R10)(AX*1), X2
	VMOVUPS  (R11)(AX*1), X3
	VMAXPS   X4, X0, X0
	VMAXPS   X4, X1, X1
	VMAXPS   X4, X2, X2
	VMAXPS   X4, X3, X3
	VMINPS   X5, X0, X0
	VMINPS   X5, X1, X1
	VMINPS   X5, X2, X2
	VMINPS   X5, X3, X3
	VMULPS   X6, X0, X0
	VMULPS   X6, X1, X1
	VMULPS   X6, X2, X2
	VMULPS   X6, X3, X3
	VCVTPS2DQ X0, X0
	VCVTPS2DQ X1, X1
	VCVTPS2DQ X2, X2
	VCVTPS2DQ X3, X3
	VPSLLD   $8, X1, X1
	VPSLLD   $16, X2, X2
	VPSLLD   $24, X3, X3
	VPOR     X1, X0, X0
	VPOR     X3, X2, X2
	VPOR     X2, X0, X0
	VMOVDQU  X0, (DI)(AX*1)

nearestEnd8:
	VZEROUPPER
	RET

cutEight:
	CMPQ AX, CX
	JGT  cutFour
	VMOVUPS  (R8)(AX*1), Y0
	VMOVUPS  (R9)(AX*1), Y1
	VMOVUPS  (R10)(AX*1), Y2
	VMOVUPS  (R11)(AX*1), Y3
	VMAXPS   Y4, Y0, Y0
	VMAXPS   Y4, Y1, Y1
	VMAXPS   Y4, Y2, Y2
	VMAXPS   Y4, Y3, Y3
	VMINPS   Y5, Y0, Y0
	VMINPS   Y5, Y1, Y1
	VMINPS   Y5, Y2, Y2
	VMINPS   Y5, Y3, Y3
	VMULPS   Y6, Y0, Y0
	VMULPS   Y6, Y1, Y1
	VMULPS   Y6, Y2, Y2
	VMULPS   Y6, Y3, Y3
	VCVTTPS2DQ Y0, Y0
	VCVTTPS2DQ Y1, Y1
	VCVTTPS2DQ Y2, Y2
	VCVTTPS2DQ Y3, Y3
	VPSLLD   $8, Y1, Y1
	VPSLLD   $16, Y2, Y2
	VPSLLD   $24, Y3, Y3
	VPOR     Y1, Y0, Y0
	VPOR     Y3, Y2, Y2
	VPOR     Y2, Y0, Y0
	VMOVDQU  Y0, (DI)(AX*1)
	ADDQ $32, AX
	JMP  cutEight

cutFour:
	ADDQ $16, CX
	CMPQ AX, CX
	JGT  cutEnd8
	VMOVUPS  (R8)(AX*1), X0
	VMOVUPS  (R9)(AX*1), X1
	VMOVUPS  (R10)(AX*1), X2
	VMOVUPS  (R11)(AX*1), X3
	VMAXPS   X4, X0, X0
	VMAXPS   X4, X1, X1
	VMAXPS   X4, X2, X2
	VMAXPS   X4, X3, X3
	VMINPS   X5, X0, X0
	VMINPS   X5, X1, X1
	VMINPS   X5, X2, X2
	VMINPS   X5, X3, X3
	VMULPS   X6, X0, X0
	VMULPS   X6, X1, X1
	VMULPS   X6, X2, X2
	VMULPS   X6, X3, X3
	VCVTTPS2DQ X0, X0
	VCVTTPS2DQ X1, X1
	VCVTTPS2DQ X2, X2
	VCVTTPS2DQ X3, X3
	VPSLLD   $8, X1, X1
	VPSLLD   $16, X2, X2
	VPSLLD   $24, X3, X3
	VPOR     X1, X0, X0
	VPOR     X3, X2, X2
	VPOR     X2, X0, X0
	VMOVDQU  X0, (DI)(AX*1)

cutEnd8:
	VZEROUPPER
	RET
