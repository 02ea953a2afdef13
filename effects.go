package heddle

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/internal/eval"
	irpass "github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Effects are the registers that an instruction reads and writes, by the names that Wave.Reg takes: operands first,
// then implicit state, each once. Implicit state includes
//
//	exec     the execution mask; on Rogue it is called pe
//	mode     GCN: the instruction uses the rounding, denormal, DX10_CLAMP or IEEE fields of MODE
//	base     Rogue: register numbers are relative to it
//	pc       read: the result or the target is relative to it; written: the instruction may branch
//	stack    Tesla: the control stack (Wave.Reg has stack_depth)
//	lane_pc  Valhall: lanes may diverge or reconverge
//
// r[*] is a register of file r whose number is computed at run time. Internal state that no register shows, such as
// the address apertures of GCN, has the name of the tables. Memory is not included.
type Effects struct {
	Reads, Writes []string
}

// Effects returns the effects of the instruction, or group that issues together, at the start of code, whose address
// is addr. The error is an *isa.Error. For instructions without semantics in heddle they are those of the tables.
func (a *ISA) Effects(code []byte, addr uint64) (Effects, error) {
	var b isa.Bundle
	if err := a.target.DecodeBundle(code, addr, &b); err != nil {
		return Effects{}, err
	}
	return EffectsOf(a.target, &b), nil
}

// EffectsOf returns the effects of a decoded instruction.
func EffectsOf(t *isa.Target, b *isa.Bundle) Effects {
	e := effects{t: t}
	e.named(b)
	if !slices.ContainsFunc(b.Parts, func(in isa.Inst) bool { return in.Def.Meaning == nil && in.Def.Lack != isa.LackNone }) {
		e.lifted(b)
	}
	return e.Effects
}

// effects collects them.
type effects struct {
	Effects
	t *isa.Target
}

func add(list *[]string, name string) {
	if name != "" && !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// named adds what the tables say: the operands, then what rows touch besides.
func (e *effects) named(b *isa.Bundle) {
	reads, writes := e.t.OperandsOf(b)
	e.spans(&e.Reads, reads)
	e.spans(&e.Writes, writes)
	for i := range b.Parts {
		for _, m := range b.Parts[i].Def.Implicit {
			if m.Role == isa.Use || m.Role == isa.UseDef {
				add(&e.Reads, m.Name)
			}
			if m.Role == isa.Define || m.Role == isa.UseDef {
				add(&e.Writes, m.Name)
			}
		}
	}
}

func (e *effects) spans(list *[]string, spans []ir.Span) {
	for _, s := range spans {
		for i := range s.Count {
			add(list, e.name(ir.Cell{File: s.Cell.File, Index: s.Cell.Index + i}))
		}
	}
}

// name returns that of a cell.
func (e *effects) name(c ir.Cell) string {
	m := e.t.Machine()
	if m.Kind(c) == ir.ExecMask {
		return m.Files[c.File].Name
	}
	for i := range e.t.Compounds {
		if e.t.Compounds[i].Cell == c {
			return e.t.Compounds[i].Name
		}
	}
	if m.ModeMask != 0 && c == m.Mode {
		if r, err := eval.Lookup(e.t, "mode"); err == nil && r.Cells[0] == c {
			return r.Name
		}
	}
	return e.t.RegisterName(c)
}

// lifted adds what the semantics touch besides.
func (e *effects) lifted(b *isa.Bundle) {
	m, mode := e.t.Machine(), eval.StartMode(e.t)&e.t.Machine().ModeMask
	blk, known := e.t.LiftOne(b, mode), e.known(b)
	for _, x := range irpass.MarkEffects(m, blk) {
		e.cells(&e.Reads, x.Reads, known)
		e.cells(&e.Writes, x.Writes, known)
	}
	if e.readsMode(b, blk, mode) {
		add(&e.Reads, e.name(m.Mode))
	}
	e.flow(b, blk, mode)
}

// known returns the cells that have names already, for example as parts of pairs.
func (e *effects) known(b *isa.Bundle) map[ir.Cell]bool {
	known := map[ir.Cell]bool{}
	for _, list := range [][]string{e.Reads, e.Writes} {
		for _, name := range list {
			if cells, err := e.t.RegisterCells(name); err == nil {
				for _, c := range cells {
					known[c] = true
				}
			}
		}
	}
	for i := range b.Parts {
		for _, x := range b.Parts[i].Def.Implicit {
			for k := range x.N {
				known[ir.Cell{File: x.Cell.File, Index: x.Cell.Index + uint16(k)}] = true
			}
		}
	}
	return known
}

// cells adds spans of a lift, except for cells that operands name and that are accessed anyway.
func (e *effects) cells(list *[]string, spans []irpass.Span, known map[ir.Cell]bool) {
	m := e.t.Machine()
	for _, s := range spans {
		switch f := &m.Files[s.Cell.File]; {
		case s.Count == f.Count && s.Count > 1:
			add(list, fmt.Sprintf("%s[*]", f.Name))
		case known[s.Cell]:
		default:
			add(list, e.name(s.Cell))
		}
	}
}

// readsMode reports whether the semantics depend on the mode. An instruction without a float and without a modifier
// does not: the fields of modes concern these.
func (e *effects) readsMode(b *isa.Bundle, blk *ir.Block, mode uint32) bool {
	m := e.t.Machine()
	other := func(mode uint32) bool {
		o := e.t.LiftOne(b, mode)
		return !slices.EqualFunc(blk.Ops, o.Ops, func(p, q ir.Inst) bool { return p.Same(&q) })
	}
	switch {
	case m.ModeMask == 0:
		return false
	case len(e.t.Modes) == 0:
		return other(mode ^ m.ModeMask)
	case !slices.ContainsFunc(blk.Ops, func(in ir.Inst) bool { return in.Mode != 0 }) && !modified(b):
		return false
	}
	return slices.ContainsFunc(e.t.Modes, func(f isa.ModeField) bool { return slices.ContainsFunc(f.Others(mode), other) })
}

// modified reports whether the bundle has a modifier.
func modified(b *isa.Bundle) bool {
	for i := range b.Parts {
		in := &b.Parts[i]
		for k := range in.Def.Args {
			if a := &in.Def.Args[k]; a.Place != isa.Operand && a.Get(in.Word) != a.Default {
				return true
			}
		}
	}
	return false
}

// flow adds the program counter, and further control flow state of the machine.
func (e *effects) flow(b *isa.Bundle, blk *ir.Block, mode uint32) {
	const away = 1 << 20
	moved := isa.Bundle{Parts: slices.Clone(b.Parts), Pad: b.Pad, Own: b.Own}
	for i := range moved.Parts {
		moved.Parts[i].Addr += away
	}
	o := e.t.LiftOne(&moved, mode)
	last, term, next := len(blk.Ops)-1, blk.Term(), b.Addr()+uint64(b.Size())
	relative := len(o.Ops) != len(blk.Ops) || !slices.EqualFunc(blk.Ops[:last], o.Ops[:last], func(p, q ir.Inst) bool { return p.Same(&q) })
	switch term.Op {
	case ir.Jump, ir.Branch:
		if term.Op == ir.Branch || term.Imm != next {
			relative = relative || o.Term().Imm != term.Imm
			add(&e.Writes, "pc")
		}
	case ir.JumpX:
		add(&e.Writes, "pc")
	case ir.CtlStep, ir.CtlStepX:
		relative = relative || o.Term().Imm != term.Imm
		add(&e.Writes, "pc")
		what := "stack"
		if e.t.Machine().Control == ir.LowestPC {
			what = "lane_pc"
		}
		add(&e.Reads, what)
		add(&e.Writes, what)
	}
	if relative {
		add(&e.Reads, "pc")
	}
}
