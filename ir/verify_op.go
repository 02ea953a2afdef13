package ir

import (
	"github.com/heddle-gpu/heddle/num"
)

// fields checks that fields that the op does not use are zero, so that the text form can represent the whole op.
func (v *verifier) fields() {
	in, info := v.in, &ops[v.in.Op]
	if set := in.Mode.IsSet(); info.Flags&HasMode != 0 && !set {
		v.fail(RuleMode, "no float mode")
	} else if info.Flags&HasMode == 0 && in.Mode != 0 {
		v.fail(RuleFields, "has a float mode, takes none")
	}
	if info.Flags&HasImm == 0 && in.Imm != 0 {
		v.fail(RuleFields, "has Imm %#x, takes none", in.Imm)
	}
	if !in.Op.hasAlt() && in.Alt != 0 && (in.Op != Jump || in.Alt != JumpYields) {
		v.fail(RuleFields, "has Alt %#x, takes none", in.Alt)
	}
	if info.Class != Memory && in.Mem != (Mem{}) {
		v.fail(RuleFields, "has memory attributes, takes none")
	}
	if in.Op == Tex && in.Img != (ImageAttr{Lod: in.Img.Lod}) || in.Op != Tex && in.Op != Sample && in.Op != Image && in.Img != (ImageAttr{}) {
		v.fail(RuleFields, "has image attributes, takes none")
	}
	if in.Op == Probe && in.IO != (IOAttr{Count: in.IO.Count}) || in.Op != Input && in.Op != Output && in.Op != Probe && in.IO != (IOAttr{}) {
		v.fail(RuleFields, "has attributes of input and output, takes none")
	}
	if !in.Op.hasCell() && in.Cell != (Cell{}) {
		v.fail(RuleFields, "has a cell, takes none")
	}
}

func (o Op) hasAlt() bool {
	return o == Issue || o == Wait || o == Branch || o == CtlStep || o == CtlStepX || o == CtlCheck || o == Barrier
}

func (o Op) hasCell() bool {
	switch o {
	case Get, Set, GetX, SetX, SetLast:
		return true
	}
	return false
}

// widths checks the pure ops whose rule does not relate the two types.
func (v *verifier) widths() {
	in := v.in
	to := in.Type.Bits()
	if in.Op == Const {
		if in.Imm&^ones(to) != 0 {
			v.fail(RuleFields, "%#x has more bits than %s", in.Imm, in.Type)
		}
		return
	}
	if in.Op == SFU && in.Imm >= uint64(num.NumSFU) {
		v.fail(RuleFields, "no such special function: %d", in.Imm)
	}
	from := v.b.Vals[in.Args[0]].Type.Bits()
	ok := true
	switch in.Op {
	case Cast:
		ok = from == to
	case Trunc:
		ok = from > to
	case ZExt, SExt:
		ok = from < to
	case Pack:
		ok = to == 2*from
	case Unpack:
		ok = from == 2*to
	case Extract:
		ok = in.Imm <= 64 && int(in.Imm)+to <= from
	case Insert:
		ok = in.Imm <= 64 && int(in.Imm)+v.b.Vals[in.Args[1]].Type.Bits() <= to
	}
	if !ok {
		v.fail(RuleType, "from %d bits to %d bits at bit %d", from, to, in.Imm)
	}
}

// cells checks ops on cells: that the cell exists, its type, its scope and its mask.
func (v *verifier) cells() {
	in := v.in
	if in.Op == CtlCheck {
		v.policy(ControlKind(min(in.Alt, 255)))
	}
	if !in.Op.hasCell() {
		return
	}
	k := v.m.Kind(in.Cell)
	if k == 0 {
		v.fail(RuleCell, "the machine has no cell %d of file %d", in.Cell.Index, in.Cell.File)
		return
	}
	if cellBits(k) != in.Type.Bits() {
		v.fail(RuleCell, "%s is %s, the type %s", v.m.CellName(in.Cell), k, in.Type)
	}
	dynamic := in.Op == GetX || in.Op == SetX
	if k == ExecMask && dynamic {
		v.fail(RuleCell, "the execution mask has no index")
	}
	if in.Op == SetLast {
		if k.PerLane() {
			v.fail(RuleCell, "%s is one per lane", v.m.CellName(in.Cell))
		}
		return
	}
	_, masked := v.b.Mask(in)
	if in.Op == Set || dynamic && (k.PerLane() || !masked) {
		v.maskRule(k, masked)
	}
	if !k.PerLane() && !masked && !v.b.allWave(in.Args) {
		v.fail(RuleScope, "%s is one per wave, an argument one per lane", v.m.CellName(in.Cell))
	}
}

func (v *verifier) maskRule(k CellKind, masked bool) {
	want := k == Lane32 || k == Lane1
	switch {
	case want && !masked:
		v.fail(RuleMask, "%s is one per lane: the mask is missing", v.m.CellName(v.in.Cell))
	case !want && masked:
		v.fail(RuleMask, "%s takes no mask", v.m.CellName(v.in.Cell))
	}
}

// memory checks the attributes of an access, and that an access without a mask has only uniform operands.
func (v *verifier) memory() {
	in, a := v.in, v.in.Mem
	if a.Elem != 1 && a.Elem != 2 && a.Elem != 4 && a.Elem != 8 {
		v.fail(RuleMemory, "an element of %d bytes", a.Elem)
		return
	}
	if a.Count == 0 {
		v.fail(RuleMemory, "no elements")
	}
	if a.Align&(a.Align-1) != 0 {
		v.fail(RuleMemory, "alignment %d is no power of two", a.Align)
	}
	if a.Load&Volatile != 0 && in.Op != Load {
		v.fail(RuleFields, "volatile, but no load")
	}
	if a.Silent() && in.Op == Check {
		v.fail(RuleFields, "silent, but no access")
	}
	if a.Load&OfDescriptor != 0 && in.Op != Load {
		v.fail(RuleFields, "of a descriptor, but no load")
	}
	v.space(a)
	if writes := in.Op == Store || in.Op == AtomicRMW || in.Op == Check && in.Imm != 0; writes && a.Space == ConstSpace {
		v.fail(RuleMemory, "writes %s space", a.Space)
	}
	if _, masked := v.b.Mask(in); !masked && !v.b.allWave(in.Args) {
		v.fail(RuleMask, "no mask, but an argument that is one per lane")
	}
	switch in.Op {
	case Load, Store:
		v.element()
	case AtomicRMW:
		v.atomic()
	case Check:
		if in.Imm > 1 {
			v.fail(RuleFields, "Imm %d is neither 0 (load) nor 1 (store)", in.Imm)
		}
	}
}

// space checks that the machine has the space and the bank.
func (v *verifier) space(a Mem) {
	banks := 0
	if a.Space < numSpaces {
		banks = v.m.Spaces[a.Space]
	}
	switch {
	case banks == 0:
		v.fail(RuleMemory, "the machine has no %s space", a.Space)
	case int(a.Bank) >= banks:
		v.fail(RuleMemory, "bank %d of %s space; the machine has %d", a.Bank, a.Space, banks)
	}
}

// element checks the type of loads and stores against the size of an element.
func (v *verifier) element() {
	in, a := v.in, v.in.Mem
	n, t := 8*int(a.Elem), in.Type
	if n > t.Bits() || n < t.Bits() && !t.IsInt() {
		v.fail(RuleMemory, "%d-byte elements as %s", a.Elem, t)
	}
	if a.Signed && (in.Op != Load || n >= t.Bits()) {
		v.fail(RuleMemory, "signed, but nothing is extended")
	}
	if a.Atomic != 0 {
		v.fail(RuleMemory, "not an atomic, but names the operation %d", a.Atomic)
	}
}

func (v *verifier) atomic() {
	in, a := v.in, v.in.Mem
	name, two := AtomicName(a.Atomic)
	if name == "" {
		v.fail(RuleMemory, "no such atomic operation: %d", a.Atomic)
		return
	}
	if a.Count != 1 || a.Elem < 4 || in.Type.Bits() != 8*int(a.Elem) || a.Signed {
		v.fail(RuleMemory, "atomics are on one element of 4 or 8 bytes, as wide as the type and not signed")
	}
	n := len(in.Args)
	if _, masked := v.b.Mask(in); masked {
		n--
	}
	if two != (n == 3) {
		v.fail(RuleMemory, "%s: comparand given or missing", name)
	}
}

// control checks markers and terminators.
func (v *verifier) control() {
	in := v.in
	switch in.Op {
	case Trap:
		if in.Imm == 0 || in.Imm >= uint64(numTraps) {
			v.fail(RuleFields, "no such reason: %d", in.Imm)
		}
	case Barrier:
		if in.Alt >= numBarrierKinds*MaxBarriers {
			v.fail(RuleFields, "barrier %d, the highest is %d, or with what waves do there %d", in.Alt, MaxBarriers-1, numBarrierKinds*MaxBarriers-1)
		}
	case Issue:
		v.issue()
	case Probe:
		if in.IO.Count > MaxComponents {
			v.fail(RuleFields, "%d operands, at most %d", in.IO.Count, MaxComponents)
		}
	case Tally:
		if in.Imm >= uint64(v.m.Tallies) {
			v.fail(RuleFields, "the machine has no counter %d", in.Imm)
		}
	case Stable:
		if t := v.b.Vals[in.Args[0]].Type; t != I1 && t != I32 {
			v.fail(RuleFields, "a value of type %v, not i1 or i32", t)
		}
	case Clip:
		if in.Imm >= uint64(len(v.m.Bounds)) {
			v.fail(RuleFields, "the machine has no bound %d", in.Imm)
		}
	case Wait:
		v.wait()
	case CtlStep, CtlStepX:
		v.policy(ControlKind(min(in.Alt, 255)))
	}
}

// queue returns the queue that an issue or wait op names.
func (v *verifier) queue() *Queue {
	if v.in.Imm >= uint64(len(v.m.Queues)) {
		v.fail(RuleQueue, "the machine has no queue %d", v.in.Imm)
		return nil
	}
	return &v.m.Queues[v.in.Imm]
}

func (v *verifier) wait() {
	q, n := v.queue(), v.in.Alt
	switch {
	case q == nil:
	case q.Counter != 0:
		v.fail(RuleQueue, "%s has no counter of its own", q.Name)
	case q.Unordered && n != 0:
		v.fail(RuleQueue, "for at most %d of %s: want 0", n, q.Name)
	case n > uint64(q.Max):
		v.fail(RuleQueue, "for at most %d of %s: want 0 to %d", n, q.Name, q.Max)
	}
}

func (v *verifier) issue() {
	v.queue()
	writes, reads := v.b.Touched(v.in)
	if n := v.in.Alt>>16&0xffff + v.in.Alt&0xffff; int(n) != len(writes)+len(reads) {
		v.fail(RuleFields, "names spans that the block does not have")
	}
	for _, spans := range [][]Span{writes, reads} {
		for _, s := range spans {
			f := int(s.Cell.File)
			if s.Count == 0 || f >= len(v.m.Files) || int(s.Cell.Index)+int(s.Count) > v.m.Files[f].Count {
				v.fail(RuleCell, "%d cells from %d of file %d up are not in the machine", s.Count, s.Cell.Index, f)
			}
		}
	}
}

// resource checks texture samples, stream reads, inputs and outputs.
func (v *verifier) resource() {
	in := v.in
	if in.Op == Input || in.Op == Output {
		v.io()
	}
	if in.Op == Sample || in.Op == Image {
		v.image()
	}
	if in.Op == Tex && in.Img.Lod > LodZero {
		v.fail(RuleFields, "no such level of detail: %d", in.Img.Lod)
	}
	if in.Op == Fetch && in.Type.Bits() != 32 {
		v.fail(RuleType, "components of 32 bits as %s", in.Type)
	}
}

// policy checks that the machine's divergence policy has a step.
func (v *verifier) policy(k ControlKind) {
	in := v.in
	switch {
	case !k.In(v.m.Control):
		v.fail(RuleControl, "%s is no step of policy %s", k, v.m.Control)
	case in.Op == CtlStep && in.Imm != 0 && !k.HasTarget():
		v.fail(RuleFields, "%s has the target %#x, takes none", k, in.Imm)
	case in.Op == CtlStepX && !k.EachTarget():
		v.fail(RuleControl, "%s has no target for each lane", k)
	}
}

// commit checks the order within a mark: reads of cells and ops that can fault, then effects. So an instruction
// that faults has changed nothing, and one that reads a cell it writes reads the old value.
func (v *verifier) commit() {
	in := v.in
	sets := in.Op == Set || in.Op == SetX || in.Op == SetLast
	if (in.Op == Get || in.Op == GetX) && v.set >= 0 {
		v.fail(RuleCommit, "reads a cell after op %d of the same mark has set one", v.set)
	}
	if v.canFault() {
		if v.effect >= 0 {
			v.fail(RuleCommit, "can fault after op %d of the same mark had an effect", v.effect)
		}
		if checks := in.Op == Check || in.Op == CtlCheck || in.Op == Image || in.Op == Sample; !checks && v.fault >= 0 {
			v.fail(RuleFault, "a second op that can fault, after op %d of the same mark: check both first", v.fault)
		} else if !checks {
			v.fault = v.at
		}
	}
	switch {
	case in.Op == Check:
		v.checks = append(v.checks, v.at)
	case in.Op == CtlCheck || ops[in.Op].Class == Ctl:
		v.steps()
	}
	switch class := ops[in.Op].Class; {
	case (in.Op == Unlikely || in.Op == Stable) && v.told >= 0:
		v.fail(RuleCommit, "follows op %d of the same mark, which is an access or has an effect", v.told)
	case v.told >= 0:
	case in.Op == Load && in.Mem.Silent(): // nobody notices it
	case sets, class == Memory && in.Op != Check, class == Resource, in.Op == Probe, in.Op == Tally:
		v.told = v.at
	}
	if sets && v.set < 0 {
		v.set = v.at
	}
	if (sets || in.Op == Store || in.Op == AtomicRMW || in.Op == Output) && v.effect < 0 {
		v.effect = v.at
	}
}

// steps checks that a step which the machine may refuse is checked before the effects of its mark, and that a
// checked step is taken.
func (v *verifier) steps() {
	in, at := v.in, v.step
	switch step := in.Op == CtlStep || in.Op == CtlStepX; {
	case in.Op == CtlCheck && at >= 0:
		v.fail(RuleControl, "checks a second step, after op %d of the same mark", at)
	case in.Op == CtlCheck:
		v.step = v.at
	case at >= 0 && (in.Op != CtlStep || in.Alt != v.b.Ops[at].Alt || in.Args[0] != v.b.Ops[at].Args[0]):
		v.fail(RuleControl, "op %d checks another step", at)
	case at < 0 && step && v.effect >= 0 && v.m.Control == MaskStack:
		v.fail(RuleCommit, "may be refused after op %d of the same mark had an effect: ctlcheck comes before it", v.effect)
	}
}

// canFault reports whether the current op can fault, given the checks before it in the mark.
func (v *verifier) canFault() bool {
	in := v.in
	if in.Mem.Silent() || v.m.Shadow.indexes(in) {
		return false
	}
	switch in.Op {
	case GetX, SetX:
		return int(in.Cell.File) >= len(v.m.Files) || v.m.Files[in.Cell.File].Range == RangeFault
	case Check, CtlCheck, Tex, Sample, Image, Fetch, Output:
		return true
	case Input:
		return !v.asked()
	case Load:
		return !v.checked(0)
	case Store:
		return !v.checked(1)
	case AtomicRMW:
		return !v.checked(0) || !v.checked(1)
	}
	return false
}

// asked reports whether an earlier input of the mark has the same slot and mask: then the slot exists.
func (v *verifier) asked() bool {
	for i := v.at - 1; i >= 0 && v.b.MarkAt(i) == v.b.MarkAt(v.at); i-- {
		if in := &v.b.Ops[i]; in.Op == Input && in.Args[0] == v.in.Args[0] && in.Args[len(in.Args)-1] == v.in.Args[len(v.in.Args)-1] {
			return true
		}
	}
	return false
}

// checked reports whether an earlier check of the mark, for a load (0) or a store (1), covers the access.
func (v *verifier) checked(right uint64) bool {
	in := v.in
	mask, masked := v.b.Mask(in)
	for _, i := range v.checks {
		c := &v.b.Ops[i]
		m, ok := v.b.Mask(c)
		if c.Imm == right && c.Args[0] == in.Args[0] && ok == masked && m == mask &&
			c.Mem.Space == in.Mem.Space && c.Mem.Bank == in.Mem.Bank &&
			c.Mem.Bytes() >= in.Mem.Bytes() && max(c.Mem.Align, 1) >= max(in.Mem.Align, 1) {
			return true
		}
	}
	return false
}
