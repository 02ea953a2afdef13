package chips

import (
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/isa/valhall"
)

// RegistersOf returns the registers that a program takes if nothing but its code says so: those that its operands name.
// Registers whose number is computed are not among them.
func RegistersOf(p *isa.Program) (r Resources) {
	for _, n := range namers {
		if strings.HasPrefix(p.FullName(), n.isa) {
			of := &named{program: p}
			of.walk()
			n.count(of, &r)
		}
	}
	return r
}

// named is the cells that operands of a program name.
type named struct {
	program *isa.Program
	cells   map[ir.Cell]bool
}

func (n *named) walk() {
	n.cells = map[ir.Cell]bool{}
	for pc, end := n.program.Base, n.program.Base+uint64(len(n.program.Code)); pc < end; {
		b, err := n.program.BundleAt(pc)
		if err != nil {
			pc += uint64(max(n.program.Unit, 1)) // constants
			continue
		}
		pc += uint64(b.Size())
		reads, writes := n.program.OperandsOf(b)
		for _, list := range [2][]ir.Span{reads, writes} {
			for _, s := range list {
				for i := range s.Count {
					n.cells[ir.Cell{File: s.Cell.File, Index: s.Cell.Index + i}] = true
				}
			}
		}
	}
}

// above returns how many registers of a file there are up to the last one that is named, of the first n.
func (n *named) above(file uint8, of int) (count int) {
	for c := range n.cells {
		if c.File == file && int(c.Index) < of {
			count = max(count, int(c.Index)+1)
		}
	}
	return count
}

// has reports whether a cell of a register is named.
func (n *named) has(name string) bool {
	cells, err := n.program.RegisterCells(name)
	if err != nil {
		return false
	}
	for _, c := range cells {
		if n.cells[c] {
			return true
		}
	}
	return false
}

// namers count the registers of instruction sets.
var namers = [...]struct {
	isa   string
	count func(n *named, r *Resources)
}{
	{"gcn:", func(n *named, r *Resources) {
		r.Vector = n.above(gcn.FileV, 256)
		r.Scalar = n.above(gcn.FileS, gcn.SGPRs(n.program.Variant))
		for _, x := range extras[:] { // after the last register
			if strings.HasPrefix(n.program.FullName(), x.isa) && n.has(x.name) {
				r.Scalar += x.takes
				break
			}
		}
	}},
	{"tesla:", func(n *named, r *Resources) { r.Vector = n.above(tesla.FileR, tesla.NumR) }},
	// With 32 registers they are r0 to r15 and r48 to r63: Mesa, bi_ra.c.
	{"valhall:", func(n *named, r *Resources) {
		if r.Vector = 32; n.above(valhall.FileR, 48) > 16 {
			r.Vector = 64
		}
	}},
}

// extras are the SGPRs that hardware keeps after those of a program, the most first: LLVM, getNumExtraSGPRs.
var extras = [...]struct {
	isa, name string
	takes     int
}{
	{"gcn:gfx8", "flat_scratch", 6}, {"gcn:gfx7", "flat_scratch", 4}, {"gcn:gfx8", "xnack_mask", 4}, {"gcn:", "vcc", 2},
}
