package elem

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// A Summary is statistics of the numbers in a buffer. NaNs are only counted; infinities do not contribute to the mean.
type Summary struct {
	Type     Type
	Elements int
	Over     int // bytes after the last element
	NaN, Inf int // for floats
	Numbers  int // count of numbers other than NaN
	min, max uint64
	Mean     float64 // of the finite numbers, in float64; NaN if there are none
	unread   bool    // only Type, Elements and Over are known
}

// Count returns a summary without statistics, for size bytes.
func Count(t Type, size int) *Summary {
	return &Summary{Type: t, Elements: size / t.Size(), Over: size % t.Size(), unread: true}
}

// Summarize computes the summary of a whole buffer. The type must be known and not Hex: bits have no order.
func Summarize(t Type, data []byte) *Summary {
	s := Count(t, len(data))
	s.unread = false
	n, step := t.number(), t.Bits/8
	data = data[:s.Elements*t.Size()]
	var sum total
	var lo, hi float64
	for at := 0; at < len(data); at += step {
		v := n.load(data[at:])
		x := n.value(v)
		if x != x {
			s.NaN++
			continue
		}
		s.Numbers++
		if s.Numbers == 1 || n.less(v, x, s.min, lo) {
			s.min, lo = v, x
		}
		if s.Numbers == 1 || n.less(s.max, hi, v, x) {
			s.max, hi = v, x
		}
		if math.IsInf(x, 0) {
			s.Inf++
			continue
		}
		sum.add(x)
	}
	s.Mean = sum.mean(s.Numbers - s.Inf)
	if math.IsInf(s.Mean, 0) {
		s.Mean = n.scaledMean(data, s.Numbers-s.Inf)
	}
	return s
}

// less compares two numbers, given with their values as float64, which are not exact for integers of 64 bits.
func (t Type) less(v uint64, x float64, w uint64, y float64) bool {
	switch {
	case x != y || t.Kind == Float:
		return x < y
	case t.Kind == Signed:
		return t.signed(v) < t.signed(w)
	}
	return v < w
}

// A total is a sum in float64 with compensation of rounding errors (A. Neumaier, Rundungsfehleranalyse einiger
// Verfahren zur Summation endlicher Summen, 1974), so that sums of many elements do not drift.
type total struct{ sum, lost float64 }

func (s *total) add(x float64) {
	t := s.sum + x
	if math.Abs(s.sum) >= math.Abs(x) {
		s.lost += (s.sum - t) + x
	} else {
		s.lost += (x - t) + s.sum
	}
	s.sum = t
}

func (s *total) mean(n int) float64 {
	if math.IsInf(s.sum, 0) {
		return s.sum
	}
	return (s.sum + s.lost) / float64(n)
}

// scaledMean returns the mean if the sum overflows float64, by scaling the elements down.
func (t Type) scaledMean(data []byte, n int) float64 {
	const shift = 64 // there are fewer elements than 2^64
	var sum total
	for at := 0; at < len(data); at += t.Bits / 8 {
		if x := t.Value(data[at:]); !math.IsNaN(x) && !math.IsInf(x, 0) {
			sum.add(math.Ldexp(x, -shift))
		}
	}
	return math.Ldexp(sum.mean(n), shift)
}

func (s *Summary) String() string {
	parts := []string{fmt.Sprintf("%d %s", s.Elements, s.Type)}
	if s.Numbers > 0 {
		n := s.Type.number()
		parts = append(parts, "min "+n.text(s.min), "max "+n.text(s.max))
	}
	if s.Numbers > s.Inf {
		mean := fmt.Sprintf("mean %.6g", s.Mean)
		if s.Inf > 0 {
			mean += " of the finite"
		}
		parts = append(parts, mean)
	}
	if s.Inf > 0 {
		parts = append(parts, fmt.Sprintf("%d infinite", s.Inf))
	}
	switch {
	case s.Type.Kind != Float || s.unread:
	case s.NaN == 0:
		parts = append(parts, "no NaN")
	default:
		parts = append(parts, fmt.Sprintf("%d NaN", s.NaN))
	}
	if s.Over > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes over", s.Over))
	}
	return strings.Join(parts, ", ")
}

// Fields is a summary in JSON.
type Fields struct {
	Type     string          `json:"type"`
	Elements int             `json:"elements"`
	Min      json.RawMessage `json:"min,omitempty"` // a string if infinite
	Max      json.RawMessage `json:"max,omitempty"`
	Mean     *float64        `json:"mean,omitempty"` // of the finite values
	NaN      *int            `json:"nan,omitempty"`  // for floats
	Inf      *int            `json:"inf,omitempty"`
}

// Fields returns the summary for JSON.
func (s *Summary) Fields() *Fields {
	f := &Fields{Type: s.Type.String(), Elements: s.Elements}
	if n := s.Type.number(); s.Numbers > 0 {
		f.Min, f.Max = json.RawMessage(n.json(s.min)), json.RawMessage(n.json(s.max))
	}
	if s.Numbers > s.Inf {
		f.Mean = &s.Mean
	}
	if s.Type.Kind == Float && !s.unread {
		f.NaN, f.Inf = &s.NaN, &s.Inf
	}
	return f
}
