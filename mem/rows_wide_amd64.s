#include "go_asm.h"
#include "textflag.h"

// Sixteen lanes at a time what rows_amd64.s does eight at a time.

// TEXELS reads those with the numbers n.
#define TEXELS(n, to) \
	KMOVW      K1, K2; \
	VPXORD     to, to, to; \
	VPGATHERDD (SI)(n*4), K2, to

// VALUE is a component: fused, since it needs two numbers to stand for 1/255.
#define VALUE(texel, at, to, rest) \
	VPSRLD      $at, texel, to; \
	VPANDD      Z30, to, to; \
	VCVTDQ2PS   to, to; \
	VMULPS      Z15, to, rest; \
	VFMADD132PS Z14, rest, to

// MIXED is component k of four texels, mixed into what there is if there are weights.
#define MIXED(k, done) \
	VALUE(Z1, (8*k), Z9, Z16); \
	VALUE(Z2, (8*k), Z10, Z17); \
	VALUE(Z3, (8*k), Z11, Z18); \
	VALUE(Z4, (8*k), Z12, Z19); \
	VMULPS  Z7, Z9, Z9; \
	VMULPS  Z5, Z10, Z10; \
	VMULPS  Z7, Z11, Z11; \
	VMULPS  Z5, Z12, Z12; \
	VMULPS  Z8, Z9, Z9; \
	VMULPS  Z8, Z10, Z10; \
	VMULPS  Z6, Z11, Z11; \
	VMULPS  Z6, Z12, Z12; \
	VADDPS  Z10, Z9, Z9; \
	VADDPS  Z11, Z9, Z9; \
	VADDPS  Z12, Z9, Z9; \
	TESTQ   R12, R12; \
	JZ      done; \
	VMULPS  (256*k)(DI)(CX*4), Z21, Z10; \
	VMULPS  Z20, Z9, Z9; \
	VADDPS  Z9, Z10, Z9; \
done: \
	VMOVUPS Z9, K1, (256*k)(DI)(CX*4)

// func fourWide(t *[4][rowLanes]uint32, data *byte, width uint32, x, y *places, weight *[rowLanes]float32, need uint64)
TEXT ·fourWide(SB), NOSPLIT, $0-56
	MOVQ         t+0(FP), DI
	MOVQ         data+8(FP), SI
	MOVQ         x+24(FP), R10
	MOVQ         y+32(FP), R11
	MOVQ         weight+40(FP), R12
	MOVQ         need+48(FP), DX
	VBROADCASTSS width+16(FP), Z29
	VPTERNLOGD   $0xff, Z30, Z30, Z30
	VPSRLD       $24, Z30, Z30 // a byte
	VBROADCASTSS ·laneNumbers+0(SB), Z31
	VBROADCASTSS ·laneNumbers+8(SB), Z14
	VBROADCASTSS ·laneNumbers+12(SB), Z15
	XORQ         CX, CX

fourLoop:
	TESTQ   $0xffff, DX
	JZ      fourNext
	KMOVW   DX, K1
	VPMULLD places_j(R11)(CX*4), Z29, Z2
	VPMULLD places_i(R11)(CX*4), Z29, Z1
	VMOVUPS places_i(R10)(CX*4), Z3
	VMOVUPS places_j(R10)(CX*4), Z4
	VPADDD  Z3, Z1, Z5
	VPADDD  Z4, Z1, Z6
	VPADDD  Z3, Z2, Z7
	VPADDD  Z4, Z2, Z8
	TEXELS(Z5, Z1)
	TEXELS(Z6, Z2)
	TEXELS(Z7, Z3)
	TEXELS(Z8, Z4)
	VMOVUPS places_w(R10)(CX*4), Z5
	VMOVUPS places_w(R11)(CX*4), Z6
	VSUBPS  Z5, Z31, Z7
	VSUBPS  Z6, Z31, Z8
	TESTQ   R12, R12
	JZ      four
	VMOVUPS (R12)(CX*4), Z20
	VSUBPS  Z20, Z31, Z21

four:
	MIXED(0, four0)
	MIXED(1, four1)
	MIXED(2, four2)
	MIXED(3, four3)

fourNext:
	ADDQ $16, CX
	SHRQ $16, DX
	JNZ  fourLoop
	VZEROUPPER
	RET
