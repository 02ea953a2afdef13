#include "go_asm.h"
#include "textflag.h"

// Texels of eight lanes at a time. The formulas and their order are those of texquick.go; what is fused is exact but for its last rounding.

DATA laneBits<>+0(SB)/4, $0x1
DATA laneBits<>+4(SB)/4, $0x2
DATA laneBits<>+8(SB)/4, $0x4
DATA laneBits<>+12(SB)/4, $0x8
DATA laneBits<>+16(SB)/4, $0x10
DATA laneBits<>+20(SB)/4, $0x20
DATA laneBits<>+24(SB)/4, $0x40
DATA laneBits<>+28(SB)/4, $0x80
GLOBL laneBits<>(SB), RODATA|NOPTR, $32

// thrice: for each component, its byte n three times: 2^24*n/255, cut off. A float holds that, and the next one is the nearest to 2^24*n/255, since n/255
// repeats the bits of n, and the rest after those of a float begins with a 1.
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

// PARTS makes Y9 to Y12 component k of four texels, times the weights along the first axis.
#define PARTS(k) \
	TIMES(Y1, k, Y9); \
	TIMES(Y2, k, Y10); \
	TIMES(Y3, k, Y11); \
	TIMES(Y4, k, Y12); \
	VMULPS Y7, Y9, Y9; \
	VMULPS Y5, Y10, Y10; \
	VMULPS Y7, Y11, Y11; \
	VMULPS Y5, Y12, Y12

// SUM makes Y9 component k of four texels: their sum by weights, or with axes pairs along the first axis, then these.
#define SUM(k, pairs, done) \
	PARTS(k); \
	CMPB   axes+68(FP), $0; \
	JNE    pairs; \
	VMULPS Y8, Y9, Y9; \
	VMULPS Y8, Y10, Y10; \
	VMULPS Y6, Y11, Y11; \
	VMULPS Y6, Y12, Y12; \
	VADDPS Y10, Y9, Y9; \
	VADDPS Y11, Y9, Y9; \
	VADDPS Y12, Y9, Y9; \
	JMP    done; \
pairs: \
	VADDPS Y10, Y9, Y9; \
	VADDPS Y12, Y11, Y11; \
	VMULPS Y8, Y9, Y9; \
	VMULPS Y6, Y11, Y11; \
	VADDPS Y11, Y9, Y9; \
done:

// MIXED gives it to the lanes of need, WHOLE to all eight.
#define MIXED(k, pairs, sum, done) \
	SUM(k, pairs, sum) \
	GIVE(k, done)

#define WHOLE(k, pairs, sum) \
	SUM(k, pairs, sum) \
	VMOVUPS Y9, (256*k)(DI)(CX*4)

// What fourRows keeps of eight lanes after the indices of their texels: masks.
#define isFar 256      // lanes whose texels are no neighbours
#define isOdd 257      // lanes that do not read the four in order
#define lastColumn 320 // at which two begin, eight times
#define lastRow 352

// RIGHT makes of two places along an axis, which are at most one apart, masks of lanes whose place is the second of the two that have been read.
#define RIGHT(edge, i, j) \
	VPMINUD i, j, Y10; \
	VPMINUD edge(R13), Y10, Y10; \
	VPSUBD  Y10, i, i; \
	VPSUBD  Y10, j, j; \
	VPSLLD  $31, i, i; \
	VPSLLD  $31, j, j

// func fourRows(t *[4][rowLanes]uint32, data *byte, width, height uint32, x, y *places, weight *[rowLanes]float32, need uint64, count int, pitch uint32, axes bool)
TEXT ·fourRows(SB), NOSPLIT, $416-69
	MOVQ         t+0(FP), DI
	MOVQ         data+8(FP), SI
	MOVL         width+16(FP), BX
	MOVL         pitch+64(FP), R9
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
	VMOVD        BX, X15
	VPBROADCASTD X13, Y13
	VPBROADCASTD X14, Y14
	VPBROADCASTD X15, Y15
	VPADDD       Y10, Y15, Y15
	VPADDD       Y10, Y14, Y14
	VMOVDQU      Y15, lastColumn(R13)
	VMOVDQU      Y14, lastRow(R13)
	XORQ         CX, CX

	// Where there are no two rows of two texels all are far.
	CMPL BX, $2
	JB   narrow
	XORL BX, BX
	CMPL AX, $2
	JAE  placeLoop

narrow:
	MOVL $0xff, BX

	// First the numbers of all texels, so that no load waits for them.
placeLoop:
	TESTQ     $0xff, DX
	JZ        placeNext
	LANES
	VMOVDQU   places_i(R10)(CX*4), Y3
	VMOVDQU   places_j(R10)(CX*4), Y4
	VMOVDQU   places_i(R11)(CX*4), Y5
	VMOVDQU   places_j(R11)(CX*4), Y6
	VPMINUD   Y4, Y3, Y1
	VPMINUD   Y6, Y5, Y2
	VPMINUD   Y15, Y1, Y1
	VPMINUD   Y14, Y2, Y2
	VPSUBD    Y1, Y3, Y3
	VPSUBD    Y1, Y4, Y4
	VPSUBD    Y2, Y5, Y5
	VPSUBD    Y2, Y6, Y6
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
	VBROADCASTSS ·laneNumbers+8(SB), Y14
	VBROADCASTSS ·laneNumbers+12(SB), Y15
	MOVQ         need+48(FP), DX
	XORQ         CX, CX

fourLoop:
	TESTQ       $0xff, DX
	JZ          fourNext
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
	CMPB   DX, $0xff
	JNE    some
	TESTQ  R12, R12
	JNZ    some
	WHOLE(0, wholePairs0, wholeSum0)
	CMPQ   count+56(FP), $2
	JLT    fourNext
	WHOLE(1, wholePairs1, wholeSum1)
	CMPQ   count+56(FP), $3
	JLT    fourNext
	WHOLE(2, wholePairs2, wholeSum2)
	CMPQ   count+56(FP), $4
	JLT    fourNext
	WHOLE(3, wholePairs3, wholeSum3)

fourNext:
	ADDQ $8, CX
	SHRQ $8, DX
	JNZ  fourLoop
	VZEROUPPER
	RET

some:
	LANES
	MIXED(0, somePairs0, someSum0, four0)
	CMPQ   count+56(FP), $2
	JLT    fourNext
	MIXED(1, somePairs1, someSum1, four1)
	CMPQ   count+56(FP), $3
	JLT    fourNext
	MIXED(2, somePairs2, someSum2, four2)
	CMPQ   count+56(FP), $4
	JLT    fourNext
	MIXED(3, somePairs3, someSum3, four3)
	JMP    fourNext

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
	LANES
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
	TIMES(Y1, 0, Y9)
	VMULPS Y15, Y9, Y9
	GIVE(0, nearest0)
	TIMES(Y1, 1, Y9)
	VMULPS Y15, Y9, Y9
	GIVE(1, nearest1)
	TIMES(Y1, 2, Y9)
	VMULPS Y15, Y9, Y9
	GIVE(2, nearest2)
	TIMES(Y1, 3, Y9)
	VMULPS Y15, Y9, Y9
	GIVE(3, nearest3)

nearestNext:
	ADDQ $8, CX
	SHRQ $8, DX
	JNZ  nearestLoop
	VZEROUPPER
	RET
