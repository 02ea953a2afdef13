package exectest

import (
	"bytes"
	"math/rand/v2"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// windowBytes is the size of each segment that random blocks access.
const windowBytes = 256

var windows = []irgen.Window{
	{Space: ir.GlobalSpace, Base: 0x1_0000_0000, Size: windowBytes},
	{Space: ir.GroupSpace, Base: 0, Size: windowBytes},
	{Space: ir.PrivateSpace, Bank: 1, Base: 0x100, Size: windowBytes},
	{Space: ir.ConstSpace, Bank: 2, Base: 0, Size: windowBytes},
	{Space: ir.FlatSpace, Base: 0x7000_0000_0000, Size: windowBytes},
	{Space: ir.GlobalSpace, Bank: 2, Base: 0x2_0000_0000, Size: windowBytes},
}

// Windows are the segments of a World, for random blocks to access.
func Windows() []irgen.Window { return windows }

// Handles is the number of texture units, streams, inputs and outputs of a World.
const Handles = randomHandles

// A World is the environment of a wave, with all results of a run: memory, outputs, records of probes. Every run
// starts with the initial contents.
type World struct {
	env   exec.Env
	data  [][]byte // of env's segments
	fresh [][]byte // their contents at the start
	plug  plug     // of env
	heard hearing  // likewise
}

// NewWorld makes a world with random memory at Windows, and with resources for random blocks, for a wave of that
// many lanes.
func NewWorld(r *rand.Rand, lanes int) *World {
	w := EmptyWorld()
	w.env.Resources = randomResources()
	w.env.Inputs, w.env.Outputs = &w.plug, &w.plug
	w.env.Spaces = exec.Spaces{
		ir.GlobalSpace: {w.Space(r, "global", windows[0].Base, windowBytes), nil, w.Space(r, "global 2", windows[5].Base, windowBytes)},
		ir.GroupSpace:  {w.Space(r, "group", 0, windowBytes)},
		ir.ConstSpace:  {2: w.Space(r, "const", 0, windowBytes)},
	}
	w.env.Windows = []exec.Window{{Base: windows[4].Base, Size: windowBytes, Space: ir.GroupSpace}}
	w.env.Policy = exec.Policy(r.IntN(3))
	w.env.Private = []*mem.Private{nil, w.Private(r, windows[2].Base, windowBytes, lanes)}
	return w
}

// Shadow adds a shadow of memory to a world of Windows: random bits, most of them 0.
func (w *World) Shadow(r *rand.Rand, s *ir.Shadowing, lanes int) {
	spaces, private := &w.env.Spaces, &w.env.Private
	w.env.Shadow = s.Banks
	for _, x := range windows {
		bank := s.Banks[x.Space] + int(x.Bank)
		switch {
		case x.Space == ir.FlatSpace || s.Banks[x.Space] == 0:
			continue
		case x.Space == ir.PrivateSpace:
			*private = append(*private, make([]*mem.Private, bank+1-len(*private))...)
			(*private)[bank] = w.Private(r, x.Base, windowBytes, lanes)
		default:
			spaces[x.Space] = append(spaces[x.Space], make([]*mem.Space, max(bank+1-len(spaces[x.Space]), 0))...)
			spaces[x.Space][bank] = w.Space(r, "shadow "+x.Space.String(), x.Base, windowBytes)
		}
		data := w.fresh[len(w.fresh)-1]
		for i := range data {
			word := r.Uint32()
			data[i] &= byte(word) & byte(word>>8) & -byte(r.IntN(4)/3)
		}
	}
}

// EmptyWorld is a world in which a wave can access nothing. Change adds to it.
func EmptyWorld() *World {
	w := &World{}
	w.env.Probes = &exec.ProbeLog{Observer: &w.heard}
	return w
}

// Change changes the environment of runs.
func (w *World) Change(f func(env *exec.Env)) { f(&w.env) }

// Space makes a space with one segment of random bytes, which is part of the world once Change adds it.
func (w *World) Space(r *rand.Rand, name string, at uint64, bytes int) *mem.Space {
	s, data := space(name, at, bytes, r)
	w.remember(data, r)
	return s
}

// Private makes private memory of random bytes, in the same way.
func (w *World) Private(r *rand.Rand, at uint64, bytes, lanes int) *mem.Private {
	p, err := mem.NewPrivate(mem.Extent{Name: "private", Base: at, Size: uint64(bytes), Rights: mem.ReadWrite}, lanes, []int{0, 4, 16}[r.IntN(3)])
	if err != nil {
		panic(err)
	}
	w.remember(p.Data, r)
	return p
}

// remember fills data randomly, and makes it part of the initial contents and results of a run.
func (w *World) remember(data []byte, r *rand.Rand) {
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	w.data = append(w.data, data)
	w.fresh = append(w.fresh, bytes.Clone(data))
}

// Env resets the world for one run. Results of an earlier run are lost.
func (w *World) Env() *exec.Env {
	for i := range w.data {
		copy(w.data[i], w.fresh[i])
	}
	w.plug, w.heard = plug{n: randomHandles}, hearing{}
	env := w.env
	return &env
}

// Left returns all results of the run outside of its state.
func (w *World) Left() []byte {
	return append(bytes.Join(w.data, nil), strings.Join(append(w.plug.log, w.heard.all...), "\n")...)
}

// RandomState fills the registers of a wave that starts at the key, with any mask.
func RandomState(r *rand.Rand, st *exec.State, at ir.Key) {
	m := st.Machine
	fill(st, r)
	for i := range st.V { // numbers that are useful as index, count or float are rare among random ones
		if r.IntN(2) == 0 {
			st.V[i] = uint32(irgen.Bits(r, 32))
		}
	}
	st.Set(m.Mode, 0, at.Mode|r.Uint32()&^m.ModeMask)
	st.Start(at.PC, r.Uint64()|1)
	if ms := masks(st, r); r.IntN(4) != 0 {
		st.Exec = ms[r.IntN(len(ms))]
	}
}
