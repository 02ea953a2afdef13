// What the functions that test depths of quads have in common: all but their names. PREDICATE is that of the comparison of a depth with the one that is stored.

	MOVQ    quads+0(FP), DI
	MOVQ    z+8(FP), SI
	MOVQ    depth+16(FP), R8
	MOVQ    width+24(FP), R9
	MOVQ    from+32(FP), CX
	MOVQ    to+40(FP), DX
	MOVQ    lanes+48(FP), R10
	MOVBLZX write+56(FP), R11
	LEAQ    pixelMasks<>(SB), R13
	XORQ    R12, R12
	LEAQ    (DI)(CX*2), DI

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
	VCMPPS      PREDICATE, Y1, Y0, Y2
	VMOVMSKPS   Y2, R15
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
	VCMPPS    PREDICATE, X1, X0, X2
	VMOVMSKPS X2, R15
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
	MOVQ R12, passed+64(FP)
	VZEROUPPER
	RET
