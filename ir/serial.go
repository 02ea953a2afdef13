package ir

// serialBlock checks a serial block as a whole.
func (v *verifier) serialBlock() {
	if len(v.b.Marks) != 1 {
		v.fail(RuleSerial, "a serial block of %d marks, want one", len(v.b.Marks))
	}
	if _, ok := v.m.Exec(); !ok {
		v.fail(RuleSerial, "a serial block of a machine without an execution mask")
	}
}

// serialOp checks an op of a serial block. Faults are excluded because effects of earlier lanes could not be
// undone, memory because others could see it between lanes, and operands of the terminator may not be per lane.
func (v *verifier) serialOp() {
	in := v.in
	switch class := ops[in.Op].Class; {
	case class == Memory || class == Resource:
		v.fail(RuleSerial, "touches more than cells")
	case v.canFault():
		v.fail(RuleSerial, "can fault")
	case in.Op == Set && v.m.Kind(in.Cell) == ExecMask:
		v.fail(RuleSerial, "sets the execution mask")
	case class == Ctl && len(in.Args) > 0:
		v.fail(RuleSerial, "depends on a value of one lane's turn")
	}
}
