package asm

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// A Frame describes a target's call frames for .debug_frame. Source: DWARF 5, 6.4.1; LLVM, "User Guide for AMDGPU
// Backend", DWARF register identifiers.
type Frame struct {
	DataAlign int64                                      // unit of the offsets of saved registers
	Return    uint64                                     // DWARF number of the register that holds the return address
	Register  func(name string) (number uint64, ok bool) // DWARF number of a register by its assembly name
}

// dwarfRows are the directives for line tables and frame tables.
var dwarfRows = []Directive{
	{".file", `["TEXT" | NUMBER ["DIRECTORY"] "NAME" [md5 NUMBER] [source "TEXT"]]`, "a source file of the line table; without NUMBER it is ignored", dirFile, quiet},
	{".loc", "FILE LINE [COLUMN] [basic_block] [prologue_end] [epilogue_begin] [is_stmt 0|1] [isa N] [discriminator N]", "the source of the instruction that follows: a row of the line table", dirLoc, quiet},
	{".ident", `"TEXT"`, "adds a text to section .comment", dirIdent, quiet},
	{".cfi_sections", ".debug_frame, .eh_frame", "the sections that hold call frame information; .eh_frame if not given", dirCFISections, quiet},
	{".cfi_startproc", "[simple]", "begins the call frame information of a function", dirCFIStart, quiet},
	{".cfi_endproc", "", "ends it", dirCFIEnd, quiet},
	{".cfi_personality", "ENCODING[, SYMBOL]", "the personality routine of the function; ENCODING is a DW_EH_PE value, 0xff is none", dirCFISymbol, quiet},
	{".cfi_lsda", "ENCODING[, SYMBOL]", "the language specific data of the function", dirCFISymbol, quiet},
	{".cfi_def_cfa", "REGISTER, OFFSET", "the canonical frame address (CFA) is REGISTER + OFFSET", dirCFI, quiet},
	{".cfi_def_cfa_register", "REGISTER", "the CFA is computed from this register, with the same offset", dirCFI, quiet},
	{".cfi_def_cfa_offset", "OFFSET", "the CFA is computed with this offset, from the same register", dirCFI, quiet},
	{".cfi_adjust_cfa_offset", "OFFSET", "OFFSET is added to the offset of the CFA", dirCFI, quiet},
	{".cfi_llvm_def_aspace_cfa", "REGISTER, OFFSET, SPACE", ".cfi_def_cfa with an address space", dirCFI, quiet},
	{".cfi_offset", "REGISTER, OFFSET", "the caller's REGISTER is saved at CFA + OFFSET", dirCFI, quiet},
	{".cfi_rel_offset", "REGISTER, OFFSET", "the same; OFFSET counts from the register that the CFA is computed from", dirCFI, quiet},
	{".cfi_val_offset", "REGISTER, OFFSET", "the caller's REGISTER has the value CFA + OFFSET", dirCFI, quiet},
	{".cfi_register", "REGISTER, REGISTER", "the caller's first register is saved in the second", dirCFI, quiet},
	{".cfi_undefined", "REGISTER", "the caller's REGISTER cannot be recovered", dirCFI, quiet},
	{".cfi_same_value", "REGISTER", "REGISTER still has the caller's value", dirCFI, quiet},
	{".cfi_restore", "REGISTER", "the rule of REGISTER is that at the start of the function again", dirCFI, quiet},
	{".cfi_remember_state", "", "pushes the rules of all registers on a stack", dirCFI, quiet},
	{".cfi_restore_state", "", "pops them", dirCFI, quiet},
	{".cfi_window_save", "", "DW_CFA_GNU_window_save, which has no meaning on AMDGPU", dirCFI, quiet},
	{".cfi_label", "NAME", "defines NAME at the present place of the frame table", dirCFILabel, quiet},
	{".cfi_escape", "NUMBER, ...", "bytes of the frame table", dirCFIEscape, quiet},
	{".cfi_return_column", "REGISTER", "the register that holds the return address", dirCFIReturn, quiet},
	{".cfi_signal_frame", "", "the function is a signal handler", dirCFISignal, quiet},
}

// dwarf is what directives have said of the source so far, in the present round.
type dwarf struct {
	version int // of the line table: 4, or 5 if there is a file 0
	table   bool
	root    *sourceFile
	files   []sourceFile // by number; 0 is none
	dirs    []string     // of files, numbered from 1
	numbers map[string]int
	dir     string // the compiler's working directory
	noMD5   bool   // a file has no checksum
	sources bool   // a file has its source text

	loc     loc
	pending bool // the next byte begins a row
	rows    []lineRow

	frames     []frame
	open       bool // the last of frames has no end
	eh, debug  bool // sections for frames
	chosen     bool // by .cfi_sections
	identified bool
}

// A sourceFile is an entry of the line table's list of files.
type sourceFile struct {
	name   string // "": none
	dir    int    // 0: the compiler's working directory
	md5    []byte // nil: unknown
	source *string
	by     *stmt
}

// A loc is what .loc says about an instruction.
type loc struct {
	file, line, col, isa, disc uint64
	stmt, block, prologue, end bool
}

// A lineRow is a row of the line table and the position of its instruction.
type lineRow struct {
	loc
	section int
	off     uint64
}

// maxFiles limits the numbers of .file.
const maxFiles = 1 << 16

// begin prepares another round.
func (d *dwarf) begin() {
	*d = dwarf{version: 4, files: d.files[:0], dirs: d.dirs[:0], numbers: map[string]int{}, rows: d.rows[:0], frames: d.frames[:0], loc: loc{stmt: true}}
}

// bytesFollow records that instructions or data begin at the present position.
func (p *program) bytesFollow(a *assembler) {
	if p.dwarf.pending {
		p.dwarf.pending = false
		p.lineRow(a)
	}
}

func (p *program) lineRow(a *assembler) {
	d := &p.dwarf
	if len(d.rows) == maxMarks {
		a.stop(isa.ErrLimit, "too many rows of the line table")
		return
	}
	d.rows = append(d.rows, lineRow{d.loc, p.now, uint64(len(a.out))})
}

// dirFile reads .file.
func dirFile(a *assembler, s *isa.Scan) bool {
	d := &a.prog.dwarf
	if s.Space(); s.Peek() == '"' {
		_, ok := quotedText(s)
		return ok
	}
	at := s.Pos
	n, ok := number(s)
	if !ok {
		return false
	}
	if n > maxFiles {
		return s.Fail(at, isa.ErrLimit, fmt.Sprintf("files are numbered up to %d", maxFiles))
	}
	name, ok := quotedText(s)
	dir := ""
	if s.Space(); ok && s.Peek() == '"' {
		dir = name
		name, ok = quotedText(s)
	}
	f := sourceFile{name: name, by: a.cur}
	if !ok || !f.options(s) {
		return false
	}
	d.table = true
	if n == 0 {
		d.version, d.dir, d.root = 5, dir, &f
		d.learn(&f)
		return true
	}
	if int(n) < len(d.files) && d.files[n].name != "" {
		return s.Fail(at, isa.ErrDirective, fmt.Sprintf("file %d is %q already", n, d.files[n].name))
	}
	if d.version >= 5 && d.root != nil && d.root.name == name && slices.Equal(d.root.md5, f.md5) {
		return true // it is file 0
	}
	d.place(&f, dir)
	d.learn(&f)
	for len(d.files) <= int(n) {
		d.files = append(d.files, sourceFile{})
	}
	d.files[n] = f
	return true
}

// options reads what may follow the name of a file.
func (f *sourceFile) options(s *isa.Scan) bool {
	for !s.End() {
		s.Space()
		switch {
		case s.Accept("md5"):
			s.Space()
			w := s.Word()
			v, ok := new(big.Int).SetString(w, 0)
			if !ok || v.Sign() < 0 || v.BitLen() > 128 {
				return s.Expect("a checksum of 128 bits")
			}
			s.Pos += len(w)
			f.md5 = v.FillBytes(make([]byte, 16))
		case s.Accept("source"):
			text, ok := quotedText(s)
			if !ok {
				return false
			}
			f.source = &text
		default:
			return s.Expect("md5 or source")
		}
	}
	return true
}

// unassigned reports gaps in the numbering of files.
func (d *dwarf) unassigned(a *assembler) {
	first := 1
	for i := 1; i < len(d.files); i++ {
		if d.files[i].name == "" {
			continue
		}
		if first < i {
			msg := fmt.Sprintf("there is no .file %d; files are numbered from 1 on without gaps", first)
			if d.version >= 5 && first == i-1 {
				msg += ", and one that is equal to file 0 has no other number"
			}
			a.failAt(d.files[i].by, msg)
		}
		first = i + 1
	}
}

// learn records which columns the list of files needs.
func (d *dwarf) learn(f *sourceFile) {
	d.noMD5 = d.noMD5 || f.md5 == nil
	d.sources = d.sources || f.source != nil
}

// place splits the name of a file into its directory, which is numbered, and the rest.
func (d *dwarf) place(f *sourceFile, dir string) {
	if dir == d.dir {
		dir = ""
	}
	if f.name == "" {
		f.name, dir = "<stdin>", ""
	}
	if n := strings.LastIndexByte(f.name, '/'); dir == "" && n >= 0 && n+1 < len(f.name) {
		dir, f.name = f.name[:max(n, 1)], f.name[n+1:]
	}
	if dir == "" {
		return
	}
	if f.dir = d.numbers[dir]; f.dir == 0 {
		d.dirs = append(d.dirs, dir)
		f.dir = len(d.dirs)
		d.numbers[dir] = f.dir
	}
}

// dirLoc reads .loc. A previous row without bytes is kept, at the position of this one.
func dirLoc(a *assembler, s *isa.Scan) bool {
	d := &a.prog.dwarf
	s.Space()
	at := s.Pos
	file, ok := number(s)
	if !ok {
		return false
	}
	if known := file == 0 && d.version >= 5 || int(file) < len(d.files) && file > 0 && d.files[file].name != ""; !known {
		return s.Fail(at, isa.ErrDirective, fmt.Sprintf("no .file before this line has number %d", file))
	}
	l := loc{file: uint64(file), stmt: d.loc.stmt}
	for _, v := range []*uint64{&l.line, &l.col} {
		if s.Space(); s.End() || s.Peek() < '0' || s.Peek() > '9' {
			break
		}
		if !small(s, v) {
			return false
		}
	}
	if !l.options(s) {
		return false
	}
	if d.pending {
		a.prog.lineRow(a)
	}
	d.loc, d.pending = l, true
	return true
}

// small reads a number of 32 bits.
func small(s *isa.Scan, v *uint64) bool {
	s.Space()
	at := s.Pos
	n, ok := number(s)
	if ok && n >= 1<<32 {
		return s.Fail(at, isa.ErrRange, "the number has more than 32 bits")
	}
	*v = uint64(n)
	return ok
}

// options reads what may follow the column of .loc.
func (l *loc) options(s *isa.Scan) bool {
	flags := map[string]*bool{"basic_block": &l.block, "prologue_end": &l.prologue, "epilogue_begin": &l.end}
	numbers := map[string]*uint64{"isa": &l.isa, "discriminator": &l.disc}
	for !s.End() {
		s.Space()
		w := s.Word()
		at := s.Pos
		s.Pos += len(w)
		switch {
		case flags[w] != nil:
			*flags[w] = true
		case numbers[w] != nil:
			if !small(s, numbers[w]) {
				return false
			}
		case w == "is_stmt":
			v := uint64(0)
			if at = s.Pos; !small(s, &v) {
				return false
			}
			if v > 1 {
				return s.Fail(at, isa.ErrRange, "is_stmt is 0 or 1")
			}
			l.stmt = v == 1
		default:
			s.Pos = at
			return s.Expect("basic_block, prologue_end, epilogue_begin, is_stmt, isa or discriminator")
		}
	}
	return true
}

// dirIdent adds a text to the section of comments, which begins with an empty one.
func dirIdent(a *assembler, s *isa.Scan) bool {
	p := a.prog
	text, ok := quotedText(s)
	if !ok {
		return false
	}
	i, ok := a.sectionNamed(s, ".comment")
	if !ok {
		return false
	}
	if !p.dwarf.identified {
		text = "\x00" + text
		p.dwarf.identified = true
	}
	out := p.bytes(a, i)
	*out = append(append(*out, text...), 0)
	return true
}

// bytes returns the bytes of a section.
func (p *program) bytes(a *assembler, section int) *[]byte {
	if section == p.now {
		return &a.out
	}
	return &p.sects[section].out
}
