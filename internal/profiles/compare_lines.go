package profiles

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A place is a line of a file; line 0 is what has no line.
type place struct {
	file string
	line int
}

// A sourced is the files of the compiler's source that a profile has instructions of.
type sourced struct {
	files []string            // each once
	bases map[string]int      // how many have a name without folders
	lines map[string][]string // the texts that are known
}

func (p *Profile) sourced() *sourced {
	s, known := &sourced{bases: map[string]int{}, lines: map[string][]string{}}, map[string]int{}
	for i := range p.Sources {
		known[p.Sources[i].File] = i + 1
	}
	seen := map[string]bool{}
	for i := range p.List {
		file := p.List[i].line().file
		if file == "" || seen[file] {
			continue
		}
		seen[file] = true
		s.files = append(s.files, file)
		s.bases[filepath.Base(file)]++
		if k := known[file]; k > 0 {
			s.lines[file] = strings.Split(p.Sources[k-1].Text, "\n")
		}
	}
	return s
}

// name returns a line as text: without folders if no other file has that name.
func (s *sourced) name(p place) string {
	if p.line == 0 {
		return "no line"
	}
	file := p.file
	if base := filepath.Base(file); s.bases[base] == 1 {
		file = base
	}
	return fmt.Sprintf("%s:%d", file, p.line)
}

// text returns the text of a line, without blanks around it.
func (s *sourced) text(at place) string {
	if lines := s.lines[at.file]; at.line > 0 && at.line <= len(lines) {
		return strings.TrimSpace(lines[at.line-1])
	}
	return ""
}

// sameFiles returns which file after is one before: that of the same path, else of the same name if one file has it
// on each side.
func sameFiles(before, after *sourced) map[string]string {
	same, byBase := map[string]string{}, map[string]string{}
	for _, file := range after.files {
		same[file] = file
		byBase[filepath.Base(file)] = file
	}
	list := map[string]string{}
	for _, file := range before.files {
		base := filepath.Base(file)
		if to := same[file]; to != "" {
			list[file] = to
		} else if before.bases[base] == 1 && after.bases[base] == 1 {
			list[file] = byBase[base]
		}
	}
	return list
}

// byLines matches lines of the source. If its text has changed, lines are those of an alignment of both texts.
func byLines(before, after *Profile) (parts []part, tooLong bool) {
	from, to := before.sourced(), after.sourced()
	at := map[place]int{} // those that are after
	find := func(at map[place]int, p place) *part {
		k, ok := at[p]
		if !ok {
			k = len(parts)
			at[p], parts = k, append(parts, part{})
		}
		return &parts[k]
	}
	for i := range after.List {
		p := after.List[i].line()
		x := find(at, p)
		x.name[1], x.insts[1] = to.name(p), append(x.insts[1], &after.List[i])
		if x.text == "" {
			x.text = to.text(p)
		}
	}
	moved, gone := movedLines(from, to), map[place]int{}
	for i := range before.List {
		p := before.List[i].line()
		x := (*part)(nil)
		if now, ok := moved.place(p); ok {
			x = find(at, now)
		} else {
			x = find(gone, p)
		}
		x.name[0], x.insts[0] = from.name(p), append(x.insts[0], &before.List[i])
		if x.text == "" {
			x.text = from.text(p)
		}
	}
	return parts, moved.tooLong
}

// line returns the line of an instruction.
func (in *Inst) line() place {
	if !in.Compiled || !in.At.Known() {
		return place{}
	}
	return place{in.At.File, in.At.Line}
}

// A movement is where the lines of files are now.
type movement struct {
	files map[string]string
	lines map[place]int // of files whose text is known on both sides, and has changed
	known map[string]bool

	tooLong bool
}

// place returns where a line is now, if it is not gone.
func (m *movement) place(p place) (now place, ok bool) {
	if p.line == 0 {
		return place{}, true
	}
	now = place{m.files[p.file], p.line}
	if ok = now.file != ""; ok && m.known[p.file] {
		now.line, ok = m.lines[p]
	}
	return now, ok
}

// movedLines returns where lines are now: of files whose text is known before and after, and has changed, those with
// the same text, and between them those that as many others replace.
func movedLines(before, after *sourced) *movement {
	m := &movement{files: sameFiles(before, after), lines: map[place]int{}, known: map[string]bool{}}
	for file, now := range m.files {
		a, b := before.lines[file], after.lines[now]
		if a == nil || b == nil || slices.Equal(a, b) {
			continue
		}
		m.known[file] = true
		i, k := 0, 0
		pairs, whole := align(lineKeys(a, "a"), lineKeys(b, "b"))
		m.tooLong = m.tooLong || !whole
		for _, x := range append(pairs, aligned{len(a), len(b)}) {
			if x.a-i == x.b-k { // as many were written anew
				for ; i < x.a; i, k = i+1, k+1 {
					m.lines[place{file, i + 1}] = k + 1
				}
			}
			m.lines[place{file, x.a + 1}] = x.b + 1
			i, k = x.a+1, x.b+1
		}
	}
	return m
}

// lineKeys returns what lines are compared by: only the same texts are alike.
func lineKeys(lines []string, side string) (list []alike) {
	for _, l := range lines {
		l = strings.TrimSpace(l)
		list = append(list, alike{l, side})
	}
	return list
}
