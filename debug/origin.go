package debug

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/sanitize"
)

// Origin says which bits of a register or of memory are undefined, where they come from, and which instructions have
// carried them. An expression that is neither is an address in global memory. Of a register of lanes without a lane the
// live lanes are looked at. The error says why there is nothing to tell.
func (s *Session) Origin(at *Scope, text string) (string, error) {
	e, err := Parse(text)
	if err != nil {
		return "", err
	}
	shadow := at.Wave.State.Machine.Shadow
	if s.Init == nil || shadow == nil {
		return "", errors.New("undefined values are not looked for; --sanitize=init does")
	}
	w, err := at.watchOf(e)
	if err != nil {
		ref, e2 := at.AddressOf(e)
		if e2 != nil {
			return "", err
		}
		w = &Watch{Name: ref.String(), Ref: ref, Bytes: 4}
	}
	if w.Bytes > 0 {
		return s.memoryOrigin(at, w)
	}
	w.Name = at.BareName(e)
	lanes := []int{max(w.Lane, 0)}
	if w.Lane < 0 && at.PerLane(w.Cells) {
		lanes = lanes[:0]
		for m := at.Wave.State.Live; m != 0; m &= m - 1 {
			lanes = append(lanes, bits.TrailingZeros64(m))
		}
	}
	return s.registerOrigin(at, w, lanes)
}

// registerOrigin is Origin of a register in lanes: of the first in which a bit is undefined.
func (s *Session) registerOrigin(at *Scope, w *Watch, lanes []int) (string, error) {
	st, in := at.Wave.State, []int{}
	var first []bool // its bits
	var cell ir.Cell
	for _, lane := range lanes {
		undefined := []bool{}
		for i, c := range w.Cells {
			width, is := 32, uint32(0)
			if k := st.Machine.Kind(c); k == ir.Lane1 || k == ir.Wave1 {
				width = 1
			}
			if of, ok := st.Machine.Shadow.Cell(c); ok {
				is = st.Get(of, lane)
			}
			if is != 0 && first == nil && !slices.Contains(undefined, true) {
				cell = w.Cells[i]
			}
			undefined = append(undefined, bitsOf(uint64(is), width)...)
		}
		if slices.Contains(undefined, true) {
			if in = append(in, lane); first == nil {
				first = undefined
			}
		}
	}
	perLane := at.PerLane(w.Cells)
	switch {
	case first == nil && perLane && len(lanes) == 1:
		return "", fmt.Errorf("all bits of %s in lane %d are defined", w.Name, lanes[0])
	case first == nil && perLane:
		return "", fmt.Errorf("all bits of %s are defined in all lanes", w.Name)
	case first == nil:
		return "", fmt.Errorf("all bits of %s are defined", w.Name)
	}
	name := w.Name
	if perLane {
		name += fmt.Sprintf(" in lane %d", in[0])
	}
	if len(in) > 1 {
		name += fmt.Sprintf(" (and %d more)", len(in)-1)
	}
	return originText(name, first, s.Init.OfRegister(&at.Wave.Where, cell, in[0])), nil
}

// memoryOrigin is Origin of memory.
func (s *Session) memoryOrigin(at *Scope, w *Watch) (string, error) {
	data, err := at.Read(w.Ref, w.Bytes)
	if err != nil {
		return "", err
	}
	shadow, where, err := at.shadowOf(w.Ref, uint64(len(data)))
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(shadow, func(b byte) bool { return b != 0 })
	if i < 0 {
		return "", fmt.Errorf("all bits of %s are defined", w.Name)
	}
	var undefined []bool
	for _, b := range shadow {
		undefined = append(undefined, bitsOf(uint64(b), 8)...)
	}
	from := where(uint64(i))
	return originText(w.Name, undefined, s.Init.OfMemory(&at.Wave.Where, from.Space, from.Bank, from.Lane, from.Addr)), nil
}

// shadowOf returns the shadow of memory; where says where the byte at an offset of it lies. Constant memory is defined.
func (at *Scope) shadowOf(r Ref, n uint64) (shadow []byte, where func(off uint64) Ref, err error) {
	banks := at.Wave.State.Machine.Shadow.Banks
	where = func(off uint64) Ref {
		to := r
		to.Addr += off
		return to
	}
	id, z := r.Space, swizzleOf(at.Wave)
	if id == ir.PrivateSpace && z != nil {
		g, _ := at.Env.Space(ir.GlobalSpace, 0).Segment(z.Segment)
		where = func(off uint64) Ref {
			to, _ := z.Addr(r.Lane, r.Addr+off)
			return Ref{Space: ir.GlobalSpace, Addr: g.Base + to}
		}
		for i := range n {
			b, _, err := at.shadowOf(where(i), 1)
			if err != nil {
				return nil, nil, err
			}
			shadow = append(shadow, b...)
		}
		return shadow, where, nil
	}
	if int(id) >= len(banks) || banks[id] == 0 {
		return nil, where, nil
	}
	of := r
	of.Bank += uint8(banks[id])
	shadow, err = read(at.Env, &Wave{State: at.Wave.State}, of, n)
	return shadow, where, err
}

// bitsOf returns the lower bits of a word, the lowest first.
func bitsOf(x uint64, n int) (list []bool) {
	for i := range n {
		list = append(list, x>>i&1 != 0)
	}
	return list
}

// originText describes undefined bits: a line for them, and one for each instruction that carried them.
func originText(name string, undefined []bool, from *sanitize.Undefined) string {
	var b strings.Builder
	which := "it is"
	if len(undefined) > 1 {
		which = listed(undefined)
	}
	fmt.Fprintf(&b, "%s: %s undefined, from %v", name, which, from.Origin)
	for i, in := range from.Path {
		if from.Left > 0 && i == len(from.Path)-1 {
			fmt.Fprintf(&b, "\n  and %d more", from.Left)
		}
		fmt.Fprintf(&b, "\n  through %v", in)
	}
	return b.String()
}

// listed lists bits: "bits 0 to 7 and 31 are".
func listed(set []bool) string {
	var runs []string
	n := 0
	for i := 0; i < len(set); i++ {
		if !set[i] {
			continue
		}
		j := i
		for j+1 < len(set) && set[j+1] {
			j++
		}
		switch n += j - i + 1; {
		case j == i:
			runs = append(runs, fmt.Sprint(i))
		default:
			runs = append(runs, fmt.Sprintf("%d to %d", i, j))
		}
		i = j
	}
	if n == 1 {
		return "bit " + runs[0] + " is"
	}
	text := strings.Join(runs, ", ")
	if k := strings.LastIndex(text, ", "); k >= 0 {
		text = text[:k] + " and" + text[k+1:]
	}
	return "bits " + text + " are"
}
