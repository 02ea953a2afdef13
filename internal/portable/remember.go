package portable

import (
	"slices"
	"unsafe"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// Accesses in wholly compiled blocks use the segment of the previous visit. Such a segment is cached in words of the
// form; the cache is valid as long as the wave reaches the same spaces, and their lists of segments are unchanged. If
// accesses are recorded, code marks them itself where the footprint has room.

// A known is a space with a cached segment.
type known struct {
	id    ir.SpaceID
	bank  uint8
	space *mem.Space
	edits uint64
}

// memories is what the validity of a runner's cached segments depends on.
type memories struct {
	spaces  []known
	windows []exec.Window
	foot    *mem.Footprint // the footprint that tables belong to, and its edition
	edition uint64
}

// remember caches the segment of an access; base is its address as the code computes it.
func (r *runner) remember(x *access, id ir.SpaceID, bank uint8, base uint64, data []byte, want mem.Rights) {
	size := uint64(x.mem.Bytes())
	if uint64(len(data)) < size || size == 0 {
		return
	}
	table, ok := r.table(data, want)
	if !ok {
		return
	}
	k := known{id, bank, r.env.Space(id, bank), 0}
	k.edits = k.space.Edits()
	if !slices.Contains(r.memories.spaces, k) {
		r.memories.spaces = append(r.memories.spaces, k)
		r.changes++
	}
	r.words[x.site+lower.SiteBase], r.words[x.site+lower.SiteLast] = base, uint64(len(data))-size
	r.words[x.site+lower.SiteHost] = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data))))
	r.words[x.site+lower.SiteMarks] = uint64(uintptr(unsafe.Pointer(table)))
}

// table returns where accesses of a segment with that data are marked; nil: they need not be. If ok is false, only
// Touch can record them.
func (r *runner) table(data []byte, want mem.Rights) (t mem.Table, ok bool) {
	if r.env.Footprint == nil {
		return nil, true
	}
	return r.env.Footprint.Table(data, want)
}

// recall drops the cached segments if they may not be valid any more.
func (r *runner) recall() {
	m := &r.memories
	foot, edition := r.env.Footprint, uint64(0)
	if foot != nil {
		edition = foot.Edition()
	}
	holds := slices.Equal(m.windows, r.env.Windows) && m.foot == foot && m.edition == edition
	for i := range m.spaces {
		k := &m.spaces[i]
		holds = holds && r.env.Space(k.id, k.bank) == k.space && k.space.Edits() == k.edits
	}
	if holds {
		return
	}
	for _, f := range r.links {
		for _, at := range f.sites {
			f.words[at+lower.SiteHost], f.words[at+lower.SiteMarks] = 0, 0
		}
	}
	m.spaces, m.windows = nil, append(m.windows[:0], r.env.Windows...)
	m.foot, m.edition = foot, edition
	r.changes++
}

// note describes an access.
func (p *preparer) note(in *ir.Inst, x *access, typ ir.Type, values []place) {
	if !p.noting {
		return
	}
	a := lower.Access{TransferKind: x.kind, Bytes: uint64(in.Mem.Bytes()), Align: uint64(max(x.mem.Align, 1)), Count: len(values),
		Space: in.Mem.Space, Bank: in.Mem.Bank, Atomic: in.Mem.Atomic, NoLock: in.Mem.Space == ir.GroupSpace,
		Recorded: p.asked && in.Mem.Space != ir.GroupSpace}
	if once := in.Op == ir.Load && p.next.Mask.Kind == 0; once {
		bits, elem := typ.Bits(), in.Mem.Elem
		a.TransferKind = lower.TransferKind{Do: lower.LoadElems, Bytes: elem, Wide: bits > 32, Signed: in.Mem.Signed && bits > 8*int(elem)}
		if a.Signed && bits != 32 && bits != 64 || slices.ContainsFunc(values, func(v place) bool { return v.kind != inWord }) {
			return
		}
		at := p.next.Args[0]
		a.Hoistable = a.Space == ir.ConstSpace && !a.Recorded && at.Kind == lower.InWord && p.isConst(at.At)
	} else if p.next.Mask.Kind == 0 || x.kind.Do == lower.NoTransfer {
		return
	} else {
		if m, masked := p.b.Mask(in); masked && p.full != nil {
			a.Full = p.full[p.root[m]]
		}
		p.spread()
	}
	a.Site = p.c.newSite()
	x.site = a.Site
	p.next.Kind, p.next.Access = lower.MemoryAccess, a
}

// spread gives the lanes of the next step, an access, an address each if theirs is uniform.
func (p *preparer) spread() {
	at := p.next.Args[0]
	if at.Kind != lower.InWord {
		return
	}
	to, ok := p.spreads[at.At]
	if !ok {
		to = p.spreadWord(at.At, p.next.From)
	}
	p.next.Args[0] = to.public()
}

// spreadWord broadcasts a word to all lanes, before the next step.
func (p *preparer) spreadWord(word int32, typ ir.Type) (to place) {
	next, at := p.next, []lower.Place{{Kind: lower.InWord, At: word}}
	if typ.Bits() > 32 {
		to = place{inVec, p.newVec()}
		p.next = lower.Step{Kind: lower.Compute, Op: ir.Or, Type: ir.I64, From: ir.I64, Args: []lower.Place{at[0], at[0]}, Res: []lower.Place{to.public()}}
		p.push(op{run: spreadVec, d: to.at, a: word})
	} else {
		to = place{inRow, p.newRow()}
		p.next = lower.Step{Kind: lower.CopyRow, Args: at, Res: []lower.Place{to.public()}}
		p.push(op{run: spreadRow, d: to.at, a: word})
	}
	if p.spreads == nil {
		p.spreads = map[int32]place{}
	}
	p.next, p.spreads[word] = next, to
	return to
}

func spreadRow(r *runner, o *op) bool {
	fill(r.row(o.d), uint32(r.words[o.a]), r.n)
	return true
}

func spreadVec(r *runner, o *op) bool {
	d := &r.vecs[o.d]
	for i := range d {
		d[i] = r.words[o.a]
	}
	return true
}
