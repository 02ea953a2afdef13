package eval

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A Register is what a name denotes: cells, lowest word first, or bits of the execution mask.
type Register struct {
	Name  string
	Cells []ir.Cell
	Mask  MaskPart // if not 0, part of the execution mask, without cells
	Bits  int
	Lanes bool // one value per lane
	// Compound is set for a register that is made of several cells; Cells then has the cell with most of its bits.
	Compound *isa.Compound
}

// A MaskPart selects bits of the execution mask.
type MaskPart uint8

const (
	NoMask MaskPart = iota
	WholeMask
	LowMask  // lanes 0 to 31
	HighMask // lanes 32 to 63
)

// maskNames are the suffixes of the mask's name.
var maskNames = [...]string{WholeMask: "", LowMask: "_lo", HighMask: "_hi"}

// maskBits are the first bit and the width of each part.
var maskBits = [...]struct{ at, n int }{WholeMask: {0, 64}, LowMask: {0, 32}, HighMask: {32, 32}}

// Lookup finds a register of a variant by name.
func Lookup(t *isa.Target, name string) (Register, error) {
	m := t.Machine()
	if c, ok := m.Exec(); ok {
		for p := WholeMask; p <= HighMask; p++ {
			if name == m.Files[c.File].Name+maskNames[p] {
				return Register{Name: name, Mask: p, Bits: maskBits[p].n}, nil
			}
		}
	}
	for i := range t.Compounds {
		if c := &t.Compounds[i]; c.Name == name {
			return Register{Name: name, Cells: []ir.Cell{c.Cell}, Bits: 32, Compound: c}, nil
		}
	}
	if t.Cell == nil {
		return Register{}, fmt.Errorf("%s has no register names", t.Name)
	}
	cells, err := t.Set.Cell(t.Variant, name)
	if err != nil {
		return Register{}, err
	}
	r := Register{Name: name, Cells: cells}
	for _, c := range cells {
		k := m.Kind(c)
		if k == ir.Lane1 || k == ir.Wave1 {
			r.Bits++
		} else {
			r.Bits += 32
		}
		r.Lanes = r.Lanes || k.PerLane()
	}
	return r, nil
}

// set writes a value of any width to the register in a lane, or in the wave.
func (r *Register) set(st *exec.State, lane int, v *big.Int) {
	if r.Bits <= 64 {
		r.Set(st, lane, v.Uint64())
		return
	}
	word := new(big.Int)
	for i, c := range r.Cells {
		word.Rsh(v, uint(i*r.width()))
		st.Set(c, lane, uint32(new(big.Int).And(word, big.NewInt(0xffffffff)).Uint64()))
	}
}

// Set writes the low 64 bits of the register in a lane, or in the wave.
func (r *Register) Set(st *exec.State, lane int, v uint64) {
	if r.Mask != NoMask {
		b := maskBits[r.Mask]
		ones := ^uint64(0) >> (64 - b.n) << b.at
		exec := st.Exec&^ones | v<<b.at&ones
		st.Exec = exec & st.Full
		return
	}
	if r.Compound != nil {
		setCompound(r.Compound, st, uint32(v))
		return
	}
	width := r.width()
	for i, c := range r.Cells {
		st.Set(c, lane, uint32(v>>(i*width)))
	}
}

// Get returns the low 64 bits of the register in a lane.
func (r *Register) Get(st *exec.State, lane int) (v uint64) {
	if r.Mask != NoMask {
		b := maskBits[r.Mask]
		return st.Exec >> b.at & (^uint64(0) >> (64 - b.n))
	}
	if r.Compound != nil {
		return uint64(compound(r.Compound, st))
	}
	width := r.width()
	for i, c := range r.Cells {
		v |= uint64(st.Get(c, lane)) << (i * width)
	}
	return v
}

// width returns how many bits of the register each cell has.
func (r *Register) width() int { return r.Bits / max(1, len(r.Cells)) }

// Values returns the low 64 bits of the register: one value per lane of the wave, or one.
func (r *Register) Values(st *exec.State) (vs []uint64) {
	n := 1
	if r.Lanes {
		n = st.Lanes
	}
	for lane := range n {
		vs = append(vs, r.Get(st, lane))
	}
	return vs
}

// Places returns the cells that the register shares with registers of overlapping names; halves of the execution mask
// count as cells 0 and 1 of its file.
func (r *Register) Places(m *ir.Machine) []ir.Cell {
	low, _ := m.Exec()
	high := ir.Cell{File: low.File, Index: low.Index + 1}
	switch r.Mask {
	case WholeMask:
		return []ir.Cell{low, high}
	case LowMask:
		return []ir.Cell{low}
	case HighMask:
		return []ir.Cell{high}
	}
	return r.Cells
}

// An Assign is the value of a register before the program runs.
type Assign struct {
	Reg    Register
	Values []*big.Int // one for all lanes, or one for each of the first lanes
	List   bool
	Format meaning.Format // in which it was written; nil: as bits, or an integer
	Note   string         // a warning that the program may interpret the value otherwise; "": none
}

// ParseAssign reads NAME=VALUE or NAME=VALUE,VALUE,... with one value per lane; see ParseValue. If one value is written
// as a float, all are floats: of the type that the program reads from the register, else as wide as the register. (X Y
// ...) is a value of several components: the words of a register of several words, or the numbers packed in one word. A
// list without brackets means the same for a register of more than 64 bits.
func (p *Program) ParseAssign(text string) (a Assign, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return a, fmt.Errorf("%q: want REGISTER=VALUE", text)
	}
	if a.Reg, err = Lookup(p.Target, strings.TrimSpace(name)); err != nil {
		return a, err
	}
	items := listItems(value)
	if n := len(a.Reg.Cells); a.Reg.Bits > 64 && len(items) > 1 && !strings.Contains(value, "(") {
		if len(items) != n {
			return a, fmt.Errorf("%s has %d components, not %d; a value for each lane is a list of (X Y ...)", name, n, len(items))
		}
		items = []string{"(" + strings.Join(items, " ") + ")"}
	}
	if err := a.takes(p.Target, len(items)); err != nil {
		return a, err
	}
	read := p.reads(&a.Reg)
	float := slices.ContainsFunc(strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune("(), ", c) }), isFloat)
	for _, item := range items {
		v, f, err := a.Reg.value(item, read, float)
		if err != nil {
			return a, fmt.Errorf("%s: %w", name, err)
		}
		a.Values, a.Format = append(a.Values, v), f
	}
	if !float {
		a.Note = integerNote(strings.TrimSpace(name), items, read)
	}
	return a, nil
}

// listItems splits a list at the commas outside brackets.
func listItems(text string) (items []string) {
	depth, from := 0, 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth <= 0 {
				items, from = append(items, text[from:i]), i+1
			}
		}
	}
	return append(items, text[from:])
}

// value reads one value of the register and returns the format in which it is written. read is the format in which the
// program reads it.
func (r *Register) value(text string, read meaning.Format, float bool) (*big.Int, meaning.Format, error) {
	text = strings.TrimSpace(text)
	inner, ok := strings.CutPrefix(text, "(")
	if !ok {
		return scalar(text, r.Bits, read, float)
	}
	inner, ok = strings.CutSuffix(inner, ")")
	if !ok {
		return nil, nil, fmt.Errorf("%s: want ) after the components", text)
	}
	items := strings.FieldsFunc(inner, func(c rune) bool { return c == ' ' || c == ',' })
	parts := r.components(read)
	if len(parts) < 2 {
		parts = typedParts(items, r.Bits)
	}
	if len(parts) < 2 {
		return nil, nil, fmt.Errorf("%s: the register holds one number", text)
	}
	if len(items) != len(parts) {
		return nil, nil, fmt.Errorf("%s: %d components, want %d", text, len(items), len(parts))
	}
	sum, format := new(big.Int), meaning.Format(nil)
	for i, x := range parts {
		v, f, err := scalar(items[i], x.Bits, read.Cut(x.At, x.Bits), float)
		if err != nil {
			return nil, nil, err
		}
		sum.Or(sum, v.Lsh(v, uint(x.At)))
		format = append(format, f.Move(x.At)...)
	}
	return sum, format, nil
}

// components returns the parts of the register that (X Y ...) fills: its words, or the numbers that the program reads
// from one word.
func (r *Register) components(read meaning.Format) []meaning.Field {
	if n := len(r.Cells); n != 1 {
		var words meaning.Format
		for i := range n {
			words = append(words, meaning.Field{At: i * r.Bits / n, Bits: r.Bits / n})
		}
		return words
	}
	return read
}

// typedParts returns the parts that items fill if each of them has a type, lowest first; nil if one has none, or if
// they do not fit.
func typedParts(items []string, bits int) (parts []meaning.Field) {
	at := 0
	for _, item := range items {
		prefix, _, _ := strings.Cut(item, ":")
		n, _ := typeOf(prefix)
		if n == 0 || at+n > bits {
			return nil
		}
		parts = append(parts, meaning.Field{At: at, Bits: n})
		at += n
	}
	return parts
}

// scalar reads one number of up to bits bits.
func scalar(text string, bits int, read meaning.Format, float bool) (*big.Int, meaning.Format, error) {
	if isFloat(text) || float {
		switch {
		case len(read) > 1 && read.Floats():
			return nil, nil, fmt.Errorf("%s: the program reads %d numbers from it: write all of them, such as (%s%s)", text, len(read), text, strings.Repeat(" 0", len(read)-1))
		case len(read) == 1 && read.Floats() && read[0].At >= 0 && read[0].At+read[0].Bits <= bits: // may be a half
			v, err := ParseValue(text, read[0].Bits, float)
			if err != nil {
				return nil, nil, err
			}
			return v.Lsh(v, uint(read[0].At)), read, nil
		}
	}
	v, err := ParseValue(text, bits, float)
	if err != nil {
		return nil, nil, err
	}
	if prefix, _, typed := strings.Cut(text, ":"); typed {
		n, isFloat := typeOf(prefix)
		kind := map[byte]meaning.Kind{'i': meaning.Signed, 'u': meaning.Unsigned}[prefix[0]]
		if isFloat {
			kind = meaning.Float
		}
		return v, meaning.Format{{Bits: n, Kind: kind}}, nil
	}
	if isFloat(text) {
		return v, meaning.Format{{Bits: bits, Kind: meaning.Float}}, nil
	}
	return v, nil, nil
}

// integerNote returns a warning if a register from which the program reads a float is assigned an integer without a
// point.
func integerNote(name string, items []string, read meaning.Format) string {
	if !read.Floats() || len(read) > 1 {
		return ""
	}
	for _, item := range items {
		v, ok := new(big.Int).SetString(strings.TrimSpace(item), 10)
		if !ok || v.Sign() == 0 {
			continue
		}
		word := v.Int64()
		n := read[0].Bits
		bits := uint64(word) & (^uint64(0) >> (64 - n))
		what := fmt.Sprintf("f%d %s", n, meaning.FloatText(n, bits))
		if exponent(n, bits) == 0 {
			what = fmt.Sprintf("a denormal f%d", n)
		}
		return fmt.Sprintf("%s=%s is the integer %s, %s: write %s.0", name, v, v, what, v)
	}
	return ""
}

// AssignWords assigns bit patterns to a register: one for the wave or all its lanes, or one for each of the first
// lanes. In a register of more than 64 bits they are the low bits.
func AssignWords(t *isa.Target, name string, words []uint64) (a Assign, err error) {
	if a.Reg, err = Lookup(t, name); err != nil {
		return a, err
	}
	if err := a.takes(t, len(words)); err != nil {
		return a, err
	}
	for _, w := range words {
		if a.Reg.Bits < 64 && w>>a.Reg.Bits != 0 {
			return a, fmt.Errorf("%s: %#x does not fit %d bits", name, w, a.Reg.Bits)
		}
		a.Values = append(a.Values, new(big.Int).SetUint64(w))
	}
	return a, nil
}

// takes prepares the assignment for n values, or reports that the register does not take so many.
func (a *Assign) takes(t *isa.Target, n int) error {
	a.List = n > 1
	switch width := t.Machine().Widths[0]; {
	case n == 0:
		return fmt.Errorf("%s: no value", a.Reg.Name)
	case a.List && !a.Reg.Lanes:
		return fmt.Errorf("%s: a list, but the register holds one value per wave", a.Reg.Name)
	case n > width:
		return fmt.Errorf("%s: %d values; a wave has %d lanes", a.Reg.Name, n, width)
	}
	return nil
}

// apply writes the assignment to all lanes, or to the first ones.
func (a *Assign) apply(st *exec.State) {
	if !a.Reg.Lanes {
		a.Reg.set(st, 0, a.Values[0])
		return
	}
	for lane := range st.Lanes {
		switch {
		case !a.List:
			a.Reg.set(st, lane, a.Values[0])
		case lane < len(a.Values):
			a.Reg.set(st, lane, a.Values[lane])
		}
	}
}

// disjoint rejects registers that share bits, and per-lane lists of unequal length.
func disjoint(m *ir.Machine, as []Assign) error {
	owner := map[ir.Cell]string{}
	list := ""
	n := 0
	for i := range as {
		a := &as[i]
		for _, c := range a.Reg.Places(m) {
			switch other, taken := owner[c]; {
			case taken && other == a.Reg.Name:
				return fmt.Errorf("%s is given twice", other)
			case taken:
				return fmt.Errorf("%s and %s share bits", other, a.Reg.Name)
			}
			owner[c] = a.Reg.Name
		}
		if !a.List {
			continue
		}
		if list != "" && len(a.Values) != n {
			return fmt.Errorf("%s has %d values, %s has %d: lists have one for each lane", list, n, a.Reg.Name, len(a.Values))
		}
		list, n = a.Reg.Name, len(a.Values)
	}
	return nil
}
