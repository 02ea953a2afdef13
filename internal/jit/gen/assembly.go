package gen

import (
	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// General registers of a segment. The first four point to the lanes of the current loop iteration.
var (
	regV     = x86.RSI // rows of the state
	regRows  = x86.RDX // rows of the runner
	regVecs  = x86.R15 // values of 64 bits
	regMasks = x86.R8  // words of the runner, as lane masks
	regWords = x86.RBX
	regS     = x86.R9
	regM     = x86.R10
	regCount = x86.R11
)

// An assembly is the code of a plan as it is emitted. Emitters share it: compiler, uniformEmitter, loopEmitter,
// terminator and those of accesses.
type assembly struct {
	*plan
	a     *x86.Asm
	e     *emit.Emitter
	now   int      // the step that is emitted
	list  *listing // nil: none
	exits []exitStub
	data  [len(dataTables)]dataLabel
	logs  [2]dataLabel // of common code of probes: see logRow
}

// A dataLabel is the label of a table, if the code uses it.
type dataLabel struct {
	label x86.Label
	used  bool
}

// Tables of data after the code.
const (
	laneNumbers8  = iota // as bytes
	laneNumbers16        // likewise
	evenElements         // of two vectors of 16, as bytes
	oddElements
	lowInterleaved // the lower elements of two vectors
	highInterleaved
	laneBits   // of 16 lanes, as 32-bit words
	signShifts // shift counts that move a lane's bit of a byte to the top
)

// dataTables are their alignment, length and contents by byte.
var dataTables = [...]struct {
	align, bytes int
	at           func(i int) byte
}{
	laneNumbers8:    {8, 8, func(i int) byte { return byte(i) }},
	laneNumbers16:   {16, 16, func(i int) byte { return byte(i) }},
	evenElements:    {16, 16, func(i int) byte { return byte(2 * i) }},
	oddElements:     {16, 16, func(i int) byte { return byte(2*i + 1) }},
	lowInterleaved:  {16, 16, func(i int) byte { return byte(i/2 + i%2*16) }},
	highInterleaved: {16, 16, func(i int) byte { return byte(i/2 + i%2*16 + 8) }},
	laneBits:        {32, 64, func(i int) byte { return byte(uint32(1) << (i / 4) >> (i % 4 * 8)) }},
	signShifts:      {32, 32, signShift},
}

// signShift is byte i of signShifts.
func signShift(i int) byte {
	if i%4 > 0 {
		return 0
	}
	return byte(7 - i/4)
}

// table returns the operand of a table.
func (c *assembly) table(n int) x86.Operand {
	d := &c.data[n]
	if !d.used {
		d.label, d.used = c.a.NewLabel(), true
	}
	return x86.RIP(d.label)
}

// finish emits constants and tables, and returns the code.
func (c *assembly) finish() ([]byte, error) {
	c.begin("constants")
	c.e.Finish()
	for i, d := range c.data {
		if t := dataTables[i]; d.used {
			c.a.Align(t.align)
			c.a.Bind(d.label)
			for k := range t.bytes {
				c.a.Data(t.at(k))
			}
		}
	}
	return c.a.Finish(nil)
}

func (c *assembly) v(i int) x86.Operand { return x86.V(32*c.lanes, i) }

// lower returns the lower half of a register.
func (c *assembly) lower(i int) x86.Operand { return x86.V(16*c.lanes, i) }

// scratch returns a register that is free between ops.
func (c *assembly) scratch(i int) x86.Operand { return c.v(c.e.Free() + i) }

// halfScratch returns the lower half of such a register.
func (c *assembly) halfScratch(i int) x86.Operand { return c.lower(c.e.Free() + i) }

// row returns the memory operand of a row, or of half of a 64-bit vector.
func (c *assembly) row(p lower.Place) x86.Operand { return x86.At(regOf(p), c.rowOffset(p)) }

// regOf returns the base register of a row.
func regOf(p lower.Place) x86.Operand {
	switch {
	case p.Kind == lower.InVec:
		return regVecs
	case p.At < 0:
		return regRows
	}
	return regV
}

func (c *assembly) rowOffset(p lower.Place) int32 {
	switch {
	case p.Kind == lower.InVec:
		return p.At/2*8*ir.MaxLanes + p.At%2*int32(4*c.lanes)
	case p.At < 0:
		return ^p.At * lower.RowBytes
	}
	return p.At * int32(c.b.Stride) * 4
}

// maskAt is the operand of a mask's lanes of the current iteration.
func (c *assembly) maskAt(p lower.Place) x86.Operand { return x86.At(regMasks, 8*p.At) }

// wordAt is the operand of one of the block's words.
func wordAt(at int32) x86.Operand { return x86.At(regWords, 8*at) }

func word(p lower.Place) x86.Operand { return x86.At(regWords, 8*p.At) }

// clearUnusedLanes clears the bits above the wave's lanes.
func (c *assembly) clearUnusedLanes(r int) {
	if n := uint(c.b.Lanes); n < 64 {
		c.a.Emit(x86.MOV, x86.R64(r14), x86.Imm(1<<n-1))
		c.a.Emit(x86.AND, x86.R64(r), x86.R64(r14))
	}
}

// emit emits an op. Ops that package emit rejects are never part of a segment; an error would stay in the assembler,
// and leave the block without code.
func (c *assembly) emit(call *emit.Call) {
	if err := c.e.Emit(call); err != nil {
		c.a.Fail(err)
	}
}

// copy moves an operand to a register.
func (c *assembly) copy(d, from x86.Operand) {
	if word, is := from.Element(); is {
		c.a.Emit(x86.VBROADCASTSS, d, word)
	} else {
		c.a.Emit(x86.VMOVUPS, d, from)
	}
}
