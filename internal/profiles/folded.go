package profiles

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// WriteFolded writes stacks as flamegraph.pl reads them: kernel, functions, lines and instruction, divided by
// semicolons, and a count. Instructions without the count are left out.
func WriteFolded(w io.Writer, list []Profile, by *Metric) error {
	out := bufio.NewWriter(w)
	for i := range list {
		p := &list[i]
		for k := range p.List {
			n := by.Of(&p.List[k])
			if n == 0 {
				continue
			}
			names := p.path(&p.List[k])
			for j := range names {
				names[j] = strings.Map(folding, names[j])
			}
			fmt.Fprintf(out, "%s %d\n", strings.Join(names, ";"), n)
		}
	}
	return out.Flush()
}

// folding replaces what divides the parts of a line, and what may control a terminal.
func folding(r rune) rune {
	switch {
	case r == ';':
		return ','
	case !unicode.IsPrint(r):
		return ' '
	}
	return r
}
