package gcn

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/object"
)

// An Arg is the value of one kernel argument. Buf, Address, Local, the functions named for types, Number and Bytes
// create it.
type Arg struct {
	kind  argKind
	buf   *Buffer
	local uint32
	data  []byte // by value, and addresses
	typ   string // as in error messages
}

type argKind uint8

const (
	noArg argKind = iota
	bufferArg
	addressArg
	localArg
	valueArg
)

// Buf returns the address of a buffer of Kernel.Memory; for nil the null pointer.
func Buf(b *Buffer) Arg { return Arg{kind: bufferArg, buf: b, typ: "a buffer"} }

// Address returns an address of global memory, inside a buffer or not.
func Address(a uint64) Arg {
	return Arg{kind: addressArg, data: binary.LittleEndian.AppendUint64(nil, a), typ: "an address"}
}

// Local requests a number of bytes of local memory, for a __local pointer argument.
func Local(bytes uint32) Arg { return Arg{kind: localArg, local: bytes, typ: "local memory"} }

// I32 and the functions below return arguments by value.
func I32(v int32) Arg   { return number("i32", 4, uint64(v)) }
func U32(v uint32) Arg  { return number("u32", 4, uint64(v)) }
func I64(v int64) Arg   { return number("i64", 8, uint64(v)) }
func U64(v uint64) Arg  { return number("u64", 8, v) }
func F32(v float32) Arg { return number("f32", 4, uint64(math.Float32bits(v))) }
func F64(v float64) Arg { return number("f64", 8, math.Float64bits(v)) }

// Bytes returns an argument by value with its bytes as in memory: structs, vectors, short types.
func Bytes(data []byte) Arg {
	return Arg{kind: valueArg, data: append([]byte(nil), data...), typ: spell.Count(len(data), "byte")}
}

// numberSize returns the bytes of a type that Number accepts, 0 for others.
func numberSize(typ string) int {
	switch typ {
	case "i8", "u8":
		return 1
	case "i16", "u16", "f16":
		return 2
	case "i32", "u32", "f32":
		return 4
	case "i64", "u64", "f64":
		return 8
	}
	return 0
}

// Number returns an argument by value of a type by name: i32, u32, f32, i64, u64, f64, and the shorter ones.
func Number(typ string, bits uint64) (Arg, error) {
	size := numberSize(typ)
	if size == 0 {
		return Arg{}, fmt.Errorf("gcn: no argument type %q", typ)
	}
	return number(typ, size, bits), nil
}

func number(typ string, size int, bits uint64) Arg {
	return Arg{kind: valueArg, data: binary.LittleEndian.AppendUint64(nil, bits)[:size], typ: typ}
}

// scalars maps the numeric types of OpenCL C and C to the types of Number that they accept: an integer may be given
// signed or unsigned.
var scalars = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"char": {"i8", "u8"}, "signed char": {"i8", "u8"}, "unsigned char": {"u8", "i8"}, "uchar": {"u8", "i8"}, "bool": {"u8", "i8"},
		"short": {"i16", "u16"}, "unsigned short": {"u16", "i16"}, "ushort": {"u16", "i16"},
		"int": {"i32", "u32"}, "unsigned int": {"u32", "i32"}, "unsigned": {"u32", "i32"}, "uint": {"u32", "i32"},
		"long": {"i64", "u64"}, "unsigned long": {"u64", "i64"}, "ulong": {"u64", "i64"}, "size_t": {"u64", "i64"},
		"ptrdiff_t": {"i64", "u64"}, "intptr_t": {"i64", "u64"}, "uintptr_t": {"u64", "i64"},
		"half": {"f16"}, "float": {"f32"}, "double": {"f64"},
	}
})

// NumberTypes returns the types of Number that an argument by value accepts, the best first; none if its type is not a
// number that Number supports.
func NumberTypes(a *object.Arg) []string {
	types := scalars()[cmp.Or(a.BaseType, a.TypeName)]
	if a.ValueKind != "by_value" || types == nil || numberSize(types[0]) != int(a.Size) {
		return nil
	}
	return types
}

// An ArgumentError lists all that is wrong with the arguments of a launch: which are missing, too many, or of another
// type.
type ArgumentError struct {
	Kernel   *object.Kernel
	Problems []string // argument 3 "n" (uint, 4 bytes by value): f32 is given, want u32
}

func (e *ArgumentError) Error() string {
	text := strings.Join(e.Problems, "; ")
	if e.Kernel.Meta == nil {
		return text
	}
	text += "; the kernel is " + e.Kernel.Signature()
	if e.Kernel.Unnamed() {
		text += "; " + object.UnnamedHint
	}
	return text
}

// setArgs fills the kernarg segment.
func (d *dispatch) setArgs() error {
	desc := &d.kernel.Descriptor
	size := uint64(desc.KernargSize)
	list := d.declared()
	for _, a := range list {
		size = max(size, uint64(a.Offset)+uint64(a.Size))
	}
	if size > maxKernarg {
		return fmt.Errorf("%d bytes of arguments; at most %d can be passed", size, maxKernarg)
	}
	d.kernarg = make([]byte, size)
	d.lds = desc.GroupSize
	if d.k.Kernarg != nil {
		return d.rawArgs(list)
	}
	if err := d.putAll(list); err != nil {
		return err
	}
	if d.lds > maxLDS {
		return fmt.Errorf("%d bytes of local memory, %d of them in arguments; a group has %d", d.lds, d.dynamic, maxLDS)
	}
	return d.hidden(list) // last, because it depends on the size of local memory
}

// putAll writes the given arguments and collects all errors in them.
func (d *dispatch) putAll(list []object.Arg) error {
	var problems, missing []string
	used, given := 0, len(d.k.Args)
	for i := range list {
		a := &list[i]
		switch {
		case a.Hidden():
			continue
		case used < len(d.k.Args) && d.k.Args[used].kind == noArg:
			given--
			missing = append(missing, describe(used, a))
		case used >= len(d.k.Args):
			missing = append(missing, describe(used, a))
		default:
			if err := d.put(a, &d.k.Args[used]); err != nil {
				problems = append(problems, fmt.Sprintf("argument %s: %v", describe(used, a), err))
			}
		}
		used++
	}
	switch {
	case len(missing) == 1:
		problems = append(problems, fmt.Sprintf("argument %s is missing: %d of %d are given", missing[0], given, used))
	case len(missing) > 1:
		problems = append(problems, fmt.Sprintf("arguments %s are missing: %d of %d are given", strings.Join(missing, ", "), given, used))
	case used < len(d.k.Args):
		problems = append(problems, fmt.Sprintf("%d arguments are given; the kernel has %d", len(d.k.Args), used))
	}
	if problems == nil {
		return nil
	}
	return &ArgumentError{d.kernel, problems}
}

// rawArgs takes the arguments as bytes.
func (d *dispatch) rawArgs(list []object.Arg) error {
	switch n := len(d.k.Kernarg); {
	case len(d.k.Args) > 0:
		return fmt.Errorf("arguments are given one by one and as bytes")
	case n > maxKernarg:
		return fmt.Errorf("%d bytes of arguments; at most %d can be passed", n, maxKernarg)
	case n > len(d.kernarg):
		d.kernarg = make([]byte, n)
	}
	if d.lds > maxLDS {
		return fmt.Errorf("%d bytes of local memory; a group has %d", d.lds, maxLDS)
	}
	var left []object.Arg
	for _, a := range list {
		if int(a.Offset) >= len(d.k.Kernarg) {
			left = append(left, a)
		}
	}
	err := d.hidden(left)
	copy(d.kernarg, d.k.Kernarg)
	d.passed = append(d.passed, [2]int{0, len(d.k.Kernarg)})
	return err
}

// declared returns the arguments of the metadata. Without metadata they are assumed to be those that are given, one
// after the other, each aligned to its size.
func (d *dispatch) declared() []object.Arg {
	if d.kernel.Meta != nil {
		return d.kernel.Meta.Args
	}
	var list []object.Arg
	at := uint32(0)
	for _, a := range d.k.Args {
		o := object.Arg{ValueKind: "by_value", Size: uint32(len(a.data))}
		align := min(o.Size, 16)
		switch a.kind {
		case bufferArg, addressArg:
			o.ValueKind, o.Size, align = "global_buffer", 8, 8
		case localArg:
			o.ValueKind, o.Size, align = "dynamic_shared_pointer", 4, 4
		}
		if align&(align-1) != 0 {
			align = 4
		}
		o.Offset = (at + max(align, 1) - 1) / max(align, 1) * max(align, 1)
		at = o.Offset + o.Size
		list = append(list, o)
	}
	return list
}

// describe names an argument for messages: 2 "n" (int, 4 bytes by value).
func describe(i int, a *object.Arg) string {
	name, typ := "", ""
	if a.Name != "" {
		name = fmt.Sprintf(" %q", a.Name)
	}
	if a.TypeName != "" {
		typ = a.TypeName + ", "
	}
	what := a.ValueKind
	switch a.ValueKind {
	case "by_value":
		what = bytesByValue(int(a.Size))
	case "global_buffer":
		what = "address of a buffer"
	case "dynamic_shared_pointer":
		what = "local memory"
	}
	return fmt.Sprintf("%d%s (%s%s)", i, name, typ, what)
}

func bytesByValue(n int) string { return spell.Count(n, "byte") + " by value" }

// put writes one argument where the kernel reads it.
func (d *dispatch) put(a *object.Arg, v *Arg) error {
	to := d.kernarg[a.Offset:][:a.Size]
	d.passed = append(d.passed, [2]int{int(a.Offset), int(a.Offset) + int(a.Size)})
	switch a.ValueKind {
	case "by_value":
		return putValue(a, v, to)
	case "global_buffer":
		return d.putBuffer(v, to)
	case "dynamic_shared_pointer":
		return d.putLocal(a, v, to)
	}
	return fmt.Errorf("arguments of kind %s are not built yet", a.ValueKind)
}

func putValue(a *object.Arg, v *Arg, to []byte) error {
	types := NumberTypes(a)
	switch want := strings.Join(types, " or "); {
	case v.kind != valueArg && !(v.kind == addressArg && len(to) == 8):
		if want == "" {
			want = bytesByValue(len(to))
		}
		return fmt.Errorf("%s is given, want %s", v.typ, want)
	case want != "" && numberSize(v.typ) != 0 && !slices.Contains(types, v.typ):
		return fmt.Errorf("%s is given, want %s", v.typ, want)
	case len(v.data) == 1 && len(to) != 1 && numberSize(v.typ) == 0:
		return fmt.Errorf("%s is given", v.typ)
	case len(v.data) != len(to) && numberSize(v.typ) == 0:
		return fmt.Errorf("%s are given", v.typ)
	case len(v.data) != len(to):
		return fmt.Errorf("%s is given, which has %s", v.typ, spell.Count(len(v.data), "byte"))
	}
	copy(to, v.data)
	return nil
}

func (d *dispatch) putBuffer(v *Arg, to []byte) error {
	addr := v.data
	switch {
	case v.kind == bufferArg && v.buf == nil:
		addr = make([]byte, 8)
	case v.kind == bufferArg && d.k.Memory.has(v.buf):
		addr = binary.LittleEndian.AppendUint64(nil, v.buf.Addr)
	case v.kind == bufferArg:
		return fmt.Errorf("buffer %q is not of the launch's memory", v.buf.Name)
	case v.kind != addressArg:
		return fmt.Errorf("%s is given, want a buffer", v.typ)
	}
	if len(to) != len(addr) {
		return fmt.Errorf("the metadata gives it %s, an address has 8", spell.Count(len(to), "byte"))
	}
	copy(to, addr)
	return nil
}

// putLocal reserves local memory after what is already reserved and passes its offset.
func (d *dispatch) putLocal(a *object.Arg, v *Arg, to []byte) error {
	if v.kind != localArg {
		return fmt.Errorf("%s is given, want local memory", v.typ)
	}
	align := uint64(max(a.PointeeAlign, 1))
	at := (uint64(d.lds) + align - 1) / align * align
	end := at + uint64(v.local)
	switch {
	case len(to) != 4:
		return fmt.Errorf("the metadata gives it %s, an offset has 4", spell.Count(len(to), "byte"))
	case end > maxLDS:
		return fmt.Errorf("local memory grows to %d bytes; a group has %d", end, maxLDS)
	}
	binary.LittleEndian.PutUint32(to, uint32(at))
	d.dynamic += uint32(end) - d.lds
	d.lds = uint32(end)
	return nil
}
