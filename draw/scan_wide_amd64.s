#include "go_asm.h"
#include "textflag.h"
#include "scan_amd64.h"

// func coverWide(s *scan, e *[3][ir.MaxLanes]float32, quads *[ir.MaxLanes / 4]quad, lane, lanes int)
// As coverQuads, but two quads of a row at a time; four where all of their pixels are covered.
TEXT ·coverWide(SB), NOSPLIT, $0-40
	MOVQ         s+0(FP), DI
	MOVQ         e+8(FP), SI
	MOVQ         quads+16(FP), R11
	MOVQ         lane+24(FP), CX
	MOVQ         lanes+32(FP), DX
	MOVQ         scan_column(DI), R8
	MOVQ         scan_row(DI), R13
	MOVBQSX      scan_lasts(DI)(R13*1), R9
	MOVBLZX      scan_rowBoxes(DI)(R13*1), R10
	IMULL        $0x11, R10
	XORQ         R14, R14
	PLACE
	VBROADCASTSD (scan_at+0)(DI), Z4
	VBROADCASTSD (scan_at+8)(DI), Z5
	VBROADCASTSD (scan_at+16)(DI), Z6
	VBROADCASTSD (scan_start+0)(DI), Z28
	VBROADCASTSD (scan_start+8)(DI), Z29
	VBROADCASTSD (scan_start+16)(DI), Z30
	SLOPES
	VBROADCASTSD X7, Z7
	VBROADCASTSD X8, Z8
	VBROADCASTSD X9, Z9
	VBROADCASTSD X0, Z0
	VBROADCASTSD X1, Z1
	VBROADCASTSD X2, Z2
	VBROADCASTSD X10, Z10
	VBROADCASTSD X11, Z11
	VBROADCASTSD X12, Z12
	VMOVUPD      twoColumns<>+0(SB), Z16
	VMOVUPD      twoRows<>+0(SB), Z17
	VMULPD       Z16, Z7, Z13
	VMULPD       Z16, Z8, Z14
	VMULPD       Z16, Z9, Z15
	VMULPD       Z17, Z0, Z0
	VMULPD       Z17, Z1, Z1
	VMULPD       Z17, Z2, Z2
	VADDPD       Z0, Z13, Z13
	VADDPD       Z1, Z14, Z14
	VADDPD       Z2, Z15, Z15
	VADDPD       Z7, Z7, Z7
	VADDPD       Z8, Z8, Z8
	VADDPD       Z9, Z9, Z9
	VADDPD       Z7, Z7, Z16
	VADDPD       Z8, Z8, Z17
	VADDPD       Z9, Z9, Z18
	VADDPD       Z16, Z13, Z19
	VADDPD       Z17, Z14, Z20
	VADDPD       Z18, Z15, Z21
	VADDPD       Z16, Z16, Z22
	VADDPD       Z17, Z17, Z23
	VADDPD       Z18, Z18, Z24

wideLoop:
	CMPQ CX, DX
	JGE  wideEnd
	CMPQ R8, R9
	JGT  wideRow

// Are there four left of the row, and room for them, in the box as a whole?
	LEAQ 3(R8), AX
	LEAQ 16(CX), BX
	CMPQ AX, R9
	JGT  widePair
	CMPQ BX, DX
	JGT  widePair
	CMPL R10, $0xff
	JNE  widePair
	CMPL scan_boxes(DI)(R8*1), $0x0f0f0f0f
	JNE  widePair

	VADDPD          Z13, Z4, Z0
	VADDPD          Z14, Z5, Z1
	VADDPD          Z15, Z6, Z2
	VADDPD          Z19, Z4, Z25
	VADDPD          Z20, Z5, Z26
	VADDPD          Z21, Z6, Z27
	VCMPPD          $13, Z10, Z0, K1
	VCMPPD          $13, Z10, Z25, K2
	VCMPPD          $13, Z11, Z1, K1, K1
	VCMPPD          $13, Z11, Z26, K2, K2
	VCMPPD          $13, Z12, Z2, K1, K1
	VCMPPD          $13, Z12, Z27, K2, K2
	KANDB           K1, K2, K1
	KORTESTB        K1, K1
	JCC             widePair
	VCVTPD2PS       Z0, Y0
	VCVTPD2PS       Z1, Y1
	VCVTPD2PS       Z2, Y2
	VCVTPD2PS       Z25, Y25
	VCVTPD2PS       Z26, Y26
	VCVTPD2PS       Z27, Y27
	VINSERTF64X4    $1, Y25, Z0, Z0
	VINSERTF64X4    $1, Y26, Z1, Z1
	VINSERTF64X4    $1, Y27, Z2, Z2
	VMOVUPS         Z0, (SI)(CX*4)
	VMOVUPS         Z1, 256(SI)(CX*4)
	VMOVUPS         Z2, 512(SI)(CX*4)
	VPBROADCASTQ    R15, Y3
	VPADDQ          ·fourColumns+0(SB), Y3, Y3
	VMOVDQU         Y3, (R11)(CX*2)
	VADDPD          Z22, Z4, Z4
	VADDPD          Z23, Z5, Z5
	VADDPD          Z24, Z6, Z6
	MOVL            $0xffff, AX
	SHLQ            CX, AX
	ORQ             AX, R14
	MOVQ            BX, CX
	ADDQ            $8, R15
	ADDQ            $4, R8
	JMP             wideLoop

widePair:
	VADDPD    Z13, Z4, Z0
	VADDPD    Z14, Z5, Z1
	VADDPD    Z15, Z6, Z2
	VCMPPD    $13, Z10, Z0, K1     // not less
	VCMPPD    $13, Z11, Z1, K1, K1
	VCMPPD    $13, Z12, Z2, K1, K1
	VCVTPD2PS Z0, Y0
	VCVTPD2PS Z1, Y1
	VCVTPD2PS Z2, Y2
	KMOVW     K1, AX
	MOVBLZX   scan_boxes(DI)(R8*1), BX
	MOVBLZX   (scan_boxes+1)(DI)(R8*1), R12
	SHLL      $4, R12
	ORL       R12, BX
	ANDL      R10, BX
	ANDL      BX, AX
	LEAQ      8(CX), R12
	CMPQ      R12, DX
	JGT       wideOne
	XORL      R12, R12
	CMPQ      R8, R9
	SETNE     R12
	NEGL      R12
	ORL       $15, R12
	ANDL      R12, AX // without the second if it is after the last

	// Compress those of the two that are covered, without a branch, which would be hard to predict.
	LEAQ        ofQuads<>+0(SB), R12
	MOVBLZX     (R12)(AX*1), BX
	KMOVW       BX, K1
	VCOMPRESSPS Y0, K1, Y0
	VCOMPRESSPS Y1, K1, Y1
	VCOMPRESSPS Y2, K1, Y2
	VMOVUPS     Y0, (SI)(CX*4)
	VMOVUPS     Y1, 256(SI)(CX*4)
	VMOVUPS     Y2, 512(SI)(CX*4)
	LEAQ        2(R15), R12
	MOVQ        R12, 8(R11)(CX*2)
	TESTL       $15, AX
	CMOVQNE     R15, R12
	MOVQ        R12, (R11)(CX*2)
	PEXTL       BX, AX, AX
	SHLQ        CX, AX
	ORQ         AX, R14
	POPCNTL     BX, BX
	ADDQ        BX, CX
	VADDPD      Z16, Z4, Z4
	VADDPD      Z17, Z5, Z5
	VADDPD      Z18, Z6, Z6
	ADDQ        $4, R15
	ADDQ        $2, R8
	JMP         wideLoop

// There is room for one.
wideOne:
	VADDPD  Z7, Z4, Z4
	VADDPD  Z8, Z5, Z5
	VADDPD  Z9, Z6, Z6
	ANDL    $15, AX
	JEQ     wideNext
	VMOVUPS X0, (SI)(CX*4)
	VMOVUPS X1, 256(SI)(CX*4)
	VMOVUPS X2, 512(SI)(CX*4)
	MOVQ    R15, (R11)(CX*2)
	SHLQ    CX, AX
	ORQ     AX, R14
	ADDQ    $4, CX

wideNext:
	ADDQ $2, R15
	INCQ R8
	JMP  wideLoop

wideRow:
	INCQ         R13
	VADDPD.BCST  (scan_down+0)(DI), Z28, Z28
	VADDPD.BCST  (scan_down+8)(DI), Z29, Z29
	VADDPD.BCST  (scan_down+16)(DI), Z30, Z30
	CMPQ         R13, scan_lastRow(DI)
	JGT          wideEnd
	MOVBQSX      scan_lasts(DI)(R13*1), R9
	MOVBQSX      scan_firsts(DI)(R13*1), R8
	CMPQ         R8, R9
	JGT          wideRow
	MOVBLZX      scan_rowBoxes(DI)(R13*1), R10
	IMULL        $0x11, R10
	PLACE
	VXORPD       X3, X3, X3
	VCVTSI2SDQ   R8, X3, X3
	VBROADCASTSD X3, Z3
	VMULPD       Z7, Z3, Z4
	VMULPD       Z8, Z3, Z5
	VMULPD       Z9, Z3, Z6
	VADDPD       Z28, Z4, Z4
	VADDPD       Z29, Z5, Z5
	VADDPD       Z30, Z6, Z6
	JMP          wideLoop

wideEnd:
	VMOVSD X28, (scan_start+0)(DI)
	VMOVSD X29, (scan_start+8)(DI)
	VMOVSD X30, (scan_start+16)(DI)
	LEAVE
	RET

// The lanes of two quads of which some lanes are given.
DATA ofQuads<>+0(SB)/8, $0x0f0f0f0f0f0f0f00
DATA ofQuads<>+8(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA ofQuads<>+16(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+24(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+32(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+40(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+48(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+56(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+64(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+72(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+80(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+88(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+96(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+104(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+112(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+120(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+128(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+136(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+144(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+152(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+160(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+168(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+176(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+184(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+192(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+200(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+208(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+216(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+224(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+232(SB)/8, $0xffffffffffffffff
DATA ofQuads<>+240(SB)/8, $0xfffffffffffffff0
DATA ofQuads<>+248(SB)/8, $0xffffffffffffffff
GLOBL ofQuads<>(SB), RODATA|NOPTR, $256

// How far quads are from the first of four.
DATA ·fourColumns+0(SB)/8, $0
DATA ·fourColumns+8(SB)/8, $2
DATA ·fourColumns+16(SB)/8, $4
DATA ·fourColumns+24(SB)/8, $6
GLOBL ·fourColumns(SB), RODATA|NOPTR, $32

// Where the pixels of two quads are.
DATA twoColumns<>+0(SB)/8, $0.0
DATA twoColumns<>+8(SB)/8, $1.0
DATA twoColumns<>+16(SB)/8, $0.0
DATA twoColumns<>+24(SB)/8, $1.0
DATA twoColumns<>+32(SB)/8, $2.0
DATA twoColumns<>+40(SB)/8, $3.0
DATA twoColumns<>+48(SB)/8, $2.0
DATA twoColumns<>+56(SB)/8, $3.0
GLOBL twoColumns<>(SB), RODATA|NOPTR, $64

DATA twoRows<>+0(SB)/8, $0.0
DATA twoRows<>+8(SB)/8, $0.0
DATA twoRows<>+16(SB)/8, $1.0
DATA twoRows<>+24(SB)/8, $1.0
DATA twoRows<>+32(SB)/8, $0.0
DATA twoRows<>+40(SB)/8, $0.0
DATA twoRows<>+48(SB)/8, $1.0
DATA twoRows<>+56(SB)/8, $1.0
GLOBL twoRows<>(SB), RODATA|NOPTR, $64
