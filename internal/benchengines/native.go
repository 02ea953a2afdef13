package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed kernels/native.c
var nativeSource []byte

// A native runs OpenCL sources on the host with a helper program that is compiled when needed: nothing here is linked
// with C.
type native struct {
	folder  string
	helper  string
	version string
}

// newNative compiles the helper; if that fails, why says what is missing.
func newNative() (n *native, why string) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		return nil, "no PoCL here: no gcc"
	}
	folder, err := os.MkdirTemp("", "benchengines")
	if err != nil {
		return nil, "no PoCL here: " + err.Error()
	}
	n = &native{folder: folder, helper: filepath.Join(folder, "native")}
	source := n.helper + ".c"
	out, err := []byte(nil), os.WriteFile(source, nativeSource, 0o644)
	if err == nil {
		out, err = exec.Command(gcc, "-O2", "-o", n.helper, source, "-lOpenCL").CombinedOutput()
	}
	if err != nil {
		n.close()
		return nil, "no PoCL here: the helper does not compile: " + firstLine(out, err)
	}
	if out, err = n.command(context.Background(), "version").CombinedOutput(); err != nil {
		n.close()
		return nil, "no PoCL here: " + firstLine(out, err)
	}
	n.version = strings.TrimSpace(string(out))
	return n, ""
}

func (n *native) close() { os.RemoveAll(n.folder) }

// command returns a call of the helper with one thread for kernels.
func (n *native) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, n.helper, args...)
	c.Env = append(os.Environ(), "POCL_MAX_PTHREAD_COUNT=1", "POCL_CPU_MAX_CU_COUNT=1", "POCL_CACHE_DIR="+n.folder)
	return c
}

// run returns the processor time of a run of the kernel in seconds, averaged over enough runs to take the given time.
func (n *native) run(ctx context.Context, k *clKernel, least time.Duration) (float64, error) {
	source := filepath.Join(n.folder, "source.cl")
	if err := k.whole(source); err != nil {
		return 0, err
	}
	args := []string{"run", source, k.name, fmt.Sprint(least.Seconds()), "-cl-std=CL1.2"}
	for _, d := range slices.Concat(k.grid[:], k.block[:]) {
		args = append(args, strconv.Itoa(int(max(d, 1))))
	}
	for i, a := range k.args {
		if a.data == nil {
			args = append(args, fmt.Sprintf("%d:%x", a.bytes, a.bits))
			continue
		}
		path := filepath.Join(n.folder, fmt.Sprintf("arg%d", i))
		if err := os.WriteFile(path, a.data, 0o644); err != nil {
			return 0, err
		}
		args = append(args, "@"+path)
	}
	out, err := n.command(ctx, args...).CombinedOutput()
	if err != nil {
		return 0, errors.New(firstLine(out, err))
	}
	lines := strings.Fields(string(out))
	if len(lines) == 0 {
		return 0, errors.New("the helper says nothing")
	}
	return strconv.ParseFloat(lines[len(lines)-1], 64)
}

func firstLine(out []byte, err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return strings.TrimSuffix(err.Error()+": "+line, ": ")
}

// whole writes the source after its include file.
func (k *clKernel) whole(to string) error {
	var text []byte
	for _, file := range []string{k.include, k.source} {
		if file == "" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text = append(text, data...)
	}
	return os.WriteFile(to, text, 0o644)
}
