// The formulas and their order are those of rows.go; no step is fused. DI is the rows of the wave, R8 the run at hand and R9 the last one's end, CX the lane and
// DX the end of the run.

#define RUNS \
	MOVQ  w+0(FP), DI              \
	MOVQ  (Wave_runs+0)(DI), R8    \
	MOVQ  (Wave_runs+8)(DI), R9    \
	IMULQ $run__size, R9           \
	ADDQ  R8, R9                   \
	MOVQ  Wave_waveRows(DI), DI

#define RUN \
	MOVQ run_r(R8), R10    \
	MOVQ run_from(R8), CX  \
	MOVQ run_to(R8), DX

#define CORNER(n, field) (triangle_c+n*corner__size+field)(R10)

// VALUES makes X5 to X7 a value of the corners.
#define VALUES(field) \
	VMOVSS CORNER(0, field), X5   \
	VMOVSS CORNER(1, field), X6   \
	VMOVSS CORNER(2, field), X7

// BYAREA makes X4 the area, and divides X6 and X7 by it.
#define BYAREA \
	VMOVSS triangle_scaled(R10), X4 \
	VDIVSS X4, X6, X6 \
	VDIVSS X4, X7, X7

// LINE makes X5 a value of the first corner, X6 and X7 how much more the others have, by area.
#define LINE(field) \
	VALUES(field)       \
	VSUBSS X5, X6, X6   \
	VSUBSS X5, X7, X7   \
	BYAREA

// WEIGHTS makes X5 to X7 what 1/w is at the corners, by area.
#define WEIGHTS \
	VALUES(corner_invW) \
	BYAREA              \
	VDIVSS X4, X5, X5

// VERTICES makes R11 to R13 where the vectors of the corners are, from the first vertex's on, which is at BX; from one to the next it is AX.
#define VERTICES \
	MOVL  CORNER(0, corner_out), R11 \
	MOVL  CORNER(1, corner_out), R12 \
	MOVL  CORNER(2, corner_out), R13 \
	IMULQ AX, R11                    \
	IMULQ AX, R12                    \
	IMULQ AX, R13
