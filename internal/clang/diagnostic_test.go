package clang

import (
	"slices"
	"testing"
)

// TestDiagnostics: errors are found in messages of clang 14 and 22; warnings and notes are not reported.
func TestDiagnostics(t *testing.T) {
	said := "In file included from k.cl:1:\n./dir with space/a.h:3:5: fatal error: 'b.h' file not found\n    3 | #include \"b.h\"\n      |          ^~~~~\n" +
		"k.cl:7:1: warning: unused\n    7 | int x;\n" + "k.cl:9:36: error: expected ';' after expression\nkernel void f() { p[0]=1 }\n" +
		"k.cl:9:2: note: error: to match this\n<inline asm>:1:2: error: instruction not supported on this GPU\n        v_foo\n2 errors generated.\nerror: no place\n"
	want := []Diagnostic{{"./dir with space/a.h", 3, 5, "'b.h' file not found", "#include \"b.h\""}, {"k.cl", 9, 36, "expected ';' after expression", ""},
		{"<inline asm>", 1, 2, "instruction not supported on this GPU", ""}}
	if is := diagnostics([]byte(said)); !slices.Equal(is, want) {
		t.Errorf("%+v", is)
	}
}
