package check

import (
	"errors"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/sanitize"
)

// A Device watches launches that share memory with others, and may run beside each other.
type Device struct {
	checks sanitize.Check
	tell   func(Findings, string)
	shared *sanitize.Shared

	mu   sync.Mutex
	idle []*dispatches // their launches have ended
}

// dispatches watches one launch after another, with the code that it has made for earlier ones.
type dispatches struct {
	*Watched
	n int
}

// mostDispatches is how many launches one watches: what it knows of code that has gone, and of the ways of undefined
// values, goes with it.
const mostDispatches = 256

// WatchDevice returns a Device. shadow is as of sanitize.NewShared. tell is called at the end of each launch with its
// findings, and with what has not been looked at; "": nothing.
func WatchDevice(checks sanitize.Check, shadow func(*mem.Segment) []byte, tell func(f Findings, incomplete string)) *Device {
	return &Device{checks: checks, tell: tell, shared: sanitize.NewShared(shadow)}
}

// Dispatch returns what watches a launch, and what is called with its error when it has ended. It knows of no earlier
// findings: other code may be where theirs was.
func (d *Device) Dispatch() (launch.Watcher, func(error)) {
	w := d.watched()
	w.Save()
	return w, func(err error) {
		var fault *exec.Fault
		if errors.As(err, &fault) {
			w.Refuses(fault)
		}
		d.tell(w.Findings(err), w.Incomplete())
		w.Again()
		if w.n++; w.n == mostDispatches {
			return
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.idle = append(d.idle, w)
	}
}

// watched returns what watches no launch: it keeps the code of earlier ones.
func (d *Device) watched() *dispatches {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.idle) - 1; n >= 0 {
		w := d.idle[n]
		d.idle = d.idle[:n]
		return w
	}
	w := &dispatches{Watched: Watch(d.checks, nil)}
	w.Shares(d.shared)
	return w
}

// Wrote says that something else than a launch has written memory.
func (d *Device) Wrote(addr, size uint64) { d.shared.Wrote(addr, size) }
