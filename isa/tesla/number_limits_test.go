package tesla

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
)

// TestNumberLimits: the least and the largest number of each operand are accepted and encoded, and their neighbours
// outside are refused. docs/reference/tesla.md 2.5 and 5.2.
func TestNumberLimits(t *testing.T) {
	for _, c := range []struct {
		stage, text string // with % for the number
		least, most int64
		step        int64
		bits        uint // of the field, in which negative numbers have their sign; 0: there are none
	}{
		{"cp", "mov b32 $r0 %", -1 << 31, 1<<32 - 1, 1, 32},
		{"cp", "add b32 $r0 $r1 %", -1 << 31, 1<<32 - 1, 1, 32},
		{"cp", "add $a1 $a2 %", -1 << 15, 1<<16 - 1, 1, 16},
		{"cp", "bar inc wait % 0xfff", 0, 15, 1, 0},
		{"cp", "bar inc wait 0x0 %", 0, 0xfff, 1, 0},
		{"cp", "bra %", 0, 1<<24 - 4, 4, 0},
		{"cp", "call %", 0, 1<<24 - 4, 4, 0},
		{"fp", "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0 % 0x0 0x0", -8, 7, 1, 4},
		{"fp", "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0 0x0 % 0x0", -8, 7, 1, 4},
		{"fp", "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0 0x0 0x0 %", -8, 7, 1, 4},
		{"fp", "texauto all $r0:$r1:$r2:$r3 $t% $s0 $r0 0x0 0x0 0x0", 0, 255, 1, 0},
		{"fp", "texauto all $r0:$r1:$r2:$r3 $t0 $s% $r0 0x0 0x0 0x0", 0, 31, 1, 0},
	} {
		st, _ := Set().Stage(c.stage)
		tg := Set().At(G200, st)
		code := func(n int64) (string, error) {
			text := fmt.Sprint(n)
			if !strings.HasSuffix(strings.Split(c.text, "%")[0], "$t") && !strings.HasSuffix(strings.Split(c.text, "%")[0], "$s") {
				text = fmt.Sprintf("%#x", n)
			}
			return asm.Line(tg, strings.Replace(c.text, "%", text, 1))
		}
		seen := map[string]int64{}
		for _, n := range []int64{c.least, c.least + c.step, c.most - c.step, c.most} {
			got, err := code(n)
			if err != nil {
				t.Errorf("%s with %d: %v", c.text, n, err)
				continue
			}
			same := n
			if n < 0 {
				same += 1 << c.bits
			}
			if before, is := seen[got]; is && before != same {
				t.Errorf("%s: %d and %d are both %s", c.text, before, same, got)
			}
			seen[got] = same
			if other, err := code(same); n < 0 && c.most >= same && (err != nil || got != other) {
				t.Errorf("%s with %d: %s, with %d %s, %v", c.text, n, got, same, other, err)
			}
		}
		for _, n := range []int64{c.least - c.step, c.most + c.step} {
			if got, err := code(n); err == nil {
				t.Errorf("%s with %d: %s; want an error", c.text, n, got)
			}
		}
		for n := c.most - c.step + 1; n < c.most; n++ {
			if got, err := code(n); err == nil {
				t.Errorf("%s with %d, between two steps: %s; want an error", c.text, n, got)
			}
		}
	}
}
