package gcnrun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// An outlet records the last output.
type outlet struct {
	n    int
	last exec.IOCall
}

func (o *outlet) Output(c *exec.IOCall) (uint64, error) {
	o.n++
	o.last = *c
	return 0, nil
}

// An exportCase is an export, and its expected output.
type exportCase struct {
	text            string
	target, enabled int
	compr, done, vm bool
	regs            []int // by value; -1: 0
}

// exportCases returns cases of each target and modifier, and every component mask with and without compr.
func exportCases() []exportCase {
	list := []exportCase{
		{text: "exp mrt7 v1, off, off, v4 done vm", target: 7, enabled: 9, done: true, vm: true, regs: []int{1, -1, -1, 4}},
		{text: "exp mrtz off, v2, off, off done", target: 8, enabled: 2, done: true, regs: []int{-1, 2, -1, -1}},
		{text: "exp null off, off, off, off done vm", target: 9, done: true, vm: true, regs: []int{-1, -1, -1, -1}},
		{text: "exp pos0 v4, v3, v2, v1 done", target: 12, enabled: 15, done: true, regs: []int{4, 3, 2, 1}},
		{text: "exp param31 v5, v5, v6, v7", target: 63, enabled: 15, regs: []int{5, 5, 6, 7}},
		{text: "exp mrt1 v1, v1, v2, v2 done compr vm", target: 1, enabled: 15, compr: true, done: true, vm: true, regs: []int{1, 2}},
	}
	for en := range 16 {
		whole := exportCase{target: 3, enabled: en, regs: []int{-1, -1, -1, -1}}
		pairs := exportCase{target: 3, enabled: en, compr: true, regs: []int{-1, -1}}
		var a, b []string
		for k := range 4 {
			if en>>k&1 == 0 {
				a, b = append(a, "off"), append(b, "off")
				continue
			}
			whole.regs[k], pairs.regs[k/2] = 4-k, 6+k/2
			a, b = append(a, fmt.Sprintf("v%d", 4-k)), append(b, fmt.Sprintf("v%d", 6+k/2))
		}
		whole.text = "exp mrt3 " + strings.Join(a, ", ")
		pairs.text = "exp mrt3 " + strings.Join(b, ", ") + " compr"
		list = append(list, whole, pairs)
	}
	return list
}

// TestExports: EXP outputs its registers, target and modifiers, and EXEC where it matters.
func TestExports(t *testing.T) {
	for _, c := range exportCases() {
		for _, mask := range []uint64{^uint64(0), 0x8000_0000_ffff_0001, 0} {
			c.run(t, mask)
		}
	}
}

func (c *exportCase) run(t *testing.T, mask uint64) {
	value := func(r, lane int) uint32 { return uint32(r)<<24 | uint32(lane)*0x10101 }
	m := newMemRun(t)
	o := &outlet{}
	m.io.Outputs = o
	for r := range 8 {
		m.v(r, func(lane int) uint32 { return value(r, lane) })
	}
	m.st.Exec = mask
	m.run(c.text)
	lanes := mask
	if c.done || c.vm { // EXEC itself matters
		lanes = ^uint64(0)
	}
	if lanes == 0 && o.n == 0 {
		return
	}
	if o.n != 1 || o.last.Lanes != lanes || int(o.last.Count) != len(c.regs) {
		t.Fatalf("%s: %d outputs of %d values, lanes %#x of exec %#x", c.text, o.n, o.last.Count, o.last.Lanes, mask)
	}
	for lane := range 64 {
		if lanes>>lane&1 == 0 {
			continue
		}
		e := gcn.Export(o.last.Slot[lane])
		if e.Target() != c.target || e.Enabled() != c.enabled || e.Compressed() != c.compr || e.Done() != c.done || e.Valid() != c.vm || e.Executes() != (mask>>lane&1 != 0) {
			t.Fatalf("%s: lane %d: slot %#x", c.text, lane, uint32(e))
		}
		for i, r := range c.regs {
			want := uint32(0)
			if r >= 0 {
				want = value(r, lane)
			}
			if got := o.last.Value[i][lane]; got != want {
				t.Errorf("%s: value %d of lane %d is %#x, want %#x", c.text, i, lane, got, want)
			}
		}
	}
}
