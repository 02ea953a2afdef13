//go:build linux && amd64

package host_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/host"
)

func init() { clients["exports"] = exportsClient }

// An echoObject says when it ends.
type echoObject struct{ e *echo }

func (o *echoObject) Closed() { o.e.closed <- -1 }

// exports answers 'd' 6, which exports an object, and 'd' 7, which says whether a descriptor is one.
func (f *echoFile) exports(c *host.Call, v uint64) {
	if c.Request&0xff == 6 {
		fd, err := c.Export(&echoObject{f.e})
		if err != nil {
			c.Fail(unix.EIO)
			return
		}
		c.Return(int64(fd))
		return
	}
	o, ok := c.Exported(int32(v)).(*echoObject)
	if ok && o.e != f.e {
		c.Fail(unix.EIO)
		return
	}
	c.Return(map[bool]int64{true: 1, false: 0}[ok])
}

// exportsClient exports two objects; a program that it leaves has one of them.
func exportsClient() int {
	device, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return 1
	}
	is := func(fd int) uintptr {
		v := uint64(fd)
		n, err := ioctl(device, 7, unsafe.Pointer(&v))
		if err != nil {
			return 99
		}
		return n
	}
	v := uint64(0)
	one, err := ioctl(device, 6, unsafe.Pointer(&v))
	two, err2 := ioctl(device, 6, unsafe.Pointer(&v))
	fmt.Println(err, err2, is(int(one)), is(int(two)), is(device), is(1), is(1000))
	dup, _ := unix.Dup(int(one))
	unix.Close(int(one))
	fmt.Println(is(int(one)), is(dup))
	if unix.Dup2(1, dup) != nil { // what the number is may change at any time
		return 2
	}
	fmt.Println(is(dup))
	child := exec.Command("sleep", "0.3")
	child.ExtraFiles = []*os.File{os.NewFile(two, "object")}
	if child.Start() != nil {
		return 3
	}
	time.Sleep(100 * time.Millisecond)
	return 0
}

func TestExports(t *testing.T) {
	got, e, err := run(t, "exports")
	if want := "<nil> <nil> 1 1 0 0 0\n0 1\n0\n"; err != nil || got != want {
		t.Errorf("%v, got\n%s", err, got)
	}
	var order []int
	for len(e.closed) > 0 {
		order = append(order, <-e.closed)
	}
	if len(order) != 3 || order[0] != -1 {
		t.Errorf("what has ended is %v, want an object first, then a file and an object", order)
	}
}
