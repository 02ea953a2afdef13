package draw

//go:noescape
func linearRow(to, e1, e2 []float32, area, a, b, c float32)

//go:noescape
func shareRow(p, q, e0, e1, e2 []float32, area, w0, w1, w2 float32)

//go:noescape
func mixRow(to []uint32, p, q []float32, a, b, c float32)

//go:noescape
func byteRow(to, r, g, b, a []uint32, truncate bool)

//go:noescape
func clampRow(to []float32, low, high float32)

//go:noescape
func scaleRow(to []uint32, factors []float32)
