package debug

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/loc"
)

// A Code is a program that has run, as people look at it: instructions in the order of their addresses.
type Code struct {
	ID   int // from 0, in the order in which programs have run
	Name string

	made  atomic.Pointer[made]
	insts []Inst // by address
	lines map[string]map[int][]uint64
	calls map[uint64]uint64 // by the address of a call, where it comes back
	kinds map[ir.Cell][]kindAt
	pairs map[ir.Cell][]kindAt // of cells with the one behind

	list sync.Once // makes what follows
	text string
	at   []int // by line

	points map[uint64][]*Point // by address; nil: not sorted yet. Guarded by Session.mu
}

// A made program is that of the run at hand: each run makes its own.
type made struct {
	*exec.Program
	says ir.Described // nil: nothing can describe it
}

// makes takes the program of a run.
func (c *Code) makes(p *exec.Program) {
	d, _ := ir.Describe(p)
	c.made.Store(&made{p, d})
}

// Program is that of the run at hand.
func (c *Code) Program() *exec.Program { return c.made.Load().Program }

// says is what describes the program; nil: nothing does.
func (c *Code) says() ir.Described { return c.made.Load().says }

// An Inst is an instruction of a code.
type Inst struct {
	PC    uint64 // in memory
	Size  int
	Place loc.Place
}

// maxInsts bounds the instructions that are listed of one program.
const maxInsts = 1 << 20

// A fingerprint tells programs apart that are made anew in each run.
type fingerprint [sha256.Size]byte

// newCode goes through a program once.
func newCode(id int, p *exec.Program, kernel string) *Code {
	c := &Code{ID: id, Name: kernel, lines: map[string]map[int][]uint64{}, calls: map[uint64]uint64{}}
	c.makes(p)
	says := c.says()
	if says == nil {
		return c
	}
	from := says.From()
	symbols := from.All()
	at, end := says.Extent()
	for at < end && len(c.insts) < maxInsts {
		next, call := says.Behind(at)
		if call {
			c.calls[at] = next
		}
		// A symbol begins an instruction, whatever the bytes in front of it seem to be.
		if i := sort.Search(len(symbols), func(i int) bool { return from.Memory(symbols[i].Addr) > at }); i < len(symbols) {
			next = min(next, from.Memory(symbols[i].Addr))
		}
		if next = min(next, end); next <= at {
			break
		}
		in := Inst{PC: at, Size: int(next - at), Place: from.Place(at)}
		var last loc.Place
		if n := len(c.insts); n > 0 {
			last = c.insts[n-1].Place
		}
		c.addLine(at, in.Place.Text, last.Text)
		c.addLine(at, in.Place.Source, last.Source)
		c.insts = append(c.insts, in)
		at = next
	}
	return c
}

// addLine enters where the code of a line begins: at the first of the instructions in a row that are of it.
func (c *Code) addLine(pc uint64, at, last loc.Position) {
	if !at.Known() || at.Line == last.Line && at.File == last.File {
		return
	}
	of := c.lines[at.File]
	if of == nil {
		of = map[int][]uint64{}
		c.lines[at.File] = of
	}
	of[at.Line] = append(of[at.Line], pc)
}

// printOf is what tells a program from others.
func printOf(p *exec.Program, kernel string) (f fingerprint) {
	h := sha256.New()
	d, ok := ir.Describe(p)
	if !ok {
		fmt.Fprintf(h, "%s %p", kernel, p)
		return fingerprint(h.Sum(nil))
	}
	from, to := d.Extent()
	words(h, from, to)
	symbols := d.From().All()
	if len(symbols) == 0 {
		h.Write([]byte(kernel))
	}
	for _, y := range symbols {
		h.Write([]byte(y.Name))
		words(h, y.Addr)
	}
	h.Write([]byte(d.From().Place(from).Position().File))
	if code, ok := d.(*isa.Program); ok {
		h.Write(code.Code)
		return fingerprint(h.Sum(nil))
	}
	for at, n := from, 0; at < to && n < maxInsts; n++ {
		h.Write([]byte(d.Text(at)))
		next, _ := d.Behind(at)
		at = max(next, at+1)
	}
	return fingerprint(h.Sum(nil))
}

func words(h hash.Hash, list ...uint64) {
	for _, x := range list {
		h.Write(binary.LittleEndian.AppendUint64(nil, x))
	}
}

// codeOf is what is known of a program that a wave runs.
func (s *Session) codeOf(at *exec.Step) *Code {
	if c := s.code; c != nil && c.made.Load().Program == at.Program {
		return c
	}
	s.code = s.findCode(at)
	return s.code
}

func (s *Session) findCode(at *exec.Step) *Code {
	s.mu.Lock()
	c := s.byCode[at.Program]
	s.mu.Unlock()
	if c != nil {
		return c
	}
	print := printOf(at.Program, at.Env.Kernel)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c = s.byPrint[print]; c != nil { // a run that begins again makes its programs again
		c.makes(at.Program)
	} else {
		c = newCode(len(s.codes), at.Program, at.Env.Kernel)
		s.codes = append(s.codes, c)
		s.byPrint[print] = c
		s.to.Loaded(c)
		for _, p := range s.points {
			if p.resolve(c) {
				s.to.Resolved(p)
			}
		}
	}
	s.byCode[at.Program] = c
	return c
}

// Insts are the instructions, by address. The caller must not change them.
func (c *Code) Insts() []Inst { return c.insts }

// Index is the instruction that an address in memory is in, or the nearest behind it; len(Insts()) if there is none.
func (c *Code) Index(pc uint64) int {
	return sort.Search(len(c.insts), func(i int) bool { return c.insts[i].PC+uint64(c.insts[i].Size) > pc })
}

// Begins reports whether an instruction begins at an address in memory.
func (c *Code) Begins(pc uint64) bool {
	i := c.Index(pc)
	return i < len(c.insts) && c.insts[i].PC == pc
}

// Text is an instruction in one line.
func (c *Code) Text(pc uint64) string { return strings.Join(strings.Fields(c.Program().Text(pc)), " ") }

// Bytes is the machine code of an instruction, nil if the program has none.
func (c *Code) Bytes(in *Inst) []byte {
	p, ok := c.says().(*isa.Program)
	if !ok {
		return nil
	}
	return p.Code[in.PC-p.Base:][:in.Size]
}

// Place is where an instruction stands.
func (c *Code) Place(pc uint64) loc.Place { return ir.PlaceOf(c.Program(), pc) }

// Memory is where what a listing has at an address lies.
func (c *Code) Memory(addr uint64) uint64 {
	if c.says() == nil {
		return addr
	}
	return c.says().From().Memory(addr)
}

// Symbols are names of addresses of the listing.
func (c *Code) Symbols() []loc.Symbol {
	if c.says() == nil {
		return nil
	}
	return c.says().From().All()
}

// Files are the files of the source that it names.
func (c *Code) Files() (files []string) {
	for f := range c.lines {
		files = append(files, f)
	}
	slices.Sort(files)
	return files
}

// file is the file of the source that a path means; "": none. Compilers leave names without folders.
func (c *Code) file(path string) string {
	if _, ok := c.lines[path]; ok {
		return path
	}
	for _, f := range c.Files() {
		if filepath.Base(f) == filepath.Base(path) && (f == filepath.Base(f) || !filepath.IsAbs(path)) {
			return f
		}
	}
	return ""
}

// Line is where the code of a line of the source begins, and the line itself, or the next one that has code. No addresses: there is none.
func (c *Code) Line(path string, line int) (pcs []uint64, at int) {
	of := c.lines[c.file(path)]
	for n := range of {
		if n >= line && (at == 0 || n < at) {
			at = n
		}
	}
	return of[at], at
}

// Lines are the lines of a file from first to last that have code, in order.
func (c *Code) Lines(path string, first, last int) (list []int) {
	for n := range c.lines[c.file(path)] {
		if n >= first && n <= last {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

// Listing is the program as text: a line for each instruction, one in front for each symbol. at is the instruction of each line. The
// caller must not change it.
func (c *Code) Listing() (text string, at []int) {
	c.list.Do(c.makeListing)
	return c.text, c.at
}

func (c *Code) makeListing() {
	var b strings.Builder
	symbols := c.Symbols()
	for i := range c.insts {
		in := &c.insts[i]
		for len(symbols) > 0 && symbols[0].Addr <= in.Place.Addr {
			if symbols[0].Addr == in.Place.Addr {
				fmt.Fprintf(&b, "%s:\n", symbols[0].Name)
				c.at = append(c.at, i)
			}
			symbols = symbols[1:]
		}
		fmt.Fprintf(&b, "\t%#06x  %s\n", in.Place.Addr, c.Text(in.PC))
		c.at = append(c.at, i)
	}
	c.text = b.String()
}
