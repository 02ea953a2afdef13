package lower

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Kinds whose names are not those of their ops.
var kindNames = [...]string{
	CopyRow: "copy", SetRow: "set", GetWord: "get", SetWord: "set", GetMask: "get", SetMask: "set", GetExec: "get",
	SetExec: "set", Expect: "expect none",
}

// termNames are the names of TermKinds.
var termNames = [...]string{
	TermCaller: "by the caller", TermJump: "jump", TermIfBit: "if bit", TermIfNone: "if none", TermIfAgreed: "if agreed",
	TermIfWhole: "if whole", TermRetire: "retire", TermEnd: "end", TermStack: "by the stack", TermFar: "far",
}

// String returns the block as text, a line for each step: the places of its results, its op, the places of its
// operands, and the instruction it comes from. A register is by its name, a row of the runner r1, a vector of 64 bits
// per lane q1, a mask m1, a uniform value w1; a constant is its value.
func (b *Block) String() string {
	t := b.printer()
	fmt.Fprintf(t, "block %#x rows %d vecs %d", b.Frame.Own.Key.PC, b.Rows, b.Vecs)
	if b.Lanes > 0 {
		fmt.Fprintf(t, " lanes %d", b.Lanes)
	}
	t.WriteByte('\n')
	for _, e := range b.Early {
		fmt.Fprintf(t, "early input %d of %v in r%d\n", e.Slot, e.Type, e.Row)
	}
	mark := 0
	for i := range b.Steps {
		for ; mark < len(b.Starts) && b.Starts[mark] <= i; mark++ {
			fmt.Fprintf(t, "mark %#x\n", b.Frame.PC(mark))
		}
		t.WriteString("  ")
		t.step(&b.Steps[i])
		t.instruction(&b.Steps[i])
		t.WriteByte('\n')
	}
	t.WriteString("then " + termNames[b.Ending.Kind])
	t.list(" ", b.Term)
	switch e := &b.Ending; e.Kind {
	case TermJump:
		fmt.Fprintf(t, " to %#x", e.To[0])
	case TermIfBit, TermIfNone, TermIfAgreed, TermIfWhole:
		fmt.Fprintf(t, " to %#x, else %#x", e.To[0], e.To[1])
	}
	t.WriteByte('\n')
	return t.String()
}

// StepString returns step i as String does, without its instruction.
func (b *Block) StepString(i int) string {
	t := b.printer()
	t.step(&b.Steps[i])
	return t.String()
}

// PlaceString returns a place as String does.
func (b *Block) PlaceString(p Place) string { return b.printer().place(p) }

// A printer writes the text of a block.
type printer struct {
	strings.Builder
	b       *Block
	written map[int32]bool // words
	number  map[*ir.Inst]int
}

func (b *Block) printer() *printer {
	t := &printer{b: b, written: map[int32]bool{}, number: map[*ir.Inst]int{}}
	for i := range b.Steps {
		for _, p := range b.Steps[i].Res {
			t.written[p.At] = t.written[p.At] || p.Kind == InWord || p.Kind == InMask
		}
	}
	for i := range b.Frame.Own.Ops {
		t.number[&b.Frame.Own.Ops[i]] = i
	}
	return t
}

func (t *printer) step(s *Step) {
	cell := ""
	switch s.Kind {
	case GetWord, SetWord:
		cell = t.cell(s.Cell, ir.Wave32)
	case GetMask, SetMask:
		cell = t.cell(s.Cell, ir.Lane1)
	case GetExec, SetExec:
		cell = "exec"
	}
	get := s.Kind == GetWord || s.Kind == GetMask || s.Kind == GetExec
	t.list("", s.Res)
	if cell != "" && !get {
		t.WriteString(cell)
	}
	if len(s.Res) > 0 || cell != "" {
		t.WriteString(" = ")
	}
	if name := kindNames[s.Kind]; name != "" {
		t.WriteString(name)
	} else if t.WriteString(s.Op.String()); s.Type != ir.NoType {
		t.WriteString("." + s.Type.String())
	}
	t.list(" ", s.Args)
	if get {
		t.WriteString(" " + cell)
	}
	if s.Mask.Kind != 0 {
		if s.Kind != Expect {
			t.WriteString(" in")
		}
		t.WriteString(" " + t.place(s.Mask))
	}
	t.flags(s)
}

// instruction writes the instruction that a step comes from.
func (t *printer) instruction(s *Step) {
	if s.Inst != nil {
		t.WriteString("  ; ")
		t.Write(ir.AppendOp(nil, t.b.Machine, t.b.Frame.Own, t.number[s.Inst]))
	}
}

// flags writes what else is known about a step.
func (t *printer) flags(s *Step) {
	for _, f := range [...]struct {
		is   bool
		name string
	}{
		{s.Kind == Fallback, "fallback"}, {s.MayWriteAll, "may write all"}, {s.Kind == MemoryAccess && s.Full, "full"},
		{s.Recorded, "recorded"}, {s.Hoistable, "hoistable"}, {s.Broadcast, "broadcast"}, {s.NoLock, "no lock"},
	} {
		if f.is {
			t.WriteString(", " + f.name)
		}
	}
}

// list writes places, with a text before them.
func (t *printer) list(before string, ps []Place) {
	for i, p := range ps {
		if i > 0 {
			before = ", "
		}
		t.WriteString(before + t.place(p))
	}
}

func (t *printer) place(p Place) string {
	switch {
	case p.Kind == InVec:
		return fmt.Sprint("q", p.At)
	case p.Kind == InMask:
		return fmt.Sprint("m", p.At)
	case p.Kind == InWord && !t.written[p.At]:
		return fmt.Sprintf("%#x", t.b.Words[p.At])
	case p.Kind == InWord:
		return fmt.Sprint("w", p.At)
	case p.At == ^int32(LaneRow):
		return "lanes"
	case p.At < 0:
		return fmt.Sprint("r", ^p.At)
	}
	return t.cell(p.At, ir.Lane32)
}

// cell returns the name of the cell with an index among those of its kind.
func (t *printer) cell(at int32, kind ir.CellKind) string {
	m := t.b.Machine
	for i, f := range m.Files {
		c := ir.Cell{File: uint8(i)}
		first := int32(exec.IndexOf(m, c))
		if same := f.Kind == kind || f.Kind == ir.Wave1 && kind == ir.Wave32; same && at >= first && at < first+int32(f.Count) {
			c.Index = uint16(at - first)
			return m.CellName(c)
		}
	}
	return fmt.Sprint(kind, " ", at)
}
