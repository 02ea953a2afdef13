package isa

import "strconv"

// A Printer turns instructions into text. Its zero value prints the first dialect, the reference tool's, without labels.
type Printer struct {
	// Label names a code address; nil or false: branch targets print as the encoding holds them.
	Label   func(addr uint64) (string, bool)
	Dialect int     // by index
	Bundle  *Bundle // whose part is printed, for kinds whose text lies in other parts; nil: not known
}

// A step of a row's print program: what stands in front, then the value of a field from a table, or by a kind. Steps are kept
// small: printing many rows reads little else.
type step struct {
	tab   []string
	mask  uint64
	arg   *Arg // whose value, or whose part's value
	text  func(p *Printer, dst []byte, in *Inst, a *Arg, v uint64) []byte
	slot  *slot // of a field in several runs, or of none; else nil
	hi    uint8
	shift uint8
	part  bool // of a part: 0 has no text but that of the table
	quiet bool // 0 prints nothing, and nothing stands in front
	front front
}

// A front is what a step prints in front of the value.
type front uint8

const (
	noFront   front = iota
	blank           // of the first operand, and of some sets
	comma           // of most sets
	separator       // of the set
)

// fronts are the separators that print without a look at the set.
var fronts = map[string]front{" ": blank, ", ": comma}

// newStep is the step that prints a field.
func newStep(a *Arg, f *slot, tab []string, text func(*Printer, []byte, *Inst, *Arg, uint64) []byte, part bool) step {
	s := step{tab: tab, arg: a, text: text, part: part, mask: f.mask, hi: f.hi, shift: f.shift}
	if f.multi {
		s.slot = f
	}
	s.quiet = (part || text == nil) && (len(tab) == 0 || tab[0] == "")
	return s
}

// printSteps makes the print programs of the row: prefixes, then what follows the mnemonic.
func (d *Def) printSteps() {
	n := len(d.Args)
	for i := range d.Args {
		n += 2 * len(d.Args[i].Parts)
	}
	d.steps = make([]step, 0, n)
	next := blank
	for i := range d.Args {
		a := &d.Args[i]
		s := newStep(a, &a.slot, a.Kind.Table, a.Kind.Text, false)
		switch a.Place {
		case Prefix:
			d.leads = append(d.leads, s)
			continue
		case Hidden:
			continue
		case Operand:
			if !a.Tight {
				s.front = next
			}
			if next = fronts[d.set.Sep]; next == noFront {
				next = separator
			}
		}
		d.operandSteps(s)
	}
}

// operandSteps are those of an operand between the texts of its parts.
func (d *Def) operandSteps(base step) {
	a := base.arg
	part := func(p *Part, tab []string, text func(*Printer, []byte, *Inst, *Arg, uint64) []byte) {
		st := newStep(a, &p.slot, tab, text, true)
		if st.front = base.front; st.front != noFront {
			st.quiet = false
		}
		d.steps = append(d.steps, st)
		base.front = noFront
	}
	for i := range a.Parts {
		if p := &a.Parts[i]; (p.Side == Before || p.Side == Around) && len(p.At) > 0 {
			part(p, p.Kind.Table, p.Kind.Text)
		}
	}
	base.quiet = base.quiet && base.front == noFront
	d.steps = append(d.steps, base)
	base.front = noFront
	for i := range a.Parts {
		if p := &a.Parts[i]; p.Side == After && len(p.At) > 0 {
			part(p, p.Kind.Table, p.Kind.Text)
		}
	}
	for i := len(a.Parts) - 1; i >= 0; i-- {
		if p := &a.Parts[i]; p.Side == Around && len(p.At) > 0 {
			part(p, p.Kind.Close, p.Kind.CloseText)
		}
	}
}

// Append appends the instruction's text.
func (p *Printer) Append(dst []byte, in *Inst) []byte {
	d := in.Def
	if len(d.leads) > 0 {
		dst = p.steps(dst, in, d.leads)
	}
	name := d.Name
	if p.Dialect != 0 {
		name = d.mnemonic(p.Dialect)
	}
	return p.steps(append(dst, name...), in, d.steps)
}

func (p *Printer) steps(dst []byte, in *Inst, steps []step) []byte {
	for i := range steps {
		s := &steps[i]
		var v uint64
		switch {
		case s.slot != nil:
			v = s.slot.at.Get(in.Word)
		case s.hi != 0:
			v = in.Word.Hi >> s.shift & s.mask
		default:
			v = in.Word.Lo >> s.shift & s.mask
		}
		if v == 0 && s.quiet {
			continue
		}
		switch s.front {
		case blank:
			dst = append(dst, ' ')
		case comma:
			dst = append(dst, ',', ' ')
		case separator:
			dst = append(dst, in.Def.set.Sep...)
		}
		if v < uint64(len(s.tab)) && s.tab[v] != "" {
			dst = append(dst, s.tab[v]...)
		} else if s.text != nil && (v != 0 || !s.part) {
			dst = s.text(p, dst, in, s.arg, v)
		}
	}
	return dst
}

// AppendArg appends the text of one operand or modifier with its parts, without what stands between operands.
func (p *Printer) AppendArg(dst []byte, in *Inst, a *Arg) []byte {
	for _, steps := range [][]step{in.Def.leads, in.Def.steps} {
		for i := range steps {
			if s := steps[i]; s.arg == a {
				s.front = noFront
				dst = p.steps(dst, in, []step{s})
			}
		}
	}
	return dst
}

// AppendBundle appends the text of a bundle.
func (p *Printer) AppendBundle(dst []byte, s *Set, b *Bundle) []byte {
	if s.Group == nil {
		return p.Append(dst, &b.Parts[0])
	}
	q := printers.Get().(*Printer)
	*q = *p
	q.Bundle = b
	dst = s.Group.Join(q, dst, b)
	*q = Printer{}
	printers.Put(q)
	return dst
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
