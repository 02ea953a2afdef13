package portable

import "github.com/heddle-gpu/heddle/internal/lower"

// Machine code that finds no room to mark an access exits before it, and resumes once there is room: otherwise the
// rest of the block would be interpreted for each group and each page anew. It also exits before ops that it lacks,
// and resumes after them.

// resume lets the chain that has just exited continue as long as it exits for an op, or for want of room.
func (r *runner) resume(ran *ChainExit) {
	for ran.Resumes {
		last := r.links[ran.Last]
		r.words, r.cursors = last.words, last.cursors
		if o := &last.ops[ran.Step]; o.mayExit {
			r.st.At.Key = last.node.key
			if !o.run(r, o) { // the caller executes it again, and faults
				return
			}
		} else if !r.makeRoom(last.ops[ran.Step:]) {
			return
		}
		r.worker.Resume(r.st, last.link, ran)
	}
}

// makeRoom makes room to mark the first of the leading accesses of ops that lacks it. It returns false if none does,
// or if code cannot mark what an access reaches.
func (r *runner) makeRoom(ops []op) bool {
	for i := range ops {
		o := &ops[i]
		if o.more == nil || o.more.access.site == 0 {
			return false
		}
		x := o.more
		if x.access.transfer.Do == lower.CheckOnly {
			continue
		}
		want, m := x.access.want, uint64(1)
		if o.mask.Kind != 0 {
			m = r.mask(o.mask)
		}
		if m == 0 {
			continue
		}
		if !r.locate(x, m, want) {
			return false
		}
		to := &r.reach
		if r.env.Footprint.MakeRoom(to.data, to.off[:to.n], uint64(x.access.mem.Bytes()), want) {
			return true
		}
	}
	return false
}
