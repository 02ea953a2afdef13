package isa

import (
	"errors"
	"fmt"

	"github.com/heddle-gpu/heddle/ir"
)

// maxMarks bounds a block, so that lifting never runs far ahead of execution.
const maxMarks = 256

// A Program is machine code in memory, ready to be lifted: the ir.Code of an instruction set.
// It is read-only and safe for many goroutines.
type Program struct {
	Set     *Set
	Variant int
	Stage   int
	Base    uint64 // address of Code[0]
	Code    []byte
	Options map[string]string // of Arch.Options; a missing one has its default
	Symbol  func(addr uint64) (string, bool)
}

var _ ir.Code = (*Program)(nil)

// Machine is the machine of the program's variant.
func (p *Program) Machine() *ir.Machine { return p.Set.Machine(p.Variant) }

// at is the code from pc on, nil if pc is outside.
func (p *Program) at(pc uint64) []byte {
	if pc < p.Base || pc-p.Base >= uint64(len(p.Code)) {
		return nil
	}
	return p.Code[pc-p.Base:]
}

// Block decodes and lifts from the key's pc on, up to and with the first instruction that ends a block.
// What cannot be decoded or lifted becomes a trap there, so that it faults only when it is reached.
func (p *Program) Block(at ir.Key) (*ir.Block, error) {
	l := p.Set.newLift(p.Variant, p.Stage, at, p.Options)
	dec := p.Set.Decoder(p.Variant, p.Stage)
	var b Bundle
	pc := at.PC
	for n := 0; ; n++ {
		if n == maxMarks {
			l.Jump(pc)
			break
		}
		code := p.at(pc)
		if code == nil {
			l.Builder.Mark(pc, 0, 0)
			l.Trap(ir.TrapInvalid, fmt.Sprintf("no code at 0x%x", pc))
			break
		}
		if err := dec.DecodeBundle(code, pc, &b); err != nil {
			l.Builder.Mark(pc, 0, 0)
			l.Trap(trapOf(err), err.Error())
			break
		}
		size := b.Size()
		if !l.bundle(&b, size) {
			break
		}
		pc += uint64(size)
	}
	blk := l.Finish()
	if err := ir.Verify(p.Machine(), blk); err != nil {
		return nil, fmt.Errorf("isa %s: block 0x%x: %w", p.Set.Name, at.PC, err)
	}
	return blk, nil
}

// trapOf is the trap reason of a decode error.
func trapOf(err error) ir.TrapReason {
	var e *Error
	if errors.As(err, &e) {
		switch e.Code {
		case ErrReserved:
			return ir.TrapReserved
		case ErrVariant:
			return ir.TrapVariant
		}
	}
	return ir.TrapInvalid
}

// Text is the instruction at pc, or what is wrong with the bytes there.
func (p *Program) Text(pc uint64) string {
	var b Bundle
	code := p.at(pc)
	if code == nil {
		return "no code"
	}
	if err := p.Set.Decoder(p.Variant, p.Stage).DecodeBundle(code, pc, &b); err != nil {
		return fmt.Sprintf(".byte % x", code[:min(len(code), p.Set.Unit)])
	}
	pr := Printer{Label: p.Symbol}
	return string(pr.AppendBundle(nil, p.Set, &b))
}
