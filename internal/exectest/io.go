package exectest

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A plug is inputs and outputs with slots 0 to n-1. An input's value depends on all parameters of the request;
// outputs are recorded.
type plug struct {
	n   uint32
	log []string
}

// told hashes the parameters of a lane's request.
func told(slot, component uint32, how ir.How, x, y float32, lane int) uint32 {
	h := slot*31 + component + uint32(how)<<8
	if how.At() == ir.AtOffset {
		h = h*0x01000193 ^ math.Float32bits(x)
		h = h*0x01000193 ^ math.Float32bits(y)
	}
	return h*0x9e3779b9 + uint32(lane)
}

func (p *plug) refused(c *exec.IOCall, what string) (lanes uint64, err error) {
	for m := c.Lanes; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m); c.Slot[lane] >= p.n {
			if lanes == 0 {
				err = fmt.Errorf("no %s %d", what, c.Slot[lane])
			}
			lanes |= 1 << lane
		}
	}
	return lanes, err
}

func (p *plug) Input(c *exec.IOCall) (uint64, error) {
	no, err := p.refused(c, "input")
	rows := c.Count
	if rows > 1 {
		rows = ir.MaxComponents // the implementation may write all of them
	}
	for i := range rows {
		for lane := range c.Width {
			c.Value[i][lane] = 0xdead // must not be visible where it was not requested
			if i < c.Count && (c.Lanes&^no)>>lane&1 != 0 {
				c.Value[i][lane] = told(c.Slot[lane], uint32(c.First+i), c.How, c.X[lane], c.Y[lane], lane)
			}
		}
	}
	return no, err
}

func (p *plug) Output(c *exec.IOCall) (uint64, error) {
	if no, err := p.refused(c, "output"); no != 0 {
		return no, err
	}
	for m := c.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		s := fmt.Sprintf("%s lane %d of %d: %d.%d", c.Type, lane, c.Width, c.Slot[lane], c.First)
		for i := range c.Count {
			s += fmt.Sprintf(" %#x", c.Put[i][lane])
		}
		p.log = append(p.log, s)
	}
	return 0, nil
}

// ioText reads an input of slot v[0] at offset v[1], v[2] and one of slot s[0], and outputs two values to slot
// v[0], in the lanes of p[1].
const ioText = `
block 0x100
mark 0x100 size 4
  %s = get.i32 v[0]
  %x = get.f32 v[1]
  %y = get.f32 v[2]
  %m = get.i1 p[1]
  %e = get.i1 exec
  %a:%b:%c = input.f32 PLACE 1 x 3, %s, %x, %y, %m
  set.f32 v[3], %a, %e
  set.f32 v[4], %b, %e
  set.f32 v[5], %c, %e
mark 0x104 size 4
  %s1 = get.i32 s[0]
  %m1 = get.i1 p[1]
  %e1 = get.i1 exec
  %a1 = input.i32 flat 2, %s1, %m1
  set.i32 v[6], %a1, %e1
mark 0x108 size 4
  %s2 = get.i32 v[0]
  %u = get.v2f16 v[1]
  %k = get.v2f16 s[1]
  %m2 = get.i1 p[1]
  output 2 x 2, %s2, %u, %k, %m2
  jump 0x200
`

// testIO: inputs and outputs of the lanes of the mask only. A refused lane is named in the fault, and the
// instruction then has no effect; under the robust policy such lanes read 0 and output nothing.
func testIO(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(19, 19))
	for how := range ir.How(0x36) {
		if how&0xf > ir.HowP20 {
			continue
		}
		text := strings.Replace(ioText, "PLACE", how.String(), 1)
		if how.At() != ir.AtOffset {
			text = strings.Replace(text, "%s, %x, %y, %m", "%s, %m", 1)
		}
		r := e.NewRunner(Parse(m, text))
		for round := range 60 {
			st, _ := exec.NewState(m, m.Widths[round%len(m.Widths)])
			fill(st, rnd)
			bad := []int{0, 0, 0, 1, 8}[rnd.IntN(5)]
			for lane := range st.Lanes {
				st.Set(cellOf(fileV, 0), lane, uint32(rnd.IntN(8+bad)))
			}
			st.Set(cellOf(fileS, 0), 0, uint32(rnd.IntN(8)))
			st.Start(entry, st.Full)
			st.Exec, st.M[1] = masks(st, rnd)[rnd.IntN(6)], masks(st, rnd)[rnd.IntN(6)]
			w := ioWant{how: how, policy: exec.Policy(rnd.IntN(2)), st: st.Snapshot()}
			w.run()
			p := &plug{n: 8}
			env := &exec.Env{Policy: w.policy, Resources: exec.Resources{Inputs: p, Outputs: p}}
			stop := r.Run(st, env, exec.Budget{Steps: 3})
			if why := w.compare(st, stop, p, env); why != "" {
				t.Fatalf("%s, %d lanes, exec %#x, mask %#x, policy %d: %s", how, st.Lanes, w.st.Exec, st.M[1], w.policy, why)
			}
		}
	}
}

// An ioWant is the expected result of ioText.
type ioWant struct {
	how     ir.How
	policy  exec.Policy
	st      *exec.State
	log     []string
	dropped uint64
	fault   string
	lane    int
}

func (w *ioWant) run() {
	st := w.st
	f := func(i, lane int) float32 { return math.Float32frombits(st.Get(cellOf(fileV, i), lane)) }
	first := st.Get(cellOf(fileS, 0), 0)
	for lane := range st.Lanes {
		slot := st.Get(cellOf(fileV, 0), lane)
		asks := st.M[1]>>lane&1 != 0
		if asks && slot >= 8 {
			if w.policy == exec.TrapFaults {
				w.fault, w.lane, w.log = fmt.Sprintf("lane %d: no input %d", lane, slot), lane, nil
				return
			}
			w.dropped += 2
			asks = false
		}
		if asks {
			w.log = append(w.log, fmt.Sprintf("v2f16 lane %d of %d: %d.2 %#x %#x", lane, st.Lanes, slot, st.Get(cellOf(fileV, 1), lane), st.Get(cellOf(fileS, 1), 0)))
		}
	}
	for lane := range st.Lanes {
		slot := st.Get(cellOf(fileV, 0), lane)
		var v [4]uint32
		if asks := st.M[1]>>lane&1 != 0; asks {
			for i := range 3 {
				if slot < 8 {
					v[i] = told(slot, uint32(1+i), w.how, f(1, lane), f(2, lane), lane)
				}
			}
			v[3] = told(first, 2, ir.HowFlat, 0, 0, lane)
		}
		for i, x := range v {
			if st.Exec>>lane&1 != 0 {
				st.Set(cellOf(fileV, 3+i), lane, x)
			}
		}
	}
	st.Clock += 3
	st.Goto(0x200)
}

func (w *ioWant) compare(st *exec.State, stop exec.Stop, p *plug, env *exec.Env) string {
	switch d := w.st.Diff(st, 4); {
	case w.fault != "" && (stop.Reason != exec.StopFault || stop.Fault.Kind != exec.FaultHandle || stop.Fault.Lane != w.lane || !strings.HasSuffix(stop.Fault.Error(), w.fault)):
		return fmt.Sprintf("stop %v %v, want %s", stop.Reason, stop.Fault, w.fault)
	case w.fault == "" && stop.Reason != exec.StopBudget:
		return fmt.Sprintf("stop %v %v", stop.Reason, stop.Fault)
	case d != nil:
		return fmt.Sprintf("want, got: %q", d)
	case strings.Join(p.log, "\n") != strings.Join(w.log, "\n"):
		return fmt.Sprintf("put out %q, want %q", p.log, w.log)
	case env.Count.Dropped != w.dropped:
		return fmt.Sprintf("%d dropped, want %d", env.Count.Dropped, w.dropped)
	}
	return ""
}

// fourText outputs four computed values to slot s[0], in the lanes of p[1].
const fourText = `
block 0x100
mark 0x100 size 4
  %s = get.i32 s[0]
  %w = get.i32 v[1]
  %i = get.i32 s[1]
  %m = get.i1 p[1]
  %w0 = iadd.i32 %w, %i
  %w1 = xor.i32 %w, %i
  %w2 = isub.i32 %w, %i
  %w3 = or.i32 %w, %i
  output 0 x 4, %s, %w0, %w1, %w2, %w3, %m
  jump 0x200
`

// testOutputs: four values of one slot, which engines may pass without a copy.
func testOutputs(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(19, 20))
	r := e.NewRunner(Parse(m, fourText))
	for round := range 60 {
		st, _ := exec.NewState(m, m.Widths[round%len(m.Widths)])
		fill(st, rnd)
		slot, k := uint32(rnd.IntN(8)), st.Get(cellOf(fileS, 1), 0)
		st.Set(cellOf(fileS, 0), 0, slot)
		st.Start(entry, st.Full)
		st.Exec, st.M[1] = masks(st, rnd)[rnd.IntN(6)], masks(st, rnd)[rnd.IntN(6)]
		var want []string
		for lane := range st.Lanes {
			if v := st.Get(cellOf(fileV, 1), lane); st.M[1]>>lane&1 != 0 {
				want = append(want, fmt.Sprintf("i32 lane %d of %d: %d.0 %#x %#x %#x %#x", lane, st.Lanes, slot, v+k, v^k, v-k, v|k))
			}
		}
		p := &plug{n: 8}
		stop := r.Run(st, &exec.Env{Resources: exec.Resources{Outputs: p}}, exec.Budget{Steps: 1})
		if stop.Reason != exec.StopBudget || !slices.Equal(p.log, want) {
			t.Fatalf("%d lanes, mask %#x: %v, put out %q, want %q", st.Lanes, st.M[1], stop.Reason, p.log, want)
		}
	}
}

// testNoIO: without Inputs or Outputs the fault names the slot; if the mask is empty there is no call.
func testNoIO(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	for text, want := range map[string]string{
		"%s = get.i32 v[0]\n%m = get.i1 p[0]\n%a = input.f32 linear 0, %s, %m\njump 0x200": "pc 0x100 \"at100\" wave 0 lane 2: there is no stage input 7",
		"%s = get.i32 v[0]\n%m = get.i1 p[0]\noutput 0, %s, %s, %m\njump 0x200":            "pc 0x100 \"at100\" wave 0 lane 2: there is no stage output 7",
	} {
		r := e.NewRunner(Parse(m, "block 0x100\nmark 0x100 size 4\n"+text))
		for _, mask := range []uint64{0, 0b1100} {
			st, _ := exec.NewState(m, 4)
			st.Start(entry, st.Full)
			st.Set(cellOf(fileV, 0), 2, 7)
			st.M[0] = mask
			stop := r.Run(st, &exec.Env{}, exec.Budget{Steps: 1})
			if mask == 0 && stop.Reason != exec.StopBudget || mask != 0 && (stop.Reason != exec.StopFault || stop.Fault.Error() != want) {
				t.Errorf("mask %#x: stop %v %v, want %s", mask, stop.Reason, stop.Fault, want)
			}
		}
	}
}
