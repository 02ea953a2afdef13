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
	PC    uint64 // in memory
	Size  int
	Place loc.Place
}

// MaxInsts bounds the instructions that are listed of one program.
const MaxInsts = 1 << 20

// A Listing is the instructions of a program in the order of their addresses, and the lines of source that they come from.
type Listing struct {
	Insts []Inst
	Calls map[uint64]uint64 // by the address of a call, where it returns to

	lines map[string]map[int][]uint64 // by file and line, where code of the line begins
}

// NewListing decodes a program once; nil has no instructions.
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
		// A symbol begins an instruction, whatever the bytes before it seem to be.
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

// addLine enters where the code of a line begins: at the first of the instructions in a row that are of it.
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

// Index is the instruction that an address in memory is in, or the nearest after it; len(Insts) if there is none.
func (l *Listing) Index(pc uint64) int {
	return sort.Search(len(l.Insts), func(i int) bool { return l.Insts[i].PC+uint64(l.Insts[i].Size) > pc })
}

// Begins reports whether an instruction begins at an address in memory.
func (l *Listing) Begins(pc uint64) bool {
	i := l.Index(pc)
	return i < len(l.Insts) && l.Insts[i].PC == pc
}

// Files are the source files that the code names, in order.
func (l *Listing) Files() (files []string) {
	for f := range l.lines {
		files = append(files, f)
	}
	slices.Sort(files)
	return files
}

// File is the source file that a path means; "": none. Compilers leave names without folders.
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

// Line is where the code of a line of the source begins, and the line itself, or the next one that has code. No addresses: there is none.
func (l *Listing) Line(path string, line int) (pcs []uint64, at int) {
	of := l.lines[l.File(path)]
	for n := range of {
		if n >= line && (at == 0 || n < at) {
			at = n
		}
	}
	return of[at], at
}

// Lines are the lines of a file from first to last that have code, in order.
func (l *Listing) Lines(path string, first, last int) (list []int) {
	for n := range l.lines[l.File(path)] {
		if n >= first && n <= last {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}
