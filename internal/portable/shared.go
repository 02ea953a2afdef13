package portable

import (
	"encoding/binary"
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// Loads of words from the constant space, at an address that the code names, give all lanes the same value. They
// become a uniform load, whose result is 0 in lanes outside of the mask. If that is not possible they stay per-lane
// loads.

// shared builds such a load, and reports whether it could.
func (p *preparer) shared(in *ir.Inst) bool {
	mask, masked := p.b.Mask(in)
	if !p.noting || p.asked || !p.usual || !masked || len(in.Args) != 2 || in.Mem.Space != ir.ConstSpace || in.Mem.Elem != 4 || in.Type.Bits() != 32 {
		return false
	}
	addr, m := p.at(in.Args[0]), p.at(mask)
	if addr.kind != inWord || !p.isConst(addr.at) || m.kind != inMask || p.b.Vals[in.Res].Wave {
		return false
	}
	words, rows := make([]place, in.NRes), make([]place, in.NRes)
	for k := range words {
		words[k], rows[k] = place{inWord, p.newWord(0)}, place{inRow, p.newRow()}
	}
	o := op{mask: m}
	p.generic(in, &o, []place{addr}, rows)
	x := o.more
	x.words, x.access = words, access{mem: in.Mem, cursor: p.c.cursors, want: mem.Read, site: p.c.newSite()}
	p.c.cursors++
	p.step(lower.MemoryAccess, in, []place{addr, m}, place{}, words...)
	p.next.Access = lower.Access{TransferKind: lower.TransferKind{Do: lower.LoadElems, Bytes: 4}, Bytes: uint64(in.Mem.Bytes()), Align: uint64(max(in.Mem.Align, 1)),
		Count: len(words), Space: in.Mem.Space, Bank: in.Mem.Bank, Site: x.access.site, Hoistable: true, Broadcast: true}
	o.run = loadShared
	p.push(o)
	for _, row := range rows {
		p.give(row)
	}
	for k, w := range words {
		v := in.Res + ir.Val(k)
		if p.places[v] = w; p.full != nil && p.full[p.root[mask]] || p.last[v] < 0 {
			continue
		}
		to := p.newRow()
		p.places[v] = place{inRow, to}
		p.next = lower.Step{Kind: lower.Compute, Op: ir.Select, Type: ir.I32, From: ir.I1,
			Args: []lower.Place{m.public(), w.public(), {Kind: lower.InWord, At: p.constant(0)}}, Res: []lower.Place{{Kind: lower.InRow, At: to}}}
		p.push(op{run: maskedWord, d: to, a: w.at, mask: m})
	}
	return true
}

// maskedWord broadcasts a word to the lanes of a mask; the others get 0.
func maskedWord(r *runner, o *op) bool {
	d, w, m := r.row(o.d), uint32(r.words[o.a]), r.mask(o.mask)
	for lane := range d {
		d[lane] = w & -uint32(m>>lane&1)
	}
	return true
}

func loadShared(r *runner, o *op) bool {
	m, x := r.mask(o.mask), o.more
	if m == 0 {
		return true
	}
	a, addr := &x.access, r.words[x.args[0].at]
	base, data := r.segment(a, addr, mem.Read)
	off, size := addr-base, uint64(a.mem.Bytes())
	if uint64(len(data)) < size || off > uint64(len(data))-size || addr&(uint64(max(a.mem.Align, 1))-1) != 0 {
		return runGeneric(r, o) && r.alikeIn(x, m)
	}
	for i, w := range x.words {
		r.words[w.at] = uint64(binary.LittleEndian.Uint32(data[off+uint64(4*i):]))
	}
	r.env.Count.BytesRead += uint64(bits.OnesCount64(m)) * size
	return true
}

// alikeIn stores the words that each lane has loaded as uniform ones, if they are the same. If they differ, which only
// a device can cause, the wave executes the instruction again.
func (r *runner) alikeIn(x *extra, m uint64) bool {
	first := bits.TrailingZeros64(m) & 63
	for i, w := range x.words {
		row := r.row(x.res[i].at)
		r.words[w.at] = uint64(row[first])
		for rest := m; rest != 0; rest &= rest - 1 {
			r.rare = r.rare || row[bits.TrailingZeros64(rest)&63] != row[first]
		}
	}
	return !r.rare
}

// newSite allocates the words that cache the segment of an access.
func (c *code) newSite() int32 {
	at := int32(len(c.words))
	c.words = append(c.words, make([]uint64, lower.SiteWords)...)
	c.sites = append(c.sites, at)
	return at
}
