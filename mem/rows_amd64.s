#include "go_asm.h"
#include "textflag.h"

// Eight lanes at a time. The formulas and their order are those of texquick.go and texfilter.go; what is fused is exact but for its last rounding.

DATA laneBits<>+0(SB)/4, $0x1
DATA laneBits<>+4(SB)/4, $0x2
DATA laneBits<>+8(SB)/4, $0x4
DATA laneBits<>+12(SB)/4, $0x8
DATA laneBits<>+16(SB)/4, $0x10
DATA laneBits<>+20(SB)/4, $0x20
DATA laneBits<>+24(SB)/4, $0x40
DATA laneBits<>+28(SB)/4, $0x80
GLOBL laneBits<>(SB), RODATA|NOPTR, $32

// byteOf: for each component, where its byte is in eight texels, and zeros above it.
DATA byteOf<>+0(SB)/8, $0x8080800480808000
DATA byteOf<>+8(SB)/8, $0x8080800c80808008
DATA byteOf<>+16(SB)/8, $0x8080800480808000
DATA byteOf<>+24(SB)/8, $0x8080800c80808008
DATA byteOf<>+32(SB)/8, $0x8080800580808001
DATA byteOf<>+40(SB)/8, $0x8080800d80808009
DATA byteOf<>+48(SB)/8, $0x8080800580808001
DATA byteOf<>+56(SB)/8, $0x8080800d80808009
DATA byteOf<>+64(SB)/8, $0x8080800680808002
DATA byteOf<>+72(SB)/8, $0x8080800e8080800a
DATA byteOf<>+80(SB)/8, $0x8080800680808002
DATA byteOf<>+88(SB)/8, $0x8080800e8080800a
DATA byteOf<>+96(SB)/8, $0x8080800780808003
DATA byteOf<>+104(SB)/8, $0x8080800f8080800b
DATA byteOf<>+112(SB)/8, $0x8080800780808003
DATA byteOf<>+120(SB)/8, $0x8080800f8080800b
GLOBL byteOf<>(SB), RODATA|NOPTR, $128

// thrice: for each component, its byte n three times: 2^24*n/255, cut off. A float holds that, and the next one is the nearest to 2^24*n/255, since n/255
// repeats the bits of n, and what is left behind those of a float begins with a 1.
DATA thrice<>+0(SB)/8, $0x8004040480000000
DATA thrice<>+8(SB)/8, $0x800c0c0c80080808
DATA thrice<>+16(SB)/8, $0x8004040480000000
DATA thrice<>+24(SB)/8, $0x800c0c0c80080808
DATA thrice<>+32(SB)/8, $0x8005050580010101
DATA thrice<>+40(SB)/8, $0x800d0d0d80090909
DATA thrice<>+48(SB)/8, $0x8005050580010101
DATA thrice<>+56(SB)/8, $0x800d0d0d80090909
DATA thrice<>+64(SB)/8, $0x8006060680020202
DATA thrice<>+72(SB)/8, $0x800e0e0e800a0a0a
DATA thrice<>+80(SB)/8, $0x8006060680020202
DATA thrice<>+88(SB)/8, $0x800e0e0e800a0a0a
DATA thrice<>+96(SB)/8, $0x8007070780030303
DATA thrice<>+104(SB)/8, $0x800f0f0f800b0b0b
DATA thrice<>+112(SB)/8, $0x8007070780030303
DATA thrice<>+120(SB)/8, $0x800f0f0f800b0b0b
GLOBL thrice<>(SB), RODATA|NOPTR, $128

// nextOne: what of a float that is no denormal leads to the next one, by rounding: 1.5*2^-24; 2^-24.
DATA nextOne<>+0(SB)/4, $0x33c00000
DATA nextOne<>+4(SB)/4, $0x33800000
GLOBL nextOne<>(SB), RODATA|NOPTR, $8

// laneNumbers: 1, 0.5, 1/255 and what is lacking in it, as float32; 2^31.
DATA ·laneNumbers+0(SB)/4, $0x3f800000
DATA ·laneNumbers+4(SB)/4, $0x3f000000
DATA ·laneNumbers+8(SB)/4, $0x3b808081
DATA ·laneNumbers+12(SB)/4, $0xaf7efeff
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

// TERM goes on with the sum of logTerms.
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

// LANES makes Y0 the mask of eight lanes of need.
#define LANES \
	MOVBLZX      DX, AX; \
	VMOVD        AX, X0; \
	VPBROADCASTD X0, Y0; \
	VPAND        laneBits<>(SB), Y0, Y0; \
	VPCMPEQD     laneBits<>(SB), Y0, Y0

// TEXELS reads those with the numbers n.
#define TEXELS(n, to) \
	VMOVDQA    Y0, Y9; \
	VPXOR      to, to, to; \
	VPGATHERDD Y9, (SI)(n*4), to

// PAIR reads two neighbours of two lanes, and the two under them.
#define PAIR(at, upper, lower) \
	MOVL    (at)(R13)(CX*4), AX; \
	MOVL    (at+4)(R13)(CX*4), BX; \
	VMOVQ   (SI)(AX*4), upper; \
	VMOVQ   (R8)(AX*4), lower; \
	VMOVHPS (SI)(BX*4), upper, upper; \
	VMOVHPS (R8)(BX*4), lower, lower

// VALUE is component k: fused, since it needs two numbers to stand for 1/255.
#define VALUE(texel, k, to) \
	VPSHUFB     byteOf<>+(32*k)(SB), texel, to; \
	VCVTDQ2PS   to, to; \
	VMULPS      Y15, to, Y13; \
	VFMADD132PS Y14, Y13, to

// GIVE stores component k of Y9, or mixes it in.
#define GIVE(k, done) \
	VMOVUPS   (256*k)(DI)(CX*4), Y10; \
	TESTQ     R12, R12; \
	JZ        done; \
	VMOVUPS   (R12)(CX*4), Y11; \
	VBROADCASTSS ·laneNumbers+0(SB), Y12; \
	VSUBPS    Y11, Y12, Y12; \
	VMULPS    Y12, Y10, Y12; \
	VMULPS    Y11, Y9, Y9; \
	VADDPS    Y9, Y12, Y9; \
done: \
	VBLENDVPS Y0, Y9, Y10, Y10; \
	VMOVUPS   Y10, (256*k)(DI)(CX*4)

// TIMES is 2^24 times component k.
#define TIMES(texel, k, to) \
	VPSHUFB     thrice<>+(32*k)(SB), texel, to; \
	VCVTDQ2PS   to, to; \
	VFMADD231PS Y14, to, to

// MIXED is component k of four texels.
#define MIXED(k, done) \
	TIMES(Y1, k, Y9); \
	TIMES(Y2, k, Y10); \
	TIMES(Y3, k, Y11); \
	TIMES(Y4, k, Y12); \
	VMULPS Y7, Y9, Y9; \
	VMULPS Y5, Y10, Y10; \
	VMULPS Y7, Y11, Y11; \
	VMULPS Y5, Y12, Y12; \
	VMULPS Y8, Y9, Y9; \
	VMULPS Y8, Y10, Y10; \
	VMULPS Y6, Y11, Y11; \
	VMULPS Y6, Y12, Y12; \
	VADDPS Y10, Y9, Y9; \
	VADDPS Y11, Y9, Y9; \
	VADDPS Y12, Y9, Y9; \
	GIVE(k, done)

// What fourRows keeps of eight lanes behind the numbers of their texels: masks.
#define isFar 256      // lanes whose texels are no neighbours
#define isOdd 257      // lanes that do not read the four in order
#define lastColumn 320 // at which two begin, eight times
#define lastRow 352

// NEAR finds of eight lanes where the left one of two columns and the upper one of two rows are, Y1 and Y2, in which all their texels may lie, and how far
// behind that each is: columns Y3, Y4, rows Y5, Y6.
#define NEAR \
	VMOVDQU places_i(R10)(CX*4), Y3; \
	VMOVDQU places_j(R10)(CX*4), Y4; \
	VMOVDQU places_i(R11)(CX*4), Y5; \
	VMOVDQU places_j(R11)(CX*4), Y6; \
	VPMINUD Y4, Y3, Y1; \
	VPMINUD Y6, Y5, Y2; \
	VPMINUD Y15, Y1, Y1; \
	VPMINUD Y14, Y2, Y2; \
	VPSUBD  Y1, Y3, Y3; \
	VPSUBD  Y1, Y4, Y4; \
	VPSUBD  Y2, Y5, Y5; \
	VPSUBD  Y2, Y6, Y6

// RIGHT makes of two places along an axis, which are at most one apart, masks of lanes whose place is the second of the two that have been read.
#define RIGHT(edge, i, j) \
	VPMINUD i, j, Y10; \
	VPMINUD edge(R13), Y10, Y10; \
	VPSUBD  Y10, i, i; \
	VPSUBD  Y10, j, j; \
	VPSLLD  $31, i, i; \
	VPSLLD  $31, j, j

// func fourRows(t *[4][rowLanes]uint32, data *byte, width, height uint32, x, y *places, weight *[rowLanes]float32, need uint64)
TEXT ·fourRows(SB), NOSPLIT, $416-56
	MOVQ         t+0(FP), DI
	MOVQ         data+8(FP), SI
	MOVL         width+16(FP), R9
	MOVL         height+20(FP), AX
	MOVQ         x+24(FP), R10
	MOVQ         y+32(FP), R11
	MOVQ         weight+40(FP), R12
	MOVQ         need+48(FP), DX
	LEAQ         31(SP), R13
	ANDQ         $~31, R13
	LEAQ         (SI)(R9*4), R8 // the second row
	VPXOR        Y12, Y12, Y12
	VPCMPEQD     Y11, Y11, Y11
	VPADDD       Y11, Y11, Y10 // -2
	VPABSD       Y11, Y11      // 1
	VMOVD        R9, X13
	VMOVD        AX, X14
	VPBROADCASTD X13, Y13
	VPBROADCASTD X14, Y14
	VPADDD       Y10, Y13, Y15
	VPADDD       Y10, Y14, Y14
	VMOVDQU      Y15, lastColumn(R13)
	VMOVDQU      Y14, lastRow(R13)
	XORQ         CX, CX

	// Where there are no two rows of two texels all are far.
	XORL BX, BX
	CMPL R9, $2
	JB   narrow
	CMPL AX, $2
	JAE  placeLoop

narrow:
	MOVL $0xff, BX

	// First the numbers of all texels, so that no load waits for them.
placeLoop:
	TESTQ     $0xff, DX
	JZ        placeNext
	LANES
	NEAR
	VPMULLD   Y13, Y2, Y2
	VPADDD    Y1, Y2, Y2
	VPAND     Y0, Y2, Y2
	VMOVDQU   Y2, (R13)(CX*4)
	VPOR      Y3, Y5, Y7
	VPOR      Y4, Y6, Y8
	VPOR      Y7, Y8, Y8
	VPSRLD    $1, Y8, Y8
	VPCMPEQD  Y12, Y8, Y8
	VPANDN    Y0, Y8, Y8
	VMOVMSKPS Y8, AX
	ORL       BX, AX
	MOVB      AX, isFar(R13)(CX*1)
	VPAND     Y4, Y6, Y4
	VPCMPEQD  Y12, Y7, Y7
	VPCMPEQD  Y11, Y4, Y4
	VPAND     Y7, Y4, Y4
	VPANDN    Y0, Y4, Y4
	VMOVMSKPS Y4, AX
	MOVB      AX, isOdd(R13)(CX*1)

placeNext:
	ADDQ         $8, CX
	SHRQ         $8, DX
	JNZ          placeLoop
	VBROADCASTSS nextOne<>+0(SB), Y14
	VBROADCASTSS nextOne<>+4(SB), Y15
	MOVQ         need+48(FP), DX
	XORQ         CX, CX

fourLoop:
	TESTQ       $0xff, DX
	JZ          fourNext
	LANES
	CMPB        isFar(R13)(CX*1), $0
	JNE         far
	PAIR(0, X1, X9)
	PAIR(8, X2, X10)
	PAIR(16, X3, X11)
	PAIR(24, X4, X12)
	VINSERTI128 $1, X3, Y1, Y1
	VINSERTI128 $1, X4, Y2, Y2
	VINSERTI128 $1, X11, Y9, Y9
	VINSERTI128 $1, X12, Y10, Y10
	VSHUFPS     $0x88, Y10, Y9, Y3
	VSHUFPS     $0xdd, Y10, Y9, Y4
	VSHUFPS     $0x88, Y2, Y1, Y5
	VSHUFPS     $0xdd, Y2, Y1, Y2
	VMOVAPS     Y5, Y1
	CMPB        isOdd(R13)(CX*1), $0
	JNE         odd

mix:
	VBROADCASTSS ·laneNumbers+0(SB), Y9
	VMOVUPS      places_w(R10)(CX*4), Y5
	VMOVUPS      places_w(R11)(CX*4), Y6
	VSUBPS       Y5, Y9, Y7
	VSUBPS       Y6, Y9, Y8

	// Weights are 0 or at least 2^-26: this rounds nothing.
	VMULPS Y15, Y5, Y5
	VMULPS Y15, Y7, Y7
	MIXED(0, four0)
	MIXED(1, four1)
	MIXED(2, four2)
	MIXED(3, four3)

fourNext:
	ADDQ $8, CX
	SHRQ $8, DX
	JNZ  fourLoop
	VZEROUPPER
	RET

	// Texels as lanes take them: the left or the right one, of the upper or the lower row.
odd:
	VMOVDQU   places_i(R10)(CX*4), Y5
	VMOVDQU   places_j(R10)(CX*4), Y6
	VMOVDQU   places_i(R11)(CX*4), Y7
	VMOVDQU   places_j(R11)(CX*4), Y8
	RIGHT(lastColumn, Y5, Y6)
	RIGHT(lastRow, Y7, Y8)
	VBLENDVPS Y5, Y2, Y1, Y9
	VBLENDVPS Y6, Y2, Y1, Y10
	VBLENDVPS Y5, Y4, Y3, Y11
	VBLENDVPS Y6, Y4, Y3, Y12
	VBLENDVPS Y7, Y11, Y9, Y1
	VBLENDVPS Y7, Y12, Y10, Y2
	VBLENDVPS Y8, Y11, Y9, Y3
	VBLENDVPS Y8, Y12, Y10, Y4
	JMP       mix

far:
	VMOVD        R9, X1
	VPBROADCASTD X1, Y1
	VPMULLD      places_j(R11)(CX*4), Y1, Y2
	VPMULLD      places_i(R11)(CX*4), Y1, Y1
	VMOVDQU      places_i(R10)(CX*4), Y3
	VMOVDQU      places_j(R10)(CX*4), Y4
	VPADDD       Y3, Y1, Y5
	VPADDD       Y4, Y1, Y6
	VPADDD       Y3, Y2, Y7
	VPADDD       Y4, Y2, Y8
	TEXELS(Y5, Y1)
	TEXELS(Y6, Y2)
	TEXELS(Y7, Y3)
	TEXELS(Y8, Y4)
	JMP          mix

// func nearestRows(t *[4][rowLanes]uint32, data *byte, width uint32, x, y *places, weight *[rowLanes]float32, need uint64)
TEXT ·nearestRows(SB), NOSPLIT, $0-56
	MOVQ         t+0(FP), DI
	MOVQ         data+8(FP), SI
	MOVQ         x+24(FP), R10
	MOVQ         y+32(FP), R11
	MOVQ         weight+40(FP), R12
	MOVQ         need+48(FP), DX
	VBROADCASTSS ·laneNumbers+8(SB), Y14
	VBROADCASTSS ·laneNumbers+12(SB), Y15
	XORQ         CX, CX

nearestLoop:
	TESTQ        $0xff, DX
	JZ           nearestNext
	LANES
	VBROADCASTSS width+16(FP), Y2
	VPMULLD      places_i(R11)(CX*4), Y2, Y2
	VPADDD       places_i(R10)(CX*4), Y2, Y2
	TEXELS(Y2, Y1)
	VALUE(Y1, 0, Y9)
	GIVE(0, nearest0)
	VALUE(Y1, 1, Y9)
	GIVE(1, nearest1)
	VALUE(Y1, 2, Y9)
	GIVE(2, nearest2)
	VALUE(Y1, 3, Y9)
	GIVE(3, nearest3)

nearestNext:
	ADDQ $8, CX
	SHRQ $8, DX
	JNZ  nearestLoop
	VZEROUPPER
	RET
