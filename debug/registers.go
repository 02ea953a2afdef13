package debug

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// Name returns how users write a cell.
func (at *Scope) Name(c ir.Cell) string {
	if at.Code != nil && at.Code.says() != nil {
		return at.Code.says().ValueName(c)
	}
	return at.Wave.State.Machine.CellName(c)
}

// A Register is cells that an instruction names together.
type Register struct {
	Name  string
	Cells []ir.Cell
}

// Operands returns the registers that the instruction reads and writes, each once, in order.
func (at *Scope) Operands() (list []Register) {
	says := at.Code.says()
	if says == nil {
		return nil
	}
	reads, writes := says.Operands(at.PC)
	m := at.Wave.State.Machine
	for _, sp := range slices.Concat(reads, writes) {
		r := Register{}
		for i := range sp.Count {
			if c := (ir.Cell{File: sp.Cell.File, Index: sp.Cell.Index + i}); m.Kind(c) != 0 {
				r.Cells = append(r.Cells, c)
			}
		}
		if len(r.Cells) == 0 {
			continue
		}
		r.Name = at.Name(r.Cells[0])
		if len(r.Cells) == 2 && !at.pair(&r) || len(r.Cells) > 2 {
			for _, c := range r.Cells {
				list = add(list, Register{at.Name(c), []ir.Cell{c}})
			}
			continue
		}
		list = add(list, r)
	}
	return list
}

// pair names two words as one register; false: the set has no name for them.
func (at *Scope) pair(r *Register) bool {
	f := at.Wave.State.Machine.Files[r.Cells[0].File].Name
	for _, name := range [...]string{fmt.Sprintf("%s[%d:%d]", f, r.Cells[0].Index, r.Cells[1].Index), r.Name + ":" + at.Name(r.Cells[1])} {
		if cells, err := at.Code.says().RegisterCells(name); err == nil && slices.Equal(cells, r.Cells) {
			r.Name = name
			return true
		}
	}
	return false
}

func add(list []Register, r Register) []Register {
	if slices.ContainsFunc(list, func(x Register) bool { return slices.Equal(x.Cells, r.Cells) }) {
		return list
	}
	return append(list, r)
}

// Used returns the registers that the code names as operands, in the order of the machine's cells.
func (c *Code) Used(mode uint32) (list []ir.Cell) {
	if c.kinds == nil {
		c.learn(mode)
	}
	for cell := range c.kinds {
		list = append(list, cell)
	}
	slices.SortFunc(list, func(a, b ir.Cell) int { return int(a.File)<<16 + int(a.Index) - int(b.File)<<16 - int(b.Index) })
	return list
}

// Words returns words with which expressions can begin: registers that the code uses, types, memory, and properties
// of the wave.
func (at *Scope) Words() (list []string) {
	for _, c := range at.Code.Used(at.Wave.State.At.Key.Mode) {
		list = append(list, at.Name(c))
	}
	for _, t := range [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64} {
		list = append(list, Type{t, false}.String()+"(", Type{t, true}.String()+"(")
	}
	return append(list, "f16(", "f32(", "f64(", "any(", "all(", "global[", "group[", "const[", "private[", "lane", "lanes", "wave", "group.x", "group.y", "group.z",
		"pc", "live", "running", "position")
}

// Bytes returns the value in memory order.
func (v Value) Bytes() []byte { return le(nil, v.Bits, v.Type.Bits()/8) }

// OfBytes returns a value of a type from its bytes in memory; missing bytes are 0.
func OfBytes(data []byte, t Type) Value {
	v := Value{Type: t, Raw: true}
	for i, b := range data[:min(len(data), t.Bits()/8)] {
		v.Bits |= uint64(b) << (8 * i)
	}
	return v
}
