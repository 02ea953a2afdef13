package srcinfo

import (
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Limits of what is kept of a file.
const (
	maxEntries = 1 << 20
	maxDepth   = 64
	maxLocs    = 1 << 12 // of one variable
)

// A unit is a compile unit.
type unit struct {
	data     *dwarf.Data
	sections map[string][]byte
	types    map[dwarf.Offset]*Type // that have been read
	depth    int                    // nesting of types

	start            dwarf.Offset // of its header
	low              uint64
	addrs, loclists  int64
	version, pointer int
	files            []*dwarf.LineFile
}

// attrGNUVector marks an array type as a vector.
const attrGNUVector = dwarf.Attr(0x2107)

// read reads the sections. The reader of the standard library may panic on broken input: what was read up to there is
// kept.
func (i *Info) read() {
	defer func() {
		if e := recover(); e != nil {
			i.err = fmt.Errorf("DWARF: %v", e)
		}
	}()
	s := i.sections
	data, err := dwarf.New(s["abbrev"], nil, nil, s["info"], s["line"], nil, s["ranges"], s["str"])
	for _, name := range []string{"addr", "line_str", "str_offsets", "rnglists"} {
		if err == nil && s[name] != nil {
			err = data.AddSection(".debug_"+name, s[name])
		}
	}
	if err != nil {
		i.err = fmt.Errorf("DWARF: %w", err)
		return
	}
	r := &reader{info: i, data: data, r: data.Reader(), abstract: map[dwarf.Offset]*dwarf.Entry{}, left: min(maxEntries, len(s["info"])),
		types: map[dwarf.Offset]*Type{}}
	if i.err = r.units(); i.err != nil {
		i.err = fmt.Errorf("DWARF: %w", i.err)
	}
	r.setPrologues()
	slices.SortStableFunc(i.funcs, func(a, b *Function) int { return int(min(1, max(-1, int64(a.ranges[0][0]-b.ranges[0][0])))) })
}

// A reader reads the entries in order.
type reader struct {
	info     *Info
	data     *dwarf.Data
	r        *dwarf.Reader
	abstract map[dwarf.Offset]*dwarf.Entry // entries that others refer to
	types    map[dwarf.Offset]*Type
	left     int      // limit of entries still to be read
	ends     []uint64 // of prologues
	unit     *unit
}

// next returns the next entry, or nil at the end. Each entry has at least a byte, so that a broken file ends, too.
func (r *reader) next() (*dwarf.Entry, error) {
	if r.left--; r.left < 0 {
		return nil, errors.New("too many entries")
	}
	return r.r.Next()
}

// units reads all compile units.
func (r *reader) units() error {
	for {
		e, err := r.next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag != dwarf.TagCompileUnit && e.Tag != dwarf.TagSkeletonUnit {
			continue
		}
		if r.unit, err = r.newUnit(e); err != nil {
			return err
		}
		if !e.Children {
			continue
		}
		if err := r.children(0, r.outside); err != nil {
			return err
		}
	}
}

func (r *reader) newUnit(e *dwarf.Entry) (*unit, error) {
	u := &unit{data: r.data, sections: r.info.sections, types: r.types, pointer: r.r.AddressSize()}
	u.low, _ = e.Val(dwarf.AttrLowpc).(uint64)
	u.addrs, _ = e.Val(dwarf.AttrAddrBase).(int64)
	u.loclists, _ = e.Val(dwarf.AttrLoclistsBase).(int64)
	if u.pointer != 8 {
		return nil, fmt.Errorf("addresses of %d bytes", u.pointer)
	}
	// The header of a unit precedes its first entry: 11 bytes up to DWARF 4, 12 in DWARF 5, whose third field is the
	// kind.
	info := r.info.sections["info"]
	for _, h := range [...]int{12, 11} {
		at := int(e.Offset) - h
		if at < 0 || at+6 > len(info) {
			continue
		}
		if v := int(binary.LittleEndian.Uint16(info[at+4:])); v == 5 && h == 12 || v >= 2 && v <= 4 && h == 11 {
			u.start, u.version = dwarf.Offset(at), v
			break
		}
	}
	if lines, err := r.data.LineReader(e); err == nil && lines != nil {
		u.files = lines.Files()
		r.prologues(lines)
	}
	return u, nil
}

// prologues records the ends of prologues in the line table.
func (r *reader) prologues(lines *dwarf.LineReader) {
	var e dwarf.LineEntry
	for n := 0; n < maxEntries && lines.Next(&e) == nil; n++ {
		if e.PrologueEnd && !e.EndSequence {
			r.ends = append(r.ends, e.Address)
		}
	}
}

// setPrologues sets the ends of the functions' prologues.
func (r *reader) setPrologues() {
	slices.Sort(r.ends)
	for _, f := range r.info.funcs {
		i, _ := slices.BinarySearch(r.ends, f.ranges[0][0])
		if i < len(r.ends) && within(f.ranges, r.ends[i]) {
			f.Prologue = r.ends[i]
		}
	}
}

// children calls f with each entry up to the end of the list; f must read the children of its entry.
func (r *reader) children(depth int, f func(e *dwarf.Entry, depth int) error) error {
	if depth > maxDepth {
		return errors.New("entries are nested too deep")
	}
	for {
		e, err := r.next()
		if err != nil || e == nil || e.Tag == 0 {
			return err
		}
		if err := f(e, depth); err != nil {
			return err
		}
	}
}

// skip reads the children of an entry and drops them.
func (r *reader) skip(e *dwarf.Entry, depth int) error {
	if !e.Children {
		return nil
	}
	return r.children(depth+1, r.skip)
}

// outside reads an entry of a unit.
func (r *reader) outside(e *dwarf.Entry, depth int) error {
	switch e.Tag {
	case dwarf.TagSubprogram:
		return r.function(e, depth, func(f *Function) { r.info.funcs = append(r.info.funcs, f) })
	case dwarf.TagVariable:
		if v := r.variable(e); v.Name != "" {
			r.info.globals = append(r.info.globals, v)
		}
	case dwarf.TagBaseType:
		r.unit.typeOf(e.Offset)
	case dwarf.TagNamespace, dwarf.TagModule:
		if e.Children {
			return r.children(depth+1, r.outside)
		}
	}
	return r.skip(e, depth)
}

// attr returns an attribute of an entry, or of its abstract origin.
func (r *reader) attr(e *dwarf.Entry, a dwarf.Attr) any {
	for range 4 {
		if v := e.Val(a); v != nil {
			return v
		}
		off, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if off, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				return nil
			}
		}
		if e = r.at(off); e == nil {
			return nil
		}
	}
	return nil
}

// at returns the entry at an offset, or nil.
func (r *reader) at(off dwarf.Offset) *dwarf.Entry {
	e, ok := r.abstract[off]
	if ok {
		return e
	}
	in := r.data.Reader()
	in.Seek(off)
	e, err := in.Next()
	if err != nil {
		e = nil
	}
	r.abstract[off] = e
	return e
}

func (r *reader) name(e *dwarf.Entry) string { s, _ := r.attr(e, dwarf.AttrName).(string); return s }

// function reads a function or an inlined call, and keeps it if it has code.
func (r *reader) function(e *dwarf.Entry, depth int, keep func(*Function)) error {
	f := &Function{Name: r.name(e), Inlined: e.Tag == dwarf.TagInlinedSubroutine, unit: r.unit}
	f.Linkage, _ = r.attr(e, dwarf.AttrLinkageName).(string)
	line, _ := r.attr(e, dwarf.AttrDeclLine).(int64)
	f.Line = int(line)
	f.frame, _ = e.Val(dwarf.AttrFrameBase).([]byte)
	if f.Inlined {
		line, _ := e.Val(dwarf.AttrCallLine).(int64)
		file, _ := e.Val(dwarf.AttrCallFile).(int64)
		f.CallLine = int(line)
		if file >= 0 && int(file) < len(r.unit.files) && r.unit.files[file] != nil {
			f.CallFile = filepath.Base(r.unit.files[file].Name)
		}
	}
	var err error
	if f.ranges, err = r.data.Ranges(e); err != nil {
		return err
	}
	if len(f.ranges) > 0 {
		keep(f)
	}
	named := map[dwarf.Offset]bool{}
	if e.Children {
		if err := r.children(depth+1, func(e *dwarf.Entry, depth int) error { return r.inside(&f.block, named, e, depth) }); err != nil {
			return err
		}
	}
	if off, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok && len(f.ranges) > 0 {
		return r.inherit(&f.block, named, off)
	}
	return nil
}

// inherit adds the variables of an abstract function that its instance does not name: compilers omit those without a
// location. They come after those of the instance, since their blocks are unknown.
func (r *reader) inherit(b *block, named map[dwarf.Offset]bool, origin dwarf.Offset) error {
	in := r.data.Reader()
	in.Seek(origin)
	skipped := 0 // the depth within an entry that is no block; 0: in none
	for depth := 0; ; {
		e, err := in.Next()
		if r.left--; r.left < 0 {
			return errors.New("too many entries")
		}
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			depth--
			skipped = max(0, skipped-1)
		} else if e.Children {
			depth++
			if skipped > 0 || depth > 1 && e.Tag != dwarf.TagLexDwarfBlock {
				skipped++
			}
		}
		if depth <= 0 {
			return nil
		}
		if skipped > 0 || named[e.Offset] || e.Tag != dwarf.TagVariable && e.Tag != dwarf.TagFormalParameter {
			continue
		}
		if v := r.variable(e); v.Name != "" {
			b.vars = append(b.vars, v)
		}
	}
}

// inside reads an entry of a function, and records which entries of the abstract function it names.
func (r *reader) inside(b *block, named map[dwarf.Offset]bool, e *dwarf.Entry, depth int) error {
	if off, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		named[off] = true
	}
	switch e.Tag {
	case dwarf.TagVariable, dwarf.TagFormalParameter:
		if v := r.variable(e); v.Name != "" {
			b.vars = append(b.vars, v)
		}
	case dwarf.TagInlinedSubroutine:
		return r.function(e, depth, func(f *Function) { b.calls = append(b.calls, f) })
	case dwarf.TagLexDwarfBlock:
		sub := &block{}
		var err error
		if sub.ranges, err = r.data.Ranges(e); err != nil {
			return err
		}
		b.blocks = append(b.blocks, sub)
		if e.Children {
			return r.children(depth+1, func(e *dwarf.Entry, depth int) error { return r.inside(sub, named, e, depth) })
		}
		return nil
	}
	return r.skip(e, depth)
}

// variable reads a variable or parameter.
func (r *reader) variable(e *dwarf.Entry) *Variable {
	v := &Variable{Name: r.name(e), Arg: e.Tag == dwarf.TagFormalParameter, unit: r.unit}
	line, _ := r.attr(e, dwarf.AttrDeclLine).(int64)
	v.Line = int(line)
	if off, ok := r.attr(e, dwarf.AttrType).(dwarf.Offset); ok {
		v.Type = r.unit.typeOf(off)
	}
	switch c := e.Val(dwarf.AttrConstValue).(type) {
	case int64:
		v.Value = binary.LittleEndian.AppendUint64(nil, uint64(c))
	case []byte:
		v.Value = c
	}
	if f := e.AttrField(dwarf.AttrLocation); f != nil {
		switch x := f.Val.(type) {
		case []byte:
			v.where = []location{{expr: x}}
		case int64:
			v.where = r.unit.locations(x)
		case uint64:
			v.where = r.unit.indexed(x)
		}
	}
	return v
}

// addr returns a word of .debug_addr.
func (u *unit) addr(i uint64) (uint64, error) {
	table := u.sections["addr"]
	if u.addrs < 0 || u.addrs > int64(len(table)) || i >= uint64(len(table)-int(u.addrs))/8 {
		return 0, errors.New("its location names an address that the file does not have")
	}
	return binary.LittleEndian.Uint64(table[uint64(u.addrs)+8*i:]), nil
}

// indexed returns a location list by its number.
func (u *unit) indexed(i uint64) []location {
	table := u.sections["loclists"]
	if u.loclists < 0 || u.loclists > int64(len(table)) || i >= uint64(len(table)-int(u.loclists))/4 {
		return nil
	}
	at := u.loclists + int64(4*i)
	return u.locations(u.loclists + int64(binary.LittleEndian.Uint32(table[at:])))
}

// locations reads a location list. A broken rest is dropped: the variable is optimised out there.
func (u *unit) locations(off int64) []location {
	name := "loclists"
	if u.version < 5 {
		name = "loc"
	}
	table := u.sections[name]
	if off < 0 || off > int64(len(table)) {
		return nil
	}
	l := &listReader{unit: u, code: table[off:], base: u.low}
	for len(l.list) < maxLocs {
		more, err := l.entry5, error(nil)
		if u.version < 5 {
			more = l.entry4
		}
		goes, err := more()
		if err != nil || !goes {
			break
		}
	}
	return l.list
}

// A listReader reads a location list.
type listReader struct {
	unit *unit
	code []byte
	base uint64
	list []location
}

func (l *listReader) fixed(n int) (v uint64, err error) {
	e := evaluator{code: l.code}
	v, err = e.fixed(n)
	l.code = e.code
	return v, err
}

func (l *listReader) uleb() (v uint64, err error) {
	e := evaluator{code: l.code}
	v, err = e.uleb()
	l.code = e.code
	return v, err
}

// add keeps an entry, whose expression follows.
func (l *listReader) add(from, to, size uint64, err error) (bool, error) {
	if err != nil || size > uint64(len(l.code)) {
		return false, errors.Join(err, errShort)
	}
	if to == 0 || to > from {
		l.list = append(l.list, location{from, to, l.code[:size:size]})
	}
	l.code = l.code[size:]
	return true, nil
}

// entry4 reads an entry of .debug_loc: DWARF 2 to 4.
func (l *listReader) entry4() (goes bool, err error) {
	from, err := l.fixed(8)
	to, err2 := l.fixed(8)
	switch err = errors.Join(err, err2); {
	case err != nil || from == 0 && to == 0:
		return false, err
	case from == ^uint64(0):
		l.base = to
		return true, nil
	}
	size, err := l.fixed(2)
	return l.add(l.base+from, l.base+to, size, err)
}

// entry5 reads an entry of .debug_loclists: DWARF 5, 2.6.2.
func (l *listReader) entry5() (goes bool, err error) {
	kind, err := l.fixed(1)
	if err != nil || kind == 0 || kind > 8 {
		return false, err
	}
	shape := listEntries[kind]
	from, err := l.operand(shape[0])
	if err != nil {
		return false, err
	}
	to, err := l.operand(shape[1])
	if err != nil {
		return false, err
	}
	switch kind {
	case 1, 6:
		l.base = from
		return true, nil
	case 4:
		from, to = from+l.base, to+l.base
	case 3, 8:
		to += from
	}
	size, err := l.uleb()
	if kind == 5 {
		from, to = 0, 0
	}
	return l.add(from, to, size, err)
}

// listEntries are the two operands of each kind: an index of an address, a number, an address, or none.
var listEntries = [9][2]byte{1: {'x'}, 2: {'x', 'x'}, 3: {'x', 'n'}, 4: {'n', 'n'}, 5: {}, 6: {'a'}, 7: {'a', 'a'}, 8: {'a', 'n'}}

func (l *listReader) operand(shape byte) (uint64, error) {
	switch shape {
	case 'x':
		i, err := l.uleb()
		if err != nil {
			return 0, err
		}
		return l.unit.addr(i)
	case 'n':
		return l.uleb()
	case 'a':
		return l.fixed(8)
	}
	return 0, nil
}
