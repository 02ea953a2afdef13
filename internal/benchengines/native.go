package main

import (
	"bytes"
	"cmp"
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

	"github.com/heddle-gpu/heddle/sanitize"
)

//go:embed kernels/*.c kernels/*.h
var helpers embed.FS

// A native runs kernels on the host with a program in C that is compiled when needed: nothing here is linked with C.
type native struct {
	folder  string
	program string
	version string
	with    peer
}

// A peer is how the program runs kernels.
type peer struct {
	platform string   // its name in OpenCL, if it uses that
	under    []string // a command that runs the program
	runs     int      // how many, at least, after one that compiles; 0: one that counts itself
}

// natives are the programs that run kernels natively; nil: there is none.
type natives struct{ cl, hand *native }

// natives returns what the settings ask for; the report says what it is, or why it is missing.
func (s *settings) natives(r *report) (n natives) {
	if !s.native {
		return n
	}
	why := ""
	if len(s.checks) > 0 {
		if n.cl, why = newOclgrind(s.checks); n.cl == nil {
			r.Native = "no Oclgrind here: " + why
		} else {
			r.Native = n.cl.version
		}
		return n
	}
	if n.cl, why = newPoCL(); n.cl == nil {
		r.Native = "no PoCL here: " + why
	} else {
		r.Native = n.cl.version
	}
	if n.hand, why = newHand(); n.hand == nil {
		r.Hand = "nothing by hand here: " + why
	} else {
		r.Hand = n.hand.version
	}
	return n
}

func (n natives) close() {
	for _, x := range []*native{n.cl, n.hand} {
		if x != nil {
			x.close()
		}
	}
}

// newNative compiles a program of the folder kernels; if that fails, why says what is missing.
func newNative(program string, with peer, flags ...string) (n *native, why string) {
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
	n = &native{folder: folder, program: filepath.Join(folder, program), with: with}
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
	if out, err = n.command(context.Background(), "version", with.platform).CombinedOutput(); err != nil {
		n.close()
		return nil, firstLine(out, err)
	}
	n.version = strings.TrimSpace(string(out))
	return n, ""
}

// newPoCL returns what runs OpenCL sources.
func newPoCL() (n *native, why string) {
	return newNative("native", peer{platform: "Portable Computing Language", runs: 3}, "-O2", "-lOpenCL")
}

// newOclgrind returns what runs them in Oclgrind, with those of its checks that are among ours.
func newOclgrind(lists []sanitize.Check) (n *native, why string) {
	path, err := exec.LookPath("oclgrind")
	if err != nil {
		return nil, err.Error()
	}
	under := []string{path, "--num-threads", "1"}
	all := sanitize.Check(0)
	for _, c := range lists {
		if c < countsTime {
			all |= c
		}
	}
	if all&(sanitize.CheckRace|sanitize.CheckLDS) != 0 {
		under = append(under, "--data-races")
	}
	if all&sanitize.CheckInit != 0 {
		under = append(under, "--uninitialized")
	}
	n, why = newNative("native", peer{platform: "Oclgrind", under: under}, "-O2", "-lOpenCL")
	if n != nil {
		n.version += ", " + strings.Join(under[1:], " ")
	}
	return n, why
}

// newHand returns what runs the kernels of micro.cl that are written by hand.
func newHand() (n *native, why string) {
	return newNative("hand", peer{}, "-O3", "-mavx2", "-ffp-contract=off")
}

func (n *native) close() { os.RemoveAll(n.folder) }

// command returns a call of the program with one thread for kernels.
func (n *native) command(ctx context.Context, args ...string) *exec.Cmd {
	args = slices.Concat(n.with.under, []string{n.program}, args)
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Env = append(os.Environ(), "POCL_MAX_PTHREAD_COUNT=1", "POCL_CPU_MAX_CU_COUNT=1", "POCL_CACHE_DIR="+n.folder)
	return c
}

// openCL returns the processor time of a run of the kernel's source in seconds, averaged over enough runs to take the
// given time.
func (n *native) openCL(ctx context.Context, k *clKernel, least time.Duration, want [][]byte) (float64, error) {
	args := []string{"run", n.with.platform, k.source, k.function, strconv.Itoa(n.with.runs), fmt.Sprint(least.Seconds()), strconv.Itoa(k.launches)}
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
	c := n.command(ctx, args...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", cmp.Or(ctx.Err(), err), firstLine(said.Bytes(), err))
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

// natively runs the kernel of a workload natively and by hand.
func (c *contest) natively(ctx context.Context, s *settings, l *workload, k *clKernel, n natives) error {
	if n.cl != nil && k != nil && k.native != none && c.why == "" {
		ctx, cancel := context.WithTimeout(ctx, s.limit)
		defer cancel()
		t, err := n.cl.openCL(ctx, k, s.least, c.first.left)
		switch {
		case err == nil:
			c.times[len(c.runs)] = append(c.times[len(c.runs)], t)
		case len(s.checks) > 0 && !errors.Is(err, context.Canceled): // Oclgrind need not be able to run it, nor compute the same
			c.why = err.Error()
		default:
			return fmt.Errorf("native: %w", err)
		}
	}
	if n.hand != nil && l.group == micro {
		t, err := n.hand.byHand(ctx, k, s.least, c.first.left)
		if err != nil {
			return fmt.Errorf("by hand: %w", err)
		}
		c.times[len(c.runs)+1] = append(c.times[len(c.runs)+1], t)
	}
	return nil
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
