package debug

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/srcinfo"
)

// A Format says how numbers are shown: 0: by their types, or a letter of gdb's: x, d, u, o, t (binary), f, c, a
// (address).
type Format byte

// Formats are the valid letters.
const Formats = "xduotfca"

// TextAs returns the value in a format.
func (v Value) TextAs(f Format) string {
	n := v.Type.Bits()
	bits := v.Bits & mask(n)
	switch f {
	case 'x', 'a':
		return v.Text(true)
	case 'd':
		return Value{Bits: bits, Type: Type{intOf(n), true}}.Text(false)
	case 'u':
		return fmt.Sprint(bits)
	case 'o':
		return fmt.Sprintf("0%o", bits)
	case 't':
		return fmt.Sprintf("%b", bits)
	case 'c':
		return fmt.Sprintf("%d %q", int64(bits), rune(bits&0xff))
	case 'f':
		if t := (Type{Type: map[int]ir.Type{16: ir.F16, 32: ir.F32, 64: ir.F64}[n]}); t.Type != ir.NoType {
			return Value{Bits: bits, Type: t}.Text(false)
		}
	}
	return v.Text(false)
}

func intOf(bits int) ir.Type {
	switch {
	case bits <= 8:
		return ir.I8
	case bits <= 16:
		return ir.I16
	case bits <= 32:
		return ir.I32
	}
	return ir.I64
}

// shownParts is how many parts of an object its text has, and shownDepth its limit of nesting.
const shownParts, shownDepth = 16, 4

// Text returns the object in readable form: {1, 2, 3} for an array, {x = 1, y = 2} for a struct.
func (o *Object) Text(f Format) string { return o.text(f, 0) }

func (o *Object) text(f Format, depth int) string {
	if o.err != nil {
		return "<" + o.err.Error() + ">"
	}
	if _, ok := valueType(o.Type); !ok {
		return o.partsText(f, depth)
	}
	v, err := o.Scalar()
	switch {
	case errors.Is(err, srcinfo.ErrOptimizedOut):
		return "<" + srcinfo.ErrOptimizedOut.Error() + ">"
	case err != nil:
		return "<" + err.Error() + ">"
	case f != 0:
		return v.TextAs(f)
	case o.Type.Kind == srcinfo.Pointer:
		return o.pointerText(v.Bits)
	case o.Type.Kind == srcinfo.Bool:
		return [...]string{"false", "true"}[min(v.Bits, 1)]
	case o.Type.Kind == srcinfo.Enum:
		if name, ok := o.Type.Names[v.int()]; ok {
			return name
		}
	case o.Type.Size == 1 && o.Type.Kind != srcinfo.Other:
		return v.TextAs('d')
	case v.Type.Float() || v.Type.Signed:
		return v.Text(false)
	}
	return fmt.Sprint(v.Bits)
}

// pointerText returns an address, and the buffer that contains it.
func (o *Object) pointerText(addr uint64) string {
	text := fmt.Sprintf("%#x", addr)
	if o.Type.Space != srcinfo.Global {
		return text
	}
	for _, g := range o.at.Segments() {
		if g.Space == ir.GlobalSpace && g.Bank == 0 && addr-g.Addr < g.Bytes {
			if addr == g.Addr {
				return fmt.Sprintf("%s <%s>", text, g.Name)
			}
			return fmt.Sprintf("%s <%s+%#x>", text, g.Name, addr-g.Addr)
		}
	}
	return text
}

func (o *Object) partsText(f Format, depth int) string {
	if o.Type.Kind == srcinfo.Void || depth == shownDepth {
		return "{...}"
	}
	list, all := o.Parts(0, shownParts)
	var texts, names []string
	for i, p := range list {
		texts = append(texts, p.text(f, depth+1))
		if o.Type.Kind == srcinfo.Struct {
			names = append(names, o.Type.Fields[i].Name+" = ")
		}
	}
	if all > len(list) {
		texts, names = append(texts, "..."), append(names, "")
	}
	return joined(texts, names)
}

// joined returns the text of an object made of those of its parts, with optional names before them. If no part has a
// value, for the same reason, it returns that reason.
func joined(texts, names []string) string {
	same := len(texts) > 0 && strings.HasPrefix(texts[0], "<")
	for _, t := range texts {
		same = same && (t == texts[0] || t == "...")
	}
	if same {
		return texts[0]
	}
	for i := range min(len(texts), len(names)) {
		texts[i] = names[i] + texts[i]
	}
	return "{" + strings.Join(texts, ", ") + "}"
}

// Parts returns up to count elements or members from start on, and how many there are in all. Scalars have none.
func (o *Object) Parts(start, count int) (list []*Object, all int) {
	switch o.Type.Kind {
	case srcinfo.Array, srcinfo.Vector:
		all = int(o.Type.Count)
	case srcinfo.Struct:
		all = len(o.Type.Fields)
	case srcinfo.Pointer:
		if o.err == nil && o.Type.Elem != nil && o.Type.Elem.Size > 0 {
			all = 1
		}
	}
	for i := start; i < all && len(list) < count; i++ {
		var p *Object
		var err error
		switch o.Type.Kind {
		case srcinfo.Struct:
			f := o.Type.Fields[i]
			p = o.part(o.Name+"."+f.Name, f.Type, f.Offset)
			p.bits = f
		case srcinfo.Pointer:
			p, err = o.deref("*"+o.Name, 0)
		default:
			p, err = o.Index(int64(i))
		}
		if err != nil {
			p = &Object{Name: o.Name, Type: o.Type, at: o.at, err: err}
		}
		list = append(list, p)
	}
	return list, all
}

// Indexed reports whether the parts of the object have numbers.
func (o *Object) Indexed() bool { return o.Type.Kind == srcinfo.Array || o.Type.Kind == srcinfo.Vector }

// PartName returns the name of a part within the object: [2], a member, or *pointer.
func (o *Object) PartName(p *Object) string {
	return strings.TrimPrefix(strings.TrimPrefix(p.Name, o.Name), ".")
}

// place returns the single piece that holds a scalar.
func (o *Object) place(verb string) (*srcinfo.Piece, error) {
	switch {
	case o.err != nil:
		return nil, fmt.Errorf("%s: %w", o.Name, o.err)
	case o.Passed:
		return nil, fmt.Errorf("%s is optimised out: what is shown is the argument as the launch has passed it, and cannot be %s", o.Name, verb)
	case o.bits.Bits > 0:
		return nil, fmt.Errorf("%s is a bit field, and cannot be %s", o.Name, verb)
	case len(o.pieces) != 1:
		return nil, fmt.Errorf("%s is not in one place, and cannot be %s", o.Name, verb)
	}
	if p := &o.pieces[0]; p.Place == srcinfo.InMemory || p.Place == srcinfo.InRegister && o.off == 0 {
		return p, nil
	}
	return nil, fmt.Errorf("%s is a constant here, and cannot be %s", o.Name, verb)
}

// Set sets a variable, at its location, to the value of an expression.
func (s *Session) Set(o *Object, text string) error {
	p, err := o.place("set")
	if err != nil {
		return err
	}
	t, ok := valueType(o.Type)
	if !ok {
		return fmt.Errorf("%s is %s: set a part of it", o.Name, o.Type.Name)
	}
	v, err := o.at.ParseValue(text, t)
	if err != nil {
		return err
	}
	if p.Place == srcinfo.InMemory {
		_, err = s.Write(o.at.refOf(p.Space, p.Addr+o.off), v.Bytes())
		return err
	}
	name := srcinfo.RegisterName(p.Register)
	cells, err := o.at.Cells(name)
	if err != nil {
		return err
	}
	if t.Bits() > 32 {
		return fmt.Errorf("%s is said to be in %s alone, which holds 32 bits", o.Name, name)
	}
	lane := -1
	if o.at.PerLane(cells) {
		lane = o.at.lane()
	}
	return s.SetRegister(o.at.Wave, name, cells, lane, v.Bits)
}

// Watch returns a watchpoint for changes of a variable at its present location.
func (o *Object) Watch() (*Watch, error) {
	p, err := o.place("watched")
	if err != nil {
		return nil, err
	}
	t, ok := valueType(o.Type)
	if !ok {
		t = u32
	}
	w := &Watch{Name: o.Name, Wave: o.at.Wave.Key, Lane: o.at.lane(), Type: t}
	if p.Place == srcinfo.InMemory {
		if o.Type.Size == 0 || o.Type.Size > MaxWatched {
			return nil, fmt.Errorf("%s has %d bytes; 1 to %d can be watched", o.Name, o.Type.Size, MaxWatched)
		}
		w.Ref, w.Bytes = o.at.refOf(p.Space, p.Addr+o.off), o.Type.Size
		return w, nil
	}
	w.Cells, err = o.at.Cells(srcinfo.RegisterName(p.Register))
	return w, err
}

// MaxWatched limits the bytes of a watchpoint: they are compared after each instruction.
const MaxWatched = 1 << 16

// InLanes returns a value in each lane of a wave: one text if all active lanes have the same, else those of some
// lanes.
func (at *Scope) InLanes(first, last int, value func(at *Scope) string) string {
	in := *at
	same, text := true, ""
	for m := at.Wave.State.Exec; m != 0 && same; m &= m - 1 {
		in.Lane = bits.TrailingZeros64(m)
		if t := value(&in); text == "" {
			text = t
		} else {
			same = t == text
		}
	}
	if same && text != "" {
		return text
	}
	last = min(last, at.Wave.State.Lanes-1)
	var list []string
	for in.Lane = first; in.Lane <= last; in.Lane++ {
		list = append(list, value(&in))
	}
	if len(list) == 1 {
		return list[0]
	}
	text = strings.Join(list, ", ")
	if last-first+1 < at.Wave.State.Lanes {
		text += ", ..."
	}
	return fmt.Sprintf("[%s] in lanes %d to %d", text, first, last)
}
