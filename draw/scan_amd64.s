#include "go_asm.h"
#include "textflag.h"
#include "scan_amd64.h"

// NEXTROW goes a row of quads down and leaves in X0 to X2 what the edges are where it starts.
#define NEXTROW \
	INCQ R13; \
	VMOVSD (scan_start+0)(DI), X0; \
	VMOVSD (scan_start+8)(DI), X1; \
	VMOVSD (scan_start+16)(DI), X2; \
	VADDSD (scan_down+0)(DI), X0, X0; \
	VADDSD (scan_down+8)(DI), X1, X1; \
	VADDSD (scan_down+16)(DI), X2, X2; \
	VMOVSD X0, (scan_start+0)(DI); \
	VMOVSD X1, (scan_start+8)(DI); \
	VMOVSD X2, (scan_start+16)(DI)

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
	VMOVUPD      scan_start(DI), Y3
	CMPQ         CX, DX
	JGE          coverEnd
	CMPQ         R8, R9
	JGT          coverRow

coverQuad:
	VADDPD     Y13, Y4, Y0
	VADDPD     Y14, Y5, Y1
	VCVTPD2PSY Y0, X2
	VMOVUPS    X2, (SI)(CX*4)
	VCVTPD2PSY Y1, X2
	VMOVUPS    X2, 256(SI)(CX*4)
	VPSUBQ     Y10, Y0, Y0 // below 0 outside: as whole numbers the bits of floats are in order
	VPSUBQ     Y11, Y1, Y1
	VPOR       Y1, Y0, Y0
	VADDPD     Y15, Y6, Y1
	VCVTPD2PSY Y1, X2
	VMOVUPS    X2, 512(SI)(CX*4)
	VPSUBQ     Y12, Y1, Y1
	VADDPD     Y7, Y4, Y4
	VADDPD     Y8, Y5, Y5
	VPOR       Y1, Y0, Y0
	VADDPD     Y9, Y6, Y6
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
	CMPQ       CX, DX
	JGE        coverEnd
	CMPQ       R8, R9
	JLE        coverQuad

coverRow:
	INCQ         R13
	VADDPD       scan_down(DI), Y3, Y3
	CMPQ         R13, scan_lastRow(DI)
	JGT          coverEnd
	MOVBLZX      scan_rowBoxes(DI)(R13*1), R10
	MOVBQSX      scan_lasts(DI)(R13*1), R9
	MOVBQSX      scan_firsts(DI)(R13*1), R8
	PLACE
	VXORPD       X0, X0, X0
	VCVTSI2SDQ   R8, X0, X0
	VBROADCASTSD X0, Y0
	VMULPD       Y7, Y0, Y4
	VMULPD       Y8, Y0, Y5
	VMULPD       Y9, Y0, Y6
	VPERMPD      $0x00, Y3, Y0
	VPERMPD      $0x55, Y3, Y1
	VPERMPD      $0xaa, Y3, Y2
	VADDPD       Y0, Y4, Y4
	VADDPD       Y1, Y5, Y5
	VADDPD       Y2, Y6, Y6
	CMPQ         R8, R9
	JLE          coverQuad
	JMP          coverRow

coverEnd:
	VMOVUPD Y3, scan_start(DI)
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

// The distance of adjacent quads, as places.
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
