// Package coverage holds which parts of code ran in tests: instructions, directions of branches, instructions with all,
// some or no lanes, and instruction forms of a set with their modifiers. What ran in several cases, or in several runs
// that were written to files, is added up.
package coverage

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/profiles"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/profile"
)

// Format is the format of a file of a Coverage.
const Format = "heddle.coverage/1"

// A Coverage is which parts of codes ran. Its methods may be called at the same time.
type Coverage struct {
	Format string  `json:"format"`
	Codes  []*Code `json:"codes"`
	// Forms is how many instruction forms the sets of the codes have.
	Forms map[string]int `json:"forms"`
	// Ones are the instructions of tests of one instruction each.
	Ones []*One `json:"single_instructions,omitempty"`

	mu  sync.Mutex
	by  map[string]*Code
	one map[string]*One
}

// A One is tests of one instruction each whose forms and modifiers are the same.
type One struct {
	ISA   string `json:"isa"`
	Forms []Form `json:"forms"` // one, or those of a bundle
	Tests uint64 `json:"tests"`
}

// key says which tests are counted together.
func (o *One) key() string { return fmt.Sprint(o.ISA, o.Forms) }

// AddOne adds a test of one instruction.
func (c *Coverage) AddOne(t *isa.Target, b *isa.Bundle) {
	c.mu.Lock()
	defer c.mu.Unlock()
	set := t.FullName()
	if c.Forms[set] == 0 {
		c.Forms[set] = len(rowsOf(t))
	}
	c.addOne(&One{set, formsOf(b), 1})
}

func (c *Coverage) addOne(o *One) {
	if to := c.one[o.key()]; to != nil {
		to.Tests += o.Tests
		return
	}
	c.one[o.key()], c.Ones = o, append(c.Ones, o)
}

// New returns an empty coverage.
func New() *Coverage {
	return &Coverage{Format: Format, Codes: []*Code{}, Forms: map[string]int{}, by: map[string]*Code{}, one: map[string]*One{}}
}

// A Code is a program, with what ran of it.
type Code struct {
	ID   string `json:"id"`   // of the bytes and the set
	Name string `json:"name"` // of the case in which it was met first
	ISA  string `json:"isa"`
	// Whole: the list has all instructions of the code. Else only those that ran are known.
	Whole      bool    `json:"whole"`
	Incomplete string  `json:"incomplete,omitempty"` // what was not counted
	Insts      []*Inst `json:"instructions"`         // by address

	dir   string                  // of the file that it is from; "": not known
	paths map[string]loc.Position // of Inst.File
}

// An Inst is an instruction, with how it ran.
type Inst struct {
	Addr  uint64 `json:"address"`
	Text  string `json:"text"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Forms []Form `json:"forms,omitempty"` // one, or those of a bundle
	Waves uint64 `json:"waves"`           // that executed it; 0: it did not run
	// Full, Some and None are cases: those in which it ran with as many lanes on average as any instruction of the case,
	// with fewer, and with none.
	Full   uint64 `json:"full,omitempty"`
	Some   uint64 `json:"some,omitempty"`
	None   uint64 `json:"none,omitempty"`
	Branch bool   `json:"branch,omitempty"`
	Taken  uint64 `json:"taken,omitempty"`  // waves that took the branch, or of which a lane did
	Passed uint64 `json:"passed,omitempty"` // waves that did not, or of which a lane did not
}

// Add adds what a profiler counted of a case, whose code is in the file.
func (c *Coverage) Add(name, file string, counts *profile.Profiler) {
	list := counts.Codes()
	c.mu.Lock()
	defer c.mu.Unlock()
	of := map[*Code]*inCase{} // a case may have run the same code in several places
	for i := range list {
		if len(list[i].Insts) == 0 {
			continue
		}
		to := c.code(nameOf(name, list, i), file, list[i].Code)
		if of[to] == nil {
			of[to] = &inCase{code: list[i].Code, at: map[uint64]*profile.Inst{}}
		}
		of[to].add(list[i].Insts)
		if s := counts.Incomplete(); to.Incomplete == "" {
			to.Incomplete = s
		}
	}
	for to, x := range of {
		most := &profile.Inst{Waves: 1}
		for _, n := range x.at {
			if n.Lanes*most.Waves > most.Lanes*n.Waves {
				most = n
			}
		}
		for _, n := range x.at {
			to.ran(x.code, n, most)
		}
	}
}

// nameOf returns the name of a code of a case: of several, with that of its kernel or stage.
func nameOf(name string, list []profile.Code, i int) string {
	ran := 0
	for k := range list {
		if len(list[k].Insts) > 0 {
			ran++
		}
	}
	if l := list[i].Launches; ran > 1 && len(l) > 0 && l[0].Kernel != "" {
		return name + " " + l[0].Kernel
	}
	return name
}

// An inCase is what a case ran of a code.
type inCase struct {
	code ir.Code
	at   map[uint64]*profile.Inst
}

// add adds instructions that ran.
func (x *inCase) add(list []profile.Inst) {
	for i := range list {
		n := &list[i]
		to := x.at[n.PC]
		if to == nil {
			to = &profile.Inst{PC: n.PC}
			x.at[n.PC] = to
		}
		to.Waves += n.Waves
		to.Lanes += n.Lanes
		if n.Branch != nil {
			if to.Branch == nil {
				to.Branch = &profile.Branch{}
			}
			to.Branch.Waves += n.Branch.Waves
			to.Branch.Taken += n.Branch.Taken
			to.Branch.Both += n.Branch.Both
		}
	}
}

// code returns the entry of a code.
func (c *Coverage) code(name, file string, of ir.Code) *Code {
	set := profiles.ISA(of)
	p := programOf(of)
	fresh := &Code{Name: name, ISA: set, Insts: []*Inst{}, dir: dirOf(file), paths: map[string]loc.Position{}}
	id := sha256.New()
	fmt.Fprintln(id, set)
	if p != nil {
		fmt.Fprintf(id, "%v %v %d %s\n", p.Target, p.Target.Options, p.Base, within(fresh.dir, fresh.source(of, p)))
		id.Write(p.Code)
	} else {
		fmt.Fprintln(id, name)
	}
	key := hex.EncodeToString(id.Sum(nil)[:16])
	x := c.by[key]
	if x == nil {
		if x = fresh; p != nil {
			x.Whole = true
			x.list(of, p)
			if c.Forms[set] == 0 {
				c.Forms[set] = len(rowsOf(p.Target))
			}
		}
		x.ID = key
		c.by[key], c.Codes = x, append(c.Codes, x)
	}
	if x.dir == "" { // it was read from a file
		x.dir = fresh.dir
	}
	x.Name = min(x.Name, name) // cases run in any order
	return x
}

// within returns the path of a file with the name of a folder that it is in, the same from whatever directory the
// command runs.
func within(dir, file string) string {
	from, err1 := filepath.Abs(dir)
	to, err2 := filepath.Abs(file)
	rel, err3 := filepath.Rel(filepath.Dir(from), to)
	if file == "" || dir == "" || cmp.Or(err1, err2, err3) != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// dirOf returns the folder of a file; "": it is not known.
func dirOf(file string) string {
	if file == "" {
		return ""
	}
	return filepath.Dir(file)
}

// source returns the file of the first byte of a program that is from one.
func (x *Code) source(of ir.Code, p *isa.Program) string {
	for pc, end := p.Base, p.Base+uint64(len(p.Code)); pc < end; pc += uint64(max(p.Unit, 1)) {
		if at := x.place(of, pc); at.Known() {
			return at.File
		}
	}
	return ""
}

// list lists all instructions of a program.
func (x *Code) list(of ir.Code, p *isa.Program) {
	for pc, end := p.Base, p.Base+uint64(len(p.Code)); pc < end; {
		b, err := p.BundleAt(pc)
		if err != nil {
			pc += uint64(max(p.Unit, 1)) // constants
			continue
		}
		x.Insts = append(x.Insts, x.instOf(of, pc, b))
		pc += uint64(b.Size())
	}
}

// find returns where an instruction is, or would be.
func (x *Code) find(addr uint64) (at int, known bool) {
	return slices.BinarySearchFunc(x.Insts, addr, func(in *Inst, addr uint64) int { return cmp.Compare(in.Addr, addr) })
}

// inst returns the instruction at an address.
func (x *Code) inst(of ir.Code, pc uint64) *Inst {
	i, known := x.find(pc)
	if !known {
		var b *isa.Bundle
		if p := programOf(of); p != nil {
			b, _ = p.BundleAt(pc)
		}
		x.Insts = slices.Insert(x.Insts, i, x.instOf(of, pc, b))
	}
	return x.Insts[i]
}

// programOf returns the program of a code; nil: it is none.
func programOf(of ir.Code) *isa.Program {
	d, _ := ir.Describe(of)
	p, _ := d.(*isa.Program)
	return p
}

// instOf returns an instruction that has not run; nil: its bundle is not known.
func (x *Code) instOf(of ir.Code, pc uint64, b *isa.Bundle) *Inst {
	at := x.place(of, pc)
	x.paths[at.File] = at
	in := &Inst{Addr: pc, Text: strings.Join(strings.Fields(of.Text(pc)), " "), File: at.File, Line: at.Line}
	if b != nil {
		in.Forms = formsOf(b)
	}
	return in
}

// place returns where an instruction is in the source, or in assembly. The file is a path: files of one name in
// different folders are different. A compiler's path that is relative is so to the folder of the program.
func (x *Code) place(of ir.Code, pc uint64) loc.Position {
	at := ir.PlaceOf(of, pc)
	if !at.Source.Known() {
		return at.Text
	}
	if at.Source.File = filepath.Clean(cmp.Or(at.Source.Path, at.Source.File)); !filepath.IsAbs(at.Source.File) {
		at.Source.File = filepath.Join(x.dir, at.Source.File)
	}
	return at.Source
}

// ran adds how an instruction ran in a case; most is the one with most lanes on average.
func (x *Code) ran(of ir.Code, n, most *profile.Inst) {
	in := x.inst(of, n.PC)
	in.Waves += n.Waves
	switch {
	case n.Lanes == 0:
		in.None++
	case n.Lanes*most.Waves < most.Lanes*n.Waves:
		in.Some++
	default:
		in.Full++
	}
	if b := n.Branch; b != nil {
		in.Branch = true
		in.Taken += b.Taken
		in.Passed += b.Waves - min(b.Taken, b.Waves) + b.Both
	}
}

// merge adds what another run found of the same code.
func (x *Code) merge(y *Code) {
	if x.Incomplete == "" {
		x.Incomplete = y.Incomplete
	}
	for _, from := range y.Insts {
		i, known := x.find(from.Addr)
		if !known {
			x.Insts = slices.Insert(x.Insts, i, from)
			continue
		}
		to := x.Insts[i]
		to.Waves += from.Waves
		to.Full += from.Full
		to.Some += from.Some
		to.None += from.None
		to.Branch = to.Branch || from.Branch
		to.Taken += from.Taken
		to.Passed += from.Passed
	}
}
