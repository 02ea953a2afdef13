#include "go_asm.h"
#include "textflag.h"

// Eight lanes at a time. The formulas and their order are those of texquick.go and texfilter.go; what is fused is exact but for its last rounding.

// laneNumbers: 1, 0.5; what of a float that is no denormal leads to the next one, by rounding: 1.5*2^-24; 2^-24; 2^31, as whole number.
DATA ·laneNumbers+0(SB)/4, $0x3f800000
DATA ·laneNumbers+4(SB)/4, $0x3f000000
DATA ·laneNumbers+8(SB)/4, $0x33c00000
DATA ·laneNumbers+12(SB)/4, $0x33800000
DATA ·laneNumbers+16(SB)/4, $0x80000000
GLOBL ·laneNumbers(SB), RODATA|NOPTR, $20

// logNumbers: the bits of a fraction, the exponent of 1/2 and of 2^52, 2^52+1022, half of the root of 2, 1, 2, 1/2, ln 2, logTerms.
DATA ·logNumbers+0(SB)/8, $0xfffffffffffff
DATA ·logNumbers+8(SB)/8, $0x3fe0000000000000
DATA ·logNumbers+16(SB)/8, $0x4330000000000000
DATA ·logNumbers+24(SB)/8, $0x43300000000003fe
DATA ·logNumbers+32(SB)/8, $0x3fe6a09e667f3bcd
DATA ·logNumbers+40(SB)/8, $0x3ff0000000000000
DATA ·logNumbers+48(SB)/8, $0x4000000000000000
DATA ·logNumbers+56(SB)/8, $0x3fe0000000000000
DATA ·logNumbers+64(SB)/8, $0x3fe62e42fefa39ef
DATA ·logNumbers+72(SB)/8, $0x3fc2f112df3e5244
DATA ·logNumbers+80(SB)/8, $0x3fc39a09d078c69f
DATA ·logNumbers+88(SB)/8, $0x3fc7466496cb03de
DATA ·logNumbers+96(SB)/8, $0x3fcc71c51d8e78af
DATA ·logNumbers+104(SB)/8, $0x3fd2492494229359
DATA ·logNumbers+112(SB)/8, $0x3fd999999997fa04
DATA ·logNumbers+120(SB)/8, $0x3fe5555555555593
GLOBL ·logNumbers(SB), RODATA|NOPTR, $128

// ROOTS is the longer of the two differences of two quads, squared until the root; in each half.
#define ROOTS(at, to) \
	VMOVUPS   at(SI)(CX*4), Y0; \
	VMOVUPS   at(DX)(CX*4), Y1; \
	VMULPS    Y14, Y0, Y0; \
	VMULPS    Y15, Y1, Y1; \
	VPERMILPS $0, Y0, Y2; \
	VPERMILPS $0, Y1, Y3; \
	VSUBPS    Y2, Y0, Y0; \
	VSUBPS    Y3, Y1, Y1; \
	VMULPS    Y0, Y0, Y0; \
	VMULPS    Y1, Y1, Y1; \
	VADDPS    Y1, Y0, Y0; \
	VSQRTPS   Y0, Y0; \
	VPERMILPS $0x55, Y0, Y2; \
	VPERMILPS $0xaa, Y0, Y3; \
	VMAXPS    Y3, Y2, to

// TERM adds a term to the sum of logTerms.
#define TERM(at) \
	VBROADCASTSD ·logNumbers+at(SB), Y6; \
	VADDPD       Y5, Y6, Y5; \
	VMULPD       Y4, Y5, Y5

// func logRows(l *logs, x, y *[rowLanes]uint32, width, height, least float32, need uint64)
TEXT ·logRows(SB), NOSPLIT, $0-48
	MOVQ         l+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DX
	VBROADCASTSS width+24(FP), Y14
	VBROADCASTSS height+28(FP), Y15
	VBROADCASTSS least+32(FP), X13
	MOVQ         need+40(FP), R8
	XORQ         CX, CX

logLoop:
	TESTQ        $0xffff, R8
	JZ           logNext
	ROOTS(0, Y8)
	ROOTS(32, Y9)
	VEXTRACTF128 $1, Y8, X2
	VEXTRACTF128 $1, Y9, X3
	VUNPCKLPS    X2, X8, X0
	VUNPCKLPS    X3, X9, X1
	VMOVLHPS     X1, X0, X0
	VMOVUPS      X0, logs_slope(DI)(CX*1)
	VCMPPS       $14, X13, X0, X1
	VTESTPS      X1, X1
	JZ           logLess
	VCVTPS2PD    X0, Y0

	// A fraction from half of the root of 2 on, and the exponent.
	VBROADCASTSD ·logNumbers+0(SB), Y1
	VBROADCASTSD ·logNumbers+8(SB), Y2
	VBROADCASTSD ·logNumbers+16(SB), Y3
	VPAND        Y1, Y0, Y1
	VPOR         Y2, Y1, Y1
	VPSRLQ       $52, Y0, Y0
	VPOR         Y3, Y0, Y0
	VBROADCASTSD ·logNumbers+24(SB), Y3
	VSUBPD       Y3, Y0, Y0
	VBROADCASTSD ·logNumbers+32(SB), Y2
	VCMPPD       $1, Y2, Y1, Y2
	VADDPD       Y1, Y1, Y3
	VBLENDVPD    Y2, Y3, Y1, Y1
	VBROADCASTSD ·logNumbers+40(SB), Y7
	VANDPD       Y7, Y2, Y2
	VSUBPD       Y2, Y0, Y0

	VSUBPD       Y7, Y1, Y1 // f
	VBROADCASTSD ·logNumbers+48(SB), Y2
	VADDPD       Y1, Y2, Y2
	VDIVPD       Y2, Y1, Y3 // s
	VMULPD       Y3, Y3, Y4 // z
	VBROADCASTSD ·logNumbers+72(SB), Y5
	VMULPD       Y4, Y5, Y5
	TERM(80)
	TERM(88)
	TERM(96)
	TERM(104)
	TERM(112)
	TERM(120)
	VBROADCASTSD ·logNumbers+56(SB), Y2
	VMULPD       Y1, Y1, Y6
	VMULPD       Y2, Y6, Y6 // half
	VADDPD       Y5, Y6, Y5
	VMULPD       Y5, Y3, Y5
	VSUBPD       Y5, Y6, Y6
	VSUBPD       Y6, Y1, Y1
	VBROADCASTSD ·logNumbers+64(SB), Y2
	VDIVPD       Y2, Y1, Y1
	VADDPD       Y1, Y0, Y0
	VMOVUPD      Y0, logs_log(DI)(CX*2)

logNext:
	ADDQ $16, CX
	SHRQ $16, R8
	JNZ  logLoop
	VZEROUPPER
	RET

logLess:
	VXORPD  Y0, Y0, Y0
	VMOVUPD Y0, logs_log(DI)(CX*2)
	JMP     logNext

// BOUND is within; low and high are registers.
#define BOUND(low, high) \
	VMINPS high, Y0, Y0; \
	VMAXPS Y0, low, Y0

// BEYOND adds to Y6 lanes whose number of a texel there is not.
#define BEYOND(n) \
	VPMAXUD  Y10, n, Y5; \
	VPCMPEQD n, Y5, Y5; \
	VPOR     Y5, Y6, Y6

#define ABS(n) \
	VPSRAD $31, n, Y5; \
	VPXOR  Y5, n, n

#define MIRRORMASK(n) \
	VPAND    Y10, n, Y5; \
	VPCMPEQD Y10, Y5, Y5; \
	VPXOR    Y5, n, n; \
	VPAND    Y9, n, n

#define REPEAT(n) \
	VPSRAD   $31, n, Y5; \
	VPAND    Y10, Y5, Y5; \
	VPADDD   Y5, n, n; \
	VPCMPGTD Y9, n, Y5; \
	VPAND    Y10, Y5, Y5; \
	VPSUBD   Y5, n, n

#define MIRROR(n) \
	ABS(n); \
	VPCMPGTD  Y9, n, Y5; \
	VPADDD    Y9, Y10, Y1; \
	VPSUBD    n, Y1, Y1; \
	VPBLENDVB Y5, Y1, n, n

// func alongRows(p *places, s *steps, x *[rowLanes]uint32, need uint64) (odd uint64)
TEXT ·alongRows(SB), NOSPLIT, $0-40
	MOVQ         p+0(FP), DI
	MOVQ         s+8(FP), R9
	MOVQ         x+16(FP), SI
	MOVQ         need+24(FP), DX
	MOVL         steps_do(R9), R10
	MOVL         steps_wrap(R9), R11
	VBROADCASTSS steps_size(R9), Y15
	VBROADCASTSS steps_low(R9), Y14
	VBROADCASTSS steps_high(R9), Y13
	VBROADCASTSS ·laneNumbers+0(SB), Y12
	VBROADCASTSS ·laneNumbers+4(SB), Y11
	VPBROADCASTD steps_texels(R9), Y10
	VPBROADCASTD steps_top(R9), Y9
	VPCMPEQD     Y8, Y8, Y8
	VPBROADCASTD ·laneNumbers+16(SB), Y7
	XORQ         R8, R8
	XORQ         CX, CX
	CMPL         R10, $(const_doBound+const_doLinear)
	JNE          alongLoop
	CMPL         R11, $const_wrapTopUnsigned
	JEQ          edgeLoop

alongLoop:
	TESTQ   $0xff, DX
	JZ      alongNext
	VMOVUPS (SI)(CX*4), Y0
	TESTL   $const_doAbs, R10
	JZ      fraction
	VPSLLD  $1, Y0, Y0
	VPSRLD  $1, Y0, Y0

fraction:
	TESTL    $const_doFraction, R10
	JZ       mirror
	VROUNDPS $9, Y0, Y1
	VSUBPS   Y1, Y0, Y0

mirror:
	TESTL      $const_doMirror, R10
	JZ         bound
	VROUNDPS   $9, Y0, Y1
	VSUBPS     Y1, Y0, Y0
	VCVTTPS2DQ Y1, Y2
	VPSLLD     $31, Y2, Y2
	VSUBPS     Y0, Y12, Y3
	VBLENDVPS  Y2, Y3, Y0, Y0

bound:
	TESTL $const_doBound, R10
	JZ    flip
	BOUND(Y14, Y13)

flip:
	TESTL  $const_doFlip, R10
	JZ     scale
	VSUBPS Y0, Y12, Y0

scale:
	VMULPS       Y15, Y0, Y0
	TESTL        $const_doBoundPlace, R10
	JZ           linear
	VBROADCASTSS steps_lowPlace(R9), Y1
	VBROADCASTSS steps_highPlace(R9), Y2
	BOUND(Y1, Y2)

linear:
	TESTL  $const_doLinear, R10
	JZ     whole
	VSUBPS Y11, Y0, Y0

whole:
	VROUNDPS   $9, Y0, Y1
	VSUBPS     Y1, Y0, Y2
	VMOVUPS    Y2, places_w(DI)(CX*4)
	VCVTTPS2DQ Y1, Y3
	VPCMPEQD   Y7, Y3, Y6
	VPSUBD     Y8, Y3, Y4
	CMPL       R11, $const_wrapMask
	JEQ        isMask
	CMPL       R11, $const_wrapTop
	JEQ        isTop
	CMPL       R11, $const_wrapTopUnsigned
	JEQ        isTopUnsigned
	CMPL       R11, $const_wrapRepeat
	JEQ        isRepeat
	CMPL       R11, $const_wrapMirrorMask
	JEQ        isMirrorMask
	CMPL       R11, $const_wrapMirror
	JEQ        isMirror
	CMPL       R11, $const_wrapNone
	JEQ        wrapped
	ABS(Y3)
	ABS(Y4)
	CMPL       R11, $const_wrapAbs
	JEQ        wrapped
	VPMINSD    Y9, Y3, Y3
	VPMINSD    Y9, Y4, Y4
	JMP        wrapped

isMask:
	VPAND Y9, Y3, Y3
	VPAND Y9, Y4, Y4
	JMP   wrapped

isTop:
	VPXOR   Y5, Y5, Y5
	VPMAXSD Y5, Y3, Y3
	VPMAXSD Y5, Y4, Y4
	VPMINSD Y9, Y3, Y3
	VPMINSD Y9, Y4, Y4
	JMP     wrapped

isTopUnsigned:
	VPMINUD Y9, Y3, Y3
	VPMINUD Y9, Y4, Y4
	JMP     wrapped

isRepeat:
	REPEAT(Y3)
	REPEAT(Y4)
	JMP wrapped

isMirrorMask:
	MIRRORMASK(Y3)
	MIRRORMASK(Y4)
	JMP wrapped

isMirror:
	MIRROR(Y3)
	MIRROR(Y4)

wrapped:
	VMOVDQU   Y3, places_i(DI)(CX*4)
	VMOVDQU   Y4, places_j(DI)(CX*4)
	BEYOND(Y3)
	TESTL     $const_doLinear, R10
	JZ        count
	BEYOND(Y4)

count:
	VMOVMSKPS Y6, AX
	SHLQ      CX, AX
	ORQ       AX, R8

alongNext:
	ADDQ $8, CX
	SHRQ $8, DX
	JNZ  alongLoop
	ANDQ need+24(FP), R8
	MOVQ R8, odd+32(FP)
	VZEROUPPER
	RET

	// The same where nothing else happens. Places of coordinates that are kept within bounds are numbers, and those at the top and below have texels.
edgeLoop:
	TESTQ      $0xff, DX
	JZ         edgeNext
	VMOVUPS    (SI)(CX*4), Y0
	BOUND(Y14, Y13)
	VMULPS     Y15, Y0, Y0
	VSUBPS     Y11, Y0, Y0
	VROUNDPS   $9, Y0, Y1
	VSUBPS     Y1, Y0, Y2
	VCVTTPS2DQ Y1, Y3
	VPSUBD     Y8, Y3, Y4
	VPMINUD    Y9, Y3, Y3
	VPMINUD    Y9, Y4, Y4
	VMOVUPS    Y2, places_w(DI)(CX*4)
	VMOVDQU    Y3, places_i(DI)(CX*4)
	VMOVDQU    Y4, places_j(DI)(CX*4)

edgeNext:
	ADDQ $8, CX
	SHRQ $8, DX
	JNZ  edgeLoop
	MOVQ $0, odd+32(FP)
	VZEROUPPER
	RET
