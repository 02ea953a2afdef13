package isa

import (
	mathbits "math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
)

// A Printer turns instructions into text. Its zero value prints the first dialect, that of the reference tool,
// without labels. It is passed by value: kinds get a copy.
type Printer struct {
	// Label names a code address; nil or false: branch targets are printed as encoded.
	Label   func(addr uint64) (string, bool)
	Dialect int     // by index
	Plain   bool    // print the reference tool's text even if it would not read back as the same instruction
	Bundle  *Bundle // the bundle being printed, for kinds whose text is in other parts; nil: unknown
}

// A step of a row's print program is a text and the value of a field, by a table or a kind. Steps are kept small:
// printing many rows reads little else.
type step struct {
	tab   []string
	low   uint64 // of the value: the bits of the first run
	arg   *Arg   // the arg that the value, or the part, belongs to
	text  func(p Printer, dst []byte, in *Inst, a *Arg, v uint64) []byte
	slot  *slot  // of a field in several runs; else nil
	still uint64 // the value for which only the text before it is printed, if quiet
	words *string
	half  half
	shift uint8
	quiet bool
	front front
}

// A front is what a step prints before its value.
type front uint8

const (
	noFront   front = iota
	blank           // before the first operand, and in some sets
	comma           // in most sets
	separator       // the set's separator
	fixed           // the words of the step: text that all words of the row share
)

// frontOf returns the front for a separator of operands; the most frequent ones are printed without a look at the
// set.
func frontOf(sep string) front {
	switch sep {
	case " ":
		return blank
	case ", ":
		return comma
	}
	return separator
}

// newStep returns the step that prints a field, that of a part or of the arg itself. def is the value that text
// omits.
func newStep(a *Arg, f *slot, tab []string, text func(Printer, []byte, *Inst, *Arg, uint64) []byte, part bool, def uint64) step {
	s := step{tab: tab, arg: a, text: text, low: f.mask &^ f.upper, half: f.half, shift: f.shift}
	if f.half > highHalf {
		s.slot = f
	}
	s.quiet = (part || text == nil) && (len(tab) == 0 || tab[0] == "")
	if !s.quiet && text == nil && def < uint64(len(tab)) && tab[def] == "" {
		s.quiet, s.still = true, def
	}
	return s
}

// constant returns the text of a step that prints the same for all words.
func (s *step) constant() (text string, ok bool) {
	if s.low != 0 || s.slot != nil || s.front == fixed || s.text != nil && (len(s.tab) == 0 || s.tab[0] == "") && s.arg != nil {
		return "", false
	}
	if len(s.tab) > 0 {
		text = s.tab[0]
	}
	return text, true
}

// frontText returns what the step prints before its value.
func (s *step) frontText(sep string) string {
	switch s.front {
	case noFront:
		return ""
	case blank:
		return " "
	case fixed:
		return *s.words
	}
	return sep
}

// place returns a word with the value in the step's field.
func (s *step) place(v uint64) bits.Word {
	if s.slot != nil {
		return s.slot.put(bits.Word{}, v)
	}
	if s.half == highHalf {
		return bits.Word{Hi: v & s.low << s.shift}
	}
	return bits.Word{Lo: v & s.low << s.shift}
}

// bits returns the bits of the step's field.
func (s *step) bits() bits.Word {
	return s.place(^uint64(0))
}

// A program prints a row: prefixes, then what follows the mnemonic; brief programs print what follows prints.head.
type program struct {
	leads, steps []step
}

// prints are the print programs of a shape: one for all fields, a brief one for the usual words whose quiet fields
// print nothing, and a plain one for those of them whose operands are all plain.
type prints struct {
	full    program
	brief   program
	native  program // the brief one in the first dialect, after opening
	opening string
	head    string // what all words printed in brief have after the mnemonic
	plain   program
	extra   bits.Word // of the fields that the brief program leaves out
	still   bits.Word // and their values then
	beside  bits.Word // of the fields that are 0 if operands are plain
}

// prints returns the print programs of the row's shape. They are made for the first word that is printed: most files
// use few shapes.
func (d *Def) prints() *prints {
	if p := d.shape.prints.Load(); p != nil {
		return p
	}
	d.shape.prints.CompareAndSwap(nil, d.makePrints())
	return d.shape.prints.Load()
}

func (d *Def) makePrints() *prints {
	n := len(d.Args)
	for i := range d.Args {
		n += 2 * len(d.Args[i].Parts)
	}
	ps := &prints{full: program{steps: make([]step, 0, n)}}
	next := blank
	for i := range d.Args {
		a := &d.Args[i]
		def := a.Default
		if a.Place == Operand || a.Place == Hidden {
			def = 0
		}
		s := newStep(a, &a.slot, a.Kind.Table, a.Kind.Text, false, def)
		switch a.Place {
		case Prefix:
			ps.full.leads = append(ps.full.leads, s)
			continue
		case Hidden:
			continue
		case Operand:
			if !a.Tight {
				s.front = next
			}
			next = frontOf(d.set.Sep)
		}
		ps.operand(s)
	}
	ps.brief.leads = ps.loud(ps.full.leads)
	steps := ps.loud(ps.full.steps)
	ps.head, ps.brief.steps = fold(steps, d.set.Sep)
	if ps.beside = d.besides(); !ps.beside.IsZero() {
		_, ps.plain.steps = fold(plainSteps(steps), d.set.Sep)
	}
	ps.opening, ps.native.steps = ps.head, ps.brief.steps
	if ps.beside.IsZero() && slices.ContainsFunc(steps, isNative) {
		ps.opening, ps.native.steps = fold(nativeSteps(steps), d.set.Sep)
	}
	return ps
}

// besides returns the bits of the fields that are 0 if all operands are plain; none, if there are no plain ones.
func (d *Def) besides() (w bits.Word) {
	for i := range d.Args {
		for _, name := range d.Args[i].Kind.Beside {
			if f := d.Find(name); f != nil && f.Place == Hidden {
				w = w.Or(f.slot.at.Mask())
			}
		}
	}
	return w
}

// plainSteps returns the steps with the tables of plain operands.
func plainSteps(steps []step) []step {
	list := slices.Clone(steps)
	for i := range list {
		if s := &list[i]; s.arg != nil && s.arg.Kind.Plain != nil && s.text != nil {
			s.tab, s.text = s.arg.Kind.Plain, nil
		}
	}
	return list
}

// isNative reports whether the first dialect has a table for the value of the step.
func isNative(s step) bool {
	return s.arg != nil && s.arg.Kind.Native != nil && s.text != nil && s.low == 0 && s.slot == nil
}

// nativeSteps returns the steps with the tables of the first dialect.
func nativeSteps(steps []step) []step {
	list := slices.Clone(steps)
	for i := range list {
		if s := &list[i]; isNative(*s) {
			s.tab, s.text = s.arg.Kind.Native, nil
		}
	}
	return list
}

// fold moves steps that print the same for all words into the front of the next step, and leading ones into head.
func fold(steps []step, sep string) (head string, list []step) {
	text, at := "", 0
	for i := range steps {
		if t, ok := steps[i].constant(); ok && t != "" {
			at = i + 1
			continue
		}
		break
	}
	for i := range steps[:at] {
		t, _ := steps[i].constant()
		head += steps[i].frontText(sep) + t
	}
	steps = steps[at:]
	if !slices.ContainsFunc(steps, func(s step) bool { t, ok := s.constant(); return ok && t != "" }) {
		return head, steps
	}
	list = make([]step, 0, len(steps))
	for i, s := range steps {
		if t, ok := s.constant(); ok && t != "" && i+1 < len(steps) {
			text += s.frontText(sep) + t
			continue
		}
		if text != "" {
			words := text + s.frontText(sep)
			s.words, s.front, text = &words, fixed, ""
		}
		list = append(list, s)
	}
	return head, list
}

// operand adds the steps of an operand and the texts of its parts.
func (ps *prints) operand(base step) {
	a := base.arg
	def := func(p *Part) uint64 {
		if p.Shared || p.Side == Around { // several steps print it
			return 0
		}
		return p.Default
	}
	add := func(s step) {
		s.front, base.front = base.front, noFront
		ps.full.steps = append(ps.full.steps, s)
	}
	for i := range a.Parts {
		if p := &a.Parts[i]; (p.Side == Before || p.Side == Around) && len(p.At) > 0 {
			add(newStep(a, &p.slot, p.Kind.Table, p.Kind.Text, true, def(p)))
		}
	}
	add(base)
	for i := range a.Parts {
		if p := &a.Parts[i]; p.Side == After && len(p.At) > 0 {
			add(newStep(a, &p.slot, p.Kind.Table, p.Kind.Text, true, def(p)))
		}
	}
	for i := len(a.Parts) - 1; i >= 0; i-- {
		if p := &a.Parts[i]; p.Side == Around && len(p.At) > 0 {
			add(newStep(a, &p.slot, p.Kind.Close, p.Kind.CloseText, true, def(p)))
		}
	}
}

// loud returns the steps without the quiet ones, whose bits are added to extra. Fronts of operands stay.
func (ps *prints) loud(steps []step) []step {
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
			ps.extra, ps.still = ps.extra.Or(s.bits()), ps.still.Or(s.place(s.still))
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
func (p Printer) Append(dst []byte, in *Inst) []byte { return p.AppendAs(dst, in, in.Def) }

// AppendAs appends the text that another row with the same bits has for the instruction.
func (p Printer) AppendAs(dst []byte, in *Inst, d *Def) []byte {
	if p.Dialect != 0 && d.set.PrintDialect != nil {
		return d.set.PrintDialect(p, dst, in, d)
	}
	ps, name := d.prints(), d.Name
	if p.Dialect != 0 {
		name = d.mnemonic(p.Dialect)
	}
	if in.Word.And(ps.extra) != ps.still {
		if len(ps.full.leads) > 0 {
			dst = p.steps(dst, in, ps.full.leads)
		}
		return p.steps(append(dst, name...), in, ps.full.steps)
	}
	if len(ps.brief.leads) > 0 {
		dst = p.steps(dst, in, ps.brief.leads)
	}
	dst = append(dst, name...)
	switch {
	case len(ps.plain.steps) > 0 && in.Word.And(ps.beside).IsZero():
		return p.steps(append(dst, ps.head...), in, ps.plain.steps)
	case p.Dialect == 0:
		return p.steps(append(dst, ps.opening...), in, ps.native.steps)
	}
	return p.steps(append(dst, ps.head...), in, ps.brief.steps)
}

func (p Printer) steps(dst []byte, in *Inst, steps []step) []byte {
	halves := [2]uint64{in.Word.Lo, in.Word.Hi}
	for i := range steps {
		s := &steps[i]
		v := halves[s.half&1] >> (s.shift & 63) & s.low
		if f := s.slot; f != nil && f.half == several {
			v = f.runs(in.Word)
		} else if f != nil {
			v |= halves[f.half&1] >> (f.next & 63) & f.upper
		}
		switch s.front {
		case noFront:
			if v == s.still && s.quiet {
				continue
			}
		case blank:
			dst = append(dst, ' ')
		case comma:
			dst = append(dst, ',', ' ')
		case separator:
			dst = append(dst, in.Def.set.Sep...)
		case fixed:
			dst = append(dst, *s.words...)
		}
		if v < uint64(len(s.tab)) && s.tab[v] != "" {
			dst = append(dst, s.tab[v]...)
		} else if s.text != nil && !(v == s.still && s.quiet) {
			dst = s.text(p, dst, in, s.arg, v)
		}
	}
	return dst
}

// AppendArg appends the text of one operand or modifier with its parts, without separators.
func (p Printer) AppendArg(dst []byte, in *Inst, a *Arg) []byte {
	full := &in.Def.prints().full
	for _, steps := range [][]step{full.leads, full.steps} {
		for i := range steps {
			if s := steps[i]; s.arg == a {
				s.front = noFront
				dst = p.steps(dst, in, []step{s})
			}
		}
	}
	return dst
}

// AppendBundle appends the text of a bundle. In a set with groups it may overwrite up to 31 bytes after that text, if
// dst has the capacity: a caller that keeps data there must limit the capacity, as dst[:n:n] does.
func (p Printer) AppendBundle(dst []byte, s *Set, b *Bundle) []byte {
	if s.Group == nil {
		return p.Append(dst, &b.Parts[0])
	}
	p.Bundle = b
	return s.Group.Join(p, dst, b)
}

// String returns the instruction's text.
func (in *Inst) String() string {
	var p Printer
	return string(p.Append(nil, in))
}

// AppendHex appends 0x and the hexadecimal digits of v.
func AppendHex(dst []byte, v uint64) []byte {
	const digits = "0123456789abcdef"
	if v < 16 {
		return append(dst, '0', 'x', digits[v])
	}
	dst = append(dst, '0', 'x')
	n := (mathbits.Len64(v) + 3) / 4
	var text [16]byte
	for i := n; i > 0; v >>= 4 {
		i--
		text[i&15] = digits[v&15]
	}
	return append(dst, text[:n]...)
}
