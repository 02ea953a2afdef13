package ref

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// lanes is the mask of lanes that a memory op acts for; an op that runs once a wave acts as lane 0,
// whatever the execution mask.
func (r *runner) lanes(o *op) uint64 {
	if o.mask == nil {
		return 1
	}
	return r.mask(o.mask)
}

// reach finds the host memory of every lane's access before anything is read or written. It returns
// the lanes that have some: all of m, or fewer under the robust policy; false is a fault.
func (r *runner) reach(o *op, m uint64, want mem.Rights) (uint64, bool) {
	p := &o.args[0]
	v, k := r.vec(p), p.wide&63
	cursor := &r.cursors[o.cursor]
	direct := r.direct(o, want)
	size, align := uint64(o.in.Mem.Bytes()), uint64(max(o.in.Mem.Align, 1)-1)
	got := m
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		addr := v[lane&k]
		if direct != nil && addr&align == 0 {
			if w, f := direct.At(cursor, addr, size, want); f == nil {
				r.windows[lane] = w
				continue
			}
		}
		w, f := r.env.At(cursor, &o.in.Mem, lane, addr, want)
		if f == nil {
			r.windows[lane] = w
			continue
		}
		if r.env.Policy == exec.TrapFaults {
			r.memFault(o, lane, addr, f)
			return 0, false
		}
		r.env.Count.Dropped++
		got &^= 1 << lane
	}
	return got, true
}

// direct is the space of all lanes' accesses, nil if it depends on the address or the lane, or if
// alignment is not up to o.in.Mem alone.
func (r *runner) direct(o *op, want mem.Rights) *mem.Space {
	if o.space == ir.FlatSpace || o.space == ir.PrivateSpace || want == mem.ReadWrite {
		return nil
	}
	return r.env.Space(o.space, o.in.Mem.Bank, 0)
}

func (r *runner) memFault(o *op, lane int, addr uint64, f *mem.Fault) {
	r.fault = exec.NewFault(exec.FaultMemory, r.env, r.p.Code, 0)
	r.fault.Addr, r.fault.Mem = addr, f
	if o.mask != nil {
		r.fault.Lane = lane
	}
}

func load(r *runner, o *op) bool {
	m := r.lanes(o)
	got, ok := r.reach(o, m, mem.Read)
	if !ok {
		return false
	}
	if got != r.st.Full {
		for _, s := range o.res {
			r.slots[s] = ir.Vec{}
		}
	}
	elem := int(o.in.Mem.Elem)
	extend := r.extension(o)
	for n := got; n != 0; n &= n - 1 {
		lane := bits.TrailingZeros64(n) & 63
		w := r.windows[lane]
		for i, s := range o.res {
			v := mem.Load(w[i*elem : (i+1)*elem])
			r.slots[s][lane] = v | -(v>>extend.sign&1)&extend.ones
		}
	}
	r.env.Count.BytesRead += lanesOf(got) * uint64(o.in.Mem.Bytes())
	return true
}

// An extension says how an element becomes a value: if its bit sign is set, the bits of ones are too.
type extension struct {
	sign int
	ones uint64
}

func (r *runner) extension(o *op) extension {
	width := 8 * int(o.in.Mem.Elem)
	e := extension{sign: width - 1}
	if o.in.Mem.Signed {
		e.ones = (1<<o.n - 1) &^ (1<<width - 1)
	}
	return e
}

func store(r *runner, o *op) bool {
	m, ok := r.reach(o, r.lanes(o), mem.Write)
	if !ok {
		return false
	}
	elem := int(o.in.Mem.Elem)
	for n := m; n != 0; n &= n - 1 {
		lane := bits.TrailingZeros64(n) & 63
		w := r.windows[lane]
		for i := range o.args[1:] {
			p := &o.args[1+i]
			mem.Store(w[i*elem:(i+1)*elem], r.vec(p)[lane&p.wide&63])
		}
	}
	r.env.Count.BytesWritten += lanesOf(m) * uint64(o.in.Mem.Bytes())
	return true
}

func atomicRMW(r *runner, o *op) bool {
	m, ok := r.reach(o, r.lanes(o), mem.ReadWrite)
	if !ok {
		return false
	}
	d := &r.slots[o.res[0]]
	*d = ir.Vec{}
	for n := m; n != 0; n &= n - 1 {
		lane := bits.TrailingZeros64(n) & 63
		data, cmp := r.lane(&o.args[1], o.n, lane), uint64(0)
		if len(o.args) > 2 {
			cmp = r.lane(&o.args[2], o.n, lane)
		}
		d[lane] = mem.Atomic(r.windows[lane], mem.AtomicOp(o.in.Mem.Atomic), data, cmp)
	}
	k, n := &r.env.Count, lanesOf(m)
	k.Atomics += n
	k.BytesRead += n * uint64(o.in.Mem.Elem)
	k.BytesWritten += n * uint64(o.in.Mem.Elem)
	return true
}

// check accesses nothing, so it leaves only its faults behind.
func check(r *runner, o *op) bool {
	want := mem.Read
	if o.in.Imm != 0 {
		want = mem.Write
	}
	dropped := r.env.Count.Dropped // the access itself will count
	_, ok := r.reach(o, r.lanes(o), want)
	r.env.Count.Dropped = dropped
	return ok
}

func lanesOf(m uint64) uint64 { return uint64(bits.OnesCount64(m)) }
