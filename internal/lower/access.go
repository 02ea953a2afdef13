package lower

import (
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// An Access describes a load, a store or a check. Args of its step are the address and the stored values, or the
// operands of an atomic.
type Access struct {
	TransferKind
	Bytes    uint64 // of one lane's access
	Align    uint64 // a power of two that addresses must be multiples of
	Count    int    // elements
	Space    ir.SpaceID
	Bank     uint8
	Site     int32 // index of the words that cache the segment
	Full     bool  // all lanes are active
	Recorded bool  // footprints are recorded: it may have to be marked; see SiteMarks
	Silent   bool  // ir.Mem.Silent: its bytes are not counted
	// Hoistable: a uniform load that may be hoisted before all other steps, since nothing stores to its space.
	Hoistable bool
	// Broadcast: a uniform hoistable load that counts once for each lane of the mask at Args[1], and is executed only
	// if there is one.
	Broadcast bool
	PerLane   []Place // of a broadcast load: rows in which the interpreter may load a value for each lane
	Uniform   Place   // the address, if it is uniform and Args[0] is a broadcast of it; else Kind 0
	// Of an atomic: which one, and whether it need not be locked, since no other wave that reaches the memory runs
	// concurrently.
	Atomic uint8
	NoLock bool
}

// A TransferKind is the part of an access that code for it is specialised for.
type TransferKind struct {
	Do     TransferOp
	Bytes  uint8 // of an element: 1, 2, 4, with Wide also 8
	Wide   bool  // values have 64 bits per lane, not 32
	Signed bool  // loaded elements are narrower than their value, and sign-extended
}

// A TransferOp is what an access does once all lanes are known to be within the segment.
type TransferOp uint8

const (
	NoTransfer TransferOp = iota
	CheckOnly
	LoadElems
	StoreElems
	AtomicElem
)

// TransferElems is the largest number of elements of an access.
const TransferElems = 16

// Words from Access.Site on: the cached segment.
const (
	SiteBase  = iota                 // address of the segment's first byte
	SiteLast                         // the largest offset of an access
	SiteHost                         // address of the first byte on the host; 0: none is cached
	SiteMarks                        // a mem.Table, in which accesses are marked; 0: they need not be
	SiteSpace                        // the offset of its space in exec.Counters.Memory, also of flat addresses
	SitePrev                         // by wave of a group, modulo PrevWaves: its previous address. Machine code may store anything there
	SiteStart = SitePrev + PrevWaves // where machine code keeps the host address of lane 0
	SiteWords = SiteStart + 1
)

// PrevWaves is how many waves of a group SitePrev distinguishes.
const PrevWaves = 16

// The table at SiteMarks: shifts from an offset to the number of its page, and to that of its word. See mem.Table.
const (
	PageShift = mem.PageShift
	WordShift = mem.WordShift
)

// access describes the access of an instruction, if it can be done once all lanes are known to be within a segment. It
// may replace the address.
func (l *lowerer) access(in *ir.Inst, args []Place, mask Place, res []Place) (a Access, ok bool) {
	if in.Mem.Space == ir.PrivateSpace {
		return a, false
	}
	values, typ := res, in.Type
	if in.Op == ir.Store {
		values, typ = args[1:1+int(in.Mem.Count)], l.ir.Vals[in.Args[1]].Type
	}
	a = l.newAccess(in, typ, values)
	switch {
	case in.Op == ir.Load && mask.Kind == 0:
		if a.Do == NoTransfer || slices.ContainsFunc(values, func(v Place) bool { return v.Kind != InWord }) {
			return Access{}, false
		}
		at := args[0]
		a.Hoistable = a.Space == ir.ConstSpace && !a.Recorded && at.Kind == InWord && l.isConst(at.At)
	case mask.Kind == 0 || !a.fits(values):
		return Access{}, false
	default:
		m, masked := l.ir.Mask(in)
		a.Full = masked && l.isFull(m)
		if args[0].Kind == InWord && l.Code > 0 {
			a.Uniform, args[0] = args[0], l.spread(args[0].At, l.ir.Vals[in.Args[0]].Type)
		}
	}
	if l.Code > 0 {
		a.Site = l.newSite()
	}
	return a, true
}

// newAccess returns the description of an access of values of a type, without what depends on its operands.
func (l *lowerer) newAccess(in *ir.Inst, typ ir.Type, values []Place) Access {
	group := in.Mem.Space == ir.GroupSpace
	a := Access{
		TransferKind: kindOf(in, typ), Bytes: uint64(in.Mem.Bytes()), Align: uint64(max(in.Mem.Align, 1)), Count: len(values),
		Space: in.Mem.Space, Bank: in.Mem.Bank, Atomic: in.Mem.Atomic, NoLock: group, Recorded: l.Recorded.records(in.Mem.Space), Silent: in.Mem.Silent(),
	}
	if in.Op == ir.AtomicRMW {
		a.Align = max(a.Align, uint64(in.Mem.Elem))
	}
	return a
}

// kindOf returns the kind of an access of values of a type; NoTransfer if it has none.
func kindOf(in *ir.Inst, typ ir.Type) TransferKind {
	bits, elem := typ.Bits(), in.Mem.Elem
	k := TransferKind{Do: LoadElems, Bytes: elem, Wide: bits > 32, Signed: in.Mem.Signed && bits > 8*int(elem)}
	switch in.Op {
	case ir.Check:
		return TransferKind{Do: CheckOnly, Bytes: 4}
	case ir.Store:
		k.Do, k.Signed = StoreElems, false
	case ir.AtomicRMW:
		k.Do = AtomicElem
	}
	if k.Signed && bits != 32 && bits != 64 {
		return TransferKind{}
	}
	return k
}

// fits reports whether a per-lane access can have its values at these places.
func (k TransferKind) fits(values []Place) bool {
	switch {
	case k.Do == CheckOnly:
		return true
	case k.Do == NoTransfer || len(values) > TransferElems || k.Bytes == 8 && !k.Wide:
		return false
	}
	for _, p := range values {
		switch {
		case p.Kind == InWord && k.Do == StoreElems, p.Kind == InRow && !k.Wide, p.Kind == InVec && k.Wide:
		default:
			return false
		}
	}
	return true
}

// spread returns where a word is broadcast to all lanes, for accesses, whose lanes have an address each.
func (l *lowerer) spread(word int32, typ ir.Type) Place {
	to, ok := l.spreads[word]
	if ok {
		return to
	}
	from := Place{InWord, word}
	if typ.Bits() > 32 {
		to = Place{InVec, l.newVec()}
		s := l.made(Compute, l.list(from, from), l.list(to))
		s.Op, s.Type, s.From = ir.Or, ir.I64, ir.I64
	} else {
		to = Place{InRow, l.newRow()}
		l.made(CopyRow, l.list(from), l.list(to))
	}
	if l.spreads == nil {
		l.spreads = map[int32]Place{}
	}
	l.spreads[word] = to
	return to
}

// broadcast adds the step of a load of words from the constant space at an address that the code names, which gives all
// lanes the same value: a uniform load, whose result is 0 in lanes outside of the mask. It returns false if that is not
// possible; the load then is one per lane.
func (l *lowerer) broadcast(in *ir.Inst) bool {
	mask, masked := l.ir.Mask(in)
	if l.Code == 0 || l.Recorded != NotRecorded || !l.Likely || !masked || len(in.Args) != 2 || in.Mem.Space != ir.ConstSpace || in.Mem.Elem != 4 ||
		in.Type.Bits() != 32 {
		return false
	}
	addr, m := l.at(in.Args[0]), l.at(mask)
	if addr.Kind != InWord || !l.isConst(addr.At) || m.Kind != InMask || l.ir.Vals[in.Res].Wave {
		return false
	}
	words, rows := l.newList(int(in.NRes)), l.newList(int(in.NRes))
	for k := range words {
		words[k], rows[k] = Place{InWord, l.newWord(0)}, Place{InRow, l.newRow()}
	}
	a := l.newAccess(in, in.Type, words)
	a.Site, a.Hoistable, a.Broadcast, a.PerLane = l.newSite(), true, true, rows
	l.push(MemoryAccess, in, l.list(addr, m), Place{}, words).Access = a
	for _, row := range rows {
		l.give(row)
	}
	for k, w := range words {
		v := in.Res + ir.Val(k)
		if l.places[v] = w; !l.isFull(mask) && l.last[v] >= 0 {
			l.places[v] = l.inLanes(mask, w)
		}
	}
	return true
}
