package valhall

// Floats. docs/reference/valhall.md 10.1.

func fadd(a, b V) V { return a.FAdd(b) }
func fmin(a, b V) V { return a.FMinNum(b) }
func fmax(a, b V) V { return a.FMaxNum(b) }
