package stepping

import (
	"path/filepath"
	"slices"
	"sort"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
)

// An Inst is an instruction of a program.
type Inst struct {
	PC    uint64 // address in memory
	Size  int
	Place loc.Place
}

// MaxInsts limits the instructions that are listed of one program.
const MaxInsts = 1 << 20

// A Listing is the instructions of a program sorted by address, and the lines of source that they come from.
type Listing struct {
	Insts []Inst
	Calls map[uint64]uint64 // by the address of a call, the address that it returns to

	lines map[string]map[int][]uint64 // by file and line, the addresses where code of the line begins
}

// NewListing decodes a program; for nil the listing is empty.
func NewListing(d ir.Described) *Listing {
	l := &Listing{Calls: map[uint64]uint64{}, lines: map[string]map[int][]uint64{}}
	if d == nil {
		return l
	}
	from := d.From()
	symbols := from.All()
	at, end := d.Extent()
	for at < end && len(l.Insts) < MaxInsts {
		next, call := d.Behind(at)
		if call {
			l.Calls[at] = next
		}
		// A symbol starts an instruction, whatever the bytes before it decode to.
		if i := sort.Search(len(symbols), func(i int) bool { return from.Memory(symbols[i].Addr) > at }); i < len(symbols) {
			next = min(next, from.Memory(symbols[i].Addr))
		}
		if next = min(next, end); next <= at {
			break
		}
		in := Inst{PC: at, Size: int(next - at), Place: from.Place(at)}
		var last loc.Place
		if n := len(l.Insts); n > 0 {
			last = l.Insts[n-1].Place
		}
		l.addLine(at, in.Place.Text, last.Text)
		l.addLine(at, in.Place.Source, last.Source)
		l.Insts = append(l.Insts, in)
		at = next
	}
	return l
}

// addLine records that code of a line begins at pc, if the previous instruction belongs to another line.
func (l *Listing) addLine(pc uint64, at, last loc.Position) {
	if !at.Known() || at.Line == last.Line && at.File == last.File {
		return
	}
	of := l.lines[at.File]
	if of == nil {
		of = map[int][]uint64{}
		l.lines[at.File] = of
	}
	of[at.Line] = append(of[at.Line], pc)
}

// Index returns the index of the instruction that contains an address in memory, or of the next one; len(Insts) if
// there is none.
func (l *Listing) Index(pc uint64) int {
	return sort.Search(len(l.Insts), func(i int) bool { return l.Insts[i].PC+uint64(l.Insts[i].Size) > pc })
}

// Begins reports whether an instruction begins at an address in memory.
func (l *Listing) Begins(pc uint64) bool {
	i := l.Index(pc)
	return i < len(l.Insts) && l.Insts[i].PC == pc
}

// Files returns the source files of the code, in order.
func (l *Listing) Files() (files []string) {
	for f := range l.lines {
		files = append(files, f)
	}
	slices.Sort(files)
	return files
}

// File returns the source file that a path denotes; "": none. Compilers may record names without folders.
func (l *Listing) File(path string) string {
	if _, ok := l.lines[path]; ok {
		return path
	}
	for _, f := range l.Files() {
		if filepath.Base(f) == filepath.Base(path) && (f == filepath.Base(f) || !filepath.IsAbs(path)) {
			return f
		}
	}
	return ""
}

// Line returns the addresses where the code of a source line begins, and the line itself, or the next line that has
// code. No addresses: there is none.
func (l *Listing) Line(path string, line int) (pcs []uint64, at int) {
	of := l.lines[l.File(path)]
	for n := range of {
		if n >= line && (at == 0 || n < at) {
			at = n
		}
	}
	return of[at], at
}

// Lines returns the lines of a file from first to last that have code, in order.
func (l *Listing) Lines(path string, first, last int) (list []int) {
	for n := range l.lines[l.File(path)] {
		if n >= first && n <= last {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}
