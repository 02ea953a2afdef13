package portable

import (
	"encoding/binary"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// Accesses whose lanes all fall into one segment are executed here. All others (devices, faults) are restarted by
// package lanewise: nothing has been written by then.

// An access is the data of a load or store.
type access struct {
	mem      ir.Mem
	cursor   int // its index among the form's cursors
	sign     int // the sign bit of an element that is sign-extended
	ones     uint64
	transfer lower.TransferKind
	want     mem.Rights
	hoisted  bool  // machine code executes it before all steps
	silent   bool  // ir.Mem.Silent: it is not counted
	site     int32 // the first of the form's words that cache the segment; 0: none
}

// onMemory builds a per-lane load or store, or a uniform load.
func (p *binder) onMemory(s *lower.Step, o *op, args []lower.Place) bool {
	in := s.Inst
	if in.Op != ir.Load && in.Op != ir.Store && in.Op != ir.Check && in.Op != ir.AtomicRMW || in.Mem.Space == ir.PrivateSpace {
		return false
	}
	p.generic(s, o, args, s.Res)
	x := &o.more.access
	*x = access{mem: in.Mem, cursor: p.c.cursors, sign: 8*int(in.Mem.Elem) - 1, transfer: s.TransferKind, want: rightsOf(in), site: s.Site, hoisted: s.Hoistable, silent: in.Mem.Silent()}
	p.c.cursors++
	if in.Mem.Signed {
		x.ones = (1<<in.Type.Bits() - 1) &^ (1<<(8*in.Mem.Elem) - 1)
	}
	if in.Op == ir.AtomicRMW {
		x.mem.Align = max(x.mem.Align, x.mem.Elem)
	}
	switch {
	case in.Op == ir.Load && o.mask.Kind == 0:
		o.run = loadWords
	case in.Op == ir.Load:
		o.run = load
	case in.Op == ir.Check && o.mask.Kind != 0:
		o.run = check
	case in.Op == ir.Store && o.mask.Kind != 0:
		o.run = store
	case in.Op == ir.AtomicRMW && o.mask.Kind != 0:
		o.run = atomicRMW
	}
	return true
}

// rightsOf returns the rights that an access needs.
func rightsOf(in *ir.Inst) mem.Rights {
	switch {
	case in.Op == ir.AtomicRMW:
		return mem.ReadWrite
	case in.Op == ir.Store, in.Op == ir.Check && in.Imm != 0:
		return mem.Write
	}
	return mem.Read
}

// A reach is the bytes that the lanes of an access fall into.
type reach struct {
	data []byte
	n    int // lanes
	lane [ir.MaxLanes]uint8
	off  [ir.MaxLanes]uint64 // offsets in data, by index of lane
	run  bool                // the lanes are 0 to n-1 and consecutive in memory
}

// segment returns the segment at an address as the code computes it: its first address, and its data, nil if there is
// none.
func (r *runner) segment(x *access, addr uint64, want mem.Rights) (base uint64, data []byte) {
	space, bank, delta := x.mem.Space, x.mem.Bank, uint64(0)
	if space == ir.FlatSpace {
		w := r.env.Span(bank, addr)
		r.reached = w.Space
		if w.Space == ir.PrivateSpace {
			return 0, nil
		}
		space, bank, delta = w.Space, w.Bank, w.Base-w.Offset
		if delta&(uint64(max(x.mem.Align, 1))-1) != 0 { // an address that is aligned there is not aligned here
			return 0, nil
		}
		base, data = r.env.Space(space, bank).Around(&r.cursors[x.cursor], addr-delta, want)
		if base+delta < w.Base { // the part of the segment outside of the window
			return 0, nil
		}
		if size := w.Base + w.Size - (base + delta); uint64(len(data)) > size && size != 0 {
			data = data[:size]
		}
	} else {
		base, data = r.env.Space(space, bank).Around(&r.cursors[x.cursor], addr, want)
	}
	if x.site != 0 {
		r.cacheSegment(x, space, bank, base+delta, delta, data, want)
	}
	return base + delta, data
}

// locate finds the bytes of the lanes of m; false if they do not all fall into one segment, or are misaligned.
func (r *runner) locate(x *extra, m uint64, want mem.Rights) bool {
	to, a := &r.reach, &x.access
	p := x.args[0]
	first := bits.TrailingZeros64(m) & 63
	base, data := r.segment(a, r.address(p, first), want)
	size := uint64(a.mem.Bytes())
	if uint64(len(data)) < size {
		return false
	}
	to.data, to.run = data, false
	switch {
	case p.Kind == lower.InWord:
		to.same(r.words[p.At]-base, m)
	case m != r.full:
		to.some(r, p, base, m)
	case p.Kind == lower.InVec:
		to.all(&r.vecs[p.At], base, r.st.Lanes, size)
	default:
		to.allRow(r.row(p.At), base, r.st.Lanes, size)
	}
	worst, low := uint64(0), uint64(0)
	if to.run {
		worst, low = to.off[0]+uint64(to.n-1)*size, to.off[0]|size
		if worst < to.off[0] {
			return false
		}
	} else {
		for _, off := range to.off[:to.n] {
			worst = max(worst, off)
			low |= off
		}
	}
	if worst > uint64(len(data))-size {
		return false
	}
	align := uint64(max(a.mem.Align, 1))
	return align == 1 || (base|low)&(align-1) == 0 || r.aligned(base, align)
}

// aligned reports whether the addresses of all lanes are multiples of align, a power of two.
func (r *runner) aligned(base, align uint64) bool {
	to, off := &r.reach, uint64(0)
	for _, at := range to.off[:to.n] {
		off |= base + at
	}
	return off&(align-1) == 0
}

// address returns that of a lane.
func (r *runner) address(p lower.Place, lane int) uint64 {
	switch p.Kind {
	case lower.InVec:
		return r.vecs[p.At][lane&63]
	case lower.InRow:
		return uint64(r.row(p.At)[lane&63])
	}
	return r.words[p.At]
}

// same is for lanes that all have the same address.
func (to *reach) same(off, m uint64) {
	to.n = 0
	for ; m != 0; m &= m - 1 {
		to.lane[to.n&63], to.off[to.n&63] = uint8(bits.TrailingZeros64(m)), off
		to.n++
	}
}

// some is for some of the lanes.
func (to *reach) some(r *runner, p lower.Place, base, m uint64) {
	to.n = 0
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		to.lane[to.n&63], to.off[to.n&63] = uint8(lane), r.address(p, lane)-base
		to.n++
	}
}

// all is for all lanes, with 64-bit addresses.
func (to *reach) all(v *ir.Vec, base uint64, lanes int, size uint64) {
	to.n = lanes
	next, apart := v[0]-base, uint64(0)
	for i := range lanes {
		off := v[i&63] - base
		to.lane[i&63], to.off[i&63] = uint8(i), off
		apart |= off ^ next
		next += size
	}
	to.run = apart == 0
}

// allRow is for all lanes, with addresses of up to 32 bits.
func (to *reach) allRow(v *row, base uint64, lanes int, size uint64) {
	to.n = lanes
	next, apart := uint64(v[0])-base, uint64(0)
	for i := range lanes {
		off := uint64(v[i&63]) - base
		to.lane[i&63], to.off[i&63] = uint8(i), off
		apart |= off ^ next
		next += size
	}
	to.run = apart == 0
}

// touch records which memory the lanes access, if footprints are recorded.
func (r *runner) touch(x *access, m uint64, want mem.Rights) {
	to, size := &r.reach, uint64(x.mem.Bytes())
	if !r.mustRecord(to.data, want) {
		return
	}
	for i := range to.n {
		off := to.off[i&63]
		r.lanesAt[to.lane[i&63]&63] = to.data[off : off+size]
	}
	r.env.Footprint.Touch(&r.lanesAt, m, want)
}

// mustRecord reports whether accesses to a segment with that data must be recorded.
func (r *runner) mustRecord(data []byte, want mem.Rights) bool {
	table, ok := r.table(data, want)
	return !ok || table != nil
}

// touchOne records a uniform load at an offset.
func (r *runner) touchOne(x *access, data []byte, off uint64) {
	to := &r.reach
	to.data, to.n, to.lane[0], to.off[0] = data, 1, 0, off
	r.touch(x, 1, mem.Read)
}

// countRead and countWritten count the bytes of an access by n lanes, after segment.
func (r *runner) countRead(a *access, n int) { r.traffic(a).Read += uint64(n) * uint64(a.mem.Bytes()) }

func (r *runner) countWritten(a *access, n int) {
	r.traffic(a).Written += uint64(n) * uint64(a.mem.Bytes())
}

// traffic returns what counts an access, after segment.
func (r *runner) traffic(a *access) *exec.Traffic {
	switch {
	case a.silent:
		return &r.uncounted
	case a.mem.Space == ir.FlatSpace:
		return &r.env.Count.Memory[r.reached]
	}
	return &r.env.Count.Memory[a.mem.Space]
}

func load(r *runner, o *op) bool {
	m, x := r.mask(o.mask), o.more
	a := &x.access
	if r.transfer(x, m, mem.Read) {
		r.countRead(a, bits.OnesCount64(m))
		return true
	}
	if r.loadOne(x, m) {
		return true
	}
	if m != 0 && !r.locate(x, m, mem.Read) {
		return runGeneric(r, o)
	}
	if m != r.full { // results may be in registers: nothing was written while the load could fail
		for _, pl := range x.res {
			if pl.Kind == lower.InVec {
				clear(r.vecs[pl.At][:r.n])
			} else {
				clear(r.row(pl.At)[:r.n])
			}
		}
	}
	if m == 0 {
		return true
	}
	r.touch(a, m, mem.Read)
	elem := int(a.mem.Elem)
	for i, pl := range x.res {
		switch {
		case pl.Kind == lower.InVec:
			r.gatherVec(&r.vecs[pl.At], a, i*elem)
		case elem != 4:
			r.gather(r.row(pl.At), a, i*elem)
		case r.reach.run && len(x.res) == 1:
			r.loadRun(r.row(pl.At))
		default:
			r.gather4(r.row(pl.At), uint64(i*4))
		}
	}
	r.countRead(a, r.reach.n)
	return true
}

// loadOne loads words that are the same for all lanes of m; false if they are not, or if the access may fault.
func (r *runner) loadOne(x *extra, m uint64) bool {
	a, p := &x.access, x.args[0]
	if p.Kind != lower.InWord || a.mem.Elem != 4 || m == 0 || x.res[0].Kind != lower.InRow {
		return false
	}
	addr, size := r.words[p.At], uint64(a.mem.Bytes())
	base, data := r.segment(a, addr, mem.Read)
	off := addr - base
	if n := uint64(len(data)); n < size || off > n-size || addr&(uint64(max(a.mem.Align, 1))-1) != 0 {
		return false
	}
	r.touchOne(a, data, off)
	for i, pl := range x.res {
		d, w := r.row(pl.At), binary.LittleEndian.Uint32(data[off+uint64(4*i):])
		fill(d, w, r.n)
		for rest := r.full &^ m; rest != 0; rest &= rest - 1 {
			d[bits.TrailingZeros64(rest)&63] = 0
		}
	}
	r.countRead(a, bits.OnesCount64(m))
	return true
}

// loadRun loads words of lanes that are consecutive in memory.
func (r *runner) loadRun(d *row) {
	to := &r.reach
	w := to.data[to.off[0] : to.off[0]+uint64(4*to.n)]
	for i := 0; i < to.n && 4*i+4 <= len(w); i++ {
		d[i&63] = binary.LittleEndian.Uint32(w[4*i:])
	}
}

// gather4 loads the word at an offset in each lane's access.
func (r *runner) gather4(d *row, at uint64) {
	to := &r.reach
	data := to.data[at:]
	for i := range to.n {
		off := to.off[i&63]
		d[to.lane[i&63]&63] = binary.LittleEndian.Uint32(data[off : off+4])
	}
}

// gather loads elements of other sizes into a row.
func (r *runner) gather(d *row, x *access, at int) {
	to, elem := &r.reach, uint64(x.mem.Elem)
	for i := range to.n {
		off := to.off[i&63] + uint64(at)
		v := mem.Load(to.data[off : off+elem])
		d[to.lane[i&63]&63] = uint32(v | -(v>>(x.sign&63)&1)&x.ones)
	}
}

// gatherVec loads elements into a vector.
func (r *runner) gatherVec(d *ir.Vec, x *access, at int) {
	to, elem := &r.reach, uint64(x.mem.Elem)
	for i := range to.n {
		off := to.off[i&63] + uint64(at)
		v := mem.Load(to.data[off : off+elem])
		d[to.lane[i&63]&63] = v | -(v>>(x.sign&63)&1)&x.ones
	}
}

// loadWords is a uniform load.
func loadWords(r *runner, o *op) bool {
	x := o.more
	a, addr := &x.access, r.words[x.args[0].At]
	base, data := r.segment(a, addr, mem.Read)
	off, size := addr-base, uint64(a.mem.Bytes())
	if uint64(len(data)) < size || off > uint64(len(data))-size || addr&(uint64(max(a.mem.Align, 1))-1) != 0 {
		return runGeneric(r, o)
	}
	r.touchOne(a, data, off)
	elem := uint64(a.mem.Elem)
	for i, pl := range x.res {
		at := off + uint64(i)*elem
		v := mem.Load(data[at : at+elem])
		r.words[pl.At] = v | -(v>>(a.sign&63)&1)&a.ones
	}
	r.countRead(a, 1)
	return true
}

// check accesses nothing. Under a policy that continues after faults the access itself finds the faulting lanes.
func check(r *runner, o *op) bool {
	m := r.mask(o.mask)
	if m == 0 || r.env.Policy != exec.TrapFaults {
		return true
	}
	want := mem.Read
	if o.imm != 0 {
		want = mem.Write
	}
	return r.transfer(o.more, m, want) || r.locate(o.more, m, want) || runGeneric(r, o)
}

// store writes lane by lane: if two lanes write one byte, the higher lane's value remains.
func store(r *runner, o *op) bool {
	m, x := r.mask(o.mask), o.more
	if m == 0 {
		return true
	}
	a := &x.access
	if r.transfer(x, m, mem.Write) {
		r.countWritten(a, bits.OnesCount64(m))
		return true
	}
	if !r.locate(x, m, mem.Write) {
		return runGeneric(r, o)
	}
	r.touch(a, m, mem.Write)
	values := x.args[1 : 1+int(a.mem.Count)]
	if len(values) == 1 && a.mem.Elem == 4 && values[0].Kind == lower.InRow {
		r.scatter4(r.row(values[0].At))
	} else {
		r.scatter(x, values)
	}
	r.countWritten(a, r.reach.n)
	return true
}

// scatter4 stores one word per lane.
func (r *runner) scatter4(v *row) {
	to := &r.reach
	if to.run {
		w := to.data[to.off[0] : to.off[0]+uint64(4*to.n)]
		for i := 0; i < to.n && 4*i+4 <= len(w); i++ {
			binary.LittleEndian.PutUint32(w[4*i:], v[i&63])
		}
		return
	}
	for i := range to.n {
		off := to.off[i&63]
		binary.LittleEndian.PutUint32(to.data[off:off+4], v[to.lane[i&63]&63])
	}
}

// scatter stores any elements.
func (r *runner) scatter(x *extra, values []lower.Place) {
	to, elem := &r.reach, uint64(x.access.mem.Elem)
	for i := range to.n {
		lane, off := int(to.lane[i&63]&63), to.off[i&63]
		for k := range values {
			at := off + uint64(k)*elem
			mem.Store(to.data[at:at+elem], r.value(values[k], lane))
		}
	}
}

// value returns a value in a lane; for a condition, 0 or 1.
func (r *runner) value(p lower.Place, lane int) uint64 {
	if p.Kind == lower.InMask {
		return r.words[p.At] >> lane & 1
	}
	return r.address(p, lane)
}
