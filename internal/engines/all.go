// Package engines lists the engines by name, for tools and tests that take any of them.
package engines

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/portable"
	"github.com/heddle-gpu/heddle/internal/ref"
)

// An Entry is an engine of the list.
type Entry struct {
	Name string
	What string // a short description
	New  func() exec.Engine
	// Lacks returns what this machine lacks to run the engine, "" if nothing. If nil, the engine runs anywhere.
	Lacks func() string
}

// portables are the engines that run anywhere, from the slowest to the fastest. The first defines the semantics that
// all others must match.
var portables = [...]Entry{
	{Name: "reference", What: "lane by lane, as ops are defined", New: ref.New},
	{Name: "portable", What: "a Go function for each op, type and shape of operands", New: portable.New},
}

// entries returns all engines from the slowest to the fastest: the portable ones, then those that emit machine code.
func entries() []Entry { return append(portables[:len(portables):len(portables)], machines[:]...) }

// former maps engine names of earlier versions to what has become of them.
var former = map[string]string{
	"segment":  "it is called jit now",
	"region":   "it was removed; use jit",
	"template": "it is for heddle's own tests only; use jit",
}

// Auto is the name that selects the fastest engine that can run.
const Auto = "auto"

// A Use describes a run, as far as it affects which engine is the fastest.
type Use struct {
	// Stepped runs stop after almost every instruction, so compilation does not pay.
	Stepped bool
	// Brief runs execute a few instructions, again and again: compilation costs as much as machine code saves.
	Brief bool
}

// All returns the engines that this machine can run, from the slowest to the fastest. The first is the reference
// engine, the second the portable one.
func All() (list []Entry) {
	for _, e := range entries() {
		if e.ready() == "" {
			list = append(list, e)
		}
	}
	return list
}

// Names returns the names that Lookup accepts, whether or not the engines are built.
func Names() []string {
	names := []string{Auto}
	for _, e := range entries() {
		names = append(names, e.Name)
	}
	return names
}

// Fastest returns the engine that Auto stands for. Every engine provides exact counters, watchers, probes and stops at
// any instruction if a launch asks for them, so they do not affect the choice.
func Fastest(u Use) exec.Engine {
	switch {
	case u.Stepped:
		return portables[0].New()
	case u.Brief:
		return portables[1].New()
	}
	list := All()
	return list[len(list)-1].New()
}

// Lookup returns the engine of a name. If it is not built or cannot run on this machine, the error says so and names
// those that can. For an unknown name the error lists the names, and says what has become of a former one.
func Lookup(name string, u Use) (exec.Engine, error) {
	if name == Auto {
		return Fastest(u), nil
	}
	e, err := find(name)
	if err != nil {
		return nil, err
	}
	return e.New(), nil
}

// Check returns the error of Lookup, without making an engine.
func Check(name string) error {
	if name == Auto {
		return nil
	}
	_, err := find(name)
	return err
}

// find returns the entry of a name other than Auto, if its engine can run.
func find(name string) (*Entry, error) {
	for _, e := range entries() {
		if e.Name != name {
			continue
		}
		if why := e.ready(); why != "" {
			return nil, fmt.Errorf("engine %s %s; there are %s", name, why, strings.Join(runnable(), ", "))
		}
		return &e, nil
	}
	if why, ok := former[name]; ok {
		return nil, fmt.Errorf("no engine %q: %s; there are %s", name, why, strings.Join(Names(), ", "))
	}
	return nil, fmt.Errorf("no engine %q; there are %s", name, strings.Join(Names(), ", "))
}

// ready returns why an engine cannot run; "" if it can.
func (e *Entry) ready() string {
	if e.Lacks != nil {
		if what := e.Lacks(); what != "" {
			return "cannot run here: " + what
		}
	}
	return ""
}

// runnable returns the names that can be used on this machine.
func runnable() []string {
	names := []string{Auto}
	for _, e := range All() {
		names = append(names, e.Name)
	}
	return names
}
