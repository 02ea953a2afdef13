package live

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"
)

//go:embed wasm
var embedded embed.FS

const (
	module  = "github.com/heddle-gpu/heddle"
	command = module + "/internal/web/wasm"
)

// Wasm is package internal/web/wasm as WebAssembly.
type Wasm struct {
	Packed []byte // with gzip
	Exec   []byte // wasm_exec.js of the Go that built it
	// From says where it comes from: embedded, cached, or just built.
	From string
}

// The names of the files that hold it, and of the file with the checksum of its source.
const (
	packedName = "heddle.wasm.gz"
	execName   = "wasm_exec.js"
	sourceName = "source"
)

// Options control how the WebAssembly is found.
type Options struct {
	Cache string            // folder; "": the user's cache
	Say   func(what string) // called with one line before a build starts; may be nil
}

// A Lack is the reason why there is no WebAssembly, with a remedy.
type Lack struct {
	Err  error
	Hint string
}

func (l *Lack) Error() string {
	return "the part of the site that runs in pages cannot be made: " + l.Err.Error()
}

func (l *Lack) Unwrap() error { return l.Err }

// Find returns the embedded WebAssembly, or one cached for the same source, or builds it. If the source of the binary
// is present, the embedded or cached one is used only if it was made from exactly that source.
func Find(ctx context.Context, o Options) (*Wasm, error) {
	dir, local := sourceFolder()
	own := held()
	if own != nil && !local {
		return own, nil
	}
	if _, err := exec.LookPath("go"); err != nil {
		if own != nil { // its source is unknown; it is better than nothing
			return own, nil
		}
		return nil, &Lack{errors.New("this binary does not hold it, and there is no go command to build it with"),
			"binaries of releases hold it; --no-live makes the site without it"}
	}
	if !local {
		var err error
		if dir, err = download(ctx); err != nil {
			return nil, &Lack{err, "--no-live makes the site without it"}
		}
	}
	sum, err := sourceSum(ctx, dir)
	if err != nil {
		return nil, &Lack{err, "--no-live makes the site without it"}
	}
	if own != nil && own.From == sum {
		own.From = "the binary"
		return own, nil
	}
	w, err := cached(ctx, o, dir, sum)
	if err != nil {
		return nil, &Lack{err, "--no-live makes the site without it"}
	}
	return w, nil
}

// Embedded reports whether the binary contains the WebAssembly.
func Embedded() bool { return held() != nil }

// held returns the embedded WebAssembly, nil if there is none. From is the checksum of its source.
func held() *Wasm {
	read := func(name string) []byte {
		data, err := embedded.ReadFile("wasm/" + name)
		if err != nil {
			return nil
		}
		return data
	}
	w := &Wasm{Packed: read(packedName), Exec: read(execName), From: strings.TrimSpace(string(read(sourceName)))}
	if w.Packed == nil || w.Exec == nil {
		return nil
	}
	return w
}

// sourceFolder returns the folder of the source from which this binary was compiled, if it still exists.
func sourceFolder() (dir string, ok bool) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "", false
	}
	dir = filepath.Dir(filepath.Dir(filepath.Dir(file)))
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return dir, err == nil && strings.HasPrefix(string(text), "module "+module+"\n")
}

// download uses the go command to get the folder of the source of this binary's version.
func download(ctx context.Context) (dir string, err error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", errors.New("this binary does not say what version it is")
	}
	version := info.Main.Version
	if info.Main.Path != module || version == "" || version == "(devel)" || strings.Contains(version, "+dirty") {
		return "", fmt.Errorf("this binary was built from a checkout that is no more here (version %q), so its source is unknown", version)
	}
	out, err := goCommand(ctx, "", nil, "mod", "download", "-json", module+"@"+version)
	if err != nil {
		return "", err
	}
	const key = `"Dir": "`
	_, rest, ok := strings.Cut(string(out), key)
	dir, _, end := strings.Cut(rest, `"`)
	if !ok || !end {
		return "", fmt.Errorf("go mod download says no folder of %s@%s", module, version)
	}
	return strings.ReplaceAll(dir, `\\`, `\`), nil
}

// goCommand runs the go command and returns its output.
func goCommand(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var out, wrong bytes.Buffer
	c.Stdout, c.Stderr = &out, &wrong
	err := c.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, strings.TrimSpace(wrong.String()))
	}
	return out.Bytes(), nil
}

// forBrowser returns the environment of a build for browsers. Other build settings of the user, such as a vendor
// folder, are ignored.
func forBrowser() []string { return []string{"GOOS=js", "GOARCH=wasm", "GOWORK=off", "CGO_ENABLED=0"} }

// sourceSum returns the checksum of all inputs of the WebAssembly: the files of this module, the versions of the
// others, the Go version.
func sourceSum(ctx context.Context, dir string) (string, error) {
	const format = `{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}
{{end}}{{else}}={{.Module.Path}}@{{.Module.Version}}
{{end}}{{end}}`
	out, err := goCommand(ctx, dir, forBrowser(), "list", "-deps", "-f", format, "./internal/web/wasm")
	if err != nil {
		return "", err
	}
	version, err := goCommand(ctx, dir, nil, "env", "GOVERSION")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	sum.Write(version)
	fmt.Fprintln(sum, buildFlags)
	lines := strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' || r == '\r' })
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		if strings.HasPrefix(line, "=") {
			fmt.Fprintln(sum, line)
			continue
		}
		data, err := os.ReadFile(line)
		if err != nil {
			return "", err
		}
		name, _ := filepath.Rel(dir, line)
		fmt.Fprintf(sum, "%s %d\n", filepath.ToSlash(name), len(data))
		sum.Write(data)
	}
	return hex.EncodeToString(sum.Sum(nil))[:24], nil
}

// cached returns the cached build of a source, building it if needed. Concurrent callers wait for the same build.
func cached(ctx context.Context, o Options, dir, sum string) (*Wasm, error) {
	if o.Cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		o.Cache = filepath.Join(user, "heddle")
	}
	if err := os.MkdirAll(o.Cache, 0o755); err != nil {
		return nil, err
	}
	place := filepath.Join(o.Cache, "wasm-"+sum)
	if w := readWasm(place); w != nil {
		return w, nil
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(o.Cache, "wasm.lock")).Lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if w := readWasm(place); w != nil {
		return w, nil
	}
	if o.Say != nil {
		o.Say("building WebAssembly from " + dir + ", once for this source; it takes about a minute")
	}
	fresh, err := os.MkdirTemp(o.Cache, "new-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(fresh)
	if err := build(ctx, dir, fresh, sum); err != nil {
		return nil, err
	}
	if err := os.Rename(fresh, place); err != nil {
		return nil, err
	}
	prune(o.Cache, place)
	w := readWasm(place)
	if w == nil {
		return nil, fmt.Errorf("%s cannot be read again", place)
	}
	w.From = "built from " + dir
	return w, nil
}

// readWasm reads a build from a folder; nil if it is not there.
func readWasm(dir string) *Wasm {
	packed, err := os.ReadFile(filepath.Join(dir, packedName))
	if err != nil {
		return nil
	}
	script, err := os.ReadFile(filepath.Join(dir, execName))
	if err != nil {
		return nil
	}
	return &Wasm{packed, script, dir}
}

// kept is the number of builds that the cache keeps.
const kept = 3

// prune removes the oldest builds of a cache, except but and the newest ones.
func prune(cache, but string) {
	list, err := filepath.Glob(filepath.Join(cache, "wasm-*"))
	if err != nil || len(list) <= kept {
		return
	}
	age := func(dir string) int64 {
		info, err := os.Stat(dir)
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(list, func(a, b string) int { return int(min(max(age(b)-age(a), -1), 1)) })
	for _, dir := range list[kept:] {
		if dir != but {
			os.RemoveAll(dir) // fails while another process reads it; a later call removes it
		}
	}
}

// buildFlags reduce the size: without inlining it is a sixth smaller, and what users run in a page still takes
// milliseconds.
const buildFlags = "-trimpath|-buildvcs=false|-ldflags=-s -w|-gcflags=all=-l"

// Build builds the WebAssembly from the module source in dir into the folder into.
func Build(ctx context.Context, dir, into string) error {
	sum, err := sourceSum(ctx, dir)
	if err != nil {
		return err
	}
	return build(ctx, dir, into, sum)
}

// build is Build for source with a known checksum.
func build(ctx context.Context, dir, into, sum string) error {
	raw := filepath.Join(into, "heddle.wasm")
	args := append(strings.Split(buildFlags, "|"), "-o", raw, "./internal/web/wasm")
	if _, err := goCommand(ctx, dir, forBrowser(), append([]string{"build"}, args...)...); err != nil {
		return err
	}
	defer os.Remove(raw)
	goroot, err := goCommand(ctx, dir, nil, "env", "GOROOT")
	if err != nil {
		return err
	}
	script, err := execScript(strings.TrimSpace(string(goroot)))
	if err != nil {
		return err
	}
	data, err := os.ReadFile(raw)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	for name, data := range map[string][]byte{packedName: b.Bytes(), execName: script, sourceName: []byte(sum + "\n")} {
		if err := os.WriteFile(filepath.Join(into, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// execScript returns wasm_exec.js of a Go installation; before 1.24 it was in another folder.
func execScript(goroot string) ([]byte, error) {
	script, err := os.ReadFile(filepath.Join(goroot, "lib", "wasm", execName))
	if errors.Is(err, fs.ErrNotExist) {
		script, err = os.ReadFile(filepath.Join(goroot, "misc", "wasm", execName))
	}
	return script, err
}
