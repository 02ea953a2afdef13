package isa

import (
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
)

// A Printer turns instructions into text. Its zero value prints the first dialect, the reference tool's, without labels.
// It is a value: kinds get their own.
type Printer struct {
	// Label names a code address; nil or false: branch targets print as the encoding holds them.
	Label   func(addr uint64) (string, bool)
	Dialect int     // by index
	Plain   bool    // the reference tool's text even where it says something else when it is read
	Bundle  *Bundle // whose part is printed, for kinds whose text lies in other parts; nil: not known
}

// A step of a row's print program: what stands in front, then the value of a field from a table, or by a kind. Steps are kept
// small: printing many rows reads little else.
type step struct {
	tab   []string
	mask  uint64
	arg   *Arg // whose value, or whose part's value
	text  func(p Printer, dst []byte, in *Inst, a *Arg, v uint64) []byte
	slot  *slot // of a field in several runs, or of none; else nil
	half  half
	shift uint8
	quiet bool // 0 prints nothing but what stands in front
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

// frontOf is what stands between the operands of a set; the most frequent separators print without a look at it.
func frontOf(sep string) front {
	switch sep {
	case " ":
		return blank
	case ", ":
		return comma
	}
	return separator
}

// newStep is the step that prints a field, that of a part or that of the arg itself.
func newStep(a *Arg, f *slot, tab []string, text func(Printer, []byte, *Inst, *Arg, uint64) []byte, part bool) step {
	s := step{tab: tab, arg: a, text: text, mask: f.mask, half: f.half, shift: f.shift}
	if f.half == several {
		s.slot = f
	}
	s.quiet = (part || text == nil) && (len(tab) == 0 || tab[0] == "")
	return s
}

// bits are those of the step's field.
func (s *step) bits() bits.Word {
	switch {
	case s.slot != nil:
		return s.slot.at.Mask()
	case s.half == highHalf:
		return bits.Word{Hi: s.mask << s.shift}
	}
	return bits.Word{Lo: s.mask << s.shift}
}

// A program prints a row: prefixes, then what follows the mnemonic.
type program struct{ leads, steps []step }

// printSteps makes the print programs of the row: that of all fields, and a brief one for words whose quiet fields are 0, as
// most are.
func (d *Def) printSteps() {
	n := len(d.Args)
	for i := range d.Args {
		n += 2 * len(d.Args[i].Parts)
	}
	d.full = program{steps: make([]step, 0, n)}
	next := blank
	for i := range d.Args {
		a := &d.Args[i]
		s := newStep(a, &a.slot, a.Kind.Table, a.Kind.Text, false)
		switch a.Place {
		case Prefix:
			d.full.leads = append(d.full.leads, s)
			continue
		case Hidden:
			continue
		case Operand:
			if !a.Tight {
				s.front = next
			}
			next = frontOf(d.set.Sep)
		}
		d.operandSteps(s)
	}
	d.extra = bits.Word{}
	d.brief = program{d.loud(d.full.leads), d.loud(d.full.steps)}
}

// operandSteps are those of an operand between the texts of its parts.
func (d *Def) operandSteps(base step) {
	a := base.arg
	add := func(s step) {
		s.front, base.front = base.front, noFront
		d.full.steps = append(d.full.steps, s)
	}
	for i := range a.Parts {
		if p := &a.Parts[i]; (p.Side == Before || p.Side == Around) && len(p.At) > 0 {
			add(newStep(a, &p.slot, p.Kind.Table, p.Kind.Text, true))
		}
	}
	add(base)
	for i := range a.Parts {
		if p := &a.Parts[i]; p.Side == After && len(p.At) > 0 {
			add(newStep(a, &p.slot, p.Kind.Table, p.Kind.Text, true))
		}
	}
	for i := len(a.Parts) - 1; i >= 0; i-- {
		if p := &a.Parts[i]; p.Side == Around && len(p.At) > 0 {
			add(newStep(a, &p.slot, p.Kind.Close, p.Kind.CloseText, true))
		}
	}
}

// loud is the steps without the quiet ones, whose bits become extra. What stands in front of an operand stays.
func (d *Def) loud(steps []step) []step {
	quiet := 0
	for i := range steps {
		if steps[i].quiet {
			quiet++
		}
	}
	if quiet == 0 {
		return steps
	}
	list := make([]step, 0, len(steps)-quiet+1)
	front := noFront
	for _, s := range steps {
		if s.front != noFront {
			if front != noFront { // nothing else is left of the operand before
				list = append(list, step{front: front})
			}
			front = s.front
		}
		if s.quiet {
			d.extra = d.extra.Or(s.bits())
			continue
		}
		s.front, front = front, noFront
		list = append(list, s)
	}
	if front != noFront {
		list = append(list, step{front: front})
	}
	return list
}

// Append appends the instruction's text.
func (p Printer) Append(dst []byte, in *Inst) []byte {
	d := in.Def
	pr := &d.brief
	if !in.Word.And(d.extra).IsZero() {
		pr = &d.full
	}
	if len(pr.leads) > 0 {
		dst = p.steps(dst, in, pr.leads)
	}
	name := d.Name
	if p.Dialect != 0 {
		name = d.mnemonic(p.Dialect)
	}
	return p.steps(append(dst, name...), in, pr.steps)
}

func (p Printer) steps(dst []byte, in *Inst, steps []step) []byte {
	halves := [2]uint64{in.Word.Lo, in.Word.Hi}
	for i := range steps {
		s := &steps[i]
		v := halves[s.half&1] >> (s.shift & 63) & s.mask
		if s.slot != nil {
			v = s.slot.at.Get(in.Word)
		}
		switch s.front {
		case noFront:
			if v == 0 && s.quiet {
				continue
			}
		case blank:
			dst = append(dst, ' ')
		case comma:
			dst = append(dst, ',', ' ')
		case separator:
			dst = append(dst, in.Def.set.Sep...)
		}
		if v < uint64(len(s.tab)) && s.tab[v] != "" {
			dst = append(dst, s.tab[v]...)
		} else if s.text != nil && !(v == 0 && s.quiet) {
			dst = s.text(p, dst, in, s.arg, v)
		}
	}
	return dst
}

// AppendArg appends the text of one operand or modifier with its parts, without what stands between operands.
func (p Printer) AppendArg(dst []byte, in *Inst, a *Arg) []byte {
	for _, steps := range [][]step{in.Def.full.leads, in.Def.full.steps} {
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
func (p Printer) AppendBundle(dst []byte, s *Set, b *Bundle) []byte {
	if s.Group == nil {
		return p.Append(dst, &b.Parts[0])
	}
	p.Bundle = b
	return s.Group.Join(p, dst, b)
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
