// What coverQuads and coverWide have in common: DI is the scan, R14 its slopes, R8 the column, R13 the row, R11 the quads found.

// SLOPES leaves the slopes by column in Y7 to Y9 and by row in Y0 to Y2, and what is inside at least in Y10 to Y12. It reads one more
// of each than there are: of the next field.
#define SLOPES \
	VCVTPS2PD slopes_dx(R14), Y7; \
	VCVTPS2PD slopes_dy(R14), Y0; \
	VCVTPS2PD slopes_least(R14), Y10; \
	VPERMPD $0x55, Y7, Y8; \
	VPERMPD $0xaa, Y7, Y9; \
	VPERMPD $0x55, Y0, Y1; \
	VPERMPD $0xaa, Y0, Y2; \
	VPERMPD $0x55, Y10, Y11; \
	VPERMPD $0xaa, Y10, Y12

// NEXTROW goes a row of quads down and leaves in X0 to X2 what the edges are where it starts.
#define NEXTROW \
	INCQ R13; \
	VMOVSD (scan_start+0)(DI), X0; \
	VMOVSD (scan_start+8)(DI), X1; \
	VMOVSD (scan_start+16)(DI), X2; \
	VXORPD X4, X4, X4; \
	VCVTSS2SD (slopes_dy+0)(R14), X4, X5; \
	VCVTSS2SD (slopes_dy+4)(R14), X4, X6; \
	VCVTSS2SD (slopes_dy+8)(R14), X4, X4; \
	VADDSD X5, X5, X5; \
	VADDSD X6, X6, X6; \
	VADDSD X4, X4, X4; \
	VADDSD X5, X0, X0; \
	VADDSD X6, X1, X1; \
	VADDSD X4, X2, X2; \
	VMOVSD X0, (scan_start+0)(DI); \
	VMOVSD X1, (scan_start+8)(DI); \
	VMOVSD X2, (scan_start+16)(DI)

// LEAVE writes back where the scan stands.
#define LEAVE \
	MOVQ R8, scan_column(DI); \
	MOVQ R13, scan_row(DI); \
	MOVQ R11, scan_found(DI); \
	VMOVSD X4, (scan_at+0)(DI); \
	VMOVSD X5, (scan_at+8)(DI); \
	VMOVSD X6, (scan_at+16)(DI); \
	VZEROUPPER
