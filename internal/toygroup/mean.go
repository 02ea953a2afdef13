package toygroup

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// form reads sources and writes the ft of the phase.
var form = &isa.Form{Src: operand, Dst: result}

// A state is shared by the lifts of the parts of a group.
type state struct {
	all    bool    // all existing lanes
	repeat uint64  // number of the repetition
	src    [4]ir.V // by source
	ft     [3]ir.V
	sets   []set // results, written after all reads
}

type set struct {
	cell ir.Cell
	v    ir.V
}

func data(l *isa.Lift) *state { return l.Data.(*state) }

// start makes the state of a lift.
func start(l *isa.Lift) {
	if l.Data == nil {
		l.Data = &state{}
	}
}

// order is the order in which the parts of a group take effect.
var order = [...]uint8{classHeader, classSource, classPhase0, classPhase1, classPhase2, classOutput}

func lift(l *isa.Lift) {
	b := l.Bundle
	st := data(l)
	if b.Parts[0].Def.Enc == &ctrl {
		*st = state{sets: st.sets[:0]}
		l.Begin(0)
		if l.LiftPart(0) {
			l.LiftPart(1)
		}
		return
	}
	if b.Parts[0].Opt(nameAtom) != 0 {
		l.Serial()
	}
	l.Repeat(1+int(b.Parts[0].Opt(nameRepeat)), func(i int) bool {
		*st = state{repeat: uint64(i), sets: st.sets[:0]}
		for _, class := range order {
			for j := range b.Parts {
				if b.Parts[j].Def.Class == class && !l.LiftPart(j) {
					return false
				}
			}
		}
		st.write(l)
		return true
	})
	if b.Parts[0].Opt(nameEnd) != 0 {
		l.End()
	}
}

// guard lifts a header: it selects the lanes of the group.
func guard(l *isa.Lift) {
	switch l.In.Get(nameCond) {
	case ifFlag:
		l.Guard(l.Get(flagCell, ir.I1))
	case ifNot:
		l.Guard(l.Get(flagCell, ir.I1).Not())
	case everyone:
		data(l).all = true
	}
}

// mask returns the lanes of the group.
func mask(l *isa.Lift) ir.V {
	if data(l).all {
		return l.Live()
	}
	return l.Mask()
}

// write writes the results of the parts.
func (st *state) write(l *isa.Lift) {
	m := mask(l)
	for _, s := range st.sets {
		if l.M.Kind(s.cell) == ir.Wave32 {
			l.SetLast(s.cell, s.v, m)
		} else {
			l.Set(s.cell, s.v, m)
		}
	}
}

// next returns a register with its index advanced by the repetition.
func (st *state) next(file uint8, n uint64) ir.Cell {
	return ir.Cell{File: file, Index: uint16((n + st.repeat) % 16)}
}

// read lifts a source.
func read(l *isa.Lift) {
	st, n := data(l), 0
	for ; nth(l.Bundle, n) != l.In || uses(l.Bundle)>>n&1 == 0; n++ {
	}
	switch x := sourceOf(l.In); x.bank {
	case bankR:
		st.src[n] = l.Get(st.next(FileR, x.n), ir.I32)
	case bankSh:
		st.src[n] = l.Get(st.next(FileSh, x.n), ir.I32)
	case bankI:
		st.src[n] = l.Get(ir.Cell{File: FileI, Index: uint16(x.n)}, ir.I32)
	case bankConst:
		st.src[n] = l.I32(uint32(x.offset))
	default:
		index := l.Get(ir.Cell{File: FileI, Index: uint16(x.bank - bankX0)}, ir.I32)
		st.src[n] = l.GetX(ir.Cell{File: FileSh}, index.Add(l.I32(uint32(x.offset))), mask(l), ir.I32)
	}
}

// write lifts an output.
func write(l *isa.Lift) {
	st := data(l)
	c := st.next(FileR, l.In.Get(nameNumber))
	switch l.In.Opt(nameBank) {
	case bankSh:
		c.File = FileSh
	case bankI:
		c = ir.Cell{File: FileI, Index: uint16(l.In.Get(nameNumber))}
	}
	st.sets = append(st.sets, set{c, st.result(l, l.In.Get(nameFt))})
}

// result returns an ft: 0 if no phase computes it.
func (st *state) result(l *isa.Lift, n uint64) ir.V {
	if !st.ft[n].Valid() {
		st.ft[n] = l.I32(0)
	}
	return st.ft[n]
}

// operand returns the value of a source or ft of a phase.
func operand(l *isa.Lift, i int) ir.V {
	n := info(l.In).reads[i]
	if n >= ft {
		return data(l).result(l, uint64(n-ft))
	}
	v := data(l).src[n]
	if l.In.Opt(nameNeg0+isa.Name(n)) != 0 {
		return v.Neg()
	}
	return v
}

func result(l *isa.Lift, _ int, v ir.V) { data(l).ft[l.In.Def.Class-classPhase0] = v }

func same(a ir.V) ir.V { return a }
func lane(l *isa.Lift) { l.Dst(0, l.LaneID()) }
func ldi(l *isa.Lift)  { l.Dst(0, l.I32(uint32(l.In.Get(nameImm)))) }
func shl(l *isa.Lift)  { l.Dst(0, l.Src(0).Shl(l.I32(uint32(l.In.Get(nameAmount))))) }
func rev(l *isa.Lift)  { l.Dst(0, data(l).result(l, l.In.Get(nameFt)).BitRev()) }

func mad(l *isa.Lift) {
	product := l.Src(0).Mul(l.Src(1))
	if l.In.Get(nameSat) != 0 {
		l.Dst(0, product.UAddSat(l.Src(2)))
		return
	}
	l.Dst(0, product.Add(l.Src(2)))
}

func tst(l *isa.Lift) {
	st := data(l)
	v := st.result(l, l.In.Get(nameFt))
	zero := l.I32(0)
	c := [...]func() ir.V{
		func() ir.V { return v.Eq(zero) }, func() ir.V { return v.Ne(zero) },
		func() ir.V { return v.SLt(zero) }, func() ir.V { return zero.SLe(v) },
	}[l.In.Get(nameTest)]()
	st.sets = append(st.sets, set{flagCell, c})
}

func br(l *isa.Lift) {
	to, _ := branch(l.Bundle, 1)
	m := mask(l)
	l.Branch(m.Any(m), to, l.Next)
}

func only(l *isa.Lift)  { l.Set(ir.Cell{File: FileExec}, mask(l), ir.V{}) }
func whole(l *isa.Lift) { l.Set(ir.Cell{File: FileExec}, l.Live(), ir.V{}) }
