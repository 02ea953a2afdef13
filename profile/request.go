package profile

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A request is the ops by which an instruction accesses a space of memory in one way: loads of four words, say, each
// with an address and a mask of its own. What is one access of the instruction counts as one.
type request struct {
	requestKey
	place int  // the op before which all addresses and masks are there
	sized bool // of a texel, whose size says which units are accessed
	units []unit
}

// A requestKey is what ops of one request have in common.
type requestKey struct {
	how    How
	space  ir.SpaceID
	masked bool    // else it is one of the wave as a whole
	of     bool    // a descriptor
	t      ir.Type // of addresses
}

// A unit is ops with one mask, and addresses at known distances.
type unit struct {
	base  ir.Val
	first uint64 // bytes from base to addr
	addr  ir.Val // the lowest
	mask  ir.Val
	spans []span // from addr, in order
}

// A span is neighbouring bytes that a lane accesses, from an address on.
type span struct{ at, size uint64 }

// Bounds of a request: addresses of its probe, bytes and spans of a lane.
const (
	maxUnits = ir.MaxComponents
	maxBytes = 8 * 16
	maxSpans = 16
)

// requestsOf returns the requests of a mark, in the order of their first ops.
func requestsOf(b *ir.Block, mark int) (list []*request) {
	lo, hi := b.MarkOps(mark)
	var from origins
	for i := lo; i < hi; i++ {
		in := &b.Ops[i]
		if !isAccess(in) {
			continue
		}
		if from == nil {
			from = originsOf(b)
		}
		mask, masked := b.Mask(in)
		key := requestKey{howOf(in.Op), in.Mem.Space, masked, in.Mem.Load&ir.OfDescriptor != 0, b.Vals[in.Args[0]].Type}
		u := unit{addr: in.Args[0], mask: mask, spans: []span{{0, uint64(in.Mem.Bytes())}}}
		u.base, u.first = from.origin(b, u.addr)
		if !slices.ContainsFunc(list, func(r *request) bool { return r.requestKey == key && r.take(&u) }) {
			list = append(list, &request{requestKey: key, place: i, units: []unit{u}})
		}
	}
	for _, r := range list {
		if !slices.ContainsFunc(r.units, func(u unit) bool { return u.base != r.units[0].base }) {
			slices.SortFunc(r.units, func(x, y unit) int { return int(int64(x.first - y.first)) })
		}
		for _, u := range r.units {
			r.place = max(r.place, int(from[u.addr])+1)
			base := &b.Ops[from[u.base]]
			r.sized = r.sized || base.Op == ir.Pack && b.Ops[from[base.Args[0]]].Op == ir.Image
			if r.masked {
				r.place = max(r.place, int(from[u.mask])+1)
			}
		}
	}
	return list
}

// isAccess reports whether an op accesses memory for the guest.
func isAccess(in *ir.Inst) bool {
	return (in.Op == ir.Load || in.Op == ir.Store || in.Op == ir.AtomicRMW) && !in.Mem.Silent()
}

func howOf(op ir.Op) How {
	switch op {
	case ir.Store:
		return Stores
	case ir.AtomicRMW:
		return Atomics
	}
	return Loads
}

// take adds an op to the request; false if it is not part of it. Units of a request of several are alike. Flat
// addresses whose distance is not known may be in other spaces, and so are other requests.
func (r *request) take(u *unit) bool {
	bytes, spans := u.spans[0].size, 1
	for i := range r.units {
		for _, s := range r.units[i].spans {
			bytes, spans = bytes+s.size, spans+1
		}
	}
	if r.how == Atomics || bytes > maxBytes || spans > maxSpans {
		return false
	}
	if o := &r.units[0]; len(r.units) == 1 && o.base == u.base && o.mask == u.mask {
		o.join(u)
		return true
	}
	if r.space == ir.FlatSpace || !r.masked || len(r.units) == maxUnits || u.spans[0].size != r.units[0].spans[0].size || len(r.units[0].spans) > 1 {
		return false
	}
	r.units = append(r.units, *u)
	return true
}

// join adds the only span of another unit.
func (u *unit) join(o *unit) {
	far := int64(o.first - u.first)
	if far < 0 {
		for i := range u.spans {
			u.spans[i].at -= uint64(far)
		}
		u.addr, u.first, far = o.addr, o.first, 0
	}
	u.spans = append(u.spans, span{uint64(far), o.spans[0].size})
	u.spans = joined(u.spans)
}

// joined sorts spans, and joins those that are neighbours.
func joined(spans []span) []span {
	slices.SortFunc(spans, func(x, y span) int { return int(int64(x.at - y.at)) })
	whole := spans[:1]
	for _, s := range spans[1:] {
		if last := &whole[len(whole)-1]; last.at+last.size == s.at {
			last.size += s.size
		} else {
			whole = append(whole, s)
		}
	}
	return whole
}

// spans returns those of a lane, from the address of the first unit, if units are next to each other.
func (r *request) spans() (list []span) {
	for i := range r.units {
		for _, s := range r.units[i].spans {
			list = append(list, span{s.at + r.distance(i), s.size})
		}
	}
	return joined(list)
}

// bits returns those of a number that an address has.
func (r *request) bits(n uint64) uint64 { return n << (64 - r.t.Bits()) >> (64 - r.t.Bits()) }

// distance returns how far unit i lies behind the first one of a request whose units are next to each other.
func (r *request) distance(i int) uint64 {
	if r.units[i].base == r.units[0].base {
		return r.units[i].first - r.units[0].first
	}
	return uint64(i) * r.units[0].spans[0].size
}

// origins are the ops that values come from.
type origins []int32

func originsOf(b *ir.Block) origins {
	from := make(origins, len(b.Vals))
	for i := range b.Ops {
		for k := range b.Ops[i].NRes {
			from[b.Ops[i].Res+ir.Val(k)] = int32(i)
		}
	}
	return from
}

// origin returns the value to which a constant is added.
func (o origins) origin(b *ir.Block, v ir.Val) (base ir.Val, off uint64) {
	for {
		in := &b.Ops[o[v]]
		if in.Op != ir.IAdd {
			return o.read(b, v), off
		}
		x, y := in.Args[0], in.Args[1]
		n, ok := o.constant(b, y)
		if !ok {
			x, y = y, x
			if n, ok = o.constant(b, y); !ok {
				return v, off
			}
		}
		if b.Vals[y].Type == ir.I32 {
			n = uint64(int64(int32(n)))
		}
		v, off = x, off+n
	}
}

// read returns the first value of a mark that is read from the register that v is read from.
func (o origins) read(b *ir.Block, v ir.Val) ir.Val {
	in, i := &b.Ops[o[v]], int(o[v])
	if in.Op != ir.Get {
		return v
	}
	mark, _ := slices.BinarySearchFunc(b.Marks, i+1, func(m ir.Mark, i int) int { return cmp.Compare(int(m.Op), i) })
	for lo, _ := b.MarkOps(max(mark-1, 0)); i > lo; {
		i--
		switch x := &b.Ops[i]; {
		case x.Op == ir.Get && x.Cell == in.Cell && x.Type == in.Type:
			v = x.Res
		case x.Op.Info().Class == ir.Reg && x.Op != ir.Get && x.Op != ir.GetX && x.Cell.File == in.Cell.File:
			return v
		}
	}
	return v
}

// constant returns the bits of a value that is a number.
func (o origins) constant(b *ir.Block, v ir.Val) (uint64, bool) {
	in := &b.Ops[o[v]]
	for in.Op == ir.ZExt && b.Vals[in.Args[0]].Type == ir.I32 {
		in = &b.Ops[o[in.Args[0]]]
	}
	return in.Imm, in.Op == ir.Const
}

// Kinds of probes of a request of several units, after that of waves whose units are next to each other in all lanes.
const (
	allAddresses = 1 + iota // of other waves
	onlyFirst               // of waves that access nothing but the first unit
)

// request adds the probes of a request.
func (w *writer) request(s *site, r *request) {
	first := &r.units[0]
	if !r.masked {
		w.probe(s.kind, w.first(), w.Vals[first.addr])
		return
	}
	if len(r.units) == 1 {
		w.probe(s.kind, w.Vals[first.mask], w.Vals[first.addr])
		return
	}
	rest := w.Vals[r.units[1].mask]
	for _, u := range r.units[2:] {
		rest = w.Op(ir.Or, ir.I1, rest, w.Vals[u.mask])
	}
	mask := w.Op(ir.Or, ir.I1, w.Vals[first.mask], rest)
	odd := w.Op(ir.Xor, ir.I1, mask, w.Vals[first.mask])
	for i, u := range r.units[1:] {
		odd = w.Op(ir.Or, ir.I1, odd, w.Op(ir.Xor, ir.I1, mask, w.Vals[u.mask]))
		if u.base != first.base {
			next := w.Op(ir.IAdd, r.t, w.Vals[first.addr], w.Const(r.t, r.bits(r.distance(i+1))))
			odd = w.Op(ir.Or, ir.I1, odd, w.Op(ir.Ne, r.t, w.Vals[u.addr], next))
		}
	}
	some := w.Op(ir.Any, ir.I1, odd, mask)
	w.probe(s.kind, w.Op(ir.And, ir.I1, mask, w.Op(ir.Not, ir.I1, some)), w.Vals[first.addr])
	if r.sized { // a texel of few bytes is the first unit
		more := w.Op(ir.Any, ir.I1, rest, rest)
		w.probe(s.kind+onlyFirst, w.Op(ir.And, ir.I1, mask, w.Op(ir.Not, ir.I1, more)), w.Vals[first.addr])
		some = w.Op(ir.And, ir.I1, some, more)
	}
	args, none := make([]ir.Val, 0, maxUnits), w.Const(r.t, s.none)
	for _, u := range r.units {
		args = append(args, w.Op(ir.Select, r.t, w.Vals[u.mask], w.Vals[u.addr], none))
	}
	w.probe(s.kind+allAddresses, w.Op(ir.And, ir.I1, mask, some), args...)
}

// probe adds a probe of addresses.
func (w *writer) probe(kind uint64, mask ir.Val, addrs ...ir.Val) {
	w.Add(ir.Inst{Op: ir.Probe, Imm: kind, IO: ir.IOAttr{Count: uint8(len(addrs))}, Args: append(addrs, mask)})
}
