package asm

import "sort"

// LineAt finds the line of the file that the instruction at an address comes from, 0 if the assembly does not know: see Options.NoLines.
func (r *Assembly) LineAt(file string) func(addr uint64) (string, int) {
	return func(addr uint64) (string, int) {
		off := addr - r.Base
		if off >= uint64(len(r.Code)) {
			return "", 0
		}
		i := sort.Search(len(r.Lines), func(i int) bool { return uint64(r.Lines[i].Off) > off })
		if i == 0 {
			return "", 0
		}
		return file, int(r.Lines[i-1].Line)
	}
}
