//go:build linux && amd64

package host_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() {
	clients["paths"] = pathsClient
	clients["closes"] = closesClient
	clients["spawns"] = spawnsClient
	clients["opens"] = opensClient
	clients["leaves"] = leavesClient
}

// isNode says what kind of file a descriptor is for the program.
func isNode(fd int, err error) string {
	if err != nil {
		return err.Error()
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err.Error()
	}
	v := uint64(100)
	_, err = ioctl(fd, 1, unsafe.Pointer(&v))
	return fmt.Sprint(st.Mode&unix.S_IFMT == unix.S_IFCHR, " ", err == nil)
}

func pathsClient() int {
	show := func(what string, v any) { fmt.Println(what+":", v) }
	open := func(name string, flags int) string { return isNode(unix.Open(name, flags, 0)) }
	dir, _ := unix.Open("/dev", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	dri, _ := unix.Open("/dev/dri", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	path, err := unix.Open(node, unix.O_PATH, 0)
	show("path only", err)
	var st unix.Stat_t
	show("fstat of it", fmt.Sprint(unix.Fstat(path, &st), st.Mode&unix.S_IFMT == unix.S_IFCHR))
	show("opened by it", open(fmt.Sprintf("/proc/self/fd/%d", path), unix.O_RDWR))
	fd, _ := unix.Open(node, unix.O_RDWR, 0)
	show("opened again", open(fmt.Sprintf("/dev/fd/%d", fd), unix.O_RDWR))
	show("from /dev", isNode(unix.Openat(dir, "dri/renderD128", unix.O_RDWR, 0)))
	show("from /dev/dri", isNode(unix.Openat(dri, "./renderD128", unix.O_RDWR, 0)))
	show("up from /dev/dri", isNode(unix.Openat(dri, "../dri//renderD128", unix.O_RDWR, 0)))
	show("by openat2", isNode(unix.Openat2(dri, "renderD128", &unix.OpenHow{Flags: unix.O_RDWR})))
	show("as a folder", open(node+"/", unix.O_RDWR))
	show("below it", open(node+"/..", unix.O_RDONLY))
	show("by a link", open("/dev/dri/by-path", unix.O_RDWR))
	show("not by a link", open("/dev/dri/by-path", unix.O_RDWR|unix.O_NOFOLLOW))
	show("the link", unix.Lstat("/dev/dri/by-path", &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK)
	show("exclusive", open(node, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL))
	show("create", open(node, unix.O_RDWR|unix.O_CREAT))
	show("folder", open("/dev/dri/", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY))
	_, err = os.ReadFile("/sys/dev/char/226:128/../none/vendor")
	show("up from a link", err)
	null, err := unix.Open("/sys/../dev/./null", unix.O_RDWR, 0)
	show("others", err == nil && null >= 0)
	_, err = unix.Open("/dev/dri/"+strings.Repeat("x", 5000), unix.O_RDONLY, 0)
	show("long", err)
	_, err = unix.Open("/dev/dri/"+strings.Repeat("./", 2000)+"renderD128", unix.O_RDONLY, 0)
	show("long and right", err)
	_, err = unix.Open("/dev/dri/\xff\xfe", unix.O_RDONLY, 0)
	show("no text", err)
	at := func(nr, a, b, c uintptr) error {
		_, _, e := unix.Syscall6(nr, a, b, c, 0, 0, 0)
		return e
	}
	name, _ := unix.BytePtrFromString(node)
	cwd := int64(unix.AT_FDCWD)
	show("bad path", at(unix.SYS_OPENAT, uintptr(cwd), 8, 0))
	show("bad structure", at(unix.SYS_STAT, uintptr(unsafe.Pointer(name)), 8, 0))
	show("bad structure of fstat", at(unix.SYS_FSTAT, uintptr(fd), 8, 0))
	var x unix.Statx_t
	_, _, e := unix.Syscall6(unix.SYS_STATX, uintptr(fd), 0, unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS, uintptr(unsafe.Pointer(&x)), 0)
	show("statx without a path", fmt.Sprint(e, x.Rdev_major))
	return 0
}

func TestPaths(t *testing.T) {
	got, _, err := run(t, "paths")
	want := `path only: <nil>
fstat of it: <nil> true
opened by it: true true
opened again: true true
from /dev: true true
from /dev/dri: true true
up from /dev/dri: true true
by openat2: true true
as a folder: not a directory
below it: not a directory
by a link: true true
not by a link: too many levels of symbolic links
the link: true
exclusive: file exists
create: true true
folder: false false
up from a link: <nil>
others: true
long: file name too long
long and right: <nil>
no text: no such file or directory
bad path: bad address
bad structure: bad address
bad structure of fstat: bad address
statx without a path: errno 0 226
`
	if err != nil || got != want {
		t.Errorf("%v, got\n%s", err, got)
	}
}

// closesClient closes descriptors while another thread's call is answered, and uses the lowest numbers.
func closesClient() int {
	for fd := range 2 {
		unix.Close(fd)
	}
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	second, err2 := unix.Open(node, unix.O_RDWR, 0)
	if fd != 0 || second != 1 || err != nil || err2 != nil {
		return 3
	}
	v := uint64(0)
	if n, err := ioctl(0, 1, unsafe.Pointer(&v)); err != nil || n != 7 || v != 1 {
		return 4
	}
	done := make(chan error)
	go func() {
		_, err := ioctl(1, 5, unsafe.Pointer(&v)) // takes 200 ms
		done <- err
	}()
	time.Sleep(50 * time.Millisecond)
	unix.Close(1)
	if err := <-done; err != nil {
		return 5
	}
	// A thread with descriptors of its own.
	go func() {
		runtime.LockOSThread()
		if err := unix.Unshare(unix.CLONE_FILES); err != nil {
			done <- err
			return
		}
		fd, err := unix.Open(node, unix.O_RDWR, 0)
		if err == nil {
			v := uint64(10)
			_, err = ioctl(fd, 1, unsafe.Pointer(&v))
			if err == nil && v != 13 {
				err = errors.New("not the third open")
			}
		}
		done <- err
	}()
	if err := <-done; err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 6
	}
	return 0
}

// A file does not end while it answers a call, and threads need not share descriptors.
func TestCloses(t *testing.T) {
	got, e, err := run(t, "closes")
	if err != nil {
		t.Errorf("%v\n%s", err, got)
	}
	if n := e.late.Load(); n != 0 {
		t.Errorf("%d files ended while they answered a call", n)
	}
	if len(e.closed) != 3 {
		t.Errorf("%d files have ended, want 3", len(e.closed))
	}
}

// spawnsClient starts programs, which Go does as vfork does, with its descriptor.
func spawnsClient() int {
	fd, err := unix.Open(node, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return 3
	}
	for range 3 {
		c := exec.Command("sh", "-c", "test -c /dev/dri/renderD128 && test -c /proc/self/fd/3 && echo yes")
		c.ExtraFiles = []*os.File{os.NewFile(uintptr(fd), "node")}
		out, err := c.CombinedOutput()
		fmt.Print(string(out))
		if err != nil {
			fmt.Println(err)
		}
	}
	return 0
}

func TestSpawns(t *testing.T) {
	if got, _, err := run(t, "spawns"); err != nil || got != "yes\nyes\nyes\n" {
		t.Errorf("%v, got\n%s", err, got)
	}
}

// opensClient opens the device until that is refused.
func opensClient() int {
	n := 0
	for ; n < 60; n++ {
		if _, err := unix.Open(node, unix.O_RDWR, 0); err != nil {
			fmt.Println(n, err)
			return 1
		}
	}
	for fd := 3; fd < 30; fd++ {
		v := uint64(0)
		ioctl(fd, 1, unsafe.Pointer(&v))
	}
	return 0
}

func TestManyOpens(t *testing.T) {
	got, e, err := run(t, "opens")
	if err != nil || e.opened != 60 || len(e.closed) != 60 {
		t.Errorf("%v: %d opens, %d closed\n%s", err, e.opened, len(e.closed), got)
	}
}

// leavesClient leaves a program that writes a file when the device is gone.
func leavesClient() int {
	dir := os.Getenv("HEDDLE_TEST_DIR")
	c := exec.Command("sh", "-c", "while test -e "+node+"; do sleep 0.1; done; test -e /dev/null && echo yes > "+filepath.Join(dir, "left"))
	if err := c.Start(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// Programs that outlive the device's host go on without it, as long as this process lives.
func TestLeaves(t *testing.T) {
	if _, err := os.Stat(node); err == nil {
		t.Skip("NOT RUN: this machine has a device of the name")
	}
	dir := t.TempDir()
	t.Setenv("HEDDLE_TEST_DIR", dir)
	if got, _, err := run(t, "leaves"); err != nil {
		t.Fatal(err, got)
	}
	for range 50 {
		if b, _ := os.ReadFile(filepath.Join(dir, "left")); string(b) == "yes\n" {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("the program that was left could not work on")
}
