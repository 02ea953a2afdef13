package lanewise

import (
	"math"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// tex samples quad by quad; within a quad, once for each texture unit that its lanes use.
func tex(r *Runner, o *Op) bool {
	r.clear(o)
	m, handle := r.Mask(o.Mask), &o.Args[4]
	var badHandles badHandles
	for first := 0; first < r.St.Lanes; first += 4 {
		need := m >> first & 15
		if need == 0 {
			continue
		}
		r.loadCoords(o, first)
		for need != 0 {
			lane := first + bits.TrailingZeros64(need)
			h := r.Vec(handle)[lane&handle.Wide]
			same := uint64(0)
			for k := range 4 {
				if need>>k&1 != 0 && r.Vec(handle)[(first+k)&handle.Wide] == h {
					same |= 1 << k
				}
			}
			if err := r.sample(o, first, same, uint32(h)); err != nil {
				badHandles.add(same<<first, err)
			}
			need &^= same
		}
	}
	return badHandles.tolerate(r, o)
}

// loadCoords copies the coordinates of a quad's lanes to the runner's quad. Lanes beyond the wave get those of the
// first lane.
func (r *Runner) loadCoords(o *Op, first int) {
	q := &r.calls().quad
	q.Lod = mem.LodKind(o.In.Img.Lod)
	at := func(arg, lane int) float32 {
		p := &o.Args[arg]
		return math.Float32frombits(uint32(r.Vec(p)[lane&p.Wide]))
	}
	for k := range 4 {
		lane := first + k
		if lane >= r.St.Lanes {
			lane = first
		}
		q.Coord[k] = [3]float32{at(0, lane), at(1, lane), at(2, lane)}
		q.W[k] = at(3, lane)
	}
}

// sample reads the texels of the lanes in need, bits of the quad at lane first, from one unit.
func (r *Runner) sample(o *Op, first int, need uint64, handle uint32) error {
	u, err := r.Env.Texture(handle)
	if err != nil {
		return err
	}
	r.quad.Need, r.quad.Reads = uint8(need), r.reads(o, first)
	u.Sample(&r.quad)
	for ; need != 0; need &= need - 1 {
		k := bits.TrailingZeros64(need) & 3
		for i, s := range o.Res {
			r.Slots[s][(first+k)&63] = uint64(r.quad.Texel[k][i])
		}
	}
	return nil
}

// clear sets all lanes of the results to 0.
func (r *Runner) clear(o *Op) {
	for _, s := range o.Res {
		r.Slots[s] = ir.Vec{}
	}
}

// badHandles are the lanes of an op with an invalid handle.
type badHandles struct {
	lanes uint64
	first error // the error of the lowest lane
}

func (l *badHandles) add(lanes uint64, err error) {
	if l.first == nil || bits.TrailingZeros64(lanes) < bits.TrailingZeros64(l.lanes) {
		l.first = err
	}
	l.lanes |= lanes
}

// tolerate is Runner.tolerate for these lanes, which read 0.
func (l *badHandles) tolerate(r *Runner, o *Op) bool {
	return l.lanes == 0 || r.tolerate(o, exec.FaultHandle, l.lanes, func(f *exec.Fault) { f.Err = l.first })
}

// fetch reads one element per lane.
func fetch(r *Runner, o *Op) bool {
	r.clear(o)
	index, handle := &o.Args[0], &o.Args[1]
	space, cursor := r.Env.Space(ir.GlobalSpace, 0), r.cursor(o)
	count := 0 // bytes; not counted if the op faults
	var badHandles badHandles
	bad, first, addrs := uint64(0), (*mem.Fault)(nil), [ir.MaxLanes]uint64{}
	for m := r.Mask(o.Mask); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		s, err := r.Env.Stream(uint32(r.Vec(handle)[lane&handle.Wide]))
		if err != nil {
			badHandles.add(1<<lane, err)
			continue
		}
		t, f := s.Read(space, cursor, uint32(r.Vec(index)[lane&index.Wide]))
		if f != nil {
			if bad |= 1 << lane; first == nil {
				first = f
			}
			addrs[lane] = f.Addr
			continue
		}
		if r.Watch != nil && s.Format != nil {
			index := uint32(r.Vec(index)[lane&index.Wide])
			data, _ := space.At(cursor, s.Place(index), uint64(s.Bytes()), mem.Read) // succeeds, as Read has found the element
			r.report(o, lane, exec.AccessAttribute, &unitMemory, s.Place(index), data)
		}
		for i, slot := range o.Res {
			r.Slots[slot][lane] = uint64(t[i])
		}
		count += s.Bytes()
	}
	if !r.failed(o, &badHandles, bad, first, &addrs) {
		return false
	}
	r.Env.Count.Memory[ir.GlobalSpace].Read += uint64(count)
	return true
}

// failed handles both kinds of failed lanes of a fetch. If the wave stops, the fault is that of the lowest
// of them.
func (r *Runner) failed(o *Op, l *badHandles, bad uint64, first *mem.Fault, addrs *[ir.MaxLanes]uint64) bool {
	memory := func() bool {
		return bad == 0 || r.refused(o, bad, first, func(lane int) uint64 { return addrs[lane] })
	}
	if bits.TrailingZeros64(bad) < bits.TrailingZeros64(l.lanes) {
		return memory() && l.tolerate(r, o)
	}
	return l.tolerate(r, o) && memory()
}
