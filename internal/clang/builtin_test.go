package clang_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// A typ is a scalar type of OpenCL C.
type typ struct {
	name   string
	bits   int
	signed bool
	float  bool
}

var intTypes = []typ{{"char", 8, true, false}, {"uchar", 8, false, false}, {"short", 16, true, false}, {"ushort", 16, false, false},
	{"int", 32, true, false}, {"uint", 32, false, false}, {"long", 64, true, false}, {"ulong", 64, false, false}}

var (
	floatType  = typ{"float", 32, true, true}
	doubleType = typ{"double", 64, true, true}
	intType    = intTypes[4]
)

// unsigned returns the unsigned type of the same size.
func (t typ) unsigned() typ {
	for _, u := range intTypes {
		if u.bits == t.bits && !u.signed {
			return u
		}
	}
	panic(t.name)
}

// A call is a function applied to arrays of arguments, as scalars and as vectors, with the right results.
type call struct {
	name string
	args []typ
	ret  typ
	want func(in []uint64) (ok func(got uint64) bool, says string) // on bits, zero above the type
	expr string                                                    // "": name(a, b, c)
	flat bool                                                      // there is no vector form
}

// elements is the number of values in each array: whole vectors of 2, 3, 4, 8 and 16.
const elements = 48

// values returns the arguments: edge values, and pseudo-random bits.
func (t typ) values(seed int) (list []uint64) {
	mask := uint64(math.MaxUint64) >> (64 - t.bits)
	x := uint64(seed)*0x9e3779b97f4a7c15 + 1
	var edges []uint64
	switch {
	case t.float && t.bits == 32:
		for _, f := range []float32{0, 1, -1, 0.5, -2.5, 3.75, 100.25, -1e10, 1e-20, 16777216, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())} {
			edges = append(edges, uint64(math.Float32bits(f)))
		}
		edges = append(edges, 0x80000000)
	case t.float:
		for _, f := range []float64{0, 1, -1, 0.5, -2.5, 3.75, 1e300, -1e-300, 1 << 53, math.Inf(1), math.Inf(-1), math.NaN()} {
			edges = append(edges, math.Float64bits(f))
		}
	default:
		top := uint64(1) << (t.bits - 1)
		edges = []uint64{0, 1, mask, top, top - 1, top + 1, 2, mask - 1, 0x55 & mask}
	}
	for i := range elements {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		switch {
		case (i+seed*5)%3 == 0:
			list = append(list, edges[int(x>>20)%len(edges)])
		case t.float && t.bits == 32: // of moderate size
			list = append(list, uint64(math.Float32bits(float32((float64(x>>11)/(1<<53)-0.5)*math.Ldexp(1, int(x%41)-20)))))
		case t.float:
			list = append(list, math.Float64bits((float64(x>>11)/(1<<53)-0.5)*math.Ldexp(1, int(x%41)-20)))
		default:
			list = append(list, x&mask>>(x%uint64(t.bits)))
		}
	}
	return list
}

// source returns kernels for all calls: number i on scalars, and on vectors of a width that depends on i.
func source(calls []call) string {
	var b strings.Builder
	b.WriteString("#pragma OPENCL FP_CONTRACT OFF\n")
	for i, c := range calls {
		for _, width := range []int{1, c.width(i)} {
			if width == 0 {
				continue
			}
			suffix, letters := "", "abc"
			if width > 1 {
				suffix = fmt.Sprint(width)
			}
			fmt.Fprintf(&b, "kernel void k%d_%d(global %s *o", i, width, c.ret.name)
			var args []string
			for j, a := range c.args {
				fmt.Fprintf(&b, ", global const %s *%c", a.name, letters[j])
				load := fmt.Sprintf("%c[i]", letters[j])
				if width > 1 {
					load = fmt.Sprintf("vload%d(i, %c)", width, letters[j])
				}
				args = append(args, load)
			}
			call := c.name + "(" + strings.Join(args, ", ") + ")"
			if c.expr != "" {
				call = strings.NewReplacer("$a", args[0], "$N", suffix).Replace(c.expr)
			}
			store := "o[i] = " + call
			if width > 1 {
				store = fmt.Sprintf("vstore%d(%s, i, o)", width, call)
			}
			fmt.Fprintf(&b, ") { size_t i = get_global_id(0); %s; }\n", store)
		}
	}
	return b.String()
}

func (c *call) width(i int) int {
	if c.flat {
		return 0
	}
	return []int{2, 3, 4, 8, 16}[i%5]
}

// compileText compiles a source that a test makes.
func compileText(t *testing.T, text string, o clang.Options) *gcn.Module {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.cl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	o.Cache, o.Err = "off", &said
	data, err := clang.Compile(context.Background(), path, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	code, err := object.ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	m, err := gcn.Load(code, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// testCalls compiles all calls and compares each result.
func testCalls(t *testing.T, o clang.Options, calls []call) {
	t.Helper()
	m := compileText(t, source(calls), o)
	checked := 0
	for i, c := range calls {
		in := make([][]uint64, len(c.args))
		for j, a := range c.args {
			in[j] = a.values(i*3 + j)
		}
		for _, width := range []int{1, c.width(i)} {
			if width == 0 {
				continue
			}
			got := runCall(t, m, &c, fmt.Sprintf("k%d_%d", i, width), in, uint32(elements/width))
			for e := range elements {
				var args []uint64
				for j := range in {
					args = append(args, in[j][e])
				}
				if ok, says := c.want(args); !ok(got[e]) {
					t.Errorf("%s(%s) of %d: %s of %#x is %#x, want %s", c.name, c.ret.name, width, c.name, args, got[e], says)
					break
				}
				checked++
			}
		}
	}
	if checked < elements*len(calls) {
		t.Errorf("only %d results of %d functions are right", checked, len(calls))
	}
}

func runCall(t *testing.T, m *gcn.Module, c *call, name string, in [][]uint64, items uint32) []uint64 {
	t.Helper()
	memory := gcn.NewMemory()
	out, err := memory.Alloc("o", elements*c.ret.bits/8)
	if err != nil {
		t.Fatal(err)
	}
	args := []gcn.Arg{gcn.Buf(out)}
	for j, a := range c.args {
		b, err := memory.Alloc(fmt.Sprint("in", j), elements*a.bits/8)
		if err != nil {
			t.Fatal(err)
		}
		for e, v := range in[j] {
			copy(b.Data[e*a.bits/8:], binary.LittleEndian.AppendUint64(nil, v)[:a.bits/8])
		}
		args = append(args, gcn.Buf(b))
	}
	k := gcn.Kernel{Module: m, Name: name, Grid: [3]uint32{items}, Block: [3]uint32{items}, Args: args, Memory: memory}
	if _, err := gcn.Launch(context.Background(), k, launch.Settings{Engine: portable.New()}); err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	var got []uint64
	for e := range elements {
		var word [8]byte
		copy(word[:], out.Data[e*c.ret.bits/8:][:c.ret.bits/8])
		got = append(got, binary.LittleEndian.Uint64(word[:]))
	}
	return got
}

// integer returns the value of bits.
func (t typ) integer(v uint64) *big.Int {
	n := new(big.Int).SetUint64(v)
	if t.signed && v>>(t.bits-1)&1 == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(t.bits)))
	}
	return n
}

// wrapped returns the bits of a number modulo 2^bits.
func (t typ) wrapped(n *big.Int) uint64 {
	return new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64>>(64-t.bits))).Uint64()
}

// limits returns the least and greatest numbers.
func (t typ) limits() (lo, hi *big.Int) {
	one := big.NewInt(1)
	if !t.signed {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(t.bits)), one)
	}
	hi = new(big.Int).Sub(new(big.Int).Lsh(one, uint(t.bits-1)), one)
	return new(big.Int).Not(hi), hi
}

func (t typ) saturated(n *big.Int) *big.Int {
	lo, hi := t.limits()
	switch {
	case n.Cmp(lo) < 0:
		return lo
	case n.Cmp(hi) > 0:
		return hi
	}
	return n
}

func exactly(v uint64) (func(uint64) bool, string) {
	return func(got uint64) bool { return got == v }, fmt.Sprintf("%#x", v)
}

// ints returns a call of an integer function whose result is a formula on unbounded integers, modulo 2^bits.
func ints(name string, t, ret typ, n int, f func(x []*big.Int) *big.Int) call {
	c := call{name: name, ret: ret, want: func(in []uint64) (func(uint64) bool, string) {
		var x []*big.Int
		for _, v := range in {
			x = append(x, t.integer(v))
		}
		return exactly(ret.wrapped(f(x)))
	}}
	for range n {
		c.args = append(c.args, t)
	}
	return c
}

// integerCalls returns the integer functions for a type, as the specification defines them.
func integerCalls(t typ) []call {
	u := t.unsigned()
	add := func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }
	sub := func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }
	mul := func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
	shr := func(a *big.Int, n int) *big.Int { return new(big.Int).Rsh(a, uint(n)) } // rounds down
	num := func(n int) *big.Int { return big.NewInt(int64(n)) }
	least := func(a, b *big.Int) *big.Int {
		if b.Cmp(a) < 0 {
			return b
		}
		return a
	}
	most := func(a, b *big.Int) *big.Int {
		if a.Cmp(b) < 0 {
			return b
		}
		return a
	}
	return []call{
		ints("abs", t, u, 1, func(x []*big.Int) *big.Int { return new(big.Int).Abs(x[0]) }),
		ints("abs_diff", t, u, 2, func(x []*big.Int) *big.Int { return new(big.Int).Abs(sub(x[0], x[1])) }),
		ints("add_sat", t, t, 2, func(x []*big.Int) *big.Int { return t.saturated(add(x[0], x[1])) }),
		ints("sub_sat", t, t, 2, func(x []*big.Int) *big.Int { return t.saturated(sub(x[0], x[1])) }),
		ints("hadd", t, t, 2, func(x []*big.Int) *big.Int { return shr(add(x[0], x[1]), 1) }),
		ints("rhadd", t, t, 2, func(x []*big.Int) *big.Int { return shr(add(add(x[0], x[1]), num(1)), 1) }),
		ints("mul_hi", t, t, 2, func(x []*big.Int) *big.Int { return shr(mul(x[0], x[1]), t.bits) }),
		ints("mad_hi", t, t, 3, func(x []*big.Int) *big.Int { return add(shr(mul(x[0], x[1]), t.bits), x[2]) }),
		ints("mad_sat", t, t, 3, func(x []*big.Int) *big.Int { return t.saturated(add(mul(x[0], x[1]), x[2])) }),
		ints("min", t, t, 2, func(x []*big.Int) *big.Int { return least(x[0], x[1]) }),
		ints("max", t, t, 2, func(x []*big.Int) *big.Int { return most(x[0], x[1]) }),
		ints("popcount", t, t, 1, func(x []*big.Int) *big.Int { return num(bits.OnesCount64(t.wrapped(x[0]))) }),
		ints("clz", t, t, 1, func(x []*big.Int) *big.Int { return num(t.bits - bits.Len64(t.wrapped(x[0]))) }),
		ints("ctz", t, t, 1, func(x []*big.Int) *big.Int { return num(min(t.bits, bits.TrailingZeros64(t.wrapped(x[0])))) }),
		ints("rotate", t, t, 2, func(x []*big.Int) *big.Int {
			v, by := t.wrapped(x[0]), int(t.wrapped(x[1])%uint64(t.bits))
			return new(big.Int).SetUint64(v<<by | v>>(t.bits-by))
		}),
		ints("bitselect", t, t, 3, func(x []*big.Int) *big.Int {
			return new(big.Int).Or(new(big.Int).AndNot(x[0], x[2]), new(big.Int).And(x[1], x[2]))
		}),
	}
}

// TestIntegers: integer functions of all types, as scalars and vectors, give the results of the specification's
// formulas.
func TestIntegers(t *testing.T) {
	for name, types := range map[string][]typ{"clang-22": intTypes, "clang-19": {intTypes[1], intTypes[6]}, "clang-14": {intTypes[0], intTypes[6]}} {
		t.Run(name, func(t *testing.T) {
			clang.NeedTool(t, name)
			var calls []call
			for _, typ := range types {
				calls = append(calls, integerCalls(typ)...)
			}
			testCalls(t, clang.Options{Clang: name, Std: "CL2.0", Target: map[string]string{"clang-19": "gfx600"}[name], Opt: "1"}, calls)
		})
	}
}
