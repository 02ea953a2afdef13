package object

import (
	"debug/dwarf"
	"path/filepath"
	"sort"
	"strings"
	"sync"
)

// maxLineRows bounds the lines that are kept of a file.
const maxLineRows = 1 << 20

// A debugInfo is what a compiler has written of its source, read when it is first asked for.
type debugInfo struct {
	sections map[string][]byte // by name without .debug_
	once     sync.Once
	rows     []lineRow                                 // by address
	line     func(addr uint64) (file string, line int) // in place of all that, if it is not nil
}

// A lineRow is the source of the code from an address up to that of the next row.
type lineRow struct {
	addr uint64
	file string
	line int // 0: no code follows that a line is known of
}

// readDebug keeps copies of the sections that describe the source; what is wrong with them is as if they were not there.
func (o *CodeObject) readDebug(f *elfFile) {
	d := &debugInfo{sections: map[string][]byte{}}
	var names []byte
	if f.nameSect > 0 && f.nameSect < len(f.sects) {
		names, _ = f.contents(f.nameSect, "section names")
	}
	room := len(f.data) // sections that overlap are no reason to keep more
	for i := range f.sects {
		name := sectionName(names, &f.sects[i])
		kind, ok := strings.CutPrefix(name, ".debug_")
		if !ok || d.sections[kind] != nil {
			continue
		}
		if data, err := f.contents(i, name); err == nil && len(data) <= room {
			d.sections[kind], room = append([]byte{}, data...), room-len(data)
		}
	}
	if d.sections["line"] != nil && d.sections["info"] != nil {
		o.debug = d
	}
}

// Line is the source of the instruction at an address of the file; a line of 0: the file does not say.
func (o *CodeObject) Line(addr uint64) (file string, line int) {
	if o.debug == nil {
		return "", 0
	}
	if o.debug.line != nil {
		return o.debug.line(addr)
	}
	o.debug.once.Do(o.debug.read)
	rows := o.debug.rows
	i := sort.Search(len(rows), func(i int) bool { return rows[i].addr > addr })
	if i == 0 {
		return "", 0
	}
	return rows[i-1].file, rows[i-1].line
}

// SetLine makes Line what somebody knows who has made the code; nil changes nothing.
func (o *CodeObject) SetLine(line func(addr uint64) (file string, line int)) {
	if line != nil {
		o.debug = &debugInfo{line: line}
	}
}

// HasLines reports whether the file names its source.
func (o *CodeObject) HasLines() bool { return o.debug != nil }

// read reads the line tables. The reader of the standard library may stop at what is broken, and even panic: lines up to there count.
func (d *debugInfo) read() {
	defer func() {
		if recover() != nil {
			d.rows = nil
		}
		sort.SliceStable(d.rows, func(i, k int) bool { // where one unit ends another may begin
			a, b := &d.rows[i], &d.rows[k]
			return a.addr < b.addr || a.addr == b.addr && a.line == 0 && b.line != 0
		})
		d.sections = nil
	}()
	s := d.sections
	data, err := dwarf.New(s["abbrev"], nil, nil, s["info"], s["line"], nil, s["ranges"], s["str"])
	if err != nil {
		return
	}
	for _, name := range []string{"addr", "line_str", "str_offsets", "rnglists"} {
		if s[name] != nil && data.AddSection(".debug_"+name, s[name]) != nil {
			return
		}
	}
	// Through all entries, of which each has a byte at least: in a broken file a jump to the next sibling may lead back, and the reader
	// may stay where it is.
	r := data.Reader()
	for range len(s["info"]) {
		e, err := r.Next()
		if err != nil || e == nil || (e.Tag == dwarf.TagCompileUnit || e.Tag == dwarf.TagSkeletonUnit) && !d.unit(data, e) {
			return
		}
	}
}

// unit reads the lines of a unit; false: no more are kept.
func (d *debugInfo) unit(data *dwarf.Data, e *dwarf.Entry) bool {
	lines, err := data.LineReader(e)
	if err != nil || lines == nil {
		return true
	}
	for entry := new(dwarf.LineEntry); lines.Next(entry) == nil; {
		if len(d.rows) == maxLineRows {
			return false
		}
		row := lineRow{addr: entry.Address}
		if !entry.EndSequence && entry.File != nil && entry.Line > 0 {
			row.file, row.line = filepath.Base(entry.File.Name), entry.Line
		}
		d.rows = append(d.rows, row)
	}
	return true
}
