package codeobj

import (
	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/object"
)

// Object reads the code object; its places are then also those of the text: see Options.Lines. A section's address in
// the object is found by its symbols; a section without symbols has no places.
func (c *Code) Object() (*object.CodeObject, error) {
	o, err := object.ReadHSAFile(c.Data, orText(c.File))
	if err != nil {
		return nil, err
	}
	type run struct {
		from, size uint64
		lines      []asm.SourceLine
	}
	var runs []run
	for i := range c.Program.Sections {
		s := &c.Program.Sections[i]
		if from, ok := c.sectionAt(i, o); ok && s.Exec && len(s.Lines) > 0 {
			runs = append(runs, run{from, uint64(len(s.Data)), s.Lines})
		}
	}
	o.SetText(func(addr uint64) loc.Position {
		for _, r := range runs {
			if off := addr - r.from; off < r.size {
				return asm.PositionAt(r.lines, c.File, int(off))
			}
		}
		return loc.Position{}
	})
	return o, nil
}

// sectionAt returns the address of a section of the text in the object; false: it has no symbol that the object has.
func (c *Code) sectionAt(section int, o *object.CodeObject) (uint64, bool) {
	for i := range c.Program.Symbols {
		y := &c.Program.Symbols[i]
		if y.Section != section {
			continue
		}
		for k := range o.Symbols {
			if z := &o.Symbols[k]; z.Name == y.Name && z.Defined {
				return z.Addr - y.Value, true
			}
		}
	}
	return 0, false
}
