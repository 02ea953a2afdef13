//go:build linux && amd64

package host

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// fileCalls are the system calls that name a file, or describe one that is open.
var fileCalls = [...]uint32{
	unix.SYS_OPEN, unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_CREAT,
	unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_FSTAT, unix.SYS_NEWFSTATAT, unix.SYS_STATX,
	unix.SYS_READLINK, unix.SYS_READLINKAT,
	unix.SYS_ACCESS, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2,
	unix.SYS_GETXATTR, unix.SYS_LGETXATTR, unix.SYS_LISTXATTR, unix.SYS_LLISTXATTR,
}

// Offsets in struct seccomp_data.
const (
	dataNr   = 0
	dataArch = 4
	dataArg1 = 24 // the low word of the second argument
)

const (
	auditX86_64 = 0xc000_003e
	x32Bit      = 0x4000_0000 // of the number of a system call of the x32 ABI
)

// filter returns the program that selects the system calls to notify: fileCalls, and ioctl with a request of one of the
// types, such as 'd' for DRM. Everything else is allowed, and so are all calls of other ABIs.
func filter(types []byte) []unix.SockFilter {
	const load, jeq, jge, and, ret = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
		unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	n, t := len(fileCalls), len(types)
	notify := 7 + n + t // the last but one; the last allows
	prog := make([]unix.SockFilter, 0, notify+2)
	add := func(code uint16, k uint32, yes, no int) {
		at := len(prog) + 1
		prog = append(prog, unix.SockFilter{Code: code, K: k, Jt: uint8(max(yes-at, 0)), Jf: uint8(max(no-at, 0))})
	}
	next := func() int { return len(prog) + 1 }
	add(load, dataArch, 0, 0)
	add(jeq, auditX86_64, next(), notify+1)
	add(load, dataNr, 0, 0)
	add(jge, x32Bit, notify+1, next())
	for _, nr := range fileCalls {
		add(jeq, nr, notify, next())
	}
	add(jeq, unix.SYS_IOCTL, next(), notify+1)
	add(load, dataArg1, 0, 0)
	add(and, 0xff00, 0, 0)
	for i, b := range types {
		no := next()
		if i == t-1 {
			no = notify + 1
		}
		add(jeq, uint32(b)<<8, notify, no)
	}
	add(ret, unix.SECCOMP_RET_USER_NOTIF, 0, 0)
	add(ret, unix.SECCOMP_RET_ALLOW, 0, 0)
	return prog
}

// install installs the filter for the calling thread and returns its listener. The thread must be locked.
func install(prog []unix.SockFilter) (listener int, err error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, err
	}
	p := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, uintptr(unsafe.Pointer(&p)))
	if errno == unix.EINVAL { // before Linux 5.19: a signal may interrupt and restart a call that was answered already
		fd, _, errno = unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
			unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&p)))
	}
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}
