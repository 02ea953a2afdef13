#include "go_asm.h"
#include "textflag.h"
#include "runs_amd64.h"

// EIGHTS broadcasts what LINE and WEIGHTS make.
#define EIGHTS \
	VBROADCASTSS X5, Y5   \
	VBROADCASTSS X6, Y6   \
	VBROADCASTSS X7, Y7

#define LINEAR(e1, e2, a, b, c, r0, r1, last, to) \
	VMULPS  e1(DI)(CX*4), b, r0 \
	VMULPS  e2(DI)(CX*4), c, r1 \
	VADDPS  a, r0, r0          \
	VADDPS  r1, r0, r0         \
	last                       \
	VMOVUPS r0, to(DI)(CX*4)

// LINEARS is what is linear in the runs, a value of corners, from lane R11 on; last is done to it, in Y0 or, of four lanes, in X0.
#define LINEARS(field, to, lastEight, lastFour) \
linearRun:                                                                           \
	CMPQ    R8, R9                                                                   \
	JGE     linearEnd                                                                \
	RUN                                                                              \
	CMPQ    CX, R11                                                                  \
	CMOVQLT R11, CX                                                                  \
	ADDQ    $run__size, R8                                                           \
	CMPQ    CX, DX                                                                   \
	JGE     linearRun                                                                \
	LINE(field)                                                                      \
	EIGHTS                                                                           \
	SUBQ    $8, DX                                                                   \
linearEight:                                                                         \
	CMPQ CX, DX                                                                      \
	JGT  linearFour                                                                  \
	LINEAR((waveRows_e+256), (waveRows_e+512), Y5, Y6, Y7, Y0, Y1, lastEight, to)        \
	ADDQ $8, CX                                                                      \
	JMP  linearEight                                                                 \
linearFour:                                                                          \
	ADDQ $4, DX                                                                      \
	CMPQ CX, DX                                                                      \
	JGT  linearRun                                                                   \
	LINEAR((waveRows_e+256), (waveRows_e+512), X5, X6, X7, X0, X1, lastFour, to)         \
	JMP  linearRun                                                                   \
linearEnd:                                                                           \
	VZEROUPPER

// CLAMPED keeps x from low to high, a NaN as some NaN: the first two make a, of equals and for a NaN, that of the lane, and b the bound; of both -0 is the
// less, and then +0 the greater. a, b and c are changed.
#define CLAMPED(x, low, high, a, b, c) \
	VCMPPS $3, x, x, c     \
	VMINPS x, high, a      \
	VMINPS high, x, b      \
	VORPS  a, b, b         \
	VMAXPS b, low, a       \
	VMAXPS low, b, b       \
	VANDPS b, a, a         \
	VANDPS x, c, c         \
	VORPS  c, a, x

#define INDEPTHS CLAMPED(Y0, Y8, Y9, Y1, Y2, Y3)
#define INDEPTHSOFFOUR CLAMPED(X0, X8, X9, X1, X2, X3)
#define ASITIS

// func depthRuns(w *Wave)
TEXT ·depthRuns(SB), NOSPLIT, $0-8
	RUNS
	MOVQ         w+0(FP), AX
	MOVQ         Wave_depths(AX), R11
	VBROADCASTSS Wave_low(AX), Y8
	VBROADCASTSS Wave_high(AX), Y9
	LINEARS(corner_z, waveRows_depth, INDEPTHS, INDEPTHSOFFOUR)
	RET

// func weightRuns(w *Wave)
TEXT ·weightRuns(SB), NOSPLIT, $0-8
	RUNS
	XORQ R11, R11
	LINEARS(corner_invW, waveRows_invW, ASITIS, ASITIS)
	RET

#define SHARE(w0, w1, w2, r0, r1, r2) \
	VMULPS  (waveRows_e+0)(DI)(CX*4), w0, r0    \
	VMULPS  (waveRows_e+256)(DI)(CX*4), w1, r1  \
	VMULPS  (waveRows_e+512)(DI)(CX*4), w2, r2  \
	VADDPS  r1, r0, r0                  \
	VADDPS  r2, r0, r0                  \
	VDIVPS  r0, r1, r1                  \
	VDIVPS  r0, r2, r2                  \
	VMOVUPS r1, (waveRows_p+0)(DI)(CX*4)    \
	VMOVUPS r2, (waveRows_p+256)(DI)(CX*4)

// func shareRuns(w *Wave)
TEXT ·shareRuns(SB), NOSPLIT, $0-8
	RUNS

shareRun:
	CMPQ         R8, R9
	JGE          shareEnd
	RUN
	ADDQ $run__size, R8
	WEIGHTS
	EIGHTS
	SUBQ $8, DX

shareEight:
	CMPQ CX, DX
	JGT  shareFour
	SHARE(Y5, Y6, Y7, Y0, Y1, Y2)
	ADDQ $8, CX
	JMP  shareEight

shareFour:
	ADDQ $4, DX
	CMPQ CX, DX
	JGT  shareRun
	SHARE(X5, X6, X7, X0, X1, X2)
	JMP  shareRun

shareEnd:
	VZEROUPPER
	RET

// BETWEEN makes Y8 to Y11 how much more the components of the second corner are than those of the first, and Y12 to Y15 those of the third.
#define BETWEEN \
	VERTICES                            \
	VBROADCASTSS 0(R11)(BX*1), Y0       \
	VBROADCASTSS 4(R11)(BX*1), Y1       \
	VBROADCASTSS 8(R11)(BX*1), Y2       \
	VBROADCASTSS 12(R11)(BX*1), Y3      \
	VBROADCASTSS 0(R12)(BX*1), Y8       \
	VBROADCASTSS 4(R12)(BX*1), Y9       \
	VBROADCASTSS 8(R12)(BX*1), Y10      \
	VBROADCASTSS 12(R12)(BX*1), Y11     \
	VBROADCASTSS 0(R13)(BX*1), Y12      \
	VBROADCASTSS 4(R13)(BX*1), Y13      \
	VBROADCASTSS 8(R13)(BX*1), Y14      \
	VBROADCASTSS 12(R13)(BX*1), Y15     \
	VSUBPS       Y0, Y8, Y8             \
	VSUBPS       Y1, Y9, Y9             \
	VSUBPS       Y2, Y10, Y10           \
	VSUBPS       Y3, Y11, Y11           \
	VSUBPS       Y0, Y12, Y12           \
	VSUBPS       Y1, Y13, Y13           \
	VSUBPS       Y2, Y14, Y14           \
	VSUBPS       Y3, Y15, Y15

// MIXED is a component between those of the corners, the first of which is in memory.
#define MIXED(k, b, c, p, q, r0, r1) \
	VMULPS       b, p, r0                  \
	VBROADCASTSS (4*k)(R11)(BX*1), r1      \
	VADDPS       r1, r0, r0                \
	VMULPS       c, q, r1                  \
	VADDPS       r1, r0, r0                \
	VMOVUPS      r0, (256*k)(SI)(CX*4)

// func mixRuns(w *Wave, to *vector, first *Vec4, stride int)
TEXT ·mixRuns(SB), NOSPLIT, $0-32
	RUNS
	MOVQ to+8(FP), SI
	MOVQ first+16(FP), BX
	MOVQ stride+24(FP), AX

mixRun:
	CMPQ R8, R9
	JGE  mixEnd
	RUN
	ADDQ $run__size, R8
	BETWEEN
	SUBQ $8, DX

mixEight:
	CMPQ    CX, DX
	JGT     mixFour
	VMOVUPS (waveRows_p+0)(DI)(CX*4), Y1
	VMOVUPS (waveRows_p+256)(DI)(CX*4), Y2
	MIXED(0, Y8, Y12, Y1, Y2, Y0, Y3)
	MIXED(1, Y9, Y13, Y1, Y2, Y0, Y3)
	MIXED(2, Y10, Y14, Y1, Y2, Y0, Y3)
	MIXED(3, Y11, Y15, Y1, Y2, Y0, Y3)
	ADDQ    $8, CX
	JMP     mixEight

mixFour:
	ADDQ    $4, DX
	CMPQ    CX, DX
	JGT     mixRun
	VMOVUPS (waveRows_p+0)(DI)(CX*4), X1
	VMOVUPS (waveRows_p+256)(DI)(CX*4), X2
	MIXED(0, X8, X12, X1, X2, X0, X3)
	MIXED(1, X9, X13, X1, X2, X0, X3)
	MIXED(2, X10, X14, X1, X2, X0, X3)
	MIXED(3, X11, X15, X1, X2, X0, X3)
	JMP     mixRun

mixEnd:
	VZEROUPPER
	RET

// func firstRuns(w *Wave, to *vector, first *Vec4, stride int)
TEXT ·firstRuns(SB), NOSPLIT, $0-32
	RUNS
	MOVQ to+8(FP), SI
	MOVQ first+16(FP), BX
	MOVQ stride+24(FP), AX

firstRun:
	CMPQ R8, R9
	JGE  firstEnd
	RUN
	ADDQ $run__size, R8
	WEIGHTS
	EIGHTS
	BETWEEN
	SUBQ $8, DX

firstEight:
	CMPQ CX, DX
	JGT  firstFour
	SHARE(Y5, Y6, Y7, Y0, Y1, Y2)
	MIXED(0, Y8, Y12, Y1, Y2, Y0, Y3)
	MIXED(1, Y9, Y13, Y1, Y2, Y0, Y3)
	MIXED(2, Y10, Y14, Y1, Y2, Y0, Y3)
	MIXED(3, Y11, Y15, Y1, Y2, Y0, Y3)
	ADDQ $8, CX
	JMP  firstEight

firstFour:
	ADDQ $4, DX
	CMPQ CX, DX
	JGT  firstRun
	SHARE(X5, X6, X7, X0, X1, X2)
	MIXED(0, X8, X12, X1, X2, X0, X3)
	MIXED(1, X9, X13, X1, X2, X0, X3)
	MIXED(2, X10, X14, X1, X2, X0, X3)
	MIXED(3, X11, X15, X1, X2, X0, X3)
	JMP  firstRun

firstEnd:
	VZEROUPPER
	RET

// func planeRows(to *PlaneSet, s *Setup, v0, v1, v2 *Vec4)
TEXT ·planeRows(SB), NOSPLIT, $0-40
	MOVQ         to+0(FP), DI
	MOVQ         s+8(FP), SI
	MOVQ         v0+16(FP), R10
	MOVQ         v1+24(FP), R11
	MOVQ         v2+32(FP), R12
	VCVTPS2PD    (R10), Y0
	VCVTPS2PD    (R11), Y1
	VCVTPS2PD    (R12), Y2
	VBROADCASTSD (Setup_invW+0)(SI), Y3
	VBROADCASTSD (Setup_invW+8)(SI), Y4
	VBROADCASTSD (Setup_invW+16)(SI), Y5
	VMULPD       Y3, Y0, Y0
	VMULPD       Y4, Y1, Y1
	VMULPD       Y5, Y2, Y2
	VSUBPD       Y0, Y1, Y1                  // more than the first corner
	VSUBPD       Y0, Y2, Y2
	VBROADCASTSD (Setup_dx+0)(SI), Y3
	VBROADCASTSD (Setup_dx+8)(SI), Y4
	VBROADCASTSD (Setup_dy+0)(SI), Y5
	VBROADCASTSD (Setup_dy+8)(SI), Y6
	VBROADCASTSD Setup_area(SI), Y7
	VBROADCASTSD Setup_x(SI), Y8
	VBROADCASTSD Setup_y(SI), Y9
	VMULPD       Y6, Y1, Y6
	VMULPD       Y5, Y2, Y5
	VSUBPD       Y5, Y6, Y5
	VDIVPD       Y7, Y5, Y5                  // A
	VMULPD       Y3, Y2, Y3
	VMULPD       Y4, Y1, Y4
	VSUBPD       Y4, Y3, Y4
	VDIVPD       Y7, Y4, Y4                  // B
	VMULPD       Y8, Y5, Y8
	VMULPD       Y9, Y4, Y9
	VSUBPD       Y8, Y0, Y0
	VSUBPD       Y9, Y0, Y0                  // C
	VCVTPD2PSY   Y5, X5
	VCVTPD2PSY   Y4, X4
	VCVTPD2PSY   Y0, X0
	VXORPS       X1, X1, X1
	VUNPCKLPS    X4, X5, X2                  // A0 B0 A1 B1
	VUNPCKHPS    X4, X5, X3
	VUNPCKLPS    X1, X0, X6                  // C0 0 C1 0
	VUNPCKHPS    X1, X0, X7
	VMOVLHPS     X6, X2, X8
	VMOVHLPS     X2, X6, X9
	VMOVLHPS     X7, X3, X10
	VMOVHLPS     X3, X7, X11
	VMOVUPS      X8, 0(DI)
	VMOVUPS      X9, 16(DI)
	VMOVUPS      X10, 32(DI)
	VMOVUPS      X11, 48(DI)
	VZEROUPPER
	RET

DATA besides<>+0(SB)/4, $0x3f000000
DATA besides<>+4(SB)/4, $0x3fc00000
DATA besides<>+8(SB)/4, $0x3f000000
DATA besides<>+12(SB)/4, $0x3fc00000
DATA besides<>+16(SB)/4, $0x3f000000
DATA besides<>+20(SB)/4, $0x3f000000
DATA besides<>+24(SB)/4, $0x3fc00000
DATA besides<>+28(SB)/4, $0x3fc00000
GLOBL besides<>(SB), RODATA|NOPTR, $32

// func centreRows(x, y *[ir.MaxLanes]uint32, quads *[ir.MaxLanes / 4]quad, n int)
TEXT ·centreRows(SB), NOSPLIT, $0-32
	MOVQ   x+0(FP), DI
	MOVQ   y+8(FP), SI
	MOVQ   quads+16(FP), BX
	MOVQ   n+24(FP), CX
	MOVUPS besides<>+0(SB), X4 // pixels are at most 8192: sums are exact
	MOVUPS besides<>+16(SB), X5

centre:
	DECQ     CX
	JLT      centreEnd
	XORPS    X0, X0
	XORPS    X1, X1
	CVTSL2SS quad_x(BX), X0
	CVTSL2SS quad_y(BX), X1
	SHUFPS   $0, X0, X0
	SHUFPS   $0, X1, X1
	ADDPS    X4, X0
	ADDPS    X5, X1
	MOVUPS   X0, (DI)
	MOVUPS   X1, (SI)
	ADDQ     $quad__size, BX
	ADDQ     $16, DI
	ADDQ     $16, SI
	JMP      centre

centreEnd:
	RET
