#include "go_asm.h"
#include "textflag.h"

// ROWS makes AX where the first pixel of the quad at DI is, and R14 the one under it.
#define ROWS \
	MOVLQSX quad_y(DI), AX; \
	IMULQ   R9, AX; \
	MOVLQSX quad_x(DI), R15; \
	ADDQ    R15, AX; \
	LEAQ    (R8)(AX*4), AX; \
	LEAQ    (AX)(R9*4), R14

// BESIDE jumps to one unless the next quad is to the right of the one at DI: x is the low half of a place. The two are two rows of four pixels.
#define BESIDE(one) \
	MOVQ quad__size(DI), R15; \
	SUBQ (DI), R15; \
	CMPQ R15, $2; \
	JNE  one

// Tests of depths: each is one predicate of a comparison, with a NaN as Compare says.

// func testAlways(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·testAlways(SB), NOSPLIT, $0-72
#define PREDICATE $15
#include "test_amd64.h"
#undef PREDICATE

// func testNever(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·testNever(SB), NOSPLIT, $0-72
#define PREDICATE $11
#include "test_amd64.h"
#undef PREDICATE

// func testLess(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·testLess(SB), NOSPLIT, $0-72
#define PREDICATE $1
#include "test_amd64.h"
#undef PREDICATE

// func testLessEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·testLessEqual(SB), NOSPLIT, $0-72
#define PREDICATE $2
#include "test_amd64.h"
#undef PREDICATE

// func testEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·testEqual(SB), NOSPLIT, $0-72
#define PREDICATE $0
#include "test_amd64.h"
#undef PREDICATE

// func testNotEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·testNotEqual(SB), NOSPLIT, $0-72
#define PREDICATE $4
#include "test_amd64.h"
#undef PREDICATE

// func testGreaterEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·testGreaterEqual(SB), NOSPLIT, $0-72
#define PREDICATE $13
#include "test_amd64.h"
#undef PREDICATE

// func testGreater(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·testGreater(SB), NOSPLIT, $0-72
#define PREDICATE $14
#include "test_amd64.h"
#undef PREDICATE

// func packQuads(w *waveRows, quads *[ir.MaxLanes / 4]quad, to int, stay, left uint64) (covered uint64)
TEXT ·packQuads(SB), NOSPLIT, $0-48
	MOVQ w+0(FP), SI
	MOVQ quads+8(FP), DI
	MOVQ to+16(FP), DX
	MOVQ stay+24(FP), R8
	MOVQ left+32(FP), R9
	XORL R10, R10
	JMP  packNext

packQuad:
	BSFQ   R8, CX
	LEAQ   -1(R8), AX
	ANDQ   AX, R8
	MOVUPS (waveRows_e+0)(SI)(CX*4), X0
	MOVUPS (waveRows_e+256)(SI)(CX*4), X1
	MOVUPS (waveRows_e+512)(SI)(CX*4), X2
	MOVUPS waveRows_depth(SI)(CX*4), X3
	MOVQ   (DI)(CX*2), BX
	MOVUPS X0, (waveRows_e+0)(SI)(DX*4)
	MOVUPS X1, (waveRows_e+256)(SI)(DX*4)
	MOVUPS X2, (waveRows_e+512)(SI)(DX*4)
	MOVUPS X3, waveRows_depth(SI)(DX*4)
	MOVQ   BX, (DI)(DX*2)
	MOVQ   R9, AX
	SHRQ   CX, AX
	ANDL   $15, AX
	MOVQ   DX, CX
	SHLQ   CX, AX
	ORQ    AX, R10
	ADDQ   $4, DX

packNext:
	TESTQ R8, R8
	JNE   packQuad
	MOVQ  R10, covered+40(FP)
	RET

// func storeQuads(quads *[ir.MaxLanes / 4]quad, color *byte, width, to int, lanes uint64, pixels *[ir.MaxLanes]uint32)
TEXT ·storeQuads(SB), NOSPLIT, $0-48
	MOVQ quads+0(FP), DI
	MOVQ color+8(FP), R8
	MOVQ width+16(FP), R9
	MOVQ to+24(FP), DX
	MOVQ lanes+32(FP), R10
	MOVQ pixels+40(FP), SI
	LEAQ pixelMasks<>(SB), R13
	XORQ CX, CX

storeLoop:
	CMPQ   CX, DX
	JGE    storeEnd
	MOVQ   R10, BX
	SHRQ   CX, BX
	CMPB   BX, $0xff
	JEQ    storeTwo

storeOne:
	ANDL   $15, BX
	JZ     storeNext
	ROWS
	MOVUPS (SI)(CX*4), X0
	CMPL   BX, $15
	JEQ    storeWhole
	SHLQ   $4, BX
	MOVSD  (AX), X1
	MOVHPS (R14), X1
	MOVUPS (R13)(BX*1), X2
	ANDPS  X2, X0
	ANDNPS X1, X2
	ORPS   X2, X0

storeWhole:
	MOVLPS X0, (AX)
	MOVHPS X0, (R14)

storeNext:
	ADDQ $quad__size, DI
	ADDQ $4, CX
	JMP  storeLoop

storeTwo:
	BESIDE(storeOne)
	ROWS
	MOVUPS   (SI)(CX*4), X0
	MOVUPS   16(SI)(CX*4), X1
	MOVAPS   X0, X2
	UNPCKLPD X1, X0
	UNPCKHPD X1, X2
	MOVUPS   X0, (AX)
	MOVUPS   X2, (R14)
	ADDQ     $(2*quad__size), DI
	ADDQ     $8, CX
	JMP      storeLoop

storeEnd:
	RET

// CHANNEL is a channel as fractions of 255, at most that. What is less than 0 is so then, and a NaN stays one.
#define CHANNEL(from, most, to) \
	VMULPS (from)(CX*4), most, to \
	VMINPS to, most, to

// CHANNELS are those of the lanes from CX on, whose rows are at SI and R11 to R13.
#define CHANNELS(most, r0, r1, r2, r3) \
	CHANNEL(SI, most, r0)  \
	CHANNEL(R11, most, r1) \
	CHANNEL(R12, most, r2) \
	CHANNEL(R13, most, r3)

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

// PACK brings four channels, as whole numbers, together in the first of them. As such NaNs are less than 0, and packing makes 0 of all that are.
#define PACK(order, r0, r1, r2, r3) \
	VPACKSSDW r1, r0, r0    \
	VPACKSSDW r3, r2, r2    \
	VPACKUSWB r2, r0, r0    \
	VPSHUFB   order, r0, r0

// BYTES makes pixels of lanes from CX on in the first of the registers: cut off if AX is not 0.
#define BYTES(most, order, r0, r1, r2, r3, cut, pack) \
	CHANNELS(most, r0, r1, r2, r3) \
	TESTL AX, AX                   \
	JNE   cut                      \
	NEAREST(r0, r1, r2, r3)        \
	JMP   pack                     \
cut:                               \
	CUT(r0, r1, r2, r3)            \
pack:                              \
	PACK(order, r0, r1, r2, r3)

// CHANNELROWS makes SI and R11 to R13 the rows of the channels at AX, Y4 and Y5 what BYTES takes.
#define CHANNELROWS \
	MOVQ           0(AX), SI            \
	MOVQ           24(AX), R11          \
	MOVQ           48(AX), R12          \
	MOVQ           72(AX), R13          \
	VBROADCASTI128 byPixel<>+0(SB), Y4  \
	VBROADCASTSS   most<>+0(SB), Y5

// func byteRow(to []uint32, channels *[4][]uint32, truncate bool)
TEXT ·byteRow(SB), NOSPLIT, $0-33
	MOVQ    to_base+0(FP), DI
	MOVQ    to_len+8(FP), DX
	MOVQ    channels+24(FP), AX
	CHANNELROWS
	MOVBLZX truncate+32(FP), AX
	XORQ    CX, CX
	SUBQ    $8, DX

bytesEight:
	CMPQ    CX, DX
	JGT     bytesFour
	BYTES(Y5, Y4, Y0, Y1, Y2, Y3, bytesCut, bytesPack)
	VMOVDQU Y0, (DI)(CX*4)
	ADDQ    $8, CX
	JMP     bytesEight

bytesFour:
	ADDQ    $4, DX
	CMPQ    CX, DX
	JGT     bytesEnd
	BYTES(X5, X4, X0, X1, X2, X3, bytesCutFour, bytesPackFour)
	VMOVDQU X0, (DI)(CX*4)

bytesEnd:
	VZEROUPPER
	RET

// MERGE writes pixels of the quad at DI, those of the lowest bits of BX.
#define MERGE(pixels, old, mask, whole, none) \
	ANDL      $15, BX                  \
	JZ        none                     \
	ROWS                               \
	CMPL      BX, $15                  \
	JEQ       whole                    \
	SHLQ      $4, BX                   \
	LEAQ      pixelMasks<>(SB), R15    \
	VMOVSD    (AX), old                \
	VMOVHPS   (R14), old, old          \
	VMOVUPS   (R15)(BX*1), mask        \
	VBLENDVPS mask, pixels, old, pixels \
whole:                                 \
	VMOVLPS   pixels, (AX)             \
	VMOVHPS   pixels, (R14)            \
none:

// PAINTFOUR writes four adjacent quads in the rows at AX and R14, and compares CX with the number of lanes.
#define PAINTFOUR(whole) \
	CHANNELS(Y5, Y6, Y1, Y2, Y3)      \
	whole(Y6, Y1, Y2, Y3)             \
	PACK(Y4, Y6, Y1, Y2, Y3)          \
	ADDQ        $8, CX                \
	CHANNELS(Y5, Y0, Y1, Y2, Y3)      \
	whole(Y0, Y1, Y2, Y3)             \
	PACK(Y4, Y0, Y1, Y2, Y3)          \
	VPUNPCKLQDQ Y0, Y6, Y1            \
	VPUNPCKHQDQ Y0, Y6, Y2            \
	VPERMQ      $0xd8, Y1, Y1         \
	VPERMQ      $0xd8, Y2, Y2         \
	VMOVDQU     Y1, -16(AX)(CX*2)     \
	VMOVDQU     Y2, -16(R14)(CX*2)    \
	ADDQ        $8, CX                \
	CMPQ        CX, DX

// func paintQuads(quads *[ir.MaxLanes / 4]quad, color *byte, width, to int, lanes uint64, channels *[4][]uint32, truncate bool)
TEXT ·paintQuads(SB), NOSPLIT, $0-49
	MOVQ quads+0(FP), DI
	MOVQ color+8(FP), R8
	MOVQ width+16(FP), R9
	MOVQ to+24(FP), DX
	MOVQ lanes+32(FP), R10
	MOVQ channels+40(FP), AX
	CHANNELROWS
	XORQ CX, CX
	CMPQ R10, $-1
	JEQ  paintWave

paintSome:
	SUBQ $8, DX

paintTwo:
	CMPQ         CX, DX
	JGT          paintOne
	MOVBLZX      truncate+48(FP), AX
	BYTES(Y5, Y4, Y0, Y1, Y2, Y3, paintCut, paintPack)
	MOVQ         R10, BX
	SHRQ         CX, BX
	CMPB         BX, $0xff
	JNE          paintApart
	BESIDE(paintApart)
	ROWS
	VPERMQ       $0xd8, Y0, Y0
	VMOVDQU      X0, (AX)
	VEXTRACTI128 $1, Y0, (R14)

paintNext:
	ADDQ $(2*quad__size), DI
	ADDQ $8, CX
	JMP  paintTwo

paintApart:
	VEXTRACTI128 $1, Y0, X1
	MERGE(X0, X2, X3, paintWhole, paintNone)
	ADDQ         $quad__size, DI
	MOVQ         R10, BX
	SHRQ         CX, BX
	SHRQ         $4, BX
	MERGE(X1, X2, X3, paintSecond, paintNeither)
	SUBQ         $quad__size, DI
	JMP          paintNext

paintOne:
	ADDQ    $4, DX
	CMPQ    CX, DX
	JGT     paintEnd
	MOVBLZX truncate+48(FP), AX
	BYTES(X5, X4, X0, X1, X2, X3, paintCutOne, paintPackOne)
	MOVQ    R10, BX
	SHRQ    CX, BX
	MERGE(X0, X2, X3, paintLast, paintEnd)
	VZEROUPPER
	RET

	// All lanes of the widest wave. If its quads are adjacent they are two rows of pixels.
paintWave:
	VMOVDQU      0(DI), Y0
	VMOVDQU      32(DI), Y1
	VMOVDQU      64(DI), Y2
	VMOVDQU      96(DI), Y3
	VMOVDQU      8(DI), Y6
	VMOVDQU      40(DI), Y7
	VMOVDQU      72(DI), Y8
	VPSUBQ       88(DI), Y3, Y3
	VPSUBQ       Y0, Y6, Y0
	VPSUBQ       Y1, Y7, Y1
	VPSUBQ       Y2, Y8, Y2
	VPBROADCASTQ oneRight<>(SB), Y6
	VPCMPEQQ     Y6, Y0, Y0
	VPCMPEQQ     Y6, Y1, Y1
	VPCMPEQQ     Y6, Y2, Y2
	VPCMPEQQ     Y6, Y3, Y3
	VPAND        Y0, Y1, Y0
	VPAND        Y2, Y3, Y2
	VPAND        Y0, Y2, Y0
	VMOVMSKPD    Y0, AX
	CMPL         AX, $15
	JNE          paintSome
	ROWS
	CMPB         truncate+48(FP), $0
	JNE          paintCutFour

paintFour:
	PAINTFOUR(NEAREST)
	JLT paintFour
	VZEROUPPER
	RET

paintCutFour:
	PAINTFOUR(CUT)
	JLT paintCutFour
	VZEROUPPER
	RET

// oneRight is the distance of a quad from the one to its left, as places.
DATA oneRight<>+0(SB)/8, $2
GLOBL oneRight<>(SB), RODATA|NOPTR, $8

DATA pixelMasks<>+0(SB)/4, $0x0
DATA pixelMasks<>+4(SB)/4, $0x0
DATA pixelMasks<>+8(SB)/4, $0x0
DATA pixelMasks<>+12(SB)/4, $0x0
DATA pixelMasks<>+16(SB)/4, $0xffffffff
DATA pixelMasks<>+20(SB)/4, $0x0
DATA pixelMasks<>+24(SB)/4, $0x0
DATA pixelMasks<>+28(SB)/4, $0x0
DATA pixelMasks<>+32(SB)/4, $0x0
DATA pixelMasks<>+36(SB)/4, $0xffffffff
DATA pixelMasks<>+40(SB)/4, $0x0
DATA pixelMasks<>+44(SB)/4, $0x0
DATA pixelMasks<>+48(SB)/4, $0xffffffff
DATA pixelMasks<>+52(SB)/4, $0xffffffff
DATA pixelMasks<>+56(SB)/4, $0x0
DATA pixelMasks<>+60(SB)/4, $0x0
DATA pixelMasks<>+64(SB)/4, $0x0
DATA pixelMasks<>+68(SB)/4, $0x0
DATA pixelMasks<>+72(SB)/4, $0xffffffff
DATA pixelMasks<>+76(SB)/4, $0x0
DATA pixelMasks<>+80(SB)/4, $0xffffffff
DATA pixelMasks<>+84(SB)/4, $0x0
DATA pixelMasks<>+88(SB)/4, $0xffffffff
DATA pixelMasks<>+92(SB)/4, $0x0
DATA pixelMasks<>+96(SB)/4, $0x0
DATA pixelMasks<>+100(SB)/4, $0xffffffff
DATA pixelMasks<>+104(SB)/4, $0xffffffff
DATA pixelMasks<>+108(SB)/4, $0x0
DATA pixelMasks<>+112(SB)/4, $0xffffffff
DATA pixelMasks<>+116(SB)/4, $0xffffffff
DATA pixelMasks<>+120(SB)/4, $0xffffffff
DATA pixelMasks<>+124(SB)/4, $0x0
DATA pixelMasks<>+128(SB)/4, $0x0
DATA pixelMasks<>+132(SB)/4, $0x0
DATA pixelMasks<>+136(SB)/4, $0x0
DATA pixelMasks<>+140(SB)/4, $0xffffffff
DATA pixelMasks<>+144(SB)/4, $0xffffffff
DATA pixelMasks<>+148(SB)/4, $0x0
DATA pixelMasks<>+152(SB)/4, $0x0
DATA pixelMasks<>+156(SB)/4, $0xffffffff
DATA pixelMasks<>+160(SB)/4, $0x0
DATA pixelMasks<>+164(SB)/4, $0xffffffff
DATA pixelMasks<>+168(SB)/4, $0x0
DATA pixelMasks<>+172(SB)/4, $0xffffffff
DATA pixelMasks<>+176(SB)/4, $0xffffffff
DATA pixelMasks<>+180(SB)/4, $0xffffffff
DATA pixelMasks<>+184(SB)/4, $0x0
DATA pixelMasks<>+188(SB)/4, $0xffffffff
DATA pixelMasks<>+192(SB)/4, $0x0
DATA pixelMasks<>+196(SB)/4, $0x0
DATA pixelMasks<>+200(SB)/4, $0xffffffff
DATA pixelMasks<>+204(SB)/4, $0xffffffff
DATA pixelMasks<>+208(SB)/4, $0xffffffff
DATA pixelMasks<>+212(SB)/4, $0x0
DATA pixelMasks<>+216(SB)/4, $0xffffffff
DATA pixelMasks<>+220(SB)/4, $0xffffffff
DATA pixelMasks<>+224(SB)/4, $0x0
DATA pixelMasks<>+228(SB)/4, $0xffffffff
DATA pixelMasks<>+232(SB)/4, $0xffffffff
DATA pixelMasks<>+236(SB)/4, $0xffffffff
DATA pixelMasks<>+240(SB)/4, $0xffffffff
DATA pixelMasks<>+244(SB)/4, $0xffffffff
DATA pixelMasks<>+248(SB)/4, $0xffffffff
DATA pixelMasks<>+252(SB)/4, $0xffffffff
GLOBL pixelMasks<>(SB), RODATA|NOPTR, $256

DATA most<>+0(SB)/4, $0x437f0000
GLOBL most<>(SB), RODATA|NOPTR, $4

// byPixel brings the bytes of four pixels together of which there are those of each channel.
DATA byPixel<>+0(SB)/8, $0x0d0905010c080400
DATA byPixel<>+8(SB)/8, $0x0f0b07030e0a0602
GLOBL byPixel<>(SB), RODATA|NOPTR, $16
