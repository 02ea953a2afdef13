package object

import (
	"testing"

	"github.com/heddle-gpu/heddle/srcinfo"
)

// TestArgsFromSource: debug information about a parameter completes an argument, but does not override its metadata.
func TestArgsFromSource(t *testing.T) {
	u32t := &srcinfo.Type{Name: "u32t", Kind: srcinfo.Uint, Size: 4}
	f32 := &srcinfo.Type{Name: "float", Kind: srcinfo.Float, Size: 4}
	for _, x := range []struct {
		arg  Arg
		name string
		typ  *srcinfo.Type
		fits bool
		want Arg
	}{
		{Arg{Name: "n", TypeName: "u32t", Size: 4, ValueKind: "by_value"}, "n", u32t, true, Arg{Name: "n", TypeName: "u32t", BaseType: "uint"}},
		{Arg{Size: 4, ValueKind: "by_value"}, "n", u32t, true, Arg{Name: "n", TypeName: "u32t", BaseType: "uint"}},
		{Arg{Size: 8, ValueKind: "by_value"}, "n", u32t, false, Arg{}},
		{Arg{Name: "m", Size: 4, ValueKind: "by_value"}, "n", u32t, false, Arg{}},
		{Arg{Size: 16, ValueKind: "by_value"}, "v", &srcinfo.Type{Name: "v3", Kind: srcinfo.Vector, Size: 12, Elem: f32, Count: 3}, true, Arg{Name: "v", TypeName: "v3", BaseType: "float3"}},
		{Arg{Size: 8, ValueKind: "global_buffer"}, "p", &srcinfo.Type{Name: "const float *", Kind: srcinfo.Pointer, Size: 8, Elem: f32}, true, Arg{Name: "p", TypeName: "float*", BaseType: "float*", Const: true}},
		{Arg{Size: 8, ValueKind: "by_value"}, "s", &srcinfo.Type{Name: "struct s", Kind: srcinfo.Struct, Size: 8}, true, Arg{Name: "s", TypeName: "struct s"}},
		{Arg{Size: 8}, "q", nil, false, Arg{}},
	} {
		v := &srcinfo.Variable{Name: x.name, Type: x.typ}
		if got := fits(&x.arg, v); got != x.fits {
			t.Errorf("%+v: fits %v", x.arg, got)
		}
		if !x.fits {
			continue
		}
		x.want.Size, x.want.ValueKind = x.arg.Size, x.arg.ValueKind
		if x.arg.complete(v); x.arg != x.want {
			t.Errorf("%+v, want %+v", x.arg, x.want)
		}
	}
	for name, want := range map[string]bool{"uint": false, "float4": false, "unsigned int": false, "uchar16*": false, "u32t": true, "v4": true, "": true, "struct s*": true} {
		if got := lacksType(Arg{Name: "x", TypeName: name}); got != want {
			t.Errorf("%q: lacks its type: %v", name, got)
		}
	}
}
