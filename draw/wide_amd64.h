// LANES makes K1 those of the sixteen from at on that are left, up to end. R13 is 0xffff.
#define LANES(at, end) \
	MOVQ  end, R12         \
	SUBQ  at, R12          \
	BZHIL R12, R13, R12    \
	KMOVW R12, K1
