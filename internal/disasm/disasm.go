// Package disasm finds what a listing of a code object needs: the pieces of code, their symbols, which parts are data,
// and the targets of computed jumps. It prints nothing.
package disasm

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
	"github.com/heddle-gpu/heddle/object"
)

// Code is code, with what is known about it.
type Code struct {
	Target    *isa.Target
	Pieces    []Piece // with executable code
	Symbols   []asm.Symbol
	Functions []Function   // sorted by address
	Data      []asm.Range  // parts of pieces that are no code
	Begins    []lint.Entry // where execution may begin
}

// A Piece is contiguous code.
type Piece struct {
	Code []byte
	Base uint64
}

// End returns the address after the piece.
func (p Piece) End() uint64 { return p.Base + uint64(len(p.Code)) }

// A Function is code with a name.
type Function struct {
	Name     string
	From, To uint64
	Entry    uint64
	Kernel   bool
}

// Of returns the code of a code object.
func Of(t *isa.Target, o *object.CodeObject) *Code {
	p := &Code{Target: t}
	for _, s := range o.Segments {
		if code, ok := o.Bytes(s.Addr, s.Size); ok && s.Exec {
			p.Pieces = append(p.Pieces, Piece{code, s.Addr})
		}
	}
	kernels := map[uint64]uint64{} // entries, by the address of the symbol with the kernel's name
	for i := range o.Kernels {
		k := &o.Kernels[i]
		at := k.Entry
		if o.Version < 3 {
			p.Data = append(p.Data, asm.Range{From: k.DescriptorAddr, To: k.DescriptorAddr + object.KernelCodeSize})
			at = k.DescriptorAddr
		}
		kernels[at] = k.Entry
		p.Begins = append(p.Begins, lint.Entry{Addr: k.Entry, Name: k.Name, Grows: true})
	}
	sizes, known := map[uint64]uint64{}, map[asm.Symbol]bool{}
	for _, y := range o.Symbols {
		if !y.Defined || y.Kind != object.Func && y.Kind != object.KernelCode && (y.Kind != object.NoType || y.Name == "") {
			continue
		}
		s := asm.Symbol{Name: y.Name, Addr: y.Addr}
		p.Symbols = append(p.Symbols, s)
		if y.Kind == object.NoType || known[s] {
			continue
		}
		known[s] = true
		entry, kernel := kernels[y.Addr]
		if !kernel {
			entry = y.Addr
			p.Begins = append(p.Begins, lint.Entry{Addr: y.Addr, Name: y.Name, Function: true})
		}
		p.Functions = append(p.Functions, Function{y.Name, y.Addr, y.Addr, entry, kernel})
		sizes[y.Addr] = max(sizes[y.Addr], y.Size)
	}
	slices.SortStableFunc(p.Functions, func(a, b Function) int { return cmp.Compare(a.From, b.From) })
	p.measure(sizes)
	return p
}

// Name returns the symbol at an address, or the function whose code begins there; "": there is none.
func (p *Code) Name(addr uint64) string {
	for _, f := range p.Functions {
		if f.Entry == addr {
			return f.Name
		}
	}
	for _, y := range p.Symbols {
		if y.Addr == addr {
			return y.Name
		}
	}
	return ""
}

// measure sets the ends of functions: from symbols with a size, else the start of the next function.
func (p *Code) measure(sizes map[uint64]uint64) {
	next, from := ^uint64(0), ^uint64(0) // start of the next function, and of the last one examined
	for i := len(p.Functions) - 1; i >= 0; i-- {
		f := &p.Functions[i]
		if f.From < from {
			next, from = from, f.From
		}
		at := slices.IndexFunc(p.Pieces, func(s Piece) bool { return f.From >= s.Base && f.From < s.End() })
		if at < 0 {
			continue
		}
		end := p.Pieces[at].End()
		if size := sizes[f.From]; size != 0 {
			f.To = f.From + min(size, end-f.From)
			continue
		}
		f.To = min(end, next)
	}
}

const (
	mostFlow = 4 << 20   // size limit of code objects whose computed targets are listed
	mostBare = 256 << 10 // the same for bare code without symbols, where following control flow takes longer than listing
)

// Calls returns the targets that the code of a piece computes.
func (p *Code) Calls(s Piece) map[uint64]uint64 {
	most := mostFlow
	if len(p.Symbols) == 0 {
		most = mostBare
	}
	if len(s.Code) > most {
		return nil
	}
	return lint.Calls(p.Flow(s))
}

// Flow returns a piece in the form for control flow analysis.
func (p *Code) Flow(s Piece) lint.Code {
	c := lint.Code{Target: p.Target, Base: s.Base, Bytes: s.Code, Guess: len(p.Begins) == 0}
	for _, e := range p.Begins {
		if e.Addr >= s.Base && e.Addr < s.End() {
			c.Entries = append(c.Entries, e)
		}
	}
	return c
}
