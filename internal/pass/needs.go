package pass

import "github.com/heddle-gpu/heddle/ir"

// A lanes value is the demanded lanes of a value: none, those of a mask, or all. A mask is the number of its value.
type lanes = ir.Val

const (
	nowhere    lanes = -1
	everywhere lanes = -2
)

// needs is which ops and lanes of a block are needed, given what is live at its end and where it can stop.
type needs struct {
	live []bool  // by op: it has a visible effect, or a result that is used
	of   []lanes // demanded lanes by value; nil: all
	pick []uint8 // by op: the operand that can replace a select, 0 if none
	wide []bool  // by op: a write whose cell is dead in the lanes outside its mask
	dead int     // number of ops that are not live
}

// A use says in which lanes an op uses an operand.
type use uint8

const (
	useAll    use = iota // in all lanes
	useResult            // in the demanded lanes of its results
	useMask              // in the lanes of its mask, its last operand
	useBoth              // in both
)

// uses are the ops, besides pure ones, that do not use all lanes of their operands. A mask is always used in all
// lanes. Operands beyond the end of a list are like the last one of the list.
var uses = [][]use{
	ir.Ballot:      {useMask, useAll},
	ir.Any:         {useMask, useAll},
	ir.All:         {useMask, useAll},
	ir.Shuffle:     {useMask, useResult, useAll}, // lanes outside of the mask supply nothing
	ir.ScatterLane: {useMask, useMask, useAll},
	ir.Set:         {useMask},
	ir.SetX:        {useMask},
	ir.SetLast:     {useMask},
	ir.GetX:        {useBoth},
	ir.Load:        {useMask},
	ir.Store:       {useMask},
	ir.AtomicRMW:   {useMask},
	ir.Check:       {useMask},
	ir.Fetch:       {useMask},
	ir.Image:       {useMask},
	ir.Input:       {useMask},
	ir.Output:      {useMask},
	ir.Probe:       {useMask},
}

// join returns the union of the demanded lanes x and y.
func (s *sweeper) join(x, y lanes) lanes {
	switch {
	case x == y || y == nowhere:
		return x
	case x == nowhere:
		return y
	case x == everywhere || y == everywhere:
		return everywhere
	case s.sub(x, y):
		return y
	case s.sub(y, x):
		return x
	}
	return everywhere
}

func (s *sweeper) look(v ir.Val, at lanes) { s.of[v] = s.join(s.of[v], at) }

// operands records in which lanes live op i uses its operands.
func (s *sweeper) operands(i int) {
	in := &s.b.Ops[i]
	at := nowhere
	for k := range ir.Val(in.NRes) {
		at = s.join(at, s.of[in.Res+k])
	}
	switch {
	case in.Op == ir.Select && !in.Wave:
		s.pick[i] = s.selects(in, at)
		return
	case in.Op == ir.And && in.Type == ir.I1 && at == everywhere && !in.Wave:
		// Where the first operand is 0 the second is not demanded. The first of two masks is the older one: exec
		// before a guard.
		s.look(in.Args[0], everywhere)
		s.look(in.Args[1], s.mask(in.Args[0]))
		return
	case class(in.Op) == ir.Pure:
		for _, a := range in.Args {
			s.look(a, at)
		}
		return
	}
	var us []use
	if int(in.Op) < len(uses) {
		us = uses[in.Op]
	}
	mask, masked := s.maskOf(in)
	for k, a := range in.Args {
		u := useAll
		if len(us) > 0 && !(masked && k == len(in.Args)-1) {
			u = us[min(k, len(us)-1)]
		}
		switch {
		case u == useResult:
			s.look(a, at)
		case u == useMask && masked:
			s.look(a, s.mask(mask))
		case u == useBoth && masked:
			s.look(a, s.join(at, s.mask(mask)))
		default:
			s.look(a, everywhere)
		}
	}
}

// maskOf returns the mask of an op that has one.
func (s *sweeper) maskOf(in *ir.Inst) (ir.Val, bool) {
	switch in.Op {
	case ir.Ballot, ir.Any, ir.All, ir.Shuffle, ir.ScatterLane:
		return in.Args[len(in.Args)-1], true
	}
	return s.b.Mask(in)
}

// mask returns the lanes of a mask.
func (s *sweeper) mask(v ir.Val) lanes {
	if s.b.Vals[v].Wave { // all lanes or none
		return everywhere
	}
	return v
}

// selects handles a select that is demanded in some lanes. In each of them only one operand is used. If it is the
// same operand in all of them, that is the result.
func (s *sweeper) selects(in *ir.Inst, at lanes) (pick uint8) {
	c := in.Args[0]
	if at >= 0 && s.sub(at, c) {
		s.look(in.Args[1], at)
		return 1
	}
	if at >= 0 && s.disjoint(at, c) {
		s.look(in.Args[2], at)
		return 2
	}
	yes := at
	if at == everywhere {
		yes = s.mask(c)
	}
	s.look(c, at)
	s.look(in.Args[1], yes)
	s.look(in.Args[2], at)
	return 0
}

// relax uses the demanded lanes of the results of old op i; true if the op is to be dropped.
func (w *rewriter) relax(i int, in *ir.Inst) bool {
	res := w.old.Ops[i].Res
	switch in.Op {
	case ir.Select:
		if k := w.need.pick[i]; k != 0 {
			w.to[res] = in.Args[k]
			return true
		}
	case ir.AddC, ir.SubB, ir.AddOv, ir.SubOv, ir.MulWideU, ir.MulWideS:
		w.narrow(res, in)
	}
	return false
}

// narrow turns an op with two results into one with one, if the second is unused.
func (w *rewriter) narrow(res ir.Val, in *ir.Inst) {
	if w.need.of[res+1] != nowhere || !in.Type.IsInt() {
		return
	}
	switch in.Op {
	case ir.AddOv:
		in.Op = ir.IAdd
	case ir.SubOv:
		in.Op = ir.ISub
	case ir.MulWideU, ir.MulWideS:
		in.Op = ir.IMul
	case ir.AddC, ir.SubB:
		if !w.no(in.Args[2]) {
			return
		}
		if in.Args = in.Args[:2]; in.Op == ir.AddC {
			in.Op = ir.IAdd
		} else {
			in.Op = ir.ISub
		}
	}
	in.NRes = 1
}
