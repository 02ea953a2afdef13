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
	idle []*Watched // their launches have ended
}

// WatchDevice returns a Device. shadow is as of sanitize.NewShared. tell is called at the end of each launch with its
// findings, and perhaps earlier ones, and with what has not been looked at; "": nothing.
func WatchDevice(checks sanitize.Check, shadow func(*mem.Segment) []byte, tell func(f Findings, incomplete string)) *Device {
	return &Device{checks: checks, tell: tell, shared: sanitize.NewShared(shadow)}
}

// Dispatch returns what watches a launch, and what is called with its error when it has ended.
func (d *Device) Dispatch() (launch.Watcher, func(error)) {
	w := d.watched()
	return w, func(err error) {
		var fault *exec.Fault
		if errors.As(err, &fault) {
			w.Refuses(fault)
		}
		d.tell(w.Findings(err), w.Incomplete())
		d.mu.Lock()
		defer d.mu.Unlock()
		d.idle = append(d.idle, w)
	}
}

// watched returns what watches no launch: it keeps the code of earlier ones.
func (d *Device) watched() *Watched {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.idle) - 1; n >= 0 {
		w := d.idle[n]
		d.idle = d.idle[:n]
		return w
	}
	w := Watch(d.checks, nil)
	w.Shares(d.shared)
	return w
}

// Wrote says that something else than a launch has written memory.
func (d *Device) Wrote(addr, size uint64) { d.shared.Wrote(addr, size) }
