package codeobj

import (
	"sort"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/object"
)

// LineAt finds the line of the text that the code at an address of the object comes from, 0 if nobody knows: see Options.Lines. A section's
// place in the object is that of the symbols in it.
func (c *Code) LineAt(file string, o *object.CodeObject) func(addr uint64) (string, int) {
	type run struct {
		from, to uint64
		lines    []asm.SourceLine
	}
	var runs []run
	for i := range c.Program.Sections {
		s := &c.Program.Sections[i]
		if from, ok := c.sectionAt(i, o); ok && s.Exec && len(s.Lines) > 0 {
			runs = append(runs, run{from, from + uint64(len(s.Data)), s.Lines})
		}
	}
	return func(addr uint64) (string, int) {
		for _, r := range runs {
			if addr < r.from || addr >= r.to {
				continue
			}
			off := int(addr - r.from)
			if n := sort.Search(len(r.lines), func(n int) bool { return r.lines[n].Off > off }); n > 0 {
				return file, int(r.lines[n-1].Line)
			}
		}
		return "", 0
	}
}

// sectionAt is where a section of the text lies in the object; false: it has no symbol that the object has.
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
