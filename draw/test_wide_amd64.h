// As test_amd64.h, sixteen lanes at a time.

	MOVQ      quads+0(FP), DI
	MOVQ      z+8(FP), SI
	MOVQ      depth+16(FP), R8
	MOVQ      width+24(FP), R9
	MOVQ      from+32(FP), CX
	MOVQ      to+40(FP), DX
	MOVQ      lanes+48(FP), R10
	LEAQ      (R8)(R9*4), R11
	VMOVDQU64 byQuad<>+0(SB), Z10
	VMOVDQU64 byRow<>+0(SB), Z11
	VPBROADCASTD R9, Y9
	XORQ      R12, R12

testLoop:
	CMPQ CX, DX
	JGE  testEnd
	FOUR(testNext, testOne, testApart)
	ROWS
	OLD
	VMOVUPS   (SI)(CX*4), Z0
	PASSED(Z0, Z1)
	TESTL     BX, BX
	JZ        testNext
	CMPB      write+56(FP), $0
	JZ        testPassed
	VBLENDMPS Z0, Z1, K2, Z1
	NEW

testPassed:
	SHLQ CX, BX
	ORQ  BX, R12

testNext:
	ADDQ $16, CX
	JMP  testLoop

testApart:
	APART(testOne)
	OLDAPART
	VMOVUPS   (SI)(CX*4), Z0
	PASSED(Z0, Z1)
	TESTL     BX, BX
	JZ        testNext
	CMPB      write+56(FP), $0
	JE        testPassed
	VBLENDMPS Z0, Z1, K2, Z1
	NEWAPART
	JMP       testPassed

testOne:
	ANDL      $15, BX
	JZ        testNextOne
	ROWS
	OLDONE
	VMOVUPS   (SI)(CX*4), X0
	PASSED(X0, X1)
	TESTL     BX, BX
	JZ        testNextOne
	CMPB      write+56(FP), $0
	JZ        testPassedOne
	VBLENDMPS X0, X1, K2, X1
	NEWONE

testPassedOne:
	SHLQ CX, BX
	ORQ  BX, R12

testNextOne:
	ADDQ $4, CX
	JMP  testLoop

testEnd:
	MOVQ R12, passed+64(FP)
	VZEROUPPER
	RET
