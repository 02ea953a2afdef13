package lanewise

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// lanes returns the mask of lanes for which a memory op acts. An op that runs once per wave acts as lane 0,
// whatever the execution mask.
func (r *Runner) lanes(o *Op) uint64 {
	if o.Mask == nil {
		return 1
	}
	return r.Mask(o.Mask)
}

// reach finds the memory of every lane's access before anything is read or written: host memory in r.windows, or a
// device in r.places with no window. It returns the lanes that succeeded: all of m, or fewer under a policy that
// tolerates faults. false is a fault.
func (r *Runner) reach(o *Op, m uint64, want mem.Rights) (uint64, bool) {
	p := &o.Args[0]
	v, k := r.Vec(p), p.Wide&63
	cursor := r.cursor(o)
	direct, span := r.direct(o, v[bits.TrailingZeros64(m)&k])
	size, align := uint64(o.In.Mem.Bytes()), uint64(max(o.In.Mem.Align, 1))
	if want == mem.ReadWrite {
		align = max(align, uint64(o.In.Mem.Elem))
	}
	bad, first := uint64(0), (*mem.Fault)(nil)
	told, firstTold := uint64(0), (*mem.Fault)(nil)
	for left := m; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros64(left) & 63
		addr := v[lane&k]
		if off := addr - span.Base; off < span.Size && (off+span.Offset)&(align-1) == 0 {
			if w := direct.Hit(cursor, off+span.Offset, size, want); w != nil {
				r.windows[lane] = w
				continue
			}
		}
		at, f := r.Env.Reach(cursor, &o.In.Mem, lane, addr, want)
		r.windows[lane] = at.Bytes
		switch {
		case f != nil && f.Done:
			if told |= 1 << lane; firstTold == nil {
				firstTold = f
			}
		case f != nil:
			if bad |= 1 << lane; first == nil {
				first = f
			}
		case at.Device != nil:
			r.places[lane] = at
		}
	}
	if bad|told == 0 {
		return m, true
	}
	addrOf := func(lane int) uint64 { return v[lane&k] }
	if told != 0 && o.In.Op != ir.Check && !o.silent {
		r.Env.Faults.Add(r.faultOf(o, exec.FaultMemory, told, r.ofMemory(o, told, firstTold, addrOf)), lanesOf(told))
	}
	if bad == 0 {
		return m, true
	}
	return m &^ bad, r.refused(o, bad, first, addrOf)
}

// recordFootprint records which memory the lanes access, after reach, if a footprint is recorded.
func (r *Runner) recordFootprint(o *Op, lanes uint64, want mem.Rights) {
	if p := r.Env.Footprint; p != nil && (o.space != ir.GroupSpace || p.Local()) && o.space != ir.PrivateSpace {
		p.Touch(&r.windows, lanes, want)
	}
}

// direct returns the space of accesses near addr, and the range of addresses that map to it. The range is empty if
// each lane has a space of its own. See exec.Env.Reach.
func (r *Runner) direct(o *Op, addr uint64) (*mem.Space, exec.Window) {
	span := exec.Window{Size: ^uint64(0), Space: o.space, Bank: o.In.Mem.Bank}
	if o.space == ir.FlatSpace {
		span = r.Env.Span(o.In.Mem.Bank, addr)
	}
	if span.Space == ir.PrivateSpace {
		return nil, exec.Window{}
	}
	return r.Env.Space(span.Space, span.Bank), span
}

// refused handles lanes whose accesses memory has refused. It returns false if the policy stops the op. first is
// the fault of the lowest of them, addr the address of each.
func (r *Runner) refused(o *Op, lanes uint64, first *mem.Fault, addr func(lane int) uint64) bool {
	if o.silent { // the access that it belongs to is refused, too
		return true
	}
	return r.tolerate(o, exec.FaultMemory, lanes, r.ofMemory(o, lanes, first, addr))
}

// ofMemory returns what completes a fault of memory in some lanes.
func (r *Runner) ofMemory(o *Op, lanes uint64, first *mem.Fault, addr func(lane int) uint64) func(*exec.Fault) {
	return func(f *exec.Fault) {
		f.Addr, f.Mem = addr(bits.TrailingZeros64(lanes)), first
		if o.Mask == nil {
			return
		}
		f.Addrs = make([]uint64, r.St.Lanes)
		for m := lanes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			f.Addrs[lane] = addr(lane)
		}
	}
}

// faultOf makes a fault of some lanes.
func (r *Runner) faultOf(o *Op, kind exec.FaultKind, lanes uint64, details func(f *exec.Fault)) *exec.Fault {
	f := exec.NewFault(kind, r.Env, r.Code, o.PC)
	if o.Mask != nil {
		f.SetLanes(lanes)
	}
	details(f)
	return f
}

// tolerate applies the policy to lanes at fault; details completes the fault. It returns false if the wave stops,
// with r.Fault set.
func (r *Runner) tolerate(o *Op, kind exec.FaultKind, lanes uint64, details func(f *exec.Fault)) bool {
	if r.Env.Policy != exec.TrapFaults {
		r.Env.Count.Dropped += lanesOf(lanes)
	}
	if r.Env.Policy == exec.RobustFaults {
		return true
	}
	f := r.faultOf(o, kind, lanes, details)
	if r.Env.Policy == exec.RecordFaults {
		r.Env.Faults.Add(f, lanesOf(lanes))
		return true
	}
	r.Fault = f
	return false
}

// buffer returns a buffer for an access that a device serves.
func (r *Runner) buffer(o *Op) []byte {
	n := o.In.Mem.Bytes()
	if len(r.bytes) < n {
		r.bytes = make([]byte, n)
	}
	return r.bytes[:n]
}

func load(r *Runner, o *Op) bool {
	m := r.lanes(o)
	got, ok := r.reach(o, m, mem.Read)
	if !ok {
		return false
	}
	r.recordFootprint(o, got, mem.Read)
	if got != r.St.Full {
		for _, s := range o.Res {
			r.Slots[s] = ir.Vec{}
		}
	}
	r.count(o, got, exec.Traffic{Read: 1})
	elem := int(o.In.Mem.Elem)
	extend := r.extension(o)
	kind := exec.AccessLoad
	if o.In.Mem.Load&ir.OfDescriptor != 0 {
		kind = exec.AccessDescriptor
	}
	for n := got; n != 0; n &= n - 1 {
		lane := bits.TrailingZeros64(n) & 63
		w := r.windows[lane]
		if w == nil {
			w = r.places[lane].Load(r.buffer(o))
		}
		if r.Watch != nil {
			r.watch(o, lane, kind, w)
		}
		for i, s := range o.Res {
			v := mem.Load(w[i*elem : (i+1)*elem])
			r.Slots[s][lane] = v | -(v>>extend.sign&1)&extend.ones
		}
	}
	return true
}

// An extension says how an element is extended to a value: if its bit sign is set, the bits of ones are set too.
type extension struct {
	sign int
	ones uint64
}

func (r *Runner) extension(o *Op) extension {
	width := 8 * int(o.In.Mem.Elem)
	e := extension{sign: width - 1}
	if o.In.Mem.Signed {
		e.ones = (1<<o.n - 1) &^ (1<<width - 1)
	}
	return e
}

func store(r *Runner, o *Op) bool {
	m, ok := r.reach(o, r.lanes(o), mem.Write)
	if !ok {
		return false
	}
	r.recordFootprint(o, m, mem.Write)
	r.count(o, m, exec.Traffic{Written: 1})
	for n := m; n != 0; n &= n - 1 {
		lane := bits.TrailingZeros64(n) & 63
		if r.Watch != nil {
			r.watch(o, lane, exec.AccessStore, r.stored(o, lane, r.buffer(o)))
		}
		if w := r.windows[lane]; w != nil {
			r.stored(o, lane, w)
		} else {
			r.places[lane].Device.Store(r.places[lane].Addr, r.stored(o, lane, r.buffer(o)))
		}
	}
	return true
}

// stored fills w with the bytes that a lane stores.
func (r *Runner) stored(o *Op, lane int, w []byte) []byte {
	elem := int(o.In.Mem.Elem)
	for i := range o.Args[1:] {
		p := &o.Args[1+i]
		mem.Store(w[i*elem:(i+1)*elem], r.Vec(p)[lane&p.Wide&63])
	}
	return w
}

func atomicRMW(r *Runner, o *Op) bool {
	m, ok := r.reach(o, r.lanes(o), mem.ReadWrite)
	if !ok {
		return false
	}
	r.recordFootprint(o, m, mem.ReadWrite)
	r.count(o, m, exec.Traffic{Read: 1, Written: 1, Atomics: 1})
	d := &r.Slots[o.Res[0]]
	*d = ir.Vec{}
	for n := m; n != 0; n &= n - 1 {
		lane := bits.TrailingZeros64(n) & 63
		data, cmp := r.lane(&o.Args[1], o.n, lane), uint64(0)
		if len(o.Args) > 2 {
			cmp = r.lane(&o.Args[2], o.n, lane)
		}
		op := mem.AtomicOp(o.In.Mem.Atomic)
		w := r.windows[lane]
		if w != nil && r.Watch != nil {
			r.watchAtomic(o, lane, op, mem.Load(w), data, cmp)
		}
		if w != nil {
			d[lane] = mem.Atomic(w, op, data, cmp)
			continue
		}
		d[lane] = r.places[lane].Atomic(int(o.In.Mem.Elem), op, data, cmp)
		if r.Watch != nil {
			r.watchAtomic(o, lane, op, d[lane], data, cmp)
		}
	}
	return true
}

// count counts an access by the lanes of a mask, each of which does what is 1 in of. Results may replace the addresses:
// it is called before they are written.
func (r *Runner) count(o *Op, lanes uint64, of exec.Traffic) {
	if o.silent {
		return
	}
	add := func(space ir.SpaceID, lanes uint64) {
		n := lanesOf(lanes)
		bytes := n * uint64(o.In.Mem.Bytes())
		r.Env.Count.Memory[space].Add(&exec.Traffic{Read: of.Read * bytes, Written: of.Written * bytes, Atomics: of.Atomics * n})
	}
	if o.space != ir.FlatSpace {
		add(o.space, lanes)
		return
	}
	p := &o.Args[0]
	v, k := r.Vec(p), p.Wide&63
	for m := lanes; m != 0; m &= m - 1 {
		space, _, _ := r.Env.Resolve(&o.In.Mem, v[bits.TrailingZeros64(m)&k])
		add(space, m&-m)
	}
}

// check performs no access; its only effect is its faults. Under a policy that tolerates faults it does nothing, as
// the access itself finds the same ones.
func check(r *Runner, o *Op) bool {
	if r.Env.Policy != exec.TrapFaults {
		return true
	}
	want := mem.Read
	if o.In.Imm != 0 {
		want = mem.Write
	}
	_, ok := r.reach(o, r.lanes(o), want)
	return ok
}

func lanesOf(m uint64) uint64 { return uint64(bits.OnesCount64(m)) }
