package launch

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/object"
)

// A Platform is what an instruction set provides for starting its programs, to tools that take any set. Package heddle
// returns that of a set.
type Platform struct {
	ISA string
	// Register returns a register by the name that cases and debuggers use.
	Register func(variant int, name string) (Register, error)
	// Spaces returns the address spaces by the names that cases and manifests use.
	Spaces func() map[string]Space
	Cases  Cases
	// Scenes describes the draws that a driver recorded. nil: there are none.
	Scenes *Scenes
	// Captures describes how recorded invocations are compared with programs. nil: there are none.
	Captures *Captures
	// Compute describes launches of compute programs; nil: none can be launched, or only as code objects.
	Compute *Compute
	// Object returns the code object of code without a descriptor, for sets whose kernels are launched from code objects;
	// nil: for others. Of the kernel it uses the name and the sizes of memory.
	Object func(code []byte, variant string, base uint64, k *Kernel) *object.CodeObject
	// Manifest runs the launches of a manifest in a way of its own. If it is nil, RunManifest uses Compute.
	Manifest func(ctx context.Context, m *casefile.Manifest, b *casefile.Build, s Settings) (map[string][]byte, []*Result, error)
}

// Cases describes how state cases of an instruction set run.
type Cases struct {
	// Stages are the stages of state cases that can be run.
	Stages []string
	// Init initialises a started wave, of that number in its group, before the registers of a case are set.
	Init func(wave int, st *exec.State)
	// End is the encoding of an instruction that ends a wave, the same in all variants and stages. If code ends at an
	// address that is not a multiple of its size, Fill, an instruction without effect, precedes it. nil: code may end
	// anywhere.
	End, Fill []byte
	// The fields below are for instruction sets whose cases hold more than registers and memory; each may be nil.
	//
	// Expand returns the cases that a case stands for, for example one for each variant, each with the Final that
	// applies to it.
	Expand func(c *casefile.StateCase) []*casefile.StateCase
	// Width returns the number of lanes of a wave if that many lanes run. If it returns 0 or is nil, the machine's
	// default applies.
	Width func(lanes int) int
	// Options returns the options of the instruction set under which the case runs.
	Options func(c *casefile.StateCase) map[string]string
	// Prepare adds to the environment of a wave what the state holds: constants, textures, streams.
	Prepare func(env *exec.Env, s *casefile.State) error
	// Check compares what else Final holds. It returns the difference, "" if there is none.
	Check func(k *Case, c *casefile.StateCase) string
	// Uniforms reports that the uniform words of a state are registers of the same names.
	Uniforms bool
	// Private is the size in bytes of a lane's private memory, in bank 0, for cases whose code uses it; 0: there is
	// none.
	Private int
	// Groups describes how cases run whose launch is a grid: group by group, each with memory of its own, its waves in
	// turns between barriers. nil: the lanes of a grid fill waves that run one after the other; they share all memory,
	// and no wave waits at a barrier.
	Groups *CaseGroups
}

// CaseGroups is the initial state of the groups of a state case.
type CaseGroups struct {
	Bytes, Banks int // of group memory, as in a Launch
	// Flat reports that each group starts with the case's memory in the group's space, and that it is mapped at its
	// address in the flat space. If false, a case has no such memory.
	Flat bool
	// Memory fills the memory of a group, which is zeroed. nil: it stays zero.
	Memory func(g *Group, grid *Grid, env *exec.Env) error
	// Init sets the registers of a wave, before those that the case names.
	Init func(g *Group, wave int, st *exec.State)
}

// A Register is a register of a state case: one word per lane or per wave.
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

// Settings are the settings that every launch needs, whatever the instruction set.
type Settings struct {
	Engine  exec.Engine
	Workers int
	Limits  exec.Limits // Total 0: DefaultTotal
	Policy  exec.Policy // what a memory fault does; draws always stop
	Relaxed bool        // as in Launch
	Counted bool        // as in Launch
	Print   io.Writer   // receives what kernels print; nil: discarded
	Watcher Watcher     // as in Launch
	// Declared restricts the buffers of a manifest to what is declared of them: inputs, which have no expected contents,
	// and arguments that are const, are only read. Accesses that it does not allow happen and are recorded in
	// Result.Faults, whatever the policy.
	Declared bool

	Observer exec.Observer // as in Launch

	Done  *atomic.Int64       // as in Launch, over all launches of a manifest
	Tiles func(done, all int) // of a draw: called after each tile of the picture, from any goroutine; nil: no reports

	Programs *Programs // of draws: what earlier ones of the same scene compiled; nil: nothing is kept
}

// Stepped returns the settings with a stepper that sees each instruction before it runs, in a launch, the launches of a
// manifest or a draw. Groups, and tiles of a draw, run one after the other, so that it sees the same order in every
// run.
func (s Settings) Stepped(by exec.Stepper) Settings {
	s.Engine, s.Workers = exec.Stepped(s.Engine, by), 1
	return s
}

// Of applies the settings to a launch and returns it.
func (s *Settings) Of(l *Launch) *Launch {
	l.Engine, l.Workers, l.Limits, l.Relaxed, l.Counted = s.Engine, s.Workers, s.Limits, s.Relaxed, s.Counted
	l.Watcher, l.Observer, l.Done, l.Env.Policy = s.Watcher, s.Observer, s.Done, s.Policy
	if l.Limits.Total == 0 {
		l.Limits.Total = DefaultTotal
	}
	return l
}
