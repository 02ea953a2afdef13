package clang

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// libclcPlaces are where distributions and LLVM's own builds put libclc's functions for amdgcn-amd-amdhsa. %R is clang's folder of
// resources, %P the folder above the one that clang is in.
var libclcPlaces = []string{
	"%R/lib/amdgcn-amd-amdhsa*/libclc.bc", "%P/lib/clc/amdgcn-amd-amdhsa*.bc", "%P/share/clc/amdgcn-amd-amdhsa*.bc", "%P/share/libclc/amdgcn-amd-amdhsa*.bc",
	"/usr/lib/clc/amdgcn-amd-amdhsa*.bc", "/usr/lib64/clc/amdgcn-amd-amdhsa*.bc", "/usr/share/clc/amdgcn-amd-amdhsa*.bc",
	"/usr/local/lib/clc/amdgcn-amd-amdhsa*.bc", "/usr/local/share/clc/amdgcn-amd-amdhsa*.bc",
}

// libclcState is what is known of libclc when functions are missing.
type libclcState struct {
	path    string
	refused string // what clang says if it cannot link it
}

// libclc is the file of libclc that a program needs; "": it needs none, or there is none. $HEDDLE_LIBCLC names one; "off" is none.
func (c *compiler) libclc(declared []string) (string, error) {
	lib := readLibrary()
	needed := func(y string) bool {
		s := lib.section(baseName(y))
		return strings.HasPrefix(y, "_Z") && (s == nil || s.fallback)
	}
	if !slices.ContainsFunc(declared, needed) {
		return "", nil
	}
	return c.findLibclc()
}

func (c *compiler) findLibclc() (string, error) {
	if path := os.Getenv("HEDDLE_LIBCLC"); path == "off" {
		return "", nil
	} else if path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("$HEDDLE_LIBCLC: %w", err)
		}
		return path, nil
	}
	resources, err := c.ask("-print-resource-dir")
	if err != nil {
		return "", err
	}
	program := c.clang
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	names := strings.NewReplacer("%R", strings.TrimSpace(resources), "%P", filepath.Dir(filepath.Dir(program)))
	for _, pattern := range libclcPlaces {
		if list, err := filepath.Glob(names.Replace(pattern)); err == nil && len(list) > 0 {
			return list[0], nil
		}
	}
	return "", nil
}

// An UndefinedError says which functions a program calls that are defined nowhere.
type UndefinedError struct {
	File      string
	Functions []string // as the source has them: pow(float, float)
	libclc    libclcState
	clang     string // the first line of its version
	math      bool   // all are built-in functions, as far as their names say
}

func (e *UndefinedError) Error() string {
	what := "functions that are"
	if len(e.Functions) == 1 {
		what = "a function that is"
	}
	return fmt.Sprintf("%s: calls %s defined neither in it nor by heddle's built-in functions: %s", e.File, what, strings.Join(e.Functions, ", "))
}

// Hint says what would do.
func (e *UndefinedError) Hint() string {
	own := "functions of your own go into the same file, or are included"
	switch {
	case !e.math:
		return own
	case e.libclc.refused != "":
		line, _, _ := strings.Cut(e.libclc.refused, "\n")
		return fmt.Sprintf("built-in functions beyond heddle's come from libclc, and that of %s is not for %s: %s; install the libclc of the same LLVM, or name it with $HEDDLE_LIBCLC",
			e.libclc.path, e.clang, line)
	case e.libclc.path != "":
		return e.libclc.path + " (libclc) does not have them either; " + own
	}
	return "built-in functions beyond heddle's come from libclc, which is not installed (Debian, Ubuntu: apt install libclc-" + e.major() +
		"; Fedora: dnf install libclc), or name its amdgcn-amd-amdhsa.bc with $HEDDLE_LIBCLC; " + own
}

func (e *UndefinedError) major() string {
	if n := majorOf(e.clang); n != 0 {
		return fmt.Sprint(n)
	}
	return "N"
}

func (c *compiler) undefined(symbols []string, l libclcState) error {
	e := &UndefinedError{File: c.path, libclc: l, clang: c.shortVersion(), math: true}
	for _, y := range symbols {
		e.Functions = append(e.Functions, demangle(y))
		e.math = e.math && strings.HasPrefix(y, "_Z")
	}
	return e
}
