// Package num defines the exact semantics of every arithmetic op of the IR, on bit patterns.
//
// A value of width n is a uint64 that is zero above bit n-1: an integer of 1 to 64 bits, or an IEEE binary16,
// binary32 or binary64 number (n = 16, 32, 64). Every function is total: it returns for any operands, it never
// panics, and its result is zero above its width. Results depend on the operands only, not on the host's float
// unit, its rounding mode or its NaN behaviour.
//
// Float functions take a [Mode]: rounding, denormal flush, and the form of NaN results. They proceed as hardware
// does: flush denormal operands if the mode says so, propagate NaNs, compute the exact result, round once, flush a
// denormal result if the mode says so. Sign changes ([FNeg], [FAbs]) are separate ops.
//
// Functions whose value is not a rational number ([FExp2], [FLog2], [FSinRev], ...) are correctly rounded, in every
// rounding mode.
//
// Files host*.go use the host's float unit where its result is known to be exact. The build tag heddle_softfloat
// excludes them; results are the same bits, slower.
package num
