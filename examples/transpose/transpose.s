.isa valhall
// The transpose of a matrix of 32-bit words, in tiles of 16 by 16: a work-group reads the rows of its tile, leaves them in workgroup
// memory, and writes the columns, so that neighbours read and write neighbours. Uniform words: u0 and u1 address of the matrix, u2
// and u3 of the result, u4 words of a row, u5 of a column. A row of the tile has a word more than it needs.

	U16_TO_U32 r0, r55.h00				// place in the tile: x
	U16_TO_U32 r1, r55.h11				// y
	IADD_IMM.i32 r2, 0x0, #0x11			// words of a row of the tile
	IMUL.i32 r3, r61, u4				// the word of this thread,
	IADD.u32 r3, r3, r60
	SHADDX.u64 r4, u0, r3.w0, shift:0x2
	LOAD.i32.unsigned.slot0 @r6, r4, offset:0
	IMUL.i32 r3, r1, r2				// its place in the tile
	IADD.u32 r3, r3, r0
	SHADDX.u64.wait0 r8, workgroup_local_pointer.w0, r3.w0, shift:0x2
	STORE.i32.slot1.wait1 @r6, r8, offset:0
	BARRIER.slot7.wait				// all of the tile is there
	IMUL.i32 r3, r0, r2				// the word across the diagonal
	IADD.u32 r3, r3, r1
	SHADDX.u64 r8, workgroup_local_pointer.w0, r3.w0, shift:0x2
	LOAD.i32.unsigned.slot0 @r6, r8, offset:0
	LSHIFT_OR.i32 r3, r57, 0x7060504.b00, r1	// its row in the result: 16 times the group's x, plus y
	LSHIFT_OR.i32 r7, r58, 0x7060504.b00, r0	// and its column
	IMUL.i32 r3, r3, u5
	IADD.u32 r3, r3, r7
	SHADDX.u64.wait0 r4, u2, r3.w0, shift:0x2
	STORE.i32.slot1.end @r6, r4, offset:0
