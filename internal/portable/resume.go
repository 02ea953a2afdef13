package portable

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Machine code exits before an access that does not fit the cached segment, or that it finds no room to mark. It
// resumes there once there is another segment or room: otherwise the rest of the block would be interpreted. It also
// exits before ops that it lacks, and resumes after them.

// resume lets the chain that has just exited continue, as long as what it has exited for can be done. It returns an op
// that the caller has to carry out and that has failed, or nil.
func (r *runner) resume(ran *ChainExit) (failed *op) {
	for ran.Resumes {
		last := r.links[ran.Last]
		r.words, r.cursors = last.words, last.cursors
		if ran.Caller {
			o := &last.ops[ran.Step]
			r.st.At.Key = last.node.key
			if r.slow.on {
				r.slow.ops[o.why()]++
			}
			if o.op == ir.Probe && r.env.Probes != nil {
				r.worker.Log()
			}
			if !o.run(r, o) {
				return o
			}
		} else if !r.prepare(last, ran.Step) {
			return nil
		}
		r.worker.Resume(r.st, last.link, ran)
		r.tell(r.env)
	}
	return nil
}

// prepare caches segments, and makes room in the footprint, for the accesses that begin with a step, and for those that
// are hoisted before the first. It returns false if that changes nothing.
func (r *runner) prepare(f *form, step int) (changed bool) {
	if step == 0 {
		for i := range f.ops {
			if x := f.ops[i].more; x != nil && x.access.hoisted {
				r.cache(x, 1, &changed)
			}
		}
	}
	for i := range f.ops[step:] {
		o := &f.ops[step+i]
		if o.kind == lower.Expect && r.mask(o.mask) == 0 {
			continue
		}
		if o.more == nil || o.more.access.site == 0 {
			return changed
		}
		m := uint64(1)
		if o.mask.Kind != 0 {
			m = r.mask(o.mask)
		}
		if m == 0 {
			continue
		}
		x, to := o.more, &r.reach
		if !r.cache(x, m, &changed) {
			return changed
		}
		if x.access.transfer.Do == lower.CheckOnly || r.env.Footprint == nil {
			continue
		}
		if r.env.Footprint.MakeRoom(to.data, to.off[:to.n], uint64(x.access.mem.Bytes()), x.access.want) {
			changed = true
		}
	}
	return changed
}

// cache caches the segment of an access by the lanes of m, and sets changed if it is another one than before. It
// returns false if no segment has what all lanes access.
func (r *runner) cache(x *extra, m uint64, changed *bool) bool {
	at := r.words[x.access.site:][:lower.SitePrev]
	before := [lower.SitePrev]uint64(at)
	if !r.locate(x, m, x.access.want) {
		return false
	}
	*changed = *changed || !slices.Equal(before[:], at)
	return true
}
