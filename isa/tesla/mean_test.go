package tesla

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A trial is semantics and the fields of the instruction that they belong to: a row of its own, independent of the
// real ones. Its flags go to $c2, and its condition is $c1.
type trial struct {
	name           string
	mean           isa.Effect
	srcs           []ir.Type
	dst            ir.Type
	fields         map[isa.Name]uint64
	variant, stage int
	options        map[string]string
	adjust         func(a []uint64) // changes the sources of a lane; nil: they are kept
}

// Registers of a trial: four for each source, then the result.
const (
	trialSrc = 4
	trialDst = 20
)

var trialForm = &isa.Form{Src: func(l *isa.Lift, i int) V {
	typ := l.In.Def.Data.(*trial).srcs[i]
	at := func(k int) V { return l.Get(ir.Cell{File: FileR, Index: uint16(trialSrc*i + k)}, ir.I32) }
	switch typ {
	case ir.I64:
		return at(0).Pack(at(1), typ)
	case ir.I16:
		return at(0).Trunc(typ)
	}
	return at(0)
}, Dst: func(l *isa.Lift, _ int, v V) {
	if want := l.In.Def.Data.(*trial).dst; v.Type() != want {
		panic("a result of type " + v.Type().String() + ", not " + want.String())
	}
	at := func(k int, v V) { l.Set(ir.Cell{File: FileR, Index: uint16(trialDst + k)}, v, l.Mask()) }
	switch v.Type() {
	case ir.I64:
		lo, hi := v.Unpack(ir.I32)
		at(0, lo)
		at(1, hi)
	case ir.I16:
		at(0, v.ZExt(ir.I32))
	default:
		at(0, v)
	}
}}

// target returns a set whose only row is the trial: a byte for each field.
func (c *trial) target(t *testing.T) (tg *isa.Target, code []byte) {
	t.Helper()
	code = make([]byte, 16)
	code[0] = 1
	enc := &isa.Encoding{Name: "trial", Bits: 128, Opcode: bits.Ranges{bits.Span(0, 7)}}
	d := isa.Def{Name: "trial", Variants: 1<<numVariants - 1, Enc: enc, Op: 1, Meaning: c.mean, Form: trialForm, Fidelity: ir.Exact, Data: c}
	fields := map[isa.Name]uint64{nameCDst: cdstOn + 2, nameGuard: 15 | 1<<5}
	for n, v := range c.fields {
		fields[n] = v
	}
	at := 8
	for n := range isa.Name(len(names)) {
		if v, ok := fields[n]; ok {
			d.Args = append(d.Args, trialField(n, at, 8))
			code[at/8] = byte(v)
			at += 8
		}
	}
	all := isa.Def{Name: "all", Variants: d.Variants, Enc: enc, Op: 2, Lack: isa.LackUnbuilt} // a set has fields for all of its names
	for n := range names {
		all.Args = append(all.Args, trialField(isa.Name(n), 8+n, 1))
	}
	set, err := isa.Compile(&isa.Arch{Name: "tesla", Variants: variants, Stages: stages, Names: names, Unit: 16, Longest: 16, Defs: []isa.Def{d, all},
		Machine: func(int) *ir.Machine { return machine }, Sep: " ", Comments: []string{"//"}, Options: options})
	if err != nil {
		t.Fatal(err)
	}
	tg, err = set.At(c.variant, c.stage).With(0, c.options)
	if err != nil {
		t.Fatal(err)
	}
	return tg, code
}

// trialField is a field of so many bits from bit at on.
func trialField(n isa.Name, at, width int) isa.Arg {
	return isa.Arg{Name: names[n], Place: isa.Hidden, Kind: &isa.Kind{Name: names[n]}, At: bits.Ranges{bits.Span(at, at+width-1)}}
}

// An outcome is a result, and flags by bit.
type outcome struct{ v, cc uint64 }

// A wave is the cells of a warp, by lane.
type wave map[ir.Cell]*[Lanes]uint64

func (w wave) at(file, index int) *[Lanes]uint64 {
	c := ir.Cell{File: uint8(file), Index: uint16(index)}
	if w[c] == nil {
		w[c] = new([Lanes]uint64)
	}
	return w[c]
}

// run executes a block of one instruction, op by op.
func (w wave) run(b *ir.Block) {
	vals := make([][Lanes]uint64, len(b.Vals))
	for i := range b.Ops {
		in := &b.Ops[i]
		switch info := in.Op.Info(); {
		case info.Class == ir.Cross:
			cross(b, in, info.Meaning.(ir.WaveFn), vals)
		case in.Op == ir.Get:
			vals[in.Res] = *w.at(int(in.Cell.File), int(in.Cell.Index))
		case in.Op == ir.Set:
			for lane, on := range vals[in.Args[1]] {
				if on != 0 {
					w.at(int(in.Cell.File), int(in.Cell.Index))[lane] = vals[in.Args[0]][lane]
				}
			}
		case info.Class == ir.Pure:
			for lane := range Lanes {
				var a [4]uint64
				for k, v := range in.Args {
					a[k] = vals[v][lane]
				}
				r0, r1 := ir.EvalLane(b, in, a[:])
				if vals[in.Res][lane] = r0; in.NRes > 1 {
					vals[in.Res+1][lane] = r1
				}
			}
		case in.Op != ir.Jump:
			panic("an op that these tests do not know: " + in.Op.String())
		}
	}
}

// cross executes an op that reads all lanes. Per-lane conditions are masks there.
func cross(b *ir.Block, in *ir.Inst, f ir.WaveFn, vals [][Lanes]uint64) {
	call := ir.WaveCall{Lanes: Lanes, Width: in.Type.Bits(), Imm: in.Imm, Res: [2]*ir.Vec{{}, {}}}
	for k, v := range in.Args {
		call.Args[k] = new(ir.Vec)
		for lane, x := range vals[v] {
			if b.Vals[v].Type == ir.I1 {
				call.Args[k][0] |= x << lane
			} else {
				call.Args[k][lane] = x
			}
		}
		if call.Wide[k] = ir.MaxLanes - 1; b.Vals[v].Wave {
			call.Wide[k] = 0
		}
	}
	f(&call)
	for lane := range Lanes {
		vals[in.Res][lane] = call.Res[0][lane]
	}
}

// String is the trial with its fields by name: f2i g200 cp neg1=1 round=2 sat-nan=zero.
func (c *trial) String() string {
	words := []string{c.name, variants[c.variant].Name, stages[c.stage]}
	for n, name := range names {
		if v, ok := c.fields[isa.Name(n)]; ok {
			words = append(words, fmt.Sprintf("%s=%d", name, v))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.options)) {
		words = append(words, name+"="+c.options[name])
	}
	return strings.Join(words, " ")
}

// rerun returns the command that runs a test by itself. Trials are semantics in rows of their own, so there is no
// text to evaluate.
func rerun(t *testing.T) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	return "go test ./isa/tesla -run '^" + name + "$'"
}

// lift is the block of the trial.
func (c *trial) lift(t *testing.T) *ir.Block {
	t.Helper()
	tg, code := c.target(t)
	var bd isa.Bundle
	if err := tg.DecodeBundle(code, 0, &bd); err != nil {
		t.Fatal(err)
	}
	block := tg.LiftOne(&bd, 0)
	if err := ir.Verify(machine, block); err != nil || block.Ops[len(block.Ops)-1].Op != ir.Jump {
		t.Fatalf("%s: the lift is no instruction: %v", c.name, err)
	}
	return block
}

// run gives the outcome of each lane of a block; the last of a lane's arguments is the flags of its $c1.
func (c *trial) run(block *ir.Block, args [][]uint64) (out []outcome) {
	for len(args) > 0 {
		n := min(Lanes, len(args))
		w := wave{}
		for lane, a := range args[:n] {
			for i := range c.srcs {
				w.at(FileR, trialSrc*i)[lane] = a[i] & 0xffffffff
				w.at(FileR, trialSrc*i+1)[lane] = a[i] >> 32
			}
			for i := range flags {
				w.at(FileC, flags+i)[lane] = a[len(c.srcs)] >> i & 1
				w.at(FileC, 2*flags+i)[lane] = 1
			}
			w.at(FileExec, 0)[lane] = 1
		}
		w.run(block)
		for lane := range n {
			o := outcome{v: w.at(FileR, trialDst)[lane] | w.at(FileR, trialDst+1)[lane]<<32}
			for i := range flags {
				o.cc |= w.at(FileC, 2*flags+i)[lane] << i
			}
			out = append(out, o)
		}
		args = args[n:]
	}
	return out
}

// edges are the values of the sources of trials, besides random bits.
var edges = []uint64{0, 1, 2, 15, 16, 17, 31, 32, 33, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff,
	0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff}

// limits returns the constants of a block, of so many bits, with their neighbours, and all that negated: a comparison
// with one of them changes there.
func limits(b *ir.Block, bits int) (list []uint64) {
	seen := map[uint64]bool{}
	for i := range b.Ops {
		if in := &b.Ops[i]; in.Op == ir.Const && in.Type.Bits() == bits {
			for d := range uint64(3) {
				for sign := range uint64(2) {
					if x := (in.Imm+d-1)&(1<<bits-1) ^ sign<<(bits-1); !seen[x] {
						seen[x], list = true, append(list, x)
					}
				}
			}
		}
	}
	return list
}

// against compares n outcomes, fewer if in a hurry, and those at the limits of the semantics, with a formula, which
// gets sources truncated to their types and the flags of $c1.
func (c *trial) against(t *testing.T, n int, want func(a []uint64) outcome) {
	t.Helper()
	if testing.Short() {
		n = (n + 3) / 4
	}
	block := c.lift(t)
	r := rand.New(rand.NewPCG(uint64(len(c.name)), uint64(n)))
	var args [][]uint64
	add := func(at int, limit uint64) {
		var a []uint64
		for _, typ := range c.srcs {
			x := irgen.Bits(r, typ.Bits())
			if r.IntN(3) == 0 {
				x = edges[r.IntN(len(edges))]
			}
			a = append(a, x&(1<<typ.Bits()-1))
		}
		switch {
		case at >= 0:
			a[at] = limit
		case c.adjust != nil:
			c.adjust(a)
		}
		args = append(args, append(a, r.Uint64N(16)))
	}
	for range n {
		add(-1, 0)
	}
	for at, typ := range c.srcs {
		for _, x := range limits(block, typ.Bits()) {
			add(at, x)
		}
	}
	for i, got := range c.run(block, args) {
		if w := want(args[i]); got != w {
			t.Fatalf("%s: of %#x is %#x flags %#x, want %#x flags %#x\n\t%s", c, args[i], got.v, got.cc, w.v, w.cc, rerun(t))
		}
	}
}
