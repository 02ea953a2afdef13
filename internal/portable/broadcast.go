package portable

import (
	"encoding/binary"
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/mem"
)

// broadcast builds a load of words that are the same for all lanes: see lower.Access. If it cannot be one for all, the
// lanes load one by one.
func (p *binder) broadcast(s *lower.Step, o *op) {
	o.mask = s.Args[1]
	p.generic(s, o, s.Args[:1], s.PerLane)
	x := o.more
	x.words, x.access = s.Res, access{mem: s.Inst.Mem, cursor: p.c.cursors, want: mem.Read, site: s.Site, hoisted: s.Hoistable}
	p.c.cursors++
	o.run = loadBroadcast
}

// maskedWord broadcasts a word to the lanes of a mask; the others get 0.
func maskedWord(r *runner, o *op) bool {
	d, w, m := r.row(o.d), uint32(r.words[o.a]), r.mask(o.mask)
	for lane := range d {
		d[lane] = w & -uint32(m>>lane&1)
	}
	return true
}

func loadBroadcast(r *runner, o *op) bool {
	m, x := r.mask(o.mask), o.more
	if m == 0 {
		return true
	}
	a, addr := &x.access, r.words[x.args[0].At]
	base, data := r.segment(a, addr, mem.Read)
	off, size := addr-base, uint64(a.mem.Bytes())
	if uint64(len(data)) < size || off > uint64(len(data))-size || addr&(uint64(max(a.mem.Align, 1))-1) != 0 {
		return runGeneric(r, o) && r.sameInLanes(x, m)
	}
	for i, w := range x.words {
		r.words[w.At] = uint64(binary.LittleEndian.Uint32(data[off+uint64(4*i):]))
	}
	r.countRead(a, bits.OnesCount64(m))
	return true
}

// sameInLanes stores the words that each lane has loaded as uniform ones, if they are the same. If they differ, which
// only a device can cause, the wave executes the instruction again.
func (r *runner) sameInLanes(x *extra, m uint64) bool {
	first := bits.TrailingZeros64(m) & 63
	for i, w := range x.words {
		row := r.row(x.res[i].At)
		r.words[w.At] = uint64(row[first])
		for rest := m; rest != 0; rest &= rest - 1 {
			r.unlikely = r.unlikely || row[bits.TrailingZeros64(rest)&63] != row[first]
		}
	}
	return !r.unlikely
}
