package asm

import "encoding/binary"

// The line table maps each address to a row of the source, as a program for a small machine. The format leaves open
// which operations encode a row; LLVM's choice is used, so that tables are equal byte for byte. Source: DWARF 5, 6.2;
// DWARF 4, 6.2.

// Parameters of special operations in the header: each advances the line by lineBase or more, and the address by a
// quotient.
const (
	lineBase   = -5
	lineRange  = 14
	opcodeBase = 13
	// mostSpecial is the most by which a special operation advances the address; DW_LNS_const_add_pc advances it by
	// the same.
	mostSpecial = (255 - opcodeBase) / lineRange
)

// Operations of line programs.
const (
	lnsCopy        = 1
	lnsAdvancePC   = 2
	lnsAdvanceLine = 3
	lnsSetFile     = 4
	lnsSetColumn   = 5
	lnsNegateStmt  = 6
	lnsSetBlock    = 7
	lnsConstAddPC  = 8
	lnsPrologueEnd = 10
	lnsEpilogue    = 11
	lnsSetISA      = 12

	lneEndSequence   = 1
	lneSetAddress    = 2
	lneDiscriminator = 4
)

// operands are how many each standard operation has.
var lineOperands = []byte{0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}

// Contents and forms of the columns of the lists of directories and files.
const (
	lnctPath      = 1
	lnctDirectory = 2
	lnctMD5       = 5
	lnctSource    = 0x2001 // LLVM's: the text of the file

	formUdata    = 0x0f
	formData16   = 0x1e
	formLineStrp = 0x1f
)

// A dwarfTable is a section being written.
type dwarfTable struct {
	p       *program
	section int
	out     []byte
	entry   int // start of the present frame entry, after its length
}

func (t *dwarfTable) u8(list ...byte) { t.out = append(t.out, list...) }
func (t *dwarfTable) u16(v int)       { t.out = binary.LittleEndian.AppendUint16(t.out, uint16(v)) }
func (t *dwarfTable) uleb(v uint64)   { t.out = binary.AppendUvarint(t.out, v) }

// length reserves a length field; fill sets it to the length of what follows.
func (t *dwarfTable) length() (at int) {
	t.out = append(t.out, 0, 0, 0, 0)
	return len(t.out)
}

func (t *dwarfTable) fill(at int) {
	binary.LittleEndian.PutUint32(t.out[at-4:], uint32(len(t.out)-at))
}

// address appends a field of size bytes for an address in a section.
func (t *dwarfTable) address(size, section int, off uint64) {
	t.ref(size, "", section, off)
}

func (t *dwarfTable) ref(size int, kind string, section int, off uint64) {
	t.p.refs = append(t.p.refs, Ref{Section: t.section, Off: uint64(len(t.out)), Size: size, Kind: kind, To: section, Addend: int64(off)})
	t.out = append(t.out, make([]byte, size)...)
}

// dwarfTable appends to the section of that name, which is made if it does not exist.
func (p *program) dwarfTable(a *assembler, name string, align uint64) *dwarfTable {
	i, ok := p.index[name]
	if !ok {
		i = p.newSection(name)
	}
	s := p.sects[i]
	s.Align = max(s.Align, align)
	return &dwarfTable{p: p, section: i, out: *p.bytes(a, i)}
}

// done stores the bytes of the section.
func (t *dwarfTable) done(a *assembler) { *t.p.bytes(a, t.section) = t.out }

// lineTable writes .debug_line once addresses are final.
func (p *program) lineTable(a *assembler) {
	d := &p.dwarf
	if !d.table {
		return
	}
	t := p.dwarfTable(a, ".debug_line", 1)
	var names *lineNames
	if d.version >= 5 {
		s := p.dwarfTable(a, ".debug_line_str", 1)
		names = &lineNames{dwarfTable: s, at: map[string]int{}}
	}
	unit := t.length()
	t.u16(d.version)
	if d.version >= 5 {
		t.u8(8, 0) // size of an address and of a segment
	}
	header := t.length()
	base := int8(lineBase)
	t.u8(byte(a.target.Unit), 1, 1, byte(base), lineRange, opcodeBase)
	t.u8(lineOperands...)
	if d.version >= 5 {
		d.lists5(t, names)
		names.done(a)
	} else {
		d.lists4(t)
	}
	t.fill(header)
	for _, rows := range d.sequences() {
		p.sequence(a, t, rows)
	}
	t.fill(unit)
	t.done(a)
}

// lineNames are the texts of .debug_line_str, each once.
type lineNames struct {
	*dwarfTable
	at map[string]int // offset from the first of ours
}

// ref appends a reference to a text.
func (n *lineNames) ref(t *dwarfTable, name string) {
	at, ok := n.at[name]
	if !ok {
		at = len(n.out)
		n.at[name] = at
		n.out = append(append(n.out, name...), 0)
	}
	t.address(4, n.section, uint64(at))
}

// lists5 writes directories and files of version 5.
func (d *dwarf) lists5(t *dwarfTable, names *lineNames) {
	t.u8(1, lnctPath, formLineStrp)
	t.uleb(uint64(len(d.dirs) + 1))
	names.ref(t, d.dir)
	for _, dir := range d.dirs {
		names.ref(t, dir)
	}
	columns := []byte{lnctPath, formLineStrp, lnctDirectory, formUdata}
	if !d.noMD5 {
		columns = append(columns, lnctMD5, formData16)
	}
	if d.sources {
		columns = append(binary.AppendUvarint(columns, lnctSource), formLineStrp)
	}
	n := 2
	if !d.noMD5 {
		n++
	}
	if d.sources {
		n++
	}
	t.u8(byte(n))
	t.u8(columns...)
	t.uleb(uint64(max(len(d.files), 1)))
	for i := range max(len(d.files), 1) {
		f := d.root
		if i > 0 {
			f = &d.files[i]
		}
		names.ref(t, f.name)
		t.uleb(uint64(f.dir))
		if !d.noMD5 {
			var sum [16]byte // zeros if a checksum is missing
			copy(sum[:], f.md5)
			t.u8(sum[:]...)
		}
		if d.sources {
			source := ""
			if f.source != nil {
				source = *f.source
			}
			names.ref(t, source)
		}
	}
}

// lists4 writes directories and files of version 4, each list terminated by an empty entry.
func (d *dwarf) lists4(t *dwarfTable) {
	for _, dir := range d.dirs {
		t.u8([]byte(dir)...)
		t.u8(0)
	}
	t.u8(0)
	for i := 1; i < len(d.files); i++ {
		t.u8([]byte(d.files[i].name)...)
		t.u8(0)
		t.uleb(uint64(d.files[i].dir))
		t.u8(0, 0) // time and size: unknown
	}
	t.u8(0)
}

// sequences returns the rows of each section, in the order of their first rows.
func (d *dwarf) sequences() (list [][]lineRow) {
	of := map[int]int{}
	for _, r := range d.rows {
		n, ok := of[r.section]
		if !ok {
			n = len(list)
			of[r.section] = n
			list = append(list, nil)
		}
		list[n] = append(list[n], r)
	}
	return list
}

// sequence writes the rows of a section and its end.
func (p *program) sequence(a *assembler, t *dwarfTable, rows []lineRow) {
	was := lineRow{loc: loc{file: 1, line: 1, stmt: true}, off: rows[0].off}
	for i := range rows {
		r := &rows[i]
		t.columns(&was.loc, &r.loc, p.dwarf.version)
		line := int64(r.line) - int64(was.line)
		if i == 0 {
			t.u8(0, 9, lneSetAddress)
			t.address(8, r.section, r.off)
		}
		t.advance(line, (r.off-was.off)/uint64(a.target.Unit))
		was = *r
		was.disc = 0 // it applies to one row only
	}
	end := (uint64(len(*p.bytes(a, was.section))) - was.off) / uint64(a.target.Unit)
	switch {
	case end == mostSpecial:
		t.u8(lnsConstAddPC)
	case end != 0:
		t.u8(lnsAdvancePC)
		t.uleb(end)
	}
	t.u8(0, 1, lneEndSequence)
}

// columns writes the columns that differ from the previous row, except for line and address.
func (t *dwarfTable) columns(was, is *loc, version int) {
	if is.file != was.file {
		t.u8(lnsSetFile)
		t.uleb(is.file)
	}
	if is.col != was.col {
		t.u8(lnsSetColumn)
		t.uleb(is.col)
	}
	if is.disc != was.disc && version >= 4 {
		v := binary.AppendUvarint(nil, is.disc)
		t.u8(0)
		t.uleb(uint64(len(v) + 1))
		t.u8(lneDiscriminator)
		t.u8(v...)
	}
	if is.isa != was.isa {
		t.u8(lnsSetISA)
		t.uleb(is.isa)
	}
	if is.stmt != was.stmt {
		t.u8(lnsNegateStmt)
	}
	if is.block {
		t.u8(lnsSetBlock)
	}
	if is.prologue {
		t.u8(lnsPrologueEnd)
	}
	if is.end {
		t.u8(lnsEpilogue)
	}
}

// advance writes a row that is line lines and addr instruction units after the previous one: as one special operation
// if it fits, else with advances before it.
func (t *dwarfTable) advance(line int64, addr uint64) {
	lines, copied := line-lineBase, false
	if lines < 0 || lines >= lineRange || lines+opcodeBase > 255 {
		t.u8(lnsAdvanceLine)
		t.out = appendSLEB(t.out, line)
		lines, line, copied = -lineBase, 0, true
	}
	op := uint64(lines + opcodeBase)
	switch {
	case line == 0 && addr == 0:
		t.u8(lnsCopy)
	case addr <= mostSpecial && op+addr*lineRange <= 255:
		t.u8(byte(op + addr*lineRange))
	case addr >= mostSpecial && addr <= 2*mostSpecial && op+(addr-mostSpecial)*lineRange <= 255:
		t.u8(lnsConstAddPC, byte(op+(addr-mostSpecial)*lineRange))
	case copied:
		t.u8(lnsAdvancePC)
		t.uleb(addr)
		t.u8(lnsCopy)
	default:
		t.u8(lnsAdvancePC)
		t.uleb(addr)
		t.u8(byte(op))
	}
}

// appendSLEB appends a signed number, seven bits per byte.
func appendSLEB(out []byte, v int64) []byte {
	for v>>6 != 0 && v>>6 != -1 {
		out = append(out, byte(v&0x7f|0x80))
		v >>= 7
	}
	return append(out, byte(v&0x7f))
}
