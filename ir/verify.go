package ir

import (
	"errors"
	"fmt"
)

// A Violation is a rule of the IR that a block breaks: an error of the lift or pass that made the block.
type Violation struct {
	Index int    // index of the op in Block.Ops; -1 for the block as a whole
	Op    Op     // the op there
	Rule  string // name of the rule; stable, as tests match on it
	Msg   string
}

// The rules, as Violation.Rule names them.
const (
	RuleType    = "type"    // operands, results and widths as the op's row says
	RuleOrder   = "order"   // values are numbered and defined in order, before use
	RuleScope   = "scope"   // ops that run once per wave have only uniform operands
	RuleEnd     = "end"     // one terminator, last
	RuleMarks   = "marks"   // marks in order, covering all ops
	RuleCross   = "cross"   // canonical: no value crosses a mark
	RuleCommit  = "commit"  // within a mark: reads and faults first, then effects
	RuleFault   = "fault"   // within a mark at most one op can fault; check precedes the others, and inputs of the same slot and mask count once
	RuleMask    = "mask"    // an effect per lane has a mask, an effect per wave none
	RuleMode    = "mode"    // a float op has a float mode
	RuleCell    = "cell"    // the cell exists and holds such a type
	RuleMemory  = "memory"  // access attributes
	RuleSerial  = "serial"  // what a serial block may contain
	RuleQueue   = "queue"   // the queue exists, and it supports such a wait
	RuleControl = "control" // the machine's divergence policy has this step; a checked step is taken
	RuleFields  = "fields"  // fields that the op does not use are zero, the others in range
)

func (v *Violation) Error() string {
	if v.Index < 0 {
		return fmt.Sprintf("ir: block: %s [%s]", v.Msg, v.Rule)
	}
	return fmt.Sprintf("ir: op %d: %s: %s [%s]", v.Index, v.Op, v.Msg, v.Rule)
}

// Verify checks a canonical block, as a lift must produce it. The error joins a *Violation for each rule broken.
func Verify(m *Machine, b *Block) error { return verify(m, b, true) }

// VerifyOptimised checks a block that passes have changed: as Verify, but values may be live across marks.
func VerifyOptimised(m *Machine, b *Block) error { return verify(m, b, false) }

// A verifier walks a block once. The fields from markFirst on describe the current mark.
type verifier struct {
	m         *Machine
	b         *Block
	canonical bool
	errs      []error

	at   int   // op under test
	in   *Inst // the same
	next Val   // number of the next value to be defined

	mark      int // next mark to begin
	markFirst Val // first value defined in the mark
	set       int // first op of the mark that sets a cell, or -1
	effect    int // first op of the mark with an effect, or -1
	told      int // first op of the mark that an observer may notice, or -1
	fault     int // first op of the mark other than check that can fault, or -1
	checks    []int
	step      int // ctlcheck of the mark, or -1
}

func verify(m *Machine, b *Block, canonical bool) error {
	v := &verifier{m: m, b: b, canonical: canonical, at: -1}
	if len(b.Ops) == 0 {
		v.fail(RuleEnd, "no ops")
		return errors.Join(v.errs...)
	}
	v.marks()
	if b.Serial {
		v.serialBlock()
	}
	v.beginMark()
	for i := range b.Ops {
		v.at, v.in = i, &b.Ops[i]
		v.enter()
		v.op()
		v.next += Val(v.in.NRes)
	}
	if b.Why != "" && b.Term().Op != Trap {
		v.at = -1
		v.fail(RuleFields, "says why it traps, ends in none")
	}
	if int(v.next) != len(b.Vals) {
		v.at = -1
		v.fail(RuleOrder, "%d values are described, %d defined", len(b.Vals), v.next)
	}
	return errors.Join(v.errs...)
}

func (v *verifier) fail(rule, format string, args ...any) {
	e := &Violation{Index: v.at, Rule: rule, Msg: fmt.Sprintf(format, args...)}
	if v.at >= 0 {
		e.Op = v.in.Op
	}
	v.errs = append(v.errs, e)
}

// marks checks the list of marks. An instruction that does nothing has a mark without ops.
func (v *verifier) marks() {
	ms := v.b.Marks
	if len(ms) == 0 || ms[0].Op != 0 {
		v.fail(RuleMarks, "the first op is in no mark")
		return
	}
	for i := 1; i < len(ms); i++ {
		if ms[i].Op < ms[i-1].Op {
			v.fail(RuleMarks, "mark %d begins at op %d, before mark %d", i, ms[i].Op, i-1)
		}
	}
	last := ms[len(ms)-1]
	if int(last.Op) >= len(v.b.Ops) {
		v.fail(RuleMarks, "the last mark begins at op %d, the block has %d", last.Op, len(v.b.Ops))
	}
	if ms[0].PC != v.b.Key.PC {
		v.fail(RuleMarks, "the block is at %#x, its first mark at %#x", v.b.Key.PC, ms[0].PC)
	}
	if end := last.PC + uint64(last.Size); v.b.Next != end {
		v.fail(RuleMarks, "next is %#x, the last mark ends at %#x", v.b.Next, end)
	}
	if bad := v.b.Key.Mode &^ v.m.ModeMask; bad != 0 {
		v.fail(RuleMode, "mode bits %#x are not in the machine's mode mask", bad)
	}
}

// enter begins the marks that start at the current op.
func (v *verifier) enter() {
	ms := v.b.Marks
	for v.mark < len(ms) && int(ms[v.mark].Op) <= v.at {
		v.mark++
		if v.step >= 0 {
			v.fail(RuleControl, "the mark before it checks a step with op %d and does not end with it", v.step)
		}
		v.beginMark()
	}
}

func (v *verifier) beginMark() {
	v.markFirst, v.set, v.effect, v.told, v.fault, v.checks, v.step = v.next, -1, -1, -1, -1, v.checks[:0], -1
}

// op checks one op. Later checks rely on what earlier ones have established.
func (v *verifier) op() {
	in := v.in
	if in.Op >= numOps {
		v.fail(RuleType, "no such op: %d", uint16(in.Op))
		return
	}
	if end := v.at == len(v.b.Ops)-1; end != (ops[in.Op].Class == Ctl) {
		if end {
			v.fail(RuleEnd, "the last op ends no block")
		} else {
			v.fail(RuleEnd, "ends the block, but ops follow")
		}
	}
	if !v.operands() || !v.types() {
		return
	}
	v.fields()
	switch ops[in.Op].Class {
	case Pure:
		v.widths()
	case Cross:
		if in.Op == Shuffle && in.Imm != 0 && (in.Imm&(in.Imm-1) != 0 || in.Imm < 2 || in.Imm > MaxLanes/2) {
			v.fail(RuleFields, "groups of %d lanes", in.Imm)
		}
	case Reg:
		v.cells()
	case Memory:
		v.memory()
	case Resource:
		v.resource()
	case Marker, Ctl:
		v.control()
	}
	if v.b.Serial {
		v.serialOp()
	}
	v.commit()
}

// operands checks that values are defined before use, and in this mark.
func (v *verifier) operands() bool {
	for i, a := range v.in.Args {
		switch {
		case a < 0 || a >= v.next || int(a) >= len(v.b.Vals):
			v.fail(RuleOrder, "argument %d, %%%d, is not defined before it", i+1, a)
			return false
		case v.canonical && a < v.markFirst:
			v.fail(RuleCross, "argument %d, %%%d, is a value of an earlier mark", i+1, a)
		}
	}
	return true
}

// types checks the operands by the op's rule, and the results as recorded in the block.
func (v *verifier) types() bool {
	in, b := v.in, v.b
	if err := b.check(in); err != nil {
		v.fail(RuleType, "%s", trimOp(err, in.Op))
		return false
	}
	if t, free := in.Op.fixedType(); !free && in.Type != t {
		v.fail(RuleType, "the type is %s, must be %s", in.Type, t)
	}
	if in.Res != v.next || int(in.NRes) != in.results() || int(v.next)+int(in.NRes) > len(b.Vals) {
		v.fail(RuleOrder, "results are %%%d and %d in all, must be %%%d and %d", in.Res, in.NRes, v.next, in.results())
		return false
	}
	if once := b.once(v.m, in); in.Wave != once {
		v.fail(RuleScope, "wave is %t, must be %t", in.Wave, once)
		return false
	}
	id := in.Res
	for _, s := range in.Op.rule().res {
		want := s.result(in)
		for n := s.times(in); n > 0; n-- {
			if b.Vals[id] != want {
				v.fail(RuleType, "%%%d is described as %s, must be %s", id, b.Vals[id], want)
			}
			id++
		}
	}
	return true
}

// trimOp removes the op's name from an error of check, as Violation prints it.
func trimOp(err error, op Op) string { return err.Error()[len(op.String())+2:] }

func (i ValInfo) String() string {
	if i.Wave {
		return i.Type.String() + "w"
	}
	return i.Type.String()
}
