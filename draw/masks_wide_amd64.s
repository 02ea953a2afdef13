#include "go_asm.h"
#include "textflag.h"

// Rows of lanes from masks of them and back, sixteen at a time. They have a multiple of sixteen, and some.

// func spreadWide(to []uint32, lanes uint64)
TEXT ·spreadWide(SB), NOSPLIT, $0-32
	MOVQ         to_base+0(FP), DI
	MOVQ         to_len+8(FP), DX
	MOVQ         lanes+24(FP), AX
	MOVL         $1, BX
	VPBROADCASTD BX, Z1
	KMOVQ        AX, K1
	XORQ         CX, CX

spreadLoop:
	VMOVDQA32.Z Z1, K1, Z2
	VMOVDQU32   Z2, (DI)(CX*4)
	KSHIFTRQ    $16, K1, K1
	ADDQ        $16, CX
	CMPQ        CX, DX
	JLT         spreadLoop
	VZEROUPPER
	RET

// func lowestWide(from *[ir.MaxLanes]uint32) (lanes uint64)
TEXT ·lowestWide(SB), NOSPLIT, $0-16
	MOVQ         from+0(FP), SI
	MOVL         $1, BX
	VPBROADCASTD BX, Z1
	VPTESTMD     0(SI), Z1, K1
	VPTESTMD     64(SI), Z1, K2
	VPTESTMD     128(SI), Z1, K3
	VPTESTMD     192(SI), Z1, K4
	KUNPCKWD     K1, K2, K1
	KUNPCKWD     K3, K4, K3
	KUNPCKDQ     K1, K3, K1
	KMOVQ        K1, AX
	MOVQ         AX, lanes+8(FP)
	VZEROUPPER
	RET

// quadOf: the quads of sixteen lanes; inQuad: how far pixels are from the first of their quad, x in the low half.
DATA quadOf<>+0(SB)/8, $0x0101010100000000
DATA quadOf<>+8(SB)/8, $0x0303030302020202
GLOBL quadOf<>(SB), RODATA|NOPTR, $16

DATA inQuad<>+0(SB)/8, $0x0000000100000000
DATA inQuad<>+8(SB)/8, $0x0001000100010000
GLOBL inQuad<>(SB), RODATA|NOPTR, $16

// func pixelsWide(to []uint32, quads *[ir.MaxLanes / 4]quad, lanes int)
TEXT ·pixelsWide(SB), NOSPLIT, $0-40
	MOVQ            to_base+0(FP), DI
	MOVQ            to_len+8(FP), DX
	MOVQ            quads+24(FP), SI
	MOVQ            lanes+32(FP), CX
	MOVQ            $-1, AX
	BZHIQ           CX, AX, AX
	KMOVQ           AX, K1
	VPMOVZXBD       quadOf<>+0(SB), Z2
	VBROADCASTI32X4 inQuad<>+0(SB), Z4
	MOVL            $4, BX
	VPBROADCASTD    BX, Z5
	VMOVDQU64       0(SI), Z0
	VMOVDQU64       64(SI), Z1
	VPSRLQ          $16, Z0, Z6
	VPSRLQ          $16, Z1, Z7
	VPORQ           Z6, Z0, Z0
	VPORQ           Z7, Z1, Z1
	VPMOVQD         Z0, Y0
	VPMOVQD         Z1, Y1
	VINSERTI64X4    $1, Y1, Z0, Z0 // the first pixels of sixteen quads
	XORQ            CX, CX

pixelsLoop:
	VPERMD     Z0, Z2, Z3
	VPADDD.Z   Z4, Z3, K1, Z3
	VMOVDQU32  Z3, (DI)(CX*4)
	VPADDD     Z5, Z2, Z2
	KSHIFTRQ   $16, K1, K1
	ADDQ       $16, CX
	CMPQ       CX, DX
	JLT        pixelsLoop
	VZEROUPPER
	RET
