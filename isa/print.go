package isa

import "strconv"

// A Printer turns instructions into text. Its zero value prints the reference tool's text without labels.
type Printer struct {
	// Label names a code address; nil or false: branch targets print as the encoding holds them.
	Label   func(addr uint64) (string, bool)
	Dialect string
}

// A step of a row's print program: text, then the operand's value from a table, or by its kind.
type step struct {
	pre   string
	tab   []string
	arg   *Arg
	hi    uint8
	shift uint8
	multi bool // the field is in several pieces, or is no field
	mask  uint64
}

func (d *Def) printSteps(a *Arch) {
	n := 0
	for i := range d.Args {
		arg := &d.Args[i]
		if arg.Lead {
			continue
		}
		s := step{tab: arg.Kind.Table, arg: arg, hi: arg.hi, shift: arg.shift, mask: arg.mask, multi: len(arg.At) != 1}
		if !arg.Mod && !arg.Glue {
			s.pre = a.Sep
			if n == 0 {
				s.pre = " "
			}
			n++
		}
		if arg.Neg|arg.Abs|arg.Sext != 0 {
			s.tab = nil // the modifiers surround the value: the kind prints both
		}
		d.steps = append(d.steps, s)
	}
}

// Append appends the instruction's text.
func (p *Printer) Append(dst []byte, in *Inst) []byte {
	d := in.Def
	if a := d.lead; a != nil {
		v := a.Get(in.Word)
		if v < uint64(len(a.Kind.Table)) {
			dst = append(dst, a.Kind.Table[v]...)
		}
	}
	dst = append(dst, d.Name...)
	for i := range d.steps {
		s := &d.steps[i]
		var v uint64
		switch {
		case s.multi:
			v = s.arg.At.Get(in.Word)
		case s.hi != 0:
			v = in.Word.Hi >> s.shift & s.mask
		default:
			v = in.Word.Lo >> s.shift & s.mask
		}
		dst = append(dst, s.pre...)
		if v < uint64(len(s.tab)) && s.tab[v] != "" {
			dst = append(dst, s.tab[v]...)
		} else if s.arg.Kind.Text != nil {
			dst = s.arg.Kind.Text(p, dst, in, s.arg, v)
		}
	}
	return dst
}

// AppendBundle appends the text of a bundle.
func (p *Printer) AppendBundle(dst []byte, s *Set, b *Bundle) []byte {
	if s.Join != nil {
		return s.Join(p, dst, b)
	}
	return p.Append(dst, &b.Parts[0])
}

// String is the instruction's text.
func (in *Inst) String() string {
	var p Printer
	return string(p.Append(nil, in))
}

// AppendHex appends 0x and the hexadecimal digits of v.
func AppendHex(dst []byte, v uint64) []byte {
	return strconv.AppendUint(append(dst, "0x"...), v, 16)
}
