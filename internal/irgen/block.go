package irgen

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A gen is a block under construction.
type gen struct {
	r     *rand.Rand
	m     *ir.Machine
	o     Options
	b     *ir.Block
	first ir.Val // first value of the current mark
	pure  []ir.Op
}

// Block makes a random canonical block. It panics if the block does not verify, which is a defect of this package.
func Block(r *rand.Rand, m *ir.Machine, o Options) *ir.Block {
	key := ir.Key{PC: uint64(r.IntN(1<<16)) << 2, Mode: r.Uint32() & m.ModeMask}
	g := &gen{r: r, m: m, o: o, b: &ir.Block{Key: key, Next: key.PC}}
	for op := range ir.Op(ir.Ops()) {
		if c := op.Info().Class; (c == ir.Pure || c == ir.Cross) && !slices.Contains(o.Without, op) {
			g.pure = append(g.pure, op)
		}
	}
	if _, ok := m.Exec(); ok && o.Serial && r.IntN(8) == 0 {
		g.serial()
		return g.b
	}
	marks := o.Marks
	if marks == 0 {
		marks = 1 + r.IntN(8)
	}
	for range marks {
		g.mark()
		g.instruction()
	}
	g.mark()
	g.terminator()
	if err := ir.Verify(m, g.b); err != nil {
		panic(fmt.Sprintf("irgen: %v\n%s", err, ir.Print(m, g.b)))
	}
	return g.b
}

// serial makes a block that runs lane by lane.
func (g *gen) serial() {
	g.b.Serial = true
	g.o = Options{Ops: g.o.Ops, Without: g.o.Without}
	g.mark()
	g.instruction()
	g.add(pick(g.r, []ir.Inst{{Op: ir.Jump, Imm: g.b.Next}, {Op: ir.Barrier, Imm: g.b.Next}, {Op: ir.End}}))
	if err := ir.Verify(g.m, g.b); err != nil {
		panic(fmt.Sprintf("irgen: %v\n%s", err, ir.Print(g.m, g.b)))
	}
}

func (g *gen) mark() {
	size := 4 * (1 + g.r.IntN(3))
	g.b.Marks = append(g.b.Marks, ir.Mark{Op: int32(len(g.b.Ops)), PC: g.b.Next, Size: uint8(size), Sub: uint8(g.r.IntN(3) / 2)})
	g.b.Next += uint64(size)
	g.first = ir.Val(len(g.b.Vals))
}

// add appends an op whose operands fit; first is its first result.
func (g *gen) add(in ir.Inst) ir.Val {
	if in.Op.Info().Flags&ir.HasMode != 0 {
		in.Mode = Mode(g.r)
	}
	v, err := g.b.Add(g.m, in)
	if err != nil {
		panic("irgen: " + err.Error())
	}
	return v
}

func (g *gen) constant(t ir.Type, x uint64) ir.Val {
	return g.add(ir.Inst{Op: ir.Const, Type: t, Imm: x & (1<<(t.Bits()-1)<<1 - 1)})
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// cell returns a random cell of one of the kinds.
func (g *gen) cell(kinds ...ir.CellKind) (ir.Cell, bool) {
	var files []int
	for i, f := range g.m.Files {
		for _, k := range kinds {
			if f.Kind == k {
				files = append(files, i)
			}
		}
	}
	if len(files) == 0 {
		return ir.Cell{}, false
	}
	i := pick(g.r, files)
	return ir.Cell{File: uint8(i), Index: uint16(g.r.IntN(g.m.Files[i].Count))}, true
}

// instruction fills a mark: reads and arithmetic, an op that can fault, effects.
func (g *gen) instruction() {
	n := g.o.Ops
	if n == 0 {
		n = g.r.IntN(13)
	}
	access := len(g.o.Memory) > 0 && g.r.IntN(3) == 0
	sample := !access && g.o.Handles > 0 && g.r.IntN(3) == 0
	faults := access || sample || g.b.Serial // the mark has its op that can fault, or must not have one
	for range n {
		switch g.r.IntN(8) {
		case 0:
			g.read()
		case 1:
			g.readIndexed(&faults)
		default:
			g.pureOp()
		}
	}
	if !g.b.Serial && g.r.IntN(8) == 0 {
		g.unlikely()
	}
	if !g.b.Serial && g.r.IntN(8) == 0 {
		g.stable()
	}
	if len(g.m.Bounds) > 0 && g.r.IntN(8) == 0 {
		g.clip()
	}
	var effects []func()
	if access {
		effects = g.access()
	}
	if sample {
		g.sample()
	}
	for range n/2 - n/4*g.r.IntN(2) {
		g.pureOp()
	}
	for range 1 + g.r.IntN(3) {
		if e := g.prepareSet(&faults); e != nil {
			effects = append(effects, e)
		}
	}
	if g.r.IntN(6) == 0 {
		g.probe()
	}
	if g.m.Tallies > 0 && !g.b.Serial && g.r.IntN(8) == 0 {
		g.add(ir.Inst{Op: ir.Tally, Imm: g.r.Uint64N(uint64(g.m.Tallies)), Args: []ir.Val{g.value(ir.I64, true)}})
	}
	for _, e := range effects {
		e()
	}
	if g.r.IntN(6) == 0 {
		g.async()
	}
}

// probe adds a probe of up to four values.
func (g *gen) probe() {
	in := ir.Inst{Op: ir.Probe, Imm: g.r.Uint64N(20), IO: ir.IOAttr{Count: uint8(g.r.IntN(ir.MaxComponents + 1))}}
	t := pick(g.r, allTypes)
	for range in.IO.Count {
		in.Args = append(in.Args, g.value(t, g.r.IntN(4) == 0))
	}
	in.Args = append(in.Args, g.mask())
	g.add(in)
}

// unlikely marks a mask as unlikely to have lanes: a mask without lanes, any mask, or a per-wave one.
func (g *gen) unlikely() {
	m := g.mask()
	switch g.r.IntN(8) {
	case 0, 1:
	case 2, 3: // a per-wave bit has the other value
		bit := g.add(ir.Inst{Op: ir.And, Type: ir.I32, Args: []ir.Val{g.wave(ir.I32), g.constant(ir.I32, 1)}})
		m = g.add(ir.Inst{Op: ir.Ne, Type: ir.I32, Args: []ir.Val{bit, g.constant(ir.I32, g.r.Uint64N(2))}})
	default:
		m = g.add(ir.Inst{Op: ir.And, Type: ir.I1, Args: []ir.Val{m, g.add(ir.Inst{Op: ir.Not, Type: ir.I1, Args: []ir.Val{m}})}})
	}
	g.add(ir.Inst{Op: ir.Unlikely, Args: []ir.Val{m}})
}

// clip names the lanes of a mask that a bound rules out.
func (g *gen) clip() {
	t := ir.I32
	if g.r.IntN(2) == 0 {
		t = ir.I64
	}
	at, limit := g.value(t, false), g.value(t, false)
	within := g.add(ir.Inst{Op: ir.ULt, Type: t, Args: []ir.Val{at, limit}})
	g.add(ir.Inst{Op: ir.Clip, Type: t, Imm: g.r.Uint64N(uint64(len(g.m.Bounds))), Args: []ir.Val{at, limit, within, g.mask()}})
}

// stable marks a value as one that rarely changes: a few bits per wave or per lane, a condition, or any word.
func (g *gen) stable() {
	bits := func(v ir.Val) ir.Val {
		return g.add(ir.Inst{Op: ir.And, Type: ir.I32, Args: []ir.Val{v, g.constant(ir.I32, uint64(g.r.IntN(4)))}})
	}
	var v ir.Val
	switch g.r.IntN(6) {
	case 0:
		v = g.wave(ir.I32)
	case 1:
		v = bits(g.value(ir.I32, false))
	case 2:
		v = g.add(ir.Inst{Op: ir.Ne, Type: ir.I32, Args: []ir.Val{bits(g.wave(ir.I32)), g.constant(ir.I32, 0)}})
	default:
		v = bits(g.wave(ir.I32))
	}
	g.add(ir.Inst{Op: ir.Stable, Args: []ir.Val{v}})
	if g.r.IntN(2) == 0 { // something for which the value matters
		g.add(ir.Inst{Op: ir.IMul, Type: ir.I32, Args: []ir.Val{g.value(ir.I32, false), g.wave(ir.I32)}})
	}
}

// async adds the start of an operation on a queue, and a wait for it.
func (g *gen) async() {
	if len(g.m.Queues) == 0 {
		return
	}
	queue := g.r.IntN(len(g.m.Queues))
	spans := func() (ss []ir.Span) {
		for range g.r.IntN(3) {
			if c, ok := g.cell(ir.Lane32, ir.Wave32); ok {
				ss = append(ss, ir.Span{Cell: c, Count: uint16(1 + g.r.IntN(g.m.Files[c.File].Count-int(c.Index)))})
			}
		}
		return ss
	}
	if err := g.b.Issue(g.m, queue, spans(), spans()); err != nil {
		panic("irgen: " + err.Error())
	}
	n := g.r.IntN(g.m.Queues[queue].Max + 1)
	if g.m.Queues[queue].Unordered {
		n = 0
	}
	g.add(ir.Inst{Op: ir.Wait, Imm: uint64(queue), Alt: uint64(n)})
}

// read adds a value that does not depend on other values.
func (g *gen) read() {
	switch g.r.IntN(8) {
	case 0:
		g.add(ir.Inst{Op: ir.Live, Type: ir.I1})
	case 1:
		g.add(ir.Inst{Op: ir.LaneID, Type: ir.I32})
	case 2:
		g.add(ir.Inst{Op: ir.Clock, Type: ir.I64})
	case 3:
		g.varying(ir.I1)
	case 4:
		g.wave(pick(g.r, allTypes))
	default:
		g.varying(pick(g.r, allTypes))
	}
}

// readIndexed reads a cell by an index computed at run time.
func (g *gen) readIndexed(faults *bool) {
	c, ok := g.cell(ir.Lane32, ir.Lane1, ir.Wave32, ir.Wave1)
	if !ok || g.m.Files[c.File].Range == ir.RangeFault && *faults {
		return
	}
	in := ir.Inst{Op: ir.GetX, Type: ir.I32, Cell: c}
	k := g.m.Kind(c)
	if k == ir.Lane1 || k == ir.Wave1 {
		in.Type = ir.I1
	}
	gather := !k.PerLane() && g.r.IntN(2) == 0
	in.Args = []ir.Val{g.index(&in, k.PerLane() || gather, faults)}
	if k.PerLane() || gather {
		in.Args = append(in.Args, g.mask())
	}
	g.add(in)
}

// index returns the index for an op on a cell, per lane if lanes is set. If it could fault it is the mark's op that can
// fault; it is in range unless the options request faults.
func (g *gen) index(in *ir.Inst, lanes bool, faults *bool) ir.Val {
	x := g.value(ir.I32, !lanes)
	f := &g.m.Files[in.Cell.File]
	if f.Range != ir.RangeFault {
		return x
	}
	*faults = true
	if g.o.Faults && g.r.IntN(4) == 0 {
		return x
	}
	in.Cell.Index = 0
	return g.inRange(f.Count, x)
}

// prepareSet computes the operands of a set, before any effect, and returns the effect.
func (g *gen) prepareSet(faults *bool) func() {
	c, ok := g.cell(ir.Lane32, ir.Lane32, ir.Lane1, ir.Wave32, ir.Wave1)
	if !ok {
		return nil
	}
	if x, has := g.m.Exec(); has && g.o.Exec && g.r.IntN(8) == 0 {
		c = x
	}
	k := g.m.Kind(c)
	t := ir.I1
	if k == ir.Lane32 || k == ir.Wave32 {
		t = pick(g.r, []ir.Type{ir.I32, ir.I32, ir.F32, ir.V2F16, ir.V2I16, ir.V4I8})
	}
	in := ir.Inst{Op: ir.Set, Type: t, Cell: c}
	if k == ir.Wave32 && g.r.IntN(4) == 0 {
		in.Op, in.Args = ir.SetLast, []ir.Val{g.value(t, false), g.mask()}
		return func() { g.add(in) }
	}
	canFault := g.m.Files[c.File].Range == ir.RangeFault
	lanes := k.PerLane()
	if k != ir.ExecMask && g.r.IntN(4) == 0 && (!canFault || !*faults) {
		in.Op = ir.SetX
		lanes = lanes || g.r.IntN(2) == 0
		in.Args = []ir.Val{g.index(&in, lanes, faults)}
	}
	in.Args = append(in.Args, g.value(t, !lanes))
	if k != ir.ExecMask && lanes {
		in.Args = append(in.Args, g.mask())
	}
	set := func() { g.add(in) }
	if in.Op == ir.SetX && canFault {
		set() // no effect may precede it, so it is the mark's first
		return nil
	}
	return set
}

// inRange returns x reduced to 0..count-1.
func (g *gen) inRange(count int, x ir.Val) ir.Val {
	if pow := count &^ (count - 1); pow != count {
		return g.constant(ir.I32, uint64(g.r.IntN(count)))
	}
	return g.add(ir.Inst{Op: ir.And, Type: ir.I32, Args: []ir.Val{x, g.constant(ir.I32, uint64(count-1))}})
}

// terminator ends the block.
func (g *gen) terminator() {
	a, b := g.b.Key.PC+uint64(4*g.r.IntN(16)), g.b.Next
	kind := 0
	if g.o.Control {
		kind = g.r.IntN(8)
	}
	switch kind {
	case 1:
		g.add(ir.Inst{Op: ir.Jump, Imm: a, Alt: uint64(g.r.IntN(2))})
	case 2:
		g.add(ir.Inst{Op: ir.Branch, Imm: a, Alt: b, Args: []ir.Val{g.value(ir.I1, true)}})
	case 3:
		g.add(ir.Inst{Op: ir.JumpX, Args: []ir.Val{g.value(ir.I64, true)}})
	case 4:
		g.add(ir.Inst{Op: ir.Retire, Imm: b, Args: []ir.Val{g.mask()}})
	case 5:
		in := ir.Inst{Op: ir.Barrier, Imm: b, Alt: uint64(g.r.IntN(3))}
		if g.r.IntN(2) == 0 {
			in.Args = []ir.Val{g.value(ir.I32, true)}
		}
		g.add(in)
	case 6:
		g.add(ir.Inst{Op: ir.Trap, Imm: uint64(1 + g.r.IntN(6))})
		g.b.Why = string(rune(g.r.IntN(1<<12))) + "\xff\" why"
	case 7:
		if g.step(a) {
			return
		}
		fallthrough
	default:
		g.add(ir.Inst{Op: ir.End})
	}
}

// step ends the block with a random step of the machine's divergence policy, if it has any.
func (g *gen) step(target uint64) bool {
	var steps []ir.ControlKind
	for k := ir.ControlKind(1); int(k) < ir.Controls(); k++ {
		if k.In(g.m.Control) {
			steps = append(steps, k)
		}
	}
	if len(steps) == 0 {
		return false
	}
	k := pick(g.r, steps)
	in := ir.Inst{Op: ir.CtlStep, Alt: uint64(k)}
	switch {
	case k.EachTarget() && g.r.IntN(3) == 0:
		in.Op, in.Args = ir.CtlStepX, []ir.Val{g.value(ir.I64, g.r.IntN(4) == 0)}
	case k.HasTarget():
		in.Imm = target
	}
	in.Args = append(in.Args, g.mask())
	if in.Op == ir.CtlStep && g.r.IntN(2) == 0 {
		g.checked(&in)
	}
	g.add(in)
	return true
}

// checked adds the check of a step that ends the mark, and the effects that the check permits.
func (g *gen) checked(step *ir.Inst) {
	faults, effects := true, []func(){}
	for range g.r.IntN(3) {
		if e := g.prepareSet(&faults); e != nil {
			effects = append(effects, e)
		}
	}
	g.add(ir.Inst{Op: ir.CtlCheck, Alt: step.Alt, Args: step.Args})
	for _, e := range effects {
		e()
	}
}
