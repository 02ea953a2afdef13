#include "textflag.h"

// Four lanes at a time, with what every amd64 has. The formulas and their order are those of rows.go; no step is fused.

// func linearRow(to, e1, e2 []float32, area, a, b, c float32)
TEXT ·linearRow(SB), NOSPLIT, $0-88
	MOVQ   to_base+0(FP), DI
	MOVQ   to_len+8(FP), CX
	MOVQ   e1_base+24(FP), SI
	MOVQ   e2_base+48(FP), DX
	MOVSS  area+72(FP), X4
	MOVSS  a+76(FP), X5
	MOVSS  b+80(FP), X6
	MOVSS  c+84(FP), X7
	SHUFPS $0, X4, X4
	SHUFPS $0, X5, X5
	SHUFPS $0, X6, X6
	SHUFPS $0, X7, X7
	SHLQ   $2, CX
	XORQ   AX, AX

linear:
	CMPQ   AX, CX
	JGE    linearEnd
	MOVUPS (SI)(AX*1), X0
	MOVUPS (DX)(AX*1), X1
	DIVPS  X4, X0
	DIVPS  X4, X1
	MULPS  X6, X0
	MULPS  X7, X1
	ADDPS  X5, X0
	ADDPS  X1, X0
	MOVUPS X0, (DI)(AX*1)
	ADDQ   $16, AX
	JMP    linear

linearEnd:
	RET

// func shareRow(p, q, e0, e1, e2 []float32, area, w0, w1, w2 float32)
TEXT ·shareRow(SB), NOSPLIT, $0-136
	MOVQ   p_base+0(FP), DI
	MOVQ   p_len+8(FP), CX
	MOVQ   q_base+24(FP), R8
	MOVQ   e0_base+48(FP), BX
	MOVQ   e1_base+72(FP), SI
	MOVQ   e2_base+96(FP), DX
	MOVSS  area+120(FP), X4
	MOVSS  w0+124(FP), X5
	MOVSS  w1+128(FP), X6
	MOVSS  w2+132(FP), X7
	SHUFPS $0, X4, X4
	SHUFPS $0, X5, X5
	SHUFPS $0, X6, X6
	SHUFPS $0, X7, X7
	SHLQ   $2, CX
	XORQ   AX, AX

share:
	CMPQ   AX, CX
	JGE    shareEnd
	MOVUPS (BX)(AX*1), X0
	MOVUPS (SI)(AX*1), X1
	MOVUPS (DX)(AX*1), X2
	DIVPS  X4, X0
	DIVPS  X4, X1
	DIVPS  X4, X2
	MULPS  X5, X0
	MULPS  X6, X1
	MULPS  X7, X2
	ADDPS  X1, X0
	ADDPS  X2, X0
	DIVPS  X0, X1
	DIVPS  X0, X2
	MOVUPS X1, (DI)(AX*1)
	MOVUPS X2, (R8)(AX*1)
	ADDQ   $16, AX
	JMP    share

shareEnd:
	RET

// func mixRow(to []uint32, p, q []float32, a, b, c float32)
TEXT ·mixRow(SB), NOSPLIT, $0-84
	MOVQ   to_base+0(FP), DI
	MOVQ   to_len+8(FP), CX
	MOVQ   p_base+24(FP), SI
	MOVQ   q_base+48(FP), DX
	MOVSS  a+72(FP), X5
	MOVSS  b+76(FP), X6
	MOVSS  c+80(FP), X7
	SHUFPS $0, X5, X5
	SHUFPS $0, X6, X6
	SHUFPS $0, X7, X7
	SHLQ   $2, CX
	XORQ   AX, AX

mix:
	CMPQ   AX, CX
	JGE    mixEnd
	MOVUPS (SI)(AX*1), X0
	MOVUPS (DX)(AX*1), X1
	MULPS  X6, X0
	MULPS  X7, X1
	ADDPS  X5, X0
	ADDPS  X1, X0
	MOVUPS X0, (DI)(AX*1)
	ADDQ   $16, AX
	JMP    mix

mixEnd:
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
	MOVL    AX, X5
	MOVL    DX, X6
	SHUFPS  $0, X5, X5
	SHUFPS  $0, X6, X6
	XORPS   X4, X4
	SHLQ    $2, CX
	XORQ    AX, AX

bytes:
	CMPQ   AX, CX
	JGE    bytesEnd
	MOVUPS (R8)(AX*1), X0
	MOVUPS (R9)(AX*1), X1
	MOVUPS (R10)(AX*1), X2
	MOVUPS (R11)(AX*1), X3
	MAXPS  X4, X0
	MAXPS  X4, X1
	MAXPS  X4, X2
	MAXPS  X4, X3
	MINPS  X5, X0
	MINPS  X5, X1
	MINPS  X5, X2
	MINPS  X5, X3
	MULPS  X6, X0
	MULPS  X6, X1
	MULPS  X6, X2
	MULPS  X6, X3
	TESTL  BX, BX
	JNE    cut
	CVTPS2PL X0, X0
	CVTPS2PL X1, X1
	CVTPS2PL X2, X2
	CVTPS2PL X3, X3
	JMP    pack

cut:
	CVTTPS2PL X0, X0
	CVTTPS2PL X1, X1
	CVTTPS2PL X2, X2
	CVTTPS2PL X3, X3

pack:
	PSLLL  $8, X1
	PSLLL  $16, X2
	PSLLL  $24, X3
	POR    X1, X0
	POR    X3, X2
	POR    X2, X0
	MOVUPS X0, (DI)(AX*1)
	ADDQ   $16, AX
	JMP    bytes

bytesEnd:
	RET
