package mem

import (
	"strconv"
	"strings"
	"sync"
)

// A bc6Row is a mode of BC6H: its number, the regions, the bits of a component of the first endpoint, the bits of red,
// green and blue of the other endpoints, whether these are differences to the first, and the fields after the mode.
// r0:0-9 is bits 0 to 9 of red of endpoint 0, in the order of the block from the lowest bit up.
type bc6Row struct {
	number, regions, base int
	other                 [3]int
	differs               bool
	fields                string
}

var bc6Rows = [...]bc6Row{
	{0x00, 2, 10, [3]int{5, 5, 5}, true, "g2:4 b2:4 b3:4 r0:0-9 g0:0-9 b0:0-9 r1:0-4 g3:4 g2:0-3 g1:0-4 b3:0 g3:0-3 b1:0-4 b3:1 b2:0-3 r2:0-4 b3:2 r3:0-4 b3:3"},
	{0x01, 2, 7, [3]int{6, 6, 6}, true, "g2:5 g3:4 g3:5 r0:0-6 b3:0 b3:1 b2:4 g0:0-6 b2:5 b3:2 g2:4 b0:0-6 b3:3 b3:5 b3:4 r1:0-5 g2:0-3 g1:0-5 g3:0-3 b1:0-5 b2:0-3 r2:0-5 r3:0-5"},
	{0x02, 2, 11, [3]int{5, 4, 4}, true, "r0:0-9 g0:0-9 b0:0-9 r1:0-4 r0:10 g2:0-3 g1:0-3 g0:10 b3:0 g3:0-3 b1:0-3 b0:10 b3:1 b2:0-3 r2:0-4 b3:2 r3:0-4 b3:3"},
	{0x06, 2, 11, [3]int{4, 5, 4}, true, "r0:0-9 g0:0-9 b0:0-9 r1:0-3 r0:10 g3:4 g2:0-3 g1:0-4 g0:10 g3:0-3 b1:0-3 b0:10 b3:1 b2:0-3 r2:0-3 b3:0 b3:2 r3:0-3 g2:4 b3:3"},
	{0x0a, 2, 11, [3]int{4, 4, 5}, true, "r0:0-9 g0:0-9 b0:0-9 r1:0-3 r0:10 b2:4 g2:0-3 g1:0-3 g0:10 b3:0 g3:0-3 b1:0-4 b0:10 b2:0-3 r2:0-3 b3:1 b3:2 r3:0-3 b3:4 b3:3"},
	{0x0e, 2, 9, [3]int{5, 5, 5}, true, "r0:0-8 b2:4 g0:0-8 g2:4 b0:0-8 b3:4 r1:0-4 g3:4 g2:0-3 g1:0-4 b3:0 g3:0-3 b1:0-4 b3:1 b2:0-3 r2:0-4 b3:2 r3:0-4 b3:3"},
	{0x12, 2, 8, [3]int{6, 5, 5}, true, "r0:0-7 g3:4 b2:4 g0:0-7 b3:2 g2:4 b0:0-7 b3:3 b3:4 r1:0-5 g2:0-3 g1:0-4 b3:0 g3:0-3 b1:0-4 b3:1 b2:0-3 r2:0-5 r3:0-5"},
	{0x16, 2, 8, [3]int{5, 6, 5}, true, "r0:0-7 b3:0 b2:4 g0:0-7 g2:5 g2:4 b0:0-7 g3:5 b3:4 r1:0-4 g3:4 g2:0-3 g1:0-5 g3:0-3 b1:0-4 b3:1 b2:0-3 r2:0-4 b3:2 r3:0-4 b3:3"},
	{0x1a, 2, 8, [3]int{5, 5, 6}, true, "r0:0-7 b3:1 b2:4 g0:0-7 b2:5 g2:4 b0:0-7 b3:5 b3:4 r1:0-4 g3:4 g2:0-3 g1:0-4 b3:0 g3:0-3 b1:0-5 b2:0-3 r2:0-4 b3:2 r3:0-4 b3:3"},
	{0x1e, 2, 6, [3]int{6, 6, 6}, false, "r0:0-5 g3:4 b3:0 b3:1 b2:4 g0:0-5 g2:5 b2:5 b3:2 g2:4 b0:0-5 g3:5 b3:3 b3:5 b3:4 r1:0-5 g2:0-3 g1:0-5 g3:0-3 b1:0-5 b2:0-3 r2:0-5 r3:0-5"},
	{0x03, 1, 10, [3]int{10, 10, 10}, false, "r0:0-9 g0:0-9 b0:0-9 r1:0-9 g1:0-9 b1:0-9"},
	{0x07, 1, 11, [3]int{9, 9, 9}, true, "r0:0-9 g0:0-9 b0:0-9 r1:0-8 r0:10 g1:0-8 g0:10 b1:0-8 b0:10"},
	{0x0b, 1, 12, [3]int{8, 8, 8}, true, "r0:0-9 g0:0-9 b0:0-9 r1:0-7 r0:11-10 g1:0-7 g0:11-10 b1:0-7 b0:11-10"},
	{0x0f, 1, 16, [3]int{4, 4, 4}, true, "r0:0-9 g0:0-9 b0:0-9 r1:0-3 r0:15-10 g1:0-3 g0:15-10 b1:0-3 b0:15-10"},
}

// A bc6Mode is a row with its fields.
type bc6Mode struct {
	*bc6Row
	list []bc6Field
}

// A bc6Field is bits of a component of an endpoint, from the first to the last, upwards or downwards.
type bc6Field struct{ end, component, first, last int }

// bc6Modes are the modes by number, compiled on first use.
var bc6Modes = sync.OnceValue(func() (modes [32]*bc6Mode) {
	for i := range bc6Rows {
		m := &bc6Mode{bc6Row: &bc6Rows[i]}
		for _, text := range strings.Fields(m.fields) {
			from, to, several := strings.Cut(text[3:], "-")
			if !several {
				to = from
			}
			f := bc6Field{end: int(text[1] - '0'), component: strings.IndexByte("rgb", text[0])}
			var err1, err2 error
			f.first, err1 = strconv.Atoi(from)
			f.last, err2 = strconv.Atoi(to)
			if err1 != nil || err2 != nil || f.component < 0 {
				panic("mem: field of BC6H: " + text)
			}
			m.list = append(m.list, f)
		}
		modes[m.number] = m
	}
	return modes
})

// put reads the field into the endpoints.
func (f bc6Field) put(b *bptcBits, ends *[4][3]int) {
	to := &ends[f.end][f.component]
	if f.first <= f.last {
		*to |= b.take(f.last-f.first+1) << f.first
		return
	}
	for at := f.first; at >= f.last; at-- {
		*to |= b.take(1) << at
	}
}

func bc6(data []byte, x, y int) [4]float32       { return bc6Colour(data, x, y, false) }
func bc6Signed(data []byte, x, y int) [4]float32 { return bc6Colour(data, x, y, true) }

// bc6Colour returns the colour of a texel of a BC6H block. A block of a reserved mode is black.
func bc6Colour(data []byte, x, y int, signed bool) (c [4]float32) {
	c[3] = 1
	b := bptcOf(data)
	number := b.take(2)
	if number > 1 {
		number |= b.take(3) << 2
	}
	m := bc6Modes()[number]
	if m == nil {
		return c
	}
	var ends [4][3]int
	for _, f := range m.list {
		f.put(b, &ends)
	}
	shape, index := bptcShape{regions: m.regions}, 4
	if m.regions == 2 {
		shape.partition, index = b.take(5), 3
	}
	texel := 4*y + x
	weight, first := shape.weight(b, index, texel), 2*shape.region(texel)
	for i := range 3 {
		v := bptcMix(m.endpoint(&ends, first, i, signed), m.endpoint(&ends, first+1, i, signed), weight)
		half := 0
		switch {
		case !signed:
			half = v * 31 >> 6
		case v < 0:
			half = 0x8000 | -v*31>>5
		default:
			half = v * 31 >> 5
		}
		c[i] = floatOf(16, uint32(half))
	}
	return c
}

// signExtended is a number of n bits, signed.
func signExtended(v, n int) int { return v << (64 - n) >> (64 - n) }

// endpoint returns a component of an endpoint, expanded to 16 bits: 17 with the sign.
func (m *bc6Mode) endpoint(ends *[4][3]int, k, i int, signed bool) int {
	v, n := ends[k][i], m.base
	if k > 0 && m.differs {
		v = (ends[0][i] + signExtended(v, m.other[i])) & (1<<n - 1)
	}
	if !signed {
		switch {
		case n >= 15 || v == 0:
			return v
		case v == 1<<n-1:
			return 0xffff
		}
		return (v<<16 + 0x8000) >> n
	}
	v = signExtended(v, n)
	if n >= 16 {
		return v
	}
	size := max(v, -v)
	switch {
	case size == 0:
	case size >= 1<<(n-1)-1:
		size = 0x7fff
	default:
		size = (size<<15 + 0x4000) >> (n - 1)
	}
	if v < 0 {
		return -size
	}
	return size
}
