package limit_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/limit"
)

var ten = limit.Size{What: "sample", Bytes: 10, Raise: "--more"}

// forever is an endless stream.
type forever struct{ taken int64 }

func (f *forever) Read(p []byte) (int, error) {
	f.taken += int64(len(p))
	return len(p), nil
}

// TestReadAll: input within the limit is read completely; one byte more is an error that names the file, the limit and
// the flag that raises it.
func TestReadAll(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10} {
		data, err := limit.ReadAll(bytes.NewReader(bytes.Repeat([]byte{7}, n)), "x", ten)
		if err != nil || len(data) != n || bytes.Count(data, []byte{7}) != n {
			t.Errorf("%d bytes: %d, %v", n, len(data), err)
		}
	}
	_, err := limit.ReadAll(strings.NewReader("01234567890"), "x", ten)
	if err == nil || err.Error() != "x: sample of more than 10 bytes; --more raises the limit" {
		t.Error(err)
	}
	long := bytes.Repeat([]byte("abc"), 3<<20)
	if data, err := limit.ReadAll(bytes.NewReader(long), "x", limit.File); err != nil || !bytes.Equal(data, long) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := limit.ReadAll(io.MultiReader(strings.NewReader("ab"), broken{}), "x", ten); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, fs.ErrClosed }

// TestEndless: an endless stream uses little more than the limit, in bytes read and in memory.
func TestEndless(t *testing.T) {
	size := limit.Size{What: "sample", Bytes: 8 << 20}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := &forever{}
	if _, err := limit.ReadAll(f, "x", size); err == nil || f.taken > size.Bytes+2<<20 {
		t.Errorf("%v after %d bytes", err, f.taken)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(size.Bytes)+4<<20 {
		t.Errorf("%d bytes of memory for %d read", took, size.Bytes)
	}
}

// TestReadFile: a regular file is read completely, or rejected by its size; other kinds of file are rejected.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("ten"), 10)
	write(t, at("more"), 11)
	if data, err := limit.ReadFile(at("ten"), ten); err != nil || len(data) != 10 {
		t.Errorf("%d, %v", len(data), err)
	}
	huge, err := os.Create(at("huge")) // sparse: it uses no disk space
	if err != nil {
		t.Fatal(err)
	}
	defer huge.Close()
	if err := huge.Truncate(1 << 40); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	if err := os.Symlink("/dev/zero", at("link")); err != nil {
		t.Skip("no links here: ", err)
	}
	for name, want := range map[string]string{
		at("more"): "more: sample of more than 10 bytes; --more", at("huge"): "huge: sample of more than 10 bytes; --more",
		at("link"): "link: is a device; only regular files are read", dir: "is a folder; only regular", at("none"): "no such file",
	} {
		if _, err := limit.ReadFile(name, ten); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func write(t *testing.T, name string, n int) {
	t.Helper()
	if err := os.WriteFile(name, make([]byte, n), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestFolder: files of a folder are found by name and through links within it, and none outside.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	for _, d := range []string{in, filepath.Join(in, "deep")} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "secret"), 3)
	write(t, filepath.Join(in, "deep", "own"), 4)
	for link, to := range map[string]string{
		"inner": "deep/own", "outer": "../secret", "absolute": filepath.Join(dir, "secret"), "up": "..", "device": "/dev/zero", "lost": "nothing",
	} {
		if err := os.Symlink(to, filepath.Join(in, link)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	d := limit.Folder{Of: filepath.Join(in, "scene.json"), What: "scene"}
	outside := "is outside of the scene's folder; --allow-outside takes it all the same"
	for name, want := range map[string]string{
		"deep/own": "", "inner": "", "./deep/../inner": "",
		"outer": outside, "absolute": outside, "up/secret": outside, "../secret": outside, filepath.Join(dir, "secret"): outside,
		"device": outside, "lost": "no such file", "none": "no such file", "deep": "is a folder",
	} {
		data, err := d.Read(name, ten)
		switch {
		case want == "" && (err != nil || len(data) != 4):
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	d.Outside = true
	for name, want := range map[string]string{
		"inner": "", "outer": "", "absolute": "", "up/secret": "", "../secret": "", filepath.Join(dir, "secret"): "",
		"device": "is a device", "lost": "no such file",
	} {
		if _, err := d.Read(name, ten); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s from outside too: %v, want %q", name, err, want)
		}
	}
}

// TestPNG: a picture is rejected by its claimed size, before pixels are allocated.
func TestPNG(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	img, err := limit.PNG(b.Bytes())
	if err != nil || img.Bounds() != image.Rect(0, 0, 3, 2) {
		t.Error(img, err)
	}
	for _, c := range []struct {
		w, h int
		ok   bool
	}{{4096, 4096, true}, {4096, 4097, false}, {1, 16384, true}, {1, 16385, false}, {16385, 1, false}, {1 << 30, 1 << 30, false}} {
		if err := limit.Side(c.w, c.h); (err == nil) != c.ok {
			t.Errorf("%dx%d: %v", c.w, c.h, err)
		}
	}
}
