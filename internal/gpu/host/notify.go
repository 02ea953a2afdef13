//go:build linux && amd64

package host

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The structures and requests of seccomp's listener, as linux/seccomp.h has them.
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

type response struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

type addition struct {
	id         uint64
	flags      uint32
	srcfd      uint32
	newfd      uint32
	newfdFlags uint32
}

const (
	reqReceive  = unix.SECCOMP_IOCTL_NOTIF_RECV
	reqSend     = unix.SECCOMP_IOCTL_NOTIF_SEND
	reqValid    = 0x4008_2102
	reqAddFD    = 0x4018_2103
	reqSetFlags = 0x4008_2104
)

// A listener receives the notified system calls of a program and of all that it starts.
type listener int

// setFlags asks for the wake-up that is fastest for two processes that alternate; Linux before 6.6 does not have it,
// and then all is the same but slower.
func (l listener) setFlags() {
	unix.Syscall(unix.SYS_IOCTL, uintptr(l), reqSetFlags, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
}

// receive waits for a call. ENOENT means that the task has died meanwhile.
func (l listener) receive(n *notification) error {
	*n = notification{}
	return ioctl(int(l), reqReceive, unsafe.Pointer(n))
}

// valid reports whether the task still waits for the answer: if so, its id in /proc has not been reused.
func (l listener) valid(id uint64) bool { return ioctl(int(l), reqValid, unsafe.Pointer(&id)) == nil }

func (l listener) send(r *response) error { return ioctl(int(l), reqSend, unsafe.Pointer(r)) }

// add gives the task a copy of a descriptor. With answer, its number is the result of the call.
func (l listener) add(id uint64, fd int, cloexec, answer bool) (int, error) {
	a := addition{id: id, srcfd: uint32(fd)}
	if cloexec {
		a.newfdFlags = unix.O_CLOEXEC
	}
	if answer {
		a.flags = unix.SECCOMP_ADDFD_FLAG_SEND
	}
	n, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l), reqAddFD, uintptr(unsafe.Pointer(&a)))
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

func ioctl(fd int, req uint, arg unsafe.Pointer) error {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(req), uintptr(arg))
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return errno
		}
		return nil
	}
}
