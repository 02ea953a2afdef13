package clang

import (
	"os/exec"
	"testing"
)

// packages are Debian's packages of programs with other names.
var packages = map[string]string{"llvm-nm-22": "llvm-22"}

// NeedTool skips a test if a program is missing, with a message.
func NeedTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		from := name
		if p := packages[name]; p != "" {
			from = p
		}
		t.Skipf("NOT RUN: %s is not installed: apt install %s", name, from)
	}
}

// NeedLibclc skips a test if the libclc of a clang is missing, and returns its path.
func NeedLibclc(t *testing.T, clang string) string {
	t.Helper()
	NeedTool(t, clang)
	c := &compiler{ctx: t.Context(), clang: clang}
	var l libclcState
	if err := c.findLibclc(&l); err != nil {
		t.Fatal(err)
	}
	if l.path == "" {
		t.Skip("NOT RUN: libclc is not installed: apt install libclc-22")
	}
	return l.path
}
