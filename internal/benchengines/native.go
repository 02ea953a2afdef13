package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed kernels/*.c kernels/*.h
var helpers embed.FS

// A native runs kernels on the host with a program in C that is compiled when needed: nothing here is linked with C.
type native struct {
	folder  string
	program string
	version string
}

// newNative compiles a program of the folder kernels; if that fails, why says what is missing.
func newNative(program string, flags ...string) (n *native, why string) {
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		compiler, err = exec.LookPath("clang")
	}
	if err != nil {
		return nil, "no gcc and no clang"
	}
	folder, err := os.MkdirTemp("", "benchengines")
	if err != nil {
		return nil, err.Error()
	}
	n = &native{folder: folder, program: filepath.Join(folder, program)}
	if err := os.CopyFS(folder, helpers); err != nil {
		n.close()
		return nil, err.Error()
	}
	args := append([]string{"-o", n.program, filepath.Join(folder, "kernels", program+".c")}, flags...)
	out, err := exec.Command(compiler, args...).CombinedOutput()
	if err != nil {
		n.close()
		return nil, program + ".c does not compile: " + firstLine(out, err)
	}
	if out, err = n.command(context.Background(), "version").CombinedOutput(); err != nil {
		n.close()
		return nil, firstLine(out, err)
	}
	n.version = strings.TrimSpace(string(out))
	return n, ""
}

// newPoCL returns what runs OpenCL sources.
func newPoCL() (n *native, why string) { return newNative("native", "-O2", "-lOpenCL") }

// newHand returns what runs the kernels of micro.cl that are written by hand.
func newHand() (n *native, why string) {
	return newNative("hand", "-O3", "-mavx2", "-ffp-contract=off")
}

func (n *native) close() { os.RemoveAll(n.folder) }

// command returns a call of the program with one thread for kernels.
func (n *native) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, n.program, args...)
	c.Env = append(os.Environ(), "POCL_MAX_PTHREAD_COUNT=1", "POCL_CPU_MAX_CU_COUNT=1", "POCL_CACHE_DIR="+n.folder)
	return c
}

// openCL returns the processor time of a run of the kernel's source in seconds, averaged over enough runs to take the
// given time.
func (n *native) openCL(ctx context.Context, k *clKernel, least time.Duration, want [][]byte) (float64, error) {
	args := []string{"run", k.source, k.function, fmt.Sprint(least.Seconds()), strconv.Itoa(k.launches)}
	for _, d := range slices.Concat(k.grid[:], k.block[:]) {
		args = append(args, strconv.Itoa(int(d)))
	}
	return n.run(ctx, k, args, want)
}

// byHand returns the same of the kernel that is written by hand.
func (n *native) byHand(ctx context.Context, k *clKernel, least time.Duration, want [][]byte) (float64, error) {
	return n.run(ctx, k, []string{k.function, fmt.Sprint(least.Seconds()), strconv.Itoa(int(k.grid[0]))}, want)
}

// run calls the program with arguments and those of the kernel. What it leaves of buffers must agree with what is
// wanted.
func (n *native) run(ctx context.Context, k *clKernel, args []string, want [][]byte) (float64, error) {
	files := make([]string, len(k.args))
	for i := range k.args {
		a := &k.args[i]
		files[i] = filepath.Join(n.folder, fmt.Sprintf("arg%d", i))
		if err := errors.Join(os.WriteFile(files[i], a.data, 0o644), os.RemoveAll(files[i]+".left")); err != nil {
			return 0, err
		}
		args = append(args, a.natively(files[i]))
	}
	out, err := n.command(ctx, args...).CombinedOutput()
	if err != nil {
		return 0, errors.New(firstLine(out, err))
	}
	for i, file := range files {
		got, err := os.ReadFile(file + ".left")
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return 0, err
		default:
			if err := agree(got, want[i], k.native); err != nil {
				return 0, fmt.Errorf("argument %d: %w", i, err)
			}
		}
	}
	lines := strings.Fields(string(out))
	if len(lines) == 0 {
		return 0, errors.New("the program prints nothing")
	}
	return strconv.ParseFloat(lines[len(lines)-1], 64)
}

// agree compares what a buffer holds after a native run with what engines leave.
func agree(got, want []byte, how agreement) error {
	if bytes.Equal(got, want) {
		return nil
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d bytes, want %d", len(got), len(want))
	}
	for i := 0; i+4 <= len(got); i += 4 {
		g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:])
		x, y := float64(math.Float32frombits(g)), float64(math.Float32frombits(w))
		close := how == near && math.Abs(x-y) <= 1e-3*max(1, math.Abs(x))
		if g != w && !close {
			return fmt.Errorf("word %d is %#x (%g), engines leave %#x (%g)", i/4, g, x, w, y)
		}
	}
	if tail := len(got) &^ 3; !bytes.Equal(got[tail:], want[tail:]) {
		return fmt.Errorf("the last bytes are %x, engines leave %x", got[tail:], want[tail:])
	}
	return nil
}

func firstLine(out []byte, err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return strings.TrimSuffix(err.Error()+": "+line, ": ")
}
