package rogue

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
	"github.com/heddle-gpu/heddle/num"
)

// A state is what the parts of a group share. All sources are read before anything is written, so that a group may swap
// two registers; within a group, values pass through the feed-throughs. docs/reference/rogue.md 5.
type state struct {
	run    run
	rt     routing
	repeat int   // index of the repetition
	turn   V     // the lane whose turn it is; invalid: all lanes together
	whole  V     // with a turn: the mask of the whole group
	src    [6]V  // sources as they were read
	ft     [6]V  // feed-throughs FT0 to FT5
	fte    V     // replaces the source that IS0 selects: the high word of 64 bits
	ftt    V     // the test
	carry  V     // out of an integer sum
	w      [2]V  // results that an instruction writes itself
	all    bool  // the group ignores Pe: its mask is all lanes
	ends   bool  // the program ends after the group
	sets   []set // writes to perform when everything is read
	gather gather
	spans  [1]ir.Span
}

// A run is repetitions of a group that write together.
type run struct {
	word, from, to int       // index of the word that a pack fills, and the range of repetitions
	lane           int       // the lane whose turn it is; below 0: all lanes
	constants      bool      // constants are the same in all repetitions
	dynamic        []dynamic // dynamic constants that it reads
}

// A set is a write that waits for the end of the run.
type set struct {
	reg  reg
	cell ir.Cell // the destination if it is not reg; its file is not the first
	at   V       // offset of the cell; invalid: 0
	v    V
	mask V // invalid: the mask of the group
}

func data(l *isa.Lift) *state { return l.Data.(*state) }

// routed is the form of all instructions: how they read sources and write results.
var routed = &isa.Form{Src: sourceOf, Dst: result}

// start makes the state and the float mode of a group.
func start(l *isa.Lift) {
	if l.Data == nil {
		l.Data = &state{}
	}
	mode := num.RNE.With(num.DX10Clamp)
	if l.Option(optNaN) != keepNaN {
		mode = mode.With(num.NaNCanon)
	}
	if l.Option(optDenormals) == flushDenormals {
		mode = mode.With(num.FlushIn | num.FlushOut)
	}
	l.Float(mode)
}

// before sets the rounding mode of an instruction, and traps for one without semantics, with the reason.
func before(l *isa.Lift) {
	round := num.RNE
	if l.Option(optRounding) == towardZero && slices.Contains(l.In.Def.Options, choiceRounding) {
		round = num.RZ
	}
	l.Float(l.Builder.Mode().WithRound(round))
	if d := l.In.Def; d.Meaning == nil && d.Note != "" {
		l.Fail(ir.TrapUndefined, d.Name+": "+d.Lack.String()+": "+d.Note)
	}
}

// inOrder is the order in which the classes of a group take effect.
var inOrder = [...]uint8{group.Header, group.Control, group.P0, group.P0Elements, group.P1, group.Bitmask, group.Shift1, group.Count, group.Logical, group.Pack, group.Test, group.Move, group.Shift2, group.BitTest, group.Backend}

// lift lifts a group: one mark for each run of its repetitions and, if lanes take turns, for each turn.
func lift(l *isa.Lift) {
	b, st := l.Bundle, data(l)
	h := head(b)
	turns := 1
	if h.Opt(nameAtom) != 0 {
		turns = st.turns(l, h)
	}
	ends, n := runs(b)
	sub := 0
	for turn := range turns {
		from := 0
		for i := range n {
			r := run{word: i, from: from, to: ends[i], lane: -1, constants: l.Option(optConstants) != constantsMove, dynamic: st.run.dynamic[:0]}
			if from = ends[i]; turns > 1 {
				r.lane = turn
			}
			if *st = (state{run: r, ends: st.ends, sets: st.sets[:0]}); !st.lift(l, h, &sub) {
				return
			}
		}
	}
	if !l.Done() && (h.Opt(nameEnd) != 0 || st.ends) {
		l.End()
	}
}

// lift lifts a run: the mark that writes, preceded by one for each dynamic constant, since only one access of a mark
// may fault. The dynamic constants are found while the run is lifted; then it is lifted again.
func (st *state) lift(l *isa.Lift, h *isa.Inst, sub *int) bool {
	begin, first := l.Here(), *sub
	for {
		known := len(st.run.dynamic)
		for i := range known {
			st.begin(l, h, sub)
			st.loadDynamic(l, i)
		}
		st.begin(l, h, sub)
		ok := true
		for r := st.run.from; ok && r < st.run.to; r++ {
			*st = state{run: st.run, rt: st.rt, repeat: r, turn: st.turn, whole: st.whole, all: st.all, ends: st.ends, sets: st.sets, gather: st.gather}
			ok = st.phases(l, r+1 == st.run.to)
		}
		if len(st.run.dynamic) > known {
			l.Cut(begin)
			*sub = first
			continue
		}
		if ok {
			st.write(l)
		}
		return ok && !l.Done()
	}
}

// begin begins a mark.
func (st *state) begin(l *isa.Lift, h *isa.Inst, sub *int) {
	l.Begin(*sub)
	*sub++
	*st = state{run: st.run, ends: st.ends, sets: st.sets[:0], gather: gather{word: st.run.word, run: st.run.to - st.run.from}}
	route(l.Bundle, &st.rt)
	st.rebase(l)
	st.guard(l, h)
}

// runs returns the ends of the runs, each one past its last repetition. Each repetition is a run by itself, except
// those of a pack that fill the same word.
func runs(b *isa.Bundle) (ends [maxRepeat]int, n int) {
	var p *packed
	if packs(b) {
		p = &packFormats[group.Find(b, group.Pack).Get(nameFormat)]
	}
	if packsAny(b) {
		ends[0] = repeats(b)
		return ends, 1
	}
	last := -1
	for r := range repeats(b) {
		word := r
		if p != nil {
			_, word = p.element(r)
		}
		if word != last {
			n, last = n+1, word
		}
		ends[n-1] = r + 1
	}
	return ends, n
}

// phases lifts the parts of a group in order; the backend executes once per run.
func (st *state) phases(l *isa.Lift, last bool) bool {
	for _, class := range inOrder {
		if class == group.Backend && !last {
			continue
		}
		for j := range l.Bundle.Parts {
			if l.Bundle.Parts[j].Def.Class == class && !l.LiftPart(j) {
				return false
			}
		}
	}
	return true
}

// packsAny reports whether a value selects the pack format of the group.
func packsAny(b *isa.Bundle) bool {
	in := group.Find(b, group.Pack)
	return in != nil && info(in).name == progName
}

// guard applies the condition of the group, and the turn.
func (st *state) guard(l *isa.Lift, h *isa.Inst) {
	var cond V
	switch h.Get(nameCC) {
	case group.IfP0:
		cond = l.Get(p0, ir.I1)
	case group.IfNotP0:
		cond = l.Get(p0, ir.I1).Not()
	case group.Always:
		st.all = true
	}
	if cond.Valid() {
		l.Guard(cond)
	}
	if st.run.lane < 0 {
		return
	}
	st.whole = mask(l)
	st.turn = l.LaneID().Eq(l.I32(uint32(st.run.lane)))
	if cond.Valid() {
		l.Guard(cond.And(st.turn))
	} else {
		l.Guard(st.turn)
	}
}

// mask is the mask of the group's lanes.
func mask(l *isa.Lift) V {
	st := data(l)
	switch {
	case !st.all:
		return l.Mask()
	case st.turn.Valid():
		return l.Live().And(st.turn)
	}
	return l.Live()
}

// advanced is the register `by` further on. Constants stay, unless the option says otherwise.
func (st *state) advanced(r reg, by int) reg {
	if r.bank == bankSpecial && isConstant(r.n) && st.run.constants {
		return r
	}
	return r.behind(by)
}

// read is the value of a register.
func (st *state) read(l *isa.Lift, r reg) V {
	if bank, offset, ok := r.indexed(); ok {
		return readIndexed(l, r.bank-bankIdx0, bank, offset)
	}
	if r.bank == bankSpecial && isConstant(r.n) {
		v, ok := constant(r.n)
		if !ok {
			l.Fail(ir.TrapUndefined, string(appendReg([]byte("the value of "), r, 1, PCO))+" is not public")
		}
		return l.I32(v)
	}
	if r.bank == bankSpecial && r.n == specialInst {
		return l.LaneID()
	}
	c, ok := r.cell(l.Option(optSlots))
	if !ok {
		l.Fail(ir.TrapUndefined, registerText(r)+" does not exist")
		return l.I32(0)
	}
	return l.Get(c, ir.I32)
}

// idxFiles are the files of indexed registers.
var idxFiles = [8]uint8{idxTemp: FileR, idxVtxin: FileVi, idxCoeff: FileCf, idxShared: FileSh, idxCoeffAlt: FileCfa, idxPixel: FilePo}

// indexOf is the number of an indexed register.
func indexOf(l *isa.Lift, index uint8, offset uint16) V {
	at := l.Get(ir.Cell{File: FileIdx, Index: uint16(index)}, ir.I32)
	if unit := l.Option(optIndexUnit); unit != 0 {
		at = at.Shl(l.I32(uint32(unit)))
	}
	return at.Add(l.I32(uint32(offset)))
}

// readIndexed reads a register that an index register names. docs/reference/rogue.md 2.
func readIndexed(l *isa.Lift, index, bank uint8, offset uint16) V {
	switch bank {
	case idxDynamic:
		return data(l).constant(l, dynamic{index, offset})
	case idxSelf:
		return l.Get(ir.Cell{File: FileIdx, Index: uint16(index)}, ir.I32)
	}
	return l.GetX(ir.Cell{File: idxFiles[bank]}, indexOf(l, index, offset), mask(l), ir.I32)
}

// source is source n of the group.
func (st *state) source(l *isa.Lift, n int) V {
	if !st.src[n].Valid() {
		by := st.repeat
		if n == 0 && unpacks(l.Bundle) {
			in := group.Find(l.Bundle, group.P0)
			_, by = packFormats[in.Get(nameFormat)].element(st.unpackElement(in))
		}
		st.src[n] = st.read(l, st.advanced(st.rt.src[n], by))
	}
	return st.src[n]
}

// unpacks reports whether the repetitions read successive elements of one source.
func unpacks(b *isa.Bundle) bool {
	in := group.Find(b, group.P0)
	return in != nil && info(in).entry == "UNPCK"
}

// packs reports whether the repetitions write successive elements of one destination.
func packs(b *isa.Bundle) bool {
	in := group.Find(b, group.Pack)
	return in != nil && info(in).entry == "PCK"
}

// feedThrough is FTE: the source that IS0 selects, or the value that has replaced it.
func (st *state) feedThrough(l *isa.Lift) V {
	if st.fte.Valid() {
		return st.fte
	}
	return st.source(l, int(st.rt.is0))
}

// feed is the value that a code of a move, IS4 or IS5 selects.
func (st *state) feed(l *isa.Lift, code uint64) V {
	if code == group.FTE {
		return st.feedThrough(l)
	}
	return st.through(l, int(code))
}

// through is FTn, which an instruction of the group must have driven.
func (st *state) through(l *isa.Lift, n int) V {
	if !st.ft[n].Valid() {
		l.Fail(ir.TrapUndefined, fmt.Sprintf("ft%d is taken, and no instruction of the group drives it", n))
		return l.I32(0)
	}
	return st.ft[n]
}

// selected is internal source n, 1 to 5.
func (st *state) selected(l *isa.Lift, n int) V {
	code := uint64(st.rt.iss[n])
	switch {
	case n == 1 && code == 1, n == 2 && code == 1:
		code = group.FTE
	case n == 2:
		code = group.FT1
	case n == 3 && code == 2:
		return st.source(l, 2)
	}
	return st.feed(l, code)
}

// modifiers are the modifier fields of sources, by source of the phase.
var modifiers = [3]struct {
	floor, abs, neg isa.Name
	hasFloor        bool
}{{nameFlr0, nameAbs0, nameNeg0, true}, {0, nameAbs1, nameNeg1, false}, {nameFlr2, nameAbs2, nameNeg2, true}}

// sourceOf is source i of the instruction's phase, as a word with its modifiers applied. Instructions of the bit unit
// that name feed-throughs read these.
func sourceOf(l *isa.Lift, i int) V {
	st, in := data(l), l.In
	switch in.Def.Class {
	case group.Shift1:
		return st.source(l, 2-i)
	case group.Count:
		if in.Get(nameCountSrc) != 0 {
			return st.shifted(l)
		}
		return st.source(l, 2)
	case group.Logical:
		return st.logical(l, i)
	case group.Shift2:
		return [...]func() V{func() V { return st.logicalResult(l) }, func() V { return st.source(l, 4) }}[i]()
	case group.P1:
		return modified(l, st.source(l, group.FirstUpper+i), i)
	}
	return modified(l, st.source(l, i), i)
}

// modified applies the modifiers of a float source to its word: floor, then absolute value, then sign. NaNs are
// unchanged.
func modified(l *isa.Lift, v V, i int) V {
	in, m := l.In, &modifiers[i]
	if m.hasFloor && in.Opt(m.floor) != 0 {
		f := v.As(ir.F32)
		v = f.FUnord(f).Select(v, f.FFloor().As(ir.I32))
	}
	if in.Opt(m.abs) != 0 {
		v = v.And(l.I32(0x7fffffff))
	}
	if in.Opt(m.neg) != 0 {
		v = v.Xor(l.I32(0x80000000))
	}
	return v
}

// result stores the result of an instruction: to the feed-through that it drives, or to w0 or w1.
func result(l *isa.Lift, i int, v V) {
	st, in := data(l), l.In
	if t := v.Type(); t == ir.F32 {
		if in.Opt(nameSat) != 0 {
			v = v.FSat()
		}
		v = v.As(ir.I32)
	}
	r := info(in).reads
	switch in.Def.Class {
	case group.Shift1:
		st.ft[2] = v
	case group.Count:
		st.ft[3] = v
	case group.Logical:
		st.ft[4] = v
	case group.Shift2:
		st.ft[5] = v
	case group.Pack:
		st.ft[2] = v
	case group.P1:
		if r&writeW0 != 0 {
			st.w[i] = v
			return
		}
		st.ft[1] = v
	default:
		if r&(writeW0|writeW1) != 0 {
			st.w[i] = v
			return
		}
		st.ft[0] = v
	}
}

// logical is source i of the second phase of the bit unit, under its mask.
func (st *state) logical(l *isa.Lift, i int) V {
	if i == 0 {
		v := st.shifted(l)
		if l.In.Get(nameMaskA) != 0 {
			v = v.And(st.bypassed(l))
		}
		return v
	}
	v := st.source(l, 3)
	if l.In.Get(nameMaskB) != 0 {
		v = v.And(st.bypassed(l).Not())
	}
	return v
}

// bypassed is FT1 of the bit unit: s1 if no first phase drives it.
func (st *state) bypassed(l *isa.Lift) V {
	if !st.ft[1].Valid() {
		st.ft[1] = st.source(l, 1)
	}
	return st.ft[1]
}

// maskTop is FT0 of the bit unit: s0 if no first phase drives it.
func (st *state) maskTop(l *isa.Lift) V {
	if !st.ft[0].Valid() {
		st.ft[0] = st.source(l, 0)
	}
	return st.ft[0]
}

// shifted is FT2 of the bit unit: s2 if no first phase drives it.
func (st *state) shifted(l *isa.Lift) V {
	if !st.ft[2].Valid() {
		st.ft[2] = st.source(l, 2)
	}
	return st.ft[2]
}

// logicalResult is FT4: FT1 if no second phase drives it.
func (st *state) logicalResult(l *isa.Lift) V {
	if !st.ft[4].Valid() {
		st.ft[4] = st.bypassed(l)
	}
	return st.ft[4]
}

// shiftResult is FT5: FT4 if no third phase drives it.
func (st *state) shiftResult(l *isa.Lift) V {
	if !st.ft[5].Valid() {
		st.ft[5] = st.logicalResult(l)
	}
	return st.ft[5]
}

// counted is FT3: the number of set bits of s2 if no first phase drives it.
func (st *state) counted(l *isa.Lift) V {
	if !st.ft[3].Valid() {
		st.ft[3] = st.source(l, 2).Popcount()
	}
	return st.ft[3]
}

// output is the value of W0 or W1 at the end of the group.
func (st *state) output(l *isa.Lift, i int) V {
	switch {
	case st.w[i].Valid():
	case group.Find(l.Bundle, group.Selectors) != nil:
		st.w[i] = st.selected(l, 4+i)
	case i == 0:
		st.w[i] = st.shiftResult(l)
	default:
		st.w[i] = st.counted(l)
	}
	return st.w[i]
}

// later writes a register at the end of the run.
func (st *state) later(r reg, v, mask V) { st.sets = append(st.sets, set{reg: r, v: v, mask: mask}) }

// setPredicate writes P0 at the end of the run.
func (st *state) setPredicate(v V) { st.sets = append(st.sets, set{cell: p0, v: v}) }

// write performs the writes of the run: w0 and w1, then the writes of single instructions.
func (st *state) write(l *isa.Lift) {
	var out [2]set
	for i := range out {
		if st.rt.has[i] {
			out[i] = set{reg: st.advanced(st.rt.dst[i], st.gather.word), v: st.output(l, i)}
		}
	}
	m := mask(l)
	for i := range out {
		out[i].place(l)
	}
	for i := range st.sets {
		st.sets[i].place(l)
	}
	for i := range out {
		if st.rt.has[i] {
			out[i].put(l, m)
		}
	}
	for i := range st.sets {
		st.sets[i].put(l, m)
	}
}

// place finds the cell of a register that an index register names, before anything is written.
func (s *set) place(l *isa.Lift) {
	bank, offset, ok := s.reg.indexed()
	switch {
	case !ok:
	case bank == idxDynamic || bank == idxSelf:
		l.Fail(ir.TrapUndefined, "dynamic constants are read only")
	default:
		s.cell = ir.Cell{File: idxFiles[bank]}
		s.at = indexOf(l, s.reg.bank-bankIdx0, offset)
	}
}

// put performs a write, under the group's mask if it has none of its own. If several lanes write one register of the
// task, the last lane wins.
func (s *set) put(l *isa.Lift, m V) {
	if s.mask.Valid() {
		m = s.mask
	}
	c, ok := s.cell, true
	switch {
	case s.at.Valid():
		l.SetX(c, s.at, s.v, m)
		return
	case c == ir.Cell{}:
		c, ok = s.reg.cell(l.Option(optSlots))
	case l.M.Kind(c) == ir.ExecMask || s.v.Wave() && !l.M.Kind(c).PerLane():
		l.Set(c, s.v, V{})
		return
	}
	switch {
	case !ok || c.File == FileSr && c.Index != specialValid:
		l.Fail(ir.TrapUndefined, registerText(s.reg)+" cannot be written")
	case l.M.Kind(c) == ir.Wave32:
		l.SetLast(c, s.v, m)
	default:
		l.Set(c, s.v, m)
	}
}
