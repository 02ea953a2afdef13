// Package coverage holds which parts of code ran in tests: instructions, directions of branches, instructions with all,
// some or no lanes, and instruction forms of a set with their modifiers. What ran in several cases, or in several runs
// that were written to files, is added up.
package coverage

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
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

	mu sync.Mutex
	by map[string]*Code
}

// New returns an empty coverage.
func New() *Coverage {
	return &Coverage{Format: Format, Codes: []*Code{}, Forms: map[string]int{}, by: map[string]*Code{}}
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

	dir   string                  // of the file that it is from; "": it was read from a file of a coverage
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
		to := c.code(name, file, list[i].Code)
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
	id := sha256.New()
	fmt.Fprintln(id, set)
	if p != nil {
		fmt.Fprintf(id, "%v %v %d %s\n", p.Target, p.Target.Options, p.Base, place(of, p.Base).File)
		id.Write(p.Code)
	} else {
		fmt.Fprintln(id, name)
	}
	key := hex.EncodeToString(id.Sum(nil)[:16])
	x := c.by[key]
	if x == nil {
		x = &Code{ID: key, Name: name, ISA: set, Insts: []*Inst{}, dir: filepath.Dir(file), paths: map[string]loc.Position{}}
		if p != nil {
			x.Whole = true
			x.list(of, p)
			if c.Forms[set] == 0 {
				c.Forms[set] = len(rowsOf(p.Target))
			}
		}
		c.by[key], c.Codes = x, append(c.Codes, x)
	}
	x.Name = min(x.Name, name) // cases run in any order
	return x
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
	at := place(of, pc)
	x.paths[at.File] = at
	in := &Inst{Addr: pc, Text: strings.Join(strings.Fields(of.Text(pc)), " "), File: at.File, Line: at.Line}
	if b != nil {
		in.Forms = formsOf(b)
	}
	return in
}

// place returns where an instruction is in the source, or in assembly.
func place(of ir.Code, pc uint64) loc.Position {
	at := ir.PlaceOf(of, pc)
	if at.Source.Known() {
		return at.Source
	}
	return at.Text
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

// Read adds what a file of a coverage has.
func (c *Coverage) Read(text []byte) error {
	var from Coverage
	if err := json.Unmarshal(text, &from); err != nil {
		return err
	}
	if from.Format != Format {
		return fmt.Errorf("the format is %q, not %q", from.Format, Format)
	}
	if err := from.check(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.Forms, from.Forms)
	for _, x := range from.Codes {
		x.paths = map[string]loc.Position{}
		if to := c.by[x.ID]; to != nil {
			to.Name = min(to.Name, x.Name)
			to.merge(x)
			continue
		}
		c.by[x.ID], c.Codes = x, append(c.Codes, x)
	}
	return nil
}

// check reports what no Write writes.
func (c *Coverage) check() error {
	for i, x := range c.Codes {
		if x == nil || x.ID == "" {
			return fmt.Errorf("codes[%d] has no id", i)
		}
		for k, in := range x.Insts {
			if in == nil || k > 0 && in.Addr <= x.Insts[k-1].Addr {
				return fmt.Errorf("codes[%d].instructions[%d] is not after the one before", i, k)
			}
		}
	}
	return nil
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

// Write returns the file of the coverage, with codes in the order of their names.
func (c *Coverage) Write() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sort()
	text, err := json.MarshalIndent(c, "", " ")
	return append(text, '\n'), err
}

func (c *Coverage) sort() {
	slices.SortFunc(c.Codes, func(x, y *Code) int { return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.ID, y.ID)) })
}

// A Sum is how much of codes ran.
type Sum struct {
	Codes, Insts, Ran  int
	Ways, WaysRan      int // directions of branches that ran and depend on something
	Lines, LinesRan    int
	Masked             int // instructions that ran with some lanes only
	Unknown            int // codes of which only what ran is known
	Incomplete         []string
	Forms              map[string]map[string]int // forms that ran, by set, with how many instructions had them
	FormsWithModifiers map[string]int
	AllForms           map[string]int // that the sets have
}

// Sum adds up.
func (c *Coverage) Sum() (s Sum) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Forms, s.FormsWithModifiers = map[string]map[string]int{}, map[string]int{}
	s.AllForms = maps.Clone(c.Forms)
	why, with := map[string]bool{}, map[string]bool{}
	for _, x := range c.Codes {
		s.Codes++
		if !x.Whole {
			s.Unknown++
		}
		if x.Incomplete != "" {
			why[x.Incomplete] = true
		}
		for _, in := range x.Insts {
			s.add(x, in, with)
		}
	}
	s.Incomplete = slices.Sorted(maps.Keys(why))
	for _, f := range c.lines() {
		for _, l := range f.lines {
			if s.Lines++; l.waves > 0 {
				s.LinesRan++
			}
		}
	}
	return s
}

// add adds an instruction.
func (s *Sum) add(x *Code, in *Inst, with map[string]bool) {
	s.Insts++
	if in.Waves == 0 {
		return
	}
	s.Ran++
	if in.Some > 0 {
		s.Masked++
	}
	if in.Branch {
		s.Ways += 2
		for _, n := range [...]uint64{in.Taken, in.Passed} {
			if n > 0 {
				s.WaysRan++
			}
		}
	}
	for _, f := range in.Forms {
		if s.Forms[x.ISA] == nil {
			s.Forms[x.ISA] = map[string]int{}
		}
		s.Forms[x.ISA][f.Name+" "+f.Encoding]++
		if key := x.ISA + " " + f.Name + " " + f.Encoding + " " + strings.Join(f.Modifiers, " "); !with[key] {
			with[key] = true
			s.FormsWithModifiers[x.ISA]++
		}
	}
}
