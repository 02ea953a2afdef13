package x86

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
)

// Errors of Decode.
var (
	ErrShort   = errors.New("x86: the code ends within an instruction")
	ErrUnknown = errors.New("x86: no instruction of the table")
)

// An Inst is a decoded instruction. Size of a memory operand is its size in bytes; jump targets, and memory relative
// to the code, are byte distances from the next instruction: see [View].
type Inst struct {
	Op    Op
	Form  int // number of the row in one size and encoding, below [Forms]
	Len   int // bytes
	Bits  int // of vectors
	N     int // operands
	Args  [maxArgs]Operand
	Round Operand // rounding; none if it is the zero value
	Need  cpu.Set // features
}

// Operands returns the operands in the form that Emit takes.
func (in *Inst) Operands() []Operand {
	list := append([]Operand(nil), in.Args[:in.N]...)
	if in.Round.kind == rounding {
		list = append(list, in.Round)
	}
	return list
}

// String returns the instruction in Intel's syntax; jump targets and memory relative to the code are byte distances
// from the next instruction.
func (in *Inst) String() string {
	s := in.Op.String()
	for i, o := range in.Operands() {
		if i > 0 {
			s += ","
		}
		s += " " + o.String()
	}
	return s
}

// Forms returns the number of forms of instructions.
func Forms() int { return len(compiled().insts) }

// FormName describes a form.
func FormName(form int) string {
	t := compiled()
	in, op := &t.insts[form], 0
	for form >= t.first[op+1] {
		op++
	}
	s := fmt.Sprintf("%s %s/%d/w%d/%d", t.names[op], [...]string{"legacy", "vex", "evex"}[in.enc], 128<<in.l, in.w, form-t.first[op])
	return s
}

// A slot is the part of an instruction's bytes by which it is looked up: encoding, map, prefix, opcode.
type slot uint16

func slotOf(enc, opmap, pp, opcode uint8) slot {
	return slot(enc)<<13 | slot(opmap)<<10 | slot(pp)<<8 | slot(opcode)
}

// bySlot has the insts of each slot, and the ops of insts.
var bySlot = sync.OnceValue(func() *decoding {
	t := compiled()
	d := &decoding{at: map[slot][]uint16{}}
	for op := range t.names {
		for i := t.first[op]; i < t.first[op+1]; i++ {
			d.ops = append(d.ops, Op(op))
			d.add(&t.insts[i], uint16(i))
		}
	}
	return d
})

// A decoding is the table by slots.
type decoding struct {
	ops []Op
	at  map[slot][]uint16
}

func (d *decoding) add(in *inst, i uint16) {
	put := func(opmap, opcode uint8) {
		s := slotOf(in.enc, opmap, in.pp, opcode)
		d.at[s] = append(d.at[s], i)
	}
	put(in.opmap, in.opcode)
	for _, p := range in.args[:in.n] {
		switch p.place {
		case inOpcode:
			for r := uint8(1); r < 8; r++ {
				put(in.opmap, in.opcode|r)
			}
		case inRel: // the short form
			if in.opmap == 0 {
				put(0, 0xeb)
			} else {
				put(0, 0x70|in.opcode&15)
			}
		}
	}
}

// A reading is the state of decoding an instruction, with the contents of its prefixes.
type reading struct {
	code  []byte
	at    int
	short bool // the code ended too early

	enc, opmap, pp, opcode    uint8
	w, l, r, x, b, r4, v4, vv uint8 // r4, v4: bits 4 of ModRM.reg and VEX.vvvv; vv: its four bits
	z, bit, mask              uint8 // of EVEX
	has66, rex                bool

	rm  uint8 // ModRM
	mem Operand
}

func (d *reading) next() uint8 {
	if d.at >= len(d.code) {
		d.short = true
		return 0
	}
	d.at++
	return d.code[d.at-1]
}

// number reads a signed number.
func (d *reading) number(bytes uint8) int64 {
	v := uint64(0)
	for i := range bytes {
		v |= uint64(d.next()) << (8 * i)
	}
	if bytes == 0 {
		return 0
	}
	n := 64 - 8*uint(bytes)
	return int64(v<<n) >> n
}

// Decode decodes the first instruction of the code to in. The error is ErrShort or ErrUnknown. Whatever Emit would not
// produce is unknown, even if the processor supports it; so are redundant prefixes.
func Decode(code []byte, in *Inst) error {
	t, table := compiled(), bySlot()
	d := reading{code: code}
	if !d.prefixes() && !d.short {
		return nop(code, in)
	}
	head := d
	for _, i := range table.at[slotOf(d.enc, d.opmap, d.pp, d.opcode)] {
		d = head
		if d.inst(&t.insts[i], in) {
			if d.short {
				break
			}
			in.Op, in.Form, in.Len, in.Need = table.ops[i], int(i), d.at, t.insts[i].need
			return nil
		}
	}
	if d.short {
		return ErrShort
	}
	return nop(code, in)
}

// nop decodes one of the instructions that Align emits.
func nop(code []byte, in *Inst) error {
	for _, n := range nops[1:] {
		if bytes.HasPrefix(code, n) {
			*in = Inst{Op: NOP, Len: len(n), Bits: 128, Form: compiled().first[NOP]}
			return nil
		}
		if len(code) < len(n) && bytes.HasPrefix(n, code) {
			return ErrShort
		}
	}
	return ErrUnknown
}

// prefixes reads up to the opcode. It fails at prefixes that no row has.
func (d *reading) prefixes() bool {
	b := d.next()
	switch b {
	case 0xc5:
		b = d.next()
		d.enc, d.opmap, d.r = vex, 1, b>>7^1
		d.last(b)
	case 0xc4:
		b = d.next()
		d.enc, d.opmap = vex, b&31
		d.r, d.x, d.b = b>>7^1, b>>6&1^1, b>>5&1^1
		b = d.next()
		d.w = b >> 7
		d.last(b)
	case 0x62:
		return d.evex()
	default:
		return d.legacy(b)
	}
	d.opcode = d.next()
	return d.opmap < 8 && !d.short
}

// last reads the last byte of a VEX prefix.
func (d *reading) last(b uint8) {
	d.vv, d.l, d.pp = b>>3&15^15, b>>2&1, b&3
}

func (d *reading) evex() bool {
	p, q, s := d.next(), d.next(), d.next()
	d.enc, d.opmap = evex, p&7
	d.r, d.x, d.b, d.r4 = p>>7^1, p>>6&1^1, p>>5&1^1, p>>4&1^1
	d.w, d.vv, d.pp = q>>7, q>>3&15^15, q&3
	d.z, d.l, d.bit, d.v4, d.mask = s>>7, s>>5&3, s>>4&1, s>>3&1^1, s&7
	d.opcode = d.next()
	return p&8 == 0 && q&4 != 0 && !d.short
}

func (d *reading) legacy(b uint8) bool {
	if b == 0x66 {
		d.has66 = true
		b = d.next()
	}
	switch b {
	case 0xf3:
		d.pp = 2
		b = d.next()
	case 0xf2:
		d.pp = 3
		b = d.next()
	}
	if b>>4 == 4 {
		d.rex = true
		d.w, d.r, d.x, d.b = b>>3&1, b>>2&1, b>>1&1, b&1
		b = d.next()
	}
	if b == 0x0f {
		d.opmap = 1
		switch b = d.next(); b {
		case 0x38:
			d.opmap, b = 2, d.next()
		case 0x3a:
			d.opmap, b = 3, d.next()
		}
	}
	d.opcode = b
	return !d.short
}

// inst reads the rest as an instance of the inst; false if it is none.
func (d *reading) inst(t *inst, in *Inst) bool {
	if !d.suits(t) {
		return false
	}
	*in = Inst{N: int(t.n), Bits: 128 << t.l}
	if t.modrm {
		d.rm = d.next()
		if d.short {
			return true
		}
		if t.ext != none && d.rm>>3&7 != t.ext {
			return false
		}
		if !d.place(t) {
			return false
		}
	}
	if !d.length(t, in) {
		return false
	}
	used := false
	for i := range t.args[:t.n] {
		p := &t.args[i]
		if !d.operand(t, p, &in.Args[i]) {
			return false
		}
		used = used || p.place == inVVVV
	}
	if !used && d.vv != 0 || !used && d.v4 != 0 && d.mem.kind&anyVSIB == 0 {
		return false
	}
	return d.masks(t, in)
}

// suits checks the prefixes.
func (d *reading) suits(t *inst) bool {
	if t.enc == legacy {
		return d.w == t.w && d.has66 == t.prefix16
	}
	return d.w == t.w && (t.enc == evex || d.l == t.l)
}

// length checks EVEX length, rounding and broadcast.
func (d *reading) length(t *inst, in *Inst) bool {
	switch {
	case d.enc != evex:
		return true
	case d.bit == 0:
		return d.l == t.l
	case d.mem.kind != 0:
		return d.l == t.l && t.bcst != 0
	case t.l < 2 && t.wholeLength():
		return false
	case t.er:
		in.Round = Operand{kind: rounding, num: d.l}
		return true
	case t.sae:
		in.Round = NoExceptions
		return d.l == 0
	}
	return false
}

// masks checks the write mask.
func (d *reading) masks(t *inst, in *Inst) bool {
	if d.mask == 0 {
		return !t.must && d.z == 0
	}
	if !t.mask || d.z != 0 && (!t.zero || in.Args[0].kind&anyMem != 0) {
		return false
	}
	in.Args[0].mask, in.Args[0].zero = d.mask, d.z != 0
	return true
}

// place reads the memory operand of ModRM, if there is one.
func (d *reading) place(t *inst) bool {
	var p *pattern
	for i := range t.args[:t.n] {
		if t.args[i].place == inRM {
			p = &t.args[i]
		}
	}
	if d.rm>>6 == 3 {
		return p != nil && p.kinds&anyReg != 0 || p == nil && d.rm&7 == 0
	}
	if p == nil || p.kinds&anyMem == 0 {
		return false
	}
	o := &d.mem
	*o = Operand{kind: p.kinds & anyMem, index: none, size: p.mem}
	unit := uint8(1)
	if d.enc == evex {
		unit = t.unit
		if d.bit != 0 && t.bcst != 0 {
			unit, o.bcst, o.size = t.bcst, p.mem/t.bcst, t.bcst
		}
	}
	return d.address(o, unit)
}

// address reads SIB and displacement.
func (d *reading) address(o *Operand, unit uint8) bool {
	mod, rm, bytes := d.rm>>6, d.rm&7, uint8(0)
	o.base = rm | d.b<<3
	if rm == 4 {
		s := d.next()
		o.base, o.scale = s&7|d.b<<3, s>>6
		o.index = s>>3&7 | d.x<<3
		if o.kind != memory {
			o.index |= d.v4 << 4
		} else if o.index == 4 {
			o.index, o.scale = none, 0
		}
		if s&7 == 5 && mod == 0 {
			o.base, bytes = none, 4
		}
	} else if rm == 5 && mod == 0 {
		o.base, bytes = ripBase, 4
	}
	if o.kind != memory && rm != 4 {
		return false
	}
	switch mod {
	case 1:
		o.imm = d.number(1) * int64(max(unit, 1))
	case 2:
		o.imm = d.number(4)
	default:
		o.imm = d.number(bytes)
	}
	return true
}

// operand reads one operand.
func (d *reading) operand(t *inst, p *pattern, o *Operand) bool {
	reg := Operand{kind: p.kinds & anyReg}
	switch p.place {
	case inReg:
		reg.num = d.rm>>3&7 | d.r<<3 | d.r4<<4
	case inVVVV:
		reg.num = d.vv | d.v4<<4
	case inOpcode:
		reg.num = d.opcode&7 | d.b<<3
	case inNothing:
		if p.kinds == imm {
			*o = Imm(int64(p.fixed))
			return true
		}
		reg.num = p.fixed
	case inIs4:
		b := d.next()
		reg.num = b >> 4
		if b&15 != 0 {
			return false
		}
	case inImm:
		*o = Imm(d.number(p.imm))
		return true
	case inRel:
		bytes := uint8(4)
		if d.opmap == 0 && d.opcode != t.opcode {
			bytes = 1
		}
		*o = Operand{kind: target, imm: d.number(bytes)}
		return true
	case inRM:
		if d.mem.kind != 0 {
			*o = d.mem
			return true
		}
		reg.num = d.rm&7 | d.b<<3
		if reg.kind&anyVec != 0 && d.enc == evex {
			reg.num |= d.x << 4
		}
	}
	*o = reg
	return d.exists(reg, p)
}

// exists reports whether there is such a register; ah, ch, dh and bh do not exist here.
func (d *reading) exists(o Operand, p *pattern) bool {
	switch o.kind {
	case kreg:
		return o.num < 8
	case r8:
		return p.place == inNothing || d.rex || d.enc != legacy || o.num < 4
	case r16, r32, r64:
		return o.num < 16
	}
	return o.num < 16 || d.enc == evex
}
