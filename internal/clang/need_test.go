package clang_test

import (
	"os/exec"
	"testing"
)

// needClang skips a test without a clang of that name.
func needClang(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed: apt install %s", name, name)
	}
}
