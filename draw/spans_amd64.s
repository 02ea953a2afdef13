#include "go_asm.h"
#include "textflag.h"
#include "spans_amd64.h"

// func startQuads(s *scan, x, y, wide, high int) (outside, crossed int)
TEXT ·startQuads(SB), NOSPLIT, $0-56
	MOVQ         s+0(FP), DI
	MOVQ         scan_slopes(DI), BX
	VXORPD       X0, X0, X0
	VCVTPS2PD    slopes_dx(BX), Y1
	VCVTPS2PD    slopes_dy(BX), Y2
	VCVTPS2PD    slopes_least(BX), Y3
	VMOVUPD      threeOnly<>(SB), Y8
	VMASKMOVPD   slopes_start(BX), Y8, Y4
	VCVTSI2SDQ   x+8(FP), X0, X5
	VCVTSI2SDQ   y+16(FP), X0, X6
	VCVTSI2SDQ   wide+24(FP), X0, X7
	VCVTSI2SDQ   high+32(FP), X0, X8
	VBROADCASTSD X5, Y5
	VBROADCASTSD X6, Y6
	VBROADCASTSD X7, Y7
	VBROADCASTSD X8, Y8
	VMULPD       Y1, Y5, Y5
	VMULPD       Y2, Y6, Y6
	VADDPD       Y5, Y4, Y4
	VADDPD       Y6, Y4, Y4
	VADDPD       Y2, Y2, Y5
	VMOVUPD      Y4, scan_start(DI)
	VMOVUPD      Y5, scan_down(DI)
	VMAXPD       Y0, Y1, Y9
	VMAXPD       Y0, Y2, Y10
	VMINPD       Y0, Y1, Y11
	VMINPD       Y0, Y2, Y12
	VMULPD       Y7, Y9, Y9
	VMULPD       Y8, Y10, Y10
	VMULPD       Y7, Y11, Y11
	VMULPD       Y8, Y12, Y12
	VADDPD       Y4, Y9, Y9
	VADDPD       Y4, Y11, Y11
	VADDPD       Y10, Y9, Y9
	VADDPD       Y12, Y11, Y11
	VCMPPD       $1, Y3, Y9, Y9            // the most is less than the least inside
	VCMPPD       $1, Y3, Y11, Y11
	VMOVMSKPD    Y9, AX
	VMOVMSKPD    Y11, CX
	ANDQ         $7, AX
	ANDQ         $7, CX
	MOVQ         AX, outside+40(FP)
	MOVQ         CX, crossed+48(FP)
	VZEROUPPER
	RET

// What spansQuads has on its stack: for each edge, four times each, the inverse if it is below 0; the inverse if it is above; what is added to the quotient by
// that; the step to the row four further.
#define FROM (0)
#define UNTIL (96)
#define MORE (192)
#define STEP (288)

// SPREAD puts the numbers of an edge there, and in x what it is most in the first quads of four rows, less what it is at least inside.
#define SPREAD(n, perm, x) \
	VPERMPD     perm, Y6, Y3            \
	VMOVUPD     Y3, (FROM+32*n)(SP)     \
	VPERMPD     perm, Y7, Y3            \
	VMOVUPD     Y3, (UNTIL+32*n)(SP)    \
	VPERMPD     perm, Y8, Y3            \
	VMOVUPD     Y3, (MORE+32*n)(SP)     \
	VPERMPD     perm, Y2, Y3            \
	VPERMPD     perm, Y4, x             \
	VFMADD231PD fourRows<>(SB), Y3, x   \
	VMULPD      Y9, Y3, Y3              \
	VMOVUPD     Y3, (STEP+32*n)(SP)

// BOUND moves the first quads of four rows, in Y4, and the last, in Y5, and x four rows on.
#define BOUND(n, x) \
	VMULPD (FROM+32*n)(SP), x, Y3       \
	VMAXPD Y3, Y4, Y4                   \
	VMULPD (UNTIL+32*n)(SP), x, Y3      \
	VADDPD (MORE+32*n)(SP), Y3, Y3      \
	VMINPD Y3, Y5, Y5                   \
	VADDPD (STEP+32*n)(SP), x, x

// func spansQuads(s *scan, columns, rows int)
// Where the inverse of an edge is not above 0, 2^32 is added to a quotient by 0: it bounds nothing. Where there is none the quotient is 2^80 times the number,
// which is 0 or at least a unit, 2^-62, and 2^6: far from all columns on either side.
TEXT ·spansQuads(SB), NOSPLIT, $384-24
	MOVQ         s+0(FP), DI
	MOVQ         columns+8(FP), AX
	MOVQ         rows+16(FP), DX
	MOSTS
	VADDPD       Y1, Y1, Y1
	VSUBPD       Y1, Y0, Y1
	VBROADCASTSD spanNumber<>+0(SB), Y5    // 1
	VDIVPD       Y1, Y5, Y5
	VBROADCASTSD spanNumber<>+8(SB), Y9    // 2^80
	VMINPD       Y0, Y5, Y6
	VMAXPD       Y0, Y5, Y7
	VMINPD       Y9, Y7, Y7
	VCMPPD       $14, Y9, Y5, Y8           // there is none
	VBROADCASTSD spanNumber<>+16(SB), Y9   // 2^6
	VANDPD       Y9, Y8, Y8
	VCMPPD       $1, Y0, Y5, Y3
	VBROADCASTSD spanNumber<>+24(SB), Y9   // 2^32
	VANDPD       Y9, Y3, Y3
	VORPD        Y3, Y8, Y8
	VBROADCASTSD spanNumber<>+32(SB), Y9   // 4
	VADDPD       Y2, Y2, Y2
	SPREAD(0, $0x00, Y10)
	SPREAD(1, $0x55, Y11)
	SPREAD(2, $0xaa, Y12)
	VCVTSI2SDQ   AX, X0, X1
	VADDSD       spanNumber<>+0(SB), X1, X2
	VBROADCASTSD X1, Y1                    // columns
	VBROADCASTSD X2, Y2                    // one more
	VBROADCASTSD spanNumber<>+40(SB), Y6   // -1
	VBROADCASTSD spanNumber<>+48(SB), Y7   // -2
	VMOVD        AX, X8
	VPBROADCASTD X8, X8
	VPCMPEQD     X13, X13, X13             // -1
	XORQ         CX, CX

spansLoop:
	VMOVAPD    Y0, Y4
	VMOVAPD    Y1, Y5
	BOUND(0, Y10)
	BOUND(1, Y11)
	BOUND(2, Y12)
	VCMPPD     $13, Y6, Y5, Y3             // the last is not left of the first column
	VCMPPD     $2, Y2, Y4, Y9              // nor the first right of the last
	VANDPD     Y9, Y3, Y3
	VANDPD     Y3, Y4, Y4
	VBLENDVPD  Y3, Y5, Y7, Y5
	VCVTTPD2DQY Y4, X4
	VCVTTPD2DQY Y5, X5
	VPSUBD     X13, X5, X5                 // one more
	VPMINSD    X8, X5, X5
	VPACKSSDW  X5, X4, X4
	VPACKSSWB  X4, X4, X4
	VMOVD      X4, scan_firsts(DI)(CX*1)
	VPEXTRD    $1, X4, scan_lasts(DI)(CX*1)
	ADDQ       $4, CX
	CMPQ       CX, DX
	JLE        spansLoop
	VZEROUPPER
	RET

DATA spanNumber<>+0(SB)/8, $1.0
DATA spanNumber<>+8(SB)/8, $1208925819614629174706176.0
DATA spanNumber<>+16(SB)/8, $64.0
DATA spanNumber<>+24(SB)/8, $4294967296.0
DATA spanNumber<>+32(SB)/8, $4.0
DATA spanNumber<>+40(SB)/8, $-1.0
DATA spanNumber<>+48(SB)/8, $-2.0
GLOBL spanNumber<>(SB), RODATA|NOPTR, $56

DATA fourRows<>+0(SB)/8, $0.0
DATA fourRows<>+8(SB)/8, $1.0
DATA fourRows<>+16(SB)/8, $2.0
DATA fourRows<>+24(SB)/8, $3.0
GLOBL fourRows<>(SB), RODATA|NOPTR, $32

DATA threeOnly<>+0(SB)/8, $-1
DATA threeOnly<>+8(SB)/8, $-1
DATA threeOnly<>+16(SB)/8, $-1
DATA threeOnly<>+24(SB)/8, $0
GLOBL threeOnly<>(SB), RODATA|NOPTR, $32
