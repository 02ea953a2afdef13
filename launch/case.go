package launch

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Case is a state case ready to run: lane i of the case is lane i%width of wave i/width.
type Case struct {
	Waves []CaseWave

	platform *Platform
	variant  int
	lanes    int
	program  *exec.Program
	spaces   exec.Spaces
	grid     *Grid            // nil: the case has no groups
	shared   *casefile.Memory // initial contents for each group; nil: zeros
	windows  []exec.Window

	// Watcher observes the groups of a grid as they run; nil: none. Waves without a grid are observed by one that counts.
	Watcher Watcher
}

// A CaseWave is a wave that holds some of the lanes of a case.
type CaseWave struct {
	State *exec.State
	Env   exec.Env
}

// caseBytes limits the memory of a case, waves and segments.
const caseBytes = 1 << 30

// Case creates the waves and the memory of a state case as its Initial describes. code is that of the case, from
// address 0.
func (f *Platform) Case(code ir.Code, variant int, c *casefile.StateCase) (*Case, error) {
	if !slices.Contains(f.Cases.Stages, c.Stage) {
		return nil, fmt.Errorf("%s: state cases of stage %q cannot be run yet", f.ISA, c.Stage)
	}
	k := &Case{platform: f, variant: variant, program: exec.NewProgram(code)}
	initial := c.Initial
	if initial == nil {
		initial = &casefile.State{}
	}
	if l := &c.Launch; f.Cases.Groups != nil && l.Grid != [3]int{} {
		k.grid = &Grid{Groups: axes(l.Grid), Block: axes(l.Block)}
		if _, err := k.grid.check(); err != nil {
			return nil, err
		}
	}
	if err := k.addMemory(initial.Memory); err != nil {
		return nil, err
	}
	env := exec.Env{Spaces: k.spaces}
	if err := env.MapCode(code); err != nil {
		return nil, err
	}
	k.spaces = env.Spaces
	if err := k.addWaves(c.Launch.Total()); err != nil {
		return nil, err
	}
	for i := range k.Waves {
		if f.Cases.Prepare == nil {
			break
		}
		if err := f.Cases.Prepare(&k.Waves[i].Env, initial); err != nil {
			return nil, err
		}
	}
	regs := initial.Regs
	if f.Cases.Uniforms {
		regs = maps.Clone(initial.Uniform)
		if regs == nil {
			regs = map[string]casefile.Words{}
		}
		maps.Copy(regs, initial.Regs)
	}
	return k, k.setRegisters(regs)
}

// addMemory puts the memory of the case into spaces that all its waves share.
func (k *Case) addMemory(list []casefile.Memory) error {
	for i, m := range list {
		at, ok := k.platform.Spaces()[m.Space]
		switch {
		case !ok:
			return fmt.Errorf("%s: no address space %q", k.platform.ISA, m.Space)
		case k.grid != nil && at.ID == ir.GroupSpace && (!k.platform.Cases.Groups.Flat || k.shared != nil):
			return fmt.Errorf("%s: memory in %q; each group of the grid has its own", k.platform.ISA, m.Space)
		}
		if at.ID == ir.GroupSpace && k.window(&list[i]) {
			continue
		}
		of := at.ID.String()
		if at.Bank != 0 {
			of = m.Space
		}
		name := m.Name
		if name == "" {
			name = fmt.Sprintf("memory %d", i)
		}
		g := mem.NewSegment(name, m.Addr, len(m.Data), mem.ReadWrite)
		copy(g.Data, m.Data)
		if err := spaceAt(&k.spaces, at, of).Add(g); err != nil {
			return err
		}
	}
	return nil
}

// window maps memory of the group's space into the flat space, if the instruction set's cases have it there. It returns
// true if each group starts with its own copy.
func (k *Case) window(m *casefile.Memory) bool {
	if k.platform.Cases.Groups == nil || !k.platform.Cases.Groups.Flat {
		return false
	}
	w := exec.Window{Base: m.Addr, Size: uint64(len(m.Data)), Space: ir.GroupSpace, Offset: m.Addr}
	if k.grid != nil {
		w.Offset, k.shared = 0, m
	}
	k.windows = append(k.windows, w)
	return k.grid != nil
}

// space returns a space of the case, nil if it has no memory there.
func (k *Case) space(at Space) *mem.Space {
	if banks := k.spaces[at.ID]; int(at.Bank) < len(banks) {
		return banks[at.Bank]
	}
	return nil
}

// addWaves creates as many waves as are needed for the lanes.
func (k *Case) addWaves(lanes int) error {
	width := 0
	if k.platform.Cases.Width != nil {
		width = k.platform.Cases.Width(lanes)
	}
	l, err := exec.NewLayout(k.program.Machine(), width)
	if err != nil {
		return err
	}
	k.lanes = lanes
	if lanes == 0 {
		k.lanes = l.Lanes
	}
	n := (k.lanes + l.Lanes - 1) / l.Lanes
	groups, each := 1, Group{Items: k.lanes, Waves: n}
	if k.grid != nil {
		each = k.grid.group(0, l.Lanes)
		groups = k.lanes / each.Items
		n = groups * each.Waves
	}
	if uint64(n)*uint64(l.Bytes()) > caseBytes {
		return fmt.Errorf("%s: %d waves of %d bytes; a case has at most %d in all", k.platform.ISA, n, l.Bytes(), caseBytes)
	}
	for i := range n {
		st := l.NewState()
		env := exec.Env{Spaces: k.spaces, Windows: k.windows}
		env.Wave = i
		if k.grid != nil {
			each = k.grid.group(uint64(i/each.Waves), l.Lanes)
			env.Wave, env.Group = i%each.Waves, each.ID
		}
		st.Start(0, each.Lanes(env.Wave, l.Lanes))
		k.platform.Cases.Init(env.Wave, st)
		if k.grid != nil {
			k.platform.Cases.Groups.Init(&each, env.Wave, st)
		}
		k.Waves = append(k.Waves, CaseWave{st, env})
	}
	return nil
}

func axes(n [3]int) [3]uint32 { return [3]uint32{uint32(n[0]), uint32(n[1]), uint32(n[2])} }

// setRegisters sets the registers, and in each wave the mode that follows from them.
func (k *Case) setRegisters(regs map[string]casefile.Words) error {
	for name, w := range regs {
		r, err := k.platform.Register(k.variant, name)
		if err != nil {
			return err
		}
		for lane := range k.lanes {
			st, i := k.at(lane)
			if r.PerLane() || i == 0 {
				r.Set(st, i, w.Lane(lane))
			} else if got := r.Get(st, i); got != w.Lane(lane) {
				return fmt.Errorf("%s: %s has one value per wave; the case gives it %#x and %#x", k.platform.ISA, name, got, w.Lane(lane))
			}
		}
	}
	for _, w := range k.Waves {
		w.State.Goto(0)
	}
	return nil
}

// at returns the wave that holds a lane of the case, and the lane's number in it.
func (k *Case) at(lane int) (*exec.State, int) {
	width := k.Waves[0].State.Lanes
	if k.grid == nil {
		return k.Waves[lane/width].State, lane % width
	}
	g := k.grid.group(0, width)
	item := lane % g.Items
	return k.Waves[lane/g.Items*g.Waves+item/width].State, item % width
}

// Lanes returns the number of lanes of the case.
func (k *Case) Lanes() int { return k.lanes }

// Run runs the waves one after the other, or the groups one after the other. The error is the *exec.Fault of the first
// that faults.
func (k *Case) Run(ctx context.Context, e exec.Engine, limits exec.Limits) error {
	if k.grid != nil {
		return k.runGrid(ctx, e, limits)
	}
	own := k.private()
	for i := range k.Waves {
		w := &k.Waves[i]
		if own.Size > 0 {
			p, err := mem.NewPrivate(own, w.State.Lanes, privateUnit)
			if err != nil {
				return err
			}
			p.Space = ir.PrivateSpace.String()
			w.Env.Private = []*mem.Private{p}
		}
		if err := RunWave(ctx, e, k.counted(w), w.State, &w.Env, limits); err != nil {
			return err
		}
	}
	return nil
}

// counted returns the program of a wave without a grid, which counts if the watcher does.
func (k *Case) counted(w *CaseWave) *exec.Program {
	t, ok := k.Watcher.(exec.Tallier)
	if !ok {
		return k.program
	}
	w.State.Tallies, w.Env.Probes = t.Tallies(0), &exec.ProbeLog{Observer: t}
	return exec.ProgramOf(t.Watch(k.program.Code, w.Env.Windows))
}

// End returns the address after the block in which a wave has ended: after the last instruction that it executed.
func (k *Case) End(wave int) uint64 {
	b, err := k.program.Block(k.Waves[wave].State.At.Key)
	if err != nil {
		return 0
	}
	return b.Next
}

// Reg returns a reader of a register by lane of the case. perLane reports whether the lanes of a wave may differ.
func (k *Case) Reg(name string) (get func(lane int) uint64, perLane bool, err error) {
	r, err := k.platform.Register(k.variant, name)
	if err != nil {
		return nil, false, err
	}
	return func(lane int) uint64 {
		st, i := k.at(lane)
		return r.Get(st, i)
	}, r.PerLane(), nil
}

// Bytes returns size bytes of a space by its name in cases.
func (k *Case) Bytes(space string, addr, size uint64) ([]byte, error) {
	at, ok := k.platform.Spaces()[space]
	s := k.space(at)
	if !ok || s == nil {
		return nil, fmt.Errorf("%s: no address space %q", k.platform.ISA, space)
	}
	var c mem.Cursor
	b, fault := s.At(&c, addr, size, mem.Read)
	if fault != nil {
		return nil, fault
	}
	return b, nil
}
