package mem

import "math"

// AtomicOp is a read-modify-write operation. Every operation has the operand data; some also use cmp.
type AtomicOp uint8

const (
	Add AtomicOp = iota
	Sub
	RSub
	SMin
	SMax
	UMin
	UMax
	And
	Or
	Xor
	Inc
	Dec
	Swap
	CmpSwap
	MskOr
	Wrap
	FAdd
	FMin
	FMax
	FCmpSwap
	numAtomicOps
)

// atomicOps is the table of operations. n is 32 or 64; old, data and cmp have no bits above n, results may.
//
// Source: docs/reference/gcn.md 8.1 (buffer) and 8.3 (DS). ds_cmpst has its compare value in DATA0, the buffer form
// in VDATA[1]. The lift handles this; here it is always cmp.
var atomicOps = [numAtomicOps]struct {
	name  string
	two   bool // uses cmp
	apply func(n int, old, data, cmp uint64) uint64
	doc   string
}{
	Add:      {"add", false, func(_ int, old, d, _ uint64) uint64 { return old + d }, "old + data"},
	Sub:      {"sub", false, func(_ int, old, d, _ uint64) uint64 { return old - d }, "old - data"},
	RSub:     {"rsub", false, func(_ int, old, d, _ uint64) uint64 { return d - old }, "data - old"},
	SMin:     {"smin", false, smin, "the smaller, signed"},
	SMax:     {"smax", false, smax, "the larger, signed"},
	UMin:     {"umin", false, func(_ int, old, d, _ uint64) uint64 { return min(old, d) }, "the smaller, unsigned"},
	UMax:     {"umax", false, func(_ int, old, d, _ uint64) uint64 { return max(old, d) }, "the larger, unsigned"},
	And:      {"and", false, func(_ int, old, d, _ uint64) uint64 { return old & d }, "old & data"},
	Or:       {"or", false, func(_ int, old, d, _ uint64) uint64 { return old | d }, "old | data"},
	Xor:      {"xor", false, func(_ int, old, d, _ uint64) uint64 { return old ^ d }, "old ^ data"},
	Inc:      {"inc", false, inc, "old >= data: 0, else old + 1"},
	Dec:      {"dec", false, dec, "old = 0 or old > data: data, else old - 1"},
	Swap:     {"swap", false, func(_ int, _, d, _ uint64) uint64 { return d }, "data"},
	CmpSwap:  {"cmpswap", true, cmpSwap, "old = cmp: data, else old"},
	MskOr:    {"mskor", true, func(_ int, old, d, c uint64) uint64 { return old&^d | c }, "old with the bits of data cleared, then those of cmp set"},
	Wrap:     {"wrap", true, wrap, "old >= data: old - data, else old + cmp"},
	FAdd:     {"fadd", false, fadd, "old + data, to nearest even, denormals kept; any NaN gives the quiet NaN with only its top mantissa bit set"},
	FMin:     {"fmin", false, fmin, "the smaller, -0 below +0; a NaN gives way to a number, two NaNs leave old"},
	FMax:     {"fmax", false, fmax, "the larger, -0 below +0; a NaN gives way to a number, two NaNs leave old"},
	FCmpSwap: {"fcmpswap", true, fcmpSwap, "old = cmp as floats (-0 = +0, NaN equals nothing): data, else old"},
}

// String is the operation's name in lower case: "add", "cmpswap".
func (op AtomicOp) String() string {
	if op >= numAtomicOps {
		return "?"
	}
	return atomicOps[op].name
}

// Valid reports whether op is one of the constants.
func (op AtomicOp) Valid() bool { return op < numAtomicOps }

// Doc returns the result in one line, in terms of old, data and cmp.
func (op AtomicOp) Doc() string { return atomicOps[op].doc }

// Two reports whether op uses cmp.
func (op AtomicOp) Two() bool { return atomicOps[op].two }

// Apply returns the value that op stores. bits is 32 or 64; higher bits of the operands are ignored. Doc has the
// rule of each operation. Sources do not specify NaN and the sign of zero for FMin and FMax; the rules here make
// the result independent of the order of lanes, except that the first of several NaNs stays.
func (op AtomicOp) Apply(bits int, old, data, cmp uint64) uint64 {
	m := uint64(1)<<uint(bits-1)<<1 - 1
	return atomicOps[op].apply(bits, old&m, data&m, cmp&m) & m
}

// signed sign-extends the n-bit number v.
func signed(n int, v uint64) int64 { return int64(v<<uint(64-n)) >> uint(64-n) }

func smin(n int, old, data, _ uint64) uint64 {
	if signed(n, data) < signed(n, old) {
		return data
	}
	return old
}

func smax(n int, old, data, _ uint64) uint64 {
	if signed(n, data) > signed(n, old) {
		return data
	}
	return old
}

func inc(_ int, old, data, _ uint64) uint64 {
	if old >= data {
		return 0
	}
	return old + 1
}

func dec(_ int, old, data, _ uint64) uint64 {
	if old == 0 || old > data {
		return data
	}
	return old - 1
}

func cmpSwap(_ int, old, data, cmp uint64) uint64 {
	if old == cmp {
		return data
	}
	return old
}

func wrap(_ int, old, data, cmp uint64) uint64 {
	if old >= data {
		return old - data
	}
	return old + cmp
}

// fadd adds on the host. IEEE addition in one format is exact in Go except for the NaN that results, which is
// replaced by a fixed one.
func fadd(n int, old, data, _ uint64) uint64 {
	if n == 32 {
		if r := math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(data)); r == r {
			return uint64(math.Float32bits(r))
		}
		return 0x7fc00000
	}
	if r := math.Float64frombits(old) + math.Float64frombits(data); r == r {
		return math.Float64bits(r)
	}
	return 0x7ff8 << 48
}

// isNaN reports whether the n-bit float v is a NaN.
func isNaN(n int, v uint64) bool {
	if n == 32 {
		return v&(1<<31-1) > 0x7f800000
	}
	return v&(1<<63-1) > 0x7ff<<52
}

// order maps floats other than NaN to integers in the same order, -0 below +0.
func order(n int, v uint64) int64 {
	s := signed(n, v)
	return s ^ int64(uint64(s>>63)>>1)
}

func fmin(n int, old, data, _ uint64) uint64 {
	if !isNaN(n, data) && (isNaN(n, old) || order(n, data) < order(n, old)) {
		return data
	}
	return old
}

func fmax(n int, old, data, _ uint64) uint64 {
	if !isNaN(n, data) && (isNaN(n, old) || order(n, data) > order(n, old)) {
		return data
	}
	return old
}

func fcmpSwap(n int, old, data, cmp uint64) uint64 {
	zero := old<<uint(64-n)<<1 == 0 && cmp<<uint(64-n)<<1 == 0
	if zero || old == cmp && !isNaN(n, old) {
		return data
	}
	return old
}
