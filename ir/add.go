package ir

// Add appends an op to the block. The caller sets Op, Type, Args and what the op's row requires. Add derives
// whether it runs once per wave, its results and their types. The error is that of the type rule. Builders of
// canonical code use Builder; Add is for code that makes blocks from other blocks or from text.
func (b *Block) Add(m *Machine, in Inst) (first Val, err error) {
	for _, a := range in.Args {
		if a < 0 || int(a) >= len(b.Vals) {
			return 0, b.check(&in)
		}
	}
	in.Wave = b.once(m, &in)
	first = Val(len(b.Vals))
	return first, b.append(&in)
}

// append checks the types of an op, numbers its results, sets their types, and appends the op.
func (b *Block) append(in *Inst) error {
	if err := b.check(in); err != nil {
		return err
	}
	in.Res = Val(len(b.Vals))
	for _, s := range in.Op.rule().res {
		v := s.result(in)
		for n := s.times(in); n > 0; n-- {
			b.Vals = append(b.Vals, v)
		}
	}
	in.NRes = uint8(Val(len(b.Vals)) - in.Res)
	b.Ops = append(b.Ops, *in)
	return nil
}

// results returns the number of results that the rule gives the op.
func (in *Inst) results() int {
	n := 0
	for _, s := range in.Op.rule().res {
		n += s.times(in)
	}
	return n
}

// times returns how many values of the op the slot stands for.
func (s *Slot) times(in *Inst) int {
	switch {
	case s.Rep && (in.Op == Sample || in.Op == Image):
		return in.imageRes()
	case s.Rep:
		return in.count()
	}
	return 1
}

// result returns the type and scope of a result of in, whose Type and Wave are set.
func (s *Slot) result(in *Inst) ValInfo {
	v := ValInfo{Type: s.Of(in.Type, NoType), Wave: in.Wave}
	if s.Side != 0 {
		v.Wave = s.Side == 'w'
	}
	return v
}

func (b *Block) allWave(args []Val) bool {
	for _, a := range args {
		if !b.Vals[a].Wave {
			return false
		}
	}
	return true
}

// once reports whether the op must run once per wave. This is never a choice.
func (b *Block) once(m *Machine, in *Inst) bool {
	switch ops[in.Op].Class {
	case Pure:
		return b.allWave(in.Args)
	case Memory:
		_, masked := b.Mask(in)
		return !masked
	}
	switch in.Op {
	case Get, Set, GetX, SetX:
		k := m.Kind(in.Cell)
		if k == 0 || k.PerLane() {
			return false
		}
		_, masked := b.Mask(in)
		return in.Op == Get || !masked
	case Clock:
		return true
	}
	return false
}

// Mask returns the mask operand of an effect, and whether it has one.
func (b *Block) Mask(in *Inst) (Val, bool) {
	if ops[in.Op].Flags&Masked == 0 || len(in.Args) == 0 {
		return 0, false
	}
	last := in.Args[len(in.Args)-1]
	slots := in.Op.rule().args
	if !slots[len(slots)-1].Opt {
		return last, true
	}
	need := 0
	for _, s := range slots {
		switch {
		case s.Rep:
			need += in.count()
		case !s.Opt:
			need++
		}
	}
	if len(in.Args) > need && b.Vals[last].Type == I1 {
		return last, true
	}
	return 0, false
}
