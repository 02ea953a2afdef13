// Package lower has the form in which blocks run: [Lower] makes of an [ir.Block] a list of steps whose operands and
// results are at places. It is the same for the interpreter of package portable, which binds a Go function to each
// step, and for code generators. It knows neither functions of ops nor machine code.
//
// A value of up to 32 bits per lane is in a row of 64 words: a register of the state where it is, until that is
// overwritten, otherwise a row of the runner. A value of 64 bits per lane is an [ir.Vec]. A condition per lane is one
// word, a lane mask; a uniform value is one word, too. Words of a row above the wave's lanes have no defined contents.
// Constants, casts, and reads of registers of 32 bits per lane need no step. Rows of dead values are reused.
//
// If all lanes are active on entry, results are computed into registers directly, instead of into a row that a later
// step writes to the register under a mask (copy coalescing). For code generators, steps also tell which accesses may
// cache their segment, and which may be executed early. [Block.String] prints a block.
package lower
