package vectors

import (
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// names are the names of registers in files: one cell each, and parts of the execution mask.
type names struct {
	t     *isa.Target
	namer *eval.Namer

	mu     sync.Mutex
	byName map[string]eval.Register
}

func newNames(t *isa.Target) *names {
	return &names{t: t, namer: eval.NewNamer(t), byName: map[string]eval.Register{}}
}

// of returns the name of a cell.
func (n *names) of(c ir.Cell) string { return n.namer.Name(c) }

// find returns the register with a name: a cell, or a part of the execution mask.
func (n *names) find(name string) (eval.Register, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r, ok := n.byName[name]; ok {
		return r, nil
	}
	r, err := eval.Lookup(n.t, name)
	if err != nil {
		if c, ok := n.machineCell(name); ok {
			r, err = eval.Register{Name: name, Cells: []ir.Cell{c}, Bits: widthOf(n.t.Machine().Kind(c)), Lanes: n.t.Machine().Kind(c).PerLane()}, nil
		}
	}
	if err != nil {
		return r, err
	}
	if r.Mask == eval.NoMask && len(r.Cells) != 1 {
		return r, fmt.Errorf("%s is %d registers, want one", name, len(r.Cells))
	}
	n.byName[name] = r
	return r, nil
}

// machineCell returns a cell without a name in text: a file and an index in brackets.
func (n *names) machineCell(name string) (ir.Cell, bool) {
	m := n.t.Machine()
	for f := range m.Files {
		for i := range m.Files[f].Count {
			if c := (ir.Cell{File: uint8(f), Index: uint16(i)}); m.CellName(c) == name {
				return c, true
			}
		}
	}
	return ir.Cell{}, false
}

// execNames returns the registers that hold the execution mask: two words of a wide one, else one bit per lane.
func (n *names) execNames() []string {
	m := n.t.Machine()
	c, ok := m.Exec()
	if !ok {
		return nil
	}
	name := m.Files[c.File].Name
	if m.Widths[0] > 32 {
		return []string{name + "_lo", name + "_hi"}
	}
	return []string{name}
}
