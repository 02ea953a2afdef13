//go:build !heddle_softfloat

#include "go_asm.h"
#include "textflag.h"

// The steps are those of plainSine, in their order.

// BOTH is a number of the series for each lane, of the sine or where Y15 says so of the cosine.
#define BOTH(sine, cosine, to) \
	VMOVUPD   sine(BX), to            \
	VBLENDVPD Y15, cosine(BX), to, to

// NEXT is a step of the series in 53 bits: Y5 is the sum, Y3 the square.
#define NEXT(k) \
	BOTH((sineTable_sine+32*k), (sineTable_cosine+32*k), Y7) \
	VFMADD213PD Y7, Y3, Y5

// PAIR is a step as pairs: Y5 and Y6 are the sum, Y3 and Y4 the square.
#define PAIR(k) \
	VMULPD Y3, Y5, Y7 \
	VMOVAPD Y7, Y8 \
	VFMSUB231PD Y3, Y5, Y8 \
	VFMADD231PD Y4, Y5, Y8 \
	VFMADD231PD Y3, Y6, Y8 \
	BOTH((sineTable_sine+32*k), (sineTable_cosine+32*k), Y9) \
	VADDPD Y7, Y9, Y5 \
	VSUBPD Y9, Y5, Y10 \
	VSUBPD Y10, Y7, Y7 \
	VADDPD Y8, Y7, Y7 \
	BOTH((sineTable_sineLow+32*k), (sineTable_cosineLow+32*k), Y9) \
	VADDPD Y9, Y7, Y6

// func sineRows(d, a *[64]uint64, n int, quarters float64, t *sineTable) (ok uint64)
TEXT ·sineRows(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ n+16(FP), DX
	MOVQ t+32(FP), BX
	XORQ CX, CX
	XORQ R9, R9

sineLoop:
	CMPQ         CX, DX
	JGE          sineEnd
	VMOVUPD      (SI)(CX*8), Y0
	VMULPD       sineTable_four(BX), Y0, Y0
	VROUNDPD     $0, Y0, Y1                  // q
	VSUBPD       Y1, Y0, Y0                  // t
	VMOVUPD      sineTable_size(BX), Y13
	VANDPD       Y13, Y0, Y2
	VCMPPD       $0x1d, sineTable_least(BX), Y2, Y14 // at least, and no NaN
	VANDPD       Y13, Y1, Y2
	VCMPPD       $0x11, sineTable_most(BX), Y2, Y2   // less
	VANDPD       Y2, Y14, Y14
	VBROADCASTSD quarters+24(FP), Y2
	VADDPD       Y2, Y1, Y1
	VADDPD       sineTable_magic(BX), Y1, Y12        // turn
	VPSLLQ       $63, Y12, Y15
	VMOVUPD      sineTable_half(BX), Y3
	VMULPD       Y3, Y0, Y1                  // y
	VMOVAPD      Y1, Y2
	VFMSUB231PD  Y3, Y0, Y2
	VFMADD231PD  sineTable_halfLow(BX), Y0, Y2
	VMULPD       Y1, Y1, Y3                  // z
	VMOVAPD      Y3, Y4
	VFMSUB231PD  Y1, Y1, Y4
	VADDPD       Y1, Y1, Y5
	VFMADD231PD  Y2, Y5, Y4
	BOTH((sineTable_sine+32*11), (sineTable_cosine+32*11), Y5)
	NEXT(10)
	NEXT(9)
	NEXT(8)
	NEXT(7)
	NEXT(6)
	NEXT(5)
	NEXT(4)
	NEXT(3)
	VXORPD       Y6, Y6, Y6
	PAIR(2)
	PAIR(1)
	PAIR(0)
	VXORPD       Y9, Y9, Y9
	VBLENDVPD    Y15, sineTable_one(BX), Y1, Y1      // the factor
	VBLENDVPD    Y15, Y9, Y2, Y2
	VMULPD       Y1, Y5, Y7
	VMOVAPD      Y7, Y8
	VFMSUB231PD  Y1, Y5, Y8
	VFMADD231PD  Y2, Y5, Y8
	VFMADD231PD  Y1, Y6, Y8
	VANDPD       Y13, Y7, Y9
	VMULPD       sineTable_slack(BX), Y9, Y9
	VADDPD       Y9, Y8, Y10
	VSUBPD       Y9, Y8, Y11
	VADDPD       Y10, Y7, Y10
	VADDPD       Y11, Y7, Y11
	VCMPPD       $0, Y11, Y10, Y11
	VANDPD       Y11, Y14, Y14
	VPSLLQ       $62, Y12, Y12
	VANDPD       sineTable_sign(BX), Y12, Y12
	VXORPD       Y12, Y10, Y10
	VMOVUPD      Y10, (DI)(CX*8)
	VMOVMSKPD    Y14, AX
	SHLQ         CX, AX
	ORQ          AX, R9
	ADDQ         $4, CX
	JMP          sineLoop

sineEnd:
	MOVQ R9, ok+40(FP)
	VZEROUPPER
	RET
