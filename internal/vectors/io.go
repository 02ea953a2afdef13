package vectors

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
)

// A port is a component of a slot through which values come from the previous stage or go to the next, already
// interpolated as how says.
type port struct {
	slot      uint32
	component int
	how       string // for inputs: perspective centroid
}

// A Passed is the values passed through a port: one in each lane of the mask.
type Passed struct {
	port
	Mask   uint64
	Values []uint64
}

// ports serve input ops and collect the values of output ops.
type ports struct {
	lanes int
	fill  func(p port, lane int) uint64 // makes inputs that were not asked for before; nil: there are no others
	in    []Passed
	out   []Passed
}

// find returns the entry of a port, adding it if needed.
func find(list *[]Passed, p port, lanes int) *Passed {
	i := slices.IndexFunc(*list, func(x Passed) bool { return x.port == p })
	if i < 0 {
		i = len(*list)
		*list = append(*list, Passed{port: p, Values: make([]uint64, lanes)})
	}
	return &(*list)[i]
}

// Input implements exec.Inputs.
func (s *ports) Input(c *exec.IOCall) (refused uint64, err error) {
	for m := c.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		for k := range int(c.Count) {
			p := port{c.Slot[lane], int(c.First) + k, c.How.String()}
			if lane >= s.lanes {
				continue // inputs of helper lanes are unused
			}
			x := find(&s.in, p, s.lanes)
			if x.Mask>>lane&1 == 0 {
				if s.fill == nil {
					refused |= 1 << lane
					err = fmt.Errorf("the test lists no input for slot %d component %d %s lane %d", p.slot, p.component, p.how, lane)
					continue
				}
				x.Mask |= 1 << lane
				x.Values[lane] = s.fill(p, lane) & ones(c.Type.Bits())
			}
			c.Value[k][lane] = uint32(x.Values[lane])
		}
	}
	return refused, err
}

// Output implements exec.Outputs.
func (s *ports) Output(c *exec.IOCall) (refused uint64, err error) {
	for m := c.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		for k := range int(c.Count) {
			if lane >= s.lanes {
				continue
			}
			x := find(&s.out, port{slot: c.Slot[lane], component: int(c.First) + k}, s.lanes)
			x.Mask |= 1 << lane
			x.Values[lane] = uint64(c.Put[k][lane]) & ones(c.Type.Bits())
		}
	}
	return 0, nil
}

// inOrder returns the entries sorted by slot, component and how, without those that have no lane.
func inOrder(list []Passed) []Passed {
	list = slices.DeleteFunc(list, func(x Passed) bool { return x.Mask == 0 })
	slices.SortFunc(list, func(a, b Passed) int {
		return cmp.Or(cmp.Compare(a.slot, b.slot), cmp.Compare(a.component, b.component), cmp.Compare(a.how, b.how))
	})
	return list
}

// samePassed describes how the outputs differ from the expected ones.
func samePassed(got, want []Passed) string {
	got = inOrder(got)
	for _, w := range want {
		i := slices.IndexFunc(got, func(g Passed) bool { return g.port == w.port })
		if i < 0 {
			return fmt.Sprintf("output slot %d component %d has no value", w.slot, w.component)
		}
		for lane := range w.Values {
			if g := got[i]; g.Mask>>lane&1 != w.Mask>>lane&1 || w.Mask>>lane&1 != 0 && g.Values[lane] != w.Values[lane] {
				return fmt.Sprintf("output slot %d component %d lane %d is %s, want %s", w.slot, w.component, lane, g.text(lane), w.text(lane))
			}
		}
	}
	if len(got) > len(want) {
		return fmt.Sprintf("%d components are put out, want %d", len(got), len(want))
	}
	return ""
}

// text formats the value of a lane, or that there is none.
func (p *Passed) text(lane int) string {
	if p.Mask>>lane&1 == 0 {
		return "nothing"
	}
	return hex(p.Values[lane])
}

// appendPassed appends entries as a list of objects.
func appendPassed(dst []byte, list []Passed) []byte {
	return appendList(dst, list, func(dst []byte, p Passed) []byte {
		dst = appendUint(append(dst, `{"slot":`...), uint64(p.slot))
		dst = appendUint(append(dst, `,"component":`...), uint64(p.component))
		if p.how != "" {
			dst = appendString(append(dst, `,"how":`...), p.how)
		}
		dst = appendSome(append(dst, `,"values":`...), p.Values, p.Mask)
		return append(dst, '}')
	})
}

// appendSome appends the values of lanes of a mask, and null for the others.
func appendSome(dst []byte, values []uint64, mask uint64) []byte {
	dst = append(dst, '[')
	for lane, v := range values {
		if lane > 0 {
			dst = append(dst, ',')
		}
		if mask>>lane&1 == 0 {
			dst = append(dst, "null"...)
		} else {
			dst = appendUint(dst, v)
		}
	}
	return append(dst, ']')
}

type passedJSON struct {
	Slot      uint32    `json:"slot"`
	Component int       `json:"component"`
	How       string    `json:"how"`
	Values    []*uint64 `json:"values"`
}

// readPassed converts entries from JSON.
func readPassed(what string, list []passedJSON, lanes int) (to []Passed, err error) {
	for _, j := range list {
		if len(j.Values) != lanes {
			return nil, fmt.Errorf("%s: slot %d has %d values, there are %d lanes", what, j.Slot, len(j.Values), lanes)
		}
		p := Passed{port: port{j.Slot, j.Component, j.How}, Values: make([]uint64, lanes)}
		if slices.ContainsFunc(to, func(x Passed) bool { return x.port == p.port }) {
			return nil, fmt.Errorf("%s: slot %d component %d is given twice", what, j.Slot, j.Component)
		}
		for lane, v := range j.Values {
			if v != nil {
				p.Mask |= 1 << lane
				p.Values[lane] = *v
			}
		}
		to = append(to, p)
	}
	return to, nil
}
