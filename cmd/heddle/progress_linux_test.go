package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"syscall"
	"testing"
	"unsafe"
)

// terminal makes a terminal: what is written to one end can be read at the other.
func terminal(t *testing.T) (inside *os.File, screen *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("NO TERMINAL CAN BE MADE HERE: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	var locked, number int32
	for request, v := range map[uintptr]*int32{syscall.TIOCSPTLCK: &locked, syscall.TIOCGPTN: &number} {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), request, uintptr(unsafe.Pointer(v))); e != 0 {
			t.Fatal(e)
		}
	}
	if inside, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	size := [4]uint16{24, 100} // rows and columns: nothing can be shown on a terminal without any
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size))); e != 0 {
		t.Fatal(e)
	}
	return inside, screen
}

// TestProgressOnTerminal: a long run shows progress if standard error is a terminal, and otherwise prints the same.
func TestProgressOnTerminal(t *testing.T) {
	dir := fixture(t)
	inside, screen := terminal(t)
	// Many workgroups, most of which have nothing to sum.
	c := invocation{args: "run --engine reference --json sums/reduce_lds.gfx803.hsaco --workers 1 --grid 16777216 --block 256 --arg buf:sums/in.in.bin --arg out=zero:262144 --arg u32:5000"}
	cmd, _ := c.prepare(t, dir, "")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, inside
	shown := make(chan []byte)
	go func() {
		text, _ := io.ReadAll(screen) // ends with EIO when the other end is closed
		shown <- text
	}()
	err := cmd.Run()
	inside.Close()
	text := <-shown
	if code := exitCode(t, err); code != 0 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	if !regexp.MustCompile(`run \[=*>?-*\] +[0-9]+%  [0-9 ]+ of 65 536 groups  ETA [0-9ms]+`).Match(text) {
		t.Errorf("there is no progress in %q", text)
	}
	if !bytes.Contains(out.Bytes(), []byte(`"groups": 65536`)) {
		t.Errorf("%s", out.Bytes())
	}
}
