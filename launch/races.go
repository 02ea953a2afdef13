package launch

import (
	"context"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

// A Racer is a Watcher that may look for races. Then Run runs the groups in order on one worker, so that findings do
// not depend on the number of workers.
type Racer interface {
	Watcher
	// Racing reports whether it looks for races.
	Racing() bool
	// Memory tells what the next launch accesses. own is as in Launch.
	Memory(env *exec.Env, own func(wave int) mem.Extent)
}

// racer returns the watcher if it looks for races; nil otherwise.
func (l *Launch) racer() Racer {
	if r, ok := l.Watcher.(Racer); ok && r.Racing() {
		return r
	}
	return nil
}

// runRacing is Run if races are looked for.
func (l *Launch) runRacing(ctx context.Context, res *Result) error {
	s, err := l.Begin(ctx)
	if err != nil {
		return err
	}
	*res = Result{Workers: 1, Serial: s.groups > 1}
	if res.Serial {
		res.Why = "races are looked for"
	}
	d := &dispatch{Session: s, res: res}
	d.run()
	return d.err
}
