package many

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// tree makes files, and folders for names that end in a slash.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		folder := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			folder = path
		}
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if folder == path {
			continue
		}
		if err := os.WriteFile(path, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestWalk(t *testing.T) {
	dir := tree(t, "b.s", "a.s", "a.bin", "sub/c.s", "sub/deep/d.bin", ".git/x.s", "empty/")
	if err := os.Symlink(filepath.Join(dir, "a.s"), filepath.Join(dir, "link.s")); err != nil {
		t.Fatal(err)
	}
	take := func(path string) (bool, error) { return filepath.Ext(path) == ".s", nil }
	for _, tt := range []struct {
		roots   []string // relative to dir
		include []string
		want    string
		passed  Passed
	}{
		{[]string{"."}, nil, "a.s b.s sub/c.s", Passed{Files: 2, Links: 1, Folders: 1}},
		{[]string{"sub", "a.bin"}, nil, "c.s a.bin", Passed{Files: 1}},
		{[]string{"."}, []string{"*.bin"}, "a.bin sub/deep/d.bin", Passed{Files: 3, Links: 1, Folders: 1}},
		{[]string{"."}, []string{"sub/*.s", "b.*"}, "b.s sub/c.s", Passed{Files: 3, Links: 1, Folders: 1}},
		{[]string{"empty"}, nil, "", Passed{}},
		{[]string{"none", "b.s"}, nil, "none b.s", Passed{}},
	} {
		p := Paths{Include: tt.include, Take: take}
		for _, r := range tt.roots {
			p.Roots = append(p.Roots, filepath.Join(dir, r))
		}
		var got []string
		passed, err := p.Walk(t.Context(), func(f File) bool {
			got = append(got, filepath.ToSlash(f.Rel))
			return true
		})
		if text := strings.Join(got, " "); text != tt.want || passed != tt.passed || err != nil {
			t.Errorf("%v %v: %q, %+v, %v; want %q, %+v", tt.roots, tt.include, text, passed, err, tt.want, tt.passed)
		}
	}
}

// TestWalkBroken: a folder that cannot be read gives one file with an error, and the walk continues.
func TestWalkBroken(t *testing.T) {
	dir := tree(t, "a/x.s", "b/x.s", "c/x.s")
	bad := filepath.Join(dir, "b")
	broken := errors.New("cannot be read")
	p := Paths{Roots: []string{dir}, Take: func(path string) (bool, error) {
		if filepath.Dir(path) == bad {
			return false, broken
		}
		return true, nil
	}}
	var got []string
	_, err := p.Walk(t.Context(), func(f File) bool {
		got = append(got, fmt.Sprintf("%s %v", filepath.ToSlash(f.Rel), f.Err))
		return true
	})
	if want := []string{"a/x.s <nil>", "b/x.s cannot be read", "c/x.s <nil>"}; !slices.Equal(got, want) || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := p.Walk(ctx, func(File) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("a walk whose context has ended: %v", err)
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		p  Paths
		ok bool
	}{
		{Paths{Roots: []string{"a", "-", "b"}, Include: []string{"*.s", "a/?.bin"}}, true},
		{Paths{Roots: []string{"-", "a", "-"}}, false},
		{Paths{Include: []string{"[a"}}, false},
		{Paths{Include: []string{""}}, false},
	} {
		if err := tt.p.Check(); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt.p, err)
		}
	}
}

func TestPassed(t *testing.T) {
	for p, want := range map[Passed]string{
		{}: "", {Files: 1}: "1 other file", {Files: 2, Links: 2, Folders: 2}: "2 other files, 2 links or special files, 2 hidden folders",
		{Links: 1, Folders: 1}: "1 link or special file, 1 hidden folder",
	} {
		if got := p.String(); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}

func TestHead(t *testing.T) {
	file := filepath.Join(tree(t, "name"), "name")
	for n, want := range map[int]string{0: "", 2: "na", 4: "name", 9: "name"} {
		if got, err := Head(file, n); string(got) != want || err != nil {
			t.Errorf("%d: %q, %v, want %q", n, got, err, want)
		}
	}
	if _, err := Head(filepath.Dir(file), 4); err == nil {
		t.Error("a folder has a head")
	}
}

// count emits 0 to n-1.
func count(n int) func(context.Context, func(int) bool) error {
	return func(_ context.Context, emit func(int) bool) error {
		for i := range n {
			if !emit(i) {
				return errEnough
			}
		}
		return nil
	}
}

// TestInOrder: for any number of workers and any order of completion the output is in order, that about one file
// together, even for a file with more output than is kept in memory.
func TestInOrder(t *testing.T) {
	const n = 40
	long := strings.Repeat("x", HeldBytes/3)
	var want strings.Builder
	for i := range n {
		fmt.Fprintf(&want, "begin %d\n", i)
		if i%16 == 1 {
			want.WriteString(strings.Repeat(long, 5))
		}
		fmt.Fprintf(&want, "end %d\n", i)
	}
	for _, jobs := range []int{1, 2, 7} {
		var out, errs bytes.Buffer
		var most, now atomic.Int32
		next := 0
		err := InOrder(t.Context(), jobs, count(n), func(_ context.Context, i int, turn *Turn) int {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			o, e := turn.Output(&out), turn.Output(&errs)
			fmt.Fprintf(o, "begin %d\n", i)
			if i%4 == 0 {
				time.Sleep(time.Millisecond)
			}
			for k := 0; k < 5 && i%16 == 1; k++ {
				io.WriteString(o, long)
			}
			fmt.Fprintf(o, "end %d\n", i)
			fmt.Fprintf(e, "%d\n", i)
			return i * i
		}, func(i, r int) error {
			if i != next || r != i*i {
				t.Errorf("%d jobs: result %d of file %d, want that of %d", jobs, r, i, next)
			}
			next++
			return nil
		})
		if err != nil || next != n || out.String() != want.String() || strings.Count(errs.String(), "\n") != n {
			t.Errorf("%d jobs: %d results, %v; output is as wanted: %t", jobs, next, err, out.String() == want.String())
		}
		if int(most.Load()) > jobs {
			t.Errorf("%d jobs: %d files at the same time", jobs, most.Load())
		}
	}
}

// TestInOrderEnds: the first error of any part ends it, without starting the rest.
func TestInOrderEnds(t *testing.T) {
	bad := errors.New("bad")
	ctx, stop := context.WithCancel(t.Context())
	for name, tt := range map[string]struct {
		to     io.Writer
		done   func(i int) error
		source func(context.Context, func(int) bool) error
		work   func(i int)
		ctx    context.Context
		want   error
	}{
		"done":    {to: io.Discard, done: func(i int) error { return map[bool]error{true: bad}[i == 3] }, want: bad},
		"output":  {to: failing{bad}, want: bad},
		"source":  {to: io.Discard, source: func(context.Context, func(int) bool) error { return bad }, want: bad},
		"context": {to: io.Discard, ctx: ctx, work: func(i int) { stop() }, want: context.Canceled},
	} {
		if tt.ctx == nil {
			tt.ctx = t.Context()
		}
		if tt.source == nil {
			tt.source = count(1 << 30)
		}
		err := InOrder(tt.ctx, 2, tt.source, func(_ context.Context, i int, turn *Turn) int {
			if tt.work != nil {
				tt.work(i)
			}
			fmt.Fprintln(turn.Output(tt.to), i)
			return i
		}, func(_, i int) error {
			if tt.done == nil {
				return nil
			}
			return tt.done(i)
		})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestTreeUnread: a folder that cannot be read is reported with its error, and the walk continues.
func TestTreeUnread(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads every folder")
	}
	dir := tree(t, "a/one", "b/two")
	shut := filepath.Join(dir, "a")
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(shut, 0o777) })
	var got []string
	var w Tree
	if err := w.Walk(dir, func(path string, err error) error {
		rel, _ := filepath.Rel(dir, path)
		got = append(got, fmt.Sprint(rel, " ", err != nil))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a true", "b/two false"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
