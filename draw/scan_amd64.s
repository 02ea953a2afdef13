#include "go_asm.h"
#include "textflag.h"
#include "scan_amd64.h"

// func coverQuads(s *scan, e *[3][ir.MaxLanes]float32, quads *[ir.MaxLanes / 4]quad, lane, lanes int)
TEXT ·coverQuads(SB), NOSPLIT, $0-40
	MOVQ         s+0(FP), DI
	MOVQ         e+8(FP), SI
	MOVQ         quads+16(FP), R11
	MOVQ         lane+24(FP), CX
	MOVQ         lanes+32(FP), DX
	MOVQ         scan_column(DI), R8
	MOVQ         scan_row(DI), R13
	MOVBQSX      scan_lasts(DI)(R13*1), R9
	MOVBLZX      scan_rowBoxes(DI)(R13*1), R10
	XORQ         R14, R14
	VBROADCASTSD (scan_at+0)(DI), Y4
	VBROADCASTSD (scan_at+8)(DI), Y5
	VBROADCASTSD (scan_at+16)(DI), Y6
	CMPB         scan_inside(DI), $0
	JNE          inside
	PLACE
	SLOPES
	VPERMPD      $0, Y7, Y7
	VPERMPD      $0, Y0, Y0
	VPERMPD      $0, Y10, Y10
	VMULPD       pixelColumns<>+0(SB), Y7, Y13
	VMULPD       pixelColumns<>+0(SB), Y8, Y14
	VMULPD       pixelColumns<>+0(SB), Y9, Y15
	VMULPD       pixelRows<>+0(SB), Y0, Y0
	VMULPD       pixelRows<>+0(SB), Y1, Y1
	VMULPD       pixelRows<>+0(SB), Y2, Y2
	VADDPD       Y0, Y13, Y13
	VADDPD       Y1, Y14, Y14
	VADDPD       Y2, Y15, Y15
	VADDPD       Y7, Y7, Y7
	VADDPD       Y8, Y8, Y8
	VADDPD       Y9, Y9, Y9

coverLoop:
	CMPQ       CX, DX
	JGE        coverEnd
	CMPQ       R8, R9
	JGT        coverRow
	VADDPD     Y13, Y4, Y0
	VADDPD     Y14, Y5, Y1
	VADDPD     Y15, Y6, Y2
	VCVTPD2PSY Y0, X3
	VMOVUPS    X3, (SI)(CX*4)
	VPSUBQ     Y10, Y0, Y0 // below 0 outside: as whole numbers the bits of floats are in order
	VADDPD     Y7, Y4, Y4
	VCVTPD2PSY Y1, X3
	VMOVUPS    X3, 256(SI)(CX*4)
	VPSUBQ     Y11, Y1, Y1
	VADDPD     Y8, Y5, Y5
	VPOR       Y1, Y0, Y0
	VCVTPD2PSY Y2, X3
	VMOVUPS    X3, 512(SI)(CX*4)
	VPSUBQ     Y12, Y2, Y2
	VADDPD     Y9, Y6, Y6
	VPOR       Y2, Y0, Y0
	VMOVMSKPD  Y0, AX
	NOTL       AX
	MOVBLZX    scan_boxes(DI)(R8*1), BX
	ANDL       R10, BX
	XORL       R12, R12
	ANDL       BX, AX // whether there are any is hard to foretell
	SETNE      R12
	SHLQ       CX, AX
	ORQ        AX, R14
	MOVQ       R15, (R11)(CX*2)
	ADDQ       $2, R15
	INCQ       R8
	LEAQ       (CX)(R12*4), CX
	JMP        coverLoop

coverRow:
	NEXTROW
	CMPQ         R13, scan_lastRow(DI)
	JGT          coverEnd
	MOVBLZX      scan_rowBoxes(DI)(R13*1), R10
	MOVBQSX      scan_lasts(DI)(R13*1), R9
	MOVBQSX      scan_firsts(DI)(R13*1), R8
	PLACE
	VXORPD       X3, X3, X3
	VCVTSI2SDQ   R8, X3, X3
	VBROADCASTSD X3, Y3
	VBROADCASTSD X0, Y4
	VBROADCASTSD X1, Y5
	VBROADCASTSD X2, Y6
	VMULPD       Y7, Y3, Y0
	VMULPD       Y8, Y3, Y1
	VMULPD       Y9, Y3, Y2
	VADDPD       Y0, Y4, Y4
	VADDPD       Y1, Y5, Y5
	VADDPD       Y2, Y6, Y6
	JMP          coverLoop

coverEnd:
	LEAVE
	RET

inside:
	VBROADCASTSD (scan_pixels+8)(DI), Y7 // the second pixel of a quad: half as much as the next quad
	VBROADCASTSD (scan_pixels+40)(DI), Y8
	VBROADCASTSD (scan_pixels+72)(DI), Y9
	VADDPD       Y7, Y7, Y7
	VADDPD       Y8, Y8, Y8
	VADDPD       Y9, Y9, Y9
	VADDPD       Y7, Y7, Y10
	VADDPD       Y8, Y8, Y11
	VADDPD       Y9, Y9, Y12
	VMOVDQU      fourRight<>(SB), X14

insideEnter:
	PLACE
	VMOVQ        R15, X13
	VPBROADCASTQ X13, X13
	VPADDQ       twoRight<>(SB), X13, X13
	VADDPD       (scan_pixels+0)(DI), Y4, Y4
	VADDPD       (scan_pixels+32)(DI), Y5, Y5
	VADDPD       (scan_pixels+64)(DI), Y6, Y6
	MOVQ         R9, BX
	SUBQ         R8, BX
	LEAQ         4(CX)(BX*4), BX
	CMPQ         BX, DX
	CMOVQGT      DX, BX                  // lanes that the row fills
	MOVQ         BX, AX
	SUBQ         CX, AX
	SHRQ         $2, AX
	ADDQ         AX, R8
	SUBQ         $8, BX

insideTwo:
	CMPQ       CX, BX
	JGT        insideOne
	VADDPD     Y7, Y4, Y0
	VADDPD     Y8, Y5, Y1
	VADDPD     Y9, Y6, Y2
	VCVTPD2PSY Y4, X3
	VMOVUPS    X3, (SI)(CX*4)
	VCVTPD2PSY Y5, X3
	VMOVUPS    X3, 256(SI)(CX*4)
	VCVTPD2PSY Y6, X3
	VMOVUPS    X3, 512(SI)(CX*4)
	VADDPD     Y10, Y4, Y4
	VADDPD     Y11, Y5, Y5
	VADDPD     Y12, Y6, Y6
	VCVTPD2PSY Y0, X0
	VCVTPD2PSY Y1, X1
	VCVTPD2PSY Y2, X2
	VMOVUPS    X0, 16(SI)(CX*4)
	VMOVUPS    X1, 272(SI)(CX*4)
	VMOVUPS    X2, 528(SI)(CX*4)
	VMOVDQU    X13, (R11)(CX*2)
	VPADDQ     X14, X13, X13
	ADDQ       $8, CX
	JMP        insideTwo

insideOne:
	ADDQ       $4, BX
	CMPQ       CX, BX
	JGT        insideRow
	VCVTPD2PSY Y4, X0
	VCVTPD2PSY Y5, X1
	VCVTPD2PSY Y6, X2
	VADDPD     Y7, Y4, Y4
	VADDPD     Y8, Y5, Y5
	VADDPD     Y9, Y6, Y6
	VMOVUPS    X0, (SI)(CX*4)
	VMOVUPS    X1, 256(SI)(CX*4)
	VMOVUPS    X2, 512(SI)(CX*4)
	VMOVQ      X13, (R11)(CX*2)
	ADDQ       $4, CX

insideRow:
	CMPQ         CX, DX
	JGE          insideEnd
	NEXTROW
	CMPQ         R13, scan_lastRow(DI)
	JGT          insideEnd
	XORQ         R8, R8
	VBROADCASTSD X0, Y4
	VBROADCASTSD X1, Y5
	VBROADCASTSD X2, Y6
	JMP          insideEnter

insideEnd:
	INSIDE(insideNone)
	LEAVE
	RET

// How far quads beside one another stand apart, as places.
DATA twoRight<>+0(SB)/8, $0
DATA twoRight<>+8(SB)/8, $2
GLOBL twoRight<>(SB), RODATA|NOPTR, $16

DATA fourRight<>+0(SB)/8, $4
DATA fourRight<>+8(SB)/8, $4
GLOBL fourRight<>(SB), RODATA|NOPTR, $16

// Where the pixels of a quad are.
DATA pixelColumns<>+0(SB)/8, $0.0
DATA pixelColumns<>+8(SB)/8, $1.0
DATA pixelColumns<>+16(SB)/8, $0.0
DATA pixelColumns<>+24(SB)/8, $1.0
GLOBL pixelColumns<>(SB), RODATA|NOPTR, $32

DATA pixelRows<>+0(SB)/8, $0.0
DATA pixelRows<>+8(SB)/8, $0.0
DATA pixelRows<>+16(SB)/8, $1.0
DATA pixelRows<>+24(SB)/8, $1.0
GLOBL pixelRows<>(SB), RODATA|NOPTR, $32

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

// ROWS makes AX where the first pixel of the quad at DI is, and R14 the one under it.
#define ROWS \
	MOVLQSX quad_y(DI), AX; \
	IMULQ   R9, AX; \
	MOVLQSX quad_x(DI), R15; \
	ADDQ    R15, AX; \
	LEAQ    (R8)(AX*4), AX; \
	LEAQ    (AX)(R9*4), R14

// BESIDE goes to one unless the next quad stands at the right of the one at DI: x is the low half of a place. The two are two rows of four pixels.
#define BESIDE(one) \
	MOVQ quad__size(DI), R15; \
	SUBQ (DI), R15; \
	CMPQ R15, $2; \
	JNE  one

// PASSES makes R15 the lanes of which z, the depth in r0, passes against the one in r1, by the outcomes in 6 to 9.
#define PASSES(r0, r1, r2, r3, r4, r5, r6, r7, r8, r9) \
	VCMPPS    $1, r1, r0, r2; \
	VCMPPS    $1, r0, r1, r3; \
	VCMPPS    $0, r1, r0, r4; \
	VCMPPS    $3, r1, r0, r5; \
	VANDPS    r6, r2, r2; \
	VANDPS    r7, r3, r3; \
	VANDPS    r8, r4, r4; \
	VANDPS    r9, r5, r5; \
	VORPS     r3, r2, r2; \
	VORPS     r5, r4, r4; \
	VORPS     r4, r2, r2; \
	VMOVMSKPS r2, R15

// func testQuads(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, outcomes *[4][4]uint32, write bool) (passed uint64)
TEXT ·testQuads(SB), NOSPLIT, $0-80
	MOVQ           quads+0(FP), DI
	MOVQ           z+8(FP), SI
	MOVQ           depth+16(FP), R8
	MOVQ           width+24(FP), R9
	MOVQ           from+32(FP), CX
	MOVQ           to+40(FP), DX
	MOVQ           lanes+48(FP), R10
	MOVQ           outcomes+56(FP), AX
	MOVBLZX        write+64(FP), R11
	VBROADCASTF128 0(AX), Y6  // less
	VBROADCASTF128 16(AX), Y7 // greater
	VBROADCASTF128 32(AX), Y8 // equal
	VBROADCASTF128 48(AX), Y9 // unordered
	LEAQ           pixelMasks<>(SB), R13
	XORQ           R12, R12
	LEAQ           (DI)(CX*2), DI

testLoop:
	CMPQ  CX, DX
	JGE   testEnd
	MOVQ  R10, BX
	SHRQ  CX, BX
	TESTB $0x0f, BX
	JZ    testNext
	TESTB $0xf0, BX
	JZ    testOne

	BESIDE(testOne)
	ROWS
	VMOVUPS     (SI)(CX*4), Y0
	VMOVUPS     (AX), X1
	VMOVUPS     (R14), X2
	VUNPCKHPD   X2, X1, X3
	VUNPCKLPD   X2, X1, X1
	VINSERTF128 $1, X3, Y1, Y1
	PASSES(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9)
	ANDL        R15, BX
	JZ          testNextTwo
	TESTL       R11, R11
	JZ          testPassedTwo
	MOVL         BX, R15
	ANDL         $0x0f, R15
	SHLL         $4, R15
	VMOVUPS      (R13)(R15*1), X2
	MOVL         BX, R15
	ANDL         $0xf0, R15
	VINSERTF128  $1, (R13)(R15*1), Y2, Y2
	VBLENDVPS    Y2, Y0, Y1, Y0
	VEXTRACTF128 $1, Y0, X1
	VUNPCKLPD    X1, X0, X2
	VUNPCKHPD    X1, X0, X3
	VMOVUPS      X2, (AX)
	VMOVUPS      X3, (R14)

testPassedTwo:
	SHLQ CX, BX
	ORQ  BX, R12

testNextTwo:
	ADDQ $(2*quad__size), DI
	ADDQ $8, CX
	JMP  testLoop

testOne:
	ANDL      $15, BX
	ROWS
	VMOVUPS   (SI)(CX*4), X0
	VMOVSD    (AX), X1
	VMOVHPS   (R14), X1, X1
	PASSES(X0, X1, X2, X3, X4, X5, X6, X7, X8, X9)
	ANDL      R15, BX
	JZ        testNext
	TESTL     R11, R11
	JZ        testPassed
	MOVQ      BX, R15
	SHLQ      $4, R15
	VMOVUPS   (R13)(R15*1), X2
	VBLENDVPS X2, X0, X1, X0
	VMOVLPS   X0, (AX)
	VMOVHPS   X0, (R14)

testPassed:
	SHLQ CX, BX
	ORQ  BX, R12

testNext:
	ADDQ $quad__size, DI
	ADDQ $4, CX
	JMP  testLoop

testEnd:
	MOVQ R12, passed+72(FP)
	VZEROUPPER
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
