// MOSTS makes BX the slopes of the scan at DI, Y0 zeros, Y1 and Y2 the slopes by column and by row, and Y4 what edge functions are most in the first quad of the first
// row, less what they are at least inside. It reads one more of each than there are.
#define MOSTS \
	MOVQ      scan_slopes(DI), BX       \
	VXORPD    X0, X0, X0                \
	VCVTPS2PD slopes_dx(BX), Y1         \
	VCVTPS2PD slopes_dy(BX), Y2         \
	VCVTPS2PD slopes_least(BX), Y3      \
	VMAXPD    Y0, Y1, Y4                \
	VADDPD    scan_start(DI), Y4, Y4    \
	VMAXPD    Y0, Y2, Y5                \
	VADDPD    Y5, Y4, Y4                \
	VSUBPD    Y3, Y4, Y4
