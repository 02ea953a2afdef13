package meaning

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
)

// Names are the names of cells in formulas.
type Names struct {
	Read    func(c ir.Cell) string
	Written func(c ir.Cell) string // cells 0 and 1 of a pair end in [0] and [1], as those read do
}

// wideExpr is the length from which an expression gets a name of its own instead of being nested in another.
const wideExpr = 64

// Formulas returns the semantics of a block as assignments in the notation of manuals, one per line, in order. Results
// of floats are rounded as modes says, once for each operation: rne(a*b) + c is rounded twice, a*b + c of a fused one
// once. Masks equal to the execution mask are omitted, and so is what does not change the state: checks, marks of
// outstanding operations, the jump to the next instruction.
func Formulas(m *ir.Machine, b *ir.Block, names Names) (lines []string, modes string) {
	w := &writer{m: m, b: b, names: names, exprs: make([]expr, len(b.Vals)), uses: make([]int, len(b.Vals)), written: map[ir.Cell]bool{}}
	w.count()
	for i := range b.Ops {
		w.op(&b.Ops[i])
	}
	return w.lines, w.modes
}

// An expr is the text of a value, the precedence of its outermost operator, and whether it is the result of one
// rounding, or the execution mask itself: the active lanes.
type expr struct {
	text          string
	binds         int
	rounded, runs bool
}

// named returns an expression that needs no brackets.
func named(text string) expr { return expr{text: text, binds: bindName} }

// Precedence of operators, from the lowest.
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
	uses    []int // of values, counting only ops that are written
	temps   int
	written map[ir.Cell]bool
	lines   []string
	modes   string
}

// silentOf returns the ops that formulas omit.
func silentOf() map[ir.Op]bool {
	return map[ir.Op]bool{ir.Check: true, ir.Issue: true, ir.Wait: true, ir.Probe: true, ir.Unlikely: true, ir.Stable: true, ir.Clip: true, ir.CtlCheck: true}
}

// count counts the uses of values by ops that are written.
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

// op writes an op as a line, or sets the expression of its result for its users.
func (w *writer) op(in *ir.Inst) {
	switch {
	case tables().silent[in.Op], in.Op == ir.Jump && in.Imm == w.b.Next && in.Alt == 0:
		return
	case in.NRes == 0, in.Op == ir.AtomicRMW && w.uses[in.Res] == 0: // the old value is unused
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

// statement returns the text of an op without a result.
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

// control returns the text of a step of the divergence policy, with its target.
func (w *writer) control(in *ir.Inst) string {
	kind := ir.ControlKind(min(in.Alt, 255))
	text := call(kind.String(), w.operands(in))
	if in.Op == ir.CtlStep && kind.HasTarget() {
		text += fmt.Sprintf(" to %#x", in.Imm)
	}
	return text
}

// pair returns the second half of a pair. If the previous line wrote the first half of the same value, pair removes
// that line and returns both in one.
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

// bare returns a value without enclosing brackets.
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

// only returns a statement that is restricted to the lanes of a mask; "": all active lanes.
func only(mask, text string) string {
	if mask == "" {
		return text
	}
	return "if (" + mask + ") " + text
}

// masked separates the operands of an op from its mask; "": it has none, or the mask of the active lanes.
func (w *writer) masked(in *ir.Inst) (args []ir.Val, mask string) {
	last := len(in.Args) - 1
	values := 0 // before the mask, which may be absent: they may be conditions, too
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

// operands returns the operands of an op as for a call, the mask last, unless it is that of the active lanes.
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

// execName is the name of the execution mask in formulas, where it is not omitted.
const execName = "exec"

func call(name, args string) string { return name + "(" + args + ")" }

// memory returns the space that an op accesses, with the bits of an element.
func memory(in *ir.Inst) string { return fmt.Sprintf("%s%d", in.Mem.Space, 8*in.Mem.Elem) }

// get returns the expression of a cell that is read.
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
