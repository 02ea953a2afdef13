#include "go_asm.h"
#include "textflag.h"

// Sixteen lanes at a time what rows_amd64.s does eight at a time.

// byteOf: for each component of four texels, its byte n four times: 2^32*n/255, cut off. Rounded up to a float that is the nearest to it, since
// n/255 repeats the bits of n, and the rest after those of a float begins with a 1. 0 stays 0.
DATA byteOf<>+0(SB)/8, $0x0404040400000000
DATA byteOf<>+8(SB)/8, $0x0c0c0c0c08080808
DATA byteOf<>+16(SB)/8, $0x0505050501010101
DATA byteOf<>+24(SB)/8, $0x0d0d0d0d09090909
DATA byteOf<>+32(SB)/8, $0x0606060602020202
DATA byteOf<>+40(SB)/8, $0x0e0e0e0e0a0a0a0a
DATA byteOf<>+48(SB)/8, $0x0707070703030303
DATA byteOf<>+56(SB)/8, $0x0f0f0f0f0b0b0b0b
GLOBL byteOf<>(SB), RODATA|NOPTR, $64

// scale: 2^-32.
DATA scale<>+0(SB)/4, $0x2f800000
GLOBL scale<>(SB), RODATA|NOPTR, $4

// TEXELS reads those with the numbers n.
#define TEXELS(n, to) \
	KMOVW      K1, K2; \
	VPXORD     to, to, to; \
	VPGATHERDD (SI)(n*4), K2, to

// PAIR reads two neighbours of two lanes, and the two under them.
#define PAIR(at, upper, lower) \
	MOVL    (at)(R13)(CX*4), AX; \
	MOVL    (at+4)(R13)(CX*4), BX; \
	VMOVQ   (SI)(AX*4), upper; \
	VMOVQ   (R8)(AX*4), lower; \
	VMOVHPS (SI)(BX*4), upper, upper; \
	VMOVHPS (R8)(BX*4), lower, lower

// VALUE is 2^32 times a component, as the format rounds it.
#define VALUE(texel, byte, to) \
	VPSHUFB          byte, texel, to; \
	VCVTUDQ2PS.RU_SAE to, to

// MIXED is component k of four texels, mixed into what there is if there are weights.
#define MIXED(k, byte, done) \
	VALUE(Z1, byte, Z9); \
	VALUE(Z2, byte, Z10); \
	VALUE(Z3, byte, Z11); \
	VALUE(Z4, byte, Z12); \
	VMULPS  Z7, Z9, Z9; \
	VMULPS  Z5, Z10, Z10; \
	VMULPS  Z7, Z11, Z11; \
	VMULPS  Z5, Z12, Z12; \
	VMULPS  Z8, Z9, Z9; \
	VMULPS  Z8, Z10, Z10; \
	VMULPS  Z6, Z11, Z11; \
	VMULPS  Z6, Z12, Z12; \
	VADDPS  Z10, Z9, Z9; \
	VADDPS  Z11, Z9, Z9; \
	VADDPS  Z12, Z9, Z9; \
	TESTQ   R12, R12; \
	JZ      done; \
	VMULPS  (256*k)(DI)(CX*4), Z21, Z10; \
	VMULPS  Z20, Z9, Z9; \
	VADDPS  Z9, Z10, Z9; \
done: \
	VMOVUPS Z9, K1, (256*k)(DI)(CX*4)

// What fourWide keeps of sixteen lanes after the indices of their texels: masks.
#define isFar 256      // lanes whose texels are no neighbours
#define isOdd 258      // lanes that do not read the four in order
#define highI0 260     // lanes whose texel at i is the right one
#define highI1 262     // at j
#define highJ0 264     // lanes whose row i is the lower one
#define highJ1 266     // row j

// func fourWide(t *[4][rowLanes]uint32, data *byte, width, height uint32, x, y *places, weight *[rowLanes]float32, need uint64)
TEXT ·fourWide(SB), NOSPLIT, $384-56
	MOVQ            t+0(FP), DI
	MOVQ            data+8(FP), SI
	MOVL            width+16(FP), R9
	MOVL            height+20(FP), AX
	MOVQ            x+24(FP), R10
	MOVQ            y+32(FP), R11
	MOVQ            weight+40(FP), R12
	MOVQ            need+48(FP), DX
	LEAQ            63(SP), R13
	ANDQ            $~63, R13
	LEAQ            (SI)(R9*4), R8 // the second row
	VPTERNLOGD      $0xff, Z28, Z28, Z28
	VPABSD          Z28, Z17       // 1
	VPADDD          Z28, Z28, Z28  // -2
	VPBROADCASTD    R9, Z29
	VPADDD          Z28, Z29, Z19
	VPBROADCASTD    AX, Z26
	VPADDD          Z28, Z26, Z26
	VBROADCASTI32X4 byteOf<>+0(SB), Z22
	VBROADCASTI32X4 byteOf<>+16(SB), Z23
	VBROADCASTI32X4 byteOf<>+32(SB), Z24
	VBROADCASTI32X4 byteOf<>+48(SB), Z25
	VBROADCASTSS    ·laneNumbers+0(SB), Z31
	VBROADCASTSS    scale<>+0(SB), Z30
	XORQ            CX, CX

	// From how far on places are far: 2. Where there are no two rows of two texels all are.
	VPXORD Z27, Z27, Z27
	CMPL   R9, $2
	JB     placeLoop
	CMPL   AX, $2
	JB     placeLoop
	VPSUBD Z28, Z27, Z27

	// First the numbers of all texels, so that no load waits for them.
placeLoop:
	TESTQ      $0xffff, DX
	JZ         placeNext
	KMOVW      DX, K1
	VMOVDQU32  places_i(R10)(CX*4), Z3
	VMOVDQU32  places_j(R10)(CX*4), Z4
	VMOVDQU32  places_i(R11)(CX*4), Z5
	VMOVDQU32  places_j(R11)(CX*4), Z6
	VPMINUD    Z4, Z3, Z1
	VPMINUD    Z6, Z5, Z2
	VPMINUD    Z19, Z1, Z1
	VPMINUD    Z26, Z2, Z2
	VPMULLD    Z29, Z2, Z7
	VPADDD.Z   Z1, Z7, K1, Z7
	VMOVDQU32  Z7, (R13)(CX*4)
	VPSUBD     Z1, Z3, Z3
	VPSUBD     Z1, Z4, Z4
	VPSUBD     Z2, Z5, Z5
	VPSUBD     Z2, Z6, Z6
	VPORD      Z3, Z4, Z8
	VPTERNLOGD $0xfe, Z5, Z6, Z8
	VPCMPUD    $5, Z27, Z8, K1, K2
	KMOVW      K2, isFar(R13)(CX*1)
	VPTESTMD   Z3, Z3, K3
	VPTESTMD   Z4, Z4, K4
	VPTESTMD   Z5, Z5, K5
	VPTESTMD   Z6, Z6, K6
	KMOVW      K3, highI0(R13)(CX*1)
	KMOVW      K4, highI1(R13)(CX*1)
	KMOVW      K5, highJ0(R13)(CX*1)
	KMOVW      K6, highJ1(R13)(CX*1)
	VPORD      Z3, Z5, Z3
	VPANDD     Z4, Z6, Z4
	VPTESTMD   Z3, Z3, K1, K2
	VPCMPD     $4, Z17, Z4, K1, K3
	KORW       K2, K3, K3
	KMOVW      K3, isOdd(R13)(CX*1)

placeNext:
	ADDQ $16, CX
	SHRQ $16, DX
	JNZ  placeLoop
	MOVQ need+48(FP), DX
	XORQ CX, CX

fourLoop:
	TESTQ        $0xffff, DX
	JZ           fourNext
	KMOVW        DX, K1
	CMPW         isFar(R13)(CX*1), $0
	JNE          far
	PAIR(0, X1, X9)
	PAIR(8, X2, X10)
	PAIR(16, X3, X11)
	PAIR(24, X4, X12)
	PAIR(32, X5, X13)
	PAIR(40, X6, X14)
	PAIR(48, X7, X15)
	PAIR(56, X8, X0)
	VINSERTI128  $1, X3, Y1, Y1
	VINSERTI128  $1, X4, Y2, Y2
	VINSERTI128  $1, X7, Y5, Y5
	VINSERTI128  $1, X8, Y6, Y6
	VINSERTI64X4 $1, Y5, Z1, Z1
	VINSERTI64X4 $1, Y6, Z2, Z2
	VINSERTI128  $1, X11, Y9, Y9
	VINSERTI128  $1, X12, Y10, Y10
	VINSERTI128  $1, X15, Y13, Y13
	VINSERTI128  $1, X0, Y14, Y14
	VINSERTI64X4 $1, Y13, Z9, Z9
	VINSERTI64X4 $1, Y14, Z10, Z10
	VSHUFPS      $0x88, Z10, Z9, Z3
	VSHUFPS      $0xdd, Z10, Z9, Z4
	VSHUFPS      $0x88, Z2, Z1, Z5
	VSHUFPS      $0xdd, Z2, Z1, Z2
	VMOVAPS      Z5, Z1
	CMPW         isOdd(R13)(CX*1), $0
	JNE          odd

mix:
	VMOVUPS places_w(R10)(CX*4), Z5
	VMOVUPS places_w(R11)(CX*4), Z6
	VSUBPS  Z5, Z31, Z7
	VSUBPS  Z6, Z31, Z8

	// Weights are 0 or far above 2^-32, so that this rounds nothing.
	VMULPS  Z30, Z5, Z5
	VMULPS  Z30, Z7, Z7
	TESTQ   R12, R12
	JZ      four
	VMOVUPS (R12)(CX*4), Z20
	VSUBPS  Z20, Z31, Z21

four:
	MIXED(0, Z22, four0)
	MIXED(1, Z23, four1)
	MIXED(2, Z24, four2)
	MIXED(3, Z25, four3)

fourNext:
	ADDQ $16, CX
	SHRQ $16, DX
	JNZ  fourLoop
	VZEROUPPER
	RET

	// Texels as lanes take them: the left or the right one, of the upper or the lower row.
odd:
	KMOVW     highI0(R13)(CX*1), K3
	KMOVW     highI1(R13)(CX*1), K4
	KMOVW     highJ0(R13)(CX*1), K5
	KMOVW     highJ1(R13)(CX*1), K6
	VPBLENDMD Z2, Z1, K3, Z7
	VPBLENDMD Z2, Z1, K4, Z8
	VPBLENDMD Z4, Z3, K3, Z9
	VPBLENDMD Z4, Z3, K4, Z10
	VPBLENDMD Z9, Z7, K5, Z1
	VPBLENDMD Z10, Z8, K5, Z2
	VPBLENDMD Z9, Z7, K6, Z3
	VPBLENDMD Z10, Z8, K6, Z4
	JMP       mix

far:
	VPMULLD places_j(R11)(CX*4), Z29, Z2
	VPMULLD places_i(R11)(CX*4), Z29, Z1
	VMOVUPS places_i(R10)(CX*4), Z3
	VMOVUPS places_j(R10)(CX*4), Z4
	VPADDD  Z3, Z1, Z5
	VPADDD  Z4, Z1, Z6
	VPADDD  Z3, Z2, Z7
	VPADDD  Z4, Z2, Z8
	TEXELS(Z5, Z1)
	TEXELS(Z6, Z2)
	TEXELS(Z7, Z3)
	TEXELS(Z8, Z4)
	JMP     mix
