package roguerun

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/reals"
)

type real = reals.Real

var single, half = reals.Single, reals.Half

func edge(rnd *rand.Rand) uint32 { return uint32(single.Edge(rnd)) }

// edges returns rows of floats at edge values.
func edges(n int, rnd *rand.Rand) []row {
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{a: edge(rnd), b: edge(rnd), c: edge(rnd), d: edge(rnd)}
	}
	return rows
}

// modified applies the modifiers of a text to a word: floor, then absolute value, then sign. A NaN keeps its payload.
func modified(w uint32, mods string) uint32 {
	if x := single.Read(uint64(w)); strings.Contains(mods, ".flr") && x != nil {
		w = uint32(single.Near(reals.Integer(x, big.ToNegativeInf)))
	}
	if strings.Contains(mods, ".abs") {
		w &^= 1 << 31
	}
	if strings.Contains(mods, ".neg") {
		w ^= 1 << 31
	}
	return w
}

// value returns the number with modifiers applied.
func value(w uint32, mods string) real { return single.Read(uint64(modified(w, mods))) }

// saturated clamps to [0, 1]; NaN gives 0.
func saturated(x real) real {
	switch {
	case x == nil || reals.IsNeg(x):
		return reals.New()
	case x.Cmp(reals.Of(1)) > 0:
		return reals.Of(1)
	}
	return x
}

// A floatOp is an operation with its forms: the modifiers of its mnemonic and of its sources.
type floatOp struct {
	name string
	mods []string
	srcs [][]string
	f    func(x []real) real
}

var floatOps = []floatOp{
	{"fadd", []string{"", ".sat", ".lp", ".sat.lp"}, [][]string{{"", ".flr", ".abs", ".neg", ".flr.abs.neg"}, {"", ".abs"}}, func(x []real) real { return reals.Plus(x[0], x[1]) }},
	{"fmul", []string{"", ".sat", ".lp"}, [][]string{{"", ".flr", ".abs", ".neg", ".flr.abs.neg"}, {"", ".abs"}}, func(x []real) real { return reals.Times(x[0], x[1]) }},
	{"fmad", []string{"", ".sat"}, [][]string{{"", ".abs", ".neg", ".abs.neg"}, {""}, {"", ".neg"}}, fused},
	{"fmad", []string{".lp", ".sat.lp"}, [][]string{{"", ".abs.neg"}, {"", ".abs", ".neg"}, {"", ".flr", ".abs", ".flr.abs.neg"}}, fused},
}

func fused(x []real) real { return reals.Plus(reals.Times(x[0], x[1]), x[2]) }

// unfused rounds the product.
func unfused(x []real) real {
	p := reals.Times(x[0], x[1])
	return reals.Plus(single.Read(single.Near(p)), x[2])
}

// combinations returns all choices of one word from each list.
func combinations(lists [][]string) [][]string {
	all := [][]string{nil}
	for _, list := range lists {
		var more [][]string
		for _, c := range all {
			for _, w := range list {
				more = append(more, append(c[:len(c):len(c)], w))
			}
		}
		all = more
	}
	return all
}

// text returns the group of an operation in a phase.
func (op *floatOp) text(phase int, mod string, mods []string) string {
	var named, operands []string
	for i, m := range mods {
		named = append(named, fmt.Sprintf("s%d = r%d", 3*phase+i, i))
		operands = append(operands, fmt.Sprintf("s%d%s", 3*phase+i, m))
	}
	first := ""
	if phase == 1 {
		first = "p0: mbyp ft0, s0; "
		named = append([]string{"s0 = r3"}, named...)
	}
	return fmt.Sprintf("{ %s, is4 = ft%d %sp%d: %s%s ft%d, %s; w0 = r16 }", strings.Join(named, ", "), phase, first, phase, op.name, mod, phase, strings.Join(operands, ", "))
}

// TestFloats: sums, products and multiply-adds in both phases against exact arithmetic.
func TestFloats(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, fma := range []string{"fused", "unfused"} {
		k := newTask(t, map[string]string{"fmad": fma})
		for i := range floatOps {
			op := floatOps[i]
			if fma == "unfused" && op.name == "fmad" {
				op.f = unfused
			}
			for _, mods := range combinations(op.srcs) {
				for phase := range 2 {
					mod := op.mods[rnd.IntN(len(op.mods))]
					k.words(op.text(phase, mod, mods), edges(96, rnd), func(in row) uint32 {
						x := []real{value(in.a, mods[0]), value(in.b, mods[1])}
						if len(mods) > 2 {
							x = append(x, value(in.c, mods[2]))
						}
						v := op.f(x)
						if strings.Contains(mod, ".sat") {
							v = saturated(single.Read(single.Near(v)))
						}
						return uint32(single.Near(v))
					})
				}
			}
		}
	}
	k := newTask(t, nil)
	for _, mods := range []string{"", ".abs", ".neg", ".abs.neg"} {
		k.words(fmt.Sprintf("{ s0 = r0, is4 = ft0 p0: mbyp ft0, s0%s; w0 = r16 }", mods), edges(64, rnd), func(in row) uint32 { return modified(in.a, mods) })
		k.words(fmt.Sprintf("{ s0 = r1, s3 = r0, is4 = ft1 p0: mbyp ft0, s0; p1: mbyp ft1, s3%s; w0 = r16 }", mods), edges(64, rnd), func(in row) uint32 { return modified(in.a, mods) })
	}
}

// TestDenormals: with the option denormal operands and results are zero.
func TestDenormals(t *testing.T) {
	k := newTask(t, map[string]string{"denormals": "flush"})
	rows := []row{{a: 1, b: 0x3f800000}, {a: 0x00400000, b: 0x40800000}, {a: 0x807fffff, b: 0x3f800000}, {a: 0x00800000, b: 0x3f000000}, {a: 0x00800000, b: 0x3f800000}}
	want := []uint32{0, 0, 0x80000000, 0, 0x00800000}
	k.words("{ s0 = r0, s1 = r1, is4 = ft0 p0: fmul ft0, s0, s1; w0 = r16 }", rows, func(in row) uint32 {
		for i := range rows {
			if rows[i] == in {
				return want[i]
			}
		}
		panic("no such row")
	})
}

// TestGradients: differences inside quads.
func TestGradients(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for name, pair := range map[string]func(lane int) (high, low int){
		"fdsx":  func(lane int) (int, int) { return lane&^3 + 1, lane &^ 3 },
		"fdsy":  func(lane int) (int, int) { return lane&^3 + 2, lane &^ 3 },
		"fdsxf": func(lane int) (int, int) { return lane | 1, lane &^ 1 },
		"fdsyf": func(lane int) (int, int) { return lane | 2, lane &^ 2 },
	} {
		for _, mods := range []string{"", ".abs", ".neg"} {
			for phase, text := range []string{"{ s0 = r0, is4 = ft0 p0: %s ft0, s0%s; w0 = r16 }", "{ s0 = r1, s3 = r0, is4 = ft1 p0: mbyp ft0, s0; p1: %s ft1, s3%s; w0 = r16 }"} {
				k, rows := newTask(t, nil), edges(32, rnd)
				r := k.group(fmt.Sprintf(text, name, mods))
				k.set(0, func(lane int) uint32 { return rows[lane].a })
				if f := k.step(r, 1); f != nil {
					t.Fatal(f)
				}
				for lane := range rows {
					high, low := pair(lane)
					want := uint32(single.Near(reals.Plus(value(rows[high].a, mods), value(rows[low].a^1<<31, strings.ReplaceAll(mods, ".abs", "")))))
					if mods == ".abs" {
						want = uint32(single.Near(reals.Plus(value(rows[high].a, mods), value(rows[low].a|1<<31, ""))))
					}
					if got := k.get(16, lane); got != want {
						t.Errorf("%s%s, phase %d, lane %d: %#x less %#x gives %#x, want %#x", name, mods, phase, lane, rows[high].a, rows[low].a, got, want)
						break
					}
				}
			}
		}
	}
}
