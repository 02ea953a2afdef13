package portable

import "github.com/heddle-gpu/heddle/ir"

// Machine code that finds no room to mark an access leaves in front of it. It goes on there once there is room: else all the rest of the
// block would be the functions', for each group and page anew. It also leaves in front of ops that it lacks, and goes on behind them.

// resume lets the chain that has just left go on as long as it leaves for an op, or for want of room.
func (r *runner) resume(ran *Ran) {
	for ran.Resumes {
		last := r.links[ran.Last]
		r.words, r.cursors = last.words, last.cursors
		if o := &last.ops[ran.Step]; o.apart {
			r.st.At.Key = last.node.key
			if !o.run(r, o) { // the caller meets the fault again
				return
			}
		} else if !r.makeRoom(last.ops[ran.Step:]) {
			return
		}
		r.worker.Resume(r.st, last.link, ran)
	}
}

// isApart is whether an op does nothing but read its operands, registers and the control stack, ask who is outside, and leave results.
func isApart(op ir.Op) bool {
	switch op {
	case ir.Input, ir.Output, ir.Tex, ir.Sample, ir.Image, ir.Fetch, ir.GetX, ir.CtlCheck:
		return true
	}
	return op.Info().Class == ir.Pure
}

// makeRoom makes room to mark the first of the accesses that the ops begin with that lacks it. False means that none does, or that
// what an access reaches is not for code to mark.
func (r *runner) makeRoom(ops []op) bool {
	for i := range ops {
		o := &ops[i]
		if o.more == nil || o.more.access.site == 0 {
			return false
		}
		x := o.more
		if x.access.kind.Do == CheckOnly {
			continue
		}
		want, m := x.access.want, uint64(1)
		if o.mask.kind != 0 {
			m = r.mask(o.mask)
		}
		if m == 0 {
			continue
		}
		if !r.find(x, m, want) {
			return false
		}
		to := &r.reach
		if r.env.Footprint.MakeRoom(to.data, to.off[:to.n], uint64(x.access.mem.Bytes()), want) {
			return true
		}
	}
	return false
}
