package lanewise

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

// watch reports one lane's access, with a copy of the data.
func (r *Runner) watch(o *Op, lane int, kind exec.AccessKind, data []byte) {
	p, a := &o.Args[0], &r.access
	addr := r.Vec(p)[lane&p.Wide&63]
	a.Kind, a.PC, a.Lane, a.Addr, a.State, a.Env = kind, o.PC, lane, addr, r.St, r.Env
	if o.Mask == nil {
		a.Lane = -1
	}
	a.Space, a.Bank, a.At = r.Env.Resolve(&o.In.Mem, addr)
	a.Data = append(a.Data[:0], data...)
	r.Watch.Accessed(a)
}

// watchAtomic reports an atomic operation: a load of old, and a store of its result.
func (r *Runner) watchAtomic(o *Op, lane int, op mem.AtomicOp, old, data, cmp uint64) {
	var word [8]byte
	w := word[:o.In.Mem.Elem]
	mem.Store(w, old)
	r.watch(o, lane, exec.AccessAtomicLoad, w)
	mem.Store(w, op.Apply(8*len(w), old, data, cmp))
	r.watch(o, lane, exec.AccessAtomicStore, w)
}
