#include "go_asm.h"
#include "textflag.h"

// These functions do four quads at a time. Where these lie side by side, as they mostly do, their pixels are eight of a row and eight of the
// next. Where two lie over each other they take them one by one. R11 is the first pixel of the second row, DI is the quads, CX the lane at hand and DX the end, R10 the lanes asked for, R9 the pixels from a row to the
// next, R8 the first pixel of the canvas.

// byQuad brings two rows of eight pixels, by pairs, into the order of quads; byRow brings them back.
DATA byQuad<>+0(SB)/8, $0
DATA byQuad<>+8(SB)/8, $4
DATA byQuad<>+16(SB)/8, $1
DATA byQuad<>+24(SB)/8, $5
DATA byQuad<>+32(SB)/8, $2
DATA byQuad<>+40(SB)/8, $6
DATA byQuad<>+48(SB)/8, $3
DATA byQuad<>+56(SB)/8, $7
GLOBL byQuad<>(SB), RODATA|NOPTR, $64

DATA byRow<>+0(SB)/8, $0
DATA byRow<>+8(SB)/8, $2
DATA byRow<>+16(SB)/8, $4
DATA byRow<>+24(SB)/8, $6
DATA byRow<>+32(SB)/8, $1
DATA byRow<>+40(SB)/8, $3
DATA byRow<>+48(SB)/8, $5
DATA byRow<>+56(SB)/8, $7
GLOBL byRow<>(SB), RODATA|NOPTR, $64

// FOUR makes BX the lanes asked for from the one at hand on. It goes to next if there are none in sixteen, to one unless four quads are left, to apart unless
// these lie side by side.
#define FOUR(next, one, apart) \
	MOVQ         R10, BX                      \
	SHRQ         CX, BX                       \
	LEAQ         16(CX), AX                   \
	CMPQ         AX, DX                       \
	JGT          one                          \
	TESTL        $0xffff, BX                  \
	JZ           next                         \
	VPBROADCASTQ (DI)(CX*2), Y3               \
	VPADDQ       ·fourColumns+0(SB), Y3, Y3   \
	VPXOR        (DI)(CX*2), Y3, Y3           \
	VPTEST       Y3, Y3                       \
	JNZ          apart

// ROWS makes AX where the first pixel of the quad at hand is, and R14 the one under it.
#define ROWS \
	MOVLQSX quad_y(DI)(CX*2), AX   \
	IMULQ   R9, AX                 \
	MOVLQSX quad_x(DI)(CX*2), R15  \
	ADDQ    R15, AX                \
	LEAQ    (R8)(AX*4), AX         \
	LEAQ    (AX)(R9*4), R14

// OLD makes Z1 what there is of four quads, OLDONE X1 that of one.
#define OLD \
	VMOVUPS      (AX), Y1              \
	VINSERTF64X4 $1, (R14), Z1, Z1     \
	VPERMPD      Z1, Z10, Z1

#define OLDONE \
	VMOVSD  (AX), X1        \
	VMOVHPS (R14), X1, X1

// NEW puts there what Z1 is.
#define NEW \
	VPERMPD       Z1, Z11, Z1     \
	VMOVUPS       Y1, (AX)        \
	VEXTRACTF64X4 $1, Z1, (R14)

#define NEWONE \
	VMOVLPS X1, (AX)   \
	VMOVHPS X1, (R14)

// APART makes AX, R14, R15 and R13 the numbers of the first pixels of four quads. It goes to one if two are the same.
#define APART(one) \
	VMOVDQU      (DI)(CX*2), Y3    \
	VPERMQ       $0x39, Y3, Y4     \
	VPERMQ       $0x4e, Y3, Y5     \
	VPCMPEQQ     Y4, Y3, Y4        \
	VPCMPEQQ     Y5, Y3, Y5        \
	VPOR         Y4, Y5, Y4        \
	VPTEST       Y4, Y4            \
	JNZ          one               \
	VPSRLQ       $32, Y3, Y4       \
	VPMULDQ      Y9, Y4, Y4        \
	VPSLLQ       $32, Y3, Y3       \
	VPSRLQ       $32, Y3, Y3       \
	VPADDQ       Y3, Y4, Y4        \
	VMOVQ        X4, AX            \
	VPEXTRQ      $1, X4, R14       \
	VEXTRACTI128 $1, Y4, X4        \
	VMOVQ        X4, R15           \
	VPEXTRQ      $1, X4, R13

// OLDAPART makes Z1 what there is of them, NEWAPART puts Z1 there.
#define OLDAPART \
	VMOVSD       (R8)(AX*4), X1        \
	VMOVSD       (R8)(R14*4), X2       \
	VMOVSD       (R8)(R15*4), X3       \
	VMOVSD       (R8)(R13*4), X4       \
	VMOVHPS      (R11)(AX*4), X1, X1   \
	VMOVHPS      (R11)(R14*4), X2, X2  \
	VMOVHPS      (R11)(R15*4), X3, X3  \
	VMOVHPS      (R11)(R13*4), X4, X4  \
	VINSERTF128  $1, X2, Y1, Y1        \
	VINSERTF128  $1, X4, Y3, Y3        \
	VINSERTF64X4 $1, Y3, Z1, Z1

#define NEWAPART \
	VEXTRACTF128  $1, Y1, X2          \
	VEXTRACTF64X4 $1, Z1, Y3          \
	VEXTRACTF128  $1, Y3, X4          \
	VMOVLPS       X1, (R8)(AX*4)      \
	VMOVHPS       X1, (R11)(AX*4)     \
	VMOVLPS       X2, (R8)(R14*4)     \
	VMOVHPS       X2, (R11)(R14*4)    \
	VMOVLPS       X3, (R8)(R15*4)     \
	VMOVHPS       X3, (R11)(R15*4)    \
	VMOVLPS       X4, (R8)(R13*4)     \
	VMOVHPS       X4, (R11)(R13*4)

// PASSED makes K2 and BX those of the lanes of BX in which z passes against old.
#define PASSED(z, old) \
	KMOVW  BX, K1                     \
	VCMPPS PREDICATE, old, z, K1, K2  \
	KMOVW  K2, BX

// Tests of depths, as in quads_amd64.s.

// func wideAlways(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·wideAlways(SB), NOSPLIT, $0-72
#define PREDICATE $15
#include "test_wide_amd64.h"
#undef PREDICATE

// func wideNever(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·wideNever(SB), NOSPLIT, $0-72
#define PREDICATE $11
#include "test_wide_amd64.h"
#undef PREDICATE

// func wideLess(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·wideLess(SB), NOSPLIT, $0-72
#define PREDICATE $1
#include "test_wide_amd64.h"
#undef PREDICATE

// func wideLessEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·wideLessEqual(SB), NOSPLIT, $0-72
#define PREDICATE $2
#include "test_wide_amd64.h"
#undef PREDICATE

// func wideEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·wideEqual(SB), NOSPLIT, $0-72
#define PREDICATE $0
#include "test_wide_amd64.h"
#undef PREDICATE

// func wideNotEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·wideNotEqual(SB), NOSPLIT, $0-72
#define PREDICATE $4
#include "test_wide_amd64.h"
#undef PREDICATE

// func wideGreaterEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·wideGreaterEqual(SB), NOSPLIT, $0-72
#define PREDICATE $13
#include "test_wide_amd64.h"
#undef PREDICATE

// func wideGreater(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)
TEXT ·wideGreater(SB), NOSPLIT, $0-72
#define PREDICATE $14
#include "test_wide_amd64.h"
#undef PREDICATE

// func storeWide(quads *[ir.MaxLanes / 4]quad, color *byte, width, to int, lanes uint64, pixels *[ir.MaxLanes]uint32)
TEXT ·storeWide(SB), NOSPLIT, $0-48
	MOVQ      quads+0(FP), DI
	MOVQ      color+8(FP), R8
	MOVQ      width+16(FP), R9
	MOVQ      to+24(FP), DX
	MOVQ      lanes+32(FP), R10
	MOVQ      pixels+40(FP), SI
	LEAQ      (R8)(R9*4), R11
	VMOVDQU64 byQuad<>+0(SB), Z10
	VMOVDQU64 byRow<>+0(SB), Z11
	VPBROADCASTD R9, Y9
	XORQ      CX, CX

storeLoop:
	CMPQ CX, DX
	JGE  storeEnd
	FOUR(storeNext, storeOne, storeApart)
	ROWS
	KMOVW     BX, K1
	VMOVUPS   (SI)(CX*4), Z1
	KORTESTW  K1, K1
	JCS       storeWhole
	VMOVAPS   Z1, Z0
	OLD
	VBLENDMPS Z0, Z1, K1, Z1

storeWhole:
	NEW

storeNext:
	ADDQ $16, CX
	JMP  storeLoop

storeApart:
	APART(storeOne)
	KMOVW     BX, K1
	VMOVUPS   (SI)(CX*4), Z1
	KORTESTW  K1, K1
	JCS       storeWholeApart
	VMOVAPS   Z1, Z0
	OLDAPART
	VBLENDMPS Z0, Z1, K1, Z1

storeWholeApart:
	NEWAPART
	JMP storeNext

storeOne:
	ANDL      $15, BX
	JZ        storeNextOne
	ROWS
	VMOVUPS   (SI)(CX*4), X1
	CMPL      BX, $15
	JEQ       storeWholeOne
	VMOVAPS   X1, X0
	KMOVW     BX, K1
	OLDONE
	VBLENDMPS X0, X1, K1, X1

storeWholeOne:
	NEWONE

storeNextOne:
	ADDQ $4, CX
	JMP  storeLoop

storeEnd:
	VZEROUPPER
	RET
