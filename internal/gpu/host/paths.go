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
	dir, path, flags int // the arguments
	do               func(h *Host, q *query) reply
}

// fileCallOf returns how a call is answered.
func fileCallOf(nr int32) (fileCall, bool) {
	switch nr {
	case unix.SYS_OPEN:
		return fileCall{-1, 0, 1, (*Host).openPath}, true
	case unix.SYS_CREAT:
		return fileCall{-1, 0, -1, (*Host).createPath}, true
	case unix.SYS_OPENAT:
		return fileCall{0, 1, 2, (*Host).openPath}, true
	case unix.SYS_OPENAT2:
		return fileCall{0, 1, -1, (*Host).openHow}, true
	case unix.SYS_STAT:
		return fileCall{-1, 0, -1, (*Host).statPath}, true
	case unix.SYS_LSTAT:
		return fileCall{-1, 0, -1, (*Host).lstatPath}, true
	case unix.SYS_NEWFSTATAT:
		return fileCall{0, 1, 3, (*Host).statAt}, true
	case unix.SYS_STATX:
		return fileCall{0, 1, 2, (*Host).statx}, true
	case unix.SYS_READLINK:
		return fileCall{-1, 0, -1, (*Host).readLink}, true
	case unix.SYS_READLINKAT:
		return fileCall{0, 1, -1, (*Host).readLink}, true
	case unix.SYS_ACCESS:
		return fileCall{-1, 0, -1, (*Host).access}, true
	case unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2:
		return fileCall{0, 1, -1, (*Host).access}, true
	}
	return fileCall{}, false
}

// A query is a call that names a file of a tree or a node.
type query struct {
	fileCall
	n    *notification
	task task
	name string // absolute and clean
	tree *Tree  // that has the name
	node *Node  // that the name or descriptor is of
	args [6]uint64
}

// after is the argument that follows the path.
func (q *query) after(i int) uint64 { return q.args[q.path+i] }

// files answers a call that names a file or describes a descriptor.
func (h *Host) namesFile(n *notification) reply {
	t := task(n.pid)
	if n.nr == unix.SYS_FSTAT {
		return h.describe(t, int32(n.args[0]), n.args[1])
	}
	f, ok := fileCallOf(n.nr)
	if !ok {
		return reply{}
	}
	q := &query{fileCall: f, n: n, task: t, args: n.args}
	name, err := t.path(n.args[f.path])
	if err != nil {
		return reply{} // Linux returns the error
	}
	dir := int32(unix.AT_FDCWD)
	if f.dir >= 0 {
		dir = int32(n.args[f.dir])
	}
	if name == "" {
		return h.ofDescriptor(q, dir)
	}
	q.name = h.resolve(t, dir, name)
	if q.node = h.nodeAt(q); q.node == nil {
		if q.tree = h.treeAt(q.name); q.tree == nil {
			return reply{}
		}
	}
	return f.do(h, q)
}

// ofDescriptor answers a call with an empty path, which is about the descriptor itself.
func (h *Host) ofDescriptor(q *query, fd int32) reply {
	if fd < 0 || q.flags < 0 || q.args[q.flags]&unix.AT_EMPTY_PATH == 0 {
		return reply{}
	}
	o := h.fileOf(q.task, fd)
	if o == nil {
		return reply{}
	}
	q.node = o.node
	return q.do(h, q)
}

// describe answers fstat.
func (h *Host) describe(t task, fd int32, to uint64) reply {
	if o := h.fileOf(t, fd); o != nil {
		return h.putStat(t, to, o.node.stat())
	}
	return reply{}
}

// resolve returns the absolute, clean path of a name, as the program sees the file system: the folder that holds a tree
// does not show. It is empty if the folder of a relative path is not known.
func (h *Host) resolve(t task, dir int32, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
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
	return path.Join(base, name)
}

func (h *Host) treeAt(name string) *Tree {
	if name != "" && h.tree.claimed(name) {
		return h.tree
	}
	return nil
}

// nodeAt returns the node that a path names: its own path, or the link of a descriptor in /proc.
func (h *Host) nodeAt(q *query) *Node {
	for _, n := range h.nodes {
		if n.Path == q.name {
			return n
		}
	}
	if t, fd, ok := descriptorLink(q.task, q.name); ok {
		if o := h.fileOf(t, fd); o != nil {
			return o.node
		}
	}
	return nil
}

// descriptorLink recognises /proc/self/fd/N, /proc/thread-self/fd/N and /proc/PID/fd/N.
func descriptorLink(t task, name string) (task, int32, bool) {
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

func (h *Host) createPath(*query) reply { return failed(unix.EACCES) }

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

func (h *Host) openAs(q *query, flags int) reply {
	var fd int
	var err error
	switch {
	case q.node != nil && flags&unix.O_DIRECTORY != 0:
		return failed(unix.ENOTDIR)
	case q.node != nil && flags&unix.O_PATH == 0:
		fd, err = h.open(q.node)
	case q.node != nil:
		fd, err = h.tree.open(q.node.Path, unix.O_PATH)
	case flags&unix.O_ACCMODE != unix.O_RDONLY || flags&(unix.O_TRUNC|unix.O_APPEND) != 0:
		return failed(q.mayNotWrite(flags))
	default:
		fd, err = q.tree.open(q.name, flags&^(unix.O_CREAT|unix.O_EXCL))
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

// mayNotWrite returns why a path of the tree is not opened for writing: there is no such file, or its mode.
func (q *query) mayNotWrite(flags int) error {
	if flags&unix.O_CREAT != 0 {
		return unix.EACCES
	}
	fd, err := q.tree.open(q.name, unix.O_PATH)
	if err != nil {
		return err
	}
	unix.Close(fd)
	return unix.EACCES
}

func (h *Host) statPath(q *query) reply  { return h.statTo(q, 0) }
func (h *Host) lstatPath(q *query) reply { return h.statTo(q, unix.O_NOFOLLOW) }

func (h *Host) statAt(q *query) reply { return h.statTo(q, noFollow(q.args[q.flags])) }

// noFollow returns the flag of open that says what AT_SYMLINK_NOFOLLOW does.
func noFollow(flags uint64) int {
	if flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		return unix.O_NOFOLLOW
	}
	return 0
}

func (h *Host) statTo(q *query, flags int) reply {
	if q.node != nil {
		return h.putStat(q.task, q.after(1), q.node.stat())
	}
	fd, err := q.tree.open(q.name, unix.O_PATH|flags)
	if err != nil {
		return failed(err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return failed(err)
	}
	return h.putStat(q.task, q.after(1), st)
}

func (h *Host) putStat(t task, to uint64, st unix.Stat_t) reply {
	return reply{done: true, err: t.write(to, asBytes(&st))}
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
		return reply{done: true, err: q.task.write(to, asBytes(&x))}
	}
	fd, err := q.tree.open(q.name, unix.O_PATH|noFollow(q.args[q.flags]))
	if err != nil {
		return failed(err)
	}
	defer unix.Close(fd)
	var x unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, int(q.args[3]), &x); err != nil {
		return failed(err)
	}
	return reply{done: true, err: q.task.write(to, asBytes(&x))}
}

func (h *Host) readLink(q *query) reply {
	text, err := h.linkText(q)
	if err != nil {
		return failed(err)
	}
	if size := q.after(2); uint64(len(text)) > size {
		text = text[:size]
	}
	if err := q.task.write(q.after(1), []byte(text)); err != nil {
		return failed(err)
	}
	return result(int64(len(text)))
}

// linkText returns the target of a link: that of the tree, or of a descriptor of a node in /proc.
func (h *Host) linkText(q *query) (string, error) {
	if q.node != nil && q.node.Path != q.name {
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
	fd, err := q.tree.open(q.name, unix.O_PATH)
	if err != nil {
		return failed(err)
	}
	unix.Close(fd)
	if q.after(1)&unix.W_OK != 0 {
		return failed(unix.EACCES)
	}
	return result(0)
}

// asBytes returns the memory of a structure.
func asBytes[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }
