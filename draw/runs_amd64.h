// The formulas and their order are those of rows.go; no step is fused. DI is the wave, R8 the run at hand and R9 the last one's end, CX the lane and DX the
// end of the run.

#define RUNS \
	MOVQ  w+0(FP), DI              \
	MOVQ  (Wave_runs+0)(DI), R8    \
	MOVQ  (Wave_runs+8)(DI), R9    \
	IMULQ $run__size, R9           \
	ADDQ  R8, R9

#define RUN \
	MOVQ run_r(R8), R10    \
	MOVQ run_from(R8), CX  \
	MOVQ run_to(R8), DX

#define CORNER(n, field) (triangle_c+n*corner__size+field)(R10)
