package clang

import (
	"strings"
	"testing"
)

// TestUndefined: the errors about missing functions are right about them and about libclc.
func TestUndefined(t *testing.T) {
	c := &compiler{path: "k.cl", version: "Debian clang version 22.1.8\n"}
	const file = "/usr/lib/clc/amdgcn-amd-amdhsa.bc"
	for _, x := range []struct {
		symbols string
		libclc  libclcState
		says    string // in the error and its hint
		not     string
	}{
		{"_Z4exp2d", libclcState{looked: true}, "k.cl: calls a function that is defined neither in it nor by heddle's built-in functions: exp2(double)\nbuilt-in functions beyond heddle's come from libclc, which is not installed (Debian, Ubuntu: apt install libclc-22;", "supported"},
		{"_Z3powff _Z5plainv", libclcState{off: true}, "which $HEDDLE_LIBCLC=off leaves out", "installed"},
		{"_Z3powff", libclcState{path: file, refused: "error: Unknown attribute kind\nmore"}, "that of /usr/lib/clc/amdgcn-amd-amdhsa.bc is not for Debian clang version 22.1.8: error: Unknown attribute kind; install", "nor by libclc"},
		{"_Z6my_powff", libclcState{path: file}, "heddle's built-in functions nor by libclc: my_pow(float, float)\n/usr/lib/clc/amdgcn-amd-amdhsa.bc (libclc) does not have them either; functions of your own", "install"},
		{"outside", libclcState{}, "built-in functions: outside\nfunctions of your own go into the same file", "libclc"},
		{"_Z11read_imagef14ocl_image2d_roDv2_i _Z20sub_group_reduce_addi", libclcState{}, "built-in functions for images, sub-groups are not supported: neither heddle nor libclc has them", "install"},
	} {
		e := c.undefined(strings.Fields(x.symbols), nil, x.libclc).(*UndefinedError)
		text := e.Error() + "\n" + e.Hint()
		if !strings.Contains(text, x.says) || strings.Contains(text, x.not) {
			t.Errorf("%s: %s\nwant %s", x.symbols, text, x.says)
		}
	}
}
