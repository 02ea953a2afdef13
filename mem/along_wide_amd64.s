#include "go_asm.h"
#include "textflag.h"

// logWide does eight quads at a time, alongWide sixteen lanes: what logRows and alongRows in rows_amd64.s do, step by step.

// firsts: numbers of the first lanes of eight quads.
DATA firsts<>+0(SB)/4, $0
DATA firsts<>+4(SB)/4, $4
DATA firsts<>+8(SB)/4, $8
DATA firsts<>+12(SB)/4, $12
DATA firsts<>+16(SB)/4, $16
DATA firsts<>+20(SB)/4, $20
DATA firsts<>+24(SB)/4, $24
DATA firsts<>+28(SB)/4, $28
GLOBL firsts<>(SB), RODATA|NOPTR, $32

// ROOTS is the longer of the two differences of four quads, squared until the root; in each quarter.
#define ROOTS(at, to) \
	VMOVUPS   at(SI)(CX*4), Z0; \
	VMOVUPS   at(DX)(CX*4), Z1; \
	VMULPS    Z14, Z0, Z0; \
	VMULPS    Z15, Z1, Z1; \
	VPERMILPS $0, Z0, Z2; \
	VPERMILPS $0, Z1, Z3; \
	VSUBPS    Z2, Z0, Z0; \
	VSUBPS    Z3, Z1, Z1; \
	VMULPS    Z0, Z0, Z0; \
	VMULPS    Z1, Z1, Z1; \
	VADDPS    Z1, Z0, Z0; \
	VSQRTPS   Z0, Z0; \
	VPERMILPS $0x55, Z0, Z2; \
	VPERMILPS $0xaa, Z0, Z3; \
	VMAXPS    Z3, Z2, to

// TERM adds a term to the sum of logTerms.
#define TERM(at) \
	VADDPD.BCST ·logNumbers+at(SB), Z5, Z5; \
	VMULPD      Z4, Z5, Z5

// func logWide(l *logs, x, y *[rowLanes]uint32, width, height, least float32, need uint64)
TEXT ·logWide(SB), NOSPLIT, $0-48
	MOVQ         l+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DX
	VBROADCASTSS width+24(FP), Z14
	VBROADCASTSS height+28(FP), Z15
	VBROADCASTSS least+32(FP), Y12
	MOVQ         need+40(FP), R8
	VMOVDQU      firsts<>(SB), Y13
	VBROADCASTSD ·logNumbers+40(SB), Z7
	XORQ         CX, CX

logLoop:
	TESTL        R8, R8
	JZ           logNext
	ROOTS(0, Z8)
	ROOTS(64, Z9)
	VPERMT2PS    Z9, Z13, Z8
	VMOVUPS      Y8, logs_slope(DI)(CX*1)
	VCMPPS       $14, Y12, Y8, Y0
	VTESTPS      Y0, Y0
	JZ           logLess
	VCVTPS2PD    Y8, Z0

	// A fraction from half of the root of 2 on, and the exponent.
	VPANDQ.BCST  ·logNumbers+0(SB), Z0, Z1
	VPORQ.BCST   ·logNumbers+8(SB), Z1, Z1
	VPSRLQ       $52, Z0, Z0
	VPORQ.BCST   ·logNumbers+16(SB), Z0, Z0
	VSUBPD.BCST  ·logNumbers+24(SB), Z0, Z0
	VCMPPD.BCST  $1, ·logNumbers+32(SB), Z1, K1
	VADDPD       Z1, Z1, K1, Z1
	VSUBPD       Z7, Z0, K1, Z0

	VSUBPD       Z7, Z1, Z1                      // f
	VADDPD.BCST  ·logNumbers+48(SB), Z1, Z2
	VDIVPD       Z2, Z1, Z3                      // s
	VMULPD       Z3, Z3, Z4                      // z
	VMULPD.BCST  ·logNumbers+72(SB), Z4, Z5
	TERM(80)
	TERM(88)
	TERM(96)
	TERM(104)
	TERM(112)
	TERM(120)
	VMULPD       Z1, Z1, Z6
	VMULPD.BCST  ·logNumbers+56(SB), Z6, Z6      // half
	VADDPD       Z5, Z6, Z5
	VMULPD       Z5, Z3, Z5
	VSUBPD       Z5, Z6, Z6
	VSUBPD       Z6, Z1, Z1
	VDIVPD.BCST  ·logNumbers+64(SB), Z1, Z1
	VADDPD       Z1, Z0, Z0
	VMOVUPD      Z0, logs_log(DI)(CX*2)

logNext:
	ADDQ $32, CX
	SHRQ $32, R8
	JNZ  logLoop
	VZEROUPPER
	RET

logLess:
	VXORPD  X0, X0, X0
	VMOVUPD Z0, logs_log(DI)(CX*2)
	JMP     logNext

// BOUND is within; low and high are registers.
#define BOUND(low, high) \
	VMINPS high, Z0, Z0; \
	VMAXPS Z0, low, Z0

// BEYOND adds to K6 lanes whose number of a texel there is not.
#define BEYOND(n) \
	VPCMPUD $5, Z10, n, K2; \
	KORW    K2, K6, K6

#define ABS(n) \
	VPSRAD $31, n, Z5; \
	VPXORD Z5, n, n

#define MIRRORMASK(n) \
	VPTESTMD Z10, n, K2; \
	VPXORD   Z8, n, K2, n; \
	VPANDD   Z9, n, n

#define REPEAT(n) \
	VPSRAD   $31, n, Z5; \
	VPANDD   Z10, Z5, Z5; \
	VPADDD   Z5, n, n; \
	VPCMPGTD Z9, n, K2; \
	VPSUBD   Z10, n, K2, n

#define MIRROR(n) \
	ABS(n); \
	VPCMPGTD  Z9, n, K2; \
	VPADDD    Z9, Z10, Z1; \
	VPSUBD    n, Z1, K2, n

// func alongWide(p *places, s *steps, x *[rowLanes]uint32, need uint64) (odd uint64)
TEXT ·alongWide(SB), NOSPLIT, $0-40
	MOVQ         p+0(FP), DI
	MOVQ         s+8(FP), R9
	MOVQ         x+16(FP), SI
	MOVQ         need+24(FP), DX
	MOVL         steps_do(R9), R10
	MOVL         steps_wrap(R9), R11
	VBROADCASTSS steps_size(R9), Z15
	VBROADCASTSS steps_low(R9), Z14
	VBROADCASTSS steps_high(R9), Z13
	VBROADCASTSS ·laneNumbers+0(SB), Z12
	VBROADCASTSS ·laneNumbers+4(SB), Z11
	VPBROADCASTD steps_texels(R9), Z10
	VPBROADCASTD steps_top(R9), Z9
	VPTERNLOGD   $0xff, Z8, Z8, Z8
	VPBROADCASTD ·laneNumbers+16(SB), Z7
	XORQ         R8, R8
	XORQ         CX, CX

alongLoop:
	TESTQ   $0xffff, DX
	JZ      alongNext
	VMOVUPS (SI)(CX*4), Z0
	TESTL   $const_doAbs, R10
	JZ      fraction
	VPSLLD  $1, Z0, Z0
	VPSRLD  $1, Z0, Z0

fraction:
	TESTL       $const_doFraction, R10
	JZ          mirror
	VRNDSCALEPS $9, Z0, Z1
	VSUBPS      Z1, Z0, Z0

mirror:
	TESTL       $const_doMirror, R10
	JZ          bound
	VRNDSCALEPS $9, Z0, Z1
	VSUBPS      Z1, Z0, Z0
	VCVTTPS2DQ  Z1, Z2
	VPSLLD      $31, Z2, Z2
	VPMOVD2M    Z2, K2
	VSUBPS      Z0, Z12, K2, Z0

bound:
	TESTL $const_doBound, R10
	JZ    flip
	BOUND(Z14, Z13)

flip:
	TESTL  $const_doFlip, R10
	JZ     scale
	VSUBPS Z0, Z12, Z0

scale:
	VMULPS       Z15, Z0, Z0
	TESTL        $const_doBoundPlace, R10
	JZ           linear
	VBROADCASTSS steps_lowPlace(R9), Z1
	VBROADCASTSS steps_highPlace(R9), Z2
	BOUND(Z1, Z2)

linear:
	TESTL  $const_doLinear, R10
	JZ     whole
	VSUBPS Z11, Z0, Z0

whole:
	VRNDSCALEPS $9, Z0, Z1
	VSUBPS      Z1, Z0, Z2
	VMOVUPS     Z2, places_w(DI)(CX*4)
	VCVTTPS2DQ  Z1, Z3
	VPCMPEQD    Z7, Z3, K6
	VPSUBD      Z8, Z3, Z4
	CMPL        R11, $const_wrapMask
	JEQ         isMask
	CMPL        R11, $const_wrapTop
	JEQ         isTop
	CMPL        R11, $const_wrapTopUnsigned
	JEQ         isTopUnsigned
	CMPL        R11, $const_wrapRepeat
	JEQ         isRepeat
	CMPL        R11, $const_wrapMirrorMask
	JEQ         isMirrorMask
	CMPL        R11, $const_wrapMirror
	JEQ         isMirror
	CMPL        R11, $const_wrapNone
	JEQ         wrapped
	ABS(Z3)
	ABS(Z4)
	CMPL        R11, $const_wrapAbs
	JEQ         wrapped
	VPMINSD     Z9, Z3, Z3
	VPMINSD     Z9, Z4, Z4
	JMP         wrapped

isMask:
	VPANDD Z9, Z3, Z3
	VPANDD Z9, Z4, Z4
	JMP    wrapped

isTop:
	VPXORD  Z5, Z5, Z5
	VPMAXSD Z5, Z3, Z3
	VPMAXSD Z5, Z4, Z4
	VPMINSD Z9, Z3, Z3
	VPMINSD Z9, Z4, Z4
	JMP     wrapped

isTopUnsigned:
	VPMINUD Z9, Z3, Z3
	VPMINUD Z9, Z4, Z4
	JMP     wrapped

isRepeat:
	REPEAT(Z3)
	REPEAT(Z4)
	JMP wrapped

isMirrorMask:
	MIRRORMASK(Z3)
	MIRRORMASK(Z4)
	JMP wrapped

isMirror:
	MIRROR(Z3)
	MIRROR(Z4)

wrapped:
	VMOVDQU32 Z3, places_i(DI)(CX*4)
	VMOVDQU32 Z4, places_j(DI)(CX*4)
	BEYOND(Z3)
	TESTL     $const_doLinear, R10
	JZ        count
	BEYOND(Z4)

count:
	KMOVW K6, AX
	SHLQ  CX, AX
	ORQ   AX, R8

alongNext:
	ADDQ $16, CX
	SHRQ $16, DX
	JNZ  alongLoop
	ANDQ need+24(FP), R8
	MOVQ R8, odd+32(FP)
	VZEROUPPER
	RET
