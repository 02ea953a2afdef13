package lanewise

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// watch reports one lane's access, with a copy of the data.
func (r *Runner) watch(o *Op, lane int, kind exec.AccessKind, data []byte) {
	p := &o.Args[0]
	r.report(o, lane, kind, &o.In.Mem, r.Vec(p)[lane&p.Wide&63], data)
}

// unitMemory is the space of texels and attributes.
var unitMemory = ir.Mem{Space: ir.GlobalSpace}

func (r *Runner) report(o *Op, lane int, kind exec.AccessKind, m *ir.Mem, addr uint64, data []byte) {
	a := &r.access
	a.Kind, a.PC, a.Lane, a.Addr, a.State, a.Env = kind, o.PC, lane, addr, r.St, r.Env
	if o.Mask == nil {
		a.Lane = -1
	}
	a.Space, a.Bank, a.At = r.Env.Resolve(m, addr)
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

// reads returns the callback for texels that lanes starting at first read for an op; nil if there is no watcher.
func (r *Runner) reads(o *Op, first int) mem.Reads {
	if r.Watch == nil {
		return nil
	}
	if r.tell == nil {
		r.tell = func(k int, addr uint64, data []byte) {
			r.report(r.reader, r.first+k, exec.AccessTexel, &unitMemory, addr, data)
		}
	}
	r.reader, r.first = o, first
	return r.tell
}
