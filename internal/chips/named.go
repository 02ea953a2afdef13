package chips

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/lint"
)

// RegistersOf returns the registers that a program takes if nothing but its code says so: those that operands name of
// instructions that control reaches from entries. Registers whose number is computed are not among them.
func RegistersOf(p *isa.Program, entries ...uint64) (r Resources) {
	for _, n := range namers {
		if strings.HasPrefix(p.FullName(), n.isa) {
			of := &named{program: p}
			of.walk(entries)
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

func (n *named) walk(entries []uint64) {
	n.cells = map[ir.Cell]bool{}
	code := lint.Code{Target: n.program.Target, Base: n.program.Base, Bytes: n.program.Code}
	for _, at := range entries {
		code.Entries = append(code.Entries, lint.Entry{Addr: at})
	}
	for _, node := range lint.Flow(code).Nodes {
		for _, x := range node.Insts {
			if b, err := n.program.BundleAt(x.Addr); err == nil {
				n.add(b)
			}
		}
	}
}

// add adds the cells of an instruction.
func (n *named) add(b *isa.Bundle) {
	reads, writes := n.program.OperandsOf(b)
	for _, s := range slices.Concat(reads, writes) {
		for i := range s.Count {
			n.cells[ir.Cell{File: s.Cell.File, Index: s.Cell.Index + i}] = true
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
