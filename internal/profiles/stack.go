package profiles

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/loc"
)

// A level is a function that an instruction is in, with the place in it: of the instruction, or of the inlined call of
// the next level.
type level struct {
	name     string
	at       loc.Position
	declared int // line; 0: unknown
}

// levels returns the kernel and the functions that an instruction is in, the outermost first. Without debug information
// the function is the symbol before it. Calls that are not inlined are not known: such a function is called from its
// kernel, as far as there is one.
func (p *Profile) levels(in *Inst) (list []level) {
	at := in.At
	for _, f := range in.Frames {
		list = append([]level{{f.Name, at, f.Line}}, list...)
		at = positionOf(f.Called)
	}
	symbol := in.Symbol
	if i := strings.LastIndex(symbol, "+0x"); i >= 0 {
		symbol = symbol[:i]
	}
	if len(list) == 0 && symbol != "" {
		list = []level{{name: symbol, at: at}}
	}
	if len(in.Frames) > 0 && slices.ContainsFunc(p.Launches, func(l Launches) bool { return l.Kernel == symbol }) {
		return list
	}
	kernel := p.kernels()
	switch {
	case len(list) == 0:
		return []level{{name: kernel, at: at}}
	case list[0].name == kernel:
		return list
	}
	return append([]level{{name: kernel}}, list...)
}

// path returns the names of levels of the flame graph above and at an instruction: functions and their lines, and the
// instruction itself.
func (p *Profile) path(in *Inst) (names []string) {
	for _, l := range p.levels(in) {
		names = append(names, l.name)
		if l.at.Known() {
			names = append(names, fmt.Sprintf("%s:%d", filepath.Base(l.at.File), l.at.Line))
		}
	}
	return append(names, fmt.Sprintf("%#x %s", in.Addr, in.Text))
}

// positionOf reads FILE:LINE or FILE:LINE:COL.
func positionOf(s string) (p loc.Position) {
	file, last, ok := cutNumber(s)
	if !ok {
		return p
	}
	if of, line, ok := cutNumber(file); ok {
		return loc.Position{File: of, Line: line, Col: last}
	}
	return loc.Position{File: file, Line: last}
}

// cutNumber cuts a text before its last colon, behind which there is a number.
func cutNumber(s string) (before string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil && n > 0
}
