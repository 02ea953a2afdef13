#include "go_asm.h"
#include "textflag.h"
#include "spans_amd64.h"

// EDGE broadcasts what an edge function is most in the first quad of a row, less what it is at least inside, as x for eight rows; the inverse as d; eight times
// the step as s. Masks say whether the inverse is below 0, above, or 0.
#define EDGE(n, x, d, s, below, above, zero) \
	VBROADCASTSD (0+8*n)(SP), x           \
	VBROADCASTSD (32+8*n)(SP), d      \
	VBROADCASTSD (scan_down+8*n)(DI), s     \
	VCMPPD       $1, Z0, d, below           \
	VCMPPD       $1, d, Z0, above           \
	VCMPPD       $0, Z0, d, zero            \
	VFMADD231PD  s, Z1, x                   \
	VMULPD       Z2, s, s

// BOUND moves the first and last quads, and x eight rows on.
#define BOUND(x, d, s, below, above, zero) \
	VMULPD  d, x, Z3                 \
	VMAXPD  Z3, Z4, below, Z4        \
	VMINPD  Z3, Z5, above, Z5        \
	VCMPPD  $1, Z0, x, zero, K7      \
	VMOVAPD Z31, K7, Z5              \
	VADDPD  s, x, x

// func spansWide(s *scan, columns, rows int)
TEXT ·spansWide(SB), NOSPLIT, $64-24
	MOVQ         s+0(FP), DI
	MOVQ         columns+8(FP), AX
	MOVQ         rows+16(FP), DX
	MOSTS
	VMOVUPD      Y4, 0(SP)
	VADDPD       Y1, Y1, Y1
	VSUBPD       Y1, Y0, Y1
	VCMPPD       $4, Y0, Y1, K1      // not 0
	VBROADCASTSD spanNumbers<>+64(SB), Y3
	VDIVPD.Z     Y1, Y3, K1, Y3
	VMOVUPD      Y3, 32(SP)
	VMOVUPD      spanNumbers<>+0(SB), Z1
	VBROADCASTSD spanNumbers<>+72(SB), Z2
	EDGE(0, Z6, Z7, Z8, K1, K2, K3)
	EDGE(1, Z9, Z10, Z11, K4, K5, K6)
	VBROADCASTSD 16(SP), Z12
	VBROADCASTSD 48(SP), Z13
	VBROADCASTSD (scan_down+16)(DI), Z14
	VFMADD231PD  Z14, Z1, Z12
	VMULPD       Z2, Z14, Z14
	VBROADCASTSD spanNumbers<>+80(SB), Z31 // -2
	VBROADCASTSD spanNumbers<>+88(SB), Z30 // -1
	VXORPD       X15, X15, X15
	VCVTSI2SDQ   AX, X15, X15
	VBROADCASTSD X15, Z29        // columns
	VADDSD       spanNumbers<>+64(SB), X15, X15
	VBROADCASTSD X15, Z28        // one more
	VPBROADCASTD AX, Y27
	VPTERNLOGD   $0xff, Y26, Y26, Y26 // -1
	XORQ         CX, CX

spansLoop:
	VMOVAPD Z0, Z4
	VMOVAPD Z29, Z5
	BOUND(Z6, Z7, Z8, K1, K2, K3)
	BOUND(Z9, Z10, Z11, K4, K5, K6)

	// There are no more masks: those of the third edge are made anew.
	VMULPD     Z13, Z12, Z3
	VCMPPD     $1, Z0, Z13, K7
	VMAXPD     Z3, Z4, K7, Z4
	VCMPPD     $1, Z13, Z0, K7
	VMINPD     Z3, Z5, K7, Z5
	VCMPPD     $0, Z0, Z13, K7
	VCMPPD     $1, Z0, Z12, K7, K7
	VMOVAPD    Z31, K7, Z5
	VADDPD     Z14, Z12, Z12
	VCMPPD     $13, Z30, Z5, K7     // the last is not left of the first column
	VCMPPD     $2, Z28, Z4, K7, K7  // nor the first right of the last
	VCVTTPD2DQ.Z Z4, K7, Y4
	VCVTTPD2DQ Z5, Y5
	VPSUBD     Y26, Y5, Y5          // one more
	VPMINSD    Y27, Y5, Y5
	VPBLENDMD  Y5, Y26, K7, Y5
	VPMOVDB    Y4, scan_firsts(DI)(CX*1)
	VPMOVDB    Y5, scan_lasts(DI)(CX*1)
	ADDQ       $8, CX
	CMPQ       CX, DX
	JLE        spansLoop
	VZEROUPPER
	RET

// spanNumbers: eight rows; 1, 8, -2, -1.
DATA spanNumbers<>+0(SB)/8, $0.0
DATA spanNumbers<>+8(SB)/8, $1.0
DATA spanNumbers<>+16(SB)/8, $2.0
DATA spanNumbers<>+24(SB)/8, $3.0
DATA spanNumbers<>+32(SB)/8, $4.0
DATA spanNumbers<>+40(SB)/8, $5.0
DATA spanNumbers<>+48(SB)/8, $6.0
DATA spanNumbers<>+56(SB)/8, $7.0
DATA spanNumbers<>+64(SB)/8, $1.0
DATA spanNumbers<>+72(SB)/8, $8.0
DATA spanNumbers<>+80(SB)/8, $-2.0
DATA spanNumbers<>+88(SB)/8, $-1.0
GLOBL spanNumbers<>(SB), RODATA|NOPTR, $96
