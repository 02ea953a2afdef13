package object

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/srcinfo"
)

// argsFromSource completes the arguments of kernels from the parameters in the debug information: names and types that
// the metadata lack, as for C and for OpenCL C without -cl-kernel-arg-info, and the types behind typedefs.
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

// fits reports whether an argument may be the parameter. Compilers omit parameters of other versions of a function, but
// never reorder them.
func fits(a *Arg, v *srcinfo.Variable) bool {
	if v.Type == nil || a.Name != "" && a.Name != v.Name {
		return false
	}
	return a.ValueKind != "by_value" || v.Type.Size == uint64(a.Size) || v.Type.Kind == srcinfo.Vector // a vector of three
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

// lacksType reports whether the metadata lack the name of an argument, or its type as an OpenCL C type.
func lacksType(a Arg) bool {
	base := strings.TrimRight(strings.TrimSuffix(strings.TrimPrefix(a.TypeName, "unsigned "), "*"), "0123456789")
	return a.Name == "" || !slices.Contains(plainTypes[:], base)
}

var plainTypes = [...]string{"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double", "bool", "void", "unsigned"}

// baseType returns the OpenCL C name of a type without typedefs: uint, float4, uint*; "" if it is not one of its number
// types.
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

// sized returns the name of a number type by its size in bytes.
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
