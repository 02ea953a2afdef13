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

// CHANNEL is a channel as fractions of 255, at most that. What is less than 0 is so then, and a NaN stays one.
#define CHANNEL(from, most, to) \
	VMULPS (from)(AX*1), most, to \
	VMINPS to, most, to

// PACK brings four channels, as whole numbers, together in the first of them. As such NaNs are less than 0, and packing makes 0 of all that are.
#define PACK(order, r0, r1, r2, r3) \
	VPACKSSDW r1, r0, r0    \
	VPACKSSDW r3, r2, r2    \
	VPACKUSWB r2, r0, r0    \
	VPSHUFB   order, r0, r0

#define NEAREST(r0, r1, r2, r3) \
	VCVTPS2DQ r0, r0 \
	VCVTPS2DQ r1, r1 \
	VCVTPS2DQ r2, r2 \
	VCVTPS2DQ r3, r3

#define CUT(r0, r1, r2, r3) \
	VCVTTPS2DQ r0, r0 \
	VCVTTPS2DQ r1, r1 \
	VCVTTPS2DQ r2, r2 \
	VCVTTPS2DQ r3, r3

#define CHANNELS(most, r0, r1, r2, r3) \
	CHANNEL(R8, most, r0)  \
	CHANNEL(R9, most, r1)  \
	CHANNEL(R10, most, r2) \
	CHANNEL(R11, most, r3)

// func byteRow(to []uint32, channels *[4][]uint32, truncate bool)
TEXT ·byteRow(SB), NOSPLIT, $0-33
	MOVQ           to_base+0(FP), DI
	MOVQ           to_len+8(FP), CX
	MOVQ           channels+24(FP), DX
	MOVQ           0(DX), R8
	MOVQ           24(DX), R9
	MOVQ           48(DX), R10
	MOVQ           72(DX), R11
	VBROADCASTSS   most<>+0(SB), Y5
	VBROADCASTI128 byPixel<>+0(SB), Y4
	SHLQ           $2, CX
	XORQ           AX, AX
	SUBQ           $32, CX
	CMPB           truncate+32(FP), $0
	JNE            cutEight

nearestEight:
	CMPQ    AX, CX
	JGT     lastFour
	CHANNELS(Y5, Y0, Y1, Y2, Y3)
	NEAREST(Y0, Y1, Y2, Y3)
	PACK(Y4, Y0, Y1, Y2, Y3)
	VMOVDQU Y0, (DI)(AX*1)
	ADDQ    $32, AX
	JMP     nearestEight

cutEight:
	CMPQ    AX, CX
	JGT     lastFour
	CHANNELS(Y5, Y0, Y1, Y2, Y3)
	CUT(Y0, Y1, Y2, Y3)
	PACK(Y4, Y0, Y1, Y2, Y3)
	VMOVDQU Y0, (DI)(AX*1)
	ADDQ    $32, AX
	JMP     cutEight

lastFour:
	ADDQ    $16, CX
	CMPQ    AX, CX
	JGT     bytesEnd
	CHANNELS(X5, X0, X1, X2, X3)
	CMPB    truncate+32(FP), $0
	JNE     cutFour
	NEAREST(X0, X1, X2, X3)
	JMP     packFour

cutFour:
	CUT(X0, X1, X2, X3)

packFour:
	PACK(X4, X0, X1, X2, X3)
	VMOVDQU X0, (DI)(AX*1)

bytesEnd:
	VZEROUPPER
	RET

DATA most<>+0(SB)/4, $0x437f0000
GLOBL most<>(SB), RODATA|NOPTR, $4

// byPixel brings the bytes of four pixels together of which there are those of each channel.
DATA byPixel<>+0(SB)/8, $0x0d0905010c080400
DATA byPixel<>+8(SB)/8, $0x0f0b07030e0a0602
GLOBL byPixel<>(SB), RODATA|NOPTR, $16
