// Package host lets unmodified programs meet devices that do not exist. A program is started under a seccomp filter
// with user notification: the system calls that name files and the ioctls of devices wait until this process has
// answered them. All others run at full speed, and so do all of programs that never look for the device.
//
//   - A [Node] is a device file. What opens it gets a descriptor of shared memory, an [Arena]: mmap of it maps the
//     device's memory without further help, and the device accesses the same pages.
//   - A [Tree] answers for files of /dev and /sys that describe the device.
//   - Every open of a node is a [File] of its own, whatever dup, fork, exec and descriptor passing do with it. It ends
//     when the last descriptor of it is closed.
//
// No privileges are needed, no kernel module and no preloaded library. Needed are Linux 5.14 on x86-64, /proc, and
// permission to use seccomp user notification and to access the memory of descendants; [Start] says what is missing.
//
// # What a program could notice
//
// The node is a regular file for epoll (EPERM), poll (always ready), and write (which changes memory). An open by
// io_uring does not see the node. Programs of other architectures than x86-64, 32-bit ones among them, do not see it.
// A filter with a listener inside of another is refused by Linux (EBUSY): heddle cannot run under heddle.
//
// Sources: seccomp(2), seccomp_unotify(2), openat2(2), fcntl(2) on open file description locks, proc_pid_fdinfo(5).
package host
