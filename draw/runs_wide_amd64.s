#include "go_asm.h"
#include "textflag.h"
#include "runs_amd64.h"
#include "wide_amd64.h"

// What runs_amd64.s does, sixteen lanes at a time.

// LINEARS is what is linear in the runs, a value of corners, from lane R11 on; last is done to it.
#define LINEARS(field, to, last) \
	MOVL    $0xffff, R13                         \
linearRun:                                       \
	CMPQ    R8, R9                               \
	JGE     linearEnd                            \
	RUN                                          \
	CMPQ    CX, R11                              \
	CMOVQLT R11, CX                              \
	ADDQ    $run__size, R8                       \
	CMPQ    CX, DX                               \
	JGE     linearRun                            \
	LINE(field)                                  \
	VBROADCASTSS X5, Z5                          \
	VBROADCASTSS X6, Z6                          \
	VBROADCASTSS X7, Z7                          \
linearLanes:                                     \
	LANES(CX, DX)                                \
	VMULPS.Z  (waveRows_e+256)(DI)(CX*4), Z6, K1, Z0 \
	VMULPS.Z  (waveRows_e+512)(DI)(CX*4), Z7, K1, Z1 \
	VADDPS    Z5, Z0, Z0                         \
	VADDPS    Z1, Z0, Z0                         \
	last                                         \
	VMOVUPS   Z0, K1, to(DI)(CX*4)               \
	ADDQ      $16, CX                            \
	CMPQ      CX, DX                             \
	JLT       linearLanes                        \
	JMP       linearRun                          \
linearEnd:                                       \
	VZEROUPPER

// CLAMPED keeps x from low to high, a NaN as some NaN: the first two make a, of equals and for a NaN, that of the lane, and b the bound; of both -0 is the
// less, and then +0 the greater. K2, a and b are changed.
#define CLAMPED(x, low, high, a, b) \
	VCMPPS $3, x, x, K2     \
	VMINPS x, high, a       \
	VMINPS high, x, b       \
	VPORD  a, b, b          \
	VMAXPS b, low, a        \
	VMAXPS low, b, b        \
	VPANDD b, a, a          \
	VPORD  x, a, K2, a      \
	VMOVAPS a, x

#define INDEPTHS CLAMPED(Z0, Z20, Z21, Z1, Z2)
#define ASITIS

// func depthWide(w *Wave)
TEXT ·depthWide(SB), NOSPLIT, $0-8
	RUNS
	MOVQ         w+0(FP), AX
	MOVQ         Wave_depths(AX), R11
	VBROADCASTSS Wave_low(AX), Z20
	VBROADCASTSS Wave_high(AX), Z21
	LINEARS(corner_z, waveRows_depth, INDEPTHS)
	RET

// func weightWide(w *Wave)
TEXT ·weightWide(SB), NOSPLIT, $0-8
	RUNS
	XORQ R11, R11
	LINEARS(corner_invW, waveRows_invW, ASITIS)
	RET

// CORNERS makes Z17 to Z19 what WEIGHTS does.
#define CORNERS \
	WEIGHTS                \
	VBROADCASTSS X5, Z17   \
	VBROADCASTSS X6, Z18   \
	VBROADCASTSS X7, Z19

// SHARES makes Z2 and Z3 the shares of the second and third corner, and keeps them.
#define SHARES \
	VMULPS.Z  (waveRows_e+0)(DI)(CX*4), Z17, K1, Z1       \
	VMULPS.Z  (waveRows_e+256)(DI)(CX*4), Z18, K1, Z2     \
	VMULPS.Z  (waveRows_e+512)(DI)(CX*4), Z19, K1, Z3     \
	VADDPS    Z2, Z1, Z1                              \
	VADDPS    Z3, Z1, Z1                              \
	VDIVPS    Z1, Z2, Z2                              \
	VDIVPS    Z1, Z3, Z3                              \
	VMOVUPS   Z2, K1, (waveRows_p+0)(DI)(CX*4)            \
	VMOVUPS   Z3, K1, (waveRows_p+256)(DI)(CX*4)

// func shareWide(w *Wave)
TEXT ·shareWide(SB), NOSPLIT, $0-8
	RUNS
	MOVL $0xffff, R13

shareRun:
	CMPQ R8, R9
	JGE  shareEnd
	RUN
	ADDQ $run__size, R8
	CORNERS

shareLanes:
	LANES(CX, DX)
	SHARES
	ADDQ $16, CX
	CMPQ CX, DX
	JLT  shareLanes
	JMP  shareRun

shareEnd:
	VZEROUPPER
	RET

#define MIXWIDE(k, a, b, c) \
	VMULPS  b, Z2, Z0                    \
	VMULPS  c, Z3, Z1                    \
	VADDPS  a, Z0, Z0                    \
	VADDPS  Z1, Z0, Z0                   \
	VMOVUPS Z0, K1, (256*k)(SI)(CX*4)

// BETWEEN makes Z4 to Z7 the components of the first corner, Z8 to Z15 how much more the others have.
#define BETWEEN \
	VERTICES                          \
	VBROADCASTSS 0(R11)(BX*1), Z4       \
	VBROADCASTSS 4(R11)(BX*1), Z5       \
	VBROADCASTSS 8(R11)(BX*1), Z6       \
	VBROADCASTSS 12(R11)(BX*1), Z7      \
	VBROADCASTSS 0(R12)(BX*1), Z8       \
	VBROADCASTSS 4(R12)(BX*1), Z9       \
	VBROADCASTSS 8(R12)(BX*1), Z10      \
	VBROADCASTSS 12(R12)(BX*1), Z11     \
	VBROADCASTSS 0(R13)(BX*1), Z12      \
	VBROADCASTSS 4(R13)(BX*1), Z13      \
	VBROADCASTSS 8(R13)(BX*1), Z14      \
	VBROADCASTSS 12(R13)(BX*1), Z15     \
	VSUBPS       Z4, Z8, Z8             \
	VSUBPS       Z5, Z9, Z9             \
	VSUBPS       Z6, Z10, Z10           \
	VSUBPS       Z7, Z11, Z11           \
	VSUBPS       Z4, Z12, Z12           \
	VSUBPS       Z5, Z13, Z13           \
	VSUBPS       Z6, Z14, Z14           \
	VSUBPS       Z7, Z15, Z15          

// MIXED is a varying between those of the corners.
#define MIXED \
	MIXWIDE(0, Z4, Z8, Z12)   \
	MIXWIDE(1, Z5, Z9, Z13)   \
	MIXWIDE(2, Z6, Z10, Z14)  \
	MIXWIDE(3, Z7, Z11, Z15)

// func mixWide(w *Wave, to *vector, first *Vec4, stride int)
TEXT ·mixWide(SB), NOSPLIT, $0-32
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
	MOVL $0xffff, R13

mixLanes:
	LANES(CX, DX)
	VMOVUPS.Z (waveRows_p+0)(DI)(CX*4), K1, Z2
	VMOVUPS.Z (waveRows_p+256)(DI)(CX*4), K1, Z3
	MIXED
	ADDQ      $16, CX
	CMPQ      CX, DX
	JLT       mixLanes
	JMP       mixRun

mixEnd:
	VZEROUPPER
	RET

// func firstWide(w *Wave, to *vector, first *Vec4, stride int)
TEXT ·firstWide(SB), NOSPLIT, $0-32
	RUNS
	MOVQ to+8(FP), SI
	MOVQ first+16(FP), BX
	MOVQ stride+24(FP), AX

firstRun:
	CMPQ R8, R9
	JGE  firstEnd
	RUN
	ADDQ $run__size, R8
	CORNERS
	BETWEEN
	MOVL $0xffff, R13

firstLanes:
	LANES(CX, DX)
	SHARES
	MIXED
	ADDQ $16, CX
	CMPQ CX, DX
	JLT  firstLanes
	JMP  firstRun

firstEnd:
	VZEROUPPER
	RET
