package asm

import (
	"sort"

	places "github.com/heddle-gpu/heddle/loc" // loc is what .loc says
)

// PositionAt returns the position in a file of the line that the byte at an offset comes from; lines are by offset,
// as those of an Assembly or a Section.
func PositionAt(lines []SourceLine, file string, off int) places.Position {
	i := sort.Search(len(lines), func(i int) bool { return lines[i].Off > off })
	if i == 0 {
		return places.Position{}
	}
	return places.Position{File: file, Line: int(lines[i-1].Line), Col: int(lines[i-1].Col)}
}

// Map returns a map that finds places by the labels and lines of the text. With Options.NoLines it knows no lines.
func (r *Assembly) Map() *places.Map {
	m := &places.Map{Text: func(addr uint64) places.Position {
		off := addr - r.Base
		if off >= uint64(len(r.Code)) {
			return places.Position{}
		}
		return PositionAt(r.Lines, r.File, int(off))
	}}
	for _, y := range r.Labels {
		m.Symbols = append(m.Symbols, places.Symbol(y))
	}
	m.Sort()
	return m
}
