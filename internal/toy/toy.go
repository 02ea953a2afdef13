// Package toy is an instruction set for tests: small, but with one example of each difficulty of the real ones. It also
// shows how small a frontend can be: operands, rows, and the code that ends an instruction.
//
// A lane has sixteen registers r0-r15 of 32 bits and four flags p0-p3; a wave has four registers u0-u3. Instructions
// are multiples of 32 bits; bits 28-31 of the first word select the format:
//
//	0, 1  calculation, format 1 with a literal     0-3 d, 4-7 a, 8-11 b, 12-15 guard, 16-23 opcode, 27 chain
//	2     128 bits                                 0-3 d, 4-7 a, 60-123 immediate
//	3     control                                  0-11, 16-19 words from the next instruction, 12-15 guard, 24-27 opcode
//	6     moves                                    0-3 d, 4-11 source, 24-27 opcode
//	7     memory, indexed registers                0-3 d, 4-7 base, 8-15 offset, 24-27 opcode
//
// A calculation with chain issues together with the next word: both read before either writes. A guard makes the
// effects depend on a flag. Branches follow the policy MaskStack.
package toy

import (
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Files of the machine, by index.
const (
	FileR = iota
	FileP
	FileU
	FileExec
)

var machine = &ir.Machine{
	Name: "toy",
	Files: []ir.File{
		FileR:    {Name: "r", Kind: ir.Lane32, Count: 16, Range: ir.RangeWrap},
		FileP:    {Name: "p", Kind: ir.Lane1, Count: 4},
		FileU:    {Name: "u", Kind: ir.Wave32, Count: 4},
		FileExec: {Name: "exec", Kind: ir.ExecMask, Count: 1},
	},
	Widths:  []int{4, 1, 16, 32},
	Control: ir.MaskStack,
	Spaces:  ir.Spaces{ir.GlobalSpace: 1},

	StackDepth: 16,
}

// Names of the fields used in semantics and checks.
const (
	nameN isa.Name = iota
	nameGuard
	nameChain
	nameU
	nameImm
	nameD
	nameA
	namePlace
	nameTarget
)

// Variants and stages, by index.
const (
	V1 = iota
	V2
)
const (
	stageC = iota
	stageV
)

// Arch returns the declaration. Set compiles a new copy.
func Arch() *isa.Arch {
	return &isa.Arch{
		Loose:    true,
		Name:     "toy",
		Doc:      "an instruction set for tests",
		Variants: []isa.Variant{V1: {Name: "t1", Aliases: []string{"first"}}, V2: {Name: "t2"}},
		Stages:   []string{stageC: "cp", stageV: "vp"},
		Unit:     4,
		Longest:  16,
		Defs:     defs(),
		Machine:  func(int) *ir.Machine { return machine },
		Sep:      ", ",
		Comments: []string{"//", ";", "/*"},
		Nop:      func(int) []byte { return []byte{0, 0, 0, 0x60} },
		Names: []string{nameN: "n", nameGuard: "guard", nameChain: "chain", nameU: "u", nameImm: "imm", nameD: "d", nameA: "a",
			namePlace: "place", nameTarget: "target"},
		Start:    start,
		Cell:     cell,
		Validate: validate,
		Group:    &isa.Group{Split: split, Join: join, Parse: parseParts},
		Branch:   target,
	}
}

// Set is the instruction set, compiled once.
var Set = sync.OnceValue(func() *isa.Set {
	s, err := isa.Compile(Arch())
	if err != nil {
		panic(err)
	}
	return s
})

func cell(_ int, name string) ([]ir.Cell, error) {
	for i, f := range machine.Files {
		for n := range f.Count {
			if fmt.Sprint(f.Name, n) == name {
				return []ir.Cell{{File: uint8(i), Index: uint16(n)}}, nil
			}
		}
	}
	return nil, fmt.Errorf("toy: no register %q", name)
}

// validate: the halves of a chain must not write the same register.
func validate(v *isa.View) []isa.Finding {
	in := v.Inst()
	if in.Def.Enc == &wide && in.Get(nameD) == in.Get(nameA) {
		return []isa.Finding{{Rule: "wide-overlap", Msg: "wide reads the register that it writes", Source: "toy, package comment"}}
	}
	return nil
}

// split decodes a calculation and, if it is chained, the one after it.
func split(d *isa.Target, code []byte, addr uint64, b *isa.Bundle) error {
	first := b.Grow()
	if err := d.Decode(code, addr, first); err != nil || first.Opt(nameChain) == 0 {
		return err
	}
	n := uint64(first.Size)
	second := b.Grow()
	if err := d.Decode(code[n:], addr+n, second); err != nil {
		return err
	}
	if !second.Has(nameChain) || second.Get(nameChain) != 0 {
		return &isa.Error{Code: isa.ErrInvalid, Off: addr + n, Word: second.Word, Size: int(second.Size),
			Msg: second.Def.Name + ": a chain ends in a calculation without chain"}
	}
	return nil
}

// join prints "{a | b}".
func join(p isa.Printer, dst []byte, b *isa.Bundle) []byte {
	if len(b.Parts) == 1 {
		return p.Append(dst, &b.Parts[0])
	}
	dst = p.Append(append(dst, '{'), &b.Parts[0])
	dst = p.Append(append(dst, " | "...), &b.Parts[1])
	return append(dst, '}')
}

func parseParts(s *isa.Scan, b *isa.Bundle) error {
	s.Space()
	if !s.Byte('{') {
		return s.Parse(b.Grow())
	}
	for _, end := range []byte{'|', '}'} {
		at := s.Pos
		for at < len(s.Line) && s.Line[at] != end {
			at++
		}
		if at == len(s.Line) {
			return &isa.Error{Code: isa.ErrSyntax, Line: 1, Col: at + 1, Source: s.Line, Msg: fmt.Sprintf("%q is missing", end)}
		}
		start := s.Pos
		if err := s.ParsePart(at, b); err != nil {
			return err
		}
		if last := &b.Parts[len(b.Parts)-1]; !last.Has(nameChain) {
			return &isa.Error{Code: isa.ErrOperand, Line: 1, Col: start + 1, Source: s.Line, Msg: "only calculations can be chained"}
		}
		s.Pos++
	}
	if !s.End() {
		return &isa.Error{Code: isa.ErrSyntax, Line: 1, Col: s.Pos + 1, Source: s.Line, Msg: "nothing may follow a chain"}
	}
	first, second := &b.Parts[0], &b.Parts[1]
	first.Put(nameChain, 1)
	second.Addr += uint64(first.Size)
	return nil
}

func target(b *isa.Bundle, i int) (uint64, bool) {
	in := &b.Parts[i]
	if !in.Has(nameTarget) {
		return 0, false
	}
	return jumpTo(in, in.Get(nameTarget)), true
}
