package draw

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// A Watch watches the waves of a stage, one after another. What their initialisation does not set is undefined.
type Watch struct {
	Program *exec.Program // to run in place of the stage's

	prober  exec.Prober
	plain   *exec.Program
	log     *exec.ProbeLog
	left    []ir.Cell   // registers that the draw may read at the end of a wave
	given   bool        // the shadow of memory is in the environment
	private []byte      // the shadow of private memory
	empty   [][2]uint64 // addresses and sizes of global memory that holds nothing when a wave begins
	known   map[uint64]*exec.Undefined
}

// NewWatch prepares to watch waves of a stage whose program begins at an entry. left are the registers that the draw
// may read at their end, and sizes the registers that a wave takes; nil: they are not known. Draws with a watcher have
// one worker.
func NewWatch(w exec.Prober, name string, p *exec.Program, entry ir.Key, windows []exec.Window, left []ir.Cell, sizes *exec.Sizes) *Watch {
	if b, ok := w.(exec.Beginner); ok {
		b.Begins(entry)
	}
	program := exec.ProgramOf(w.Watch(p.Code, windows))
	w.Observe(exec.Event{Kind: exec.LaunchStart, Where: exec.Where{Kernel: name}, Sizes: sizes})
	return &Watch{Program: program, prober: w, plain: p, left: left, log: &exec.ProbeLog{Observer: w},
		known: map[uint64]*exec.Undefined{}}
}

// Empty says which global memory holds nothing when a wave begins, besides what earlier calls have said.
func (x *Watch) Empty(addr, bytes uint64) { x.empty = append(x.empty, [2]uint64{addr, bytes}) }

// Begin starts a wave in a state of the program: init initialises one in which the wave before has left nothing. An
// environment is always that of the same waves.
func (x *Watch) Begin(stage exec.Stage, st *exec.State, env *exec.Env, init func(st *exec.State, env *exec.Env)) error {
	x.log.Stage, env.Probes, env.Faults = stage, x.log, exec.FaultLog{}
	before := *env
	st.ResetAfter(x.Program)
	if t, ok := x.prober.(exec.Tallier); ok {
		st.Tallies = t.Tallies(0)
	}
	init(st, env)
	if s := st.Machine.Shadow; s != nil {
		if err := x.undefine(s, st, env, &before, init); err != nil {
			return err
		}
	}
	x.observe(exec.Event{Kind: exec.GroupStart}, env)
	x.observe(exec.Event{Kind: exec.WaveStart, State: st}, env)
	return nil
}

// Fault tells a watcher that counts of the fault by which a wave ended.
func (x *Watch) Fault(st *exec.State, env *exec.Env, f *exec.Fault) {
	if _, counts := x.prober.(exec.Tallier); counts {
		x.observe(exec.Event{Kind: exec.FaultRaised, State: st, Fault: f}, env)
	}
}

// undefine sets the shadow of a wave. Which registers init does not set is found by another one, whose registers hold
// ones before; before is the environment before init.
func (x *Watch) undefine(s *ir.Shadowing, st *exec.State, env, before *exec.Env, init func(st *exec.State, env *exec.Env)) error {
	if shadower := x.prober.(exec.Shadower); !x.given {
		if err := env.GiveShadow(s, shadower.Shadows()); err != nil {
			return fmt.Errorf("draw: %w", err)
		}
		x.private, x.given = env.GivePrivateShadow(s), true
	}
	exec.Undefine(x.private)
	for _, part := range x.empty {
		_, _, _, shadow := x.prober.(exec.Shadower).Shadows().At(0, part[0])
		exec.Undefine(shadow[:min(uint64(len(shadow)), part[1])])
	}
	u := x.known[st.Live]
	if u == nil {
		ones := st.Layout.NewState()
		ones.FillUnset()
		init(ones, before)
		u = st.Undefined(ones, x.plain, x.left...)
		x.known[st.Live] = u
	}
	st.Undefine(u)
	return nil
}

// End tells that a wave has ended, of which the draw reads outputs.
func (x *Watch) End(st *exec.State, env *exec.Env, outputs []exec.OutputRead) {
	if st.Machine.Shadow != nil && len(outputs) > 0 {
		x.observe(exec.Event{Kind: exec.OutputsRead, State: st, Program: x.Program, Outputs: outputs}, env)
	}
	x.observe(exec.Event{Kind: exec.WaveEnd, State: st}, env)
	x.observe(exec.Event{Kind: exec.GroupEnd, Faults: &env.Faults}, env)
}

func (x *Watch) observe(e exec.Event, env *exec.Env) {
	e.Where, e.Stage = env.Where, x.log.Stage
	x.prober.Observe(e)
}

// A Reader is Stages that say which outputs a draw reads, for a watcher.
type Reader interface {
	// VertexOutputs returns what VerticesOut reads of components of outputs for a lane of those in lanes.
	VertexOutputs(read *Components, lanes uint64) []exec.OutputRead
	// FragmentOutputs returns what FragmentsOut reads of channels, bit k for channel k, and of the depth.
	FragmentOutputs(channels uint8, depth bool) []exec.OutputRead
	// VertexMemory returns the address and the size of global memory that holds nothing when a wave of vertices begins.
	VertexMemory() (addr, bytes uint64)
	// Wants returns the bits of a component of an output op that FragmentsOut reads, with such channels and depth.
	Wants(slot uint32, component int, channels uint8, depth bool) uint32
}

// A StageWave is the wave of a draw that runs, for a Watch. It implements exec.Stage.
type StageWave struct {
	Draw     string     // its name
	Vertices []VertexIn // of a wave of vertices
	Wave     *Wave      // of fragments; nil: they are vertices
	// Read returns the bits of a component of an output op that the draw reads of a vertex, or of a fragment that the
	// triangle covers; nil: all.
	Read func(slot uint32, component int) uint32
}

// Item implements exec.Stage.
func (s *StageWave) Item(lane int) exec.Item {
	if s.Wave != nil {
		return s.Wave.Item(lane)
	}
	v := &s.Vertices[min(lane, len(s.Vertices)-1)]
	return exec.Item{Draw: s.Draw, Vertex: int(v.Index), Instance: int(v.Instance)}
}

// Wants implements exec.Stage.
func (s *StageWave) Wants(lane int, slot uint32, component int) uint32 {
	switch {
	case s.Wave != nil && s.Wave.Covered>>lane&1 == 0:
		return 0
	case s.Read == nil:
		return ^uint32(0)
	}
	return s.Read(slot, component)
}

// Channels returns the colour channels of a fragment that the draw reads, bit 0 red to bit 3 alpha.
func (w *Wave) Channels() uint8 { return w.call.channels(w.call.Mask, w.call.Blend.On) }

// channels returns the channels that are written, and alpha if they are blended.
func (d *Call) channels(mask uint8, blend bool) uint8 {
	read := 15 &^ mask
	if blend && read != 0 {
		read |= 8
	}
	return read
}

// Reads returns the channels that the draw reads of the colour for a target of a canvas with Targets.
func (d *Call) Reads(c *Canvas, target int) uint8 {
	if target >= len(c.Targets) || c.Targets[target] == nil {
		return 0
	}
	s := TargetState{}
	if target < len(d.Targets) {
		s = d.Targets[target]
	}
	return d.channels(s.Mask|^uint8(1<<c.Targets[target].Format.Channels-1), s.Blend.On)
}

// Item returns what a lane works on, in reports.
func (w *Wave) Item(lane int) exec.Item {
	lane = min(lane, w.Lanes-1)
	i := exec.Item{Draw: w.call.Name, Fragment: true}
	i.X, i.Y = w.Pixel(lane)
	if w.drawing != nil {
		i.Primitive, i.Instance = w.drawing.primitiveOf(w.triangle(lane))
	}
	return i
}

// readAtEnd returns the registers that may be read at the end of waves of a stage.
func (r *waveRunner) readAtEnd(stage *Stage) []ir.Cell {
	s, ok := r.s.Stages.(Reader)
	if !ok {
		return nil
	}
	list := s.FragmentOutputs(15, !r.s.KeepDepth)
	if stage == &r.s.Vertex {
		list = r.vertexOutputs(1)
	}
	return CellsOf(list)
}

// CellsOf returns the registers among outputs.
func CellsOf(list []exec.OutputRead) (cells []ir.Cell) {
	for i := range list {
		if list[i].Bytes == 0 {
			cells = append(cells, list[i].Cell)
		}
	}
	return cells
}

// vertexOutputs returns what the draw reads of a wave of n vertices: the position, and what the fragment program may
// read.
func (r *waveRunner) vertexOutputs(n int) []exec.OutputRead {
	s, ok := r.s.Stages.(Reader)
	if !ok {
		return nil
	}
	read := r.s.Reads
	read[0] = 15 // the position
	return s.VertexOutputs(&read, ^uint64(0)>>(64-n))
}

// fragmentOutputs returns what the draw reads of the wave under way: which lanes it discards, and of those that it does
// not discard the rest.
func (r *waveRunner) fragmentOutputs(killed uint64) []exec.OutputRead {
	s, ok := r.s.Stages.(Reader)
	if !ok {
		return nil
	}
	w := r.watched.Wave
	list := s.FragmentOutputs(w.Channels(), !r.s.KeepDepth)
	for i := range list {
		list[i].Lanes = w.Covered
		if r.s.Fragment.Program.Machine().Kind(list[i].Cell) != ir.Lane1 {
			list[i].Lanes &^= killed
		}
	}
	return list
}

// Components are components of varyings: bit k of element n for component k of varying n.
type Components [Varyings]uint8

// AllComponents are all components of all varyings.
var AllComponents = func() (read Components) {
	for n := range read {
		read[n] = 15
	}
	return read
}()

// Varyings returns the varyings with components, bit n for varying n.
func (c *Components) Varyings() (used uint32) {
	for n, k := range c {
		if k != 0 {
			used |= 1 << n
		}
	}
	return used
}

// OutputsIn are the outputs of components of vectors that are in a register each, for those in lanes.
func OutputsIn(read *Components, lanes uint64, cell func(n, k int) ir.Cell) (list []exec.OutputRead) {
	for n := range read {
		for k := range 4 {
			if read[n]>>k&1 != 0 {
				list = append(list, exec.OutputRead{Cell: cell(n, k), Bits: ^uint32(0), Lanes: lanes})
			}
		}
	}
	return list
}

// ColoursIn are the outputs of a fragment: channels of a colour, each in a register, the register of the depth if the
// draw reads it, and that of the lanes that are discarded.
func ColoursIn(channels uint8, depth bool, colour func(k int) ir.Cell, z, discard ir.Cell) (list []exec.OutputRead) {
	list = append(list, exec.OutputRead{Cell: discard, Bits: 1})
	for k := range 4 {
		if channels>>k&1 != 0 {
			list = append(list, exec.OutputRead{Cell: colour(k), Bits: ^uint32(0)})
		}
	}
	if depth {
		list = append(list, exec.OutputRead{Cell: z, Bits: ^uint32(0)})
	}
	return list
}
