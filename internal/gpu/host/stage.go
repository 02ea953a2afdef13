//go:build linux && amd64

package host

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// stageName is the name, argument 0, of this program when it is what becomes the program: see Stage.
const stageName = "heddle-gpu-stage"

// stageSocket is the descriptor of the stage's end of a socket pair. The stage sends its listener, or why there is
// none; then it waits for a byte, and after that it either becomes the program or sends why it cannot.
const stageSocket = 3

// The first byte of what the stage sends: the rest is text.
const (
	saysReady = iota
	saysRefused
	saysFailed
)

// told returns what the stage says as an error.
func told(message []byte) error {
	if message[0] == saysRefused {
		return &Refused{string(message[1:])}
	}
	return errors.New(string(message[1:]))
}

// Stage must be called first in main. If this process is the stage of a program, it installs the filter and becomes the
// program; it does not return then. Go cannot run code between fork and exec otherwise.
func Stage() {
	if len(os.Args) < 4 || os.Args[0] != stageName {
		return
	}
	runtime.LockOSThread()
	fail := func(kind byte, text string) {
		unix.Write(stageSocket, append([]byte{kind}, text...))
		os.Exit(127)
	}
	unix.CloseOnExec(stageSocket)
	types, file, args := []byte(os.Args[1]), os.Args[2], os.Args[3:]
	listener, err := install(filter(types))
	if err != nil {
		fail(saysRefused, filterError(err))
	}
	if err := unix.Sendmsg(stageSocket, []byte{saysReady}, unix.UnixRights(listener), nil, 0); err != nil {
		fail(saysFailed, err.Error())
	}
	unix.Close(listener)
	var b [1]byte
	if n, _ := unix.Read(stageSocket, b[:]); n != 1 {
		os.Exit(127)
	}
	fail(saysFailed, fmt.Sprintf("%s: %v", file, syscall.Exec(file, args, os.Environ())))
}

// A Refused error says that the kernel or the container does not allow a program to be served, and what allows it.
type Refused struct{ Why string }

func (r *Refused) Error() string { return r.Why }

// filterError says why there is no filter, and what allows it.
func filterError(err error) string {
	switch err {
	case unix.EBUSY:
		return "this process runs under another seccomp listener already (heddle gpu, or a container manager that intercepts system calls); Linux allows one for each tree of processes"
	case unix.ENOSYS:
		return "this kernel has no seccomp filters (CONFIG_SECCOMP_FILTER), or the container forbids seccomp(2): allow it in its seccomp profile"
	case unix.EINVAL:
		return "this kernel has no seccomp user notification; Linux 5.14 or later is needed"
	case unix.EACCES, unix.EPERM:
		return fmt.Sprintf("installing a seccomp filter was refused (%v): the container's seccomp profile must allow seccomp(2) and prctl(2); for Docker and Podman: --security-opt seccomp=unconfined", err)
	}
	return fmt.Sprintf("seccomp: %v", err)
}

// start starts the program and serves its calls.
func (h *Host) start(c *Config) error {
	file, err := exec.LookPath(c.Program[0])
	if err != nil {
		return err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("socketpair: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "stage"), os.NewFile(uintptr(pair[1]), "stage")
	defer ours.Close()
	h.cmd = &exec.Cmd{Path: "/proc/self/exe", Args: append([]string{stageName, string(c.Types), file}, c.Program...), Env: c.Env,
		Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr, ExtraFiles: []*os.File{theirs}}
	err = h.cmd.Start()
	theirs.Close()
	if err != nil {
		return err
	}
	if err := h.accept(ours); err != nil {
		h.cmd.Process.Kill()
		h.cmd.Wait()
		return err
	}
	return nil
}

// accept receives the listener, serves it, and lets the program begin.
func (h *Host) accept(socket *os.File) error {
	conn, err := net.FileConn(socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	u := conn.(*net.UnixConn)
	text, oob := make([]byte, 4096), make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := u.ReadMsgUnix(text, oob)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	fd, ok := rightsOf(oob[:m])
	if !ok {
		if n == 0 {
			return errors.New("the process that should become the program has ended")
		}
		return told(text[:n])
	}
	h.listener = listener(fd)
	runtime.AddCleanup(h, func(fd int) { unix.Close(fd) }, fd)
	if err := h.check(); err != nil {
		return err
	}
	h.listener.setFlags()
	go h.serve()
	if _, err := u.Write([]byte{1}); err != nil {
		return err
	}
	if n, _ = u.Read(text); n > 0 {
		return told(text[:n])
	}
	return nil // the socket was closed by exec
}

func rightsOf(oob []byte) (fd int, ok bool) {
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil || len(msgs) != 1 {
		return 0, false
	}
	fds, err := unix.ParseUnixRights(&msgs[0])
	if err != nil || len(fds) != 1 {
		return 0, false
	}
	unix.CloseOnExec(fds[0])
	return fds[0], true
}

// check tries what answering needs: to read what the program's descriptors are, and its memory.
func (h *Host) check() error {
	t := task(h.cmd.Process.Pid)
	if _, err := os.ReadFile(t.proc("fdinfo/0")); err != nil {
		return &Refused{fmt.Sprintf("descriptors of the program cannot be read: %v; /proc must be mounted, without hidepid", err)}
	}
	local, remote := []unix.Iovec{{Base: new(byte), Len: 1}}, []unix.RemoteIovec{{Base: 1, Len: 1}}
	if _, err := unix.ProcessVMReadv(int(t), local, remote, 0); err == unix.EPERM || err == unix.ENOSYS {
		return &Refused{fmt.Sprintf("the memory of the program cannot be read (process_vm_readv: %v): /proc/sys/kernel/yama/ptrace_scope must be 0 or 1, and a container must allow the call (CAP_SYS_PTRACE, or its seccomp profile)", err)}
	}
	return nil
}
