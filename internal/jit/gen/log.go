package gen

import (
	"slices"
	"unsafe"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// The code writes what probes with one operand tell to a log of the context, for which the runner makes observers hear
// of it when the code has returned: see portable.ChainExit. If there is no room, or no log, the caller executes the
// probe. Most operands are a series, as addresses are: the difference of consecutive lanes is the same for all. Then
// two numbers say what the lanes have.

// logBytes is the size of a log.
const logBytes = 16 << 10

// recordBytes is the size of the longest record.
const recordBytes = 8 * (portable.LogHead + ir.MaxLanes)

// Log implements portable.CodeRunner.
func (w *worker) Log() { w.logs = true }

// lendLog gives the code a log to write to, if the runner wants one.
func (w *worker) lendLog(c *code.Context) {
	if w.logs && c.Log == nil {
		c.Log, c.LogRoom = unsafe.Pointer(unsafe.SliceData(make([]uint64, logBytes/8))), logBytes-recordBytes+1
	}
}

// General registers of probes, besides regMask.
var (
	logTo     = x86.R9
	logFirst  = x86.R10 // the operand of the first lane
	logStep   = x86.R11
	logLeft   = x86.R12 // lanes that are still to be compared
	logBack   = x86.R14 // where the common code continues
	logValues = x86.RSI // the operand's row or vector
)

// isLogged reports whether there is code that logs a probe.
func (p *plan) isLogged(s *lower.Step) bool {
	if len(s.Args) != 1 || s.Mask.Kind == 0 || s.From != ir.I32 && s.From != ir.I64 {
		return false
	}
	k := s.Args[0].Kind
	return k == lower.InWord || k == lower.InRow && s.From == ir.I32 || k == lower.InVec && s.From == ir.I64
}

// logged emits a probe that is logged.
func (c *assembly) logged(s *lower.Step) {
	a, back := c.a, c.a.NewLabel()
	x := exitStub{label: a.NewLabel(), step: c.now, again: a.NewLabel(), caller: true}
	c.exits = append(c.exits, x)
	a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
	w := &accessor{c, a, s, x.label}
	w.loadMask(x.again)
	a.Emit(x86.MOV, logTo, x86.At(x86.RDI, code.OffLogged))
	a.Emit(x86.CMP, logTo, x86.At(x86.RDI, code.OffLogRoom))
	a.Emit(x86.JAE, x86.To(x.label))
	c.logHead(logTo, regMask)
	if p := s.Args[0]; p.Kind == lower.InWord {
		a.Emit(x86.XOR, x86.R32(11), x86.R32(11))
		if s.From == ir.I64 {
			a.Emit(x86.MOV, logFirst, word(p))
		} else {
			a.Emit(x86.MOV, x86.R32(10), word(p).Size(4))
		}
		c.logSeries(logTo, logFirst, logStep)
	} else {
		a.Emit(x86.LEA, logValues, w.firstLane(p))
		a.Emit(x86.LEA, logBack, x86.RIP(back))
		a.Emit(x86.JMP, x86.To(c.common(&c.logs[flag(s.From == ir.I64)])))
		a.Bind(back)
	}
	a.Bind(x.again)
}

// logKnown emits a probe of the addresses of an affine access. There is room for it: see logRoom.
func (c *compiler) logKnown(s *lower.Step) {
	a, mask, to, done := c.a, x86.R64(r13), x86.R64(r12), c.a.NewLabel()
	at := slices.IndexFunc(c.known, func(l knownProbe) bool { return l.step == c.now })
	x := c.checked(c.known[at].access)
	site := c.b.Steps[x.step].Site
	c.loadWordMask(r13, s.Mask)
	a.Emit(x86.TEST, mask, mask)
	a.Emit(x86.JE, x86.To(done))
	a.Emit(x86.MOV, to, x86.At(x86.RDI, code.OffLogged))
	c.logHead(to, mask)
	a.Emit(x86.MOV, x86.RAX, wordAt(site+lower.SiteStart))
	a.Emit(x86.SUB, x86.RAX, wordAt(site+lower.SiteHost))
	a.Emit(x86.ADD, x86.RAX, wordAt(site+lower.SiteBase))
	c.logSeries(to, x86.RAX, x86.Imm(int64(x.stride)))
	a.Bind(done)
}

// logRoom emits the test that the log has room for all that a fast plan logs.
func (c *affineTest) logRoom() {
	bytes := int64(0)
	for i := range c.choices {
		switch c.choices[i].form {
		case formLogKnown:
			bytes += 8 * portable.LogSeries
		case formLogged:
			bytes += recordBytes
		}
	}
	if len(c.known) == 0 {
		return
	}
	c.a.Emit(x86.MOV, x86.RAX, x86.At(x86.RDI, code.OffLogged))
	c.a.Emit(x86.ADD, x86.RAX, x86.Imm(max(bytes-recordBytes, 0))) // where there is no log, both are 0
	c.a.Emit(x86.CMP, x86.RAX, x86.At(x86.RDI, code.OffLogRoom))
	c.a.Emit(x86.JGE, x86.To(c.other))
}

// logHead makes to, an offset in the log, the address of a record, and writes its first words.
func (c *assembly) logHead(to, mask x86.Operand) {
	a := c.a
	a.Emit(x86.ADD, to, x86.At(x86.RDI, code.OffLog))
	a.Emit(x86.MOV, x86.RAX, arg(argLink))
	a.Emit(x86.MOV, x86.RAX, x86.At(x86.RAX, offNumber))
	a.Emit(x86.MOV, x86.At(to, 0), x86.RAX)
	a.Emit(x86.MOV, x86.At(to, 4).Size(4), x86.Imm(int64(c.now)))
	a.Emit(x86.MOV, x86.At(to, 8), mask)
}

// logSeries writes the rest of a record of a series.
func (c *assembly) logSeries(to, first, step x86.Operand) {
	c.a.Emit(x86.MOV, x86.At(to, 8*portable.LogHead), first)
	c.a.Emit(x86.MOV, x86.At(to, 8*portable.LogHead+8).Size(8), step)
	c.a.Emit(x86.ADD, x86.At(x86.RDI, code.OffLogged).Size(8), x86.Imm(8*portable.LogSeries))
}

// common returns the label of code after that of the block.
func (c *assembly) common(d *dataLabel) x86.Label {
	if !d.used {
		d.label, d.used = c.a.NewLabel(), true
	}
	return d.label
}

// logRows emits the common code of probes.
func (c *assembly) logRows() {
	for i, bytes := range [...]int32{4, 8} {
		if c.logs[i].used {
			c.begin("log")
			c.a.Bind(c.logs[i].label)
			(&logRow{c, c.a, bytes}).write()
		}
	}
}

// A logRow emits the rest of a record of a row of elements of 4 or 8 bytes.
type logRow struct {
	*assembly
	a     *x86.Asm
	bytes int32
}

func (w *logRow) write() {
	a, some, raw, series := w.a, w.a.NewLabel(), w.a.NewLabel(), w.a.NewLabel()
	if w.b.Lanes >= 16 {
		a.Emit(x86.CMP, regMask, arg(argFull))
		a.Emit(x86.JNE, x86.To(some))
		w.all(raw)
		a.Emit(x86.JMP, x86.To(series))
		a.Bind(some)
	}
	w.some(raw)
	a.Bind(series)
	w.logSeries(logTo, logFirst, logStep)
	a.Emit(x86.JMP, logBack)
	a.Bind(raw)
	w.raw()
	a.Emit(x86.JMP, logBack)
}

// lane loads a lane of the row, from a lane of rcx on.
func (w *logRow) lane(to int, n int32) {
	d := x86.R64(to)
	if w.bytes == 4 {
		d = x86.R32(to)
	}
	w.a.Emit(x86.MOV, d, x86.At(logValues, n*w.bytes).Index(x86.RCX, int(w.bytes)))
}

// all computes the series of all lanes, or continues at raw.
func (w *logRow) all(raw x86.Label) {
	a := w.a
	y := func(n int) x86.Operand { return x86.Y(n) }
	minus, same, spread := x86.VPSUBQ, x86.VPCMPEQQ, x86.VPBROADCASTQ
	if w.bytes == 4 {
		minus, same, spread = x86.VPSUBD, x86.VPCMPEQD, x86.VPBROADCASTD
	}
	a.Emit(x86.XOR, x86.R32(rcx), x86.R32(rcx))
	w.difference()
	a.Emit(x86.MOV, x86.R32(rcx), x86.Imm(int64(w.b.Lanes-1)))
	w.unlessEnds(raw) // cheap, and it fails for most that are no series
	a.Emit(x86.VMOVQ, x86.X(0), logStep)
	a.Emit(spread, y(0), x86.X(0))
	lanes, each := int32(w.b.Lanes), 32/w.bytes
	for i := int32(0); i < lanes; i += each {
		to := i
		if i+each == lanes {
			to-- // what is after the last lane is no lane
		}
		d := y(2)
		if i == 0 {
			d = y(1)
		}
		a.Emit(x86.VMOVUPS, y(3), x86.At(logValues, (to+1)*w.bytes))
		a.Emit(minus, y(3), y(3), x86.At(logValues, to*w.bytes))
		a.Emit(same, d, y(3), y(0))
		if i > 0 {
			a.Emit(x86.VPAND, y(1), y(1), d)
		}
	}
	a.Emit(x86.VPMOVMSKB, x86.R32(rax), y(1))
	a.Emit(x86.CMP, x86.R32(rax), x86.Imm(-1))
	a.Emit(x86.JNE, x86.To(raw))
}

// difference computes the step from the lane of rcx to the next one.
func (w *logRow) difference() {
	w.lane(10, 0)
	w.lane(11, 1)
	if w.bytes == 4 {
		w.a.Emit(x86.SUB, x86.R32(11), x86.R32(10))
		w.a.Emit(x86.MOVSXD, logStep, x86.R32(11))
		return
	}
	w.a.Emit(x86.SUB, logStep, logFirst)
}

// unlessEnds continues at raw unless the lane of rcx has the value of a series from lane 0 on. Lanes of 32 bits may
// have the differences of one, but pass the end of what 32 bits hold.
func (w *logRow) unlessEnds(raw x86.Label) {
	w.lane(rax, 0)
	w.a.Emit(x86.IMUL, x86.RCX, logStep)
	w.a.Emit(x86.ADD, x86.RCX, logFirst)
	w.a.Emit(x86.CMP, x86.RAX, x86.RCX)
	w.a.Emit(x86.JNE, x86.To(raw))
}

// some computes the series of a mask without gaps, or continues at raw.
func (w *logRow) some(raw x86.Label) {
	a, again, one, done := w.a, w.a.NewLabel(), w.a.NewLabel(), w.a.NewLabel()
	d := x86.G(int(8*w.bytes), rax)
	a.Emit(x86.TZCNT, x86.RCX, regMask)
	a.Emit(x86.SHRX, x86.RAX, regMask, x86.RCX)
	a.Emit(x86.LEA, x86.RDX, x86.At(x86.RAX, 1))
	a.Emit(x86.TEST, x86.RDX, x86.RAX)
	a.Emit(x86.JNE, x86.To(raw))
	a.Emit(x86.POPCNT, logLeft, x86.RAX)
	a.Emit(x86.SUB, logLeft, x86.Imm(1))
	a.Emit(x86.JE, x86.To(one))
	w.difference()
	a.Bind(again)
	w.lane(rax, 1)
	a.Emit(x86.SUB, d, x86.At(logValues, 0).Index(x86.RCX, int(w.bytes)))
	a.Emit(x86.CMP, d, x86.G(int(8*w.bytes), 11))
	a.Emit(x86.JNE, x86.To(raw))
	a.Emit(x86.ADD, x86.RCX, x86.Imm(1))
	a.Emit(x86.SUB, logLeft, x86.Imm(1))
	a.Emit(x86.JNE, x86.To(again))
	a.Emit(x86.TZCNT, x86.RDX, regMask)
	a.Emit(x86.IMUL, x86.RDX, logStep)
	a.Emit(x86.SUB, logFirst, x86.RDX)
	w.unlessEnds(raw)
	a.Emit(x86.JMP, x86.To(done))
	a.Bind(one)
	w.lane(10, 0)
	a.Emit(x86.XOR, x86.R32(11), x86.R32(11))
	a.Bind(done)
}

// raw writes the values of all lanes.
func (w *logRow) raw() {
	a, lanes := w.a, int32(w.b.Lanes+portable.LogLanes-1)/portable.LogLanes*portable.LogLanes
	a.Emit(x86.OR, x86.At(logTo, 4).Size(4), x86.Imm(-1<<31)) // LogRow
	for i := int32(0); i < lanes; i += 4 {
		if from := x86.At(logValues, i*w.bytes); w.bytes == 8 {
			a.Emit(x86.VMOVUPS, x86.Y(0), from)
		} else {
			a.Emit(x86.VPMOVZXDQ, x86.Y(0), from)
		}
		a.Emit(x86.VMOVUPS, x86.At(logTo, 8*(portable.LogHead+i)), x86.Y(0))
	}
	a.Emit(x86.ADD, x86.At(x86.RDI, code.OffLogged).Size(8), x86.Imm(8*int64(portable.LogHead+lanes)))
}
