package mem

import (
	"math/bits"
	"slices"
	"unsafe"
)

// A group is what the waves of the group that runs have accessed, for a Footprint that tells them apart. Waves run one
// at a time. A turn of a wave is compared with what others have done since the last barrier, and then added to it; when
// the group ends all of it is compared with other groups.
type group struct {
	local  []watched // memory of the group, by host address; their pages are after those of the footprints
	at     []int32   // by page: the index in pages, plus one; 0: the group has not accessed it
	pages  []groupPage
	epoch  uint32               // number of barriers so far
	turns  map[int][]*waveMarks // by page, of waves that run again before the next barrier
	held   int                  // how many there are in turns
	yields uint32               // the epoch of the last turn in turns
	of     Waves
}

// A groupPage is what the group has accessed of a page.
type groupPage struct {
	page  int
	epoch uint32
	over  marks // by waves that do not run again before the next barrier
	all   marks // before the barrier
}

// waveMarks are what a wave has accessed of a page.
type waveMarks struct {
	wave int
	marks
}

// maxHeld is how many waveMarks a group has between two barriers. What is beyond counts as met.
const maxHeld = 1 << 16

// maxRooms is how many pages stay allocated from turn to turn even if the wave has not accessed them.
const maxRooms = 48

// Waves says in which memory a footprint compares the waves of a group.
type Waves uint8

const (
	InAll   Waves = iota // in that of the group, and in that which groups share
	InLocal              // in that of the group
	InOwn                // likewise, and groups are not compared
)

// NewOfWaves makes an empty footprint that compares the waves of a group, too, if EndTurn and Barrier are called. It
// also watches the memory of the group, which only the goroutine of the footprint uses.
func (f *Footprints) NewOfWaves(of Waves, local ...*Space) *Footprint {
	p, n := &Footprint{all: f}, len(f.pages)
	var list []Segment
	for _, s := range local {
		if s != nil {
			list = append(list, s.Segments()...)
		}
	}
	p.group = &group{of: of, local: make([]watched, len(list))}
	for i, g := range list {
		w := &p.group.local[i]
		w.Extent, w.data, w.host, w.first = g.Extent(), g.Data, uintptr(unsafe.Pointer(&g.Data[0])), n
		n += w.pages()
	}
	for how := range p.pages {
		p.pages[how] = make([]*pageMarks, n)
	}
	p.group.at = make([]int32, n)
	return p
}

// Local reports whether the footprint watches memory of groups.
func (p *Footprint) Local() bool { return p.group != nil && len(p.group.local) > 0 }

// Shared reports whether it watches memory that groups share.
func (p *Footprint) Shared() bool { return p.group == nil || p.group.of != InOwn }

// isLocal reports whether a page is one of the group's memory.
func (p *Footprint) isLocal(page int) bool { return page >= len(p.all.pages) }

// findLocal returns the segment of the group's memory that contains a host address, or nil.
func (p *Footprint) findLocal(at uintptr) *watched {
	if p.group == nil {
		return nil
	}
	for i := range p.group.local {
		if w := &p.group.local[i]; at-w.host < uintptr(len(w.data)) {
			return w
		}
	}
	return nil
}

// EndTurn adds the marks to those of a wave, and clears them. over says that the wave does not run again before the
// next barrier. It returns whether the wave has met another one since the last barrier.
func (p *Footprint) EndTurn(wave int, over bool) (met bool) {
	g := p.group
	slices.Sort(p.rooms)
	kept := 0
	if g.of != InAll { // those of shared memory are for End
		kept, _ = slices.BinarySearch(p.rooms, int32(len(p.all.pages)*ways))
	}
	var m marks
	for rooms := p.rooms[kept:]; len(rooms) > 0; {
		page, any := int(rooms[0]/ways), uint32(0)
		for ; len(rooms) > 0 && int(rooms[0]/ways) == page; rooms = rooms[1:] {
			how := rooms[0] % ways
			marked := p.take(page, how, &m[how], true, len(p.rooms) <= maxRooms)
			if marked {
				any |= 1 << how
			}
			if p.pages[how][page] != nil {
				p.rooms[kept], kept = rooms[0], kept+1
			}
		}
		if any == 0 {
			continue
		}
		if g.endTurn(page, wave, &m, over) {
			p.all.suspect(page)
			met = true
		}
		for ; any != 0; any &= any - 1 {
			m[bits.TrailingZeros32(any)] = wordSet{}
		}
	}
	p.rooms = p.rooms[:kept]
	return met
}

// endTurn compares the marks of a page with those of other waves, and adds them.
func (g *group) endTurn(page, wave int, m *marks, over bool) (met bool) {
	x := g.pageOf(page)
	met = x.over.meets(m)
	var own *waveMarks
	if g.yields == g.epoch {
		for _, was := range g.turns[page] {
			if was.wave == wave {
				own = was
			} else {
				met = met || was.meets(m)
			}
		}
	}
	switch {
	case over:
		x.over.join(m)
		return met
	case own != nil:
		own.join(m)
		return met
	case g.yields != g.epoch || g.turns == nil:
		g.leaveTurns()
	}
	if g.held++; g.held > maxHeld {
		x.all.join(m)
		return true
	}
	g.turns[page] = append(g.turns[page], &waveMarks{wave, *m})
	return met
}

// pageOf returns what the group has accessed of a page.
func (g *group) pageOf(page int) *groupPage {
	i := g.at[page]
	if i == 0 {
		g.pages = append(g.pages, groupPage{page: page, epoch: g.epoch})
		i = int32(len(g.pages))
		g.at[page] = i
	}
	x := &g.pages[i-1]
	if x.epoch != g.epoch {
		x.all.join(&x.over)
		x.epoch, x.over = g.epoch, marks{}
	}
	return x
}

// leaveTurns adds turns before the last barrier to the group's accesses.
func (g *group) leaveTurns() {
	for page, list := range g.turns {
		for _, was := range list {
			g.pageOf(page).all.join(&was.marks)
		}
	}
	g.turns, g.held, g.yields = map[int][]*waveMarks{}, 0, g.epoch
}

// Collect begins to collect where groups, or waves of a group, meet in a run on one worker.
func (f *Footprints) Collect() { f.suspects, f.inGroup = make([]bool, len(f.pages)), false }

func (f *Footprints) suspect(page int) {
	switch {
	case f.suspects == nil:
	case page < len(f.suspects):
		f.suspects[page] = true
	default:
		f.inGroup = true
	}
}

// Suspects returns what has been collected: whether waves have met in the memory of a group, and a superset of where in
// shared memory, by ascending address in each segment.
func (f *Footprints) Suspects() (group bool, shared []Extent) {
	if f.aliased || f.suspects == nil {
		return true, []Extent{{Size: ^uint64(0)}}
	}
	for i := range f.watched {
		w := &f.watched[i]
		for page := range w.pages() {
			if !f.suspects[w.first+page] {
				continue
			}
			e := Extent{Name: w.Name, Base: w.Base + uint64(page)<<PageShift, Size: pageBytes}
			if n := len(shared); n > 0 && shared[n-1].Name == e.Name && (n > maxSuspects || shared[n-1].Base+shared[n-1].Size == e.Base) {
				shared[n-1].Size = e.Base + e.Size - shared[n-1].Base
			} else {
				shared = append(shared, e)
			}
		}
	}
	return f.inGroup, shared
}

// maxSuspects is the number of ranges from which on gaps between them are included.
const maxSuspects = 32

// Barrier orders the turns before it with those after it.
func (p *Footprint) Barrier() { p.group.epoch++ }

// endGroup compares the group, all of whose turns have ended, with those before it, as far as EndTurn has marks of
// shared memory.
func (p *Footprint) endGroup() (conflict *Conflict) {
	g := p.group
	if len(g.turns) > 0 {
		g.leaveTurns()
	}
	slices.SortFunc(g.pages, func(a, b groupPage) int { return a.page - b.page })
	var in *watched
	hows := uint32(0)
	for i := range g.pages {
		x := &g.pages[i]
		if g.at[x.page] = 0; p.isLocal(x.page) {
			continue
		}
		if in == nil || !in.holds(x.page) {
			conflict = p.leave(in, hows, conflict)
			in, hows = p.all.segment(x.page), 0
		}
		x.all.join(&x.over)
		for how := range x.all {
			if x.all[how] != (wordSet{}) {
				hows |= 1 << how
			}
		}
		l := p.all.lockOf(x.page)
		l.Lock()
		if there := p.all.add(x.page, &x.all); conflict == nil {
			conflict = there
		}
		l.Unlock()
	}
	g.pages, g.epoch = g.pages[:0], g.epoch+1
	return p.leave(in, hows, conflict)
}

// join adds other marks.
func (m *marks) join(o *marks) {
	for how := range m {
		for i, v := range o[how] {
			m[how][i] |= v
		}
	}
}

// meets reports whether two waves conflict.
func (m *marks) meets(o *marks) bool {
	any := uint64(0)
	for i := range m[loaded] {
		any |= m.met(o, i)
	}
	return any != 0
}
