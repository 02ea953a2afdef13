package object

import (
	"debug/dwarf"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/srcinfo"
)

// maxLineRows limits the line rows that are kept of a file.
const maxLineRows = 1 << 20

// A debugInfo is the compiler's debug information, decoded on first use.
type debugInfo struct {
	sections map[string][]byte // by name without .debug_
	once     sync.Once
	rows     []lineRow // by address
}

// A lineRow is the source position of the code from an address up to that of the next row.
type lineRow struct {
	addr uint64
	at   loc.Position // its line is 0 if it is unknown, as for code that the compiler attributes to no line
}

// readDebug copies the sections that describe the source. Invalid sections are treated as absent.
func (o *CodeObject) readDebug(f *elfFile) {
	d := &debugInfo{sections: map[string][]byte{}}
	var names []byte
	if f.nameSect > 0 && f.nameSect < len(f.sects) {
		names, _ = f.contents(f.nameSect, "section names")
	}
	room := len(f.data) // bounds the copies even if sections overlap
	for i := range f.sects {
		name := sectionName(names, &f.sects[i])
		kind, ok := strings.CutPrefix(name, ".debug_")
		if !ok || d.sections[kind] != nil {
			continue
		}
		packed := f.sects[i].flags&sectPacked != 0 // bounded separately
		if data, err := f.contents(i, name); packed && err == nil {
			d.sections[kind] = data
		} else if err == nil && len(data) <= room {
			d.sections[kind], room = append([]byte{}, data...), room-len(data)
		}
	}
	if d.sections["line"] != nil && d.sections["info"] != nil {
		o.debug = d
	}
	o.source = srcinfo.New(maps.Clone(d.sections)) // lines are read separately, and their sections are dropped afterwards
}

// Source returns the source position of the instruction at an address of the file, from its line tables.
func (o *CodeObject) Source(addr uint64) loc.Position {
	if o.debug == nil {
		return loc.Position{}
	}
	o.debug.once.Do(o.debug.read)
	rows := o.debug.rows
	i := sort.Search(len(rows), func(i int) bool { return rows[i].addr > addr })
	if i == 0 {
		return loc.Position{}
	}
	return rows[i-1].at
}

// SetText sets the function that finds the position in an assembly text of the code at an address of the file; nil:
// there is no text.
func (o *CodeObject) SetText(text loc.Lookup) { o.text = text }

// Variables returns the debug information of functions and variables; nil if there is none.
func (o *CodeObject) Variables() *srcinfo.Info { return o.source }

// Map returns the positions of code that is loaded at its addresses in the file plus bias: names of functions before
// those of labels, positions in the text that SetText sets, and in the source if the file has line tables.
func (o *CodeObject) Map(bias uint64) *loc.Map {
	m := &loc.Map{Bias: bias, Text: o.text, Vars: o.source}
	for _, kind := range [...]SymbolKind{Func, NoType} {
		for i := range o.Symbols {
			y := &o.Symbols[i]
			in := func(s ImageSegment) bool { return s.Exec && y.Addr-s.Addr < s.Size }
			if y.Kind == kind && y.Defined && y.Name != "" && slices.ContainsFunc(o.Segments, in) {
				m.Symbols = append(m.Symbols, loc.Symbol{Name: y.Name, Addr: y.Addr})
			}
		}
	}
	m.Sort()
	if o.debug != nil {
		m.Source = o.Source
	}
	return m
}

// read reads the line tables. The reader of the standard library may stop at invalid data, and even panic; lines up to
// there are kept.
func (d *debugInfo) read() {
	defer func() {
		if recover() != nil {
			d.rows = nil
		}
		sort.SliceStable(d.rows, func(i, k int) bool { // one unit may begin where another ends
			a, b := &d.rows[i], &d.rows[k]
			return a.addr < b.addr || a.addr == b.addr && !a.at.Known() && b.at.Known()
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
	// Iterate over all entries, each at least one byte long: in an invalid file a jump to the next sibling may lead
	// back, and the reader may not advance.
	r := data.Reader()
	for range len(s["info"]) {
		e, err := r.Next()
		if err != nil || e == nil || (e.Tag == dwarf.TagCompileUnit || e.Tag == dwarf.TagSkeletonUnit) && !d.unit(data, e) {
			return
		}
	}
}

// unit reads the lines of a unit. It returns false if the limit is reached.
func (d *debugInfo) unit(data *dwarf.Data, e *dwarf.Entry) bool {
	lines, err := data.LineReader(e)
	if err != nil || lines == nil {
		return true
	}
	var last *dwarf.LineFile
	var name, path string
	for entry := new(dwarf.LineEntry); lines.Next(entry) == nil; {
		if len(d.rows) == maxLineRows {
			return false
		}
		row := lineRow{addr: entry.Address}
		if !entry.EndSequence && entry.File != nil && entry.Line > 0 {
			if entry.File != last {
				last = entry.File
				name, path = sourceFile(e, last.Name)
			}
			row.at = loc.Position{File: name, Path: path, Line: entry.Line, Col: max(entry.Column, 0)}
		}
		d.rows = append(d.rows, row)
	}
	return true
}

// sourceFile returns the name of a file in a unit's line table, and its path if that differs.
func sourceFile(unit *dwarf.Entry, path string) (name, where string) {
	dir, _ := unit.Val(dwarf.AttrCompDir).(string)
	// In version 5 the reader of the standard library prepends the unit's folder to names of files even if they are
	// absolute.
	if own, _ := unit.Val(dwarf.AttrName).(string); filepath.IsAbs(own) && path == filepath.Join(dir, own) {
		path = own
	}
	if name = filepath.Base(path); name == path {
		return name, ""
	}
	return name, path
}
