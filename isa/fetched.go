package isa

import (
	"errors"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
)

// Fetched is the ir.Code of code in memory that has several pieces and may grow. A block ends before the first
// address without code. A block that would begin there is an error, and may be requested again after code has been
// added. Blocks already lifted do not follow changes of their bytes. It is safe for concurrent use if Fetch is.
type Fetched struct {
	*Target
	// Fetch returns contiguous code from pc on, at least as long as the longest instruction if that much exists. The
	// error says why there is none.
	Fetch func(pc uint64) ([]byte, error)
	// Listing holds the instructions without public encoding; nil: there are none.
	Listing *Listing
}

var _ ir.Described = (*Fetched)(nil)

// missing is the error of an address without code.
type missing struct{ error }

// Block decodes and lifts from the key's pc on. The error, that of Fetch, says that there is no code.
func (p *Fetched) Block(at ir.Key) (*ir.Block, error) {
	b, err := p.block(at, p.next)
	if m, ok := err.(missing); ok {
		return nil, m.error
	}
	return b, err
}

// next decodes the bundle at pc.
func (p *Fetched) next(pc uint64, b *Bundle) error {
	if p.Listing != nil {
		if found := p.Listing.bundle(pc); found != nil {
			b.Parts, b.Pad = append(b.Parts[:0], found.Parts...), found.Pad
			return nil
		}
	}
	code, err := p.Fetch(pc)
	if err != nil {
		return missing{err}
	}
	return p.DecodeBundle(code, pc, b)
}

// Text returns the text of the instruction at pc, or what is wrong with the bytes there.
func (p *Fetched) Text(pc uint64) string {
	if p.Listing != nil && p.Listing.bundle(pc) != nil {
		return p.Listing.Text(pc)
	}
	code, err := p.Fetch(pc)
	if err != nil {
		return "no code"
	}
	one := Program{Target: p.Target, Base: pc, Code: code}
	return one.Text(pc)
}

// BundleAt returns the bundle at pc. The error says why there is none.
func (p *Fetched) BundleAt(pc uint64) (*Bundle, error) {
	b := new(Bundle)
	err := p.next(pc, b)
	var m missing
	switch {
	case errors.As(err, &m):
		return nil, m.error
	case err != nil:
		return nil, err
	}
	return b, nil
}

// From returns nil: the origin of the code is unknown.
func (p *Fetched) From() *loc.Map { return nil }

// Extent is empty, since pieces can be added and removed.
func (p *Fetched) Extent() (from, to uint64) { return 0, 0 }

// Operands returns the cells that the operands of the instruction at pc read and write.
func (p *Fetched) Operands(pc uint64) (reads, writes []ir.Span) {
	b, _ := p.BundleAt(pc) // a nil bundle has none
	return p.operands(b)
}

// Behind returns the address after the instruction at pc, and whether that instruction is a call.
func (p *Fetched) Behind(pc uint64) (next uint64, call bool) {
	b, _ := p.BundleAt(pc)
	return p.following(pc, b)
}
