//go:build linux && amd64

package host_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/host"
)

// clientVariable names what this test binary does as a program that uses the device.
const clientVariable = "HEDDLE_TEST_CLIENT"

func TestMain(m *testing.M) {
	host.Stage()
	if name := os.Getenv(clientVariable); name != "" {
		os.Exit(clients[name]())
	}
	os.Exit(m.Run())
}

const node = "/dev/dri/renderD128"

// An echo is a device whose ioctls add a number to a word of the program, and 'd' 2 waits for go.
type echo struct {
	arena  *host.Arena
	opened int
	closed chan int
	wait   chan struct{}
	late   atomic.Int64 // files that ended while they answered a call
}

type echoFile struct {
	e    *echo
	id   int
	busy atomic.Bool
}

func (f *echoFile) Ioctl(c *host.Call) {
	var b [8]byte
	if err := c.Read(c.Arg, b[:]); err != nil {
		c.Fail(unix.EFAULT)
		return
	}
	answer := func() {
		binary.LittleEndian.PutUint64(b[:], binary.LittleEndian.Uint64(b[:])+uint64(f.id))
		if err := c.Write(c.Arg, b[:]); err != nil {
			c.Fail(unix.EFAULT)
			return
		}
		c.Return(7)
	}
	switch c.Request & 0xff {
	case 1:
		answer()
	case 2:
		go func() { <-f.e.wait; answer() }()
	case 3:
		close(f.e.wait)
		c.Return(0)
	case 4:
		copy(f.e.arena.Bytes(1<<20, 4), "GPU!")
		c.Return(0)
	case 5:
		f.busy.Store(true)
		time.Sleep(200 * time.Millisecond)
		f.busy.Store(false)
		c.Return(0)
	case 6, 7:
		f.exports(c, binary.LittleEndian.Uint64(b[:]))
	default:
		c.Fail(unix.ENOTTY)
	}
}

func (f *echoFile) Closed() {
	if f.busy.Load() {
		f.e.late.Add(1)
	}
	f.e.closed <- f.id
}

// run runs a client and returns what it printed.
func run(t testing.TB, client string) (string, *echo, error) {
	return runProgram(t, os.Args[0], clientVariable+"="+client)
}

// runProgram runs a program and returns what it printed.
func runProgram(t testing.TB, program string, env ...string) (string, *echo, error) {
	t.Helper()
	arena, err := host.NewArena("heddle-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(arena.Close)
	e := &echo{arena: arena, closed: make(chan int, 100), wait: make(chan struct{})}
	tree, err := host.NewTree()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	tree.Claim("/dev/dri", "/sys/dev/char/226:", "/sys/class/none")
	for _, err := range []error{
		tree.File(node, ""), tree.Link("/dev/dri/by-path", "renderD128"), tree.File("/sys/devices/none/vendor", "0x1002\n"), tree.Link("/sys/dev/char/226:128", "../../devices/none"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	n := &host.Node{Path: node, Major: 226, Minor: 128, Arena: arena, Open: func() (host.File, error) {
		e.opened++
		return &echoFile{e: e, id: e.opened}, nil
	}}
	var out bytes.Buffer
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	err = host.Run(ctx, host.Config{Program: []string{program}, Env: append(os.Environ(), env...),
		Nodes: []*host.Node{n}, Tree: tree, Types: []byte("d"), Stdout: &out, Stderr: &out})
	var refused *host.Refused
	if errors.As(err, &refused) {
		t.Skip("NOT RUN: ", err)
	}
	return out.String(), e, err
}

func ioctl(fd int, nr uintptr, p unsafe.Pointer) (uintptr, error) {
	r, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), 'd'<<8|nr, uintptr(p))
	if e != 0 {
		return 0, e
	}
	return r, nil
}

// clients are the programs; what they print is compared with what a program on a machine with the device would.
var clients = map[string]func() int{
	"files":  filesClient,
	"device": deviceClient,
	"fork":   func() int { return forkClient() },
	"exit":   func() int { return 42 },
	"kill":   func() int { unix.Kill(os.Getpid(), unix.SIGTERM); select {} },
	"loop":   loopClient,
	"sleep":  func() int { time.Sleep(time.Hour); return 0 },
}

func filesClient() int {
	show := func(what string, v any, err error) { fmt.Println(what, v, err) }
	b, err := os.ReadFile("/sys/dev/char/226:128/vendor")
	show("vendor", strings.TrimSpace(string(b)), err)
	link, err := os.Readlink("/sys/dev/char/226:128")
	show("link", link, err)
	var st unix.Stat_t
	show("stat", nil, unix.Stat(node, &st))
	show("mode", st.Mode, nil)
	show("rdev", fmt.Sprintf("%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev)), nil)
	var x unix.Statx_t
	err = unix.Statx(unix.AT_FDCWD, "/dev/dri/../dri/renderD128", 0, unix.STATX_BASIC_STATS, &x)
	show("statx", fmt.Sprintf("%d:%d %o", x.Rdev_major, x.Rdev_minor, x.Mode), err)
	show("access", nil, unix.Access(node, unix.R_OK|unix.W_OK))
	show("no card0", nil, unix.Access("/dev/dri/card0", 0))
	show("claimed", nil, unix.Access("/sys/class/none", 0))
	dir, err := os.ReadDir("/dev/dri")
	show("dir", len(dir), err)
	d, err := unix.Open("/dev/dri", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	show("open dir", nil, err)
	show("stat at", nil, unix.Fstatat(d, "renderD128", &st, 0))
	show("mode", st.Mode, nil)
	show("write", nil, os.WriteFile("/dev/dri/x", nil, 0o666))
	_, err = unix.Open("/dev/dri/renderD129", unix.O_RDWR, 0)
	show("next", nil, err)
	_, err = unix.Open("/sys/dev/char/226:128/vendor", unix.O_WRONLY, 0)
	show("write only", nil, err)
	show("chdir", nil, unix.Fchdir(d))
	show("relative", nil, unix.Stat("renderD128", &st))
	show("mode", st.Mode, nil)
	real, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", d))
	show("dir link", strings.HasPrefix(real, "/"), err)
	_, err = os.ReadFile("/etc/hostname")
	show("others", nil, err)
	return 0
}

func deviceClient() int {
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	link, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	fmt.Println("link", link, err)
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	fmt.Println("fstat", unix.Minor(st.Rdev), st.Mode == unix.S_IFCHR|0o666, err)
	second, err := unix.Open(node, unix.O_RDWR|unix.O_CLOEXEC, 0)
	fmt.Println("second open", err)
	dup, _ := unix.Dup(fd)
	unix.Seek(fd, 12345, 0) // the position of a descriptor is the program's
	for _, f := range []int{fd, second, dup} {
		v := uint64(100)
		r, err := ioctl(f, 1, unsafe.Pointer(&v))
		fmt.Println("ioctl", r, v, err)
	}
	v := uint64(0)
	_, err = ioctl(fd, 9, unsafe.Pointer(&v))
	fmt.Println("unknown", err)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), 'd'<<8|1, 8)
	fmt.Println("bad pointer", errno)
	m, err := unix.Mmap(fd, 1<<20, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	fmt.Println("mmap", err)
	ioctl(fd, 4, unsafe.Pointer(&v))
	fmt.Println(string(m[:4]))
	fmt.Println("shrink", unix.Ftruncate(fd, 0))
	done := make(chan uint64)
	go func() { // its thread waits; the others go on
		v := uint64(1000)
		ioctl(second, 2, unsafe.Pointer(&v))
		done <- v
	}()
	ioctl(fd, 3, unsafe.Pointer(&v))
	fmt.Println("waited", <-done)
	return 0
}

// forkClient leaves a descriptor to a program that it starts, which outlives it.
func forkClient() int {
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return 1
	}
	child := exec.Command("sleep", "0.3")
	child.ExtraFiles = []*os.File{os.NewFile(uintptr(fd), "node")}
	if err := child.Start(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 3
}

func TestFiles(t *testing.T) {
	got, _, err := run(t, "files")
	if err != nil {
		t.Fatal(err, got)
	}
	want := `vendor 0x1002 <nil>
link ../../devices/none <nil>
stat <nil> <nil>
mode 8630 <nil>
rdev 226:128 <nil>
statx 226:128 20666 <nil>
access <nil> <nil>
no card0 <nil> no such file or directory
claimed <nil> no such file or directory
dir 2 <nil>
open dir <nil> <nil>
stat at <nil> <nil>
mode 8630 <nil>
write <nil> open /dev/dri/x: permission denied
next <nil> no such file or directory
write only <nil> permission denied
chdir <nil> <nil>
relative <nil> <nil>
mode 8630 <nil>
dir link true <nil>
`
	if got, _ := strings.CutSuffix(got, others(got)); got != want {
		t.Errorf("got\n%s", got)
	}
}

// others is the line on a file of the machine: the same as without the device.
func others(got string) string {
	_, err := os.ReadFile("/etc/hostname")
	return fmt.Sprintln("others", nil, err)
}

func TestDevice(t *testing.T) {
	got, e, err := run(t, "device")
	want := `link /dev/dri/renderD128 <nil>
fstat 128 true <nil>
second open <nil>
ioctl 7 101 <nil>
ioctl 7 102 <nil>
ioctl 7 101 <nil>
unknown inappropriate ioctl for device
bad pointer bad address
mmap <nil>
GPU!
shrink operation not permitted
waited 1002
`
	if err != nil || got != want {
		t.Errorf("%v, got\n%s", err, got)
	}
	if len(e.closed) != 2 {
		t.Errorf("%d files were closed, want 2", len(e.closed))
	}
}

// A file is open as long as any process has a descriptor of it, and the exit code is the program's.
func TestOutlives(t *testing.T) {
	begin := time.Now()
	got, e, err := run(t, "fork")
	var exit *host.Exit
	if !errors.As(err, &exit) || exit.Code != 3 {
		t.Errorf("%v, want code 3\n%s", err, got)
	}
	if d := time.Since(begin); d < 300*time.Millisecond || len(e.closed) != 1 {
		t.Errorf("ended after %v with %d files closed; the program that has the descriptor runs for 300 ms", d, len(e.closed))
	}
}

func TestExit(t *testing.T) {
	var exit *host.Exit
	if _, _, err := run(t, "exit"); !errors.As(err, &exit) || exit.Status() != 42 {
		t.Errorf("%v, want code 42", err)
	}
	if _, _, err := run(t, "kill"); !errors.As(err, &exit) || exit.Status() != 128+15 {
		t.Errorf("%v, want SIGTERM", err)
	}
}

func TestTimeout(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer stop()
	tree, err := host.NewTree()
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	err = host.Run(ctx, host.Config{Program: []string{os.Args[0]}, Env: append(os.Environ(), clientVariable+"=sleep"), Tree: tree, Types: []byte("d")})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want that the time is over", err)
	}
}

func TestNoProgram(t *testing.T) {
	tree, err := host.NewTree()
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if err := host.Run(context.Background(), host.Config{Program: []string{"no-such-program"}, Tree: tree, Types: []byte("d")}); err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("%v, want the name of the program", err)
	}
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("\x7fELF"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := host.Run(context.Background(), host.Config{Program: []string{bad}, Tree: tree, Types: []byte("d")}); err == nil || !strings.Contains(err.Error(), "exec format error") {
		t.Errorf("%v, want why it cannot be executed", err)
	}
}

func TestArena(t *testing.T) {
	a, err := host.NewArena("heddle-test")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	x, ok := a.Alloc(5000, 1<<16)
	if !ok || x%(1<<16) != 0 || a.Used() != 8192 {
		t.Fatalf("%#x %v, used %d", x, ok, a.Used())
	}
	y, _ := a.Alloc(4096, 0)
	copy(a.Bytes(x, 5000), "text")
	if err := a.Free(x, 5000); err != nil || a.Bytes(x, 4)[0] != 0 {
		t.Errorf("%v: freed memory is not zero", err)
	}
	if z, _ := a.Alloc(8192, 1<<16); z != x {
		t.Errorf("%#x, want the freed memory at %#x", z, x)
	}
	for _, off := range []uint64{x, y} {
		a.Free(off, 4096)
	}
	if _, ok := a.Alloc(1<<41, 0); ok {
		t.Error("more than there is")
	}
}

// BenchmarkIoctl is the time of an ioctl that reads and writes eight bytes of the program's memory.
func BenchmarkIoctl(b *testing.B) {
	os.Setenv("HEDDLE_TEST_TIMES", fmt.Sprint(b.N))
	out, _, err := run(b, "loop")
	if err != nil {
		b.Fatal(err, out)
	}
}

func loopClient() int {
	n, err := strconv.Atoi(os.Getenv("HEDDLE_TEST_TIMES"))
	fd, err2 := unix.Open(node, unix.O_RDWR, 0)
	if err != nil || err2 != nil {
		return 1
	}
	for range n {
		v := uint64(0)
		if _, err := ioctl(fd, 1, unsafe.Pointer(&v)); err != nil {
			return 1
		}
	}
	return 0
}
