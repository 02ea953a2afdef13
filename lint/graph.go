package lint

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A mark is an operation that is issued, or a wait for operations.
type mark struct {
	queue         int
	wait          bool
	n             int // of a wait: how many may stay outstanding
	writes, reads []ir.Span
}

// A block is a basic block of steps.
type block struct {
	first   int32
	last    int32
	n       int32
	to      [2]int32 // the first ways are the blocks that follow
	ways    uint8
	entry   bool // an entry begins here
	reached bool // a path from an entry leads here
	tangled bool // its state is not final: no fixed point was found in time
	more    bool // the next one in analysis.order is in the same loop
}

// succ returns the blocks that follow, in order.
func (b *block) succ() []int32 { return b.to[:b.ways] }

// stepAt returns the step that begins at an address, or -1.
func (a *analysis) stepAt(addr uint64) int32 {
	off := addr - a.code.Base
	if addr < a.code.Base || off >= uint64(len(a.code.Bytes)) || off%uint64(a.unit) != 0 {
		return -1
	}
	return a.at[off/uint64(a.unit)] - 1
}

// inside reports whether an address can be that of an instruction.
func (a *analysis) inside(addr uint64) bool {
	off := addr - a.code.Base
	return addr >= a.code.Base && off < uint64(len(a.code.Bytes)) && off%uint64(a.unit) == 0
}

// maxRounds limits how often computed addresses lead to more code with computed addresses.
const maxRounds = 8

// explore follows control from the entries, and from addresses that blocks compute from constants.
func (a *analysis) explore() {
	var todo []uint64
	for _, e := range a.code.Entries {
		todo = append(todo, e.Addr)
		if e.Function {
			a.rep.Functions++
		} else {
			a.rep.Kernels++
		}
	}
	linked := 0
	for range maxRounds {
		a.walk(todo)
		if a.code.Guess {
			a.guess()
		}
		a.link()
		linked = len(a.targets)
		if todo = a.computed(); len(todo) == 0 {
			break
		}
	}
	if len(a.targets) > linked {
		a.link()
	}
	if a.m.Control == ir.MaskStack {
		a.followStack()
		a.link() // breaking threads have a target
	}
	a.rep.Reached = a.count
}

// walk decodes all code reachable from the addresses.
func (a *analysis) walk(todo []uint64) {
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for a.inside(pc) && a.stepAt(pc) < 0 {
			if a.faults[pc] != nil {
				break
			}
			if err := a.decode(pc); err != nil {
				a.faults[pc] = err
				break
			}
			s := a.newStep()
			if s.jumps || s.names {
				todo = append(todo, s.target)
			}
			a.add(&s, pc)
			if !s.falls {
				break
			}
			pc += uint64(len(s.code))
		}
	}
}

// guess makes unreachable code an entry, from the first byte to the last.
func (a *analysis) guess() {
	for off := 0; off < len(a.code.Bytes); {
		addr := a.code.Base + uint64(off)
		if i := a.stepAt(addr); i >= 0 {
			off += int(a.place(i).size)
			continue
		}
		if a.faults[addr] != nil || a.decode(addr) != nil {
			off += a.unit
			continue
		}
		size := a.bundle.Size()
		if a.padding(a.code.Bytes[off : off+size]) {
			off += size
			continue
		}
		a.enter(Entry{Addr: addr, Grows: true, guessed: true})
		a.rep.Kernels++
		a.walk([]uint64{addr})
	}
}

// link finds the neighbours of steps and makes blocks.
func (a *analysis) link() {
	for i := range int32(a.count) {
		*a.flags(i) &^= flagLeads | flagInline
	}
	for _, e := range a.code.Entries {
		if i := a.stepAt(e.Addr); i >= 0 {
			*a.flags(i) |= flagLeads
		}
	}
	preds := make([]uint8, a.count) // steps that fall through to it: two, if bytes are decoded in two ways
	for i := range int32(a.count) {
		f := a.flags(i)
		if to := a.to(i); to >= 0 {
			*a.flags(to) |= flagLeads
		}
		if next := a.after(i); next >= 0 {
			if next == i+1 {
				*f |= flagNext
			}
			if f.inline() {
				*f |= flagInline
			}
			if preds[next] = min(preds[next]+1, 2); preds[next] > 1 || !f.inline() {
				*a.flags(next) |= flagLeads
			}
		}
	}
	a.makeBlocks(preds)
}

// inline reports whether only the next step follows a step.
func (f flags) inline() bool {
	return f&flagFalls != 0 && f&flagJumps == 0 && (f&flagOpen == 0 || f&flagCall != 0)
}

func (a *analysis) makeBlocks(preds []uint8) {
	a.blocks = a.blocks[:0]
	for i := range int32(a.count) {
		if *a.flags(i)&flagLeads != 0 || preds[i] == 0 {
			b := block{first: i}
			for j := i; ; {
				a.place(j).block = int32(len(a.blocks))
				b.last, b.n = j, b.n+1
				if *a.flags(j)&flagInline == 0 {
					break
				}
				if j = a.next(j); *a.flags(j)&flagLeads != 0 {
					break
				}
			}
			a.blocks = append(a.blocks, b)
		}
	}
	for i := range a.blocks {
		b := &a.blocks[i]
		for _, j := range [...]int32{a.after(b.last), a.to(b.last)} {
			if j < 0 || b.ways == 1 && b.to[0] == a.blockOf(j) {
				continue
			}
			b.to[b.ways] = a.blockOf(j)
			b.ways++
		}
		slices.Sort(b.succ())
	}
	for _, e := range a.code.Entries {
		if s := a.stepAt(e.Addr); s >= 0 {
			a.blocks[a.blockOf(s)].entry = true
		}
	}
}
