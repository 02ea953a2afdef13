.isa tesla:g80
// Inclusive prefix sums of blocks of 256 words, after Hillis and Steele. Parameters, as CUDA passes them: s[0x10] address of the
// words in g14, s[0x14] of the sums. The words of a block lie from s[0x20] on, behind them the sums of every other turn.

	and b32 $r0 $r0 0xffff			// thread of the block
	cvt u32 $r1 u16 u16 s[0xc]		// block
	cvt u32 $r2 u16 u16 s[0x2]		// threads of a block
	add $r1 (mul u16 $r1l $r2l) $r0
	shl b32 $r1 $r1 2			// of the word, in bytes
	add b32 $r3 b32 s[0x10] $r1
	ld b32 $r4 g14[$r3]			// the sum so far
	shl b32 $r0 $r0 2
	mov b32 $r5 4				// how far the other word is
	shl b32 $r2 $r2 2

turn:	shl $a1 $r0 0				// everybody leaves the sum,
	st b32 s[$a1+0x20] $r4
	bar inc wait 0 all
	joinat meet				// takes the one that far before, if there is one,
	sub b32 $c0 $r6 $r0 $r5
	(l $c0) bra meet
	shl $a2 $r6 0
	add b32 $r4 b32 s[$a2+0x20] $r4
meet:	join nop
	bar inc wait 0 all			// and goes on when all have
	shl b32 $r5 $r5 1
	set $c0 # l u32 $r5 $r2
	(lg $c0) bra turn

	add b32 $r3 b32 s[0x14] $r1
	st b32 g14[$r3] $r4
	exit nop
