#include "textflag.h"

// How many rows ahead of the one that is filled the next ones are asked for: they lie on pages of their own, which a processor does not foresee.
#define AHEAD 8

// func fillRows(to unsafe.Pointer, pitch, wide, rows int, v uint32)
TEXT ·fillRows(SB), NOSPLIT, $0-36
	MOVQ         to+0(FP), DI
	MOVQ         pitch+8(FP), R8
	MOVQ         wide+16(FP), DX
	MOVQ         rows+24(FP), BX
	MOVL         v+32(FP), AX
	VMOVD        AX, X0
	VPBROADCASTD X0, Y0
	SHLQ         $2, R8
	SHLQ         $2, DX
	LEAQ         (DI)(R8*AHEAD), SI

fillRow:
	XORQ CX, CX

fillLoop:
	PREFETCHT0 (SI)(CX*1)
	VMOVDQU    Y0, (DI)(CX*1)
	VMOVDQU    Y0, 32(DI)(CX*1)
	ADDQ       $64, CX
	CMPQ       CX, DX
	JLT        fillLoop
	ADDQ       R8, DI
	ADDQ       R8, SI
	DECQ       BX
	JNZ        fillRow
	VZEROUPPER
	RET

// func fetchRows(from unsafe.Pointer, pitch, wide, rows int)
TEXT ·fetchRows(SB), NOSPLIT, $0-32
	MOVQ from+0(FP), DI
	MOVQ pitch+8(FP), R8
	MOVQ wide+16(FP), DX
	MOVQ rows+24(FP), BX
	SHLQ $2, R8
	SHLQ $2, DX

fetchRow:
	XORQ CX, CX

fetchLoop:
	PREFETCHT1 (DI)(CX*1)
	ADDQ       $64, CX
	CMPQ       CX, DX
	JLT        fetchLoop
	ADDQ       R8, DI
	DECQ       BX
	JNZ        fetchRow
	RET
