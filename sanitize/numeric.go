package sanitize

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/shadow"
	"github.com/heddle-gpu/heddle/ir"
)

// Numeric finds where NaNs and infinities come from, and where they matter; conversions of numbers that the result
// cannot hold; and denormals that are flushed. It follows what instructions make of numbers, not what is a NaN or an
// infinity in buffers and constants. It is an exec.Observer, and may observe any number of launches, one after another.
type Numeric struct {
	// HostReads reports whether the host reads a buffer after the launches; nil: it reads all.
	HostReads func(buffer string) bool

	mu      sync.Mutex
	code    *counting
	program *exec.Program // of code
	windows []exec.Window
	memory  exec.Spaces
	own     func(wave int, addr uint64) bool
	sites   kinds[numSite] // from firstNumeric on
	paths   paths
	waves   map[waveKey]*numbers
	groups  map[[3]uint32]numWords
	found   map[numKey]*Number
	was     map[numKey]*Number // at save
	tell    func(Finding)
}

// A NumericKind says what happens to a number.
type NumericKind uint8

const (
	MakesNaN       NumericKind = iota // the result is a NaN and no operand is
	MakesInfinity                     // the result is an infinity and no operand is, nor a NaN
	DividesByZero                     // so, as a divisor, or the operand of a logarithm, is zero
	StoresNaN                         // a NaN that an instruction has made goes to memory that the host reads, or is put out
	StoresInfinity                    // so an infinity
	Decides                           // a comparison with a NaN that an instruction has made decides a branch, or which lanes are active
	Converts                          // a conversion's result cannot hold the number, or the operand is a NaN
	Flushes                           // the result is another one than without the flush of denormals
	moves                             // a value is carried on
)

// numericRules are the rules of kinds.
var numericRules = [...]string{MakesNaN: "nan-made", MakesInfinity: "infinity-made", DividesByZero: "zero-division", StoresNaN: "nan-result",
	StoresInfinity: "infinity-result", Decides: "nan-decides", Converts: "conversion-range", Flushes: "denormal-flushed"}

// A Number is an instruction of which Numeric tells; it describes the first time.
type Number struct {
	Kind     NumericKind
	Kernel   string
	Group    [3]uint32
	Wave     int
	Lanes    uint64
	At       Instruction
	Result   Value   // of StoresNaN and StoresInfinity what is stored
	Operands []Value // at most three
	Buffer   string  // of StoresNaN and StoresInfinity: its name, and the offset in it; "": it is not known
	Offset   uint64
	Output   bool // of StoresNaN and StoresInfinity: the value is put out, not stored
	// Path is the instructions from the one that made the value: the first, the last and up to eight between.
	Path  []Instruction
	Left  int    // how many between are not in Path
	Count uint64 // lanes

	through []uint64 // addresses of all instructions of the path
}

// A Value is a number as bits of a type.
type Value struct {
	Type ir.Type
	Bits uint64
}

// numSite is what a probe tells.
type numSite struct {
	shadow.Site // its PC, Kind and Cell, for paths, and Mem
	kind        NumericKind
	op          ir.Op
	typ         ir.Type
	types       []ir.Type   // of the values of the probe
	from        []numSource // of its operands
	to          []ir.Cell   // that get the value
	offset      uint64      // of a load or store: of the element
	divisor     int         // 1 + the operand that makes the result an infinity if it is zero; 0: there is none
	carries     bool        // an operand is a NaN or an infinity already
	decides     bool
	with        uint64 // of a comparison: the branch
}

// A numSource is where an operand comes from.
type numSource struct {
	cells []ir.Cell
	cross bool // from other lanes
	load  bool
}

// numbers are the NaNs and infinities of a wave that instructions have made.
type numbers struct {
	cells   map[ir.Cell]*[ir.MaxLanes]carriedNumber
	private numWords
}

// A carriedNumber is a value with its path, which is valid as long as the value is there.
type carriedNumber struct {
	bits uint64
	path *step
}

type numWords map[wordKey]carriedNumber

type numKey struct {
	kind      NumericKind
	pc, first uint64
	buffer    string // of what is stored: the host may read one buffer and not another
}

// firstNumeric is the kind of the first probe of Numeric: those of others are lower, or above.
const firstNumeric = 1 << 36

// Watch returns code to run in place of a launch's.
func (n *Numeric) Watch(code ir.Code, windows []exec.Window) ir.Code {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.code == nil || n.code.Unwrap() != code {
		n.code = &counting{code, countedMachine(code.Machine()), n}
		n.program = exec.NewProgram(n.code)
	}
	n.windows, n.waves, n.groups = windows, map[waveKey]*numbers{}, map[[3]uint32]numWords{}
	if n.found == nil {
		n.found, n.paths.known = map[numKey]*Number{}, map[stepKey]*step{}
	}
	return n.program
}

// Memory tells what the next launch accesses, so that buffers have names and scratch is known. own is as
// in launch.Racer. A Sanitizer calls it.
func (n *Numeric) Memory(env *exec.Env, own func(wave int, addr uint64) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.memory, n.own = env.Spaces, own
}

// OnlyProbes says that probes, and the start and end of groups, are all that it looks at: see launch.Run.
func (n *Numeric) OnlyProbes() bool { return true }

// Found returns the findings, by the addresses of their instructions. Values that are made and then matter are not told
// twice.
func (n *Numeric) Found() []*Number {
	n.mu.Lock()
	defer n.mu.Unlock()
	matters := map[uint64]bool{}
	for _, x := range n.found {
		if n.unread(x) {
			continue
		}
		for _, pc := range x.through {
			matters[pc] = true
		}
	}
	var list []*Number
	for k, x := range n.found {
		if (k.kind > DividesByZero || !matters[k.pc]) && !n.unread(x) {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(x, y *Number) int {
		return cmp.Or(cmp.Compare(x.At.PC, y.At.PC), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Buffer, y.Buffer),
			slices.CompareFunc(x.Path, y.Path, func(x, y Instruction) int { return cmp.Compare(x.PC, y.PC) }))
	})
	return list
}

// unread reports whether something is stored in a buffer that the host does not read.
func (n *Numeric) unread(x *Number) bool {
	return x.Buffer != "" && n.HostReads != nil && !n.HostReads(x.Buffer)
}

// Findings is Found in the form that all checks share.
func (n *Numeric) Findings() []Finding { return findings(n.Found()) }

func (n *Numeric) part(tell func(Finding)) { n.tell = tell }

func (n *Numeric) save() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.was = copied(n.found)
}

func (n *Numeric) again() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.found = copied(n.was)
	clear(n.waves)
	clear(n.groups)
}

// kind makes the kind of a probe.
func (n *Numeric) kind(x numSite) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.sites.add(firstNumeric, x)
}

// Observe handles an event.
func (n *Numeric) Observe(e exec.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch e.Kind {
	case exec.GroupStart, exec.GroupEnd: // a group that begins may be one of a run that was given up
		delete(n.groups, e.Group)
		maps.DeleteFunc(n.waves, func(k waveKey, _ *numbers) bool { return k.group == e.Group })
		if e.Kind == exec.GroupStart {
			n.groups[e.Group] = numWords{}
		}
	case exec.Probed:
		key := waveKey{e.Group, e.Wave}
		for i := range e.Probes {
			s := n.sites.of(firstNumeric, e.Probes[i].Kind)
			if s == nil {
				continue
			}
			w := n.waves[key]
			if w == nil {
				w = &numbers{map[ir.Cell]*[ir.MaxLanes]carriedNumber{}, numWords{}}
				n.waves[key] = w
			}
			n.hear(w, s, &e.Where, &e.Probes[i])
		}
	}
}

// hear handles a probe.
func (n *Numeric) hear(w *numbers, s *numSite, at *exec.Where, p *exec.Probe) {
	count := len(s.types)
	for i, m := 0, p.Lanes; m != 0; i, m = i+1, m&(m-1) {
		lane := bits.TrailingZeros64(m)
		values := p.Values[i*count:][:count]
		switch s.kind {
		case Flushes, Converts:
			n.told(n.find(numKey{kind: s.kind, pc: s.PC}, s, at, lane, values, nil))
		case MakesNaN:
			n.makes(w, s, at, lane, values)
		case Decides:
			if path := n.operands(w, s, lane, s.types, values); path != nil {
				path = n.paths.after(path, &s.Site)
				n.told(n.find(numKey{kind: Decides, pc: s.with, first: path.second().site.PC}, s, at, lane, values, path))
			}
		case StoresNaN:
			n.stores(w, s, at, lane, values)
		default:
			n.carries(w, s, at, lane, values)
		}
	}
}

// makes handles a result that is a NaN or an infinity of numbers, or a NaN of an infinity.
func (n *Numeric) makes(w *numbers, s *numSite, at *exec.Where, lane int, values []uint64) {
	kind := MakesInfinity
	switch {
	case Value{s.typ, values[0]}.NaN():
		kind = MakesNaN
	case s.divisor > 0 && s.divisor < len(values) && Value{s.types[s.divisor], values[s.divisor]}.zero():
		kind = DividesByZero
	}
	n.told(n.find(numKey{kind: kind, pc: s.PC}, s, at, lane, values, nil))
	path := n.operands(w, s, lane, s.types[1:], values[1:]) // a NaN of an infinity
	if path == nil {
		path = n.paths.from(Origin{})
	}
	n.keep(w, s, lane, values[0], n.paths.after(path, &s.Site))
}

// carries handles an instruction that moves a value, or computes another NaN or infinity of it.
func (n *Numeric) carries(w *numbers, s *numSite, at *exec.Where, lane int, values []uint64) {
	var path *step
	switch {
	case s.carries:
		path = n.operands(w, s, lane, s.types[1:], values[1:])
	case s.from[0].load:
		if list, key := n.words(w, s, at, lane, values[1]); list[key].path != nil && list[key].bits == values[0] {
			path = list[key].path
		}
	default:
		path = n.operands(w, s, lane, s.types, values[:1])
	}
	if path != nil {
		path = n.paths.after(path, &s.Site)
	}
	n.keep(w, s, lane, values[0], path)
}

// operands returns the path of the first of the values, operands in order, that is a NaN or an infinity which an
// instruction has made; nil: there is none.
func (n *Numeric) operands(w *numbers, s *numSite, lane int, types []ir.Type, values []uint64) *step {
	for k, v := range values {
		if k == len(s.from) {
			break
		}
		if !(Value{types[k], v}).exceptional() {
			continue
		}
		for _, c := range s.from[k].cells {
			lanes := w.cells[c]
			if lanes == nil {
				continue
			}
			if x := &lanes[n.laneOf(c, lane)]; x.path != nil && same(x.bits, v) {
				return x.path
			}
			for i := range lanes {
				if x := &lanes[i]; s.from[k].cross && x.path != nil && same(x.bits, v) {
					return x.path
				}
			}
		}
	}
	return nil
}

// same reports whether two values are the same NaN or infinity, but for the sign. One may be half of the other.
func same(x, y uint64) bool {
	const sign = 1<<63 | 1<<31 | 1<<15
	x, y = x&^sign, y&^sign
	return x == y || x>>32 == y || x == y>>32 || x&0xffff == y || x == y&0xffff || x == y>>16 || x>>16 == y
}

// keep notes that registers of a lane get a value; path is nil if no instruction has made it.
func (n *Numeric) keep(w *numbers, s *numSite, lane int, bits uint64, path *step) {
	for _, c := range s.to {
		lanes := w.cells[c]
		if lanes == nil && path == nil {
			continue
		}
		if lanes == nil {
			lanes = new([ir.MaxLanes]carriedNumber)
			w.cells[c] = lanes
		}
		lanes[n.laneOf(c, lane)] = carriedNumber{bits, path}
	}
}

// laneOf returns where among the lanes of a cell the value of a lane is: a cell of the wave has one.
func (n *Numeric) laneOf(c ir.Cell, lane int) int {
	if n.code.m.Kind(c).PerLane() {
		return lane
	}
	return 0
}

// words returns the values in the memory of an access, and the key of its word; nil: it is global or constant memory.
func (n *Numeric) words(w *numbers, s *numSite, at *exec.Where, lane int, addr uint64) (numWords, wordKey) {
	e := exec.Env{Windows: n.windows}
	id, bank, addr := e.Resolve(&s.Mem, addr+s.offset)
	key := wordKey{lane: -1, bank: bank, word: addr / 4}
	switch id {
	case ir.GroupSpace:
		return n.groups[at.Group], key
	case ir.ConstSpace:
		return nil, key
	case ir.PrivateSpace:
		key.lane = int8(lane)
		return w.private, key
	}
	if bank == 0 && n.own != nil && n.own(at.Wave, addr) {
		return w.private, key
	}
	return nil, key
}

// stores handles a value that is stored or put out.
func (n *Numeric) stores(w *numbers, s *numSite, at *exec.Where, lane int, values []uint64) {
	path := n.operands(w, s, lane, []ir.Type{s.typ}, values[:1])
	if path == nil {
		if len(values) > 1 {
			list, key := n.words(w, s, at, lane, values[1])
			delete(list, key)
		}
		return
	}
	kind := StoresInfinity
	if (Value{ir.FloatOf(max(16, s.typ.Bits())), values[0]}).NaN() {
		kind = StoresNaN
	}
	if len(values) > 1 {
		if list, key := n.words(w, s, at, lane, values[1]); list != nil {
			if len(list) < maxWords {
				list[key] = carriedNumber{values[0], n.paths.after(path, &s.Site)}
			}
			return
		}
	}
	key, offset := numKey{kind: kind, pc: s.PC, first: path.second().site.PC}, uint64(0)
	if s.Mem.Space != ir.NoSpace {
		e := exec.Env{Windows: n.windows}
		id, bank, addr := e.Resolve(&s.Mem, values[1]+s.offset)
		if banks := n.memory[id]; int(bank) < len(banks) && banks[bank] != nil {
			if seg, ok := banks[bank].Find(addr); ok {
				key.buffer, offset = seg.Name, addr-seg.Base
			}
		}
	}
	x := n.find(key, s, at, lane, values, path)
	if x != nil {
		x.Output, x.Buffer, x.Offset = s.Mem.Space == ir.NoSpace, key.buffer, offset
	}
	n.told(x)
}

// find counts a finding. It returns it if it is a new one.
func (n *Numeric) find(k numKey, s *numSite, at *exec.Where, lane int, values []uint64, path *step) *Number {
	if x := n.found[k]; x != nil {
		x.Count++
		return nil
	}
	code := n.code.Unwrap()
	x := &Number{Kind: k.kind, Kernel: at.Kernel, Group: at.Group, Wave: at.Wave, Lanes: 1 << lane, At: instructionAt(code, k.pc), Count: 1}
	all := make([]Value, len(values))
	for i, v := range values {
		all[i] = Value{s.types[i], v}
	}
	switch {
	case k.kind == Decides:
		x.Operands = all
	case k.kind == StoresNaN || k.kind == StoresInfinity:
		x.Result = Value{ir.FloatOf(max(16, s.typ.Bits())), values[0]}
	default:
		x.Result, x.Operands = all[0], all[1:]
	}
	if path != nil {
		steps, left := path.list()
		for _, s := range steps {
			x.Path = append(x.Path, instructionAt(code, s.site.PC))
		}
		x.Left = left
		for ; path.site != nil; path = path.from {
			x.through = append(x.through, path.site.PC)
		}
	}
	n.found[k] = x
	return x
}

// told tells of a new finding; nil: there is none.
func (n *Numeric) told(x *Number) {
	if x != nil && n.tell != nil {
		n.tell(x.Finding())
	}
}

// Finding returns it as a finding.
func (x *Number) Finding() Finding {
	lane := bits.TrailingZeros64(x.Lanes)
	f := Finding{Rule: numericRules[x.Kind], Kernel: x.Kernel, Group: x.Group, Count: x.Count, Unit: "lane", Left: x.Left, At: Side{"result", x.At, x.Group, x.Wave, lane, nil}}
	who := f.At.who(false)
	operands := ""
	for i, v := range x.Operands {
		if i > 0 {
			operands += ", "
		}
		operands += v.String()
	}
	switch x.Kind {
	case MakesNaN, MakesInfinity:
		f.Msg = fmt.Sprintf("the result is %v in %s, of %s", x.Result, who, operands)
	case DividesByZero:
		f.Msg = fmt.Sprintf("divides by zero in %s: the result is %v, of %s", who, x.Result, operands)
	case StoresNaN, StoresInfinity:
		f.At.Role, f.Buffer, f.Offset = "store", x.Buffer, x.Offset
		where := "stored in global memory"
		switch {
		case x.Output:
			f.At.Role, where = "output", "put out"
		case x.Buffer != "":
			where = fmt.Sprintf("stored in %q at +%#x", x.Buffer, x.Offset)
		}
		f.Msg = fmt.Sprintf("%v is %s by %s", x.Result, where, who)
	case Decides:
		f.At.Role = "branch"
		f.Msg = fmt.Sprintf("a comparison of %s decides in %s", operands, who)
	case Converts:
		f.Msg = fmt.Sprintf("%v is outside of what the result can hold in %s: it is %v", x.Operands[0], who, x.Result)
	case Flushes:
		f.Msg = fmt.Sprintf("a denormal is flushed in %s: the result is %v, of %s", who, x.Result, operands)
	}
	for i, in := range x.Path {
		role := "through"
		if i == 0 {
			role = "made by"
		}
		f.Others = append(f.Others, Side{role, in, x.Group, x.Wave, lane, nil})
	}
	return f
}
