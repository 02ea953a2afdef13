#include "textflag.h"

// clampRow takes four lanes at a time, with what every amd64 has. The formulas and their order are those of rows.go; no step is fused.

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
	MOVQ   to_base+0(FP), DI
	MOVQ   to_len+8(FP), CX
	MOVQ   from_base+24(FP), BX
	MOVQ   factors_base+48(FP), SI
	VXORPS X4, X4, X4
	XORQ   AX, AX
	SUBQ   $8, CX
	JLT    scaleFour

scaleEight:
	VMOVUPS   (SI)(AX*4), Y1
	VMOVUPS   (BX)(AX*4), Y0
	VCMPPS    $0, Y4, Y1, Y2
	VMULPS    Y0, Y1, Y1
	VBLENDVPS Y2, Y0, Y1, Y1
	VMOVUPS   Y1, (DI)(AX*4)
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLE       scaleEight

scaleFour:
	ADDQ      $8, CX
	CMPQ      AX, CX
	JGE       scaleEnd
	VMOVUPS   (SI)(AX*4), X1
	VMOVUPS   (BX)(AX*4), X0
	VCMPPS    $0, X4, X1, X2
	VMULPS    X0, X1, X1
	VBLENDVPS X2, X0, X1, X1
	VMOVUPS   X1, (DI)(AX*4)

scaleEnd:
	VZEROUPPER
	RET
