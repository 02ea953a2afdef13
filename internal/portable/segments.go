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

// A cachedSpace is a space with a cached segment.
type cachedSpace struct {
	id    ir.SpaceID
	bank  uint8
	space *mem.Space
	edits uint64
}

// cacheKey is what the validity of a runner's cached segments depends on.
type cacheKey struct {
	spaces  []cachedSpace
	windows []exec.Window
	foot    *mem.Footprint // the footprint that tables belong to, and its edition
	edition uint64
}

// cacheSegment caches the segment of an access; base is its address as the code computes it.
func (r *runner) cacheSegment(x *access, id ir.SpaceID, bank uint8, base uint64, data []byte, want mem.Rights) {
	size := uint64(x.mem.Bytes())
	if uint64(len(data)) < size || size == 0 {
		return
	}
	table, ok := r.table(data, want)
	if !ok {
		return
	}
	k := cachedSpace{id, bank, r.env.Space(id, bank), 0}
	k.edits = k.space.Edits()
	if !slices.Contains(r.cacheKey.spaces, k) {
		r.cacheKey.spaces = append(r.cacheKey.spaces, k)
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

// checkCache drops the cached segments if they may not be valid any more.
func (r *runner) checkCache() {
	m := &r.cacheKey
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
