// Package all lists the engines by name, for tools and tests that take any of them.
package all

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/ref"
	"github.com/heddle-gpu/heddle/internal/portable"
)

// An Entry is an engine of the list.
type Entry struct {
	Name string
	What string // what it is, in a few words
	New  func() exec.Engine
	// Lacks is what this machine lacks to run it, "" for nothing. A nil Lacks is an engine that runs anywhere.
	Lacks func() string
}

// portables are the engines that run anywhere, from the slowest to the fastest. The first is the meaning of all others.
var portables = [...]Entry{
	{Name: "reference", What: "lane by lane, as ops are defined", New: ref.New},
	{Name: "portable", What: "a Go function for each op, type and shape of operands", New: portable.New},
}

// entries are all engines from the slowest to the fastest: those that run anywhere, then those that write machine code.
func entries() []Entry { return append(portables[:len(portables):len(portables)], machines[:]...) }

// former says what has become of names that engines had in earlier versions.
var former = map[string]string{
	"segment":  "it is called jit now",
	"region":   "it was removed; use jit",
	"template": "it is for heddle's own tests only; use jit",
}

// Auto is the name that stands for the fastest engine that can run.
const Auto = "auto"

// A Use says what an engine is wanted for, where that bears on which is the fastest.
type Use struct {
	// Stepped runs stop after every instruction or so: what an engine compiles does not pay.
	Stepped bool
	// Brief runs are of a few instructions, again and again: what machine code wins there goes into compiling it.
	Brief bool
}

// All are the engines that this machine can run, from the slowest to the fastest. The first is the reference, the second the portable one.
func All() (list []Entry) {
	for _, e := range entries() {
		if e.ready() == "" {
			list = append(list, e)
		}
	}
	return list
}

// Names are the names that Lookup takes, whether they are built or not.
func Names() []string {
	names := []string{Auto}
	for _, e := range entries() {
		names = append(names, e.Name)
	}
	return names
}

// Fastest is what Auto stands for. Exact counters, watchers, probes and stops at any instruction are for every engine to give
// where a launch asks for them, so they do not bear on the choice.
func Fastest(u Use) exec.Engine {
	list := All()
	switch {
	case u.Stepped:
		list = list[:1]
	case u.Brief:
		list = list[:2]
	}
	return list[len(list)-1].New()
}

// Lookup is the engine of a name. The error of one that is not built, or that this machine cannot run, says so and which can;
// that of another name lists the names, and says what has become of one that there was.
func Lookup(name string, u Use) (exec.Engine, error) {
	if name == Auto {
		return Fastest(u), nil
	}
	for _, e := range entries() {
		if e.Name != name {
			continue
		}
		if why := e.ready(); why != "" {
			return nil, fmt.Errorf("engine %s %s; there are %s", name, why, strings.Join(runnable(), ", "))
		}
		return e.New(), nil
	}
	if why, ok := former[name]; ok {
		return nil, fmt.Errorf("no engine %q: %s; there are %s", name, why, strings.Join(Names(), ", "))
	}
	return nil, fmt.Errorf("no engine %q; there are %s", name, strings.Join(Names(), ", "))
}

// ready is why an engine cannot run; "" if it can.
func (e *Entry) ready() string {
	if e.Lacks != nil {
		if what := e.Lacks(); what != "" {
			return "cannot run here: " + what
		}
	}
	return ""
}

// runnable are the names that are of use here.
func runnable() []string {
	names := []string{Auto}
	for _, e := range All() {
		names = append(names, e.Name)
	}
	return names
}
