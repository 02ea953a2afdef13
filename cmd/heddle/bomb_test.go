//go:build linux

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bombMemory limits the memory of the command while it rejects an input, in bytes.
const bombMemory = 256 << 20

// A bomb is an input that is cheap to make, and would cost a naive reader all memory or unlimited time.
type bomb struct {
	name string
	make func(t *testing.T, dir string) // the files, if there are any
	args string                         // in the folder of the files
	in   io.Reader                      // standard input; nil: empty
	want string                         // in the message
	code int                            // exit code
}

// forever is bytes that are repeated endlessly.
type forever string

func (e forever) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// TestBombs: the command rejects each input at once, names the limit, and uses little memory. Time is not measured,
// except for a limit that only a hang exceeds.
func TestBombs(t *testing.T) {
	heddle, err := exec.LookPath("heddle") // the test binary under that name: see TestMain
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bombs() {
		t.Run(b.name, func(t *testing.T) {
			dir := t.TempDir()
			if b.make != nil {
				b.make(t, dir)
			}
			ctx, stop := context.WithTimeout(context.Background(), 60*time.Second)
			defer stop()
			c := exec.CommandContext(ctx, heddle, strings.Fields(b.args)...)
			c.Dir = dir
			var said bytes.Buffer
			out := &tail{}
			c.Stderr, c.Stdout, c.Stdin = &said, out, nil
			if b.in != nil {
				pipe, err := c.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				go func() { io.Copy(pipe, b.in); pipe.Close() }() // ends when the reader closes
			}
			small(t)
			start := time.Now()
			err := c.Run()
			took := time.Since(start)
			if ctx.Err() != nil {
				t.Fatalf("does not end: %s", said.String())
			}
			rss := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
			t.Logf("%.2f s, %d MiB: %s", took.Seconds(), rss>>20, clipped(said.String()+out.String()))
			if c.ProcessState.ExitCode() != b.code {
				t.Errorf("%v, want exit code %d", err, b.code)
			}
			if !strings.Contains(said.String()+out.String(), b.want) {
				t.Errorf("the message does not say %q", b.want)
			}
			most := int64(bombMemory)
			if zeros := readsZeros[b.name]; zeros > 0 && countsZeros(t) {
				t.Logf("this kernel counts pages of zeros that are only read, which are %d MiB here", zeros>>20)
				most += zeros
			}
			if rss > most {
				t.Errorf("%d MiB of memory, at most %d", rss>>20, most>>20)
			}
		})
	}
}

// readsZeros are the bombs that read memory that nobody has written, in bytes.
var readsZeros = map[string]int64{"buffer_gcn": 1 << 30, "buffer_valhall": 2 << 30}

// countsZeros reports whether memory that is only read counts as resident: most kernels map one page of zeros for it.
func countsZeros(t *testing.T) bool {
	const size = 64 << 20
	data, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(data)
	before, sum := resident(t), byte(0)
	for i := 0; i < size; i += os.Getpagesize() {
		sum |= data[i]
	}
	return sum == 0 && resident(t)-before > size/2
}

// resident returns the resident memory of this process in bytes.
func resident(t *testing.T) (bytes int) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(strings.Fields(string(data))[1], &bytes); err != nil {
		t.Fatal(err)
	}
	return bytes * os.Getpagesize()
}

// small releases unneeded memory of this process and resets its peak, because the peak of a child starts with that of
// its parent.
func small(t *testing.T) {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Log("the memory of this process counts as the command's: ", err)
	}
}

// A tail keeps the end of its input.
type tail struct{ bytes.Buffer }

func (w *tail) Write(p []byte) (int, error) {
	if w.Len() > 1<<16 {
		w.Reset()
	}
	w.Buffer.Write(p[max(0, len(p)-1<<16):])
	return len(p), nil
}

func clipped(s string) string {
	if len(s) > 300 {
		return s[:150] + " ... " + s[len(s)-150:]
	}
	return s
}

// bombs returns all of them.
func bombs() (list []bomb) {
	for _, part := range [][]bomb{deviceBombs, streamBombs, manifestBombs, sceneBombs, caseBombs, asmBombs, lintBombs, bufferBombs} {
		list = append(list, part...)
	}
	return list
}

// source makes a file with the contents.
func source(name, contents string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { put(t, filepath.Join(dir, name), []byte(contents)) }
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// files calls makers one after the other.
func files(makes ...func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		for _, m := range makes {
			m(t, dir)
		}
	}
}

// padded makes a file of a head, a repeated part, and an end, without holding it in memory, because the parent's memory
// counts for the child.
func padded(name, head string, n int, part, end string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriter(f)
		w.WriteString(head)
		for range n {
			w.WriteString(part)
		}
		w.WriteString(end)
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// link makes a symbolic link.
func link(name, to string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// hole makes a sparse file of a terabyte.
func hole(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, name)
		put(t, path, nil)
		if err := os.Truncate(path, 1<<40); err != nil {
			t.Skip("no sparse files here: ", err)
		}
	}
}

// packed makes a gzip file: a head, then a part of 4 MiB repeated to 4 GiB, each time as its own member.
func packed(name, head, part string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		data := zipped(t, []byte(head))
		again := zipped(t, bytes.Repeat([]byte(part), 4<<20/len(part)))
		put(t, filepath.Join(dir, name), append(data, bytes.Repeat(again, 1<<10)...))
	}
}

func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// claims makes a PNG file of a few bytes with a header for a picture of that size.
func claims(name string, side uint32) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		chunk := func(kind string, data []byte) []byte {
			b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
			b = append(append(b, kind...), data...)
			return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
		}
		size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, side), side)
		data := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(size, 16, 6, 0, 0, 0))...) // 16 bits, RGBA
		data = append(data, chunk("IDAT", []byte("\x78\x9c\x03\x00\x00\x00\x00\x01"))...)
		put(t, filepath.Join(dir, name), append(data, chunk("IEND", nil)...))
	}
}

// scene makes a scene with one draw, with additional keys of the scene and of the draw.
func scene(more, draw string) func(*testing.T, string) {
	return files(source("fill.s", "mov o1, i0\nend\n"), source("scene.json", fmt.Sprintf(
		`{"isa": "attila", "width": 8, "height": 8%s, "draws": [{"fragment": "fill.s", "count": 3%s}]}`, more, draw)))
}
