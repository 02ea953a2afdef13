package clang

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/limit"
	"github.com/heddle-gpu/heddle/object"
)

// DefaultTarget is the default processor.
const DefaultTarget = "gfx803"

// DefaultStd is the default version of OpenCL C, which is also clang's.
const DefaultStd = "CL1.2"

// Options control the compilation of a source file. The zero value means DefaultTarget, DefaultStd and -O2 -g.
type Options struct {
	Clang  string // path or name of the program; "": $HEDDLE_CLANG, or else clang, or the newest clang-N, of $PATH
	Target string // processor: gfx600 to gfx810; "": DefaultTarget
	Std    string // of OpenCL C: CL1.2, CL2.0, CL3.0; "": DefaultStd
	Opt    string // level: 0, 1, 2, 3, s, z; "": 2
	// Flags are additional flags of clang, after heddle's own, which they override: -DN=4, -Iinclude,
	// -mcode-object-version=4.
	Flags []string
	Cache string    // folder of the cache; "": $HEDDLE_CACHE, or else the user's; "off": no cache
	Err   io.Writer // receives the messages of clang unchanged; nil: they are dropped
}

// kinds are the extensions of source files, with clang's names of their languages.
var kinds = [...]struct{ ending, language string }{{".cl", "cl"}, {".c", "c"}, {".ll", "ir"}}

func kindOf(path string) string {
	ending := strings.ToLower(filepath.Ext(path))
	for _, k := range kinds {
		if k.ending == ending {
			return k.language
		}
	}
	return ""
}

// IsSource reports by its name whether clang compiles a file: .cl, .c or .ll.
func IsSource(path string) bool { return kindOf(path) != "" }

// Compile compiles a source file to a linked code object with line tables. The error is *NotFoundError if there is no
// clang, *FailedError if clang rejects the file, *UndefinedError if functions are missing.
func Compile(ctx context.Context, path string, o Options) ([]byte, error) {
	c, err := newCompiler(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(c.dir)
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	if e, ok := c.cache.get(key); ok {
		c.say(e.says)
		return e.data, nil
	}
	data, err := c.compile()
	if err != nil {
		return nil, err
	}
	c.cache.put(key, entry{data, c.says.Bytes()})
	return data, nil
}

// A compiler compiles one file.
type compiler struct {
	ctx     context.Context
	o       Options
	path    string
	kind    string // clang's name of the language
	clang   string // program
	version string // as clang prints it
	cache   cache
	dir     string       // for intermediate files
	says    bytes.Buffer // messages of clang about the source
}

func newCompiler(ctx context.Context, path string, o Options) (*compiler, error) {
	c := &compiler{ctx: ctx, o: o, path: path, kind: kindOf(path)}
	if c.kind == "" {
		return nil, fmt.Errorf("%s: is no source file that clang compiles: want .cl, .c or .ll", path)
	}
	if c.o.Target == "" {
		c.o.Target = DefaultTarget
	}
	if err := CheckTarget(c.o.Target); err != nil {
		return nil, err
	}
	if c.o.Std == "" {
		c.o.Std = DefaultStd
	}
	if c.o.Opt == "" {
		c.o.Opt = "2"
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is no regular file; source files are read by name", path)
	case info.Size() > limit.File.Bytes:
		return nil, &limit.Error{Name: path, Size: limit.File}
	}
	if c.clang, err = Find(o.Clang); err != nil {
		return nil, err
	}
	if c.cache, err = openCache(o.Cache); err != nil {
		return nil, err
	}
	if c.dir, err = os.MkdirTemp("", "heddle-clang-"); err != nil {
		return nil, err
	}
	if c.version, err = c.ask("--version"); err != nil {
		os.RemoveAll(c.dir)
		return nil, fmt.Errorf("%s: %w", c.clang, err)
	}
	return c, nil
}

// CheckTarget reports a processor whose code cannot be run.
func CheckTarget(name string) error {
	switch {
	case !object.IsTarget(name):
		return fmt.Errorf("no processor %q: want one of gfx600 to gfx810, such as %s", name, DefaultTarget)
	case object.Variant(name) == "":
		return fmt.Errorf("%s cannot be compiled for: heddle runs gfx6, gfx7 and gfx8, such as %s", name, DefaultTarget)
	}
	return nil
}

// target returns the flags for all calls of clang.
func (c *compiler) target() []string {
	return []string{"-target", "amdgcn-amd-amdhsa", "-mcpu=" + c.o.Target, "-nogpulib", "-Qunused-arguments", "-O" + c.o.Opt}
}

// source returns the flags for calls that read the source. The default version of the code object is 4: from 5 on, LLVM
// 22 loads from a null pointer in functions for gfx8 and older that convert a private pointer to a generic one, and
// clang 22 -O0 makes every kernel such a function.
func (c *compiler) source() []string {
	list := append(c.target(), "-x", c.kind, "-g")
	if c.kind == "cl" {
		list = append(list, "-cl-std="+c.o.Std, "-cl-kernel-arg-info")
	}
	if c.kind != "ir" && !slices.ContainsFunc(c.o.Flags, func(f string) bool { return strings.HasPrefix(f, "-mcode-object-version") }) {
		list = append(list, "-mcode-object-version=4")
	}
	return append(list, c.o.Flags...)
}

// shared returns the user's flags that affect code generation rather than the source; the library and the back end get
// them, too.
func (c *compiler) shared() (list []string) {
	for i := 0; i < len(c.o.Flags); i++ {
		f := c.o.Flags[i]
		switch {
		case f == "-mllvm" && i+1 < len(c.o.Flags):
			list = append(list, f, c.o.Flags[i+1])
			i++
		case f == "-Xclang" || f == "-include" || f == "-D" || f == "-I":
			i++
		case strings.HasPrefix(f, "-cl-") && !strings.HasPrefix(f, "-cl-std"), strings.HasPrefix(f, "-m"), strings.HasPrefix(f, "-f"):
			list = append(list, f)
		}
	}
	return list
}

// compile makes the code object. It reads the source twice: to find the functions that it calls, and to compile it with
// them. The messages of the second call are reported if it succeeds.
func (c *compiler) compile() ([]byte, error) {
	ll := c.path
	if c.kind != "ir" {
		ll = c.file("source.ll")
		said, err := c.run(append(c.source(), "-emit-llvm", "-S", "-Xclang", "-disable-llvm-passes", "-o", ll, c.path))
		if err != nil {
			return nil, c.failed(err, said)
		}
	}
	text, err := limit.ReadFile(ll, limit.File)
	if err != nil {
		return nil, c.unwritten(err)
	}
	p := readProgram(text)
	l := libclcState{}
	if p.prefersLibclc() {
		if err := c.findLibclc(&l); err != nil {
			return nil, err
		}
	}
	u, said, err := c.unlinked(p, &l)
	if err == nil && len(u.Missing()) > 0 && !l.looked { // a function that the library has only for other types
		if err = c.findLibclc(&l); err == nil && l.path != "" {
			u, said, err = c.unlinked(p, &l)
		}
	}
	if err != nil {
		return nil, err
	}
	if names := u.Missing(); len(names) > 0 {
		return nil, c.undefined(names, calls(u, names), l)
	}
	c.say(said)
	data, err := u.Link()
	if err != nil {
		return nil, fmt.Errorf("%s: what %s makes of it: %w", c.path, c.clang, err)
	}
	return data, nil
}

// unlinked returns the source as a relocatable file, with the built-in functions, and the messages of clang. A libclc
// that clang rejects, because it is for another version of LLVM, is omitted.
func (c *compiler) unlinked(p program, l *libclcState) (u *object.Unlinked, said []byte, err error) {
	obj, said, err := c.build(p, l.path)
	if isExit(err) && l.path != "" {
		l.refused = string(said)
		obj, said, err = c.build(p, "")
	}
	if err != nil {
		return nil, nil, c.failed(err, said)
	}
	data, err := limit.ReadFile(obj, limit.File)
	if err != nil {
		return nil, nil, c.unwritten(err)
	}
	if !bytes.HasPrefix(data, []byte("\x7fELF")) {
		return nil, nil, c.unwritten(fs.ErrNotExist)
	}
	if u, err = object.ReadUnlinked(data); err != nil {
		return nil, nil, fmt.Errorf("%s: what %s makes of it: %w", c.path, c.clang, err)
	}
	return u, said, nil
}

// build makes a relocatable file of the source and the functions that it needs, and returns the messages of clang.
func (c *compiler) build(p program, libclc string) (obj string, said []byte, err error) {
	obj = c.file("code.o")
	args := append(c.source(), "-c", "-o", obj)
	for _, l := range []struct {
		how   string
		names []string
	}{
		{"-mlink-builtin-bitcode", c.builtins(p, libclc != "")},
		{"-mlink-bitcode-file", c.late(p)},
	} {
		if l.names == nil {
			continue
		}
		bc, err := c.library(p, l.how, l.names)
		if err != nil {
			return "", nil, err
		}
		args = append(args, "-Xclang", l.how, "-Xclang", bc)
	}
	if libclc != "" {
		args = append(args, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", libclc)
	}
	if p.doubled && !slices.ContainsFunc(c.o.Flags, func(f string) bool { return strings.Contains(f, internalize) }) {
		args = append(args, "-mllvm", internalize)
	}
	said, err = c.run(append(args, c.path))
	return obj, said, err
}

// internalize is the flag that omits functions that no kernel needs. Later versions of clang emit each kernel also as a
// function; for such a copy of a kernel with LDS they warn although the program is right.
const internalize = "-amdgpu-internalize-symbols"

// builtins returns the functions that a program calls and the library has, except those for which libclc is better.
func (c *compiler) builtins(p program, libclc bool) (names []string) {
	for _, y := range p.declared {
		n := baseName(y)
		if s := readLibrary().section(n); s != nil && !(libclc && s.fallback) && n != "printf" {
			names = append(names, n)
		}
	}
	return names
}

// late returns the functions whose calls the compiler generates after linking, so that what they call is linked
// completely.
func (c *compiler) late(p program) []string {
	if slices.Contains(p.declared, "printf") {
		return []string{"printf"}
	}
	return nil
}

// library compiles functions of the library, and returns the name of the file.
func (c *compiler) library(p program, name string, names []string) (string, error) {
	src, bc := c.file(name+".cl"), c.file(name+".bc")
	if err := os.WriteFile(src, []byte(readLibrary().source(names)), 0o600); err != nil {
		return "", err
	}
	std := c.o.Std
	if c.kind != "cl" {
		std = "CL2.0"
	}
	args := append(append(c.target(), c.shared()...), "-x", "cl", "-cl-std="+std, "-w", fmt.Sprintf("-DHD_ABI=%d", p.abi(c.version)), "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-c", "-o", bc)
	if p.version != 0 {
		args = append(args, fmt.Sprintf("-mcode-object-version=%d", p.version/100))
	}
	if said, err := c.run(append(args, src)); err != nil {
		// Not an exit error: clang has not rejected the source.
		return "", fmt.Errorf("%s does not compile heddle's built-in functions %s:\n%s%v", c.clang, strings.Join(names, ", "), said, err)
	}
	return bc, nil
}
