package launch

import (
	"errors"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

// A worker runs groups of a dispatch, one after another.
type worker struct {
	*dispatch
	slot    *Slot
	at, end uint64 // groups that it has taken: the one in the slot, and the end of the range
	sum     Result // of groups that have ended

	compared uint64 // value of sum.Instructions when the footprint was last compared
}

// work runs groups in the order of their indexes, until none is left or one has failed.
func (d *dispatch) work() {
	k := &worker{dispatch: d, slot: d.takeSlot()}
	w := k.slot
	d.record(w)
	w.deadAtExit = !d.looks
	next, failed := k.next, false
	for ; ; k.at++ {
		if k.at == k.end || k.long() || k.racing {
			d.compare(w)
			d.reachedMore()
			k.compared = k.sum.Instructions
		}
		if k.at == k.end {
			k.at, k.end = d.take()
		}
		if k.at >= d.groups || !d.matters(k.at) {
			break
		}
		err := k.group(next)
		k.count()
		switch err {
		case nil:
			k.done()
		case errPassed:
		default:
			d.fail(k.at, err)
			failed = true
		}
	}
	d.compare(w)
	if !failed {
		d.giveSlot(w)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.res.Add(&k.sum.Counters)
	d.res.Faults.Merge(&k.sum.Faults)
	d.res.Groups += k.sum.Groups
	d.res.Waves += k.sum.Waves
}

// take returns the next range of groups for a worker, which run in order and have one footprint; if the first is at or
// after the end of the grid, none are left. The ranges do not depend on which worker takes them, or when. The first
// ranges have one group each: footprints learn from them what need not be marked.
func (d *dispatch) take() (at, end uint64) {
	for {
		at = d.next.Load()
		left := d.groups - min(at, d.groups)
		n := uint64(mostAtOnce)
		switch workers := uint64(d.res.Workers); {
		case workers > 1 && at < workers:
			n = 1
		case workers > 1:
			n = min(max(left/workers/parts, 1), n)
		case d.prints != nil:
			n = 1
		}
		if d.next.CompareAndSwap(at, at+n) {
			return at, min(at+n, d.groups)
		}
	}
}

// longRun is the number of instructions after which the footprint of the groups so far is compared before the next one
// runs. The comparison takes little time compared with them, and marks of more pages would not stay in the cache.
const longRun = 1 << 12

// long reports whether the footprint of the groups so far must be compared before the next one runs. That depends only
// on what they have executed.
func (k *worker) long() bool { return k.slot.foot != nil && k.sum.Instructions-k.compared >= longRun }

// matters reports whether the result of a group still matters: no group before it has failed, and no conflict was
// found.
func (d *dispatch) matters(index uint64) bool { return index <= d.stop.Load() && !d.over.Load() }

// count adds the counters of the group in the slot to the sum.
func (k *worker) count() {
	w := k.slot
	for i := range w.Waves {
		env := &w.Waves[i].Env
		k.sum.Add(&env.Count)
		if env.Faults.Count != 0 {
			k.sum.Faults.Merge(&env.Faults)
		}
	}
	k.sum.Waves += uint64(w.begun)
}

// done counts a group that has run to its end.
func (k *worker) done() {
	k.sum.Groups++
	if n := k.l.Done; n != nil {
		n.Add(1)
	}
}

// errPassed ends a group that no longer matters, because an earlier one has failed or groups conflict.
var errPassed = errors.New("launch: the group no longer matters")

// group runs a group to its end, and possibly groups after it; then its error is that of the last of them.
func (k *worker) group(next func() bool) error {
	w := k.slot
	defer w.End()
	if err := w.Begin(k.at); err != nil {
		return err
	}
	b := exec.Budget{Steps: exec.Quantum}
	stop, ok := w.groups(b, next)
	for {
		if w.met {
			k.meet(&conflict{w.Group.ID, &mem.Conflict{}})
		}
		if ok && stop.Reason == exec.StopFault {
			return stop.Fault
		}
		if !k.matters(k.at) {
			return errPassed
		}
		wave, more := w.Next()
		if !more {
			return nil
		}
		if stop, ok = w.all(wave, b); !ok {
			stop, ok = w.Turn(wave, b), true
		}
	}
}

// next puts the next group into the slot, where all waves have ended. It returns false if the group must not run yet,
// or if it must start by Begin.
func (k *worker) next() bool {
	w := k.slot
	if k.racing {
		k.compare(w)
	}
	id := w.Group.ID
	if k.at+1 >= k.end || k.long() || !k.matters(k.at+1) || !w.place(k.at+1) {
		return false
	}
	w.over(id)
	k.count()
	k.done()
	k.at++
	w.repeat()
	return true
}
