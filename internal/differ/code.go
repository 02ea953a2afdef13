package differ

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/attila"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/mem"
)

// makers are the code makers of each variant and stage of a set.
type makers struct {
	targets []*isa.Target
	makers  []*laws.Maker
}

func makersOf(t testing.TB, s *isa.Set) *makers {
	ms := &makers{}
	for v := range s.Variants {
		for st := range max(1, len(s.Stages)) {
			tg := s.At(v, st)
			ms.targets = append(ms.targets, tg)
			ms.makers = append(ms.makers, laws.NewMaker(t, tg))
		}
	}
	return ms
}

// spaceBytes is the size of each address space of the code; small addresses in registers are below half of it.
const spaceBytes = 1 << 12

// maxBanks limits the spaces of a kind; others do not exist.
const maxBanks = 2

// subject returns a sequence of instructions.
func (ms *makers) subject(r *rand.Rand, width int) *subject {
	i := r.IntN(len(ms.targets))
	tg := ms.targets[i]
	list := ms.makers[i].Sequence(r, 1+r.IntN(16))
	st := newState(tg.Machine(), width)
	w := &exectest.Wave{Start: st, World: worldOf(r, st), Marks: codeMarks}
	exectest.RandomState(r, st, ir.Key{})
	addresses(r, st)
	if f := prepare[tg.Set.Name]; f != nil {
		f(r, st)
	}
	st.Goto(0)
	return ofSequence(w, tg, ms.makers[i], list, r.Uint64())
}

// ofSequence returns the subject of a list of bundles; seed selects the targets of branches.
func ofSequence(w *exectest.Wave, tg *isa.Target, m *laws.Maker, list [][]byte, seed uint64) *subject {
	code := m.Join(rand.New(rand.NewPCG(seed, 1)), list)
	made := *w
	made.Code = &isa.Program{Target: tg, Code: code}
	return &subject{wave: &made, text: func() string { return listing(tg, code) }, smaller: func(yield func(*subject) bool) {
		for n := len(list) / 2; n > 0; n /= 2 {
			for i := 0; i+n <= len(list) && n < len(list); i += n {
				if !yield(ofSequence(w, tg, m, slices.Delete(slices.Clone(list), i, i+n), seed)) {
					return
				}
			}
		}
	}}
}

// listing is code with its addresses and bytes.
func listing(tg *isa.Target, code []byte) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s\n", tg)
	var b isa.Bundle
	for off := 0; off < len(code); {
		n, text := min(tg.Unit, len(code)-off), "no instruction"
		if tg.DecodeBundle(code[off:], uint64(off), &b) == nil {
			n, text = b.Size(), string(tg.Print(nil, &b))
		}
		fmt.Fprintf(&s, "%#6x  %-24x  %s\n", off, code[off:off+n], text)
		off += n
	}
	return s.String()
}

// worldOf returns the spaces of the machine at address 0.
func worldOf(r *rand.Rand, st *exec.State) *exectest.World {
	m := st.Machine
	w := exectest.NewWorld(r, st.Lanes)
	var spaces exec.Spaces
	var private []*mem.Private
	for id := range ir.SpaceID(ir.NumSpaces) {
		for bank := range min(int(m.Spaces[id]), maxBanks) {
			switch id {
			case ir.FlatSpace:
			case ir.PrivateSpace:
				private = append(private, w.Private(r, 0, spaceBytes/8, st.Lanes))
			default:
				spaces[id] = append(spaces[id], w.Space(r, fmt.Sprintf("%s:%d", id, bank), 0, spaceBytes))
			}
		}
	}
	w.Change(func(env *exec.Env) {
		env.Spaces, env.Private, env.Streams = spaces, private, nil
		env.Windows = []exec.Window{{Base: 0x10000, Size: spaceBytes, Space: ir.GroupSpace}}
		if len(private) > 0 {
			env.Windows = append(env.Windows, exec.Window{Base: 0x20000, Size: spaceBytes / 8, Space: ir.PrivateSpace})
		}
	})
	return w
}

// addresses sets most even registers to small addresses, and odd ones to zero, so that a pair is an address, too.
func addresses(r *rand.Rand, st *exec.State) {
	m := st.Machine
	for f := range m.Files {
		file := &m.Files[f]
		if file.Kind != ir.Lane32 && file.Kind != ir.Wave32 || r.IntN(4) == 0 {
			continue
		}
		for i := range min(file.Count, 128) {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			if c == m.Mode || r.IntN(4) == 0 {
				continue
			}
			at, step := r.Uint32N(spaceBytes/2)&^15, r.Uint32N(5)*4
			for lane := range st.Lanes {
				v := uint32(0)
				if i%2 == 0 {
					v = at + step*uint32(lane)
				}
				st.Set(c, lane, v)
			}
		}
	}
}

// prepare sets what a set needs besides.
var prepare = map[string]func(r *rand.Rand, st *exec.State){
	"gcn": func(r *rand.Rand, st *exec.State) {
		st.Set(gcn.CellMode, 0, []uint32{0x3c0, 0x3c0, 0x2c0, r.Uint32()}[r.IntN(4)])
		st.Set(gcn.CellM0, 0, 0x3f0)
		st.Set(gcn.CellPrivateBase, 0, 0x20000)
		st.Set(gcn.CellSharedBase, 0, 0x10000)
	},
	"attila": func(r *rand.Rand, st *exec.State) {
		for lane := range st.Lanes {
			st.Set(ir.Cell{File: attila.FileSample}, lane, uint32(lane%3))
			for c := range 4 * attila.NumAddr {
				st.Set(ir.Cell{File: attila.FileA, Index: uint16(c)}, lane, uint32(lane+c))
			}
		}
	},
	"tesla": func(r *rand.Rand, st *exec.State) {
		kinds := []exec.TokenKind{exec.TokenBranch, exec.TokenCall, exec.TokenBreak}
		for range r.IntN(4) {
			st.Stack = append(st.Stack, exec.Token{Kind: kinds[r.IntN(len(kinds))], PC: 0, Mask: st.Full})
		}
	},
}
