package coverage

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// A file is what ran of a file of the source.
type file struct {
	name  string
	lines []*line
}

// A line is what ran of a line: as often as the instruction of it that ran most.
type line struct {
	number   int
	waves    uint64
	branches []*Inst
}

// lines returns the files of the source in the order of their names.
func (c *Coverage) lines() (list []*file) {
	files := map[string]*file{}
	for _, x := range c.Codes {
		for _, in := range x.Insts {
			if in.File == "" || in.Line == 0 {
				continue
			}
			f := files[in.File]
			if f == nil {
				f = &file{name: in.File}
				files[in.File], list = f, append(list, f)
			}
			i, known := slices.BinarySearchFunc(f.lines, in.Line, func(l *line, n int) int { return cmp.Compare(l.number, n) })
			if !known {
				f.lines = slices.Insert(f.lines, i, &line{number: in.Line})
			}
			l := f.lines[i]
			if l.waves = max(l.waves, in.Waves); in.Branch {
				l.branches = append(l.branches, in)
			}
		}
	}
	slices.SortFunc(list, func(x, y *file) int { return cmp.Compare(x.name, y.name) })
	return list
}

// WriteLCOV writes a tracefile as geninfo(1) describes it: for each file of the source its lines, with how often waves
// ran them, and the branches that ran, with both directions.
func (c *Coverage) WriteLCOV(w io.Writer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sort()
	out := bufio.NewWriter(w)
	for _, f := range c.lines() {
		fmt.Fprintf(out, "TN:\nSF:%s\n", strings.Map(printable, f.name))
		ways, hit := 0, 0
		for _, l := range f.lines {
			for i, in := range l.branches {
				for k, n := range [...]uint64{in.Taken, in.Passed} {
					fmt.Fprintf(out, "BRDA:%d,%d,%d,%d\n", l.number, i, k, n)
					if ways++; n > 0 {
						hit++
					}
				}
			}
		}
		fmt.Fprintf(out, "BRF:%d\nBRH:%d\n", ways, hit)
		ran := 0
		for _, l := range f.lines {
			fmt.Fprintf(out, "DA:%d,%d\n", l.number, l.waves)
			if l.waves > 0 {
				ran++
			}
		}
		fmt.Fprintf(out, "LF:%d\nLH:%d\nend_of_record\n", len(f.lines), ran)
	}
	return out.Flush()
}

// printable replaces what would end a line of the file.
func printable(r rune) rune {
	if unicode.IsControl(r) {
		return '_'
	}
	return r
}
