package debug

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// TestOperators: operators have the precedence of C, and conversions keep what fits.
func TestOperators(t *testing.T) {
	at := &Scope{}
	for text, want := range map[string]uint64{
		"1|1^1": 1, "1==5>3": 1, "7&3==3": 1, "6&3==3": 0, "2^3&1": 3, "1+2*3<<1": 14, "1||0&&0": 1, "10-4-3": 3, "u64(1e19)": 10_000_000_000_000_000_000,
	} {
		e, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if v, err := e.Eval(at); err != nil || v.Bits != want {
			t.Errorf("%s is %d, %v; want %d", text, v.Bits, err, want)
		}
	}
	for text, want := range map[string]float32{"-Inf": float32(math.Inf(-1)), "+Inf": float32(math.Inf(1)), "1.5": 1.5} {
		if v, err := at.ParseValue(text, Type{Type: ir.F32}); err != nil || uint32(v.Bits) != math.Float32bits(want) {
			t.Errorf("%s is %#x, %v", text, v.Bits, err)
		}
	}
	if v, err := at.ParseValue("NaN", Type{Type: ir.F32}); err != nil || !math.IsNaN(float64(math.Float32frombits(uint32(v.Bits)))) {
		t.Errorf("NaN is %#x, %v", v.Bits, err)
	}
}

// TestPrecedence: of operators on neighbouring levels of C, the higher one binds first, on either side; operators of
// one level associate from the left. For each pair there must be numbers for which the two readings differ.
func TestPrecedence(t *testing.T) {
	levels := [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}} // C11, 6.5.5 to 6.5.14
	at := &Scope{}
	value := func(text string) string {
		e, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		v, err := e.Eval(at)
		return fmt.Sprint(v.Bits, err)
	}
	// tells compares a reading with two that have brackets.
	tells := func(text, right, wrong string) {
		told := false
		for n := range 512 {
			a, b, c := n&7, n>>3&7, n>>6
			as := func(f string) string {
				return value(strings.NewReplacer("a", fmt.Sprint(a), "b", fmt.Sprint(b), "c", fmt.Sprint(c)).Replace(f))
			}
			got, want := as(text), as(right)
			if got != want {
				t.Errorf("%s with %d, %d, %d is %s, and %s is %s", text, a, b, c, got, right, want)
				return
			}
			told = told || as(wrong) != want
		}
		if !told {
			t.Errorf("%s: no number tells %s from %s", text, right, wrong)
		}
	}
	for i := range levels {
		for _, weak := range levels[i] {
			if !slices.Contains([]string{"||", "&&", "|", "^", "&", "+", "*"}, weak) { // for which it makes no difference
				tells("a "+weak+" b "+weak+" c", "(a "+weak+" b) "+weak+" c", "a "+weak+" (b "+weak+" c)")
			}
			if i+1 == len(levels) {
				continue
			}
			for _, strong := range levels[i+1] {
				tells("a "+weak+" b "+strong+" c", "a "+weak+" (b "+strong+" c)", "(a "+weak+" b) "+strong+" c")
				tells("a "+strong+" b "+weak+" c", "(a "+strong+" b) "+weak+" c", "a "+strong+" (b "+weak+" c)")
			}
		}
	}
}
