//go:build heddle_softfloat

package num

// hostFloats says whether there are shortcuts.
const hostFloats = false

// Without host floats no shortcut applies.

func hostAdd(n int, m Mode, a, b uint64) (uint64, bool)    { return 0, false }
func hostSub(n int, m Mode, a, b uint64) (uint64, bool)    { return 0, false }
func hostMul(n int, m Mode, a, b uint64) (uint64, bool)    { return 0, false }
func hostDiv(n int, m Mode, a, b uint64) (uint64, bool)    { return 0, false }
func hostSqrt(n int, m Mode, a uint64) (uint64, bool)      { return 0, false }
func hostFMA(n int, m Mode, a, b, c uint64) (uint64, bool) { return 0, false }
func hostMad(n int, m Mode, a, b, c uint64) (uint64, bool) { return 0, false }

func hostRsq(n int, m Mode, a uint64) (uint64, bool)    { return 0, false }
func hostExp2(n int, m Mode, a uint64) (uint64, bool)   { return 0, false }
func hostLog2(n int, m Mode, a uint64) (uint64, bool)   { return 0, false }
func hostSinRev(n int, m Mode, a uint64) (uint64, bool) { return 0, false }
func hostCosRev(n int, m Mode, a uint64) (uint64, bool) { return 0, false }
func hostSin(n int, m Mode, a uint64) (uint64, bool)    { return 0, false }
func hostCos(n int, m Mode, a uint64) (uint64, bool)    { return 0, false }

// RowsSinRev64 is FSinRev on rows.
func RowsSinRev64(m Mode, d *[64]uint64, a Arg64, n int) { each64to64(m, d, FSinRev, a, 0, n) }

// RowsCosRev64 is FCosRev on rows.
func RowsCosRev64(m Mode, d *[64]uint64, a Arg64, n int) { each64to64(m, d, FCosRev, a, 0, n) }
