package clang

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/loc"
)

// libclcPlaces are the paths of libclc's functions for amdgcn-amd-amdhsa in distributions and LLVM's own builds. %R is
// clang's resource folder, %P the parent of the folder of clang.
var libclcPlaces = []string{
	"%R/lib/amdgcn-amd-amdhsa*/libclc.bc", "%P/lib/clc/amdgcn-amd-amdhsa*.bc", "%P/share/clc/amdgcn-amd-amdhsa*.bc", "%P/share/libclc/amdgcn-amd-amdhsa*.bc",
	"/usr/lib/clc/amdgcn-amd-amdhsa*.bc", "/usr/lib64/clc/amdgcn-amd-amdhsa*.bc", "/usr/share/clc/amdgcn-amd-amdhsa*.bc",
	"/usr/local/lib/clc/amdgcn-amd-amdhsa*.bc", "/usr/local/share/clc/amdgcn-amd-amdhsa*.bc",
}

// libclcState is what is known about libclc when functions are missing.
type libclcState struct {
	looked  bool
	off     bool   // disabled by $HEDDLE_LIBCLC
	path    string // "": not found
	refused string // messages of clang if it cannot link it
}

// prefersLibclc reports whether a program calls a function for which libclc is better, or that the library has for no
// type.
func (p *program) prefersLibclc() bool {
	return slices.ContainsFunc(p.declared, func(y string) bool {
		s := readLibrary().section(baseName(y))
		return strings.HasPrefix(y, "_Z") && (s == nil || s.fallback)
	})
}

// findLibclc looks for libclc. $HEDDLE_LIBCLC names its file; "off" disables it.
func (c *compiler) findLibclc(l *libclcState) error {
	l.looked = true
	if path := os.Getenv("HEDDLE_LIBCLC"); path == "off" {
		l.off = true
		return nil
	} else if path != "" {
		l.path = path
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("$HEDDLE_LIBCLC: %w", err)
		}
		return nil
	}
	resources, err := c.ask("-print-resource-dir")
	if err != nil {
		return err
	}
	program := c.clang
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	names := strings.NewReplacer("%R", strings.TrimSpace(resources), "%P", filepath.Dir(filepath.Dir(program)))
	for _, pattern := range libclcPlaces {
		if list, err := filepath.Glob(names.Replace(pattern)); err == nil && len(list) > 0 {
			l.path = list[0]
			return nil
		}
	}
	return nil
}

// nowhere are the built-in functions that neither heddle nor libclc has, by prefixes of their names.
var nowhere = [...]struct{ what, names string }{
	{"images", "read_image write_image get_image"},
	{"sub-groups", "sub_group_ get_sub_group get_num_sub_groups get_max_sub_group get_enqueued_num_sub_groups intel_sub_group_"},
	{"values of a whole work-group", "work_group_all work_group_any work_group_broadcast work_group_reduce_ work_group_scan_"},
	{"pipes", "__read_pipe __write_pipe __reserve_read_pipe __reserve_write_pipe __commit_read_pipe __commit_write_pipe __get_pipe __work_group_reserve __work_group_commit __sub_group_reserve __sub_group_commit is_valid_reserve_id"},
	{"kernels that a kernel enqueues", "enqueue_marker __enqueue_kernel get_default_queue ndrange_ create_user_event retain_event release_event set_user_event_status is_valid_event capture_event_profiling_info __get_kernel"},
	{"cl_amd_media_ops", "amd_"},
}

// extension returns the unsupported feature that a function belongs to; "": none.
func extension(name string) string {
	for _, n := range nowhere {
		for begin := range strings.FieldsSeq(n.names) {
			if strings.HasPrefix(name, begin) {
				return n.what
			}
		}
	}
	return ""
}

// An UndefinedError lists functions that a program calls and that are not defined anywhere.
type UndefinedError struct {
	File      string
	Functions []string       // as in the source: pow(float, float)
	Calls     []loc.Position // first call of each, if line tables have it
	libclc    libclcState
	clang     string   // the first line of its version
	builtin   bool     // some may be built-in functions that libclc has
	own       bool     // some are not built-in functions, by their symbols
	lacking   []string // unsupported features that others belong to
}

func (e *UndefinedError) Error() string {
	what := "functions that are"
	if len(e.Functions) == 1 {
		what = "a function that is"
	}
	where := "neither in it nor by heddle's built-in functions"
	list := slices.Clone(e.Functions)
	for i, at := range e.Calls {
		if at.Known() {
			list[i] += " at " + at.String()
		}
	}
	if e.builtin && e.libclc.path != "" && e.libclc.refused == "" {
		where += " nor by libclc"
	}
	return fmt.Sprintf("%s: calls %s defined %s: %s", e.File, what, where, strings.Join(list, ", "))
}

// Hint suggests a remedy.
func (e *UndefinedError) Hint() string {
	var list []string
	if len(e.lacking) > 0 {
		list = append(list, "built-in functions for "+strings.Join(e.lacking, ", ")+" are not supported: neither heddle nor libclc has them")
	}
	if e.builtin {
		list = append(list, e.aboutLibclc())
	}
	if e.builtin || e.own {
		list = append(list, "functions of your own go into the same file, or are included")
	}
	return strings.Join(list, "; ")
}

func (e *UndefinedError) aboutLibclc() string {
	l := &e.libclc
	switch {
	case l.off:
		return "built-in functions beyond heddle's come from libclc, which $HEDDLE_LIBCLC=off leaves out"
	case l.refused != "":
		line, _, _ := strings.Cut(l.refused, "\n")
		return fmt.Sprintf("built-in functions beyond heddle's come from libclc, and that of %s is not for %s: %s; install the libclc of the same LLVM, or name it with $HEDDLE_LIBCLC", l.path, e.clang, line)
	case l.path != "":
		return l.path + " (libclc) does not have them either"
	}
	return "built-in functions beyond heddle's come from libclc, which is not installed (Debian, Ubuntu: apt install libclc-" + e.major() +
		"; Fedora: dnf install libclc), or name its amdgcn-amd-amdhsa.bc with $HEDDLE_LIBCLC"
}

func (e *UndefinedError) major() string {
	if n := majorOf(e.clang); n != 0 {
		return fmt.Sprint(n)
	}
	return "N"
}

func (c *compiler) undefined(symbols []string, calls []loc.Position, l libclcState) error {
	e := &UndefinedError{File: c.path, Calls: calls, libclc: l, clang: c.shortVersion()}
	for _, y := range symbols {
		e.Functions = append(e.Functions, demangle(y))
		what := extension(baseName(y))
		switch {
		case what != "" && !slices.Contains(e.lacking, what):
			e.lacking = append(e.lacking, what)
		case what == "" && strings.HasPrefix(y, "_Z"):
			e.builtin = true
		case what == "":
			e.own = true
		}
	}
	return e
}
