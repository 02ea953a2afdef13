package debug

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/srcinfo"
)

// An objecter is a node that may be a variable of the source or a part of one. nil without an error: it is something
// else.
type objecter interface {
	object(at *Scope) (*Object, error)
}

// objectOf returns the object that a node denotes, or nil if it is none.
func objectOf(n node, at *Scope) (*Object, error) {
	if o, ok := n.(objecter); ok {
		return o.object(at)
	}
	return nil, nil
}

type (
	// A step leads from an object to a part of it: [index] or a member.
	step struct {
		field string
		index string
		sub   node // of the index; nil: it is no expression
	}
	// A part is steps applied to an expression in brackets.
	part struct {
		x     node
		steps []step
	}
	deref   struct{ x node }
	address struct{ x node }
	// A ptrCast is a cast to another pointer type: (uint *)p.
	ptrCast struct {
		to    Type
		name  string
		space *srcinfo.Space // nil: that of the pointer
		x     node
	}
)

// walk applies steps to an object.
func (o *Object) walk(at *Scope, steps []step) (*Object, error) {
	for i := range steps {
		s := &steps[i]
		var err error
		switch {
		case s.field != "":
			o, err = o.Field(s.field)
		case s.sub == nil:
			err = fmt.Errorf("%q is no index", s.index)
		default:
			var v Value
			if v, err = s.sub.eval(at); err == nil && v.Type.Float() {
				err = fmt.Errorf("an index of %s", v.Text(false))
			}
			if err == nil {
				o, err = o.Index(v.int())
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return o, nil
}

// object returns the variable of a name. Names that begin with $ are registers.
func (n *name) object(at *Scope) (*Object, error) {
	if strings.HasPrefix(n.word, "$") || at.Code == nil {
		return nil, nil
	}
	base, fields, _ := strings.Cut(n.base, ".")
	o, ok := at.Variable(base)
	if !ok {
		return nil, nil
	}
	var steps []step
	for f := range strings.SplitSeq(fields, ".") {
		if f != "" {
			steps = append(steps, step{field: f})
		}
	}
	return o.walk(at, append(steps, n.steps...))
}

// scalar returns the value of the object that a node denotes.
func scalar(o *Object, err error) (Value, error) {
	switch {
	case err != nil:
		return Value{}, err
	case o == nil:
		return Value{}, errors.New("it is no variable of the source")
	}
	return o.Scalar()
}

func (p *part) object(at *Scope) (*Object, error) {
	o, err := objectOf(p.x, at)
	if err != nil {
		return nil, err
	}
	if o == nil {
		return nil, errors.New("what is before [ or . is no variable of the source")
	}
	return o.walk(at, p.steps)
}

func (p *part) eval(at *Scope) (Value, error) { return scalar(p.object(at)) }

func (d *deref) object(at *Scope) (*Object, error) {
	o, err := objectOf(d.x, at)
	switch {
	case err != nil:
		return nil, err
	case o == nil:
		return nil, errors.New("* wants a pointer of the source; global[...] is memory at an address")
	case o.Type.Kind == srcinfo.Array:
		return o.Index(0)
	}
	return o.deref("*"+o.Name, 0)
}

func (d *deref) eval(at *Scope) (Value, error) { return scalar(d.object(at)) }

func (a *address) object(at *Scope) (*Object, error) {
	o, err := objectOf(a.x, at)
	switch {
	case err != nil:
		return nil, err
	case o == nil:
		return nil, errors.New("& wants a variable of the source")
	}
	return o.Address()
}

func (a *address) eval(at *Scope) (Value, error) { return scalar(a.object(at)) }

func (c *ptrCast) object(at *Scope) (*Object, error) {
	o, err := objectOf(c.x, at)
	if err != nil {
		return nil, err
	}
	t := &srcinfo.Type{Name: c.name + " *", Kind: srcinfo.Pointer, Size: 8, Elem: plainType(c.to, c.name)}
	if o != nil && o.Type.Kind == srcinfo.Pointer {
		t.Space, t.Size = o.Type.Space, o.Type.Size
	}
	if c.space != nil {
		t.Space = *c.space
	}
	var v Value
	if o != nil {
		v, err = o.Scalar()
	} else {
		v, err = c.x.eval(at)
	}
	if err != nil {
		return nil, err
	}
	return &Object{Name: fmt.Sprintf("((%s *)%#x)", c.name, v.Bits), Type: t, at: at, value: le(nil, v.Bits, 8)}, nil
}

func (c *ptrCast) eval(at *Scope) (Value, error) { return scalar(c.object(at)) }

// scalarOf returns a type by its name in C or OpenCL C, or in casts: f32.
func scalarOf(name string) (Type, bool) {
	for _, x := range [...]struct {
		names string
		t     Type
	}{
		{"char signed_char", Type{ir.I8, true}}, {"uchar unsigned_char bool", Type{ir.I8, false}}, {"short", Type{ir.I16, true}},
		{"ushort unsigned_short", Type{ir.I16, false}}, {"int", Type{ir.I32, true}}, {"uint unsigned unsigned_int", Type{ir.I32, false}},
		{"long ptrdiff_t intptr_t", Type{ir.I64, true}}, {"ulong unsigned_long size_t uintptr_t", Type{ir.I64, false}},
		{"half", Type{ir.F16, false}}, {"float", Type{ir.F32, false}}, {"double", Type{ir.F64, false}},
	} {
		for n := range strings.FieldsSeq(x.names) {
			if strings.ReplaceAll(n, "_", " ") == name {
				return x.t, true
			}
		}
	}
	return typeNamed(name)
}

// plainType returns a type of the source with a name.
func plainType(t Type, name string) *srcinfo.Type {
	kind := srcinfo.Uint
	switch {
	case t.Float():
		kind = srcinfo.Float
	case t.Signed:
		kind = srcinfo.Int
	}
	return &srcinfo.Type{Name: name, Kind: kind, Size: uint64(t.Bits() / 8)}
}

// spaceWord returns the address space of a word that may begin a pointer type.
func spaceWord(word string) (srcinfo.Space, bool) {
	switch strings.TrimLeft(word, "_") {
	case "global", "constant":
		return srcinfo.Global, true
	case "local", "group":
		return srcinfo.Group, true
	case "private":
		return srcinfo.Private, true
	}
	return 0, false
}

// castOf reads a type in brackets, (float) or (local uint *), if there is one; else it does not move the parser.
func (p *parser) castOf() (c *ptrCast, pointer, ok bool) {
	from := p.at
	c = &ptrCast{}
	var words []string
	for {
		w := p.take()
		if space, is := spaceWord(w); is && len(words) == 0 {
			c.space = &space
			continue
		}
		if w == "const" || w == "volatile" {
			continue
		}
		if w == "*" && !pointer && len(words) > 0 {
			pointer = true
			continue
		}
		if w == ")" && len(words) > 0 {
			break
		}
		if w == "" || !inWord(w[0]) || pointer || len(words) > 2 {
			p.at = from
			return nil, false, false
		}
		words = append(words, w)
	}
	c.name = strings.Join(words, " ")
	if c.to, ok = scalarOf(c.name); !ok {
		p.at = from
	}
	return c, pointer, ok
}

// steps reads what follows a variable: [index], .member, ->member.
func (p *parser) steps() (list []step, err error) {
	for {
		switch t := p.peek(); {
		case t == "[":
			s := step{}
			if s.index, err = p.bracketed(); err != nil {
				return nil, err
			}
			s.sub = p.index(s.index)
			list = append(list, s)
		case t == "->" || len(t) > 1 && t[0] == '.' && !isNumber(t):
			word := strings.TrimPrefix(p.take(), ".")
			if t == "->" {
				if word = p.take(); word == "" || !inWord(word[0]) {
					return nil, errors.New("-> without the name of a member")
				}
			}
			for f := range strings.SplitSeq(word, ".") {
				list = append(list, step{field: f})
			}
		default:
			return list, nil
		}
		if len(list) > maxNesting {
			return nil, fmt.Errorf("more than %d indices and members", maxNesting)
		}
	}
}

// index returns the expression between brackets; nil: it is none, as in s[0:1].
func (p *parser) index(text string) node {
	sub := &parser{text: text, nested: p.nested}
	if x, err := sub.binary(0); err == nil && sub.peek() == "" {
		return x
	}
	return nil
}

// Object returns the variable of the source, or the part of one, that the expression denotes; nil: it is something
// else.
func (e *Expr) Object(at *Scope) (*Object, error) { return objectOf(e.root, at) }

// maxSlice limits the elements of a slice.
const maxSlice = 1 << 12

// Slice returns the expressions that NAME[FROM:TO] stands for, including FROM and excluding TO: elements, lanes,
// memory. ok is false if the expression is no slice, as a register s[0:1].
func (e *Expr) Slice(at *Scope) (list []*Expr, ok bool, err error) {
	x := e.root
	c, isCast := x.(*cast)
	if isCast {
		x = c.x
	}
	n, isName := x.(*name)
	if !isName || !n.brackets {
		return nil, false, nil
	}
	first, last, two := strings.Cut(n.index, ":")
	if _, known := typeNamed(castName(c)); isCast && !known || !two {
		return nil, false, nil
	}
	if o, _ := (&name{word: n.word, base: n.base, steps: n.steps[:len(n.steps)-1]}).object(at); o == nil {
		if _, err := at.Cells(n.word + "[" + n.index + "]"); err == nil {
			return nil, false, nil
		}
	}
	from, err := indexOf(at, first, "0")
	if err != nil {
		return nil, true, err
	}
	to, err := indexOf(at, last, "")
	switch {
	case err != nil:
		return nil, true, err
	case to <= from || to-from > maxSlice:
		return nil, true, fmt.Errorf("[%s]: want two numbers, the second greater, and up to %d elements", n.index, maxSlice)
	}
	size := int64(1)
	if _, _, mem := spaceNamed(n.word); mem { // addresses of the bytes from and to
		size = 4
		if t, ok := typeNamed(castName(c)); ok {
			size = int64(t.Bits() / 8)
		}
	}
	for i := from; i < to; i += size {
		text := fmt.Sprintf("%s[%d]", n.word, i)
		if isCast {
			text = c.to + "(" + text + ")"
		}
		one, err := Parse(text)
		if err != nil {
			return nil, true, err
		}
		list = append(list, one)
	}
	return list, true, nil
}

func castName(c *cast) string {
	if c == nil {
		return ""
	}
	return c.to
}

// indexOf evaluates a bound of a slice.
func indexOf(at *Scope, text, without string) (int64, error) {
	if text = strings.TrimSpace(text); text == "" {
		text = without
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n, nil
	}
	e, err := Parse(text)
	if err != nil {
		return 0, err
	}
	v, err := e.Eval(at)
	if err == nil && v.Type.Float() {
		err = fmt.Errorf("%s is no index", text)
	}
	return v.int(), err
}
