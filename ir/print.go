package ir

import (
	"math"
	"strconv"

	"github.com/heddle-gpu/heddle/num"
)

// The text form of a block, which Parse reads back exactly. One op a line:
//
//	block 0x1a00 mode 0x2c0
//	mark 0x1a00 size 4
//	  %0 = get.i32 v[5]
//	  %1w = const.i32 0x10
//	  %2:%3 = addov.i32 %0, %1w
//	  %4 = get.i1 exec
//	  set v[6], %2, %4
//	mark 0x1a04 size 4
//	  trap unimplemented "v_foo has no meaning"
//
// Some ops say more than values and numbers:
//
//	  %0:%1 = shuffle.i32 %2, %3, %4, 16                 ; within rows
//	  %0 = getx.i32 s[4 + %3], %4
//	  %0:%1 = input.f32 perspective centroid 1 x 2, %3, %4
//	  output 0 x 2, %3, %0, %1, %4
//	  issue vm writes v[0] x 4 reads s[8] x 2, v[9]
//	  wait vm, 3
//	  %0 = sfu tesla-rcp %3
//
// A block that runs lane by lane is one of "block 0x1a00 serial".
//
// A value that is one per wave has a w after its number. The type after the op is the one its rule's first
// letter stands for, and may be left out where an operand has it. Float ops end in their mode, {rne daz}; a
// semicolon begins a comment.

// Print returns the text form of the block.
func Print(m *Machine, b *Block) string { return string(Append(nil, m, b, nil)) }

// Append appends the text form of the block to dst. note, if not nil, returns the comment after each mark, for
// example the guest instruction as text.
func Append(dst []byte, m *Machine, b *Block, note func(Mark) string) []byte {
	dst = append(dst, "block "...)
	dst = appendHex(dst, b.Key.PC)
	if b.Key.Mode != 0 {
		dst = append(dst, " mode "...)
		dst = appendHex(dst, uint64(b.Key.Mode))
	}
	if b.Serial {
		dst = append(dst, " serial"...)
	}
	dst = append(dst, '\n')
	mark := 0
	marks := func(op int) {
		for ; mark < len(b.Marks) && int(b.Marks[mark].Op) <= op; mark++ {
			dst = appendMark(dst, b.Marks[mark])
			if note != nil {
				dst = append(append(dst, " ; "...), note(b.Marks[mark])...)
			}
			dst = append(dst, '\n')
		}
	}
	for i := range b.Ops {
		marks(i)
		dst = append(dst, "  "...)
		dst = AppendOp(dst, m, b, i)
		dst = append(dst, '\n')
	}
	marks(math.MaxInt)
	return dst
}

func appendMark(dst []byte, k Mark) []byte {
	dst = append(dst, "mark "...)
	dst = appendHex(dst, k.PC)
	dst = append(dst, " size "...)
	dst = strconv.AppendUint(dst, uint64(k.Size), 10)
	if k.Sub != 0 {
		dst = append(dst, " sub "...)
		dst = strconv.AppendUint(dst, uint64(k.Sub), 10)
	}
	return dst
}

// AppendOp appends the text of op i of the block, without indentation and newline.
func AppendOp(dst []byte, m *Machine, b *Block, i int) []byte {
	in := &b.Ops[i]
	for k := range Val(in.NRes) {
		if k > 0 {
			dst = append(dst, ':')
		}
		dst = b.appendVal(dst, in.Res+k)
	}
	if in.NRes > 0 {
		dst = append(dst, " = "...)
	}
	dst = append(dst, in.Op.String()...)
	if in.Op >= numOps || in.Type != NoType && !(in.Type == b.impliedType(in) && in.Op.plain()) {
		dst = append(append(dst, '.'), in.Type.String()...)
	}
	p := printer{dst: append(dst, ' '), m: m, b: b}
	if in.Op < numOps {
		p.operands(in)
	}
	return p.end(in)
}

// plain reports whether the text form omits the op's type if it is implied, because it does not determine a result.
func (o Op) plain() bool {
	_, free := o.fixedType()
	return !free || len(o.rule().res) == 0
}

func (b *Block) appendVal(dst []byte, v Val) []byte {
	dst = strconv.AppendInt(append(dst, '%'), int64(v), 10)
	if v >= 0 && int(v) < len(b.Vals) && b.Vals[v].Wave {
		dst = append(dst, 'w')
	}
	return dst
}

// appendHex writes numbers below ten in decimal, others in hexadecimal.
func appendHex(dst []byte, x uint64) []byte {
	if x < 10 {
		return append(dst, '0'+byte(x))
	}
	return strconv.AppendUint(append(dst, "0x"...), x, 16)
}

// CellName returns a cell in the text form: v[5], or scc in a file of one cell.
func (m *Machine) CellName(c Cell) string { return string(m.appendCell(nil, c)) }

func (m *Machine) appendCell(dst []byte, c Cell) []byte {
	if int(c.File) >= len(m.Files) {
		return append(dst, "file?"...)
	}
	f := &m.Files[c.File]
	dst = append(dst, f.Name...)
	if f.Count == 1 && c.Index == 0 {
		return dst
	}
	return append(strconv.AppendUint(append(dst, '['), uint64(c.Index), 10), ']')
}

// A printer writes the operands of one op. A separator precedes each but the first.
type printer struct {
	dst  []byte
	m    *Machine
	b    *Block
	some bool
}

func (p *printer) sep() {
	if p.some {
		p.dst = append(p.dst, ", "...)
	}
	p.some = true
}

func (p *printer) word(s string) {
	p.dst = append(append(p.dst, s...), ' ')
}

func (p *printer) num(x uint64) {
	p.sep()
	p.dst = appendHex(p.dst, x)
}

func (p *printer) vals(vs []Val) {
	for _, v := range vs {
		p.sep()
		p.dst = p.b.appendVal(p.dst, v)
	}
}

// operands writes what is between the op and its mode, in the order in which Parse reads it.
func (p *printer) operands(in *Inst) {
	switch in.Op {
	case Const:
		p.num(in.Imm)
	case Get, Set, SetLast:
		p.sep()
		p.dst = p.m.appendCell(p.dst, in.Cell)
		p.vals(in.Args)
	case Issue:
		p.queue(in.Imm)
		writes, reads := p.b.Touched(in)
		p.spans(" writes ", writes)
		p.spans(" reads ", reads)
	case SFU:
		p.function(in)
	case Probe, Tally:
		p.num(in.Imm)
		p.vals(in.Args)
	case Wait:
		p.queue(in.Imm)
		p.num(in.Alt)
	case GetX, SetX:
		p.indexed(in)
	case Load, Store, AtomicRMW, Check:
		if in.Op == Check {
			p.word(checkRights[in.Imm&1])
		}
		p.memory(in)
		p.vals(in.Args)
	case Tex:
		p.word(in.Img.Lod.String())
		p.vals(in.Args)
	case Sample, Image:
		p.image(in)
	case Input, Output:
		p.io(in)
		p.vals(in.Args)
	case Trap:
		p.word(TrapReason(min(in.Imm, 255)).String())
		p.dst = strconv.AppendQuote(p.dst, p.b.Why)
	case Jump, CtlStep, CtlStepX, CtlCheck:
		p.control(in)
	default:
		p.vals(in.Args)
		if in.Op == Extract || in.Op == Insert {
			p.sep()
			p.dst = strconv.AppendUint(p.dst, in.Imm, 10)
		} else if f := ops[in.Op].Flags; f&HasImm != 0 && (f&OptImm == 0 || in.Imm != 0) {
			p.num(in.Imm)
		}
		if in.Op.hasAlt() && (in.Alt != 0 || ops[in.Op].Flags&OptAlt == 0) {
			p.num(in.Alt)
		}
	}
}

// control writes a jump, which may yield, or a step of a divergence policy.
func (p *printer) control(in *Inst) {
	if in.Op == Jump {
		if in.Alt == JumpYields {
			p.word("yield")
		}
		p.num(in.Imm)
		return
	}
	k := ControlKind(min(in.Alt, 255))
	p.word(k.String())
	p.vals(in.Args)
	if in.Op == CtlStep && (k.HasTarget() || in.Imm != 0) {
		p.num(in.Imm)
	}
}

// function writes a special function and its operand.
func (p *printer) function(in *Inst) {
	p.word(num.SFU(min(in.Imm, uint64(num.NumSFU))).String())
	p.vals(in.Args)
}

// queue writes the name of a queue.
func (p *printer) queue(i uint64) {
	p.sep()
	if i < uint64(len(p.m.Queues)) {
		p.dst = append(p.dst, p.m.Queues[i].Name...)
	} else {
		p.dst = append(p.dst, "queue?"...)
	}
}

// spans writes v[4] x 2, s[0].
func (p *printer) spans(what string, spans []Span) {
	for i, s := range spans {
		if i == 0 {
			p.dst = append(p.dst, what...)
		} else {
			p.dst = append(p.dst, ", "...)
		}
		p.dst = p.m.appendCell(p.dst, s.Cell)
		if s.Count != 1 {
			p.dst = strconv.AppendUint(append(p.dst, " x "...), uint64(s.Count), 10)
		}
	}
}

// io writes perspective centroid 1 x 2, omitting defaults.
func (p *printer) io(in *Inst) {
	if in.Op == Input {
		p.word(in.IO.How.String())
	}
	p.sep()
	p.dst = strconv.AppendUint(p.dst, uint64(in.IO.First), 10)
	if in.IO.Count != 1 {
		p.dst = strconv.AppendUint(append(p.dst, " x "...), uint64(in.IO.Count), 10)
	}
}

var checkRights = [2]string{"load", "store"}

// indexed writes v[4 + %3] and the other operands.
func (p *printer) indexed(in *Inst) {
	p.sep()
	if int(in.Cell.File) < len(p.m.Files) {
		p.dst = append(p.dst, p.m.Files[in.Cell.File].Name...)
	} else {
		p.dst = append(p.dst, "file?"...)
	}
	p.dst = strconv.AppendUint(append(p.dst, '['), uint64(in.Cell.Index), 10)
	if len(in.Args) > 0 {
		p.dst = p.b.appendVal(append(p.dst, " + "...), in.Args[0])
		p.dst = append(p.dst, ']')
		p.vals(in.Args[1:])
	}
}

// memory writes global[4 x 2 align 4], without a comma after it.
func (p *printer) memory(in *Inst) {
	a := in.Mem
	p.dst = append(p.dst, a.Space.String()...)
	if a.Bank != 0 {
		p.dst = strconv.AppendUint(append(p.dst, ':'), uint64(a.Bank), 10)
	}
	p.dst = strconv.AppendUint(append(p.dst, '['), uint64(a.Elem), 10)
	if a.Count != 1 {
		p.dst = strconv.AppendUint(append(p.dst, " x "...), uint64(a.Count), 10)
	}
	if a.Align != 0 {
		p.dst = strconv.AppendUint(append(p.dst, " align "...), uint64(a.Align), 10)
	}
	if a.Signed {
		p.dst = append(p.dst, " signed"...)
	}
	if a.Load&Volatile != 0 {
		p.dst = append(p.dst, " volatile"...)
	}
	if a.Load&OfDescriptor != 0 {
		p.dst = append(p.dst, " descriptor"...)
	}
	if a.Silent() {
		p.dst = append(p.dst, " silent"...)
	}
	if a.Atomic != 0 || in.Op == AtomicRMW {
		name, _ := AtomicName(a.Atomic)
		p.dst = append(append(p.dst, ' '), name...)
	}
	p.dst = append(p.dst, "] "...)
}

// end writes the float mode, and as a comment the number that a float constant represents.
func (p *printer) end(in *Inst) []byte {
	dst := p.dst
	if dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	if in.Mode != 0 {
		dst = append(append(append(dst, " {"...), in.Mode.String()...), '}')
	}
	if in.Op == Const && in.Type.IsFloat() {
		dst = append(dst, " ; "...)
		x := math.Float64frombits(num.FCvt(in.Type.Bits(), 64, num.ModeSet, in.Imm))
		dst = strconv.AppendFloat(dst, x, 'g', -1, int(max(in.Type.Bits(), 32)))
	}
	return dst
}
