package draw

//go:noescape
func byteRow(to, r, g, b, a []uint32, truncate bool)

//go:noescape
func clampRow(to []float32, low, high float32)

//go:noescape
func scaleRow(to, from []uint32, factors []float32)

// byteWide is byteRow, clampWide clampRow and scaleWide scaleRow, on processors with hasWide.
//
//go:noescape
func byteWide(to, r, g, b, a []uint32, truncate bool)

//go:noescape
func clampWide(to []float32, low, high float32)

//go:noescape
func scaleWide(to, from []uint32, factors []float32)
