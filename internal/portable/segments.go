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

// A cachedSegment is a segment, and the sites that cache it.
type cachedSegment struct {
	id   ir.SpaceID
	bank uint8
	mem.Segment
	sites []cachedSite
}

// A cachedSite is an access of a form that has cached a segment.
type cachedSite struct {
	words  *[lower.SitePrev]uint64 // of the form, from lower.SiteBase on
	want   mem.Rights
	window bool // it is reached through a window of the flat space
}

// A sitePlace is where a site is: number at of its segment.
type sitePlace struct {
	in *cachedSegment
	at int
}

// cacheKey is what the validity of a runner's cached segments depends on.
type cacheKey struct {
	spaces   []cachedSpace
	segments []*cachedSegment
	sites    map[*uint64]sitePlace // by the first of their words
	windows  []exec.Window
	foot     *mem.Footprint // the footprint that tables belong to, and its edition
	edition  uint64
}

// cacheSegment caches the segment of an access in a space; base is its address as the code computes it, delta more than
// in the space, and data what of it the code can reach.
func (r *runner) cacheSegment(x *access, id ir.SpaceID, bank uint8, base, delta uint64, data []byte, want mem.Rights) {
	size := uint64(x.mem.Bytes())
	if uint64(len(data)) < size || size == 0 {
		return
	}
	table, ok := r.table(data, want)
	if !ok {
		return
	}
	g, ok := r.cachedSegment(id, bank, base-delta)
	if !ok {
		return
	}
	site := cachedSite{(*[lower.SitePrev]uint64)(r.words[x.site:]), want, x.mem.Space == ir.FlatSpace}
	if p, known := r.cacheKey.sites[&site.words[0]]; !known || p.in != g {
		r.forget(&site.words[0])
		r.cacheKey.sites[&site.words[0]] = sitePlace{g, len(g.sites)}
		g.sites = append(g.sites, site)
	}
	site.words[lower.SiteSpace] = uint64(id) * uint64(unsafe.Sizeof(exec.Traffic{}))
	site.words[lower.SiteBase], site.words[lower.SiteLast] = base, uint64(len(data))-size
	site.words[lower.SiteHost] = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data))))
	site.words[lower.SiteMarks] = uint64(uintptr(unsafe.Pointer(table)))
}

// cachedSegment returns the segment at an address, on which cached sites depend from now on.
func (r *runner) cachedSegment(id ir.SpaceID, bank uint8, addr uint64) (*cachedSegment, bool) {
	m, space := &r.cacheKey, r.env.Space(id, bank)
	r.followTo(id, bank, space) // blocks that are not in a chain are entered without a look at the cache
	for _, g := range m.segments {
		if g.id == id && g.bank == bank && addr-g.Base < uint64(len(g.Data)) {
			return g, true
		}
	}
	found, ok := space.Find(addr)
	if !ok {
		return nil, false
	}
	if m.sites == nil {
		m.sites = map[*uint64]sitePlace{}
	}
	if !slices.ContainsFunc(m.spaces, func(k cachedSpace) bool { return k.id == id && k.bank == bank }) {
		m.spaces = append(m.spaces, cachedSpace{id, bank, space, space.Edits()})
	}
	g := &cachedSegment{id: id, bank: bank, Segment: found}
	m.segments = append(m.segments, g)
	r.changes++
	return g, true
}

// forget removes a site from the segment that it has cached.
func (r *runner) forget(site *uint64) {
	p, ok := r.cacheKey.sites[site]
	if !ok {
		return
	}
	last := len(p.in.sites) - 1
	moved := p.in.sites[last]
	p.in.sites[p.at] = moved
	p.in.sites = p.in.sites[:last]
	r.cacheKey.sites[&moved.words[0]] = p
	delete(r.cacheKey.sites, site)
}

// table returns where accesses of a segment with that data are marked; nil: they need not be. If ok is false, only
// Touch can record them.
func (r *runner) table(data []byte, want mem.Rights) (t mem.Table, ok bool) {
	if r.env.Footprint == nil {
		return nil, true
	}
	return r.env.Footprint.Table(data, want)
}

// checkCache makes the cached segments those of the current wave, and drops them where that cannot be done.
func (r *runner) checkCache() {
	m := &r.cacheKey
	foot, edition := r.env.Footprint, uint64(0)
	if foot != nil {
		edition = foot.Edition()
	}
	if !slices.Equal(m.windows, r.env.Windows) || m.foot != foot || m.edition != edition {
		for _, f := range r.links {
			for _, at := range f.sites {
				f.words[at+lower.SiteHost], f.words[at+lower.SiteMarks] = 0, 0
			}
		}
		*m = cacheKey{windows: append(m.windows[:0], r.env.Windows...), foot: foot, edition: edition}
		r.changes++
		return
	}
	for i := range m.spaces {
		k := &m.spaces[i]
		r.followTo(k.id, k.bank, r.env.Space(k.id, k.bank))
	}
}

// followTo makes cached segments of a space those of the space that is in its place now.
func (r *runner) followTo(id ir.SpaceID, bank uint8, now *mem.Space) {
	for i := range r.cacheKey.spaces {
		if k := &r.cacheKey.spaces[i]; k.id == id && k.bank == bank && (now != k.space || now.Edits() != k.edits) {
			r.follow(k, now)
			k.space, k.edits = now, now.Edits()
			r.changes++
		}
	}
}

// follow makes sites whose segments are in a space use the segments of the same names in another space, as each wave
// has one for its scratch.
func (r *runner) follow(k *cachedSpace, now *mem.Space) {
	m := &r.cacheKey
	m.segments = slices.DeleteFunc(m.segments, func(g *cachedSegment) bool {
		if g.id != k.id || g.bank != k.bank {
			return false
		}
		to, ok := now.Segment(g.Name)
		if !ok || len(to.Data) != len(g.Data) || to.Rights != g.Rights {
			r.drop(slices.Clone(g.sites))
			return true
		}
		if to.Base == g.Base && unsafe.SliceData(to.Data) == unsafe.SliceData(g.Data) {
			return false
		}
		r.drop(r.moveSites(g, &to))
		g.Segment = to
		return false
	})
}

// moveSites makes sites of a segment use another one, and returns those that cannot. Each wave of a group does that for
// all its accesses to scratch, so there is a loop without footprints, in which nothing is marked.
func (r *runner) moveSites(g *cachedSegment, to *mem.Segment) (lost []cachedSite) {
	apart, host := to.Base-g.Base, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(to.Data))))
	marked := r.env.Footprint != nil
	for i := range g.sites {
		s := &g.sites[i]
		if s.window { // it may show another part of the segment
			lost = append(lost, *s)
			continue
		}
		if marked {
			table, ok := r.table(to.Data, s.want)
			if !ok {
				lost = append(lost, *s)
				continue
			}
			s.words[lower.SiteMarks] = uint64(uintptr(unsafe.Pointer(table)))
		}
		s.words[lower.SiteBase] += apart
		s.words[lower.SiteHost] = host
	}
	return lost
}

// drop makes sites cache no segment.
func (r *runner) drop(list []cachedSite) {
	for _, s := range list {
		s.words[lower.SiteHost], s.words[lower.SiteMarks] = 0, 0
		r.forget(&s.words[0])
	}
}
