#include "textflag.h"

// func packMarks(m *pageMarks, to *wordSet) (any uint64)
TEXT ·packMarks(SB), NOSPLIT, $0-24
	MOVQ  m+0(FP), SI
	MOVQ  to+8(FP), DI
	XORQ  AX, AX
	MOVQ  $16, CX
	VPXOR Y2, Y2, Y2

pack:
	VMOVDQU   (SI), Y0
	VMOVDQU   32(SI), Y1
	VPOR      Y0, Y1, Y3
	VPTEST    Y3, Y3
	JZ        none
	VPSLLW    $7, Y0, Y0 // the lowest bit of each byte, where the next instruction looks
	VPSLLW    $7, Y1, Y1
	VPMOVMSKB Y0, R8
	VPMOVMSKB Y1, R9
	SHLQ      $32, R9
	ORQ       R9, R8
	MOVQ      R8, (DI)
	ORQ       R8, AX
	VMOVDQU   Y2, (SI)
	VMOVDQU   Y2, 32(SI)

next:
	ADDQ $64, SI
	ADDQ $8, DI
	DECQ CX
	JNE  pack
	VZEROUPPER
	MOVQ      AX, any+16(FP)
	RET

none:
	MOVQ $0, (DI)
	JMP  next
