//go:build !amd64

package draw

func byteRow(to, r, g, b, a []uint32, truncate bool) { plainBytes(to, r, g, b, a, truncate) }

func clampRow(to []float32, low, high float32) { plainClamp(to, low, high) }

func scaleRow(to, from []uint32, factors []float32) { plainScale(to, from, factors) }

func byteWide(to, r, g, b, a []uint32, truncate bool) { plainBytes(to, r, g, b, a, truncate) }

func clampWide(to []float32, low, high float32) { plainClamp(to, low, high) }

func scaleWide(to, from []uint32, factors []float32) { plainScale(to, from, factors) }
