package meaning

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
)

// Names say what cells are called in formulas.
type Names struct {
	Read    func(c ir.Cell) string
	Written func(c ir.Cell) string // cells 0 and 1 of a pair end in [0] and [1], as those that are read do
}

// wideExpr is from how many letters on an expression gets a name of its own in place of standing in another.
const wideExpr = 64

// Formulas is the meaning of a block as assignments in the notation of manuals, one a line, in their order. Results of floats are rounded as modes says,
// once for each operation: rne(a*b) + c is rounded twice, a*b + c of a fused one once. Masks that are the execution mask are left out, and so is what does not
// change the state: checks, marks of pending operations, the jump to the next instruction.
func Formulas(m *ir.Machine, b *ir.Block, names Names) (lines []string, modes string) {
	w := &writer{m: m, b: b, names: names, exprs: make([]expr, len(b.Vals)), uses: make([]int, len(b.Vals)), written: map[ir.Cell]bool{}}
	w.count()
	for i := range b.Ops {
		w.op(&b.Ops[i])
	}
	return w.lines, w.modes
}

// An expr is the text of a value, how tightly its outermost operator binds, and whether it is the result of one rounding, or the execution mask as it is: the
// lanes that run.
type expr struct {
	text          string
	binds         int
	rounded, runs bool
}

// named is an expression that needs no brackets.
func named(text string) expr { return expr{text: text, binds: bindName} }

// How tightly operators bind, from the loosest.
const (
	bindSelect = iota
	bindOr
	bindXor
	bindAnd
	bindCompare
	bindShift
	bindAdd
	bindMul
	bindUnary
	bindName
)

// A writer writes formulas.
type writer struct {
	m       *ir.Machine
	b       *ir.Block
	names   Names
	exprs   []expr
	uses    []int // of values, by what is written
	temps   int
	written map[ir.Cell]bool
	lines   []string
	modes   string
}

// silentOf are ops that no formula tells of.
func silentOf() map[ir.Op]bool {
	return map[ir.Op]bool{ir.Check: true, ir.Issue: true, ir.Wait: true, ir.Probe: true, ir.Seldom: true, ir.CtlCheck: true}
}

// count counts the uses of values whose results something is done with.
func (w *writer) count() {
	for i := len(w.b.Ops) - 1; i >= 0; i-- {
		in := &w.b.Ops[i]
		used := in.NRes == 0 && !tables().silent[in.Op]
		for k := range int(in.NRes) {
			used = used || w.uses[int(in.Res)+k] > 0
		}
		if in.Op == ir.Load || in.Op == ir.AtomicRMW {
			used = true
		}
		for _, v := range in.Args {
			if used {
				w.uses[v]++
			}
		}
	}
}

// op writes an op: a line, or the expression of its result for those that use it.
func (w *writer) op(in *ir.Inst) {
	switch {
	case tables().silent[in.Op], in.Op == ir.Jump && in.Imm == w.b.Next && in.Alt == 0:
		return
	case in.NRes == 0, in.Op == ir.AtomicRMW && w.uses[in.Res] == 0: // nobody wants the old value
		w.lines = append(w.lines, w.statement(in))
		return
	}
	if in.Mode != 0 || ofType(in.Type).Floats() && in.Op != ir.Const && tables().rounds[in.Op] {
		w.modes = in.Mode.String()
	}
	for k := range int(in.NRes) {
		v := ir.Val(int(in.Res) + k)
		if w.uses[v] == 0 {
			continue
		}
		e := w.result(in, k)
		if in.Op == ir.AtomicRMW || e.binds < bindName && (w.uses[v] > 1 || len(e.text) > wideExpr) {
			w.temps++
			name := fmt.Sprintf("t%d", w.temps)
			w.lines = append(w.lines, name+" = "+e.text)
			e = named(name)
		}
		w.exprs[v] = e
	}
}

// statement is an op without a result.
func (w *writer) statement(in *ir.Inst) string {
	arg := func(i int) string { return w.exprs[in.Args[i]].text }
	switch in.Op {
	case ir.Set:
		w.written[in.Cell] = true
		text := w.names.Written(in.Cell) + " = " + arg(0)
		if _, mask := w.masked(in); mask != "" {
			return only(mask, text)
		}
		return w.pair(text)
	case ir.Store:
		args, mask := w.masked(in)
		return only(mask, fmt.Sprintf("%s[%s] = %s", memory(in), arg(0), w.list(args[1:])))
	case ir.AtomicRMW:
		args, mask := w.masked(in)
		return only(mask, w.atomic(in, args))
	case ir.SetX, ir.SetLast:
		return call(in.Op.String(), w.names.Written(in.Cell)+", "+w.operands(in))
	case ir.Jump:
		return fmt.Sprintf("pc = %#x", in.Imm)
	case ir.Branch:
		return fmt.Sprintf("pc = %s ? %#x : %#x", arg(0), in.Imm, in.Alt)
	case ir.JumpX:
		return "pc = " + arg(0)
	case ir.CtlStep, ir.CtlStepX:
		return w.control(in)
	}
	return call(in.Op.String(), w.operands(in))
}

// control is a step of the policy by which lanes part and meet, and where it leads.
func (w *writer) control(in *ir.Inst) string {
	kind := ir.ControlKind(min(in.Alt, 255))
	text := call(kind.String(), w.operands(in))
	if in.Op == ir.CtlStep && kind.HasTarget() {
		text += fmt.Sprintf(" to %#x", in.Imm)
	}
	return text
}

// pair is the second half of a pair and, if the line before wrote the first half of the same value, both in one: that line is taken back.
func (w *writer) pair(text string) string {
	name, value, _ := strings.Cut(text, "[1] = ")
	if n := len(w.lines); n > 0 && strings.HasSuffix(value, "[63:32]") {
		if value = strings.TrimSuffix(value, "[63:32]"); w.lines[n-1] == name+"[0] = "+value+"[31:0]" {
			w.lines = w.lines[:n-1]
			return name + " = " + bare(value)
		}
	}
	return text
}

// bare is a value without the brackets around all of it.
func bare(text string) string {
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && (i == 0 || i < len(text)-1) {
			return text
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
}

// only is what is done in the lanes of a mask; "": in all that run.
func only(mask, text string) string {
	if mask == "" {
		return text
	}
	return "if (" + mask + ") " + text
}

// masked parts the operands of an op from its mask, if it has one; "": it is that of the lanes that run.
func (w *writer) masked(in *ir.Inst) (args []ir.Val, mask string) {
	last := len(in.Args) - 1
	values := 0 // before the mask, which may be missing: they may be conditions, too
	switch in.Op {
	case ir.Set:
		values = 1
	case ir.SetX:
		values = 2
	}
	if last < values || w.b.Vals[in.Args[last]].Type != ir.I1 || in.Op.Info().Class == ir.Pure {
		return in.Args, ""
	}
	if e := w.exprs[in.Args[last]]; !e.runs {
		mask = e.text
	}
	return in.Args[:last], mask
}

// operands are those of an op as of a call, the mask last, unless it is that of the lanes that run.
func (w *writer) operands(in *ir.Inst) string {
	args, mask := w.masked(in)
	text := w.list(args)
	switch {
	case mask == "":
		return text
	case text == "":
		return mask
	}
	return text + ", " + mask
}

func (w *writer) list(args []ir.Val) string {
	var list []string
	for _, v := range args {
		list = append(list, w.exprs[v].text)
	}
	return strings.Join(list, ", ")
}

// execName is what the execution mask is called in formulas, where it is not left out.
const execName = "exec"

func call(name, args string) string { return name + "(" + args + ")" }

// memory is the space that an op reaches, with the bits of an element.
func memory(in *ir.Inst) string { return fmt.Sprintf("%s%d", in.Mem.Space, 8*in.Mem.Elem) }

// get is a cell that is read.
func (w *writer) get(in *ir.Inst) expr {
	switch {
	case w.m.Kind(in.Cell) == ir.ExecMask:
		e := named(execName)
		e.runs = !w.written[in.Cell]
		return e
	case w.written[in.Cell]:
		return named(w.names.Written(in.Cell))
	}
	return named(w.names.Read(in.Cell))
}
