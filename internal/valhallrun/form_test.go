package valhallrun

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa/valhall"
)

// operands are the inputs of a formula in one thread: the sources with modifiers applied, the modifiers of the
// mnemonic, and the number after the sources.
type operands struct {
	a, b, c, d uint64
	imm        uint64
	mods       []string
	lane       int
}

// arch returns the instruction's architecture.
func (n *inst) arch() string { return cmp.Or(n.variant, "v9") }

// has reports whether the mnemonic has a modifier.
func (o *operands) has(m string) bool { return slices.Contains(o.mods, m) }

// An inst is an instruction with all its forms.
type inst struct {
	name string
	// mods are the modifiers of the mnemonic in order, mutually exclusive ones in one string: "- rtp rtn rtz".
	mods []string
	srcs string // one letter of kinds each
	imm  string // the format of a number after the sources: "#0x%X"; immBits is its width
	bits int
	// result is the type of the formula's result: i bits, f f32, e two f16, where any quiet NaN matches NaNs; q 64
	// bits; k one f16, h 16 bits: the destination is a half.
	result byte
	f      func(o *operands) uint64
	fills  [4]func(rnd *rand.Rand) uint64 // for sources that need other values than those of their kind
	// variant is the architecture; "": v9.
	variant string
}

// More results: an f32 that becomes f16 if the destination is a half, and one f16 in the low half of a word whose upper
// half is 0.
const (
	narrowing = 'N'
	lowHalf   = 'L'
)

// rounds is how often each combination of modifiers runs, on 16 threads.
const rounds = 30

// check runs the instruction with all its modifiers.
func (n *inst) check(t *testing.T) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(uint64(len(n.name)), uint64(n.name[0])))
	combinations := n.combinations()
	lanes := 1 // at least one combination for each swizzle
	for _, k := range n.srcs {
		lanes = max(lanes, len(kinds[k].lanes))
	}
	for range max(rounds, 3*lanes/len(combinations)) {
		for _, mods := range combinations {
			if !n.once(t, mods, rnd) {
				return
			}
		}
	}
}

// combinations returns the modifiers that the mnemonic may have together.
func (n *inst) combinations() [][]string {
	all := [][]string{nil}
	for _, m := range n.mods {
		var more [][]string
		for _, c := range all {
			for _, word := range strings.Fields(m) {
				if more = append(more, c[:len(c):len(c)]); word != "-" {
					more[len(more)-1] = append(c[:len(c):len(c)], word)
				}
			}
		}
		all = more
	}
	return all
}

// head returns the mnemonic with modifiers.
func (n *inst) head(mods []string) string {
	return strings.Join(append([]string{n.name}, mods...), ".")
}

// Locations of sources.
const (
	inRegister = iota
	inLast     // a register, with its last read
	inUniform
	inConstant
	numPlaces
)

// tableConstants are some constants of the table.
var tableConstants = []uint64{0, 0xffffffff, 0x7fffffff, 0x3f800000, 0x44000000, 0xfafcfdfe}

// once runs the instruction on 16 threads.
func (n *inst) once(t *testing.T, mods []string, rnd *rand.Rand) bool {
	t.Helper()
	dst, mask := n.destination(rnd)
	var options map[string]string
	if n.result == 'f' && mask != 0xffffffff { // half of a NaN is known only if it has no payload
		options = map[string]string{"nan": "canonical"}
	}
	w := newWarpOf(t, n.arch(), options)
	var texts []string
	var values [4][valhall.Lanes]uint64
	other := rnd.IntN(2 * len([]rune(n.srcs))) // the source that is no register, if there is one
	for i, letter := range []rune(n.srcs) {
		place := rnd.IntN(2)
		if i == other {
			place = rnd.IntN(numPlaces)
		}
		text, vs := n.source(w, i, kinds[letter], place, rnd)
		texts, values[i] = append(texts, text), vs
	}
	imm := rnd.Uint64() >> (64 - max(n.bits, 1))
	if n.imm != "" {
		texts = append(texts, fmt.Sprintf(n.imm, imm))
	}
	text := n.head(mods) + " " + strings.Join(append([]string{dst}, texts...), ", ")
	w.set(4, func(lane int) uint32 { return 0xa5c3_0000 | uint32(lane) })
	w.set(5, func(lane int) uint32 { return 0xb6d4_0000 | uint32(lane) })
	w.run(text)
	for lane := range valhall.Lanes {
		o := operands{a: values[0][lane], b: values[1][lane], c: values[2][lane], d: values[3][lane], imm: imm, mods: mods, lane: lane}
		if !n.compare(w, text, mask, &o) {
			return false
		}
	}
	return true
}

// source puts a source in a location; the values have their modifiers applied.
func (n *inst) source(w *warp, i int, k *kind, place int, rnd *rand.Rand) (text string, vs [valhall.Lanes]uint64) {
	fill := k.fill
	if n.fills[i] != nil {
		fill = n.fills[i]
	}
	at := 8 + 4*i
	one := fill(rnd)
	if place == inConstant {
		one = tableConstants[rnd.IntN(len(tableConstants))]
	}
	for lane := range vs {
		if vs[lane] = one; place <= inLast {
			vs[lane] = fill(rnd)
		}
	}
	switch place {
	case inUniform:
		text = fmt.Sprintf("u%d", at)
		w.setUniform(at, uint32(one))
		w.setUniform(at+1, uint32(one>>32))
	case inConstant:
		text = fmt.Sprintf("0x%X", one)
	default:
		text = fmt.Sprintf("%sr%d", []string{"", "^"}[place], at)
		w.set(at, func(lane int) uint32 { return uint32(vs[lane]) })
		if k.pair {
			w.set(at+1, func(lane int) uint32 { return uint32(vs[lane] >> 32) })
		}
	}
	neg, abs := k.float.Bits != 0 && rnd.IntN(3) == 0, k.float.Bits != 0 && rnd.IntN(3) == 0
	swz, not := k.lanes[rnd.IntN(len(k.lanes))], k.not && rnd.IntN(2) == 0
	for lane := range vs {
		v := resigned(k.float, swz.f(vs[lane]), neg, abs)
		if not {
			v = ^v
		}
		vs[lane] = v
	}
	for _, m := range []struct {
		on   bool
		text string
	}{{neg, ".neg"}, {abs, ".abs"}, {true, swz.text}, {not, ".not"}} {
		if m.on {
			text += m.text
		}
	}
	return text, vs
}

// destination returns r4 or one of its halves, and the bits that change.
func (n *inst) destination(rnd *rand.Rand) (text string, mask uint64) {
	choice := rnd.IntN(4)
	if n.result == 'k' || n.result == 'h' {
		choice %= 2
	}
	switch {
	case n.result == 'q':
		return "r4", ^uint64(0)
	case n.result == narrowing && choice == 2:
		return "r4.h01", 0xffffffff
	case choice < 2:
		return fmt.Sprintf("r4.h%d", choice), 0xffff << (16 * choice)
	}
	return "r4", 0xffffffff
}

// compare compares the result of the instruction with its formula.
func (n *inst) compare(w *warp, text string, mask uint64, o *operands) bool {
	w.t.Helper()
	want := n.f(o)
	if n.result == narrowing && (mask != 0xffffffff || strings.Contains(text, ".h01 ") || strings.Contains(text, ".h01,")) {
		narrow := inst{result: 'e'}
		h := half.Write(single.Read(want), o.rounding())
		want, n = h|h<<16, &narrow
	}
	if n.result == 'k' || n.result == 'h' {
		want |= want << 16
	}
	old := uint64(0xb6d40000_a5c30000) | uint64(o.lane)<<32 | uint64(o.lane)
	got := uint64(w.get(5, o.lane))<<32 | uint64(w.get(4, o.lane))
	want = want&mask | old&^mask
	got, want = n.quiet(got, mask), n.quiet(want, mask)
	if got != want {
		w.t.Errorf("%s, thread %d: sources %#x, %#x, %#x, %#x give %#x, want %#x", text, o.lane, o.a, o.b, o.c, o.d, got, want)
		return false
	}
	return true
}

// quiet replaces quiet NaNs in the masked result by one, because their payload is undocumented. Signalling NaNs are
// kept.
func (n *inst) quiet(v, mask uint64) uint64 {
	switch {
	case (n.result == 'f' || n.result == narrowing) && mask == 0xffffffff && single.IsNaN(v&mask) && v>>22&1 != 0:
		return v&^mask | single.NaN()
	case n.result == 'e' || n.result == 'k' || n.result == lowHalf:
		for at := 0; at < 32; at += 16 {
			if h := v >> at & 0xffff; mask>>at&1 != 0 && half.IsNaN(h) && h>>9&1 != 0 {
				v = v&^(0xffff<<at) | half.NaN()<<at
			}
		}
	}
	return v
}

// both applies f to each half of words.
func both(f func(a, b, c uint64) uint64) func(o *operands) uint64 {
	return func(o *operands) uint64 {
		return f(o.a&0xffff, o.b&0xffff, o.c&0xffff)&0xffff | f(o.a>>16&0xffff, o.b>>16&0xffff, o.c>>16&0xffff)&0xffff<<16
	}
}

// checkAll runs all instructions of a list.
func checkAll(t *testing.T, list []inst) {
	t.Helper()
	for i := range list {
		t.Run(list[i].name, func(t *testing.T) { list[i].check(t) })
	}
}
