//go:build !heddle_softfloat

package num

import "math"

// Shortcuts by the host's float unit, which Go keeps at round to nearest with denormals. Each returns the result
// and whether it is known to be exact. False only costs time. Products and sums that must not be fused are
// converted explicitly.

// hostFloats says whether there are shortcuts.
const hostFloats = true

// normal32 reports whether r is a normal number above the smallest binade; a result in that binade may have been
// rounded from one that some mode flushes.
func normal32(r uint32) bool { return r<<1-2<<24 < 253<<24 }

// usual32 accepts a result that no flush or NaN rule affects: zeros, and normal32.
func usual32(r uint32) bool { return normal32(r) || r<<1 == 0 }

// usual64 is usual32 for binary64.
func usual64(r uint64) bool { return r<<1-2<<53 < 2045<<53 || r<<1 == 0 }

// denormal32 is for operands; zeros are not denormal.
func denormal32(a uint64) bool { return uint32(a)<<1-1 < 1<<24-1 }

// denormal64 is for operands; zeros are not denormal.
func denormal64(a uint64) bool { return a<<1-1 < 1<<53-1 }

// kept32 accepts operands that the mode does not flush.
func kept32(m Mode, a, b uint64) bool {
	return m&FlushIn == 0 || !denormal32(a) && !denormal32(b)
}

// kept64 is kept32 for binary64.
func kept64(m Mode, a, b uint64) bool {
	return m&FlushIn == 0 || !denormal64(a) && !denormal64(b)
}

func float32of(a uint64) float32 { return math.Float32frombits(uint32(a)) }

func hostAdd(n int, m Mode, a, b uint64) (uint64, bool) {
	if m&roundMask != RNE {
		return 0, false
	}
	switch n {
	case 32:
		r := math.Float32bits(float32of(a) + float32of(b))
		return uint64(r), usual32(r) && kept32(m, a, b)
	case 64:
		r := math.Float64bits(math.Float64frombits(a) + math.Float64frombits(b))
		return r, usual64(r) && kept64(m, a, b)
	}
	if !normal16(a) || !normal16(b) {
		return 0, false
	}
	return narrow16(float64of16(a)+float64of16(b), 0)
}

func hostSub(n int, m Mode, a, b uint64) (uint64, bool) {
	if m&roundMask != RNE {
		return 0, false
	}
	switch n {
	case 32:
		r := math.Float32bits(float32of(a) - float32of(b))
		return uint64(r), usual32(r) && kept32(m, a, b)
	case 64:
		r := math.Float64bits(math.Float64frombits(a) - math.Float64frombits(b))
		return r, usual64(r) && kept64(m, a, b)
	}
	if !normal16(a) || !normal16(b) {
		return 0, false
	}
	return narrow16(float64of16(a)-float64of16(b), 0)
}

func hostMul(n int, m Mode, a, b uint64) (uint64, bool) {
	if m&roundMask != RNE {
		return 0, false
	}
	switch n {
	case 32:
		r := math.Float32bits(float32(float32of(a) * float32of(b)))
		return uint64(r), usual32(r) && kept32(m, a, b)
	case 64:
		r := math.Float64bits(float64(math.Float64frombits(a) * math.Float64frombits(b)))
		return r, usual64(r) && kept64(m, a, b)
	}
	if !normal16(a) || !normal16(b) {
		return 0, false
	}
	return narrow16(float64(float64of16(a)*float64of16(b)), 0)
}

func hostDiv(n int, m Mode, a, b uint64) (uint64, bool) {
	if m&roundMask != RNE {
		return 0, false
	}
	switch n {
	case 32:
		r := math.Float32bits(float32of(a) / float32of(b))
		return uint64(r), usual32(r) && kept32(m, a, b)
	case 64:
		r := math.Float64bits(math.Float64frombits(a) / math.Float64frombits(b))
		return r, usual64(r) && kept64(m, a, b)
	}
	if !normal16(a) || !normal16(b) {
		return 0, false
	}
	// 53 bits are more than 2*11+2: rounding twice equals rounding once, except for midpoints that the first
	// rounding makes, and those are rejected.
	return narrow16(float64of16(a)/float64of16(b), 0)
}

func hostSqrt(n int, m Mode, a uint64) (uint64, bool) {
	if m&roundMask != RNE {
		return 0, false
	}
	switch n {
	case 32:
		r := math.Float32bits(float32(math.Sqrt(float64(float32of(a)))))
		return uint64(r), usual32(r) && kept32(m, a, a)
	case 64:
		r := math.Float64bits(math.Sqrt(math.Float64frombits(a)))
		return r, usual64(r) && kept64(m, a, a)
	}
	if !normal16(a) {
		return 0, false
	}
	return narrow16(math.Sqrt(float64of16(a)), 0)
}

func hostFMA(n int, m Mode, a, b, c uint64) (uint64, bool) {
	if m&roundMask != RNE {
		return 0, false
	}
	switch n {
	case 32:
		if m&FlushIn != 0 && (denormal32(a) || denormal32(b) || denormal32(c)) {
			return 0, false
		}
		// The product is exact, the sum rounded to 53 bits. Rounding that again is right unless it is midway
		// between two results.
		p := float64(float64(float32of(a)) * float64(float32of(b)))
		return narrow32(p+float64(float32of(c)), 0)
	case 64:
		r := math.Float64bits(math.FMA(math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)))
		return r, usual64(r) && kept64(m, a, b) && kept64(m, c, c)
	}
	if !normal16(a) || !normal16(b) || !normal16(c) {
		return 0, false
	}
	p := float64(float64of16(a) * float64of16(b))
	return narrow16(p+float64of16(c), 0)
}

// hostMad is for a c that is not zero.
func hostMad(n int, m Mode, a, b, c uint64) (uint64, bool) {
	if n != 32 || m&roundMask != RNE || m&FlushIn != 0 && (denormal32(a) || denormal32(b)) {
		return 0, false
	}
	// The product is exact, and truncated to 24 bits; the rest is as for hostFMA.
	p := float64(float64(float32of(a)) * float64(float32of(b)))
	p = math.Float64frombits(math.Float64bits(p) &^ (1<<29 - 1))
	return narrow32(p+float64(float32of(c)), 0)
}

// narrow32 rounds s to nearest. It rejects an s within slack units in the last place of a midpoint, and results
// that a mode might change. So it is right for any exact value between the neighbours of s, and for one that is off
// by less than slack units. An s of 0 is exact.
func narrow32(s float64, slack uint64) (uint64, bool) {
	r := math.Float32bits(float32(s))
	u := math.Float64bits(s)
	return uint64(r), (u-1<<28+slack)&(1<<29-1) > 2*slack && normal32(r) || s == 0
}

// narrow16 is narrow32 for binary16; it rejects zeros too.
func narrow16(s float64, slack uint64) (uint64, bool) {
	u := math.Float64bits(s)
	r := (u>>42&0x1fffff + u>>41&1) - (1023-15)<<10 // ties were rejected above
	mag := u & (1<<63 - 1)
	ok := mag > (1023-13)<<52 && mag < (1023+15)<<52+0x3ff<<42 && (u-1<<41+slack)&(1<<42-1) > 2*slack
	return r&0x7fff | u>>63<<15, ok
}

// normal16 reports whether a is a normal number.
func normal16(a uint64) bool { return (a&0x7fff)-0x400 < 0x7c00-0x400 }

// float64of16 is the value of a normal number.
func float64of16(a uint64) float64 {
	return math.Float64frombits(a&0x8000<<48 | (a&0x7fff<<42 + (1023-15)<<52))
}
