package heddle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// Local is an argument that stands for that many bytes of local memory, for a kernel parameter that is a pointer to
// local memory.
type Local uint32

// InPlace is an argument that is a buffer of the caller's own bytes: a kernel reads and changes them, and nothing is
// copied. They must not be moved, or accessed by others, until the launch has ended. Unlike after copies, there is no
// room after them into which wide loads may run.
type InPlace struct {
	Data     []byte
	ReadOnly bool // a write by the kernel is a fault
	Unset    bool // nothing has set the bytes: a sanitizer takes them as undefined until the kernel sets them
}

// Value is an argument by value, as its bytes in memory.
type Value []byte

// A passing is the arguments of a launch while they are passed to the guest.
type passing struct {
	kernel  *object.Kernel
	memory  *gcn.Memory
	args    []gcn.Arg
	buffers []passed
	places  places
}

// A placed is a buffer that stays at the caller's address.
type placed struct {
	InPlace
	name  string
	buf   *gcn.Buffer    // for a module's launch
	guest *launch.Buffer // for a program's launch
}

type places []placed

// A passed is a slice that has become a buffer.
type passed struct {
	slice any // of numbers
	buf   *gcn.Buffer
	back  func()
}

// add appends an argument. What depends on the kind of number is in the two functions that it calls first.
func (p *passing) add(v any) (err error) {
	arg, ok, err := p.buffer(v)
	if !ok && err == nil {
		arg, ok = number(v)
	}
	if err != nil {
		return err
	}
	if !ok {
		switch v := v.(type) {
		case nil:
			arg = gcn.Buf(nil)
		case Local:
			arg = gcn.Local(uint32(v))
		case Value:
			arg = gcn.Bytes(v)
		case InPlace:
			if arg, err = p.inPlace(v); err != nil {
				return err
			}
		case int:
			if arg, err = p.integer(v); err != nil {
				return err
			}
		default:
			return fmt.Errorf("a %T cannot be passed; want a slice of numbers, InPlace, a number with a size, an int, Value, Local or nil", v)
		}
	}
	p.args = append(p.args, arg)
	return nil
}

// number returns an argument whose Go type determines its size.
func number(v any) (gcn.Arg, bool) {
	typ, bits := "", uint64(0)
	switch v := v.(type) {
	case int8:
		typ, bits = "i8", uint64(v)
	case uint8:
		typ, bits = "u8", uint64(v)
	case int16:
		typ, bits = "i16", uint64(v)
	case uint16:
		typ, bits = "u16", uint64(v)
	case int32:
		typ, bits = "i32", uint64(v)
	case uint32:
		typ, bits = "u32", uint64(v)
	case int64:
		typ, bits = "i64", uint64(v)
	case uint64:
		typ, bits = "u64", v
	case float32:
		typ, bits = "f32", uint64(math.Float32bits(v))
	case float64:
		typ, bits = "f64", math.Float64bits(v)
	default:
		return gcn.Arg{}, false
	}
	arg, err := gcn.Number(typ, bits)
	return arg, err == nil
}

// declared returns the next argument in the kernel's metadata, or nil if there is none.
func (p *passing) declared() *object.Arg {
	if p.kernel.Meta == nil {
		return nil
	}
	left := len(p.args)
	for i := range p.kernel.Meta.Args {
		a := &p.kernel.Meta.Args[i]
		if a.Hidden() {
			continue
		}
		if left == 0 {
			return a
		}
		left--
	}
	return nil
}

// integer returns an int in the size that the kernel declares.
func (p *passing) integer(v int) (gcn.Arg, error) {
	size := uint32(8)
	switch a := p.declared(); {
	case p.kernel.Meta == nil:
		return gcn.Arg{}, fmt.Errorf("an int, and the code object does not say of what size: give an int32 or another number with a size")
	case a != nil && a.ValueKind == "by_value" && a.Size <= 8:
		size = a.Size
	}
	typ := fmt.Sprintf("i%d", 8*size)
	if free := 64 - 8*size; int64(v)<<free>>free != int64(v) {
		if typ = fmt.Sprintf("u%d", 8*size); uint64(v)<<free>>free != uint64(v) {
			return gcn.Arg{}, fmt.Errorf("%d does not fit %d bits", v, 8*size)
		}
	}
	return gcn.Number(typ, uint64(v))
}

// buffer returns an argument that is a slice of numbers; ok is false for others.
func (p *passing) buffer(v any) (arg gcn.Arg, ok bool, err error) {
	switch s := v.(type) {
	case []int8:
		arg, err = pass(p, s)
	case []uint8:
		arg, err = pass(p, s)
	case []int16:
		arg, err = pass(p, s)
	case []uint16:
		arg, err = pass(p, s)
	case []int32:
		arg, err = pass(p, s)
	case []uint32:
		arg, err = pass(p, s)
	case []int64:
		arg, err = pass(p, s)
	case []uint64:
		arg, err = pass(p, s)
	case []float32:
		arg, err = pass(p, s)
	case []float64:
		arg, err = pass(p, s)
	default:
		return arg, false, nil
	}
	return arg, true, err
}

// pass makes a buffer from a slice, or finds the one that it has become.
func pass[T any](p *passing, s []T) (gcn.Arg, error) {
	if len(s) == 0 {
		return gcn.Arg{}, fmt.Errorf("the slice is empty, and there are no buffers without bytes; nil is the null pointer")
	}
	for i := range p.buffers {
		switch other, _ := p.buffers[i].slice.([]T); {
		case len(other) == len(s) && &other[0] == &s[0]:
			return gcn.Buf(p.buffers[i].buf), nil
		case holds(other, s) || holds(s, other):
			return gcn.Arg{}, fmt.Errorf("the slice overlaps that of buffer %q in part", p.buffers[i].buf.Name)
		}
	}
	before, err := binary.Append(nil, binary.LittleEndian, s)
	if err != nil {
		return gcn.Arg{}, err
	}
	b, err := p.memory.Alloc(p.name(), len(before))
	if err != nil {
		return gcn.Arg{}, err
	}
	copy(b.Data, before)
	p.buffers = append(p.buffers, passed{s, b, func() {
		if !bytes.Equal(before, b.Data) { // several launches may read one slice
			if _, err := binary.Decode(b.Data, binary.LittleEndian, s); err != nil {
				panic("heddle: " + err.Error()) // it was encoded from s
			}
		}
	}})
	return gcn.Buf(b), nil
}

// inPlace makes a buffer from the caller's bytes, or finds the one that they have become.
func (p *passing) inPlace(v InPlace) (gcn.Arg, error) {
	if len(v.Data) == 0 {
		return gcn.Arg{}, fmt.Errorf("there are no bytes, and no buffers without; nil is the null pointer")
	}
	if q, err := p.places.find(v); err != nil || q != nil {
		if err != nil {
			return gcn.Arg{}, err
		}
		return gcn.Buf(q.buf), nil
	}
	b, err := p.memory.Attach(p.name(), v.Data)
	if err != nil {
		return gcn.Arg{}, err
	}
	b.ReadOnly, b.Unset = v.ReadOnly, v.Unset
	p.places = append(p.places, placed{InPlace: v, name: b.Name, buf: b})
	return gcn.Buf(b), nil
}

// find returns the buffer made from the same bytes, or nil. The error is that of bytes that partly overlap another
// buffer.
func (ps places) find(v InPlace) (*placed, error) {
	from, to := extent(v.Data)
	for i := range ps {
		q := &ps[i]
		switch first, last := extent(q.Data); {
		case first == from && last == to && q.ReadOnly == v.ReadOnly:
			return q, nil
		case first == from && last == to:
			return nil, fmt.Errorf("buffer %q is the same, and of the two one is read-only", q.name)
		case from < last && first < to:
			return nil, fmt.Errorf("the bytes overlap those of buffer %q in part", q.name)
		}
	}
	return nil, nil
}

// extent returns the addresses of bytes in the host.
func extent(b []byte) (from, to uintptr) {
	from = uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return from, from + uintptr(len(b))
}

// holds reports whether the first element of b is one of a.
func holds[T any](a, b []T) bool {
	for i := range a {
		if len(b) > 0 && &a[i] == &b[0] {
			return true
		}
	}
	return false
}

// name returns the name of the next buffer in messages: that of the kernel's argument.
func (p *passing) name() string {
	name := fmt.Sprintf("arg%d", len(p.args))
	if a := p.declared(); a != nil && a.Name != "" {
		name = a.Name
	}
	if _, taken := p.memory.Buffer(name); taken {
		name = fmt.Sprintf("%s (%d)", name, len(p.args))
	}
	return name
}
