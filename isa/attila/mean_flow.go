package attila

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

func nothing(*isa.Lift) {}

func end(l *isa.Lift) { l.End() }

// jmp cond, offset: the group has one program counter, so it jumps only if the condition holds in all lanes; else all
// fall through. With the end flag the program ends in either case. docs/reference/attila.md 10.
func jmp(l *isa.Lift) {
	if l.In.Get(nameEnd) != 0 {
		l.End()
		return
	}
	c := holds(l, 0)
	if g := mask(l); !departs(l, jumpGuard) {
		c = c.And(g)
	}
	l.Branch(c.All(l.Live()), jumpTo(l.In, l.In.Get(nameImm)), l.Next)
}

// holds returns boolean operand i: a predicate, a component of a constant other than 0, or a literal.
func holds(l *isa.Lift, i int) V {
	b := splitBool(l.In, i)
	var v V
	switch {
	case b.literal:
		return l.I1(b.not)
	case b.param:
		x := of(l).consts[i][pick(b.swz, 3)]
		v = x.Ne(x.K(0))
	default:
		v = l.Get(predCell(b.n), ir.I1)
	}
	if b.not {
		v = v.Not()
	}
	return v
}

// andp p, a, b: a and b, inverted if the saturate bit is set.
func andp(l *isa.Lift) {
	a := holds(l, 0)
	v := a.And(holds(l, 1))
	if l.In.Get(nameSat) != 0 {
		v = v.Not()
	}
	setPred(l, v)
}

// effects returns the mask of effects that the simulator does not guard.
func effects(l *isa.Lift) V {
	if departs(l, effectGuard) {
		return l.Exec()
	}
	return mask(l)
}

var (
	cellSample = ir.Cell{File: FileSample}
	cellKill   = ir.Cell{File: FileKill}
	cellZ      = ir.Cell{File: FileZ}
)

// negative reports whether one of the four components of source 1 is below 0; -0 and NaN are not.
func negative(l *isa.Lift) V {
	v := l.I1(false)
	for c := range 4 {
		a := read(l, 0, c)
		v = v.Or(a.FLt(zero(a)))
	}
	return v
}

func kil(l *isa.Lift) { kill(l, l.Get(cellSample, ir.I32), negative(l), [4]V{}) }

func kls(l *isa.Lift) { kill(l, l.I32(uint32(l.In.Get(nameSample))), negative(l), [4]V{}) }

// cmpkil d, a, b, c: cmp; then the current sample is killed if a component of the result in the mask is below 0
// before saturation.
func cmpkil(l *isa.Lift) {
	out := masked(l, func(l *isa.Lift, c int) V { return cmp(read(l, 0, c), read(l, 1, c), read(l, 2, c)) })
	v := l.I1(false)
	for _, x := range out {
		if x.Valid() {
			v = v.Or(x.FLt(zero(x)))
		}
	}
	kill(l, l.Get(cellSample, ir.I32), v, out)
}

// kill sets the kill flag of a sample in lanes where cond holds, and writes a result if there is one. With option
// killed-quad the wave terminates once all its lanes have killed sample 0; otherwise killed lanes continue, since
// derivatives need them.
func kill(l *isa.Lift, sample, cond V, out [4]V) {
	where := cond.And(effects(l))
	var ended V
	if l.Option(optKilled) == killedStop {
		killed := l.Get(cellKill, ir.I1).Or(where.And(sample.Eq(sample.K(0))))
		ended = l.Live().And(killed.All(l.Live()))
	}
	l.SetX(cellKill, sample, l.I1(true), where)
	if of(l).row.form.result {
		write(l, out)
	}
	if ended.Valid() && l.In.Get(nameEnd) == 0 {
		l.Retire(ended, l.Next)
	}
}

// zxp a: the depth of sample 0.
func zxp(l *isa.Lift) { l.Set(cellZ, read(l, 0, 0).As(ir.I32), effects(l)) }

// zxs a, s: the depths of four samples. The simulator starts at a quarter of the current sample; the text says at the
// current sample. Neither uses the sample that the instruction names.
func zxs(l *isa.Lift) {
	from := l.Get(cellSample, ir.I32)
	if departs(l, zxsQuarter) {
		from = from.ShrU(from.K(2))
	}
	var v [4]V
	for c := range v {
		v[c] = read(l, 0, c).As(ir.I32)
	}
	for c := range v {
		l.SetX(cellZ, from.Add(from.K(uint64(c))), v[c], effects(l))
	}
}

// chs: the next sample becomes the current one.
func chs(l *isa.Lift) {
	s := l.Get(cellSample, ir.I32)
	l.Set(cellSample, s.Add(s.K(1)), effects(l))
}
