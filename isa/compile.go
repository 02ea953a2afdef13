package isa

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
)

// A Set is an instruction set compiled for use: dispatch tables, print programs, names.
// It is read-only after Compile and safe for many goroutines.
type Set struct {
	*Arch
	names map[string][]*Def
	trees [][]*tree // [variant][stage]
	list  []string  // mnemonics, sorted

	comments *comments
	ends     string // bytes at which a mnemonic may end
	lead     *Kind  // what may stand before a mnemonic
	sepText  string // what stands between operands, quoted for messages
}

// Compile checks the tables of an instruction set and builds what the hot paths need.
// The error joins every fault found.
func Compile(a *Arch) (*Set, error) {
	s := &Set{Arch: a, names: map[string][]*Def{}}
	if a.Sep == "" || len(a.Variants) == 0 || len(a.Variants) > 32 || len(a.Stages) > 32 || a.Unit < 1 {
		return nil, fmt.Errorf("isa %s: separator, unit, or 1 to 32 variants and at most 32 stages are missing", a.Name)
	}
	s.comments = newComments(a.Comments)
	s.ends = "." + a.Suffix
	s.sepText = strconv.Quote(strings.TrimSpace(a.Sep))
	var errs []error
	for i := range a.Defs {
		d := &a.Defs[i]
		d.ID = i
		if err := d.compile(a); err != nil {
			errs = append(errs, fmt.Errorf("isa %s: %s (%s): %w", a.Name, d.Name, d.Enc.Name, err))
			continue
		}
		if d.lead != nil {
			s.lead = d.lead.Kind
		}
		s.names[d.Name] = append(s.names[d.Name], d)
		for _, n := range d.Also {
			s.names[n] = append(s.names[n], d)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	for name, rows := range s.names {
		sort.SliceStable(rows, func(i, j int) bool { return rows[i].Rank < rows[j].Rank })
		s.list = append(s.list, name)
	}
	sort.Strings(s.list)
	stages := max(1, len(a.Stages))
	for v := range a.Variants {
		row := make([]*tree, stages)
		for st := range row {
			row[st] = newTree(a.rows(v, st))
		}
		s.trees = append(s.trees, row)
	}
	return s, nil
}

// rows are the defs that a variant and stage can decode.
func (a *Arch) rows(variant, stage int) (ds []*Def) {
	for i := range a.Defs {
		if d := &a.Defs[i]; d.in(variant, stage) && !d.Alias && !d.Private {
			ds = append(ds, d)
		}
	}
	return ds
}

func (d *Def) in(variant, stage int) bool {
	return d.Variants>>variant&1 != 0 && (d.Stages == 0 || d.Stages>>stage&1 != 0)
}

// InVariant reports whether the variant has the row.
func (d *Def) InVariant(v int) bool { return d.Variants>>v&1 != 0 }

// Names are the mnemonics of the set, sorted.
func (s *Set) Names() []string { return s.list }

// Rows are the rows of a mnemonic in the order in which they are tried.
func (s *Set) Rows(name string) []*Def { return s.names[name] }

func (d *Def) compile(a *Arch) error {
	if d.Enc.Bits%8 != 0 || d.Enc.Bits <= 0 || d.Enc.Bits > 128 {
		return fmt.Errorf("encoding of %d bits", d.Enc.Bits)
	}
	if d.Name == "" || d.Variants == 0 {
		return errors.New("row without name or variant")
	}
	if l := d.Enc.Literal; l != nil && int(l.At.Lo) < d.Enc.Bits || l != nil && (l.At.Hi > 127 || l.At.Hi&7 != 7) {
		return fmt.Errorf("the literal in bits %s does not follow the encoding in whole bytes", l.At)
	}
	d.mask, d.value, d.checks, d.lit, d.steps = bits.Word{}, bits.Word{}, nil, nil, nil
	d.nops, d.glued, d.lead = 0, 0, nil
	if err := d.fixedBits(); err != nil {
		return err
	}
	seenMod := false
	for i := range d.Args {
		arg := &d.Args[i]
		if err := d.bind(arg); err != nil {
			return err
		}
		if seenMod && !arg.Mod {
			return fmt.Errorf("operand %s after a modifier", arg.Name)
		}
		seenMod = arg.Mod
		if arg.Glue && d.glued < i || arg.Glue && arg.Mod {
			return fmt.Errorf("suffix %s after an operand, or a modifier", arg.Name)
		}
		if arg.Glue {
			d.glued++
		}
		if !arg.Mod {
			d.nops++
		}
		if arg.Lead {
			d.lead = arg
		}
		if len(arg.Kind.Reserved) > 0 {
			d.checks = append(d.checks, check{i, arg.Kind.Reserved})
		}
		if l := d.Enc.Literal; l != nil {
			for _, f := range l.Fields {
				if f == arg.Name {
					d.lit = append(d.lit, uint8(i))
				}
			}
		}
	}
	d.idle = bits.Word{}
	for _, f := range d.Idle {
		d.idle = d.idle.Put(f.At, f.Value)
	}
	d.idle = d.idle.AndNot(d.claimed)
	d.printSteps(a)
	return nil
}

// fixedBits computes mask and value, and refuses two claims on one bit.
func (d *Def) fixedBits() error {
	claim := func(r bits.Range, v uint64) error {
		m := r.Mask()
		if int(r.Hi) >= d.Enc.Bits {
			return fmt.Errorf("bits %s are outside the encoding", r)
		}
		if !d.mask.And(m).IsZero() {
			return fmt.Errorf("bits %s are fixed twice", r)
		}
		if v&^bits.Ones(r.Len()) != 0 {
			return fmt.Errorf("0x%x does not fit bits %s", v, r)
		}
		d.mask, d.value = d.mask.Or(m), d.value.Put(r, v)
		return nil
	}
	for _, f := range append(append([]Fixed{}, d.Enc.Fixed...), d.Fix...) {
		if err := claim(f.At, f.Value); err != nil {
			return err
		}
	}
	v := d.Op
	for _, r := range d.Enc.Opcode {
		if err := claim(r, v&bits.Ones(r.Len())); err != nil {
			return err
		}
		v >>= r.Len()
	}
	if v != 0 {
		return fmt.Errorf("opcode 0x%x is too large", d.Op)
	}
	d.claimed = d.mask
	return nil
}

// bind finds an operand's bits and claims them.
func (d *Def) bind(a *Arg) error {
	for _, f := range d.Enc.Fields {
		if f.Name != a.Name {
			continue
		}
		if a.At == nil {
			a.At = f.At
		}
		if a.Kind == nil {
			a.Kind = f.Kind
		}
	}
	if a.Kind == nil {
		return fmt.Errorf("operand %s: no field of that name", a.Name)
	}
	m := a.At.Mask()
	for _, b := range []uint8{a.Neg, a.Abs, a.Sext} {
		if b != 0 {
			m = m.Or(bits.Range{Lo: b, Hi: b}.Mask())
		}
	}
	if !d.claimed.And(m).IsZero() {
		return fmt.Errorf("operand %s claims bits that are claimed already", a.Name)
	}
	if !m.AndNot(bits.Low(d.Enc.Bits)).IsZero() {
		return fmt.Errorf("operand %s is outside the encoding", a.Name)
	}
	d.claimed = d.claimed.Or(m)
	if len(a.At) == 1 {
		r := a.At[0]
		if r.Lo < 64 && r.Hi >= 64 {
			a.At = bits.Ranges{{Lo: r.Lo, Hi: 63}, {Lo: 64, Hi: r.Hi}}
			return nil
		}
		a.hi, a.shift, a.mask = r.Lo/64, r.Lo%64, bits.Ones(r.Len())
	}
	return nil
}

// Mask and Value are the bits that identify the row; Claimed also holds those of its operands.
func (d *Def) Mask() bits.Word    { return d.mask }
func (d *Def) Value() bits.Word   { return d.value }
func (d *Def) Claimed() bits.Word { return d.claimed }

// Overlaps lists the pairs of rows of a variant and stage that match a common word although neither wins by order.
func (s *Set) Overlaps(variant, stage int) (out []string) {
	rows := s.rows(variant, stage)
	for i, d := range rows {
		for _, e := range rows[i+1:] {
			common := d.mask.And(e.mask).And(d.value.Xor(e.value))
			if common.IsZero() && d.Enc.First == e.Enc.First {
				out = append(out, fmt.Sprintf("%s (%s) and %s (%s)", d.Name, d.Enc.Name, e.Name, e.Enc.Name))
			}
		}
	}
	return out
}

// CheckLayout reports fields of an encoding that overlap each other or its fixed bits,
// other than those that alternatives named in share may overlap.
func (e *Encoding) CheckLayout(share ...string) error {
	var used bits.Word
	add := func(name string, m bits.Word) error {
		if !used.And(m).IsZero() && !strings.Contains(" "+strings.Join(share, " ")+" ", " "+name+" ") {
			return fmt.Errorf("isa: encoding %s: %s overlaps another field", e.Name, name)
		}
		used = used.Or(m)
		return nil
	}
	var errs []error
	for _, f := range e.Fixed {
		errs = append(errs, add("fixed bits", f.At.Mask()))
	}
	errs = append(errs, add("opcode", e.Opcode.Mask()))
	for _, f := range e.Fields {
		errs = append(errs, add(f.Name, f.At.Mask()))
	}
	return errors.Join(errs...)
}
