package srcinfo

import (
	"debug/dwarf"
	"fmt"
)

// typeAt returns the base type at an offset from the header of the unit, or nil. They are read with the unit.
func (u *unit) typeAt(off uint64) *Type { return u.types[u.start+dwarf.Offset(off)] }

// maxFields limits the members of a struct, and the enumerators of an enumeration.
const maxFields = 1 << 12

// typeOf reads the type at an offset of the section, or returns nil if it cannot be read. A type that refers to
// itself through pointers is made once.
func (u *unit) typeOf(off dwarf.Offset) (t *Type) {
	if t, ok := u.types[off]; ok {
		return t
	}
	if u.depth++; u.depth > maxDepth {
		u.depth--
		return nil
	}
	defer func() { u.depth-- }()
	r := u.data.Reader()
	r.Seek(off)
	e, err := r.Next()
	if err != nil || e == nil {
		u.types[off] = nil
		return nil
	}
	t = &Type{}
	u.types[off] = t
	t.Name, _ = e.Val(dwarf.AttrName).(string)
	size, sized := e.Val(dwarf.AttrByteSize).(int64)
	if sized && size >= 0 {
		t.Size = uint64(size)
	}
	read := typeReader(e.Tag)
	if read == nil {
		t.Kind = Other
		return t
	}
	read(u, t, e, r)
	return t
}

// typeReader returns the reader of types of a tag, whose name and size have been read, or nil if such types are
// unknown.
func typeReader(tag dwarf.Tag) func(u *unit, t *Type, e *dwarf.Entry, r *dwarf.Reader) {
	switch tag {
	case dwarf.TagBaseType:
		return base
	case dwarf.TagConstType:
		return qualified("const ")
	case dwarf.TagVolatileType:
		return qualified("volatile ")
	case dwarf.TagRestrictType, dwarf.TagTypedef:
		return qualified("")
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		return pointer
	case dwarf.TagArrayType:
		return array
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		return fields
	case dwarf.TagEnumerationType:
		return enumeration
	}
	return nil
}

func base(_ *unit, t *Type, e *dwarf.Entry, _ *dwarf.Reader) {
	encoding, _ := e.Val(dwarf.AttrEncoding).(int64)
	t.Kind = baseKind(encoding)
}

// baseKind returns the kind of a DW_ATE encoding.
func baseKind(encoding int64) Kind {
	switch encoding {
	case 2:
		return Bool
	case 4:
		return Float
	case 5, 6:
		return Int
	case 1, 7, 8:
		return Uint
	}
	return Other
}

// inner returns the type that a type is made from.
func (u *unit) inner(e *dwarf.Entry) *Type {
	if off, ok := e.Val(dwarf.AttrType).(dwarf.Offset); ok {
		return u.typeOf(off)
	}
	return nil
}

// qualified reads a type with another name.
func qualified(before string) func(u *unit, t *Type, e *dwarf.Entry, _ *dwarf.Reader) {
	return func(u *unit, t *Type, e *dwarf.Entry, _ *dwarf.Reader) {
		name := t.Name
		in := u.inner(e)
		if in == nil {
			t.Name, t.Kind = before+"void", Void
			return
		}
		if *t = *in; name != "" {
			t.Name = name
		} else {
			t.Name = before + in.Name
		}
	}
}

func pointer(u *unit, t *Type, e *dwarf.Entry, _ *dwarf.Reader) {
	t.Kind = Pointer
	if t.Elem = u.inner(e); t.Elem != nil && t.Elem.Kind == Void {
		t.Elem = nil
	}
	if class, ok := e.Val(dwarf.AttrAddrClass).(int64); ok && class >= 0 {
		if t.Space, _ = spaceOf(uint64(class)); class == 1 && t.Size == 8 { // generic, of later compilers
			t.Space = Global
		}
	}
	if t.Size == 0 {
		if t.Size = 8; t.Space != Global {
			t.Size = 4
		}
	}
	if t.Elem == nil {
		t.Name = "void *"
		return
	}
	t.Name = t.Elem.Name + " *"
}

func array(u *unit, t *Type, e *dwarf.Entry, r *dwarf.Reader) {
	t.Elem = u.inner(e)
	isVector, _ := e.Val(attrGNUVector).(bool)
	dims := []uint64{}
	for range maxFields {
		sub, err := r.Next()
		if err != nil || !e.Children || sub == nil || sub.Tag == 0 {
			break
		}
		n := uint64(0)
		if c, ok := sub.Val(dwarf.AttrCount).(int64); ok && c > 0 {
			n = uint64(c)
		} else if last, ok := sub.Val(dwarf.AttrUpperBound).(int64); ok && last >= 0 {
			n = uint64(last) + 1
		}
		dims = append(dims, n)
	}
	if t.Elem == nil || len(dims) == 0 || len(dims) > 8 {
		t.Kind, t.Name = Other, "array"
		return
	}
	for i := len(dims) - 1; i > 0; i-- { // from the innermost
		t.Elem = arrayOf(t.Elem, dims[i])
	}
	name, size := t.Name, t.Size
	if *t = *arrayOf(t.Elem, dims[0]); size > 0 {
		t.Size = size
	}
	if isVector {
		if t.Kind = Vector; name == "" {
			name = fmt.Sprintf("%s%d", t.Elem.Name, t.Count)
		}
		t.Name = name
	}
}

// arrayOf returns an array type. An impossible size counts as unknown.
func arrayOf(elem *Type, n uint64) *Type {
	if n > 1<<40 || elem.Size > 1<<20 {
		n = 0
	}
	name := fmt.Sprintf("%s[%d]", elem.Name, n)
	if base, dims, ok := cutDims(elem); ok { // in C the outermost is first
		name = fmt.Sprintf("%s[%d]%s", base, n, dims)
	}
	return &Type{Name: name, Kind: Array, Elem: elem, Count: n, Size: n * elem.Size}
}

func cutDims(t *Type) (base, dims string, ok bool) {
	if t.Kind != Array {
		return "", "", false
	}
	for i := range t.Name {
		if t.Name[i] == '[' {
			return t.Name[:i], t.Name[i:], true
		}
	}
	return "", "", false
}

func fields(u *unit, t *Type, e *dwarf.Entry, r *dwarf.Reader) {
	word := map[dwarf.Tag]string{dwarf.TagUnionType: "union"}[e.Tag]
	if word == "" {
		word = "struct"
	}
	t.Kind = Struct
	if t.Name = word + " " + t.Name; t.Name == word+" " {
		t.Name = word
	}
	for depth := 0; e.Children && len(t.Fields) < maxFields; {
		m, err := r.Next()
		if err != nil || m == nil {
			return
		}
		switch {
		case m.Tag == 0 && depth == 0:
			return
		case m.Tag == 0:
			depth--
			continue
		case depth == 0 && m.Tag == dwarf.TagMember:
			t.Fields = append(t.Fields, u.field(m))
		}
		if m.Children {
			depth++
		}
	}
}

// field reads a member.
func (u *unit) field(m *dwarf.Entry) (f Field) {
	f.Name, _ = m.Val(dwarf.AttrName).(string)
	f.Type = u.inner(m)
	off, _ := m.Val(dwarf.AttrDataMemberLoc).(int64)
	bits, isBits := m.Val(dwarf.AttrBitSize).(int64)
	f.Offset = uint64(max(off, 0))
	if !isBits || bits <= 0 || bits > 64 {
		return f
	}
	f.Bits = uint64(bits)
	switch at, ok := m.Val(dwarf.AttrDataBitOffset).(int64); {
	case ok:
		f.Offset, f.Shift = uint64(max(at, 0))/8, uint64(max(at, 0))%8
	default: // before DWARF 4: from the highest bit of a word of the type's size
		from, _ := m.Val(dwarf.AttrBitOffset).(int64)
		size, ok := m.Val(dwarf.AttrByteSize).(int64)
		if !ok && f.Type != nil {
			size = int64(f.Type.Size)
		}
		f.Shift = uint64(max(8*size-from-bits, 0))
	}
	return f
}

func enumeration(u *unit, t *Type, e *dwarf.Entry, r *dwarf.Reader) {
	t.Kind, t.Names = Enum, map[int64]string{}
	if t.Name = "enum " + t.Name; t.Name == "enum " {
		t.Name = "enum"
	}
	for e.Children && len(t.Names) < maxFields {
		m, err := r.Next()
		if err != nil || m == nil || m.Tag == 0 {
			return
		}
		name, _ := m.Val(dwarf.AttrName).(string)
		if v, ok := m.Val(dwarf.AttrConstValue).(int64); ok {
			t.Names[v] = name
		}
	}
}
