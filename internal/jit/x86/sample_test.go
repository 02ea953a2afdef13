package x86

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
)

// A sampler makes operands. It cycles through each of its lists, so that a few samples of each inst cover all of them.
type sampler struct {
	t      *table
	asm    *Asm
	n      int // number of samples
	places int // number of memory operands
	masks  int
	rounds int
	list   []sample
	seen   map[string]bool
}

// Sets of registers: the lowest eight, those that need a bit of REX or VEX, those that only EVEX has.
const (
	low = iota
	high
	top
)

// samplesOf returns samples of each inst of a family, in the order of the rows.
func samplesOf(f family) []sample {
	t := compiled()
	g := &sampler{t: t, asm: New(cpu.All), seen: map[string]bool{}}
	done := map[string]bool{}
	for _, r := range f.rows {
		if done[r.name] {
			continue
		}
		done[r.name] = true
		op := Op(slices.Index(t.names, r.name))
		for i := t.first[op]; i < t.first[op+1]; i++ {
			g.inst(op, &t.insts[i])
		}
	}
	return g.list
}

// inst makes the samples of one inst.
func (g *sampler) inst(op Op, in *inst) {
	if in.n == 1 && in.args[0].place == inRel {
		return // jumps are tested with their labels
	}
	if in.enc != evex {
		for _, regs := range []int{low, high} {
			g.add(op, in, in.operands(g, regs, false))
			g.add(op, in, in.operands(g, regs, true))
		}
		if in.enc == legacy {
			g.add(op, in, in.operands(g, high, true))
		}
		return
	}
	if in.must {
		for _, regs := range []int{low, top} {
			g.add(op, in, in.masked(g, in.operands(g, regs, true), false))
		}
		return
	}
	g.add(op, in, in.operands(g, top, false))
	g.add(op, in, in.operands(g, top, true))
	if in.mask {
		g.add(op, in, in.masked(g, in.operands(g, g.n%3, g.n%2 == 0), false))
	}
	if in.zero {
		g.add(op, in, in.masked(g, in.operands(g, g.n%3, false), true))
	}
	if in.bcst != 0 {
		g.add(op, in, in.broadcast(in.operands(g, top, true)))
		if in.zero {
			g.add(op, in, in.masked(g, in.broadcast(in.operands(g, low, true)), g.n%2 == 0))
		}
	}
	if (in.er || in.sae) && (in.l == 2 || !in.wholeLength()) {
		g.add(op, in, append(in.operands(g, g.n%3, false), g.round(in)))
	}
}

func (g *sampler) round(in *inst) Operand {
	if in.sae {
		return NoExceptions
	}
	g.rounds++
	return Operand{kind: rounding, num: uint8(g.rounds % 4)}
}

// operands returns one choice for each pattern of in; a memory operand if mem is set and one is possible.
func (in *inst) operands(g *sampler, regs int, mem bool) (args []Operand) {
	g.n++
	for i, p := range in.args[:in.n] {
		if p.kinds&anyMem != 0 && (mem || p.kinds&anyReg == 0) {
			args = append(args, in.memoryOperand(g, p, regs))
			continue
		}
		switch {
		case p.kinds == imm:
			args = append(args, in.immediateOperand(g, p))
		case p.fixed != none:
			args = append(args, Operand{kind: p.kinds & anyReg, num: p.fixed})
		default:
			k := p.kinds & anyReg
			args = append(args, Operand{kind: k, num: in.number(k, regs, g.n+3*i)})
		}
	}
	return args
}

func (in *inst) number(k kind, regs, n int) uint8 {
	switch {
	case k == kreg || regs == low:
		return uint8(n % 8)
	case regs == top && k&anyVec != 0 && in.enc == evex:
		return uint8(16 + n%16)
	}
	return uint8(8 + n%8)
}

func (in *inst) immediateOperand(g *sampler, p pattern) Operand {
	bits := 8 * uint(p.imm)
	switch {
	case p.imm == 0:
		return Imm(int64(p.fixed))
	case p.fixed == 0 && p.imm == 4 && g.n%3 == 0: // would fit a byte otherwise
		return Imm(-0x12345678)
	case p.imm == 1 && p.fixed == 0:
		return Imm([]int64{0, 1, -1, 127, -128}[g.n%5])
	case p.imm == 8:
		return Imm([]int64{1 << 31, -1<<31 - 1, -1 << 63, 1<<63 - 1}[g.n%4])
	case p.imm == 1 && in.enc != legacy:
		return Imm([]int64{2, 255, 128, 1, 27}[g.n%5])
	}
	values := []int64{1<<(bits-1) - 1, 0x7b, -1 << (bits - 1), 1 << (bits - 1)}
	if p.fixed == 0 && in.osize > p.imm {
		values = values[:3] // sign-extended
	}
	return Imm(values[g.n%len(values)] | 0x50)
}

// bases are the kinds of addresses: base, index, scale; none stands for no register.
var bases = [...][3]int{
	{0, none, 1}, {4, none, 1}, {5, none, 1}, {12, none, 1}, {13, none, 1}, {7, none, 1}, {11, none, 1},
	{1, 3, 4}, {8, 15, 8}, {4, 9, 2}, {5, 0, 1}, {13, 12, 8}, {12, 13, 4}, {none, 2, 8}, {ripBase, none, 1}, {none, none, 1},
}

func (in *inst) memoryOperand(g *sampler, p pattern, regs int) Operand {
	g.places++
	b := bases[g.places%len(bases)]
	o := Operand{kind: p.kinds & anyMem, base: uint8(b[0]), index: uint8(b[1])}
	for s := b[2]; s > 1; s >>= 1 {
		o.scale++
	}
	unit := max(int64(in.unit), 1)
	if in.enc != evex {
		unit = 1
	}
	disps := [...]int64{0, unit, 127 * unit, 128 * unit, -128 * unit, -129 * unit, unit + 1, 0x12345678, -64, 4}
	o.imm = disps[g.places%len(disps)]
	if o.kind != memory { // a vector index
		if b[0] == ripBase {
			o.base = 10
		}
		o.index = in.number(vx, regs, g.n+6+g.places%2)
	} else if b[0] == ripBase {
		o.imm = 0
	}
	if b[0] == none && b[1] == none && o.imm < 0 {
		o.imm = 0x1000
	}
	if in.sized || in.enc == legacy && p.mem < in.osize || p.mem != 0 && g.places%5 == 0 {
		o.size = p.mem
	}
	return o
}

// broadcast returns args with the memory operand as a broadcast.
func (in *inst) broadcast(args []Operand) []Operand {
	for i := range args {
		if args[i].kind == memory {
			args[i].size = 0
			args[i].bcst = in.args[i].mem / in.bcst
			if args[i].base < 16 && args[i].index == none { // displacements are in units of the element
				args[i].imm = []int64{0, 1, 127, 128, -128, -129}[int(args[i].base)%6] * int64(in.bcst)
			}
		}
	}
	return args
}

func (in *inst) masked(g *sampler, args []Operand, zero bool) []Operand {
	g.masks++
	args[0].mask, args[0].zero = uint8(1+g.masks%7), zero && args[0].kind&anyMem == 0
	return args
}

// add keeps a sample if it is one of in and differs from the others.
func (g *sampler) add(op Op, in *inst, args []Operand) {
	plain, round := args, uint8(none)
	if n := len(args); n > 0 && args[n-1].kind == rounding {
		plain, round = args[:n-1], args[n-1].num
	}
	for i := g.t.first[op]; ; i++ {
		if i == g.t.first[op+1] {
			if in.must && in.suits(plain, round) == overlap || in.enc == vex && in.suits(plain, round) == overlap {
				return
			}
			panic(fmt.Sprintf("%v %v fits nothing", op, args))
		}
		if other := &g.t.insts[i]; other.suits(plain, round) == fitting {
			if other != in {
				return
			}
			break
		}
	}
	s := sample{op: op, args: args, text: g.text(op, in, args)}
	if !g.seen[s.text] {
		g.seen[s.text] = true
		g.list = append(g.list, s)
	}
}

// text returns the text for an assembler. Rounding comes before an immediate.
func (g *sampler) text(op Op, in *inst, args []Operand) string {
	var list []string
	inMemory := false
	for _, o := range args {
		s := strings.Replace(o.String(), "rip+L0", fmt.Sprintf("rip+%#x", ripDistance), 1)
		inMemory = inMemory || o.kind&anyMem != 0
		if o.bcst != 0 && o.base == none && o.index == none { // or the assembler takes it for a number
			s = strings.Replace(s, "[", "ds:[", 1)
		}
		if n := len(list); o.kind == rounding && n > 0 && args[n-1].kind == imm {
			list = append(list[:n-1], s, list[n-1])
			continue
		}
		list = append(list, s)
	}
	text := strings.TrimSpace(op.String() + " " + strings.Join(list, ", "))
	if in.enc == vex && len(args) == 2 && !inMemory && args[0].kind == args[1].kind && args[0].kind&anyVec != 0 {
		text = "{load} " + text // otherwise the assembler takes the shorter of two forms with the same operands
	}
	return text
}

// suits checks operands in the way of Emit.
func (in *inst) suits(args []Operand, round uint8) misfit {
	if k := keyOf(args); in.key()&k != k {
		return wrongKinds
	}
	return in.fits(args, round)
}
