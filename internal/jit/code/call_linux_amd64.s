#include "go_asm.h"
#include "textflag.h"

// func call(at uintptr, c *Context)
//
// The frame keeps the host's MXCSR, and the frame pointer. Vector registers have clean upper halves again before
// an instruction without VEX may follow.
TEXT ·call(SB), NOSPLIT, $8-16
	MOVQ     at+0(FP), AX
	MOVQ     c+8(FP), DI
	VSTMXCSR saved-8(SP)
	VLDMXCSR Context_mxcsr(DI)
	CALL     AX
	VZEROUPPER
	VLDMXCSR saved-8(SP)
	RET
