package heddle

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// Reference returns the reference engine, which defines what every other engine computes: op by op, lane by lane.
func Reference() exec.Engine { return ref.New() }

// Watched returns the reference engine with a watcher of memory accesses. Runners of one launch call it from several
// goroutines.
func Watched(w exec.Watcher) exec.Engine { return ref.Watched(w) }

// Engines returns the names that Engine takes: auto, then the engines from the slowest to the fastest. Not all of them
// run on every machine.
func Engines() []string { return engines.Names() }

// Engine returns an engine by its name; auto is the fastest that this machine can run. The error says why an engine
// cannot run here.
func Engine(name string) (exec.Engine, error) { return engines.Lookup(name, engines.Use{}) }

// Platform returns how programs of the instruction set are started: registers by name, launches of compute programs,
// manifests, state cases. nil: none can be.
func (a *ISA) Platform() *launch.Platform { return platforms.Lookup(a.target.Set.Name) }
