// What coverQuads and coverWide have in common: DI is the scan, R8 the column, R13 the row, R11 the quads, R15 where the one
// at hand is, CX its lane, R14 the pixels covered, by lane.

// SLOPES leaves the slopes by column in Y7 to Y9 and by row in Y0 to Y2, and what is inside at least in Y10 to Y12. It reads one more
// of each than there are: of the next field.
#define SLOPES \
	MOVQ scan_slopes(DI), AX; \
	VCVTPS2PD slopes_dx(AX), Y7; \
	VCVTPS2PD slopes_dy(AX), Y0; \
	VCVTPS2PD slopes_least(AX), Y10; \
	VPERMPD $0x55, Y7, Y8; \
	VPERMPD $0xaa, Y7, Y9; \
	VPERMPD $0x55, Y0, Y1; \
	VPERMPD $0xaa, Y0, Y2; \
	VPERMPD $0x55, Y10, Y11; \
	VPERMPD $0xaa, Y10, Y12

// LEAVE writes back where the scan stands.
#define LEAVE \
	MOVQ R8, scan_column(DI); \
	MOVQ R13, scan_row(DI); \
	SUBQ lane+24(FP), CX; \
	SHRQ $2, CX; \
	MOVQ CX, scan_found(DI); \
	MOVQ R14, scan_covered(DI); \
	VMOVSD X4, (scan_at+0)(DI); \
	VMOVSD X5, (scan_at+8)(DI); \
	VMOVSD X6, (scan_at+16)(DI); \
	VZEROUPPER

// INSIDE makes R14 the lanes that have been filled if all of them are covered. It takes BX.
#define INSIDE(none) \
	MOVQ CX, BX; \
	SUBQ lane+24(FP), CX; \
	JEQ none; \
	NEGQ CX; \
	MOVQ $-1, R14; \
	SHRQ CX, R14; \
	MOVQ lane+24(FP), CX; \
	SHLQ CX, R14; \
none: \
	MOVQ BX, CX

// PLACE is where the quad at hand is: x in the low half.
#define PLACE \
	MOVQ scan_origin(DI), R15; \
	LEAQ (R15)(R8*2), R15; \
	MOVQ R13, AX; \
	SHLQ $33, AX; \
	ADDQ AX, R15
