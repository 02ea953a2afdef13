package launch

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/object"
)

// A Front is what the launch package of an instruction set offers to tools that take any of them:
// how the waves of a state case begin, and how kernels of a manifest are run. Package launch/all
// lists them.
type Front struct {
	ISA string
	// Stages are the stages of state cases that can be run.
	Stages []string
	// Register finds a register by the name that cases give it.
	Register func(variant int, name string) (Register, error)
	// Init makes a started wave, of that number in its group, what it is before the registers of a case are set.
	Init func(wave int, st *exec.State)
	// Spaces are the address spaces by the names that cases give them.
	Spaces func() map[string]Space
	// End is the code of an instruction that ends a wave, the same in all variants and stages. Fill comes before it where code ends at
	// an address that is no multiple of its size: an instruction without effect. nil: code may end anywhere.
	End, Fill []byte
	// What follows is of instruction sets whose cases hold more than registers and memory; each may be nil.
	//
	// Cases are the cases that one stands for: one a variant, say, each with the Final that counts for it.
	Cases func(c *object.StateCase) []*object.StateCase
	// Width is how many lanes make a wave where that many run; 0, or no function, for the machine's default.
	Width func(lanes int) int
	// Options are those of the instruction set under which the case runs.
	Options func(c *object.StateCase) map[string]string
	// Prepare gives the environment of a wave what the state holds: constants, textures, streams.
	Prepare func(env *exec.Env, s *object.State) error
	// Check compares what Final holds besides; what it gives is the difference, or nothing.
	Check func(k *Case, c *object.StateCase) string
	// Uniforms says that the uniform words of a state are registers, under their names.
	Uniforms bool
	// Private is the bytes of private memory of a lane, in bank 0, for cases whose code uses it; 0: there is none.
	Private int
	// Groups is how cases run whose launch is a grid: group by group, each with memory of its own, its waves in turns
	// between barriers. nil: the lanes of a grid fill waves one after the other, which share all memory, and whose
	// barriers are over at once.
	Groups *CaseGroups
	// Captures says how recorded invocations are held against programs. nil: there are none.
	Captures *Captures
	// RunManifest runs all launches of a manifest on one of its builds and gives the buffers they
	// leave, by name, and the results of the launches begun. nil: there are no manifests.
	RunManifest func(ctx context.Context, m *object.Manifest, b *object.Build, s Settings) (map[string][]byte, []*Result, error)
}

// CaseGroups is what the groups of a state case begin with.
type CaseGroups struct {
	Bytes, Banks int // of group memory, as a Launch has them
	// Flat says that memory of a case in the group's space is what each group begins with, and that it lies at its address in the
	// flat space. Else a case has none.
	Flat bool
	// Memory fills the memory of a group, which is zeros. nil: nothing does.
	Memory func(g *Group, grid *Grid, env *exec.Env) error
	// Init sets the registers of a wave, before those that the case names.
	Init func(g *Group, wave int, st *exec.State)
}

// A Register is a register of a state case: one word a lane or a wave.
type Register interface {
	PerLane() bool
	Get(st *exec.State, lane int) uint64
	Set(st *exec.State, lane int, v uint64)
}

// A Space is an address space that memory of a case can lie in: neither private nor flat.
type Space struct {
	ID   ir.SpaceID
	Bank uint8
}

// Settings are what every launch needs, whatever the instruction set.
type Settings struct {
	Engine  exec.Engine
	Workers int
	Limits  exec.Limits
	Relaxed bool      // as of a Launch
	Counted bool      // as of a Launch
	Print   io.Writer // what kernels print; nil: nobody wants it
	Watcher Watcher   // as of a Launch
	Map     *loc.Map  // where the code came from, of programs that do not say it themselves; nil: nobody knows

	Observer exec.Observer // as of a Launch

	Done  *atomic.Int64       // as of a Launch, over all launches of a manifest
	Tiles func(done, all int) // of a draw: after each tile of the picture, from any goroutine; nil: no reports
}

// Stepped are the settings with a stepper that looks at each instruction of what comes to run, be it a launch, the launches of a
// manifest or a draw. Groups, and tiles of a draw, run one after the other, so that it sees the same order in every run.
func (s Settings) Stepped(by exec.Stepper) Settings {
	s.Engine, s.Workers = exec.Stepped(s.Engine, by), 1
	return s
}

// Of makes a launch one that runs so.
func (s *Settings) Of(l *Launch) *Launch {
	l.Engine, l.Workers, l.Limits, l.Relaxed, l.Counted = s.Engine, s.Workers, s.Limits, s.Relaxed, s.Counted
	l.Watcher, l.Observer, l.Done = s.Watcher, s.Observer, s.Done
	return l
}
