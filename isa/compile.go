package isa

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/bits"
)

// A Set is an instruction set compiled for use: dispatch tables, print programs, names.
// It is read-only after Compile and safe for many goroutines.
type Set struct {
	*Arch
	nameOf  map[string]Name // of Arch.Names
	targets [][]madeTarget  // [variant][stage]
	index   index

	ends     string  // bytes that may end a mnemonic
	prefixes []*Arg  // what may precede a mnemonic, one per name
	heads    byteSet // their first bytes
	sep      byte    // the first byte of Sep
	sepText  string  // the separator of operands, quoted for messages

	unclaimed int // index of OptionUnclaimed in Options, plus 1; 0: the set does not need it

	ruled atomic.Pointer[[]atomic.Pointer[rowRules]] // by Def.ID; see rulesOf
}

// Compile checks the tables of an instruction set and builds what the hot paths need. Rows, Args and layouts may be
// shared with other rows and sets: those that belong to no set yet are completed in place, others are copied, so decl
// must not be changed afterwards. The error joins all faults found.
func Compile(decl *Arch) (*Set, error) {
	a := new(Arch)
	*a = *decl
	if slices.ContainsFunc(a.Defs, func(d Def) bool { return d.set != nil }) {
		a.Defs = slices.Clone(a.Defs)
	}
	s := &Set{Arch: a}
	if a.Sep == "" || len(a.Variants) == 0 || len(a.Variants) > 32 || len(a.Stages) > 32 || a.Unit < 1 {
		return nil, fmt.Errorf("isa %s: separator, unit, or 1 to 32 variants and at most 32 stages are missing", a.Name)
	}
	if len(a.Names) > maxNames {
		return nil, fmt.Errorf("isa %s: %d names of fields, at most %d are possible", a.Name, len(a.Names), maxNames)
	}
	s.ends = "." + a.Suffix
	s.sep, s.sepText = a.Sep[0], strconv.Quote(strings.TrimSpace(a.Sep))
	m := newMaker(len(a.Names))
	s.nameOf = make(map[string]Name, len(a.Names))
	for n, name := range a.Names {
		s.nameOf[name] = Name(n)
	}
	if err := s.pairs(); err != nil {
		return nil, err
	}
	errs := s.compileRows(m)
	for n, ok := range m.used {
		if !ok && len(errs) == 0 && a.Only == 0 {
			errs = append(errs, fmt.Errorf("isa %s: the name %q is that of no field of any row", a.Name, a.Names[n]))
		}
	}
	errs = append(errs, s.checkPrefixes()...)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	s.addUnclaimed()
	return s, s.makeTargets()
}

// compileRows compiles rows, those of one shape together.
func (s *Set) compileRows(m *maker) (errs []error) {
	layouts, shapes := map[*Encoding][]*slot{}, map[shapeKey]*shape{}
	for i := range s.Defs {
		d := &s.Defs[i]
		d.ID, d.set, d.shape = i, s, nil
		key := keyOf(d)
		err := d.compile(shapes[key], m)
		if err != nil {
			errs = append(errs, fmt.Errorf("isa %s: %s (%s): %w", s.Name, d.Name, d.Enc.Name, err))
			continue
		}
		if shapes[key] != nil {
			continue
		}
		shapes[key] = d.shape
		fields, ok := layouts[d.Enc]
		if !ok {
			fields = d.Enc.compile(s, m)
			layouts[d.Enc] = fields
		}
		d.fields = fields
		s.addPrefixes(d)
	}
	return errs
}

// addPrefixes adds the prefixes of a row to the set. A name must have the same kind in all rows, since a prefix is
// read before the row is known.
func (s *Set) addPrefixes(d *Def) {
	for _, i := range d.free[Prefix] {
		a := &d.Args[i]
		if !slices.ContainsFunc(s.prefixes, func(p *Arg) bool { return p.Name == a.Name && p.Kind == a.Kind }) {
			s.prefixes = append(s.prefixes, a)
			s.heads.add(a.Kind)
		}
	}
}

// checkPrefixes refuses prefixes that are also mnemonics, and more prefixes than a Scan can keep.
func (s *Set) checkPrefixes() (errs []error) {
	names, words := map[string]bool{}, map[string]bool{}
	for _, a := range s.prefixes {
		names[a.Name] = true
		for _, sp := range a.Kind.Spell {
			words[sp.Text] = true
		}
	}
	for i := 0; i < len(s.Defs) && len(words) > 0; i++ {
		s.Defs[i].eachName(func(name string) {
			if words[name] {
				delete(words, name) // report it only once
				errs = append(errs, fmt.Errorf("isa %s: %q is a prefix and a mnemonic", s.Name, name))
			}
		})
	}
	if len(names) > maxPrefixes {
		errs = append(errs, fmt.Errorf("isa %s: %d prefixes, at most %d are possible", s.Name, len(names), maxPrefixes))
	}
	return errs
}

func (s *Set) makeTargets() error {
	options := make([]uint8, len(s.Options))
	for i, o := range s.Options {
		v := slices.Index(o.Values, o.Default)
		if v < 0 {
			return fmt.Errorf("isa %s: option %s: the default %q is none of its values", s.Name, o.Name, o.Default)
		}
		options[i] = uint8(v)
	}
	for v := range s.Variants {
		row := make([]madeTarget, max(1, len(s.Stages)))
		for st := range row {
			row[st].target = Target{Set: s, Variant: v, Stage: st, options: options}
		}
		s.targets = append(s.targets, row)
	}
	return nil
}

// rows returns the defs that a variant and stage can decode as a part of that class.
func (a *Arch) rows(variant, stage, class int) (ds []*Def) {
	for i := range a.Defs {
		if d := &a.Defs[i]; d.in(variant, stage) && int(d.Class) == class && !d.Alias && !d.Private {
			ds = append(ds, d)
		}
	}
	return ds
}

func (d *Def) compile(like *shape, m *maker) error {
	if d.Enc.Bits%8 != 0 || d.Enc.Bits <= 0 || d.Enc.Bits > 128 {
		return fmt.Errorf("encoding of %d bits", d.Enc.Bits)
	}
	if d.Name == "" || d.Variants == 0 || int(d.Class) >= max(1, len(d.set.Classes)) {
		return errors.New("row without name, variant or class")
	}
	if l := d.Enc.Literal; l != nil && int(l.At.Lo) < d.Enc.Bits || l != nil && (l.At.Hi > 127 || l.At.Hi&7 != 7) {
		return fmt.Errorf("the literal in bits %s does not follow the encoding in whole bytes", l.At)
	}
	if n := d.longest(); d.set.Longest < n {
		return fmt.Errorf("%d bytes, and the longest instruction of the set has %d", n, d.set.Longest)
	}
	if len(d.Args) > maxArgs {
		return fmt.Errorf("%d operands and modifiers, at most %d are possible", len(d.Args), maxArgs)
	}
	if like == nil {
		d.shape = &m.shapes.take(1)[0]
		if err := d.makeShape(m); err != nil {
			return err
		}
		d.shape.args = d.Args
	} else {
		d.shape, d.Args = like, like.args
	}
	if err := d.opcode(); err != nil {
		return err
	}
	d.size, d.literal = uint8(d.Enc.Bits/8), d.Enc.Literal != nil
	d.exam = len(d.checks) > 0 || d.Enc.Unclaimed == Zero || d.Check != nil
	d.calms = !d.watched.IsZero()
	d.start = d.value.Or(d.rest)
	return nil
}

// makeShape completes the Args and compiles what follows from them and from the layout.
func (d *Def) makeShape(m *maker) error {
	if err := d.fixedBits(); err != nil {
		return err
	}
	if slices.ContainsFunc(d.Args, func(a Arg) bool { return a.bound }) {
		d.Args = again(d.Args)
	}
	var places [numPlaces]int
	for i := range d.Args {
		if p := d.Args[i].Place; p < numPlaces {
			places[p]++
		}
	}
	for p, n := range places {
		if n > 0 && Place(p) != Operand {
			d.free[p] = m.numbers.take(n)[:0]
		}
	}
	d.ops = m.operands.take(places[Operand])[:0]
	if l := d.Enc.Literal; l != nil {
		d.lit = m.slots.take(len(l.Fields))[:0]
	}
	var shared map[string]bits.Word
	for i := range d.Args {
		arg := &d.Args[i]
		arg.index = uint8(i)
		if shared == nil && slices.ContainsFunc(arg.Parts, func(p Part) bool { return p.Shared }) {
			shared = map[string]bits.Word{}
		}
		if err := d.bind(arg, shared, m); err != nil {
			return err
		}
		if err := d.place(arg); err != nil {
			return err
		}
	}
	if len(shared) > maxShared {
		return fmt.Errorf("%d shared parts, at most %d are possible", len(shared), maxShared)
	}
	for _, f := range d.Idle {
		d.idle = d.idle.Put(f.At, f.Value)
	}
	d.idle = d.idle.AndNot(d.claimed)
	d.rest = d.defaults(d.idle)
	d.choice = m.choice(len(d.free[Suffix]), func(i int) *reading { return d.Args[d.free[Suffix][i]].read })
	d.watchAll(m)
	d.resolve(m)
	return nil
}

// defaults returns the word with the values of omitted text set.
func (d *Def) defaults(w bits.Word) bits.Word {
	for i := range d.Args {
		a := &d.Args[i]
		if a.Place != Operand && a.Default != 0 {
			w = a.Put(w, a.Default)
		}
		for j := range a.Parts {
			if p := &a.Parts[j]; p.Default != 0 && len(p.At) > 0 {
				w = p.Put(w, p.Default)
			}
		}
	}
	return w
}

// longest returns the length in bytes of the row with its literal.
func (d *Def) longest() int {
	if l := d.Enc.Literal; l != nil {
		return l.end()
	}
	return d.Enc.Bits / 8
}

// place sorts an arg by its position, and notes what must be checked of it.
func (d *Def) place(a *Arg) error {
	i := a.index
	switch {
	case a.Place >= numPlaces:
		return fmt.Errorf("%s has no place", a.Name)
	case a.Place != Hidden && !a.Kind.readable():
		return fmt.Errorf("%s cannot be read: its kind has neither Spell nor Parse", a.Name)
	case a.Place == Operand && (len(d.free[Modifier]) > 0 || len(d.free[Required]) > 0):
		return fmt.Errorf("operand %s after a modifier", a.Name)
	case a.Place == Suffix && len(d.ops) > 0:
		return fmt.Errorf("suffix %s after an operand", a.Name)
	case a.Place == Operand:
		d.ops = append(d.ops, a)
	case a.Place == Suffix:
		d.heads.add(a.Kind)
		fallthrough
	default:
		d.free[a.Place] = append(d.free[a.Place], i)
	}
	if l := d.Enc.Literal; l != nil && slices.Contains(l.Fields, a.Name) {
		d.lit = append(d.lit, a.slot)
	}
	return nil
}

// fewBits is the width of operands that mostly hold 0 if some values are reserved: these are modes, not registers.
const fewBits = 4

// watchAll notes the fields with reserved values, or with bits that text omits.
func (d *Def) watchAll(m *maker) {
	n := 0
	d.eachField(func(_ *Arg, _ *Part, _ *slot, k *Kind) {
		if m.reserved(k) != nil {
			n++
		}
	})
	d.checks = m.checks.take(n)[:0]
	calm := n > 0
	d.eachField(func(a *Arg, p *Part, s *slot, k *Kind) {
		if list := m.reserved(k); list != nil {
			name, usual := a.Name, a.Default
			if p != nil {
				name, usual = d.partName(a, p), p.Default
			}
			d.checks = append(d.checks, check{*s, name, list})
			d.watched, d.calm = d.watched.Or(s.at.Mask()), s.put(d.calm, usual)
			calm = calm && !k.reserved(usual) && (p != nil || a.Place != Operand || s.at.Len() <= fewBits)
		}
		if k.Canon != nil {
			d.canons = append(d.canons, canon{*s, k.Canon})
		}
	})
	if !calm {
		d.watched = bits.Word{}
	}
}

// eachField calls f with all fields of operands and their parts.
func (d *Def) eachField(f func(a *Arg, p *Part, s *slot, k *Kind)) {
	for i := range d.Args {
		a := &d.Args[i]
		f(a, nil, &a.slot, a.Kind)
		for j := range a.Parts {
			if p := &a.Parts[j]; len(p.At) > 0 {
				f(a, p, &p.slot, p.Kind)
			}
		}
	}
}

// resolve finds the fields that the set's code reads by Name.
func (d *Def) resolve(m *maker) {
	d.names = m.numbers.take(len(d.set.Names))
	var found [maxNames]*slot
	n := uint8(0)
	name := func(text string, s *slot) {
		if i, ok := d.set.nameOf[text]; ok && d.names[i] == 0 {
			m.used[i] = true
			found[n] = s
			n++
			d.names[i] = n
		}
	}
	for i := range d.Args {
		name(d.Args[i].Name, &d.Args[i].slot)
	}
	d.eachField(func(a *Arg, p *Part, s *slot, _ *Kind) {
		if p != nil {
			name(p.Name, s)
			name(a.Name+"."+p.Name, s)
		}
	})
	d.slots = m.slots.take(int(n))
	for i := range d.slots {
		d.slots[i] = *found[i]
	}
}

// compile finds the layout's fields that the set's code reads by Name; an entry is nil if there is no such field.
func (e *Encoding) compile(s *Set, m *maker) []*slot {
	slots := make([]*slot, len(s.Names))
	for n, name := range s.Names {
		if f := e.field(name); f != nil {
			slots[n], m.used[n] = &m.slots.take(1)[0], true
			*slots[n] = newSlot(f.At)
		}
	}
	return slots
}

// fixedBits computes the mask and the fixed bits besides the opcode, and refuses bits that are claimed twice.
func (d *Def) fixedBits() error {
	claim := func(r bits.Range) error {
		m := r.Mask()
		if int(r.Hi) >= d.Enc.Bits {
			return fmt.Errorf("bits %s are outside the encoding", r)
		}
		if !d.mask.And(m).IsZero() {
			return fmt.Errorf("bits %s are fixed twice", r)
		}
		d.mask = d.mask.Or(m)
		return nil
	}
	for _, list := range [][]Fixed{d.Enc.Fixed, d.Fix} {
		for _, f := range list {
			if err := claim(f.At); err != nil {
				return err
			}
			if f.Value&^bits.Ones(f.At.Len()) != 0 {
				return fmt.Errorf("0x%x does not fit bits %s", f.Value, f.At)
			}
			d.fixed = d.fixed.Put(f.At, f.Value)
		}
	}
	for _, r := range d.Enc.Opcode {
		if err := claim(r); err != nil {
			return err
		}
	}
	d.claimed = d.mask
	return nil
}

// opcode computes the fixed bits of the row.
func (d *Def) opcode() error {
	d.value = d.Enc.Opcode.Put(d.fixed, d.Op)
	if d.Enc.Opcode.Get(d.value) != d.Op {
		return fmt.Errorf("opcode 0x%x is too large", d.Op)
	}
	return nil
}

// again returns a copy of args that belong to another row or set, as they were declared.
func again(args []Arg) []Arg {
	args = slices.Clone(args)
	for i := range args {
		a := &args[i]
		a.undo(&a.At, &a.Kind)
		a.Parts = slices.Clone(a.Parts)
		for j := range a.Parts {
			p := &a.Parts[j]
			p.undo(&p.At, &p.Kind)
		}
	}
	return args
}

func (t *taken) undo(at *bits.Ranges, k **Kind) {
	if t.at {
		*at = nil
	}
	if t.kind {
		*k = nil
	}
	*t = taken{}
}

// take completes the declaration of an operand or part from the field of its name.
func (t *taken) take(f *Field, at *bits.Ranges, k **Kind) {
	t.bound = true
	if f != nil && *at == nil {
		*at, t.at = f.At, true
	}
	if f != nil && *k == nil {
		*k, t.kind = f.Kind, true
	}
}

// bind finds the bits of an operand and its parts, and claims them. Shared parts of one name have one claim.
func (d *Def) bind(a *Arg, shared map[string]bits.Word, m *maker) error {
	a.take(d.Enc.field(a.Name), &a.At, &a.Kind)
	if a.Kind == nil || a.At == nil {
		return fmt.Errorf("operand %s: no field of that name", a.Name)
	}
	if err := d.claim(a.Name, a.At); err != nil {
		return err
	}
	a.slot, a.bits, a.read = newSlot(a.At), len(a.At) > 0, m.reading(a.Kind)
	if err := a.Kind.faulty(); err != nil {
		return fmt.Errorf("operand %s: %w", a.Name, err)
	}
	if len(a.Parts) > maxArgs {
		return fmt.Errorf("%s has %d parts, at most %d are possible", a.Name, len(a.Parts), maxArgs)
	}
	if a.sides = nil; len(a.Parts) > 0 {
		a.sides = &m.sides.take(1)[0]
		a.Parts = append(m.parts.take(len(a.Parts))[:0], a.Parts...)
		numbers := m.numbers.take(2 * len(a.Parts))
		a.front, a.back = numbers[:0:len(a.Parts)], numbers[len(a.Parts):][:0]
	}
	for i := range a.Parts {
		p := &a.Parts[i]
		p.take(d.Enc.field(p.Name), &p.At, &p.Kind)
		if p.Kind == nil {
			return fmt.Errorf("part %s.%s: no field of that name", a.Name, p.Name)
		}
		if why := p.faulty(a); why != "" {
			return fmt.Errorf("part %s.%s %s", a.Name, p.Name, why)
		}
		p.slot = newSlot(p.At)
		if p.read = nil; p.Kind.Spell != nil {
			p.read = m.reading(p.Kind)
		}
		switch p.Side {
		case Before, Around:
			a.heads.add(p.Kind)
			a.front = append(a.front, uint8(i))
		case After:
			a.tails.add(p.Kind)
			a.back = append(a.back, uint8(i))
		}
		m := p.At.Mask()
		if p.Shared && shared[p.Name] == m && !m.IsZero() {
			continue
		}
		if err := d.claim(d.partName(a, p), p.At); err != nil {
			return err
		}
		if p.Shared {
			shared[p.Name] = m
		}
	}
	if a.sides != nil {
		a.choice = m.choice(len(a.back), func(i int) *reading { return a.Parts[a.back[i]].read })
	}
	return nil
}

// faulty explains why a part can never be read, or returns "" if it can.
func (p *Part) faulty(a *Arg) string {
	switch {
	case a.Place != Operand && (p.Side != Silent || p.Default != 0):
		return "has text or a default, and is not that of an operand"
	case p.Side == Silent:
		return ""
	case !p.Kind.readable():
		return "cannot be read: its kind has neither Spell nor Parse"
	case p.Kind.Spell == nil && p.Side == Around:
		return "stands around its operand, and its kind has no Spell"
	case p.Kind.Spell == nil && len(p.At) == 0:
		return "is refused, and its kind has no Spell"
	}
	return ""
}

// partName returns the name of a part in messages: that of its field in the layout, or one derived from its operand.
func (d *Def) partName(a *Arg, p *Part) string {
	if d.Enc.field(p.Name) != nil {
		return p.Name
	}
	return a.Name + "." + p.Name
}

func (d *Def) claim(name string, at bits.Ranges) error {
	m := at.Mask()
	if !d.claimed.And(m).IsZero() {
		return fmt.Errorf("%s claims bits that are claimed already", name)
	}
	if !m.AndNot(bits.Low(d.Enc.Bits)).IsZero() {
		return fmt.Errorf("%s is outside the encoding", name)
	}
	d.claimed = d.claimed.Or(m)
	return nil
}

// Overlaps lists the pairs of rows of a variant and stage that match a common word without an order that decides
// between them.
func (s *Set) Overlaps(variant, stage int) (out []string) {
	for class := range max(1, len(s.Classes)) {
		rows := s.rows(variant, stage, class)
		for i, d := range rows {
			for _, e := range rows[i+1:] {
				common := d.mask.And(e.mask).And(d.value.Xor(e.value))
				if common.IsZero() && d.Enc.First == e.Enc.First {
					out = append(out, fmt.Sprintf("%s (%s) and %s (%s)", d.Name, d.Enc.Name, e.Name, e.Enc.Name))
				}
			}
		}
	}
	return out
}
