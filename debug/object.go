package debug

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/srcinfo"
)

// An Object is a variable of the source, or a part of one, in a lane.
type Object struct {
	Name   string // as an expression
	Type   *srcinfo.Type
	Passed bool // a kernel argument as passed by the launch; the variable itself is optimised out

	at     *Scope
	pieces []srcinfo.Piece
	off    uint64 // of the object in its pieces, in bytes
	bits   srcinfo.Field
	value  []byte // of a computed object, which has no location; nil: it is in pieces
	err    error  // why it has no value
}

// sourceAddr returns the address in the file of the scope's instruction; for a caller, that of its call.
func (at *Scope) sourceAddr() uint64 {
	addr := at.Code.Place(at.PC).Addr
	if at.Outer && addr > 0 {
		addr--
	}
	return addr
}

// Functions returns the functions of the source at the scope's instruction: inlined calls from the innermost, then
// the function that contains them.
func (at *Scope) Functions() []srcinfo.Frame {
	if from := at.from(); from != nil {
		return from.Vars.Frames(at.sourceAddr())
	}
	return nil
}

func (at *Scope) from() *loc.Map {
	if at.Code == nil || at.Code.says() == nil {
		return nil
	}
	return at.Code.says().From()
}

// errOuter is why variables of callers have no value.
var errOuter = errors.New("not known: code for GPUs does not say where callers keep their registers")

// Variables returns the parameters and other variables in scope, those of inner blocks first.
func (at *Scope) Variables() (args, locals []*Object) {
	frames := at.Functions()
	if at.Inline >= len(frames) {
		return nil, nil
	}
	f := &frames[at.Inline]
	for _, v := range f.Vars {
		o := at.variable(v, f)
		if v.Arg {
			args = append(args, o)
		} else {
			locals = append(locals, o)
		}
	}
	return args, locals
}

// Globals returns the variables outside of functions.
func (at *Scope) Globals() (list []*Object) {
	if from := at.from(); from != nil {
		for _, v := range from.Vars.Globals() {
			list = append(list, at.variable(v, nil))
		}
	}
	return list
}

// Arguments returns the arguments of the kernel as passed by the launch, according to the kernel's metadata.
func (at *Scope) Arguments() (list []*Object) {
	from := at.from()
	if from == nil || from.Args == nil || at.Wave.Kernel == "" {
		return nil
	}
	params := at.params(from.Vars)
	for i, a := range from.Args(at.Wave.Kernel) {
		var t *srcinfo.Type
		if i < len(params) { // metadata often has no names
			a.Name, t = params[i].Name, params[i].Type
		}
		if a.Name != "" {
			list = append(list, at.passed(&a, t))
		}
	}
	return list
}

// params returns the parameters of the kernel in the source.
func (at *Scope) params(of *srcinfo.Info) []*srcinfo.Variable {
	for _, f := range of.Functions() {
		if f.Symbol() == at.Wave.Kernel {
			return f.Params()
		}
	}
	return nil
}

// passed returns an argument of the kernel. t is the type of the parameter; nil: the source does not say.
func (at *Scope) passed(a *loc.Arg, t *srcinfo.Type) *Object {
	o := &Object{Name: a.Name, at: at, Passed: true, Type: &srcinfo.Type{Name: a.Type, Kind: srcinfo.Uint, Size: a.Size}}
	if t != nil && t.Size == a.Size {
		o.Type = t
	} else if a.Address {
		o.Type.Kind = srcinfo.Pointer
		if elem := strings.TrimSuffix(a.Type, "*"); elem != a.Type {
			if t, ok := scalarOf(strings.TrimSpace(elem)); ok {
				o.Type.Elem = plainType(t, elem)
			}
		}
	} else if t, ok := scalarOf(a.Type); ok && uint64(t.Bits()/8) == a.Size {
		o.Type = plainType(t, a.Type)
	}
	g, ok := at.Env.Space(ir.GlobalSpace, 0).Segment(a.Segment)
	if !ok {
		o.err = errors.New("the launch has no arguments")
		return o
	}
	o.pieces = []srcinfo.Piece{{Place: srcinfo.InMemory, Space: srcinfo.Global, Addr: g.Base + a.Offset}}
	return o
}

// Variable returns a variable by its name: of the present frame, else of the file, else an argument of the kernel.
func (at *Scope) Variable(name string) (*Object, bool) {
	if at.from() == nil {
		return nil, false
	}
	args, locals := at.Variables()
	for _, list := range [...][]*Object{locals, args, at.Globals(), at.Arguments()} {
		for _, o := range list {
			if o.Name == name {
				return o, true
			}
		}
	}
	return nil, false
}

// variable returns the location of a variable at the instruction.
func (at *Scope) variable(v *srcinfo.Variable, f *srcinfo.Frame) *Object {
	o := &Object{Name: v.Name, Type: v.Type, at: at}
	switch {
	case at.Outer && f != nil:
		o.err = errOuter
		return o
	case o.Type == nil:
		o.err = errors.New("its type cannot be read")
		return o
	}
	o.pieces, o.err = v.Locate(at.sourceAddr(), f, &laneMachine{at})
	for i := range o.pieces {
		if p := &o.pieces[i]; p.File {
			p.Addr, p.File = at.Code.Memory(p.Addr), false
		}
	}
	if o.err == nil && f != nil && f.InPrologue(at.sourceAddr()) && inFrame(o.pieces) {
		o.err = errors.New("not there yet: the prologue of the function has not set up its frame")
	}
	if errors.Is(o.err, srcinfo.ErrOptimizedOut) && v.Arg {
		for _, a := range at.Arguments() {
			if a.Name == v.Name {
				return a
			}
		}
	}
	return o
}

func inFrame(list []srcinfo.Piece) bool {
	for _, p := range list {
		if p.Place == srcinfo.InMemory && p.Space == srcinfo.Private {
			return true
		}
	}
	return false
}

// A laneMachine is a lane of a wave, as an input of location expressions.
type laneMachine struct{ at *Scope }

// Register implements srcinfo.Machine.
func (m *laneMachine) Register(n uint64) (uint64, error) {
	name := srcinfo.RegisterName(n)
	switch name {
	case "":
		return 0, fmt.Errorf("its location names DWARF register %d, which is not known", n)
	case "pc":
		return m.at.PC, nil
	}
	cells, err := m.at.Cells(name)
	if err != nil {
		return 0, err
	}
	v, err := m.at.Register(cells, m.at.lane())
	return v.Bits, err
}

// Memory implements srcinfo.Machine.
func (m *laneMachine) Memory(space srcinfo.Space, addr, size uint64) ([]byte, error) {
	return m.at.Read(m.at.refOf(space, addr), size)
}

// refOf returns the location of an address in a space of the source. Flat addresses are resolved to the space that
// they show.
func (at *Scope) refOf(space srcinfo.Space, addr uint64) Ref {
	r := Ref{Space: ir.GlobalSpace, Lane: at.lane(), Addr: addr}
	switch space {
	case srcinfo.Group:
		r.Space = ir.GroupSpace
	case srcinfo.Region:
		r.Bank = 1
	case srcinfo.Private:
		r.Space = ir.PrivateSpace
	default:
		if z := swizzleOf(at.Wave); z != nil && addr>>32 == z.Aperture && z.Aperture != 0 {
			return Ref{Space: ir.PrivateSpace, Lane: r.Lane, Addr: addr & (1<<32 - 1)}
		}
		if id, bank, in := at.Env.Resolve(&ir.Mem{Space: ir.FlatSpace}, addr); id != ir.GlobalSpace {
			r.Space, r.Bank, r.Addr = id, bank, in
		}
	}
	return r
}

// Err returns why the object has no value; nil: it has one.
func (o *Object) Err() error { return o.err }

// maxObject limits the bytes of an object that is read.
const maxObject = 1 << 16

// Bytes returns those of the object.
func (o *Object) Bytes() ([]byte, error) {
	size := o.Type.Size
	switch {
	case o.err != nil:
		return nil, o.err
	case size > maxObject:
		return nil, fmt.Errorf("%d bytes: name a part of it", size)
	case o.value != nil:
		return fill(o.value, size), nil
	}
	var out []byte
	skip := o.off
	for i := range o.pieces {
		p := &o.pieces[i]
		has := p.Size
		if has == 0 || i == len(o.pieces)-1 {
			has = skip + size - uint64(len(out))
		}
		if skip >= has {
			skip -= has
			continue
		}
		n := min(has-skip, size-uint64(len(out)))
		data, err := o.piece(p, skip, n)
		if err != nil {
			return nil, err
		}
		out, skip = append(out, data...), 0
		if uint64(len(out)) == size {
			return out, nil
		}
	}
	return nil, srcinfo.ErrOptimizedOut
}

// fill returns data as size bytes, truncated or padded with zeros.
func fill(data []byte, size uint64) []byte {
	out := make([]byte, size)
	copy(out, data)
	return out
}

// piece reads bytes of a piece.
func (o *Object) piece(p *srcinfo.Piece, skip, n uint64) ([]byte, error) {
	switch p.Place {
	case srcinfo.InMemory:
		data, err := o.at.Read(o.at.refOf(p.Space, p.Addr+skip), n)
		if err == nil && uint64(len(data)) < n {
			err = fmt.Errorf("only %d of %d bytes are there at %#x", len(data), n, p.Addr+skip)
		}
		return data, err
	case srcinfo.Known:
		return fill(p.Bytes[min(skip, uint64(len(p.Bytes))):], n), nil
	case srcinfo.InRegister:
		v, err := (&laneMachine{o.at}).Register(p.Register)
		if err != nil {
			return nil, err
		}
		size := uint64(4)
		if v > 1<<32-1 { // PC or EXEC
			size = 8
		}
		if skip+n > size {
			return nil, fmt.Errorf("it is said to be in %s, which has only %d bytes", srcinfo.RegisterName(p.Register), size)
		}
		return le(nil, v, int(size))[skip:][:n], nil
	}
	return nil, srcinfo.ErrOptimizedOut
}

// part returns a part of the object at an offset.
func (o *Object) part(name string, t *srcinfo.Type, off uint64) *Object {
	p := *o
	p.Name, p.Type, p.off, p.bits = name, t, o.off+off, srcinfo.Field{}
	if t == nil {
		p.Type, p.err = &srcinfo.Type{Kind: srcinfo.Other}, errors.New("its type cannot be read")
	}
	if o.value != nil {
		p.value, p.off = o.value[min(off, uint64(len(o.value))):], 0
	}
	return &p
}

// Index returns an element of an array or vector, or the element at that distance from a pointer.
func (o *Object) Index(i int64) (*Object, error) {
	name := fmt.Sprintf("%s[%d]", o.Name, i)
	switch t := o.Type; {
	case t.Kind == srcinfo.Pointer:
		return o.deref(name, i)
	case t.Kind != srcinfo.Array && t.Kind != srcinfo.Vector:
		return nil, fmt.Errorf("%s is %s, which has no elements", o.Name, t.Name)
	case i < 0 || t.Count > 0 && uint64(i) >= t.Count:
		return nil, fmt.Errorf("%s has elements 0 to %d", o.Name, int64(t.Count)-1)
	case t.Elem == nil:
		return nil, fmt.Errorf("the type of the elements of %s cannot be read", o.Name)
	}
	return o.part(name, o.Type.Elem, uint64(i)*o.Type.Elem.Size), nil
}

// deref returns what a pointer points to.
func (o *Object) deref(name string, i int64) (*Object, error) {
	t := o.Type
	if t.Kind != srcinfo.Pointer {
		return nil, fmt.Errorf("%s is %s, no pointer", o.Name, t.Name)
	}
	if t.Elem == nil || t.Elem.Size == 0 {
		return nil, fmt.Errorf("%s is %s: a cast such as (uint *)%s says what it points to", o.Name, t.Name, o.Name)
	}
	v, err := o.Scalar()
	if err != nil {
		return nil, err
	}
	addr := v.Bits + uint64(i)*t.Elem.Size
	return &Object{Name: name, Type: t.Elem, at: o.at, pieces: []srcinfo.Piece{{Place: srcinfo.InMemory, Space: t.Space, Addr: addr}}}, nil
}

// vectorParts are the names of elements of a vector in OpenCL C.
const vectorParts = "xyzw"

// Field returns a member of a struct, or an element of a vector by its letter: x, y, z, w, s0 to sF.
func (o *Object) Field(name string) (*Object, error) {
	t := o.Type
	full := o.Name + "." + name
	switch t.Kind {
	case srcinfo.Struct:
		var names []string
		for _, f := range t.Fields {
			if f.Name == name {
				p := o.part(full, f.Type, f.Offset)
				p.bits = f
				return p, nil
			}
			names = append(names, f.Name)
		}
		return nil, fmt.Errorf("%s has no member %s; there are %s", o.Name, name, strings.Join(names, ", "))
	case srcinfo.Vector:
		i := strings.Index(vectorParts, name)
		if rest, ok := strings.CutPrefix(name, "s"); ok && len(rest) == 1 {
			i = strings.Index("0123456789abcdef", strings.ToLower(rest))
		}
		if len(name) > 2 || i < 0 || uint64(i) >= t.Count {
			return nil, fmt.Errorf("%s has no element %s; it is %s", o.Name, name, t.Name)
		}
		return o.part(full, t.Elem, uint64(i)*t.Elem.Size), nil
	case srcinfo.Pointer:
		in, err := o.deref("(*"+o.Name+")", 0)
		if err != nil {
			return nil, err
		}
		return in.Field(name)
	}
	return nil, fmt.Errorf("%s is %s, which has no members", o.Name, t.Name)
}

// Address returns a pointer to the object.
func (o *Object) Address() (*Object, error) {
	if o.err != nil {
		return nil, o.err
	}
	if len(o.pieces) == 0 {
		return nil, fmt.Errorf("%s has no address", o.Name)
	}
	p := o.pieces[0]
	if p.Place != srcinfo.InMemory || o.bits.Bits > 0 || len(o.pieces) > 1 {
		return nil, fmt.Errorf("%s is not in memory: it has no address", o.Name)
	}
	size := uint64(8)
	if p.Space != srcinfo.Global {
		size = 4
	}
	return &Object{Name: "&" + o.Name, at: o.at, value: le(nil, p.Addr+o.off, int(size)),
		Type: &srcinfo.Type{Name: o.Type.Name + " *", Kind: srcinfo.Pointer, Size: size, Elem: o.Type, Space: p.Space}}, nil
}

// valueType returns the Type of a scalar type; false: it has parts.
func valueType(t *srcinfo.Type) (Type, bool) {
	ints := map[uint64]ir.Type{1: ir.I8, 2: ir.I16, 4: ir.I32, 8: ir.I64}
	floats := map[uint64]ir.Type{2: ir.F16, 4: ir.F32, 8: ir.F64}
	x := ints[t.Size]
	switch t.Kind {
	case srcinfo.Float:
		x = floats[t.Size]
	case srcinfo.Array, srcinfo.Vector, srcinfo.Struct, srcinfo.Void:
		return Type{}, false
	}
	return Type{x, t.Kind == srcinfo.Int || t.Kind == srcinfo.Enum}, x != ir.NoType
}

// Scalar returns the value of an object without parts.
func (o *Object) Scalar() (Value, error) {
	if o.err != nil {
		return Value{}, fmt.Errorf("%s: %w", o.Name, o.err)
	}
	t, ok := valueType(o.Type)
	if !ok {
		return Value{}, fmt.Errorf("%s is %s: name a part of it", o.Name, o.Type.Name)
	}
	data, err := o.Bytes()
	if err != nil {
		return Value{}, fmt.Errorf("%s: %w", o.Name, err)
	}
	v := OfBytes(data, t)
	v.Raw = false
	if n := o.bits.Bits; n > 0 {
		v.Bits = v.Bits >> o.bits.Shift & mask(int(n))
		if shift := 64 - n; t.Signed {
			v.Bits = uint64(int64(v.Bits<<shift)>>shift) & mask(t.Bits())
		}
	}
	return v, nil
}
