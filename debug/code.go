package debug

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/stepping"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/loc"
)

// A Code is a program that has run, with its instructions in the order of their addresses.
type Code struct {
	ID   int // from 0, in the order in which programs have run
	Name string

	made  atomic.Pointer[made]
	insts *stepping.Listing
	kinds map[ir.Cell][]kindAt
	pairs map[ir.Cell][]kindAt // of cells together with the following one

	list sync.Once // makes the fields below
	text string
	at   []int // by line

	points map[uint64][]*Point // by address; nil: not sorted yet. Guarded by Session.mu
}

// A made program is that of the present run: each run makes its own.
type made struct {
	*exec.Program
	says ir.Described // nil: there is no description
}

// makes stores the program of a run.
func (c *Code) makes(p *exec.Program) {
	d, _ := ir.Describe(p)
	c.made.Store(&made{p, d})
}

// Program returns the program of the present run.
func (c *Code) Program() *exec.Program { return c.made.Load().Program }

// says returns the description of the program, or nil.
func (c *Code) says() ir.Described { return c.made.Load().says }

// An Inst is an instruction of a code.
type Inst = stepping.Inst

// A fingerprint identifies a program across runs, each of which makes it again.
type fingerprint [sha256.Size]byte

// newCode decodes a program once.
func newCode(id int, p *exec.Program, kernel string) *Code {
	c := &Code{ID: id, Name: kernel}
	c.makes(p)
	c.insts = stepping.NewListing(c.says())
	return c
}

// printOf computes the fingerprint of a program.
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
	for at, n := from, 0; at < to && n < stepping.MaxInsts; n++ {
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

// codeOf returns the Code of the program that a wave runs.
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
	if c = s.byPrint[print]; c != nil { // a restarted run makes its programs again
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

// Insts returns the instructions, by address. The caller must not change them.
func (c *Code) Insts() []Inst { return c.insts.Insts }

// Index returns the index of the instruction that contains an address in memory, or of the nearest after it;
// len(Insts()) if there is none.
func (c *Code) Index(pc uint64) int { return c.insts.Index(pc) }

// Begins reports whether an instruction begins at an address in memory.
func (c *Code) Begins(pc uint64) bool { return c.insts.Begins(pc) }

// Text returns an instruction on one line.
func (c *Code) Text(pc uint64) string { return strings.Join(strings.Fields(c.Program().Text(pc)), " ") }

// Bytes returns the machine code of an instruction, nil if the program has none.
func (c *Code) Bytes(in *Inst) []byte {
	p, ok := c.says().(*isa.Program)
	if !ok {
		return nil
	}
	return p.Code[in.PC-p.Base:][:in.Size]
}

// Place returns the place of an instruction.
func (c *Code) Place(pc uint64) loc.Place { return ir.PlaceOf(c.Program(), pc) }

// Memory returns the address in memory of an address of the listing.
func (c *Code) Memory(addr uint64) uint64 {
	if c.says() == nil {
		return addr
	}
	return c.says().From().Memory(addr)
}

// Symbols returns the names of addresses of the listing.
func (c *Code) Symbols() []loc.Symbol {
	if c.says() == nil {
		return nil
	}
	return c.says().From().All()
}

// Files returns the source files that the code names.
func (c *Code) Files() []string { return c.insts.Files() }

// Line returns where the code of a line of the source begins, and the number of that line, or those of the next line
// that has code. No addresses: there is none.
func (c *Code) Line(path string, line int) (pcs []uint64, at int) { return c.insts.Line(path, line) }

// Lines returns the lines of a file from first to last that have code, in order.
func (c *Code) Lines(path string, first, last int) []int { return c.insts.Lines(path, first, last) }

// Find returns the instructions at a place: a symbol, an address, FILE:LINE, or words of instructions.
func (c *Code) Find(p stepping.Point) (pcs []uint64, err error) {
	found, err := p.Find(c.Program(), c.insts)
	switch {
	case err != nil:
		return nil, err
	case found.Word == "":
		pcs = slices.DeleteFunc(slices.Clone(found.PCs), func(pc uint64) bool { return !c.Begins(pc) })
		if len(pcs) == 0 {
			err = errors.New("no instruction begins there")
		}
	default:
		for _, in := range c.Insts() {
			if stepping.Within(found.Word, c.Text(in.PC)) {
				pcs = append(pcs, in.PC)
			}
		}
		if pcs == nil {
			err = errNoInstruction
		}
	}
	return pcs, err
}

// errNoInstruction is the error of an instruction of the set that a program does not contain.
var errNoInstruction = errors.New("the code has no such instruction")

// Listing returns the program as text: a line for each instruction, and one before it for each symbol. at is the
// instruction of each line. The caller must not change it.
func (c *Code) Listing() (text string, at []int) {
	c.list.Do(c.makeListing)
	return c.text, c.at
}

func (c *Code) makeListing() {
	var b strings.Builder
	symbols := c.Symbols()
	for i := range c.insts.Insts {
		in := &c.insts.Insts[i]
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
