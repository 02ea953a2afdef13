package laws

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// RunOptions of Lanes.
type RunOptions struct {
	Options
	// Ignores are the rows that affect lanes outside the execution mask, with the reason.
	Ignores map[string]string
	// Scalar reports rows whose memory accesses are once per wave although their ops have a mask; nil: none.
	Scalar func(d *isa.Def) bool
	// Prepare sets what an instruction set needs besides random registers; nil: nothing.
	Prepare func(st *exec.State)
}

// runSize is the size of each space in bytes; registers hold small addresses in it.
const runSize = 1 << 16

// Lanes runs every row with semantics once, from random states, with execution masks of no lane, one lane, every other
// lane and all lanes: registers of lanes outside the mask are unchanged, and with an empty mask no per-lane access
// reaches memory. An instruction that faults changes nothing. It returns the number of runs.
func Lanes(t testing.TB, s *isa.Set, o RunOptions) int {
	return eachRun(t, s, o, []uint64{0, 1 << 5, 0xaaaaaaaaaaaaaaaa, ^uint64(0)}, (*laneRun).run)
}

// eachRun calls f for words of every row with semantics, with each of the masks.
func eachRun(t testing.TB, s *isa.Set, o RunOptions, masks []uint64, f func(c *laneRun, mask uint64)) (runs int) {
	r := rand.New(rand.NewPCG(o.Seed, 1))
	each(s, func(tg *isa.Target) {
		c := &laneRun{t: t, m: tg.Machine(), rand: r, opt: &o}
		for i := range s.Defs {
			d := &s.Defs[i]
			if !in(d, tg) || d.Alias || d.Meaning == nil {
				continue
			}
			words := Words(tg, d, o.Options)
			for _, w := range words[:min(len(words), 3)] {
				p := one(t, tg, w)
				if p == nil {
					continue
				}
				for _, mask := range masks {
					c.prog, c.def = exec.NewProgram(p), d
					f(c, mask)
					runs++
				}
			}
		}
	})
	return runs
}

// one returns a program of one instruction: its bytes, or the bundle itself if its encoding is not public. It returns
// nil if no bundle contains the word.
func one(t testing.TB, tg *isa.Target, w Word) ir.Code {
	c := newChecker(t, tg, &Report{})
	if w.Def.Private {
		if !c.sample(w) {
			return nil
		}
		l, err := isa.NewListing(tg, []isa.Bundle{c.b})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	code := w.Code()
	if sampled(tg.Set) {
		if code = c.complete(w); code == nil {
			return nil
		}
	}
	return &isa.Program{Target: tg, Code: code}
}

// A laneRun runs single instructions, each from one state.
type laneRun struct {
	t             testing.TB
	m             *ir.Machine
	prog          *exec.Program
	def           *isa.Def
	rand          *rand.Rand
	opt           *RunOptions
	global, group []byte
	spaces        exec.Spaces // global and group memory
}

// begin returns a state with random registers, and the lanes of the mask active.
func (c *laneRun) begin(mask uint64) *exec.State {
	st, err := exec.NewState(c.m, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	c.fill(st)
	st.Start(0, ^uint64(0))
	if c.opt.Prepare != nil {
		c.opt.Prepare(st)
	}
	st.Exec = mask & st.Full
	return st
}

func (c *laneRun) run(mask uint64) {
	st, env := c.begin(mask), c.env()
	block, err := c.prog.Block(st.At.Key)
	if err != nil {
		c.errorf("%v", err)
		return
	}
	before := st.Snapshot()
	stop := ref.New().NewRunner(c.prog).Run(st, env, exec.Budget{Steps: 1, Exact: true})
	if stop.Reason == exec.StopFault {
		st.Clock = before.Clock
		if !st.Equal(before) || c.touched() {
			c.errorf("mask %x: faults (%v) and leaves %v, memory touched: %v", mask, stop.Fault, st.Diff(before, 3), c.touched())
		}
		return
	}
	if why := c.opt.Ignores[c.def.Name]; why == "" {
		c.inactive(before, st, mask)
	}
	scalar := waveMemory(block) || c.opt.Scalar != nil && c.opt.Scalar(c.def)
	if mask&st.Full == 0 && !scalar && (c.touched() || env.Count.Total() != (exec.Traffic{})) {
		c.errorf("with an empty execution mask %d bytes were read and %d written", env.Count.Total().Read, env.Count.Total().Written)
	}
}

func (c *laneRun) errorf(format string, args ...any) {
	c.t.Errorf("%s: %s: %s", rowName(c.def), c.prog.Code.Text(0), fmt.Sprintf(format, args...))
}

// env returns small spaces of zeros. They are reused: clearing the little that an instruction writes is faster than
// allocating.
func (c *laneRun) env() *exec.Env {
	if c.global != nil {
		if c.touched() {
			clear(c.global)
			clear(c.group)
		}
		return &exec.Env{Spaces: c.spaces}
	}
	c.global, c.group = mem.Alloc(runSize), mem.Alloc(runSize)
	space := func(name string, data []byte) *mem.Space {
		sp, err := mem.NewSpace(name, mem.Segment{Name: name, Rights: mem.ReadWrite, Data: data})
		if err != nil {
			c.t.Fatal(err)
		}
		return sp
	}
	c.spaces = exec.Spaces{
		ir.GlobalSpace: {space("global", c.global)}, ir.GroupSpace: {space("group", c.group)}, ir.ConstSpace: {space("const", mem.Alloc(runSize))},
	}
	return &exec.Env{Spaces: c.spaces}
}

var zeros [runSize]byte

// touched reports whether memory is no longer all zeros.
func (c *laneRun) touched() bool {
	return !bytes.Equal(c.global, zeros[:]) || !bytes.Equal(c.group, zeros[:])
}

// fill sets registers: random small aligned addresses in even registers, zero in odd ones, so that a pair is an
// address, too; some have random bits.
func (c *laneRun) fill(st *exec.State) {
	for f := range c.m.Files {
		file := &c.m.Files[f]
		if file.Kind == ir.ExecMask {
			continue
		}
		for i := range file.Count {
			cell := ir.Cell{File: uint8(f), Index: uint16(i)}
			if file.Kind == ir.Lane1 {
				st.SetMask(cell, c.rand.Uint64()&st.Full)
				continue
			}
			if !file.Kind.PerLane() {
				st.Set(cell, 0, c.value(file.Kind, i))
				continue
			}
			for lane, row := 0, st.Row(cell); lane < len(row); lane++ {
				row[lane] = c.value(file.Kind, i)
			}
		}
	}
}

func (c *laneRun) value(k ir.CellKind, i int) uint32 {
	switch {
	case k == ir.Wave1:
		return c.rand.Uint32() & 1
	case i >= 128:
		return c.rand.Uint32()
	case i%2 == 0:
		return c.rand.Uint32N(runSize/2) &^ 15
	}
	return 0
}

// inactive compares the lanes outside the mask with the state before.
func (c *laneRun) inactive(before, after *exec.State, mask uint64) {
	for f := range c.m.Files {
		file := &c.m.Files[f]
		if !file.Kind.PerLane() || file.Kind == ir.ExecMask {
			continue
		}
		for i := range file.Count {
			cell := ir.Cell{File: uint8(f), Index: uint16(i)}
			if file.Kind == ir.Lane32 && slices.Equal(before.Row(cell), after.Row(cell)) {
				continue
			}
			for lane := range after.Lanes {
				if mask>>lane&1 == 0 && before.Get(cell, lane) != after.Get(cell, lane) {
					c.errorf("mask %x: %s%d of lane %d, which is not active, changes from %x to %x",
						mask, file.Name, i, lane, before.Get(cell, lane), after.Get(cell, lane))
					return
				}
			}
		}
	}
}

// waveMemory reports whether the first instruction of the block accesses memory once per wave.
func waveMemory(b *ir.Block) bool {
	for i := range b.Ops {
		if in := &b.Ops[i]; in.Op.Info().Class == ir.Memory && in.Wave && b.MarkAt(i) == 0 {
			return true
		}
	}
	return false
}
