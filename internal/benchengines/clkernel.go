package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// A clKernel is a row with its arguments.
type clKernel struct {
	source, code string // files
	function     string
	grid, block  [3]uint32
	args         []clArg
	launches     int
	native       agreement
}

const noOptimisation = ".O0" // at the end of names

// load makes the data of a row, with times as much work.
func (r *row) load(root string, times int) (*clKernel, error) {
	name, o0 := strings.CutSuffix(r.name, noOptimisation)
	file, function, own := strings.Cut(name, "/")
	folder := filepath.Join(root, "internal", "benchengines", "kernels")
	if !own {
		function = file
		if !exists(filepath.Join(folder, file+".cl")) {
			folder = filepath.Join(root, "cases", "kernels", "gcn", file)
		}
	}
	k := &clKernel{source: filepath.Join(folder, file+".cl"), code: filepath.Join(folder, file+".gfx803"), function: function, launches: 1, native: r.native}
	if o0 {
		k.code += noOptimisation
	}
	k.code += ".hsaco"
	var err error
	if k.grid, err = workItems(scaledBy(r.grid, times)); err == nil {
		k.block, err = workItems(r.block)
	}
	for _, text := range strings.Fields(scaledBy(r.args, times)) {
		a, failed := argument(text)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		if k.args = append(k.args, a); a.kind == isNumber {
			k.launches = max(k.launches, len(a.data)/a.size)
		}
	}
	return k, err
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return !errors.Is(err, fs.ErrNotExist)
}

var inBraces = regexp.MustCompile(`\{(\d+)\}`)

// scaledBy multiplies the numbers in braces.
func scaledBy(text string, times int) string {
	return inBraces.ReplaceAllStringFunc(text, func(s string) string {
		n, err := strconv.Atoi(s[1 : len(s)-1])
		if err != nil {
			return s
		}
		return strconv.Itoa(n * times)
	})
}

// scales reports whether there can be more work.
func (r *row) scales() bool { return inBraces.MatchString(r.grid + r.args) }

// workItems reads a size of up to three axes.
func workItems(text string) (size [3]uint32, err error) {
	size = [3]uint32{1, 1, 1}
	for i, s := range strings.SplitN(text, "x", 3) {
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil {
			return size, err
		}
		size[i] = uint32(n)
	}
	return size, nil
}

// prepare loads the code; compiled code is kept between runs.
func (k *clKernel) prepare(ctx context.Context, s launch.Settings) (runner, error) {
	data, err := os.ReadFile(k.code)
	if err != nil {
		return nil, err
	}
	o, err := object.ReadHSAFile(data, k.code)
	if err != nil {
		return nil, err
	}
	module, err := gcn.Load(o, nil)
	if err != nil {
		return nil, err
	}
	return func() (out outcome, err error) {
		l := gcn.Kernel{Module: module, Name: k.function, Grid: k.grid, Block: k.block, Memory: gcn.NewMemory()}
		var buffers []*gcn.Buffer
		for i := range k.args {
			arg, b, err := k.args[i].onGPU(l.Memory, fmt.Sprintf("arg%d", i))
			if err != nil {
				return out, err
			}
			l.Args, buffers = append(l.Args, arg), append(buffers, b)
		}
		err = timed(&out, func() error {
			for i := range k.launches {
				n, err := k.launch(ctx, l, i, s)
				out.instructions += n
				if err != nil {
					return err
				}
			}
			return nil
		})
		h := sha256.New()
		for _, b := range buffers {
			var data []byte
			if b != nil {
				data = b.Data
			}
			h.Write(data)
			out.left = append(out.left, data)
		}
		h.Sum(out.sum[:0])
		return out, err
	}, nil
}

// launch runs launch i, and returns the instructions.
func (k *clKernel) launch(ctx context.Context, l gcn.Kernel, i int, s launch.Settings) (uint64, error) {
	for n := range k.args {
		a := &k.args[n]
		if i == 0 || a.kind != isNumber {
			continue
		}
		arg, err := gcn.Number(a.typ, a.value(i))
		if err != nil {
			return 0, err
		}
		l.Args[n] = arg
	}
	r, err := gcn.Launch(ctx, l, s)
	return r.Instructions, err
}
