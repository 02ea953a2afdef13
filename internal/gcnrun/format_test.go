package gcnrun

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// The conversions of docs/reference/gcn.md 8.1.1 in rational numbers.

// bufferFormats are the names of the data formats by code: the highest component first.
var bufferFormats = []string{1: "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2", "2_10_10_10", "8_8_8_8",
	"32_32", "16_16_16_16", "32_32_32", "32_32_32_32"}

// sizesOf returns the widths of the components of a data format, x first, and the size of an element in bytes.
func sizesOf(data int) (sizes []int, n int) {
	if data == 0 || data >= len(bufferFormats) {
		return nil, 0
	}
	for _, s := range strings.Split(bufferFormats[data], "_") {
		b, err := strconv.Atoi(s)
		if err != nil {
			panic(err)
		}
		sizes = append(sizes, b)
		n += b
	}
	slices.Reverse(sizes)
	return sizes, n / 8
}

const (
	unorm = iota
	snorm
	uscaled
	sscaled
	uintNumber
	sintNumber
	snormOGL
	floatNumber
)

// loaded returns the register value for a component of n bits.
func loaded(number, n int, v uint32) uint32 {
	s := int64(signExtended(n, uint64(v)))
	real := func(num, den int64) uint32 {
		f, _ := big.NewRat(num, den).Float32()
		return math.Float32bits(f)
	}
	switch number {
	case unorm:
		return real(int64(v), 1<<n-1)
	case snorm:
		return real(max(s, -(1<<(n-1)-1)), 1<<(n-1)-1)
	case uscaled:
		return real(int64(v), 1)
	case sscaled:
		return real(s, 1)
	case uintNumber:
		return v
	case sintNumber:
		return uint32(s)
	case snormOGL:
		return real(2*s+1, 1<<n-1)
	}
	if n == 32 {
		return v
	}
	return shortFloat(n, v)
}

// shortFloat converts a float of 16, 11 or 10 bits to f32; 0 for other sizes.
func shortFloat(n int, v uint32) uint32 {
	fraction := map[int]int{16: 10, 11: 6, 10: 5}[n]
	if fraction == 0 {
		return 0
	}
	sign := uint32(0)
	if n == 16 {
		sign = v >> 15 << 31
	}
	exp, mant := v>>fraction&31, v&(1<<fraction-1)
	switch {
	case exp == 31 && mant != 0:
		return sign | 0x7fc00000 | mant<<(23-fraction)
	case exp == 31:
		return sign | 0x7f800000
	case exp == 0:
		return sign | math.Float32bits(float32(math.Ldexp(float64(mant), -14-fraction)))
	}
	return sign | math.Float32bits(float32(math.Ldexp(float64(mant|1<<fraction), int(exp)-15-fraction)))
}

// toShort returns the float of n bits nearest to an f32.
func toShort(n int, x uint32) uint32 {
	fraction := map[int]int{16: 10, 11: 6, 10: 5}[n]
	if fraction == 0 {
		return 0
	}
	f := float64(math.Float32frombits(x))
	sign, top := uint32(0), uint32(31)<<fraction
	if n == 16 {
		sign = x >> 31 << 15
	} else if f < 0 {
		return 0
	}
	f = math.Abs(f)
	if math.IsNaN(f) { // the fraction's upper bits; sizes without sign have one quiet NaN
		if n == 16 {
			return sign | top | 1<<(fraction-1) | x>>(23-fraction)&(1<<fraction-1)
		}
		return top | 1<<(fraction-1)
	}
	_, e := math.Frexp(f)
	quantum := max(e-1, -14) - fraction
	steps := math.RoundToEven(math.Ldexp(f, -quantum))
	if f == 0 {
		return sign
	}
	if math.IsInf(f, 0) || math.Ldexp(steps, quantum) >= 65536 {
		return sign | top
	}
	u := uint32(steps)
	if u>>fraction == 0 {
		return sign | u
	}
	if u>>fraction == 2 { // rounded up to the next power of two
		u, quantum = u>>1, quantum+1
	}
	return sign | uint32(quantum+fraction+15)<<fraction | u&(1<<fraction-1)
}

// stored returns the n bits stored for a register value.
func stored(number, n int, x uint32) uint32 {
	lowest, highest := int64(-1)<<(n-1), int64(1)<<(n-1)-1
	if number == unorm || number == uscaled || number == uintNumber {
		lowest, highest = 0, int64(1)<<n-1
	}
	clamped := func(v int64) uint32 { return uint32(min(max(v, lowest), highest)) & uint32(1<<n-1) }
	switch number {
	case uintNumber:
		return clamped(int64(x))
	case sintNumber:
		return clamped(int64(int32(x)))
	case floatNumber:
		if n == 32 {
			return x
		}
		return toShort(n, x)
	}
	f := math.Float32frombits(x)
	if f != f {
		return 0
	}
	r, low, high := new(big.Rat), int64(-1), int64(1)
	switch number {
	case uscaled, sscaled:
		low, high = -1<<40, 1<<40
	case unorm:
		low = 0
	}
	switch {
	case f > float32(high):
		r.SetInt64(high)
	case f < float32(low):
		r.SetInt64(low)
	default:
		r.SetFloat64(float64(f))
	}
	switch number {
	case unorm:
		r.Mul(r, big.NewRat(1<<n-1, 1))
	case snorm:
		r.Mul(r, big.NewRat(1<<(n-1)-1, 1))
	case snormOGL:
		r.Mul(r, big.NewRat(1<<n-1, 1)).Sub(r, big.NewRat(1, 1)).Mul(r, big.NewRat(1, 2))
	}
	return clamped(nearestEven(r))
}

func nearestEven(r *big.Rat) int64 {
	q, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int)) // floor
	switch twice := rest.Lsh(rest, 1); twice.Cmp(r.Denom()) {
	case 1:
		return q.Int64() + 1
	case 0:
		return q.Int64() + q.Int64()&1
	}
	return q.Int64()
}

// toHalf and fromHalf convert registers of the d16 forms.
func toHalf(number int, x uint32) uint32 {
	if number == uintNumber || number == sintNumber {
		return x & 0xffff
	}
	return toShort(16, x)
}

func fromHalf(number int, x uint32) uint32 {
	switch number {
	case uintNumber:
		return x & 0xffff
	case sintNumber:
		return uint32(int16(x))
	}
	return shortFloat(16, x&0xffff)
}

// A formatRun is an instruction with a format: registers and memory before, and the expected ones by the formulas.
type formatRun struct {
	*memRun
	bufferRow
	data, number int
	selects      [4]uint32
	r            sharp
	old          [64][6]uint32 // v[8:13] before
	global       []byte        // expected
	group        []byte
}

// A bufferRow is a row of the buffer families in one form.
type bufferRow struct {
	name  string
	has   map[string]bool // modifiers
	n     int             // components
	half  bool
	store bool
	typed bool // the instruction has the format
}

func newBufferRow(d *isa.Def) bufferRow {
	b := bufferRow{name: d.Name, has: map[string]bool{}, half: strings.Contains(d.Name, "d16"),
		store: strings.Contains(d.Name, "store"), typed: d.Name[0] == 't', n: len(d.Name) - strings.LastIndex(d.Name, "_") - 1}
	for _, w := range strings.Fields(rowName(d))[2:] {
		b.has[w] = true
	}
	return b
}

// TestBufferFormats runs every row that converts, in every form, so that all formats run with rows of each kind: some
// lanes inactive, some out of range, one of them partly.
func TestBufferFormats(t *testing.T) {
	rows := rowsOf(func(d *isa.Def) bool {
		return strings.Contains(d.Name, "buffer_") && strings.Contains(d.Name, "_format_")
	})
	all := len(bufferFormats) * (floatNumber + 1)
	for i, d := range rows {
		for k := range 5 {
			format := (i*5 + k) % all
			b := newFormatRun(t, d, format%len(bufferFormats), format/len(bufferFormats), uint64(i))
			b.check()
			if t.Failed() {
				t.Fatalf("%s of %s: format %d, number %d, selects %v", rowName(d.Def), gcn.Set().Variants[d.variant].Name, b.data, b.number, b.selects)
			}
		}
	}
	if len(rows) < 330 {
		t.Errorf("%d rows", len(rows))
	}
}

func newFormatRun(t *testing.T, d variantRow, data, number int, seed uint64) *formatRun {
	b := &formatRun{memRun: newMemRunOn(t, d.variant), bufferRow: newBufferRow(d.Def), data: data, number: number}
	rnd := rand.New(rand.NewPCG(seed, 5))
	for i := 0; i < 0x1000; i += 8 {
		binary.LittleEndian.PutUint64(b.memRun.global[i:], edges[rnd.IntN(len(edges))]^rnd.Uint64()>>(rnd.UintN(2)*64))
	}
	b.r = sharp{base: globalBase, stride: 16, records: 0x40 + 48*16 + 6, variant: d.variant}
	both := b.has["idxen"] && b.has["offen"]
	if d.variant != gfx8 && (both || !b.has["offen"]) { // in records, not bytes
		b.r.records = 49
	}
	switch {
	case both:
		b.r.stride = 32
		if d.variant != gfx8 {
			b.r.records = 24
		}
	case b.has["offen"]:
		b.r.stride = 0
	case !b.has["idxen"]:
		b.r.addTID = true
	}
	w := b.r.words()
	for i := range b.selects {
		b.selects[i] = []uint32{0, 1, 4, 5, 6, 7, 4 + uint32(i), 4 + uint32(i)}[rnd.IntN(8)]
		w[3] |= b.selects[i] << (3 * i)
	}
	if !b.typed {
		w[3] |= uint32(number)<<12 | uint32(data)<<15
	}
	b.s(4, w[:]...)
	b.s(8, 0x40)
	b.v(1, func(i int) uint32 { return uint32(b.address(i)[0]) })
	b.v(2, func(i int) uint32 { return uint32(b.address(i)[1]) })
	if b.has["addr64"] { // bits above 48 are ignored
		b.v(2, all(0x12340000))
	}
	b.st.Set(gcn.CellM0, 0, 0xabcd0100)
	b.st.Exec = 0xf421f731_0a5c3e7f
	for lane := range 64 {
		for k := range b.old[lane] {
			b.old[lane][k] = formatValue(rnd)
		}
	}
	for k := range 6 {
		b.v(8+k, func(i int) uint32 { return b.old[i][k] })
	}
	b.global, b.group = slices.Clone(b.memRun.global), slices.Clone(b.memRun.group)
	return b
}

// formatValue returns a register value to store: random bits, a number near a limit, halfway between two values, a NaN.
func formatValue(rnd *rand.Rand) uint32 {
	f := []float64{0, 1, -1, 0.5, 1.5 / 255, 2.5 / 255, 1.5 / 127, 0x1p-14, 0x1p-20, 3 * 0x1p-25, 65504, 65520, 65519, 0x1.03p0, 0x1.01p0,
		127.5, 255.5, -128.5, 1023.5, 2047, 65535.5, 4e9, -4e9, 1e30, math.Inf(1), math.Inf(-1), math.NaN(), -0x1p-149}
	switch rnd.IntN(4) {
	case 0:
		return rnd.Uint32()
	case 1:
		return math.Float32bits(rnd.Float32()*2.5 - 1.25)
	case 2:
		return uint32(int32(rnd.IntN(600) - 300))
	}
	return math.Float32bits(float32(f[rnd.IntN(len(f))]))
}

// address returns the address registers of a lane: no two lanes share an element.
func (b *formatRun) address(lane int) [2]uint64 {
	switch {
	case b.has["idxen"] && b.has["offen"]:
		return [2]uint64{uint64(lane / 2), uint64(lane % 2 * 16)}
	case b.has["offen"], b.has["addr64"]:
		return [2]uint64{uint64(lane * 16)}
	}
	return [2]uint64{uint64(lane)}
}

// at returns the offset of dword k of a lane's element, and whether it is in range.
func (b *formatRun) at(lane, k int) (at uint64, ok bool) {
	a := b.address(lane)
	index, offset := uint64(0), uint64(4*k)
	if b.has["addr64"] {
		return 0x40 + a[0] + offset, true
	}
	if b.has["idxen"] {
		index = a[0]
		a[0] = a[1]
	}
	if b.has["offen"] {
		offset += a[0]
	}
	at, ok = b.r.bufferAddr(uint64(lane), 0x40, index, offset)
	return at - globalBase, ok
}

func (b *formatRun) check() {
	b.t.Helper()
	words := b.old
	registers := b.n
	for lane := range 64 {
		switch {
		case b.st.Exec>>lane&1 == 0:
		case b.store:
			b.storeLane(lane)
		case b.has["lds"]:
			registers = 0
			v := b.loadLane(lane)
			binary.LittleEndian.PutUint32(b.group[0x100+4*lane:], v[0])
		default:
			v := b.loadLane(lane)
			copy(words[lane][:b.n], v[:])
			if b.has["tfe"] {
				words[lane][b.n], registers = 0, b.n+1
			}
		}
	}
	text := b.text(registers)
	b.run(text)
	for k := range 6 {
		for lane := range 64 {
			if got := b.st.Get(gcn.VGPR(8+k), lane); got != words[lane][k] {
				b.t.Fatalf("%s\nv%d of lane %d is %#x, want %#x", text, 8+k, lane, got, words[lane][k])
			}
		}
	}
	if !bytes.Equal(b.memRun.global, b.global) || !bytes.Equal(b.memRun.group, b.group) {
		i := 0
		for i < len(b.global)-8 && b.global[i] == b.memRun.global[i] {
			i++
		}
		b.t.Errorf("%s\nmemory is not as it should be; global at %#x: % x, want % x", text, i, b.memRun.global[i:][:8], b.global[i:][:8])
	}
}

// loadLane returns the expected data registers of a lane.
func (b *formatRun) loadLane(lane int) (out [4]uint32) {
	sizes, size := sizesOf(b.data)
	if size == 0 || b.number == snormOGL && !b.old6() {
		return out
	}
	if _, ok := b.at(lane, 0); !ok {
		return out
	}
	var element [16]byte
	for i := range size {
		if at, ok := b.at(lane, i/4); ok {
			element[i] = b.global[int(at)+i%4]
		}
	}
	integer, one := b.number == uintNumber || b.number == sintNumber, uint32(0x3f800000)
	if integer {
		one = 1
	}
	comps := [4]uint32{0, 0, 0, one}
	first := 0
	for c, n := range sizes {
		v := binary.LittleEndian.Uint32(element[first/32*4:]) >> (first % 32) & uint32(1<<n-1)
		comps[c] = loaded(b.number, n, v)
		first += n
	}
	for i, s := range b.selects {
		if s == 1 {
			out[i] = one
		} else if s >= 4 {
			out[i] = comps[s-4]
		}
		if b.half {
			out[i] = toHalf(b.number, out[i])
		}
	}
	return out
}

// old6 reports whether number format 6 exists.
func (b *formatRun) old6() bool { return b.r.variant != gfx8 }

func (b *formatRun) storeLane(lane int) {
	sizes, size := sizesOf(b.data)
	if size == 0 || b.number == snormOGL && !b.old6() {
		return
	}
	var element [16]byte
	first := 0
	for c, n := range sizes {
		if c < b.n {
			x := b.old[lane][c]
			if b.half {
				x = fromHalf(b.number, x)
			}
			to := element[first/32*4:]
			binary.LittleEndian.PutUint32(to, binary.LittleEndian.Uint32(to)|stored(b.number, n, x)<<(first%32))
		}
		first += n
	}
	for i := range size {
		if at, ok := b.at(lane, i/4); ok {
			b.global[int(at)+i%4] = element[i]
		}
	}
}

// text returns the instruction with n data registers.
func (b *formatRun) text(n int) string {
	text := b.name + " "
	if !b.has["lds"] {
		text += fmt.Sprintf("v[8:%d], ", 7+n)
	}
	switch {
	case b.has["idxen"] && b.has["offen"], b.has["addr64"]:
		text += "v[1:2]"
	case b.has["idxen"] || b.has["offen"]:
		text += "v1"
	default:
		text += "off"
	}
	text += ", s[4:7], s8"
	if b.typed {
		text += fmt.Sprintf(" format:%d", b.data|b.number<<4)
	}
	for _, w := range []string{"idxen", "offen", "addr64", "tfe", "lds"} {
		if b.has[w] {
			text += " " + w
		}
	}
	return text
}

// TestTypedSelect: with option typed-select=identity a typed load returns components unchanged, and a load with the
// format of the resource those that it selects.
func TestTypedSelect(t *testing.T) {
	for option, want := range map[string][4]uint32{"resource": {0x44, 0x33, 0, 1}, "identity": {0x11, 0x22, 0x33, 0x44}} {
		m := newMemRun(t).on(gfx8, map[string]string{"typed-select": option})
		w := sharp{base: globalBase, records: 0x1000}.words()
		w[3] |= 7 | 6<<3 | 0<<6 | 1<<9 | uintNumber<<12 | 10<<15
		m.s(4, w[:]...)
		binary.LittleEndian.PutUint32(m.global, 0x44332211)
		m.run("tbuffer_load_format_xyzw v[4:7], off, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UINT]")
		m.run("buffer_load_format_xyzw v[8:11], off, s[4:7], 0")
		for k, x := range want {
			m.wantV(4+k, all(x))
			m.wantV(8+k, all([]uint32{0x44, 0x33, 0, 1}[k]))
		}
	}
}

// TestFormatFaults: an access of an element that is partly past the end of memory in one lane changes no registers or
// memory; inactive lanes may have any address, and a lane's address does not matter for an invalid format.
func TestFormatFaults(t *testing.T) {
	for data, size := range map[int]int{1: 1, 2: 2, 4: 4, 11: 8, 13: 12, 14: 16} {
		for _, name := range []string{"buffer_load_format_xyzw", "buffer_store_format_xyzw", "tbuffer_load_format_xyzw", "tbuffer_store_format_xyzw"} {
			m := newMemRun(t)
			w := sharp{base: globalBase, records: 0xffffffff}.words()
			format, typed := uint32(data|uintNumber<<4), ""
			if name[0] == 't' {
				typed = fmt.Sprintf(" format:%d", format)
			} else {
				w[3] |= uintNumber<<12 | uint32(data)<<15
			}
			m.s(4, w[:]...)
			m.st.Exec = 0xf
			at := func(i int) uint32 {
				switch {
				case i == 2: // its last byte is the first one past the end
					return uint32(globalSize - size + 1)
				case i > 3:
					return 0xf0000000
				}
				return uint32(i * 16)
			}
			m.v(1, at)
			for k := range 4 {
				m.v(4+k, all(0x55555555))
			}
			before, global := m.st.Snapshot(), bytes.Clone(m.global)
			text := name + " v[4:7], v1, s[4:7], 0" + typed + " offen"
			if m.try(text) == nil {
				t.Errorf("%s of %d bytes: no fault", text, size)
			}
			m.st.At, m.st.Clock = before.At, before.Clock
			if d := m.st.Diff(before, 3); d != nil || !bytes.Equal(m.global, global) {
				t.Errorf("%s of %d bytes: a fault leaves %q, or changes memory", text, size, d)
			}
			w[3] &^= 15 << 15
			m.s(4, w[:]...)
			m.run(name + " v[4:7], v1, s[4:7], 0 offen" + map[bool]string{true: " format:0"}[typed != ""])
		}
	}
}
