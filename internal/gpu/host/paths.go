//go:build linux && amd64

package host

import (
	"path"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A reply is the answer to a call that names a file. The zero reply lets Linux continue the call.
type reply struct {
	done bool
	sent bool // by adding a descriptor
	val  int64
	err  error
}

func failed(err error) reply { return reply{done: true, err: err} }
func result(v int64) reply   { return reply{done: true, val: v} }

// A fileCall says where the arguments of a call that names a file are; -1: it has none.
type fileCall struct {
	dir, path, flags int    // the arguments
	noFollow         uint64 // the flag that says not to follow a last symbolic link
	do               func(h *Host, q *query) reply
}

// never is the noFollow of calls that never follow a last symbolic link.
const never = 1 << 63

// fileCallOf returns how a call is answered.
func fileCallOf(nr int32) (fileCall, bool) {
	switch nr {
	case unix.SYS_OPEN:
		return fileCall{-1, 0, 1, unix.O_NOFOLLOW, (*Host).openPath}, true
	case unix.SYS_CREAT:
		return fileCall{-1, 0, -1, 0, (*Host).createPath}, true
	case unix.SYS_OPENAT:
		return fileCall{0, 1, 2, unix.O_NOFOLLOW, (*Host).openPath}, true
	case unix.SYS_OPENAT2:
		return fileCall{0, 1, -1, 0, (*Host).openHow}, true
	case unix.SYS_STAT:
		return fileCall{-1, 0, -1, 0, (*Host).stat}, true
	case unix.SYS_LSTAT:
		return fileCall{-1, 0, -1, never, (*Host).stat}, true
	case unix.SYS_NEWFSTATAT:
		return fileCall{0, 1, 3, unix.AT_SYMLINK_NOFOLLOW, (*Host).stat}, true
	case unix.SYS_STATX:
		return fileCall{0, 1, 2, unix.AT_SYMLINK_NOFOLLOW, (*Host).statx}, true
	case unix.SYS_READLINK:
		return fileCall{-1, 0, -1, never, (*Host).readLink}, true
	case unix.SYS_READLINKAT:
		return fileCall{0, 1, -1, never, (*Host).readLink}, true
	case unix.SYS_ACCESS:
		return fileCall{-1, 0, -1, 0, (*Host).access}, true
	case unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2:
		return fileCall{0, 1, -1, 0, (*Host).access}, true
	case unix.SYS_GETXATTR, unix.SYS_LISTXATTR:
		return fileCall{-1, 0, -1, 0, (*Host).attributes}, true
	case unix.SYS_LGETXATTR, unix.SYS_LLISTXATTR:
		return fileCall{-1, 0, -1, never, (*Host).attributes}, true
	}
	return fileCall{}, false
}

// A query is a call that names a file of a tree or a node.
type query struct {
	fileCall
	n    *notification
	task task
	name string // absolute; in the tree not clean, as links of it may be before ..
	tree *Tree  // that has the name
	node *Node  // that the name or descriptor is of
	link bool   // the name is a descriptor's link in /proc
	args [6]uint64
}

// last returns the flag of open that says whether a last symbolic link is followed.
func (q *query) last() int {
	if q.noFollow == never || q.flags >= 0 && q.args[q.flags]&q.noFollow != 0 {
		return unix.O_NOFOLLOW
	}
	return 0
}

// put writes memory of the task, if it still waits for the answer.
func (h *Host) put(n *notification, addr uint64, p []byte) error {
	if !h.listener.valid(n.id) {
		return unix.ESRCH
	}
	return task(n.pid).write(addr, p)
}

// after is the argument that follows the path.
func (q *query) after(i int) uint64 { return q.args[q.path+i] }

// namesFile answers a call that names a file or describes a descriptor.
func (h *Host) namesFile(n *notification) reply {
	t := task(n.pid)
	if n.nr == unix.SYS_FSTAT {
		return h.describe(n, int32(n.args[0]), n.args[1])
	}
	f, ok := fileCallOf(n.nr)
	if !ok {
		return reply{}
	}
	q := &query{fileCall: f, n: n, task: t, args: n.args}
	name, err := t.path(n.args[f.path])
	if err != nil && !(n.args[f.path] == 0 && q.empty()) {
		return reply{} // Linux returns the error
	}
	dir := int32(unix.AT_FDCWD)
	if f.dir >= 0 {
		dir = int32(n.args[f.dir])
	}
	if name == "" {
		return h.ofDescriptor(q, dir)
	}
	if !h.locate(q, h.resolve(t, dir, name)) {
		return reply{}
	}
	return f.do(h, q)
}

// empty reports whether the call may have no path: then it is about the descriptor.
func (q *query) empty() bool { return q.flags >= 0 && q.args[q.flags]&unix.AT_EMPTY_PATH != 0 }

// locate finds what an absolute path names; false: it is not for this host.
func (h *Host) locate(q *query, name string) bool {
	in, ok := h.tree.enter(name)
	if !ok {
		q.name = path.Clean(name)
		t, fd, ok := descriptorLink(q.task, q.name)
		if ok {
			q.node, q.link = h.nodeOf(t, fd), true
		}
		return q.node != nil
	}
	q.name, q.tree = in, h.tree
	real, err := h.tree.real(in, q.last())
	if err != nil { // such as /dev/dri/../null
		return h.tree.claimed(path.Clean(name))
	}
	q.node = h.nodeAt(real)
	return true
}

// ofDescriptor answers a call with an empty path, which is about the descriptor itself.
func (h *Host) ofDescriptor(q *query, fd int32) reply {
	if fd < 0 || !q.empty() {
		return reply{}
	}
	if q.node = h.nodeOf(q.task, fd); q.node == nil {
		return reply{}
	}
	return q.do(h, q)
}

// nodeOf returns the node that a descriptor is of: an open device, or one of the place in the tree (O_PATH).
func (h *Host) nodeOf(t task, fd int32) *Node {
	link, err := t.link("fd/" + strconv.Itoa(int(fd))) // cheaper than what fileOf reads
	if err != nil {
		return nil
	}
	if strings.HasPrefix(link, "/memfd:") {
		if o := h.fileOf(t, fd); o != nil {
			return o.node
		}
		return nil
	}
	in, ok := h.tree.inside(link)
	if !ok {
		return nil
	}
	return h.nodeAt(in)
}

// describe answers fstat.
func (h *Host) describe(n *notification, fd int32, to uint64) reply {
	if node := h.nodeOf(task(n.pid), fd); node != nil {
		return h.putStat(n, to, node.stat())
	}
	return reply{}
}

// resolve returns the absolute path of a name, as the program sees the file system: the folder that holds a tree
// does not show. It is empty if the folder of a relative path is not known.
func (h *Host) resolve(t task, dir int32, name string) string {
	if path.IsAbs(name) {
		return name
	}
	link := "cwd"
	if dir != unix.AT_FDCWD {
		link = "fd/" + strconv.Itoa(int(dir))
	}
	base, err := t.link(link)
	if err != nil || !path.IsAbs(base) {
		return ""
	}
	if in, ok := h.tree.inside(base); ok {
		base = in
	}
	return base + "/" + name
}

// nodeAt returns the node whose path it is.
func (h *Host) nodeAt(name string) *Node {
	for _, n := range h.nodes {
		if n.Path == name {
			return n
		}
	}
	return nil
}

// descriptorLink recognises /dev/fd/N, /proc/self/fd/N, /proc/thread-self/fd/N and /proc/PID/fd/N.
func descriptorLink(t task, name string) (task, int32, bool) {
	if rest, ok := strings.CutPrefix(name, "/dev/fd/"); ok {
		name = "/proc/self/fd/" + rest
	}
	rest, ok := strings.CutPrefix(name, "/proc/")
	if !ok {
		return 0, 0, false
	}
	who, num, ok := strings.Cut(rest, "/fd/")
	if !ok {
		return 0, 0, false
	}
	fd, err := strconv.ParseInt(num, 10, 32)
	if err != nil {
		return 0, 0, false
	}
	if who != "self" && who != "thread-self" {
		pid, err := strconv.Atoi(who)
		if err != nil {
			return 0, 0, false
		}
		t = task(pid)
	}
	return t, int32(fd), true
}

func (h *Host) createPath(q *query) reply {
	return h.openAs(q, unix.O_CREAT|unix.O_WRONLY|unix.O_TRUNC)
}

func (h *Host) openPath(q *query) reply { return h.openAs(q, int(q.args[q.flags])) }

// openHow answers openat2: with the flags of its structure; what it says of resolving does not matter for files that
// are not links out of the tree.
func (h *Host) openHow(q *query) reply {
	var how unix.OpenHow
	if size := q.after(2); size < uint64(unsafe.Sizeof(how)) {
		return failed(unix.EINVAL)
	}
	if err := q.task.read(q.after(1), asBytes(&how)); err != nil {
		return failed(err)
	}
	return h.openAs(q, int(how.Flags))
}

// treeFlags are the flags of open that matter for a file of the tree; openat2 refuses others that open ignores. O_PATH
// is not one: Linux does not give such descriptors to other programs, and one to read is as good.
const treeFlags = unix.O_DIRECTORY | unix.O_NOFOLLOW

// changing are the flags of open that ask for more than to read.
const changing = unix.O_WRONLY | unix.O_RDWR | unix.O_TRUNC | unix.O_APPEND

func (h *Host) openAs(q *query, flags int) reply {
	if flags&unix.O_PATH != 0 {
		flags &= unix.O_PATH | treeFlags | unix.O_CLOEXEC
	}
	var fd int
	var err error
	switch exclusive := flags&unix.O_CREAT != 0 && flags&unix.O_EXCL != 0; {
	case q.node != nil && exclusive:
		return failed(unix.EEXIST)
	case q.node != nil && flags&unix.O_DIRECTORY != 0:
		return failed(unix.ENOTDIR)
	case q.node != nil && flags&unix.O_PATH == 0:
		fd, err = h.open(q.node)
	case q.node != nil:
		fd, err = h.tree.open(q.node.Path, 0)
	default:
		if fd, err = q.tree.open(q.name, flags&treeFlags); err == unix.ENOENT && flags&unix.O_CREAT != 0 {
			err = unix.EACCES
		}
		if err == nil && (exclusive || flags&changing != 0) {
			unix.Close(fd)
			err = unix.EACCES
			if exclusive {
				err = unix.EEXIST
			}
		}
	}
	if err != nil {
		return failed(err)
	}
	defer unix.Close(fd)
	if _, err := h.listener.add(q.n.id, fd, flags&unix.O_CLOEXEC != 0, true); err != nil {
		return failed(err)
	}
	return reply{sent: true}
}

func (h *Host) stat(q *query) reply {
	if q.node != nil {
		return h.putStat(q.n, q.after(1), q.node.stat())
	}
	fd, err := q.tree.open(q.name, unix.O_PATH|q.last())
	if err != nil {
		return failed(err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return failed(err)
	}
	return h.putStat(q.n, q.after(1), st)
}

func (h *Host) putStat(n *notification, to uint64, st unix.Stat_t) reply {
	return reply{done: true, err: h.put(n, to, asBytes(&st))}
}

// nodeMode is the mode of all nodes.
const nodeMode = unix.S_IFCHR | 0o666

// stat returns what stat says of a node.
func (n *Node) stat() unix.Stat_t {
	return unix.Stat_t{Dev: 5, Ino: uint64(n.Major)<<20 | uint64(n.Minor), Nlink: 1, Mode: nodeMode,
		Rdev: unix.Mkdev(n.Major, n.Minor), Blksize: PageSize}
}

func (h *Host) statx(q *query) reply {
	to := q.args[4]
	if q.node != nil {
		st := q.node.stat()
		x := unix.Statx_t{Mask: unix.STATX_BASIC_STATS, Blksize: PageSize, Nlink: 1, Mode: nodeMode, Ino: st.Ino,
			Rdev_major: q.node.Major, Rdev_minor: q.node.Minor, Dev_minor: uint32(st.Dev)}
		return reply{done: true, err: h.put(q.n, to, asBytes(&x))}
	}
	fd, err := q.tree.open(q.name, unix.O_PATH|q.last())
	if err != nil {
		return failed(err)
	}
	defer unix.Close(fd)
	var x unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, int(q.args[3]), &x); err != nil {
		return failed(err)
	}
	return reply{done: true, err: h.put(q.n, to, asBytes(&x))}
}

func (h *Host) readLink(q *query) reply {
	text, err := h.linkText(q)
	if err != nil {
		return failed(err)
	}
	if size := q.after(2); uint64(len(text)) > size {
		text = text[:size]
	}
	if err := h.put(q.n, q.after(1), []byte(text)); err != nil {
		return failed(err)
	}
	return result(int64(len(text)))
}

// linkText returns the target of a link: that of the tree, or of a descriptor of a node in /proc.
func (h *Host) linkText(q *query) (string, error) {
	if q.link {
		return q.node.Path, nil
	}
	if q.node != nil {
		return "", unix.EINVAL
	}
	fd, err := q.tree.open(q.name, unix.O_PATH|unix.O_NOFOLLOW)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	var buf [maxPath]byte
	n, err := unix.Readlinkat(fd, "", buf[:])
	if err == unix.ENOENT { // a file that is no link
		err = unix.EINVAL
	}
	return string(buf[:max(n, 0)]), err
}

func (h *Host) access(q *query) reply {
	if q.node != nil {
		if q.after(1)&unix.X_OK != 0 {
			return failed(unix.EACCES)
		}
		return result(0)
	}
	if err := q.exists(); err != nil {
		return failed(err)
	}
	if q.after(1)&unix.W_OK != 0 {
		return failed(unix.EACCES)
	}
	return result(0)
}

// exists returns nil if the tree has the name.
func (q *query) exists() error {
	fd, err := q.tree.open(q.name, unix.O_PATH|q.last())
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// attributes answers for extended attributes, which files of these file systems do not have: ls asks for them.
func (h *Host) attributes(q *query) reply {
	if q.node == nil {
		if err := q.exists(); err != nil {
			return failed(err)
		}
	}
	return failed(unix.EOPNOTSUPP)
}

// asBytes returns the memory of a structure.
func asBytes[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }
