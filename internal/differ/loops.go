package differ

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// Loops as compilers write them for GCN: counted loops, loops that lanes leave one after the other, ifs inside, loads,
// stores, calls of functions at addresses in registers.
// Random sequences of instructions hardly ever contain them.

// loopMarks limits runs of loops.
const loopMarks = 4000

// A looper writes the text of a loop, one line each.
type looper struct {
	r      *rand.Rand
	lines  []string
	labels int
	pairs  []int // numbers of scalar register pairs for masks
	quiet  bool  // the loop has no per-wave values except its masks
	calls  bool  // the loop calls functions
}

// loopSubject returns a program with a loop, or with a nested one.
func loopSubject(r *rand.Rand, width int) *subject {
	s := gcn.Set()
	tg := s.At(slices.IndexFunc(s.Variants, func(v isa.Variant) bool { return v.Name == "gfx8" }), 0)
	w := &looper{r: r, quiet: r.IntN(2) == 0, calls: r.IntN(3) == 0}
	w.addresses()
	if r.IntN(3) == 0 {
		w.escape()
	} else {
		w.loop(1 + r.IntN(2))
	}
	w.body(2)
	w.put("s_endpgm")
	w.functions()
	st := newState(tg.Machine(), width)
	wave := &exectest.Wave{Start: st, World: worldOf(r, st), Marks: loopMarks}
	exectest.RandomState(r, st, ir.Key{})
	prepareLoop(r, st)
	st.Goto(0)
	return ofText(wave, tg, w.lines)
}

// edges are floats at boundaries of classes.
var edges = []uint32{0, 1, 0x80000000, 0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00800000, 0x807fffff}

// prepareLoop sets the inputs of loops: small numbers in v0 to v7, addresses in v8 to v11, often of
// consecutive words, and s[0:1].
func prepareLoop(r *rand.Rand, st *exec.State) {
	prepare["gcn"](r, st)
	kind := r.IntN(5)
	for i := range 12 {
		first, step, apart := r.Uint32N(8), r.Uint32N(16), 64*r.Uint32N(2)
		for lane := range st.Lanes {
			var v uint32
			switch {
			case i == 9 || i == 11:
			case i >= 8:
				v = uint32(lane*4) + apart*r.Uint32N(2)
			case kind == 0:
				v = r.Uint32N(40)
			case kind == 1:
				v = 0x3f800000 + r.Uint32N(1<<22)
			case kind == 2:
				v = edges[r.IntN(len(edges))]
			default: // adjacent lanes go together
				v = first + step*uint32(lane/16)
			}
			st.Set(ir.Cell{File: gcn.FileV, Index: uint16(i)}, lane, v)
		}
	}
	for i, v := range []uint32{256, 0} {
		st.Set(ir.Cell{File: gcn.FileS, Index: uint16(i)}, 0, v)
	}
	if r.IntN(3) > 0 {
		st.Live, st.Exec = st.Full, st.Full
	}
}

// ofText returns the subject of a program's lines.
func ofText(w *exectest.Wave, tg *isa.Target, lines []string) *subject {
	made := *w
	text := strings.Join(lines, "\n") + "\n"
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{NoLint: true})
	if len(errs) > 0 {
		panic(fmt.Sprintf("%v\n%s", errs[0], text))
	}
	made.Code = &isa.Program{Target: tg, Code: a.Code}
	return &subject{wave: &made, text: func() string { return text }, smaller: func(yield func(*subject) bool) {
		for i, l := range lines {
			if strings.HasPrefix(l, "v_") || strings.HasPrefix(l, "flat_") {
				if !yield(ofText(w, tg, slices.Delete(slices.Clone(lines), i, i+1))) {
					return
				}
			}
		}
	}}
}

func (w *looper) put(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *looper) label() string {
	w.labels++
	return fmt.Sprintf("L%d", w.labels)
}

// pair allocates a pair of scalar registers.
func (w *looper) pair() int {
	n := 20 + 2*len(w.pairs)
	w.pairs = append(w.pairs, n)
	return n
}

// loop writes a loop, with nested ones up to depth.
func (w *looper) loop(depth int) {
	head := w.label()
	if w.r.IntN(2) == 0 {
		count := 8 + len(w.pairs)
		w.put("s_mov_b32 s%d, %d", count, 1+w.r.IntN(60))
		w.put("%s:", head)
		w.inside(depth)
		w.put("s_add_i32 s%d, s%d, -1", count, count)
		w.put("s_cmp_lg_u32 s%d, 0", count)
		w.put("s_cbranch_scc1 %s", head)
		return
	}
	done := w.pair()
	saved := w.pair()
	w.put("s_mov_b64 s[%d:%d], exec", saved, saved+1)
	w.put("s_mov_b64 s[%d:%d], 0", done, done+1)
	w.put("v_mov_b32 v12, 0")
	w.put("%s:", head)
	w.inside(depth)
	w.put("v_add_u32 v12, vcc, 1, v12")
	w.put("v_cmp_lt_u32 vcc, %d, v12", w.r.IntN(60))
	switch w.r.IntN(3) {
	case 0:
		w.put("s_mov_b64 s[4:5], vcc")
		w.put("v_cmp_lt_u32 vcc, v%d, v12", w.r.IntN(8))
		w.put("s_or_b64 vcc, vcc, s[4:5]")
	case 1:
		w.put("v_cmp_lt_u32 s[4:5], v%d, v12", w.r.IntN(8))
		w.put("s_or_b64 vcc, vcc, s[4:5]")
	}
	w.put("s_or_b64 s[%d:%d], vcc, s[%d:%d]", done, done+1, done, done+1)
	w.put("s_andn2_b64 exec, exec, s[%d:%d]", done, done+1)
	w.put("s_cbranch_execnz %s", head)
	w.put("s_%s exec, exec, s[%d:%d]", []string{"or_b64", "or_b64", "mov_b64"}[w.r.IntN(2)], done, done+1)
	if w.r.IntN(2) == 0 {
		w.put("s_mov_b64 exec, s[%d:%d]", saved, saved+1)
	}
}

// escape writes a loop that lanes leave from a nested if, followed only by mask operations.
func (w *looper) escape() {
	head, join, inner := w.label(), w.label(), w.label()
	done, leave, saved, held := w.pair(), w.pair(), w.pair(), w.pair()
	w.put("v_mov_b32 v12, 0")
	w.put("s_mov_b64 s[%d:%d], 0", done, done+1)
	w.put("%s:", head)
	if w.r.IntN(2) == 0 {
		w.put("v_cmp_gt_u32 vcc, %d, v12", w.r.IntN(60))
	} else {
		w.put("v_cmp_gt_u32 vcc, v%d, v12", w.r.IntN(8))
	}
	w.put("s_or_b64 s[%d:%d], s[%[1]d:%[2]d], exec", leave, leave+1)
	w.put("s_and_saveexec_b64 s[%d:%d], vcc", saved, saved+1)
	w.put("s_cbranch_execz %s", join)
	w.body(1 + w.r.IntN(4))
	w.put("v_add_u32 v12, vcc, 1, v12")
	w.put("v_cmp_%s vcc, v%d, v%d", []string{"lt_u32", "nlt_f32", "ne_u32"}[w.r.IntN(3)], w.r.IntN(8), w.r.IntN(8))
	w.put("s_and_saveexec_b64 s[%d:%d], vcc", held, held+1)
	w.put("s_cbranch_execz %s", inner)
	w.body(1 + w.r.IntN(4))
	w.put("%s:", inner)
	w.put("s_or_b64 exec, exec, s[%d:%d]", held, held+1)
	w.put("v_cmp_%s vcc, v%d, v%d", []string{"lt_u32", "lt_f32", "eq_u32"}[w.r.IntN(3)], w.r.IntN(8), w.r.IntN(8))
	w.put("s_andn2_b64 s[%d:%d], s[%[1]d:%[2]d], exec", leave, leave+1)
	w.put("s_and_b64 s[%d:%d], vcc, exec", held, held+1)
	w.put("s_or_b64 s[%d:%d], s[%[1]d:%[2]d], s[%d:%d]", leave, leave+1, held, held+1)
	w.put("%s:", join)
	w.put("s_or_b64 exec, exec, s[%d:%d]", saved, saved+1)
	w.put("s_and_b64 s[%d:%d], exec, s[%d:%d]", saved, saved+1, leave, leave+1)
	w.put("s_or_b64 s[%d:%d], s[%d:%d], s[%[1]d:%[2]d]", done, done+1, saved, saved+1)
	w.put("s_andn2_b64 exec, exec, s[%d:%d]", done, done+1)
	w.put("s_cbranch_execnz %s", head)
	w.put("s_or_b64 exec, exec, s[%d:%d]", done, done+1)
}

// The addresses of functions are in the pairs s[90:91] and s[94:95]. They return to s[92:93].

// addresses loads the addresses of the functions.
func (w *looper) addresses() {
	for i := 0; w.calls && i < 2; i++ {
		low, here := 90+4*i, w.label()
		w.put("s_getpc_b64 s[%d:%d]", low, low+1)
		w.put("%s:", here)
		w.put("s_add_u32 s%d, s%[1]d, F%d-%s", low, i, here)
		w.put("s_addc_u32 s%d, s%[1]d, 0", low+1)
	}
}

// functions writes the functions.
func (w *looper) functions() {
	for i := 0; w.calls && i < 2; i++ {
		w.put("F%d:", i)
		w.body(w.r.IntN(4))
		w.put("s_setpc_b64 s[92:93]")
	}
}

// call writes a call of either function, or of one that is chosen when it runs.
func (w *looper) call() {
	switch w.r.IntN(3) {
	case 0:
		w.put("s_swappc_b64 s[92:93], s[90:91]")
	case 1:
		w.put("s_swappc_b64 s[92:93], s[94:95]")
	default:
		w.put("v_cmp_lt_u32 s[96:97], v%d, v%d", w.r.IntN(8), w.r.IntN(8))
		w.put("s_cmp_lg_u32 s96, 0")
		w.put("s_cselect_b32 s96, s90, s94")
		w.put("s_cselect_b32 s97, s91, s95")
		w.put("s_swappc_b64 s[92:93], s[96:97]")
	}
}

// inside writes the body of a loop.
func (w *looper) inside(depth int) {
	w.body(1 + w.r.IntN(6))
	for range 4 {
		if w.calls && w.r.IntN(2) == 0 {
			w.call()
		}
	}
	if depth > 1 && w.r.IntN(2) == 0 {
		w.loop(depth - 1)
	}
	if w.r.IntN(2) == 0 {
		skip, saved := w.label(), w.pair()
		w.put("v_cmp_%s vcc, v%d, v%d", []string{"lt_u32", "lt_f32", "nlt_f32", "eq_u32"}[w.r.IntN(4)], w.r.IntN(8), w.r.IntN(8))
		w.put("s_and_saveexec_b64 s[%d:%d], vcc", saved, saved+1)
		w.put("s_cbranch_execz %s", skip)
		w.body(1 + w.r.IntN(4))
		w.put("%s:", skip)
		w.put("s_or_b64 exec, exec, s[%d:%d]", saved, saved+1)
		w.body(w.r.IntN(3))
	}
}

// body writes n instructions.
func (w *looper) body(n int) {
	r := w.r
	v := func() int { return r.IntN(8) }
	for range n {
		n := r.IntN(16)
		if w.quiet && (n == 2 || n == 4 || n == 6 || n == 8) {
			n = 15
		}
		switch n {
		case 0:
			if n := 1 + r.IntN(4); n == 1 {
				w.put("flat_load_dword v%d, v[8:9]", v())
			} else {
				first := r.IntN(9 - n)
				w.put("flat_load_dwordx%d v[%d:%d], v[8:9]", n, first, first+n-1)
			}
		case 1:
			w.put("flat_load_ubyte v%d, v[10:11]", v())
		case 2:
			w.put("s_load_dword s6, s[0:1], %d", 4*r.IntN(8))
			w.put("v_xor_b32 v%d, s6, v%d", v(), v())
		case 3:
			w.put("v_add_u32 v8, vcc, %d, v8", 4*r.IntN(2))
			w.put("v_addc_u32 v9, vcc, 0, v9, vcc")
		case 4:
			w.put("v_cndmask_b32 v%d, v%d, v%d, vcc", v(), v(), v())
		case 5:
			w.put("v_mad_f32 v%d, v%d, v%d, v%d", v(), v(), v(), v())
		case 6:
			w.put("s_add_i32 s7, s7, %d", 1+r.IntN(3))
			w.put("v_add_u32 v%d, vcc, s7, v%d", v(), v())
		case 7:
			x, y := r.IntN(7), r.IntN(7)
			w.put("v_add_f64 v[%d:%d], v[%d:%d], v[%[1]d:%[2]d]", x, x+1, y, y+1)
		case 8:
			w.put("s_add_u32 s18, s18, %d", r.Int32())
			w.put("s_addc_u32 s19, s19, s6")
		case 9:
			w.put("flat_store_dword v[%s], v%d", []string{"8:9", "10:11"}[r.IntN(2)], v())
		default:
			op := []string{"v_mul_f32", "v_add_f32", "v_sub_f32", "v_max_f32", "v_xor_b32", "v_and_b32", "v_max_u32", "v_lshlrev_b32"}[r.IntN(8)]
			w.put("%s v%d, v%d, v%d", op, v(), v(), v())
		}
	}
}
