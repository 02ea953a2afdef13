package teslarun

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/reals"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/tesla"
)

// operands are the inputs of a formula in one thread: sources, the old destination, and the flags that the instruction
// reads as data. Halves and words are zero-extended, s[] operands extended by their type.
type operands struct {
	a, b, k, d uint64
	flags      uint8
	lane       int
}

// An inst is an instruction with all its forms. The text has placeholders: {C} the $c that is written, {D} the
// destination, {A}, {B}, {K} the sources, {Y} the $c that is read.
type inst struct {
	text string
	// types are those of {D}, {A}, {B} and {K}: h half, w word, q double word; as floats e, f, g; s signed half; -
	// none.
	types string
	// can lists the forms: S short, I immediate, X in these the third source is the destination, M memory as source 1,
	// C and K c[] as source 2 and 3, O o[] and # as destination, F flags, L no long form with this text, T: the long
	// form has {B} in the field of source 3.
	can  string
	f    func(o *operands) (v uint64, flags uint8)
	from int  // first variant that has it
	only bool // no other variant has it
}

// A form is one way to write the operands of an instruction.
type form struct {
	long          bool
	d, a, b, k    string // locations, see place
	flags         int    // the $c that is written; -1: none
	guard         bool
	stage         int
	thirdIsResult bool
}

// plain has registers that all forms permit.
var plain = form{d: "r4", a: "r8", b: "r12", k: "r16", flags: -1, stage: tesla.CP}

func (f form) with(change func(f *form)) form { change(&f); return f }

// forms returns all ways to write an instruction.
func (n *inst) forms() (fs []form) {
	add := func(letters string, change func(f *form)) {
		for _, c := range letters {
			if !strings.ContainsRune(n.can, c) {
				return
			}
		}
		fs = append(fs, plain.with(change))
	}
	short := func(f *form) { f.thirdIsResult = strings.ContainsRune(n.can, 'X') }
	long := func(f *form) { f.long = true }
	add("S", short)
	add("S", func(f *form) { short(f); f.stage = tesla.FP })
	if !strings.ContainsRune(n.can, 'L') {
		add("", long)
		add("", func(f *form) { long(f); f.guard = true; f.stage = tesla.VP })
		add("", func(f *form) { long(f); f.d, f.a, f.b, f.k = n.high(0), n.high(1), n.high(2), n.high(3) })
		add("F", func(f *form) { long(f); f.flags = 1 })
		add("F", func(f *form) { long(f); f.flags, f.guard, f.stage = 3, true, tesla.GP })
		add("O", func(f *form) { long(f); f.d = "o" })
		add("OF", func(f *form) { long(f); f.d, f.flags = "#", 0 })
		add("C", func(f *form) { long(f); f.b = "c9" })
		add("C", func(f *form) { long(f); f.b, f.stage = "c9+", tesla.FP })
		add("K", func(f *form) { long(f); f.k = "c9" })
		add("KF", func(f *form) { long(f); f.k, f.stage, f.flags = "c9+", tesla.VP, 2 })
		add("M", func(f *form) { long(f); f.a, f.stage = "a", tesla.VP })
		add("M", func(f *form) { long(f); f.a, f.stage = "p", tesla.GP })
		add("MC", func(f *form) { long(f); f.a, f.b, f.stage = "a", "c9+", tesla.VP })
		if n.types[3] == '-' { // else source 3 would be c[], too
			add("MC", func(f *form) {
				long(f)
				f.a, f.b, f.stage = "p", "c9", tesla.GP
				if strings.ContainsRune(n.can, 'T') && size(n.types[2]) == 4 { // docs/reference/tesla.md 5.7
					f.b = "c9/2"
				}
			})
		}
	}
	add("SC", func(f *form) { short(f); f.b = "c1" })
	add("SC", func(f *form) { short(f); f.b, f.stage = "c1+", tesla.VP })
	add("I", func(f *form) { short(f); f.b = "imm" })
	for _, s := range n.sharedTypes() {
		add("SM", func(f *form) { short(f); f.a = s })
		add("SM", func(f *form) { short(f); f.a = s + "+" })
		add("SM", func(f *form) { short(f); f.a = s + "++" })
		add("IM", func(f *form) { short(f); f.a, f.b = s, "imm" })
		if !strings.ContainsRune(n.can, 'L') {
			add("M", func(f *form) { long(f); f.a = s })
			add("M", func(f *form) { long(f); f.a, f.guard = s+"++", true })
			add("MC", func(f *form) { long(f); f.a, f.b = s+"+", "c9" })
			add("MKF", func(f *form) { long(f); f.a, f.k, f.flags = s, "c9", 0 })
		}
	}
	return fs
}

// sharedTypes returns the types of s[] as source 1.
func (n *inst) sharedTypes() []string {
	switch n.types[1] {
	case 'h':
		return []string{"u8", "u16"}
	case 's':
		return []string{"u8", "s16"}
	case 'e':
		return []string{"u16"}
	}
	return []string{"u8", "u16", "s16", "b32"}
}

// high returns a register that only long forms can name.
func (n *inst) high(i int) string {
	switch n.types[i] {
	case 'h', 's', 'e':
		return fmt.Sprintf("r%d", 40+7*i)
	case 'q', 'g':
		return fmt.Sprintf("r%d", 90+10*i)
	}
	return fmt.Sprintf("r%d", 90+7*i)
}

// value returns a random operand of a type.
func value(typ byte, rnd *rand.Rand) uint64 {
	switch typ {
	case 'h', 's':
		return uint64(reals.EdgeInt(rnd)) & 0xffff
	case 'q':
		return uint64(reals.EdgeInt(rnd))<<32 | uint64(reals.EdgeInt(rnd))
	case 'e':
		return edge(half, rnd)
	case 'f':
		return edge(single, rnd)
	case 'g':
		return edge(double, rnd)
	}
	return uint64(reals.EdgeInt(rnd))
}

// A placed operand has a text, and a value in each thread.
type placed struct {
	text string
	v    [tesla.Lanes]uint64
}

// fill sets a value in each thread, different ones or the same.
func (p *placed) fill(typ byte, rnd *rand.Rand, one bool) {
	for i := range p.v {
		if p.v[i] = value(typ, rnd); one {
			p.v[i] = p.v[0]
		}
	}
}

// place puts an operand of a type in a location: rN a register; c9 c[], imm an immediate; a, p inputs of the stage; u8,
// u16, s16, b32 s[]. With + the address has $a2, with ++ it is incremented. With /2 texts show half of the offset.
func (w *warp) place(at string, typ byte, rnd *rand.Rand) (p placed) {
	base := strings.TrimRight(at, "+")
	plus := len(at) - len(base)
	p.fill(typ, rnd, base[0] != 'r' && plus == 0)
	switch {
	case base[0] == 'r':
		w.placeReg(&p, base, typ, rnd)
	case base == "imm":
		p.text = fmt.Sprintf("%#x", p.v[0])
	case base[0] == 'c':
		w.placeConst(&p, base, plus, size(typ))
	case base == "a" || base == "p":
		w.placeInput(&p, base, typ)
	default:
		w.placeShared(&p, base, typ, plus)
	}
	return p
}

func (w *warp) placeReg(p *placed, name string, typ byte, rnd *rand.Rand) {
	var n int
	fmt.Sscanf(name, "r%d", &n)
	p.text = "$" + name
	switch size(typ) {
	case 2:
		high := rnd.IntN(2)
		p.text += string("lh"[high])
		w.set(n, func(lane int) uint32 { return uint32(p.v[lane])<<(16*high) | 0xa5c3<<(16-16*high) })
		return
	case 8:
		p.text += "d"
		w.set(n+1, func(lane int) uint32 { return uint32(p.v[lane] >> 32) })
	}
	w.set(n, func(lane int) uint32 { return uint32(p.v[lane]) })
}

// size returns the size of a type in bytes.
func size(typ byte) int {
	return map[byte]int{'h': 2, 's': 2, 'e': 2, 'q': 8, 'g': 8}[typ] + map[bool]int{true: 4}[typ == 'w' || typ == 'f']
}

// addressed sets $a2 so that each thread has its own element, and returns a function for the byte address in a thread.
func (w *warp) addressed(plus, offset int) func(lane int) int {
	if plus == 0 {
		return func(int) int { return offset }
	}
	if plus == 2 {
		offset = 0
	}
	for lane := range tesla.Lanes {
		w.st.Set(addr(2), lane, uint32(0x100+8*(31-lane)))
	}
	return func(lane int) int { return 0x100 + 8*(31-lane) + offset }
}

// address returns the text between the brackets.
func address(plus, offset int) string {
	return []string{"", "$a2+", "$a2++"}[plus] + fmt.Sprintf("%#x", offset)
}

func (w *warp) placeConst(p *placed, name string, plus, n int) {
	var bank int
	fmt.Sscanf(name, "c%d", &bank)
	offset := 6 * n
	at := w.addressed(plus, offset)
	for lane := range tesla.Lanes {
		putSized(w.consts(bank)[at(lane):], p.v[lane], n)
	}
	if strings.HasSuffix(name, "/2") {
		offset /= 2
	}
	p.text = fmt.Sprintf("c%d[%s]", bank, address(plus, offset))
}

func putSized(b []byte, v uint64, n int) {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], v)
	copy(b, all[:n])
}

// inputWord is the word of a[] or p[] that operands name. In placeInput a[] takes no address register; p[] has its word
// by $a2.
const inputWord = 9

func (w *warp) placeInput(p *placed, name string, typ byte) {
	for lane := range tesla.Lanes {
		if size(typ) == 2 { // the low half is used
			p.v[lane] |= 0xbeef0000
		}
		if name == "p" {
			w.primitive[lane] = uint32(p.v[lane])
		} else {
			w.input(inputWord)[lane] = uint32(p.v[lane])
		}
		p.v[lane] &= 1<<(8*size(typ)) - 1
	}
	p.text = fmt.Sprintf("%s[%#x]", name, 4*inputWord)
}

func (w *warp) placeShared(p *placed, name string, typ byte, plus int) {
	n := map[string]int{"u8": 1, "u16": 2, "s16": 2, "b32": 4}[name]
	at := w.addressed(plus, 5*n)
	for lane := range tesla.Lanes {
		putSized(w.shared[at(lane):], p.v[lane], n)
	}
	for lane := range tesla.Lanes {
		v := uint64(word(w.shared, at(lane))) & (1<<(8*n) - 1)
		if name == "s16" {
			v = uint64(uint32(int16(v)))
		}
		p.v[lane] = v & (1<<(8*size(typ)) - 1)
	}
	p.text = fmt.Sprintf("%s s[%s]", name, address(plus, 5*n))
}

// check runs the instruction in all forms of a variant, some rounds each.
func (n *inst) check(t *testing.T, variant, rounds int) {
	t.Helper()
	for i, f := range n.forms() {
		rnd := rand.New(rand.NewPCG(uint64(i), uint64(len(n.text))))
		for range rounds {
			if !n.once(t, variant, &f, rnd) {
				return
			}
		}
	}
}

// glance runs the first form on a variant, after an older one has been checked completely.
func (n *inst) glance(t *testing.T, variant int) {
	t.Helper()
	f := n.forms()[0]
	n.once(t, variant, &f, rand.New(rand.NewPCG(uint64(variant), 1)))
}

// once runs a form on 32 threads.
func (n *inst) once(t *testing.T, variant int, f *form, rnd *rand.Rand) bool {
	t.Helper()
	w := newWarp(t, variant, f.stage)
	for c := range 4 {
		w.setFlags(c, func(int) uint8 { return uint8(rnd.IntN(16)) })
	}
	reads := 0 // the $c that is read
	if f.long {
		reads = rnd.IntN(4)
	}
	var ops [4]placed
	text := n.text
	for i, at := range []string{f.d, f.a, f.b, f.k} {
		name := "{" + string("DABK"[i]) + "}"
		switch {
		case n.types[i] == '-' || at == "":
		case i == 3 && f.thirdIsResult:
			ops[i] = ops[0]
		case i == 0 && at == "o":
			ops[i].text = fmt.Sprintf("o[%#x]", 10*size(n.types[0]))
		case i == 0 && at == "#":
			ops[i].text = "#"
		default:
			ops[i] = w.place(at, n.types[i], rnd)
		}
		text = strings.ReplaceAll(text, name, ops[i].text)
	}
	code, guard := rnd.IntN(20), ""
	if code > 15 {
		code += 12
	}
	if f.guard && code != 15 {
		guard = fmt.Sprintf("(%s $c%d) ", conditionNames[code], reads)
	}
	c := ""
	if f.flags >= 0 {
		c = fmt.Sprintf("$c%d ", f.flags)
	}
	text = guard + strings.NewReplacer("{C}", c, "{Y}", fmt.Sprintf("$c%d", reads)).Replace(text)
	if f.long {
		text = "long " + text
	}
	old := w.st.Snapshot()
	w.run(text)
	return n.compare(w, f, text, ops, reads, old, func(lane int) bool {
		return guard == "" || holds(code, flagsOf(old.Get, reads, lane))
	})
}

// again returns a command that reproduces an instruction in a thread and state: the instruction itself if it accesses
// no memory, else the test.
func (w *warp) again(text string, st *exec.State, lane int) string {
	if strings.Contains(text, "[") {
		name, _, _ := strings.Cut(w.t.Name(), "/")
		return "go test ./internal/teslarun -run '^" + name + "$'"
	}
	var b strings.Builder
	variant := w.target.Variants[w.target.Variant].Name
	fmt.Fprintf(&b, "heddle eval --isa tesla:%s --stage %s '%s'", variant, w.target.Stages[w.target.Stage], text)
	for file := uint8(tesla.FileR); file <= tesla.FileC; file++ {
		for i := range tesla.Machine().Files[file].Count {
			c := ir.Cell{File: file, Index: uint16(i)}
			if v := st.Get(c, lane); v != 0 {
				fmt.Fprintf(&b, " %s=%#x", w.target.CellName(c), v)
			}
		}
	}
	return b.String()
}

func flagsOf(get func(c ir.Cell, lane int) uint32, n, lane int) (v uint8) {
	for bit := range 4 {
		v |= uint8(get(flag(n, bit), lane)) << bit
	}
	return v
}

// compare compares the result of the instruction with its formula.
func (n *inst) compare(w *warp, f *form, text string, ops [4]placed, reads int, old *exec.State, runs func(lane int) bool) bool {
	w.t.Helper()
	for lane := range tesla.Lanes {
		o := operands{a: ops[1].v[lane], b: ops[2].v[lane], k: ops[3].v[lane], d: ops[0].v[lane], flags: flagsOf(old.Get, reads, lane), lane: lane}
		v, fl := n.f(&o)
		if !runs(lane) {
			v = o.d
			if f.d == "o" {
				v = 0
			}
		}
		if got, ok := w.result(f, ops[0].text, n.types[0], lane); ok && got != v {
			w.t.Errorf("%s: %s, thread %d: %#x, %#x and %#x, flags %04b, before %#x, give %#x, want %#x\n\t%s", w.target, text, lane, o.a, o.b, o.k, o.flags, o.d, got, v, w.again(text, old, lane))
			return false
		}
		for c := range 4 {
			want := flagsOf(old.Get, c, lane)
			if c == f.flags && runs(lane) {
				want = fl
			}
			if got := w.flags(c, lane); got != want {
				w.t.Errorf("%s: %s, thread %d: %#x, %#x and %#x, flags %04b, leave %04b in $c%d, want %04b\n\t%s", w.target, text, lane, o.a, o.b, o.k, o.flags, got, c, want, w.again(text, old, lane))
				return false
			}
		}
	}
	return true
}

// result returns the value of the destination, if it has one; the other half of a register must be unchanged.
func (w *warp) result(f *form, text string, typ byte, lane int) (v uint64, ok bool) {
	if f.d == "#" {
		return 0, false
	}
	if f.d == "o" {
		c := ir.Cell{File: tesla.FileO, Index: 10}
		v = uint64(w.st.Get(c, lane))
		if size(typ) == 2 {
			c.Index = 5
			if v = uint64(w.st.Get(c, lane)); v>>16 != v&0xffff {
				w.t.Errorf("%s of thread %d is %#x: the halves differ", text, lane, v)
			}
			v &= 0xffff
		}
		return v, true
	}
	var r int
	fmt.Sscanf(f.d, "r%d", &r)
	v = uint64(w.st.Get(reg(r), lane))
	switch {
	case size(typ) == 8:
		v |= uint64(w.st.Get(reg(r+1), lane)) << 32
	case size(typ) == 2 && strings.HasSuffix(text, "h"):
		if v&0xffff != 0xa5c3 {
			w.t.Errorf("%s of thread %d changes the low half: %#x", text, lane, v)
		}
		v >>= 16
	case size(typ) == 2:
		if v>>16 != 0xa5c3 {
			w.t.Errorf("%s of thread %d changes the high half: %#x", text, lane, v)
		}
		v &= 0xffff
	}
	return v, true
}
