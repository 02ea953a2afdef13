package object

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/srcinfo"
)

// argsFromSource completes the arguments of kernels by what the debug information says of their parameters: names and
// types that the metadata lack, as of C and of OpenCL C without -cl-kernel-arg-info, and what typedefs stand for.
func (o *CodeObject) argsFromSource() {
	for i := range o.Kernels {
		k := &o.Kernels[i]
		if k.Meta == nil || !slices.ContainsFunc(k.Arguments(), lacksType) {
			continue
		}
		params := o.params(k.Name)
		n := 0
		for j := range k.Meta.Args {
			a := &k.Meta.Args[j]
			if a.Hidden() {
				continue
			}
			if n < len(params) && fits(a, params[n]) {
				a.complete(params[n])
			}
			n++
		}
	}
}

// fits is whether an argument may be the parameter. Compilers leave out parameters of other versions of a function, and
// reorder none.
func fits(a *Arg, v *srcinfo.Variable) bool {
	if v.Type == nil || a.Name != "" && a.Name != v.Name {
		return false
	}
	return a.ValueKind != "by_value" || v.Type.Size == uint64(a.Size) || v.Type.Kind == srcinfo.Vector // of three
}

func (o *CodeObject) params(kernel string) []*srcinfo.Variable {
	for _, f := range o.source.Functions() {
		if f.Symbol() == kernel {
			return f.Params()
		}
	}
	return nil
}

func (a *Arg) complete(v *srcinfo.Variable) {
	if a.Name == "" {
		a.Name = v.Name
	}
	if a.TypeName == "" {
		a.TypeName = strings.Replace(strings.TrimPrefix(v.Type.Name, "const "), " *", "*", 1)
		a.Const = a.Const || strings.HasPrefix(v.Type.Name, "const ") && v.Type.Kind == srcinfo.Pointer
	}
	a.BaseType = baseType(v.Type)
}

// lacksType is whether the metadata do not name an argument, or its type by a word of OpenCL C.
func lacksType(a Arg) bool {
	base := strings.TrimRight(strings.TrimSuffix(strings.TrimPrefix(a.TypeName, "unsigned "), "*"), "0123456789")
	return a.Name == "" || !slices.Contains(plainTypes[:], base)
}

var plainTypes = [...]string{"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double", "bool", "void", "unsigned"}

// baseType is a type as OpenCL C calls it without typedefs: uint, float4, uint*; "" if it is none of its numbers.
func baseType(t *srcinfo.Type) string {
	if t == nil {
		return ""
	}
	switch t.Kind {
	case srcinfo.Bool:
		return "bool"
	case srcinfo.Int:
		return sized(t.Size, "char", "short", "int", "long")
	case srcinfo.Uint, srcinfo.Enum:
		return sized(t.Size, "uchar", "ushort", "uint", "ulong")
	case srcinfo.Float:
		return sized(t.Size, "", "half", "float", "double")
	case srcinfo.Vector:
		if of := baseType(t.Elem); of != "" && t.Elem.Kind != srcinfo.Pointer {
			return fmt.Sprint(of, t.Count)
		}
	case srcinfo.Pointer:
		if t.Elem != nil && t.Elem.Kind != srcinfo.Pointer {
			if of := baseType(t.Elem); of != "" {
				return of + "*"
			}
		}
	}
	return ""
}

// sized is the name of a number of so many bytes.
func sized(size uint64, one, two, four, eight string) string {
	switch size {
	case 1:
		return one
	case 2:
		return two
	case 4:
		return four
	case 8:
		return eight
	}
	return ""
}
