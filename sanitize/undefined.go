package sanitize

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/shadow"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// Init finds uses of undefined values: of registers and memory that have not been written, in an address, a branch, the
// execution mask and wherever else they matter. It follows each bit through registers and memory, and names the origin
// of the value and the instructions that carried it. It is an exec.Observer, and may observe any number of launches,
// one after another: what one launch leaves undefined in memory, the next one finds so.
//
// Registers are undefined where a wave starts if the launch does not set them, as are group memory and the private
// memory of lanes. Buffers and constants are defined, and so is what textures and stage inputs deliver.
type Init struct {
	shadows mem.Shadows
	tell    func(Finding) // of a new one that matters in a wave; may be nil

	mu      sync.Mutex
	code    *shadow.Code // the last one
	codes   kept[ir.Code, shadowed]
	windows []exec.Window
	paths   paths
	waves   map[waveKey]*carried
	groups  map[[3]uint32]words
	global  words
	found   map[useKey]*Undefined
	own     func(wave int, addr uint64) bool // see Memory
	shared  *Shared                          // nil: shadows keep what launches leave
	given   []given                          // of the launch, from shared
	lost    map[lostPart]bool                // with shared: where words became undefined that global has no room for

	before struct { // the launch under way
		global words
		found  map[useKey]*Undefined
	}
}

// An Origin says where an undefined value comes from.
type Origin struct {
	Register string // a register that neither the launch nor an instruction has set; ""
	Space    string // memory of the space that has not been written; ""
	Addr     uint64 // of that memory
	Buffer   string // that global memory is in, or another segment; "": it is not known
	Offset   uint64 // in it
}

func (o Origin) String() string {
	if o == (Origin{}) {
		return "a register or memory that is not known: the instruction reads more than are told apart"
	}
	if o.Register != "" {
		return fmt.Sprintf("register %s, which neither the launch nor an instruction has set", o.Register)
	}
	if o.Buffer != "" {
		return fmt.Sprintf("%q at +%#x, which has not been written", o.Buffer, o.Offset)
	}
	return fmt.Sprintf("%s memory at %#x, which has not been written", o.Space, o.Addr)
}

// An Undefined is an instruction for which an undefined value matters; it describes its first use.
type Undefined struct {
	// Kind is what the value is for: address, branch, execution mask, register number, descriptor, output, number of
	// lanes, end, or memory: a store to memory that the host reads.
	Kind   string
	Kernel string
	Group  [3]uint32
	Wave   int
	Lanes  uint64     // in which it was undefined
	Item   *exec.Item // what the first lane works on, in a draw; else nil
	At     Instruction
	Buffer string // of memory: its name, and the offset in it
	Offset uint64
	Origin Origin
	// Path is the instructions that carried the value from its origin: the first, the last and up to eight between.
	Path  []Instruction
	Left  int    // how many between are not in Path
	Count uint64 // uses, in lanes; of memory, in words of four bytes
}

func (u *Undefined) String() string {
	f := u.Finding()
	return f.String()
}

// carried is the undefined values of a wave: the path of each, by register and lane, and by address of private memory.
type carried struct {
	cells   map[ir.Cell]*[ir.MaxLanes]*step
	private words
	loaded  [ir.MaxLanes]*step // by the instruction under way
}

// words are the undefined words of memory, by bank and address.
type words map[wordKey]stored

// A stored is how a word of memory became undefined.
type stored struct {
	path *step // it ends with the store
	at   exec.Where
	lane int
}

type wordKey struct {
	lane int8 // of private memory; -1
	bank uint8
	word uint64 // address / 4
}

// maxWords is for how many words of memory the way of an undefined value is remembered.
const maxWords = 1 << 20

// firstUndefined is the kind of the first probe: above those of others. A code has at most maxSites.
const (
	firstUndefined = 1 << 48
	maxSites       = 1 << 24
)

// useKey is what findings are grouped by.
type useKey struct {
	kernel string
	pc     uint64
	kind   string
	first  uint64 // instruction of the path; 0: none
	reg    string
}

// Shadows returns the shadow of the memory that launches share.
func (u *Init) Shadows() *mem.Shadows { return &u.shadows }

// Watch returns code to run in place of a launch's.
func (u *Init) Watch(code ir.Code, windows []exec.Window) ir.Code {
	u.mu.Lock()
	defer u.mu.Unlock()
	x := u.codes.of(code, func(at int) shadowed {
		c := shadow.New(code, firstUndefined+uint64(at)*maxSites)
		return shadowed{c, exec.NewProgram(c)}
	})
	u.code = x.code
	u.windows, u.waves, u.groups = windows, map[waveKey]*carried{}, map[[3]uint32]words{}
	u.ready()
	return x.program
}

// A shadowed is code with its shadow.
type shadowed struct {
	code    *shadow.Code
	program *exec.Program
}

// Memory tells which global memory only a wave accesses in the next launch: see launch.Racer. A Sanitizer calls it.
func (u *Init) Memory(_ *exec.Env, own func(wave int, addr uint64) bool) { u.own = own }

// ready makes what launches share.
func (u *Init) ready() {
	if u.found == nil {
		u.found, u.global, u.paths.known = map[useKey]*Undefined{}, words{}, map[stepKey]*step{}
	}
}

// OnlyProbes says that probes, and the start and end of groups, are all that it looks at: see launch.Run.
func (u *Init) OnlyProbes() bool { return true }

// Found returns the findings, by kernel and the addresses of their instructions.
func (u *Init) Found() []*Undefined {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.SortedFunc(maps.Values(u.found), func(x, y *Undefined) int {
		return cmp.Or(strings.Compare(x.Kernel, y.Kernel), cmp.Compare(x.At.PC, y.At.PC), strings.Compare(x.Kind, y.Kind), cmp.Compare(x.Origin.String(), y.Origin.String()))
	})
}

// Observe handles an event.
func (u *Init) Observe(e exec.Event) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch e.Kind {
	case exec.GroupStart:
		u.groups[e.Group] = words{}
	case exec.GroupEnd:
		delete(u.groups, e.Group)
		for k := range u.waves {
			if k.group == e.Group {
				delete(u.waves, k)
			}
		}
	case exec.Probed:
		w := u.wave(&e.Where)
		for i := range e.Probes {
			if site := u.site(e.Probes[i].Kind); site != nil {
				u.told(w, site, spot{&e.Where, e.Stage}, &e.Probes[i])
			}
		}
	case exec.OutputsRead:
		for i := range e.Outputs {
			u.reads(u.wave(&e.Where), &e, &e.Outputs[i])
		}
	}
}

// A spot is where a wave is: in a launch, or in a draw.
type spot struct {
	*exec.Where
	stage exec.Stage // nil: in a launch
}

// wave returns what is known of a wave.
func (u *Init) wave(at *exec.Where) *carried {
	key := waveKey{at.Group, at.Wave}
	w := u.waves[key]
	if w == nil {
		w = &carried{cells: map[ir.Cell]*[ir.MaxLanes]*step{}, private: words{}}
		u.waves[key] = w
	}
	return w
}

// site returns what a kind of probe tells; nil: it is none of this check.
func (u *Init) site(kind uint64) *shadow.Site {
	at := (kind - firstUndefined) / maxSites
	if kind < firstUndefined || at >= keptCodes || u.codes.made[at].code == nil {
		return nil
	}
	site, _ := u.codes.made[at].code.Site(kind)
	return site
}

// told handles a probe.
func (u *Init) told(w *carried, site *shadow.Site, at spot, p *exec.Probe) {
	each := bits.OnesCount64(p.Lanes) // that count
	operands := len(p.Values) / each
	var path *step
	used := uint64(0)
	for i, m := 0, p.Lanes; m != 0; i, m = i+1, m&(m-1) {
		lane := bits.TrailingZeros64(m)
		values := p.Values[i*operands:][:operands]
		if site.Wave && i > 0 && site.Component == 0 { // the same in all lanes
			break
		}
		if k := site.Component - 1; k >= 0 && at.stage != nil && uint64(at.stage.Wants(lane, uint32(values[1]), k))&values[2] == 0 {
			each--
			continue
		}
		from := u.source(w, site, lane, values[0])
		switch {
		case site.Kind.Matters():
			if path == nil || from == path {
				path, used = from, used|1<<lane
			}
		case site.Kind == shadow.Loads:
			w.loaded[lane] = u.loads(w, site, at.Where, lane, values[1])
		case site.Kind == shadow.Stores:
			u.stores(w, site, at.Where, lane, values[1], u.paths.after(from, site))
		default:
			if c := site.Cell; !site.Indexed {
				u.writes(w, c, lane, u.paths.after(from, site))
			} else if c, ok := indexed(u.code.Machine(), c, uint32(values[1])); ok {
				u.writes(w, c, lane, u.paths.after(from, site))
			}
		}
	}
	if path != nil {
		u.report(use{site.Kind.String(), site.Code, site.PC}, at, path, used, uint64(each))
	}
}

// source returns the path of the first undefined value that an instruction reads.
func (u *Init) source(w *carried, site *shadow.Site, lane int, undefined uint64) *step {
	for ; undefined != 0; undefined &= undefined - 1 {
		k := bits.TrailingZeros64(undefined)
		if k >= len(site.From) {
			break
		}
		from := &site.From[k]
		if from.Memory {
			for k := range ir.MaxLanes {
				if s := w.loaded[(lane+k)%ir.MaxLanes]; s != nil && (k == 0 || site.Cross) {
					return s
				}
			}
			continue
		}
		if from.Indexed {
			return u.paths.from(Origin{Register: u.code.Machine().Files[from.Cell.File].Name + "[...], found by an index"})
		}
		if s := u.inCell(w, from.Cell, lane, site.Cross); s != nil {
			return s
		}
		return u.paths.from(Origin{Register: nameOf(u.code, from.Cell)})
	}
	return u.paths.from(Origin{})
}

// inCell returns the path of a register in a lane, or if it crosses lanes in any; nil: it has none.
func (u *Init) inCell(w *carried, c ir.Cell, lane int, cross bool) *step {
	lanes := w.cells[c]
	switch {
	case lanes == nil:
		return nil
	case !u.perLane(c):
		return lanes[0]
	case !cross:
		return lanes[lane]
	}
	var longest *step // other lanes may have got a defined value since
	for _, s := range lanes {
		if s != nil && (longest == nil || s.length > longest.length) {
			longest = s
		}
	}
	return longest
}

func (u *Init) perLane(c ir.Cell) bool { return u.code.Machine().Kind(c).PerLane() }

// indexed returns the cell that an indexed write to c's file writes; false: it writes none.
func indexed(m *ir.Machine, c ir.Cell, index uint32) (ir.Cell, bool) {
	f, i := &m.Files[c.File], int(c.Index)+int(int32(index))
	if f.Range == ir.RangeWrap {
		i = (i%f.Count + f.Count) % f.Count
	}
	return ir.Cell{File: c.File, Index: uint16(i)}, i >= 0 && i < f.Count
}

// writes notes that a register of a lane gets an undefined value.
func (u *Init) writes(w *carried, c ir.Cell, lane int, s *step) {
	if !u.perLane(c) {
		lane = 0
	}
	lanes := w.cells[c]
	if lanes == nil {
		lanes = new([ir.MaxLanes]*step)
		w.cells[c] = lanes
	}
	lanes[lane] = s
}

// place returns where the paths of the memory of an access are, and the key of its first word.
func (u *Init) place(w *carried, site *shadow.Site, at *exec.Where, lane int, addr uint64) (words, wordKey, ir.SpaceID) {
	e := exec.Env{Windows: u.windows}
	id, bank, addr := e.Resolve(&site.Mem, addr)
	list, key := u.wordAt(w, at, id, bank, lane, addr)
	return list, key, id
}

// wordAt is place of an address of a space.
func (u *Init) wordAt(w *carried, at *exec.Where, id ir.SpaceID, bank uint8, lane int, addr uint64) (words, wordKey) {
	key := wordKey{lane: -1, bank: bank, word: addr / 4}
	switch {
	case id == ir.GroupSpace:
		return u.groups[at.Group], key
	case id == ir.PrivateSpace:
		key.lane = int8(lane)
		return w.private, key
	case id == ir.GlobalSpace && bank == 0 && u.own != nil && u.own(at.Wave, addr):
		return w.private, key
	}
	return u.global, key
}

// loads returns the path of the first undefined value that an access finds in memory.
func (u *Init) loads(w *carried, site *shadow.Site, at *exec.Where, lane int, addr uint64) *step {
	list, key, id := u.place(w, site, at, lane, addr)
	n := site.Mem.Bytes()
	if id == ir.GlobalSpace {
		_, _, _, shadow := u.shadows.At(key.bank, addr)
		if i := slices.IndexFunc(shadow[:min(n, len(shadow))], func(b byte) bool { return b != 0 }); i > 0 {
			addr, n = addr+uint64(i), n-i
			key.word = addr / 4
		}
	}
	for range wordsAt(addr, n) {
		if s := u.pathOf(list, key, id); s != nil {
			return s
		}
		key.word++
	}
	return u.paths.from(u.unset(id, key.bank, addr))
}

// pathOf returns the path of a word of memory of a space, in the words of which it is; nil: it has none.
func (u *Init) pathOf(list words, key wordKey, id ir.SpaceID) *step {
	s := list[key].path
	if s == nil && u.shared != nil && id == ir.GlobalSpace && key.lane < 0 {
		s = u.shared.path(key)
	}
	return s
}

// unset is the origin of memory that nothing has written.
func (u *Init) unset(id ir.SpaceID, bank uint8, addr uint64) Origin {
	o := Origin{Space: id.String(), Addr: addr}
	if id == ir.GlobalSpace {
		if name, base, _, shadow := u.shadows.At(bank, addr); shadow != nil {
			o.Buffer, o.Offset = name, addr-base
		}
	}
	return o
}

// stores notes that memory gets an undefined value.
func (u *Init) stores(w *carried, site *shadow.Site, at *exec.Where, lane int, addr uint64, s *step) {
	list, key, id := u.place(w, site, at, lane, addr)
	for range wordsAt(addr, site.Mem.Bytes()) {
		if _, known := list[key]; list != nil && (known || len(list) < maxWords) {
			list[key] = stored{path: s, at: *at, lane: lane}
		} else if u.shared != nil && id == ir.GlobalSpace {
			u.lost[lostPart{key.bank, 4 * key.word / lostBytes}] = true
		}
		key.word++
	}
}

// wordsAt returns in how many words of four bytes an access lies.
func wordsAt(addr uint64, bytes int) uint64 { return (addr%4 + uint64(bytes) + 3) / 4 }

// A use is an instruction for which an undefined value matters, and what it is for.
type use struct {
	kind string
	code ir.Code
	pc   uint64
}

// report adds a use to the findings.
func (u *Init) report(what use, at spot, path *step, lanes, count uint64) {
	if x := u.add(what, path, at.Where, count); x != nil {
		x.Lanes = lanes
		x.Item = itemOf(at.stage, bits.TrailingZeros64(lanes))
		if u.tell != nil {
			u.tell(x.Finding())
		}
	}
}

// add adds a use. It returns the finding if it is a new one.
func (u *Init) add(what use, path *step, at *exec.Where, count uint64) *Undefined {
	key := useKey{kernel: at.Kernel, pc: what.pc, kind: what.kind, reg: path.first().origin.Register}
	if in := path.second(); in != nil {
		key.first = in.site.PC
	}
	if x := u.found[key]; x != nil {
		x.Count += count
		return nil
	}
	x := &Undefined{Kind: what.kind, Kernel: at.Kernel, Group: at.Group, Wave: at.Wave, Count: count, At: instructionAt(what.code, what.pc), Origin: path.first().origin}
	x.Path, x.Left = path.instructions()
	u.found[key] = x
	return x
}

// shadowAt returns the name of the segment that a word of global memory lies in, the offset of its first byte there,
// and the shadow of its bytes.
func (u *Init) shadowAt(k wordKey) (name string, at uint64, shadow []byte) {
	for i := range uint64(4) { // a segment may begin within the word
		if name, base, _, shadow := u.shadows.At(k.bank, 4*k.word+i); shadow != nil {
			return name, 4*k.word + i - base, shadow[:min(4-i, uint64(len(shadow)))]
		}
	}
	return "", 0, nil
}

// inMemory is the kind of undefined values in memory that the host reads.
const inMemory = "memory"

// HostReads adds findings for undefined values that stores have left in buffers, now that the host reads those of
// which read reports true.
func (u *Init) HostReads(read func(buffer string) bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, k := range slices.SortedFunc(maps.Keys(u.global), byAddress) {
		name, at, shadow := u.shadowAt(k)
		if !slices.ContainsFunc(shadow, func(b byte) bool { return b != 0 }) || !read(name) {
			continue
		}
		s := u.global[k]
		if s.path.site == nil || u.shared != nil && s.path.again() {
			continue
		}
		s.path.told.Store(true)
		if x := u.add(use{inMemory, s.path.site.Code, s.path.site.PC}, s.path.from, &s.at, 1); x != nil {
			x.Buffer, x.Offset, x.Lanes = name, at, 1<<s.lane
		}
	}
	if u.shared != nil {
		u.keep()
	}
	u.global = words{} // not cleared, as it may have been large
}
