package ir

import (
	"math"
	"slices"
	"strconv"

	"github.com/heddle-gpu/heddle/num"
)

// operands reads what is between the op and its mode: the inverse of printer.operands.
func (p *parser) operands(in *Inst) {
	switch in.Op {
	case Get, Set, SetLast:
		in.Cell = p.cell()
		p.more(in, 0)
	case GetX, SetX:
		p.indexed(in)
		p.more(in, 0)
	case Issue:
		in.Imm = p.queue()
		in.Alt = p.b.touch(p.spans("writes"), p.spans("reads"))
	case SFU:
		in.Imm = p.function()
		p.list(in, 0)
	case Probe:
		in.Imm = p.number("kind", 64)
		p.more(in, 0)
		in.IO.Count = uint8(min(max(len(in.Args), 1)-1, 255))
	case Tally:
		in.Imm = p.number("counter", 64)
		p.more(in, 0)
	case Wait:
		in.Imm = p.queue()
		p.need(',')
		in.Alt = p.number("number of operations", 64)
	case Load, Store, AtomicRMW, Check:
		if in.Op == Check {
			in.Imm = p.choose("right", checkRights[:])
		}
		in.Mem = p.memory()
		p.list(in, 0)
	case Tex:
		in.Img.Lod = LodKind(p.choose("level of detail", lodNames[:]))
		p.list(in, 0)
	case Sample, Image:
		p.image(in)
	case Input, Output:
		p.io(in)
		p.more(in, 0)
	case Trap:
		in.Imm = p.choose("trap reason", trapNames[:])
		p.b.Why = p.quoted()
	case Jump, CtlStep, CtlStepX, CtlCheck:
		p.control(in)
	default:
		nums := 0
		if ops[in.Op].Flags&HasImm != 0 {
			nums++
		}
		if in.Op.hasAlt() {
			nums++
		}
		p.list(in, nums)
	}
}

// control reads a jump or a step of a divergence policy.
func (p *parser) control(in *Inst) {
	nums := 1
	if in.Op != Jump {
		in.Alt = p.choose("control step", controlNames[:])
		if in.Op != CtlStep || !ControlKind(in.Alt).HasTarget() {
			nums = 0
		}
	} else if p.keyword("yield") {
		in.Alt = JumpYields
	}
	p.list(in, nums)
}

// choose reads one of the names and returns its index.
func (p *parser) choose(what string, names []string) uint64 {
	w, at := p.word(what)
	for i, n := range names {
		if n == w {
			return uint64(i)
		}
	}
	p.fail(at, "no %s is called %q", what, w)
	return 0
}

// more reads the operands after the first.
func (p *parser) more(in *Inst, nums int) {
	if p.take(',') {
		p.list(in, nums)
	}
}

// list reads values, then nums numbers: Imm, then Alt.
func (p *parser) list(in *Inst, nums int) {
	got := 0
	for first := true; p.err == nil; first = false {
		if p.end() || p.s[p.pos] == '{' {
			if !first {
				p.fail(p.pos, "%s after a comma", p.found())
			}
			break
		}
		if p.s[p.pos] == '%' && got == 0 {
			in.Args = append(in.Args, p.value())
		} else {
			at := p.pos
			x := p.number("number", 64)
			switch got++; {
			case got > nums:
				p.fail(at, "%s: a number too many", in.Op)
			case got == 1:
				in.Imm = x
			default:
				in.Alt = x
			}
		}
		if !p.take(',') {
			break
		}
	}
	need := nums
	if f := ops[in.Op].Flags; need > 0 && f&(OptImm|OptAlt) != 0 {
		need--
	}
	if got < need {
		p.fail(p.pos, "%s: %s, want a number", in.Op, p.found())
	}
}

// value reads the name of a value.
func (p *parser) value() Val {
	p.end()
	at := p.pos
	p.need('%')
	name, _ := p.word("name of a value")
	v, ok := p.names[name]
	if !ok {
		p.fail(at, "%%%s is not defined before it", name)
	}
	return v
}

// file reads the name of a register file.
func (p *parser) file() int {
	w, at := p.word("register file")
	for i := range p.m.Files {
		if p.m.Files[i].Name == w {
			return i
		}
	}
	p.fail(at, "%s has no register file %q", p.m.Name, w)
	return 0
}

// cell reads v[5] or scc. Verify checks that the cell exists.
func (p *parser) cell() Cell {
	c := Cell{File: uint8(p.file())}
	if p.take('[') {
		c.Index = uint16(p.number("index", 16))
		p.need(']')
	}
	return c
}

// io reads perspective centroid 1 x 2.
func (p *parser) io(in *Inst) {
	if in.Op == Input {
		w, at := p.word("interpolation")
		i := slices.IndexFunc(howInfos[:], func(x howInfo) bool { return x.name == w })
		if i < 0 {
			p.fail(at, "no interpolation is called %q", w)
		}
		in.IO.How = How(max(i, 0))
		for i, x := range placeInfos {
			if x.name != "" && p.keyword(x.name) {
				in.IO.How |= How(i) << 4
			}
		}
	}
	in.IO.First, in.IO.Count = uint8(p.number("component", 8)), 1
	if p.keyword("x") {
		in.IO.Count = uint8(p.number("number of components", 8))
	}
}

// function reads the name of a special function.
func (p *parser) function() uint64 {
	w, at := p.word("special function")
	f, ok := num.SFUOf(w)
	if !ok {
		p.fail(at, "no special function is called %q", w)
	}
	return uint64(f)
}

// queue reads the name of a queue.
func (p *parser) queue() uint64 {
	w, at := p.word("queue")
	for i := range p.m.Queues {
		if p.m.Queues[i].Name == w {
			return uint64(i)
		}
	}
	p.fail(at, "%s has no queue %q", p.m.Name, w)
	return 0
}

// spans reads v[4] x 2, s[0] if the word is there.
func (p *parser) spans(what string) (spans []Span) {
	if !p.keyword(what) {
		return nil
	}
	for {
		s := Span{Cell: p.cell(), Count: 1}
		if p.keyword("x") {
			s.Count = uint16(p.number("number of cells", 16))
		}
		spans = append(spans, s)
		if !p.take(',') {
			return spans
		}
	}
}

// indexed reads v[4 + %3].
func (p *parser) indexed(in *Inst) {
	in.Cell.File = uint8(p.file())
	p.need('[')
	in.Cell.Index = uint16(p.number("index", 16))
	p.need('+')
	in.Args = append(in.Args, p.value())
	p.need(']')
}

// memory reads global[4 x 2 align 4].
func (p *parser) memory() (a Mem) {
	a.Space = SpaceID(p.choose("address space", spaceNames[:]))
	if p.take(':') {
		a.Bank = uint8(p.number("bank", 8))
	}
	p.need('[')
	a.Elem, a.Count = uint8(p.number("element size", 8)), 1
	for !p.take(']') && p.err == nil {
		switch w, at := p.word("attribute"); w {
		case "x":
			a.Count = uint8(p.number("count", 8))
		case "align":
			a.Align = uint8(p.number("alignment", 8))
		case "signed":
			a.Signed = true
		case "volatile":
			a.Load |= Volatile
		case "descriptor":
			a.Load |= OfDescriptor
		case "silent":
			a.Load |= Silent
		default:
			a.Atomic = atomicByName(w)
			if a.Atomic == math.MaxUint8 {
				p.fail(at, "no access attribute is called %q", w)
			}
		}
	}
	return a
}

// atomicByName returns the operation of that name, MaxUint8 if there is none.
func atomicByName(w string) uint8 {
	for i := range atomics {
		if atomics[i].name == w {
			return uint8(i)
		}
	}
	return math.MaxUint8
}

// quoted reads a Go string literal.
func (p *parser) quoted() string {
	p.end()
	q, err := strconv.QuotedPrefix(p.s[p.pos:])
	if err != nil || q[0] == '\'' {
		p.fail(p.pos, "%s, want a quoted text", p.found())
		return ""
	}
	p.pos += len(q)
	text, _ := strconv.Unquote(q) // cannot fail after QuotedPrefix
	return text
}
