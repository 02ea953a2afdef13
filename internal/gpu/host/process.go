//go:build linux && amd64

package host

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A task is a thread of a program, by its id.
type task int

func (t task) proc(name string) string { return "/proc/" + strconv.Itoa(int(t)) + "/" + name }

// read reads memory of the task; all of p, or it is an error.
func (t task) read(addr uint64, p []byte) error {
	if len(p) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &p[0], Len: uint64(len(p))}}
	n, err := unix.ProcessVMReadv(int(t), local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(p)}}, 0)
	if err == nil && n != len(p) {
		err = unix.EFAULT
	}
	return err
}

// A Range is memory of a program.
type Range struct{ Addr, Size uint64 }

// gather reads ranges of memory, at most 1024, into p, one after another.
func (t task) gather(ranges []Range, p []byte) error {
	if len(p) == 0 {
		return nil
	}
	remote := make([]unix.RemoteIovec, len(ranges))
	for i, r := range ranges {
		remote[i] = unix.RemoteIovec{Base: uintptr(r.Addr), Len: int(r.Size)}
	}
	n, err := unix.ProcessVMReadv(int(t), []unix.Iovec{{Base: &p[0], Len: uint64(len(p))}}, remote, 0)
	if err == nil && n != len(p) {
		err = unix.EFAULT
	}
	return err
}

// write writes memory of the task; all of p, or it is an error.
func (t task) write(addr uint64, p []byte) error {
	if len(p) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &p[0], Len: uint64(len(p))}}
	n, err := unix.ProcessVMWritev(int(t), local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(p)}}, 0)
	if err == nil && n != len(p) {
		err = unix.EFAULT
	}
	return err
}

// A Process is the memory of a program, as long as it lives.
type Process struct {
	t     task
	began string // when, in ticks: another process may get the number of one that has ended
}

// Read reads memory; all of b, or it is an error.
func (p Process) Read(addr uint64, b []byte) error {
	if p.t.began() != p.began {
		return unix.ESRCH
	}
	return p.t.read(addr, b)
}

// Write writes memory; all of b, or it is an error.
func (p Process) Write(addr uint64, b []byte) error {
	if p.t.began() != p.began {
		return unix.ESRCH
	}
	return p.t.write(addr, b)
}

// began returns when the process of the task has begun, "" if there is none. Source: proc_pid_stat(5), field 22.
func (t task) began() string {
	text, err := os.ReadFile(t.proc("stat"))
	if err != nil {
		return ""
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // from the third on
	if len(fields) < 20 {
		return ""
	}
	return string(fields[19])
}

// process returns the process of the task: the thread may end before it.
func (t task) process() (Process, error) {
	text, err := os.ReadFile(t.proc("status"))
	if err != nil {
		return Process{}, err
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("Tgid:")); ok {
			id, err := strconv.Atoi(string(bytes.TrimSpace(rest)))
			return Process{task(id), task(id).began()}, err
		}
	}
	return Process{}, unix.ESRCH
}

// maxPath is the limit of a path with its final zero, as Linux has it.
const maxPath = 4096

// path reads a path: a string that ends with a zero byte.
func (t task) path(addr uint64) (string, error) {
	var buf [maxPath]byte
	for n := 0; n < maxPath; {
		size := min(maxPath-n, PageSize-int((addr+uint64(n))%PageSize))
		if err := t.read(addr+uint64(n), buf[n:n+size]); err != nil {
			return "", err
		}
		if i := bytes.IndexByte(buf[n:n+size], 0); i >= 0 {
			return string(buf[:n+i]), nil
		}
		n += size
	}
	return "", unix.ENAMETOOLONG
}

// link returns the target of a link in the task's folder of /proc.
func (t task) link(name string) (string, error) {
	var buf [maxPath]byte
	n, err := unix.Readlink(t.proc(name), buf[:])
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}
