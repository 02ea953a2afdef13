package isa

import (
	"errors"
	"fmt"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
)

// maxMarks limits a block, so that lifting never runs far ahead of execution.
const maxMarks = 256

// A Program is machine code in memory, ready to be lifted: the ir.Code of an instruction set.
// It is read-only and safe for many goroutines.
type Program struct {
	*Target
	Base   uint64 // address of Code[0]
	Code   []byte
	Symbol func(addr uint64) (string, bool)
	Map    *loc.Map // where the code came from; nil: unknown
}

var _ ir.Code = (*Program)(nil)

// at returns the code from pc on, or nil if pc is outside.
func (p *Program) at(pc uint64) []byte {
	if pc < p.Base || pc-p.Base >= uint64(len(p.Code)) {
		return nil
	}
	return p.Code[pc-p.Base:]
}

// Readable returns the code as memory that loads can read, if an instruction computes its address; else nil. See
// exec.Env.MapCode.
func (p *Program) Readable() (base uint64, code []byte) {
	if p.TellsPC == nil {
		return 0, nil
	}
	var b Bundle
	for at := 0; at < len(p.Code); {
		if p.DecodeBundle(p.Code[at:], p.Base+uint64(at), &b) != nil {
			at += p.Unit // constants
			continue
		}
		for i := range b.Parts {
			if p.TellsPC(&b.Parts[i]) {
				return p.Base, p.Code
			}
		}
		at += b.Size()
	}
	return 0, nil
}

// Block decodes and lifts from the key's pc on, up to and including the first instruction that ends a block. What
// cannot be decoded or lifted becomes a trap, so that it faults only when it is executed.
func (p *Program) Block(at ir.Key) (*ir.Block, error) {
	return p.block(at, func(pc uint64, b *Bundle) error {
		code := p.at(pc)
		if code == nil {
			return noCode(pc)
		}
		return p.DecodeBundle(code, pc, b)
	})
}

func noCode(pc uint64) error {
	return &Error{Code: ErrInvalid, Off: pc, Msg: fmt.Sprintf("no code at 0x%x", pc)}
}

// errEnd says that the program ends here.
var errEnd = errors.New("the program ends")

// block lifts the bundles that next returns from the key's pc on.
func (t *Target) block(at ir.Key, next func(pc uint64, b *Bundle) error) (*ir.Block, error) {
	l := t.newLift(at)
	var b Bundle
	pc := at.PC
	for n := 0; ; n++ {
		if n == maxMarks {
			l.Jump(pc)
			break
		}
		if err := next(pc, &b); err != nil {
			if _, ok := err.(missing); ok && n > 0 {
				l.Jump(pc)
				break
			} else if ok {
				return nil, err
			}
			l.Builder.Mark(pc, 0, 0)
			if err == errEnd {
				l.End()
				break
			}
			l.Trap(trapOf(err), trapText(err))
			break
		}
		if !l.bundle(&b) {
			break
		}
		pc = l.Next
	}
	blk := l.Finish()
	if err := ir.Verify(l.Target.Machine(), blk); err != nil {
		return nil, fmt.Errorf("isa %s: block 0x%x: %w", t.Name, at.PC, err)
	}
	return blk, nil
}

// trapText returns the text of the trap for a decode error. The place and the code are left out: the fault has the
// former, and its reason is the latter.
func trapText(err error) string {
	switch e, ok := err.(*Error); {
	case ok && e.Size == 0:
		return e.Msg
	case ok && e.Line == 0:
		return e.Msg + " in " + e.Word.Hex(e.Size)
	}
	return err.Error()
}

// trapOf returns the trap reason of a decode error.
func trapOf(err error) ir.TrapReason {
	var e *Error
	if errors.As(err, &e) {
		switch e.Code {
		case ErrReserved:
			return ir.TrapReserved
		case ErrVariant, ErrStage:
			return ir.TrapVariant
		case ErrEncoding, ErrUndefined:
			return ir.TrapUndefined
		}
	}
	return ir.TrapInvalid
}

// Text returns the text of the instruction at pc, or what is wrong with the bytes there.
func (p *Program) Text(pc uint64) string {
	var b Bundle
	code := p.at(pc)
	if code == nil {
		return "no code"
	}
	if err := p.DecodeBundle(code, pc, &b); err != nil {
		return fmt.Sprintf(".byte % x", code[:min(len(code), p.Unit)])
	}
	pr := p.Printer()
	pr.Label = p.Symbol
	return string(pr.AppendBundle(nil, p.Set, &b))
}

// A Listing is bundles at addresses of their own, ready to be lifted: the ir.Code of programs without machine code,
// since the encoding of an instruction is not public. It is read-only and safe for many goroutines.
type Listing struct {
	*Target
	// Ends says that a wave which runs past the last bundle terminates, as at the end of the program; otherwise there
	// is no code there.
	Ends    bool
	Map     *loc.Map // where the listing came from; nil: unknown
	bundles []Bundle // by address
	at      map[uint64]int
	end     uint64 // the address after the last bundle
}

var _ ir.Code = (*Listing)(nil)

// NewListing returns the listing of bundles, which must have their addresses.
func NewListing(t *Target, bundles []Bundle) (*Listing, error) {
	p := &Listing{Target: t, bundles: bundles, at: make(map[uint64]int, len(bundles))}
	for i := range bundles {
		if len(bundles[i].Parts) == 0 {
			return nil, fmt.Errorf("isa %s: bundle %d is empty", t.Name, i)
		}
		pc := bundles[i].Addr()
		if _, dup := p.at[pc]; dup {
			return nil, fmt.Errorf("isa %s: two bundles at 0x%x", t.Name, pc)
		}
		p.at[pc] = i
		p.end = max(p.end, pc+uint64(bundles[i].Size()))
	}
	return p, nil
}

// Runnable returns a Program of the code at base, or a Listing of the bundles if one of them has an instruction
// without public encoding.
func (t *Target) Runnable(base uint64, code []byte, bundles []Bundle) (ir.Code, error) {
	return t.RunnableFrom(nil, base, code, bundles)
}

// RunnableFrom is Runnable for code with a known origin; nil: unknown.
func (t *Target) RunnableFrom(from *loc.Map, base uint64, code []byte, bundles []Bundle) (ir.Code, error) {
	for i := range bundles {
		if bundles[i].Private() {
			l, err := NewListing(t, bundles)
			if err != nil {
				return nil, err
			}
			l.Map = from
			return l, nil
		}
	}
	return &Program{Target: t, Base: base, Code: code, Map: from}, nil
}

// Code returns the code of a program at base for a variant and options; from and bundles as in RunnableFrom.
func (s *Set) Code(variant string, options map[string]string, from *loc.Map, base uint64, code []byte, bundles []Bundle) (ir.Code, error) {
	t, err := s.Target(Config{Variant: variant, Options: options})
	if err != nil {
		return nil, err
	}
	return t.RunnableFrom(from, base, code, bundles)
}

// TargetOf returns the target of code that a Program, a Listing or a Fetched holds; nil for other code.
func TargetOf(code ir.Code) *Target {
	switch p := code.(type) {
	case *Program:
		return p.Target
	case *Listing:
		return p.Target
	case *Fetched:
		return p.Target
	}
	return nil
}

// Block lifts from the key's pc on, as that of a Program.
func (p *Listing) Block(at ir.Key) (*ir.Block, error) {
	return p.block(at, func(pc uint64, b *Bundle) error {
		i, ok := p.at[pc]
		switch {
		case !ok && p.Ends && pc == p.end:
			return errEnd
		case !ok:
			return noCode(pc)
		}
		b.Parts, b.Pad = append(b.Parts[:0], p.bundles[i].Parts...), p.bundles[i].Pad
		return nil
	})
}

// Text returns the text of the instruction at pc.
func (p *Listing) Text(pc uint64) string {
	i, ok := p.at[pc]
	if !ok {
		return "no code"
	}
	return string(p.Print(nil, &p.bundles[i]))
}
