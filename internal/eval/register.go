package eval

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A Register is what a name stands for: cells, lowest word first, or bits of the execution mask.
type Register struct {
	Name  string
	Cells []ir.Cell
	Mask  MaskPart // not 0: of the execution mask, and there are no cells
	Bits  int
	Lanes bool // one value a lane
}

// A MaskPart says which bits of the execution mask a name stands for.
type MaskPart uint8

const (
	NoMask MaskPart = iota
	WholeMask
	LowMask  // lanes 0 to 31
	HighMask // lanes 32 to 63
)

// maskNames are suffixes of the mask's name.
var maskNames = [...]string{WholeMask: "", LowMask: "_lo", HighMask: "_hi"}

// maskBits are where a part begins and its width.
var maskBits = [...]struct{ at, n int }{WholeMask: {0, 64}, LowMask: {0, 32}, HighMask: {32, 32}}

// Lookup finds a register of a variant by name.
func Lookup(t *isa.Target, name string) (Register, error) {
	m := t.Machine()
	if c, ok := m.Exec(); ok {
		for p := WholeMask; p <= HighMask; p++ {
			if name == m.Files[c.File].Name+maskNames[p] {
				return Register{Name: name, Mask: p, Bits: maskBits[p].n}, nil
			}
		}
	}
	if t.Cell == nil {
		return Register{}, fmt.Errorf("%s has no register names", t.Name)
	}
	cells, err := t.Set.Cell(t.Variant, name)
	if err != nil {
		return Register{}, err
	}
	r := Register{Name: name, Cells: cells}
	for _, c := range cells {
		k := m.Kind(c)
		if k == ir.Lane1 || k == ir.Wave1 {
			r.Bits++
		} else {
			r.Bits += 32
		}
		r.Lanes = r.Lanes || k.PerLane()
	}
	return r, nil
}

// set writes a value to a lane of the register, or to the wave.
func (r *Register) set(st *exec.State, lane int, v *big.Int) {
	if r.Mask != NoMask {
		b := maskBits[r.Mask]
		ones := ^uint64(0) >> (64 - b.n) << b.at
		exec := st.Exec&^ones | v.Uint64()<<b.at
		st.Exec = exec & st.Full
		return
	}
	word := new(big.Int)
	for i, c := range r.Cells {
		word.Rsh(v, uint(i*r.Bits/len(r.Cells)))
		st.Set(c, lane, uint32(new(big.Int).And(word, big.NewInt(0xffffffff)).Uint64()))
	}
}

// get is the low 64 bits of the register in a lane.
func (r *Register) get(st *exec.State, lane int) (v uint64) {
	if r.Mask != NoMask {
		b := maskBits[r.Mask]
		return st.Exec >> b.at & (^uint64(0) >> (64 - b.n))
	}
	for i, c := range r.Cells {
		v |= uint64(st.Get(c, lane)) << (i * r.Bits / len(r.Cells))
	}
	return v
}

// Values is what the register holds, its low 64 bits: one value a lane of the wave, or one.
func (r *Register) Values(st *exec.State) (vs []uint64) {
	n := 1
	if r.Lanes {
		n = st.Lanes
	}
	for lane := range n {
		vs = append(vs, r.get(st, lane))
	}
	return vs
}

// Places are the cells that the register shares with others of overlapping names; halves of the execution mask count as
// cells 0 and 1 of its file.
func (r *Register) Places(m *ir.Machine) []ir.Cell {
	low, _ := m.Exec()
	high := ir.Cell{File: low.File, Index: low.Index + 1}
	switch r.Mask {
	case WholeMask:
		return []ir.Cell{low, high}
	case LowMask:
		return []ir.Cell{low}
	case HighMask:
		return []ir.Cell{high}
	}
	return r.Cells
}

// An Assign gives a register its value before the program runs.
type Assign struct {
	Reg    Register
	Values []*big.Int // one for all lanes, or one for each of the first lanes
	List   bool
}

// ParseAssign reads NAME=VALUE or NAME=VALUE,VALUE,... with one value a lane; see ParseValue. If one value
// is written as a float, all are.
func ParseAssign(t *isa.Target, text string) (a Assign, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return a, fmt.Errorf("%q: want REGISTER=VALUE", text)
	}
	if a.Reg, err = Lookup(t, strings.TrimSpace(name)); err != nil {
		return a, err
	}
	items := strings.Split(value, ",")
	if err := a.takes(t, len(items)); err != nil {
		return a, err
	}
	for _, item := range items {
		v, err := ParseValue(item, a.Reg.Bits, slices.ContainsFunc(items, isFloat))
		if err != nil {
			return a, fmt.Errorf("%s: %w", name, err)
		}
		a.Values = append(a.Values, v)
	}
	return a, nil
}

// AssignWords gives a register bit patterns: one for the wave or all its lanes, or one for each of the first lanes. A
// register of more than 64 bits gets them as its low ones.
func AssignWords(t *isa.Target, name string, words []uint64) (a Assign, err error) {
	if a.Reg, err = Lookup(t, name); err != nil {
		return a, err
	}
	if err := a.takes(t, len(words)); err != nil {
		return a, err
	}
	for _, w := range words {
		if a.Reg.Bits < 64 && w>>a.Reg.Bits != 0 {
			return a, fmt.Errorf("%s: %#x does not fit %d bits", name, w, a.Reg.Bits)
		}
		a.Values = append(a.Values, new(big.Int).SetUint64(w))
	}
	return a, nil
}

// takes prepares the assignment for n values, if the register takes so many.
func (a *Assign) takes(t *isa.Target, n int) error {
	a.List = n > 1
	switch width := t.Machine().Widths[0]; {
	case n == 0:
		return fmt.Errorf("%s: no value", a.Reg.Name)
	case a.List && !a.Reg.Lanes:
		return fmt.Errorf("%s: a list, but the register holds one value a wave", a.Reg.Name)
	case n > width:
		return fmt.Errorf("%s: %d values; a wave has %d lanes", a.Reg.Name, n, width)
	}
	return nil
}

// apply writes the assignment to all lanes, or to the first ones.
func (a *Assign) apply(st *exec.State) {
	if !a.Reg.Lanes {
		a.Reg.set(st, 0, a.Values[0])
		return
	}
	for lane := range st.Lanes {
		switch {
		case !a.List:
			a.Reg.set(st, lane, a.Values[0])
		case lane < len(a.Values):
			a.Reg.set(st, lane, a.Values[lane])
		}
	}
}
