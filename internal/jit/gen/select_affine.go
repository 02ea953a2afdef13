package gen

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Affine accesses. Most addresses are sums of a register per lane, uniform registers and constants. If the register is
// affine, that is, if lanes hold consecutive multiples of a number, the address of one lane tells those of all. Such a
// block has two plans. The fast one runs if all its affine accesses are found, on entry, to be of consecutive lanes
// (or of one address) and within the segments that they went to before: they are steps of loops then, plain moves of
// vectors, and what only served to compute their addresses has no code. Otherwise the other plan runs, which assumes
// nothing.

// An affineAccess is an access of the fast plan that is checked on entry.
type affineAccess struct {
	step   int
	addr   *address
	stride uint64 // of consecutive lanes in bytes; 0: all lanes have one address
	bound  int    // index of the part of the address that differs between lanes
	guards []*linear
	pinned bool // on the host, too, it is as far from other such accesses as its address from theirs
}

// A root is a row whose lanes hold multiples of a stride on entry, from that of lane 0 on.
type root struct {
	row    lower.Place
	stride uint32
}

// A fastPath is what the fast plan of a block assumes.
type fastPath struct {
	*plan
	accesses []affineAccess
	roots    []root
	logged   []knownProbe
}

// A knownProbe is a probe, of step, that tells the addresses of an access, of step access.
type knownProbe struct {
	step, access int
	addr         *address
}

// A leaf is what uniform code can read on entry: lane 0 of a row, a uniform register, or a word that is loaded then.
type leaf struct {
	cell bool // of the uniform registers
	at   lower.Place
}

// A linear is a value of 32 bits: a number, plus leaves and the number of the lane, each times a factor.
type linear struct {
	add, lane uint32
	terms     []term
}

type term struct {
	leaf
	factor uint32
}

// plus returns x + f*y.
func (x *linear) plus(y *linear, f uint32) *linear {
	z := &linear{x.add + f*y.add, x.lane + f*y.lane, slices.Clone(x.terms)}
	for _, t := range y.terms {
		if i := slices.IndexFunc(z.terms, func(u term) bool { return u.leaf == t.leaf }); i >= 0 {
			z.terms[i].factor += f * t.factor
		} else {
			z.terms = append(z.terms, term{t.leaf, f * t.factor})
		}
	}
	return z
}

// rows returns the rows among the leaves.
func (x *linear) rows() (list []term) {
	for _, t := range x.terms {
		if !t.cell && t.at.Kind == lower.InRow && t.factor != 0 {
			list = append(list, t)
		}
	}
	return list
}

func (x *linear) varies() bool { return x.lane != 0 || len(x.rows()) > 0 }

func (x *linear) equal(y *linear) bool {
	return x.add == y.add && x.lane == y.lane && slices.Equal(x.terms, y.terms)
}

// An address is the sum of extended values of 32 bits, a value that counts from bit 32 on, and a number.
type address struct {
	parts []part
	high  *linear
	add   uint64
	upper *symbol // its upper half, if that is a value of its own
}

// A part is a value that is extended to 64 bits and shifted.
type part struct {
	value  *linear
	signed bool
	shift  uint8
}

func (x part) equal(y part) bool {
	return x.signed == y.signed && x.shift == y.shift && x.value.equal(y.value)
}

// sameBut reports whether two addresses differ by a number at most.
func (x *address) sameBut(y *address) bool {
	return x.high.equal(y.high) && slices.EqualFunc(x.parts, y.parts, part.equal)
}

// plus returns the sum of two addresses.
func (x *address) plus(y *address) *address {
	return &address{parts: slices.Concat(x.parts, y.parts), high: x.high.plus(y.high, 1), add: x.add + y.add}
}

// extended is the address of a value that is extended.
func extended(v *linear, signed bool) *address {
	if !v.varies() && len(v.terms) == 0 {
		if signed {
			return &address{high: &linear{}, add: uint64(int64(int32(v.add)))}
		}
		return &address{high: &linear{}, add: uint64(v.add)}
	}
	return &address{parts: []part{{v, signed, 0}}, high: &linear{}}
}

// shifted returns the address times a power of two.
func (x *address) shifted(n uint8) *address {
	y := &address{high: (&linear{}).plus(x.high, 1<<n), add: x.add << n}
	for _, p := range x.parts {
		p.shift += n
		y.parts = append(y.parts, p)
	}
	return y
}

// isShifted reports whether a part of the address is shifted.
func (x *address) isShifted() bool {
	return slices.ContainsFunc(x.parts, func(p part) bool { return p.shift > 0 })
}

// low is the lower half as a value.
func (x *address) low() *linear {
	v := &linear{add: uint32(x.add)}
	for _, p := range x.parts {
		v = v.plus(p.value, 1<<p.shift)
	}
	return v
}

// A symbol is what is known of a value; of the zero symbol nothing is.
type symbol struct {
	value  *linear  // of 32 bits
	wide   *address // of 64 bits, or that of which this is a half
	upper  bool     // this is the upper half of it
	carry  *carry   // of a sum: this is a condition
	signs  *linear  // this is the sign of it, in all bits
	window *window
}

// A carry is that of the sum of two values.
type carry struct{ x, y, sum *symbol }

// A window is a condition that implies that the upper half of an address equals a word.
type window struct {
	upper *symbol
	is    *linear
}

// An expected window is the mask of a guard, which has no lane.
type expected struct {
	*window
	step int
}

// An affinity finds affine accesses.
type affinity struct {
	*selector
	symbols map[lower.Place]*symbol
	cells   map[int32]*symbol
	windows []expected
	found   []affineAccess
	probes  []knownProbe
}

// affineAccesses finds the affine accesses, and the guards that follow from them.
func (k *selector) affineAccesses() (f fastPath, guards []int) {
	x := &affinity{selector: k, symbols: map[lower.Place]*symbol{}, cells: map[int32]*symbol{}}
	if !slices.ContainsFunc(k.b.Steps, func(s lower.Step) bool { return k.mayBeAffine(&s) && s.TransferKind.Do != lower.CheckOnly }) {
		return f, nil
	}
	for i := range k.b.Steps {
		if k.choices[i].form == formCaller || writesUnnamed(&k.b.Steps[i]) { // it may change any register
			break
		}
		x.step(i)
	}
	for _, a := range x.found {
		s := &k.b.Steps[a.step]
		roots, ok := a.assume(f.roots, s.Access.Bytes)
		if ok && (a.stride != 0 || s.TransferKind.Do == lower.CheckOnly || s.TransferKind.Do == lower.LoadElems && s.TransferKind.Bytes == 4) {
			f.roots, f.accesses = roots, append(f.accesses, a)
		}
	}
	for _, l := range x.probes {
		at := slices.IndexFunc(f.accesses, func(a affineAccess) bool {
			return k.b.Steps[a.step].TransferKind.Do != lower.CheckOnly && a.addr.add == l.addr.add && a.addr.sameBut(l.addr)
		})
		if at >= 0 {
			f.logged = append(f.logged, knownProbe{step: l.step, access: f.accesses[at].step})
		}
	}
	for _, e := range x.windows {
		at := slices.IndexFunc(f.accesses, func(a affineAccess) bool { return a.addr.upper == e.upper })
		if at >= 0 {
			f.accesses[at].guards = append(f.accesses[at].guards, e.is)
			guards = append(guards, e.step)
		}
	}
	return f, guards
}

// mayBeAffine reports whether there is code for the access by affine addresses.
func (k *selector) mayBeAffine(s *lower.Step) bool {
	if s.Kind != lower.MemoryAccess || s.Site == 0 || s.Mask.Kind == 0 || s.Access.Bytes%s.Align != 0 {
		return false
	}
	t := s.TransferKind
	switch t.Do {
	case lower.CheckOnly:
		return true
	case lower.LoadElems:
		return s.Count == 1 && !t.Wide
	case lower.StoreElems:
		return s.Count == 1 && !t.Wide && t.Bytes == 4
	}
	return false
}

// assume finds out what the access assumes of rows on entry, besides what others assume; false if there is no such
// assumption. If one part of the address has a row, or the number of the lane, that one has the stride.
func (a *affineAccess) assume(roots []root, bytes uint64) (list []root, ok bool) {
	list, a.bound = slices.Clone(roots), -1
	for i, p := range a.addr.parts {
		if p.value.varies() {
			if a.bound >= 0 {
				return nil, false
			}
			a.bound = i
		}
	}
	need := func(row lower.Place, stride uint32) bool {
		i := slices.IndexFunc(list, func(r root) bool { return r.row == row })
		if i < 0 {
			list = append(list, root{row, stride})
			return true
		}
		return list[i].stride == stride
	}
	for _, t := range a.addr.high.rows() {
		if !need(t.at, 0) {
			return nil, false
		}
	}
	if a.addr.high.lane != 0 {
		return nil, false
	}
	if a.bound < 0 {
		return list, true
	}
	p := a.addr.parts[a.bound]
	a.stride = bytes
	left := int64(bytes>>p.shift) - int64(p.value.lane)
	rows := p.value.rows()
	switch {
	case bytes>>p.shift<<p.shift != bytes || len(rows) > 1 || len(rows) == 0 && left != 0:
		return nil, false
	case len(rows) == 1 && (left < 0 || left%int64(rows[0].factor) != 0):
		return nil, false
	case len(rows) == 1:
		return list, need(rows[0].at, uint32(left/int64(rows[0].factor)))
	}
	return list, true
}

// of returns what is known of the value at a place. Rows that no step has made hold what they hold on entry.
func (x *affinity) of(p lower.Place) *symbol {
	s, ok := x.symbols[p]
	if ok {
		return s
	}
	n, number := x.number(p)
	switch {
	case number:
		s = &symbol{value: &linear{add: uint32(n)}, wide: &address{high: &linear{}, add: n}}
	case p.Kind == lower.InRow && p.At == ^int32(lower.LaneRow):
		s = &symbol{value: &linear{lane: 1}}
	case p.Kind == lower.InRow:
		s = &symbol{value: &linear{terms: []term{{leaf{at: p}, 1}}}}
	default:
		s = &symbol{}
	}
	x.symbols[p] = s
	return s
}

// step derives what is known of the results of step i.
func (x *affinity) step(i int) {
	s := &x.b.Steps[i]
	var res [2]*symbol
	switch s.Kind {
	case lower.CopyRow:
		res[0] = x.of(s.Args[0])
	case lower.SetRow:
		if s.Mask.Kind == 0 || s.MayWriteAll {
			res[0] = x.of(s.Args[0])
		}
	case lower.GetWord:
		if res[0] = x.cells[s.Cell]; res[0] == nil {
			res[0] = &symbol{value: &linear{terms: []term{{leaf{true, lower.Place{At: s.Cell}}, 1}}}}
			x.cells[s.Cell] = res[0]
		}
	case lower.SetWord:
		x.cells[s.Cell] = x.of(s.Args[0])
	case lower.Compute:
		res = x.compute(s)
	case lower.MemoryAccess:
		x.access(i, s)
		if s.Hoistable && !s.Broadcast && s.TransferKind.Bytes == 4 {
			for _, p := range s.Res {
				x.symbols[p] = &symbol{value: &linear{terms: []term{{leaf{at: p}, 1}}}}
			}
			return
		}
	case lower.Fallback:
		if x.choices[i].form == formLogged {
			if addr := x.address(s.Args[0], s.Args[0].Kind); addr != nil {
				x.probes = append(x.probes, knownProbe{step: i, addr: addr})
			}
		}
	case lower.Expect:
		if w := x.of(s.Mask).window; w != nil {
			x.windows = append(x.windows, expected{w, i})
		}
	}
	for n, p := range s.Res {
		if x.symbols[p] = new(symbol); n < len(res) && res[n] != nil {
			x.symbols[p] = res[n]
		}
	}
}

// access adds an access if its address is known.
func (x *affinity) access(i int, s *lower.Step) {
	if !x.mayBeAffine(s) {
		return
	}
	at := s.Args[0]
	if s.Uniform.Kind != 0 {
		at = s.Uniform
	}
	if addr := x.address(at, s.Args[0].Kind); addr != nil {
		x.found = append(x.found, affineAccess{step: i, addr: addr})
	}
}

// address returns the address in lanes of a kind of place, which is at a place that may be uniform; nil: it is not
// known.
func (x *affinity) address(at lower.Place, kind lower.Kind) *address {
	switch v := x.of(at); {
	case kind == lower.InRow && v.value != nil:
		return extended(v.value, false)
	case kind == lower.InVec:
		return v.wide
	}
	return nil
}

// compute returns what is known of the results of an op.
func (x *affinity) compute(s *lower.Step) (res [2]*symbol) {
	arg := func(i int) *symbol { return x.of(s.Args[i]) }
	switch {
	case s.Type == ir.I1 || s.Op == ir.Eq:
		res[0] = x.condition(s)
	case s.Op == ir.AddC && s.Type == ir.I32:
		sum := x.sum(s)
		res = [2]*symbol{sum, {carry: &carry{arg(0), arg(1), sum}}}
	case s.Op == ir.Pack && s.Type == ir.I64 && s.From == ir.I32:
		res[0] = &symbol{wide: packed(arg(0), arg(1))}
	case s.Op == ir.Unpack && s.From == ir.I64 && s.Type == ir.I32:
		if w := arg(0).wide; w != nil {
			res = [2]*symbol{{value: w.low(), wide: w}, {wide: w, upper: true}}
			w.upper = res[1]
		}
	case s.Op == ir.Trunc && s.From == ir.I64 && s.Type == ir.I32:
		if w := arg(0).wide; w != nil {
			res[0] = &symbol{value: w.low(), wide: w}
		}
	case (s.Op == ir.ZExt || s.Op == ir.SExt) && s.From == ir.I32 && s.Type == ir.I64:
		if v := arg(0).value; v != nil {
			res[0] = &symbol{wide: extended(v, s.Op == ir.SExt)}
		}
	case s.Op == ir.FShr && s.Type == ir.I32:
		res[0] = x.funnel(s)
	case s.Type == ir.I32:
		res[0] = x.compute32(s)
	case s.Type == ir.I64:
		res[0] = x.compute64(s)
	}
	return res
}

// funnel returns what is known of a funnel shift: it may be the upper half of an address that is shifted.
func (x *affinity) funnel(s *lower.Step) *symbol {
	n, known := x.number(s.Args[2])
	w := packed(x.of(s.Args[1]), x.of(s.Args[0]))
	if n %= 32; !known || n == 0 || w == nil || w.isShifted() {
		return nil
	}
	w = w.shifted(uint8(32 - n))
	w.upper = &symbol{wide: w, upper: true}
	return w.upper
}

// condition returns what is known of an op on conditions, or a comparison.
func (x *affinity) condition(s *lower.Step) *symbol {
	switch {
	case s.Op == ir.And && s.From == ir.I1:
		for _, p := range s.Args { // some of these lanes
			if c := x.of(p); c.window != nil {
				return c
			}
		}
	case s.Op == ir.Eq && s.From == ir.I32:
		for i := range 2 {
			if v := x.of(s.Args[i]).value; v != nil && s.Args[i].Kind == lower.InWord {
				return &symbol{window: &window{x.of(s.Args[1-i]), v}}
			}
		}
	}
	return nil
}

// sum returns what is known of a sum with carry: with that of the lower halves it is the upper half of a sum.
func (x *affinity) sum(s *lower.Step) *symbol {
	a, b, in := x.of(s.Args[0]), x.of(s.Args[1]), x.of(s.Args[2])
	switch n, known := x.number(s.Args[2]); {
	case known && n&1 == 0:
		if a.value != nil && b.value != nil {
			return &symbol{value: a.value.plus(b.value, 1)}
		}
	case in.carry != nil:
		l := in.carry
		u, v := packed(l.x, a), packed(l.y, b)
		if u == nil || v == nil || l.x.wide != a.wide && l.y.wide != b.wide && (l.x.wide == b.wide && b.upper || l.y.wide == a.wide && a.upper) {
			u, v = packed(l.x, b), packed(l.y, a)
		}
		if u != nil && v != nil {
			w := u.plus(v)
			l.sum.wide, l.sum.upper = w, false
			w.upper = &symbol{wide: w, upper: true}
			return w.upper
		}
	}
	return &symbol{}
}

// packed returns the address with two halves; nil if it is not known.
func packed(low, high *symbol) *address {
	var w *address
	switch {
	case high.upper && !low.upper && low.wide == high.wide && high.wide != nil:
		return high.wide
	case high.upper && low.value != nil && low.value.equal(high.wide.low()):
		return high.wide
	case low.value == nil:
		return nil
	case high.signs != nil && high.signs.equal(low.value):
		w = extended(low.value, true)
	case high.value != nil:
		w = extended(low.value, false)
		w.high = high.value
	default:
		return nil
	}
	w.upper = high
	return w
}

// compute32 returns what is known of an op on values of 32 bits.
func (x *affinity) compute32(s *lower.Step) *symbol {
	if len(s.Args) != 2 {
		return nil
	}
	a, b := x.of(s.Args[0]).value, x.of(s.Args[1]).value
	n, known := x.number(s.Args[1])
	switch {
	case a == nil || b == nil:
	case s.Op == ir.IAdd:
		return &symbol{value: a.plus(b, 1)}
	case s.Op == ir.ISub:
		return &symbol{value: a.plus(b, ^uint32(0))}
	case s.Op == ir.Shl && known:
		return &symbol{value: (&linear{}).plus(a, 1<<(n%32))}
	case s.Op == ir.IMul && known:
		return &symbol{value: (&linear{}).plus(a, uint32(n))}
	case s.Op == ir.ShrS && known && n%32 == 31:
		return &symbol{signs: a}
	}
	return nil
}

// compute64 returns what is known of an op on values of 64 bits.
func (x *affinity) compute64(s *lower.Step) *symbol {
	if len(s.Args) != 2 {
		return nil
	}
	a, b := x.of(s.Args[0]).wide, x.of(s.Args[1]).wide
	n, known := x.number(s.Args[1])
	switch {
	case a == nil:
	case s.Op == ir.IAdd && b != nil:
		return &symbol{wide: a.plus(b)}
	case s.Op == ir.Shl && known && n < 32 && !a.isShifted():
		return &symbol{wide: a.shifted(uint8(n))}
	}
	return nil
}
