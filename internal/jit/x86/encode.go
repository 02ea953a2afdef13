package x86

// parts are the operands by where they are encoded.
type parts struct {
	reg  uint8    // ModRM.reg, five bits
	vvvv uint8    // five bits
	rm   *Operand // register or memory
	op   uint8    // register in the opcode byte
	is4  uint8
	mask uint8
	zero bool
}

func (in *inst) parts(args []Operand) (p parts) {
	for i := range args {
		o := &args[i]
		switch in.args[i].place {
		case inReg:
			p.reg = o.num
		case inRM:
			p.rm = o
		case inVVVV:
			p.vvvv = o.num
		case inIs4:
			p.is4 = o.num
		case inOpcode:
			p.op = o.num
		}
	}
	if in.ext != none {
		p.reg = in.ext
	}
	if len(args) > 0 {
		p.mask, p.zero = args[0].mask, args[0].zero
	}
	return p
}

// extensions are the bits 3 of the registers that ModRM and SIB name.
func (p *parts) extensions() (r, x, b uint8) {
	r = p.reg >> 3 & 1
	switch {
	case p.rm == nil:
		b = p.op >> 3
	case p.rm.kind&anyMem == 0:
		b = p.rm.num >> 3 & 1
	default:
		if p.rm.base < 16 {
			b = p.rm.base >> 3
		}
		if p.rm.index != none {
			x = p.rm.index >> 3 & 1
		}
	}
	return r, x, b
}

func (a *Asm) encode(in *inst, args []Operand, round uint8) {
	if in.n == 1 && in.args[0].place == inRel {
		a.jump(in, &args[0])
		return
	}
	p := in.parts(args)
	switch in.enc {
	case legacy:
		a.legacy(in, &p, args)
	case vex:
		a.vex(in, &p)
	case evex:
		a.evex(in, &p, round)
	}
	if in.modrm {
		unit := uint8(0)
		if in.enc == evex {
			unit = in.unit
			if p.rm != nil && p.rm.bcst != 0 {
				unit = in.bcst
			}
		}
		if p.rm == nil { // all of ModRM is given, without an operand
			p.rm = &Operand{kind: r64}
		}
		a.modrm(p.reg, p.rm, unit, in.imms)
	}
	for i := range args {
		switch q := &in.args[i]; q.place {
		case inImm:
			a.little(uint64(args[i].imm), q.imm)
		case inIs4:
			a.buf = append(a.buf, p.is4<<4)
		}
	}
}

func (a *Asm) little(v uint64, bytes uint8) {
	for range bytes {
		a.buf = append(a.buf, byte(v))
		v >>= 8
	}
}

var ppBytes = [4]byte{0, 0x66, 0xf3, 0xf2}

func (a *Asm) legacy(in *inst, p *parts, args []Operand) {
	if in.prefix16 {
		a.buf = append(a.buf, 0x66)
	}
	if in.pp != 0 {
		a.buf = append(a.buf, ppBytes[in.pp])
	}
	r, x, b := p.extensions()
	rex := in.w<<3 | r<<2 | x<<1 | b
	for i := range args { // spl, bpl, sil and dil are other registers without the prefix
		if args[i].kind == r8 && args[i].num >= 4 && in.args[i].place != inNothing {
			rex |= 0x40
		}
	}
	if rex != 0 {
		a.buf = append(a.buf, rex|0x40)
	}
	switch in.opmap {
	case 1:
		a.buf = append(a.buf, 0x0f)
	case 2:
		a.buf = append(a.buf, 0x0f, 0x38)
	case 3:
		a.buf = append(a.buf, 0x0f, 0x3a)
	}
	a.buf = append(a.buf, in.opcode+p.op&7)
}

func (a *Asm) vex(in *inst, p *parts) {
	r, x, b := p.extensions()
	last := ^p.vvvv&15<<3 | in.l<<2 | in.pp
	if in.opmap == 1 && in.w == 0 && x == 0 && b == 0 {
		a.buf = append(a.buf, 0xc5, (r^1)<<7|last, in.opcode)
		return
	}
	a.buf = append(a.buf, 0xc4, (r^1)<<7|(x^1)<<6|(b^1)<<5|in.opmap, in.w<<7|last, in.opcode)
}

func (a *Asm) evex(in *inst, p *parts, round uint8) {
	r, x, b := p.extensions()
	v4 := p.vvvv >> 4
	l, bit := in.l, uint8(0)
	switch {
	case p.rm != nil && p.rm.kind&anyVSIB != 0:
		v4 = p.rm.index >> 4
	case p.rm != nil && p.rm.kind&anyMem == 0:
		x = p.rm.num >> 4
	}
	if p.rm != nil && p.rm.bcst != 0 {
		bit = 1
	}
	if round != none {
		bit, l = 1, round
		if round == sae {
			l = 0 // with sae alone: vectors always have the largest length
		}
	}
	z := uint8(0)
	if p.zero {
		z = 1
	}
	a.buf = append(a.buf, 0x62,
		(r^1)<<7|(x^1)<<6|(b^1)<<5|(p.reg>>4^1)<<4|in.opmap,
		in.w<<7|^p.vvvv&15<<3|4|in.pp,
		z<<7|l<<5|bit<<4|(v4^1)<<3|p.mask,
		in.opcode)
}

// modrm appends ModRM, SIB and displacement. An 8-bit displacement is in multiples of unit if unit is not 0. behind is
// the number of bytes of the instruction that follow.
func (a *Asm) modrm(reg uint8, o *Operand, unit, behind uint8) {
	reg = reg & 7 << 3
	if o.kind&anyMem == 0 {
		a.buf = append(a.buf, 0xc0|reg|o.num&7)
		return
	}
	if o.base == ripBase {
		a.buf = append(a.buf, reg|5)
		a.fix(fixup{kind: fixRIP, label: int32(o.imm), extra: behind})
		a.little(0, 4)
		return
	}
	mod, bytes, disp := displacement(o, unit)
	if o.index == none && o.base != none && o.base&7 != 4 {
		a.buf = append(a.buf, mod|reg|o.base&7)
	} else {
		base, index := o.base&7, uint8(4)
		if o.base == none {
			base = 5
		}
		if o.index != none {
			index = o.index & 7
		}
		a.buf = append(a.buf, mod|reg|4, o.scale<<6|index<<3|base)
	}
	a.little(uint64(disp), bytes)
}

// displacement returns the mod bits, and the size of the displacement in bytes.
func displacement(o *Operand, unit uint8) (mod, bytes uint8, disp int64) {
	switch {
	case o.base == none:
		return 0, 4, o.imm
	case o.imm == 0 && o.base&7 != 5:
		return 0, 0, 0
	}
	d := o.imm
	if unit > 1 {
		if d%int64(unit) != 0 {
			return 0x80, 4, d
		}
		d /= int64(unit)
	}
	if d == int64(int8(d)) {
		return 0x40, 1, d
	}
	return 0x80, 4, o.imm
}
