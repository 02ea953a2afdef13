package gen

import (
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/code"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
	"github.com/heddle-gpu/heddle/internal/lower"
)

// regLane is the number of the first lane of an iteration, in loops with affine accesses.
var regLane = x86.R13

// fastPath emits the fast plan, if the block has one, and before it the test of what it assumes: otherwise the code
// continues after it.
func (c *compiler) fastPath() {
	f := c.faster
	if f == nil {
		return
	}
	c.begin("fast path")
	whole, exits, other := c.plan, c.exits, c.a.NewLabel()
	c.plan, c.exits = f.plan, nil
	c.early(other)
	(&affineTest{assembly: c.assembly, f: f, other: other}).write()
	c.block()
	c.slowPaths()
	c.plan, c.exits, c.slow = whole, exits, nil
	c.a.Bind(other)
}

// early emits the steps on entry, which continue at other if a guard finds an unlikely case.
func (c *compiler) early(other x86.Label) {
	c.a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
	c.a.Emit(x86.MOV, regS, x86.At(x86.RDI, code.OffS))
	c.words.reset()
	for i := range c.choices {
		if s := &c.b.Steps[i]; c.choices[i].into == onEntry {
			c.at(i)
			if c.choices[i].form != formGuard {
				forms[c.choices[i].form].emit(c, s)
				continue
			}
			c.a.Emit(x86.TEST, c.source(s.Mask, 32), x86.Imm(1))
			c.a.Emit(x86.JNE, x86.To(other))
		}
	}
}

// An affineTest emits the test of what a fast plan assumes.
type affineTest struct {
	*assembly
	f       *fastPath
	other   x86.Label
	aligned uint64 // regSum is a multiple of it
}

// regSum holds the address of lane 0, less the number in it, which is all in which accesses of a group differ.
var regSum = x86.R14

// near reports whether the addresses of two accesses differ by a number alone, of magnitude below 2^29.
func (x *affineAccess) near(y *affineAccess) bool {
	apart := int64(y.addr.add - x.addr.add)
	return x.like(y) && -1<<29 < apart && apart < 1<<29
}

// like reports whether the addresses of two accesses of one stride differ by a number alone.
func (x *affineAccess) like(y *affineAccess) bool {
	return x.stride == y.stride && x.addr.sameBut(y.addr)
}

// Vectors of the test.
const (
	rootDiffer, rootWant, rootStep, rootLanes, rootFree = 0, 1, 2, 3, 4
)

func (c *affineTest) write() {
	a := c.a
	a.Emit(x86.MOV, regWords, x86.At(x86.RDI, code.OffConsts))
	a.Emit(x86.MOV, regV, x86.At(x86.RDI, code.OffV))
	a.Emit(x86.MOV, regRows, x86.At(x86.RDI, code.OffRows))
	a.Emit(x86.MOV, regS, x86.At(x86.RDI, code.OffS))
	c.logRoom()
	c.roots()
	for all := c.f.accesses; len(all) > 0; {
		n := 1
		for n < len(all) && all[0].near(&all[n]) {
			n++
		}
		c.sum(&all[0])
		c.excludeAll(all[:n])
		c.aligned = 1
		for i := range all[:n] {
			c.access(&all[i])
		}
		all = all[n:]
	}
}

// roots emits the test of rows: first of their last lanes, which is cheap, then of all.
func (c *affineTest) roots() {
	a, y := c.a, func(n int) x86.Operand { return x86.Y(n) }
	if len(c.f.roots) == 0 {
		return
	}
	last := int32(c.b.Lanes - 1)
	for _, r := range c.f.roots {
		a.Emit(x86.MOV, x86.R32(rax), c.row(r.row).Plus(4*last))
		a.Emit(x86.SUB, x86.R32(rax), c.row(r.row))
		a.Emit(x86.CMP, x86.R32(rax), x86.Imm(int64(int32(r.stride)*last)))
		a.Emit(x86.JNE, x86.To(c.other))
	}
	a.Emit(x86.VPXOR, y(rootDiffer), y(rootDiffer), y(rootDiffer))
	for _, r := range c.f.roots {
		a.Emit(x86.VPBROADCASTD, y(rootWant), c.row(r.row))
		if r.stride != 0 {
			a.Emit(x86.VPMOVZXBD, y(rootLanes), c.table(laneNumbers8))
			c.broadcast(rootStep, int64(r.stride))
			a.Emit(x86.VPMULLD, y(rootLanes), y(rootLanes), y(rootStep))
			a.Emit(x86.VPADDD, y(rootWant), y(rootWant), y(rootLanes))
			a.Emit(x86.VPSLLD, y(rootStep), y(rootStep), x86.Imm(3))
		}
		for at := int32(0); at < int32(c.b.Lanes); at += 8 {
			a.Emit(x86.VPXOR, y(rootFree), y(rootWant), c.row(r.row).Plus(4*at))
			a.Emit(x86.VPOR, y(rootDiffer), y(rootDiffer), y(rootFree))
			if r.stride != 0 {
				a.Emit(x86.VPADDD, y(rootWant), y(rootWant), y(rootStep))
			}
		}
	}
	a.Emit(x86.VPTEST, y(rootDiffer), y(rootDiffer))
	a.Emit(x86.JNE, x86.To(c.other))
}

// broadcast fills a vector with a number of 32 bits.
func (c *affineTest) broadcast(y int, n int64) {
	c.a.Emit(x86.MOV, x86.R32(rax), x86.Imm(n))
	c.a.Emit(x86.VMOVD, x86.X(y), x86.R32(rax))
	c.a.Emit(x86.VPBROADCASTD, x86.Y(y), x86.X(y))
}

// access emits the test of an access, and keeps the host address of lane 0.
func (c *affineTest) access(x *affineAccess) {
	a, s := c.a, &c.b.Steps[x.step]
	site := func(n int32) x86.Operand { return wordAt(s.Site + n) }
	if s.Recorded && s.TransferKind.Do != lower.CheckOnly {
		a.Emit(x86.CMP, site(lower.SiteMarks).Size(8), x86.Imm(0))
		a.Emit(x86.JNE, x86.To(c.other))
	}
	c.plus(x86.RAX, x.addr.add)
	switch {
	case s.Align <= c.aligned && x.addr.add%s.Align == 0:
	case x.addr.add%s.Align == 0:
		c.aligned = s.Align
		fallthrough
	default:
		a.Emit(x86.TEST, x86.R32(rax), x86.Imm(int64(s.Align-1)))
		a.Emit(x86.JNE, x86.To(c.other))
	}
	a.Emit(x86.MOV, x86.RCX, site(lower.SiteHost))
	a.Emit(x86.TEST, x86.RCX, x86.RCX)
	a.Emit(x86.JE, x86.To(c.other))
	a.Emit(x86.MOV, x86.R10, site(lower.SiteLast))
	a.Emit(x86.SUB, x86.RAX, site(lower.SiteBase))
	a.Emit(x86.CMP, x86.RAX, x86.R10)
	a.Emit(x86.JA, x86.To(c.other))
	if span := c.span(x); span != 0 {
		a.Emit(x86.LEA, x86.R11, x86.At(x86.RAX, span))
		a.Emit(x86.CMP, x86.R11, x86.R10)
		a.Emit(x86.JA, x86.To(c.other))
	}
	if s.TransferKind.Do != lower.CheckOnly {
		a.Emit(x86.ADD, x86.RAX, x86.RCX)
		a.Emit(x86.MOV, site(lower.SiteStart), x86.RAX)
	}
	if x.pinned {
		c.pin(x, s)
	}
}

// pin tests that an access, with the host address in rax, is pinned to the first one of its kind.
func (c *affineTest) pin(x *affineAccess, s *lower.Step) {
	for i := range c.f.accesses {
		y, to := &c.f.accesses[i], &c.b.Steps[c.f.accesses[i].step]
		switch {
		case y == x:
			return
		case y.pinned && x.like(y) && s.Space == to.Space:
			c.a.Emit(x86.SUB, x86.RAX, wordAt(to.Site+lower.SiteStart))
			c.a.Emit(x86.MOV, x86.R11, x86.Imm(int64(x.addr.add-y.addr.add)))
			c.a.Emit(x86.CMP, x86.RAX, x86.R11)
			c.a.Emit(x86.JNE, x86.To(c.other))
			return
		}
	}
}

// span is the distance of the last lane from lane 0.
func (c *affineTest) span(x *affineAccess) int32 { return int32(x.stride) * int32(c.b.Lanes-1) }

// plus adds a number to regSum, in another register.
func (c *affineTest) plus(to x86.Operand, n uint64) {
	if n := int64(n); n == int64(int32(n)) {
		c.a.Emit(x86.LEA, to, x86.At(regSum, int32(n)))
		return
	}
	c.a.Emit(x86.MOV, to, x86.Imm(int64(n)))
	c.a.Emit(x86.ADD, to, regSum)
}

// excludeAll tests the guards of a group of accesses: that neither the lowest of their addresses nor the highest, which
// is less than 32 bits away, has an upper half that is unlikely.
func (c *affineTest) excludeAll(list []affineAccess) {
	var guards []*linear
	first, last := list[0].addr.add, list[0].addr.add
	for i := range list {
		for _, g := range list[i].guards {
			if !slices.ContainsFunc(guards, g.equal) {
				guards = append(guards, g)
			}
		}
		if at := list[i].addr.add; int64(at-first) < 0 {
			first = at
		} else if int64(at-last) > 0 {
			last = at
		}
	}
	if len(guards) == 0 {
		return
	}
	a := c.a
	c.plus(x86.R8, first)
	c.plus(x86.R10, last+uint64(c.span(&list[0])))
	a.Emit(x86.SHR, x86.R8, x86.Imm(32))
	a.Emit(x86.SHR, x86.R10, x86.Imm(32))
	for _, g := range guards {
		c.linear(x86.R32(r12), g)
		a.Emit(x86.CMP, x86.R64(r12), x86.R8)
		a.Emit(x86.JE, x86.To(c.other))
		a.Emit(x86.CMP, x86.R64(r12), x86.R10)
		a.Emit(x86.JE, x86.To(c.other))
	}
}

// sum computes regSum. It leaves the fast path if lanes have other addresses than the part that differs between them
// says: if its extension to 64 bits would wrap between lanes.
func (c *affineTest) sum(x *affineAccess) {
	a := c.a
	c.linear(x86.R32(r14), x.addr.high)
	a.Emit(x86.SHL, regSum, x86.Imm(32))
	for i, p := range x.addr.parts {
		c.linear(x86.R32(rax), p.value)
		if p.signed {
			a.Emit(x86.MOVSXD, x86.RAX, x86.R32(rax))
		}
		if i == x.bound {
			a.Emit(x86.LEA, x86.RCX, x86.At(x86.RAX, c.span(x)>>p.shift))
			if p.signed {
				a.Emit(x86.MOVSXD, x86.R8, x86.R32(rcx))
			} else {
				a.Emit(x86.MOV, x86.R32(8), x86.R32(rcx))
			}
			a.Emit(x86.CMP, x86.R8, x86.RCX)
			a.Emit(x86.JNE, x86.To(c.other))
		}
		if p.shift > 0 {
			a.Emit(x86.SHL, x86.RAX, x86.Imm(int64(p.shift)))
		}
		a.Emit(x86.ADD, regSum, x86.RAX)
	}
}

// linear computes a value of lane 0 in a register other than r11.
func (c *affineTest) linear(to x86.Operand, v *linear) {
	a, first := c.a, true
	for _, t := range v.terms {
		from := c.leaf(t.leaf)
		switch shift := bits.TrailingZeros32(t.factor); {
		case t.factor == 0:
			continue
		case first && t.factor == 1:
			a.Emit(x86.MOV, to, from)
		case t.factor == 1:
			a.Emit(x86.ADD, to, from)
		default:
			d := x86.R32(11)
			if first {
				d = to
			}
			a.Emit(x86.MOV, d, from)
			if t.factor == 1<<shift {
				a.Emit(x86.SHL, d, x86.Imm(int64(shift)))
			} else {
				a.Emit(x86.IMUL, d, d, x86.Imm(int64(int32(t.factor))))
			}
			if !first {
				a.Emit(x86.ADD, to, d)
			}
		}
		first = false
	}
	switch {
	case first:
		a.Emit(x86.MOV, to, x86.Imm(int64(int32(v.add))))
	case v.add != 0:
		a.Emit(x86.ADD, to, x86.Imm(int64(int32(v.add))))
	}
}

// leaf is the operand of a leaf.
func (c *affineTest) leaf(l leaf) x86.Operand {
	switch {
	case l.cell:
		return x86.At(regS, 4*l.at.At).Size(4)
	case l.at.Kind == lower.InRow:
		return c.row(l.at).Size(4)
	}
	return word(l.at).Size(4)
}

// An affineCount is the bytes per lane of affine accesses with a mask, Kind 0 for all lanes, that read or write.
type affineCount struct {
	mask    lower.Place
	counter counter
	bytes   uint64
}

// countAffine adds the bytes of the affine accesses of a segment to the counters.
func (c *compiler) countAffine(g *segment) (any bool) {
	var counts []affineCount
	for i := g.from; i < g.to; i++ {
		s := &c.b.Steps[i]
		if !c.choices[i].isAffine() {
			continue
		}
		if any = true; s.Silent {
			continue
		}
		n := affineCount{counter: counterOf(s, code.OffRead)}
		if s.TransferKind.Do == lower.StoreElems {
			n.counter = counterOf(s, code.OffWritten)
		}
		if !s.Full {
			n.mask = s.Mask
		}
		at := slices.IndexFunc(counts, func(m affineCount) bool { return m.mask == n.mask && m.counter == n.counter })
		if at < 0 {
			counts, at = append(counts, n), len(counts)
		}
		counts[at].bytes += s.Access.Bytes
	}
	for _, n := range counts {
		if n.mask.Kind == 0 {
			c.add(n.counter, x86.Imm(int64(n.bytes*uint64(c.b.Lanes))))
			continue
		}
		c.words.reset()
		c.loadWordMask(rax, n.mask)
		c.countBytes(x86.RAX, n.bytes, n.counter)
	}
	return any
}

// affine emits a load or store of consecutive lanes. Registers are taken first: what has to leave them may go through
// rax.
func (c *compiler) affine(s *lower.Step) {
	bytes := int(s.TransferKind.Bytes)
	guest := x86.At(x86.RAX, 0).Index(regLane, bytes)
	if s.TransferKind.Do == lower.LoadElems {
		op := [...]x86.Op{x86.VMOVUPS, x86.VPMOVZXBD, x86.VPMOVZXWD, x86.VPMOVSXBD, x86.VPMOVSXWD}
		k := bytes % 4
		if s.TransferKind.Signed {
			k += 2
		}
		c.loadActive(s, op[k], guest)
		return
	}
	var active x86.Operand
	if !s.Full {
		active = c.condition(s.Mask)
	}
	v := c.value(s.Args[1])
	if v.InMemory() {
		c.copy(c.scratch(0), v)
		v = c.scratch(0)
	}
	c.a.Emit(x86.MOV, x86.RAX, wordAt(s.Site+lower.SiteStart))
	c.storeActive(s, guest, v, active)
}

// storeActive emits the store of a vector in the active lanes. With AVX2 a store with a mask takes long.
func (c *compiler) storeActive(s *lower.Step, guest, v, active x86.Operand) {
	a, bits := c.a, x86.R32(r12)
	switch {
	case s.Full:
		a.Emit(x86.VMOVUPS, guest, v)
	case c.wide():
		a.Emit(x86.VMOVUPS, guest.Mask(active), v)
	default:
		some, done := a.NewLabel(), a.NewLabel()
		a.Emit(x86.VMOVMSKPS, bits, active)
		a.Emit(x86.CMP, bits, x86.Imm(0xff))
		a.Emit(x86.JNE, x86.To(some))
		a.Emit(x86.VMOVUPS, guest, v)
		a.Emit(x86.JMP, x86.To(done))
		a.Bind(some)
		a.Emit(x86.VMASKMOVPS, guest, active, v)
		a.Bind(done)
	}
}

// loadActive emits the load of a vector, which has 0 in inactive lanes. All lanes are within the segment.
func (c *compiler) loadActive(s *lower.Step, op x86.Op, guest x86.Operand) {
	var active x86.Operand
	if !s.Full {
		active = c.condition(s.Mask)
	}
	a, d, t := c.a, c.result(s), c.scratch(0)
	a.Emit(x86.MOV, x86.RAX, wordAt(s.Site+lower.SiteStart))
	switch {
	case s.Full:
		a.Emit(op, d, guest)
	case c.wide():
		a.Emit(op, d.Zero(active), guest)
	case op == x86.VMOVUPS:
		a.Emit(x86.VMASKMOVPS, d, active, guest)
	default:
		a.Emit(op, d, guest)
		a.Emit(x86.VPSRAD, t, active, x86.Imm(31))
		a.Emit(x86.VPAND, d, d, t)
	}
}

// uniformLoad emits a load of all lanes, or of some, from one address.
func (c *compiler) uniformLoad(s *lower.Step) {
	c.loadActive(s, x86.VBROADCASTSS, x86.At(x86.RAX, 0))
}
