//go:build !amd64

package draw

func linearRow(to, e1, e2 []float32, area, a, b, c float32) { plainLinear(to, e1, e2, area, a, b, c) }

func shareRow(p, q, e0, e1, e2 []float32, area, w0, w1, w2 float32) {
	plainShare(p, q, e0, e1, e2, area, w0, w1, w2)
}

func mixRow(to []uint32, p, q []float32, a, b, c float32) { plainMix(to, p, q, a, b, c) }

func byteRow(to, r, g, b, a []uint32, truncate bool) { plainBytes(to, r, g, b, a, truncate) }

func clampRow(to []float32, low, high float32) { plainClamp(to, low, high) }

func scaleRow(to []uint32, factors []float32) { plainScale(to, factors) }
