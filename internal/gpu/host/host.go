//go:build linux && amd64

package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Host is a program with its devices.
type Host struct {
	nodes    []*Node
	tree     *Tree
	listener listener // closed when nothing refers to this any more: calls may be answered after the end
	cmd      *exec.Cmd
	serial   atomic.Int64 // number of opens and exports

	mu    sync.Mutex
	files map[int64]*opened
	infos infos

	exports map[int64]export

	serving sync.Mutex // held while a call about a file is answered
	over    bool       // none is any more
}

// A Config is what to start.
type Config struct {
	Program []string // its arguments, the first is the program
	Env     []string // as of exec.Cmd
	Nodes   []*Node
	Tree    *Tree
	Types   []byte // of ioctls that nodes answer, 'd' for DRM
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
}

// An Exit is how a program ended if it was not with code 0.
type Exit struct {
	Code   int            // if Signal is 0
	Signal syscall.Signal // that ended it
}

func (e *Exit) Error() string {
	if e.Signal != 0 {
		return fmt.Sprintf("the program was ended by signal %d (%v)", int(e.Signal), e.Signal)
	}
	return fmt.Sprintf("the program ended with code %d", e.Code)
}

// Status is the exit status as shells have it: 128 plus the number of a signal.
func (e *Exit) Status() int {
	if e.Signal != 0 {
		return 128 + int(e.Signal)
	}
	return e.Code
}

// pollEvery is how often files without descriptors are looked for.
const pollEvery = 20 * time.Millisecond

// Run starts a program and answers its calls until it has ended, and until no program that it has started has a device
// open. The error is an *Exit, or why it could not be started, or that of ctx, whose end kills it.
func Run(ctx context.Context, c Config) error {
	h := &Host{nodes: c.Nodes, tree: c.Tree, files: map[int64]*opened{}}
	if err := h.start(&c); err != nil {
		return err
	}
	defer h.closeAll()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	ended := make(chan error, 1)
	go func() { ended <- h.cmd.Wait() }()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var end error
	for over, done := false, ctx.Done(); ; {
		select {
		case <-tick.C:
			if h.closeEnded(); over && h.opens() == 0 {
				return end
			}
		case err := <-ended:
			over, end = true, exitOf(err)
			if h.closeEnded(); h.opens() == 0 || ctx.Err() != nil {
				return errors.Join(ctx.Err(), end)
			}
		case s := <-signals: // of a terminal the program gets its own
			if s == syscall.SIGTERM || s == syscall.SIGHUP {
				h.cmd.Process.Signal(s)
			}
		case <-done:
			done = nil
			if over {
				return ctx.Err()
			}
			time.AfterFunc(graceOf(ctx), func() { h.cmd.Process.Kill() })
		}
	}
}

// grace is the time that a program has to end after an interrupt, which it has got itself.
const grace = 2 * time.Second

func graceOf(ctx context.Context) time.Duration {
	if ctx.Err() == context.DeadlineExceeded {
		return 0
	}
	return grace
}

func exitOf(err error) error {
	var e *exec.ExitError
	if !errors.As(err, &e) {
		return err
	}
	if s := e.Sys().(syscall.WaitStatus); s.Signaled() {
		return &Exit{Signal: s.Signal()}
	}
	return &Exit{Code: e.ExitCode()}
}

// closeAll ends the files that are left.
func (h *Host) closeAll() {
	h.serving.Lock()
	h.over = true
	h.serving.Unlock()
	h.mu.Lock()
	files := maps.Clone(h.files)
	clear(h.files)
	h.infos.close()
	objects := h.allExports()
	h.mu.Unlock()
	for _, o := range files {
		o.close()
	}
	for _, o := range objects {
		o.Closed()
	}
}

// serve answers calls. It ends when no task has the filter any more; until then the calls of programs that outlive this
// host are continued as if there were none.
func (h *Host) serve() {
	runtime.LockOSThread()
	var n notification
	for {
		err := h.listener.receive(&n)
		if err == unix.ENOENT {
			if h.alone() {
				return
			}
			continue
		}
		if err != nil {
			return
		}
		if n.nr == unix.SYS_IOCTL {
			h.ioctl(&n)
			continue
		}
		if r := h.file(&n); !r.sent {
			h.answer(n.id, r)
		}
	}
}

// file answers a call that is about a file.
func (h *Host) file(n *notification) reply {
	h.serving.Lock()
	defer h.serving.Unlock()
	if h.over {
		return reply{}
	}
	return h.namesFile(n)
}

// alone reports whether no task has the filter any more.
func (h *Host) alone() bool {
	p := []unix.PollFd{{Fd: int32(h.listener), Events: unix.POLLIN}}
	n, err := unix.Poll(p, 0)
	return err != nil || n > 0 && p[0].Revents&(unix.POLLHUP|unix.POLLNVAL|unix.POLLERR) != 0
}

func (h *Host) answer(id uint64, r reply) {
	out := response{id: id, val: r.val}
	if !r.done {
		out.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	if r.err != nil {
		e := unix.EIO
		errors.As(r.err, &e)
		out.val, out.errno = 0, -int32(e)
	}
	h.listener.send(&out) // an error means that the task has ended meanwhile
}

// ioctl answers an ioctl of a node or an object, and lets Linux continue others.
func (h *Host) ioctl(n *notification) {
	fd := int32(n.args[0])
	c := &Call{Request: uint32(n.args[1]), Arg: n.args[2], h: h, id: n.id, task: task(n.pid)}
	o := h.fileOf(c.task, fd)
	var object Answerer
	if o == nil {
		object, _ = c.Exported(fd).(Answerer)
	}
	switch {
	case o == nil && object == nil || !h.listener.valid(n.id):
		h.answer(n.id, reply{})
	case object != nil:
		object.Ioctl(c)
	case !o.ioctl(c):
		h.answer(n.id, failed(unix.EBADF))
	}
}
