package teslarun

import (
	"fmt"
	"testing"

	"github.com/heddle-gpu/heddle/isa/tesla"
)

// Instructions of f64 by the formulas of docs/reference/tesla.md 7.6.

const (
	quiet     = uint64(1) << 51
	invalid64 = uint64(0xfff8) << 48
)

// double64 returns a source: neg and abs do not change a NaN, which becomes quiet.
func double64(v uint64, s signs) uint64 {
	if double.read(v).nan {
		return v | quiet
	}
	return s.of(v, 64)
}

// nanOf returns the first NaN of vs; ok reports whether there is one.
func nanOf(vs ...uint64) (nan uint64, ok bool) {
	for _, v := range vs {
		if double.read(v).nan {
			return v, true
		}
	}
	return invalid64, false
}

func doubles() (list []inst) {
	flags := func(v uint64) (uint64, uint8) { return v, double.flags(v) }
	for mode, name := range []string{"rn", "rm", "rp", "rz"} {
		for i := range 4 {
			n1, n2 := signs(i&1), signs(i>>1)
			list = append(list,
				inst{text: fmt.Sprintf("fma %s f64 {C}{D} %s{A} {B} %s{K}", name, n1.text(), n2.text()), types: "gggg", can: "F", f: func(o *operands) (uint64, uint8) {
					a, b, c := double64(o.a, n1), double64(o.b, 0), double64(o.k, n2)
					nan, _ := nanOf(b, c, a)
					return flags(double.write(double.read(a).times(double.read(b)).plus(double.read(c), mode == rm), mode, nan))
				}},
				inst{text: fmt.Sprintf("add %s f64 {C}{D} %s{A} %s{B}", name, n1.text(), n2.text()), types: "ggg-", can: "F", f: func(o *operands) (uint64, uint8) {
					a, b := double64(o.a, n1), double64(o.b, n2)
					nan, _ := nanOf(b, a)
					return flags(double.write(double.read(a).plus(double.read(b), mode == rm), mode, nan))
				}})
		}
		for n1 := range signs(2) {
			list = append(list, inst{text: fmt.Sprintf("mul %s f64 {C}{D} %s{A} {B}", name, n1.text()), types: "ggg-", can: "F", f: func(o *operands) (uint64, uint8) {
				a, b := double64(o.a, n1), double64(o.b, 0)
				nan, _ := nanOf(b, a)
				p := double.read(a).times(double.read(b))
				p = p.plus(exact{neg: mode != rm, m: double.read(0).m}, mode == rm) // numbers other than zero are unchanged
				return flags(double.write(p, mode, nan))
			}})
		}
	}
	return append(list, doubleChoices(flags)...)
}

func doubleChoices(flags func(v uint64) (uint64, uint8)) (list []inst) {
	for set, name := range floatSets {
		m1, m2 := signs(set&3), signs(set>>2&3)
		list = append(list, inst{text: fmt.Sprintf("set {C}{D} %s f64 %s{A} %s{B}", name, m1.text(), m2.text()), types: "wgg-", can: "OF",
			f: func(o *operands) (uint64, uint8) {
				return ones(inSet(set, double.read(m1.of(o.a, 64)), double.read(m2.of(o.b, 64))))
			}})
		for _, op := range []string{"min", "max"} {
			list = append(list, inst{text: fmt.Sprintf("%s f64 {C}{D} %s{A} %s{B}", op, m1.text(), m2.text()), types: "ggg-", can: "F",
				f: func(o *operands) (uint64, uint8) {
					a, b := double64(o.a, m1), double64(o.b, m2)
					x, y := double.read(a), double.read(b)
					switch {
					case y.nan && !x.nan:
						return flags(a)
					case x.nan:
						return flags(b)
					}
					return flags(double.write(chosen(op, x, y), rn, 0))
				}})
		}
	}
	return list
}

// TestDoubles: f64 exists only on GT200.
func TestDoubles(t *testing.T) {
	list := doubles()
	for i := range list {
		list[i].from, list[i].only = tesla.G200, true
	}
	runAll(t, list, 4)
}
