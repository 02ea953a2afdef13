package eval

import (
	"sort"
	"sync"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// begin initialises a state as programs of the set expect it, before any launch convention.
func begin(t *isa.Target, st *exec.State) {
	if f := platforms.Lookup(t.Name); f != nil && f.Cases.Init != nil {
		f.Cases.Init(0, st)
	}
}

// resources sets up what programs of the set find without any launch, constants of zero for example.
func resources(t *isa.Target, env *exec.Env) error {
	if f := platforms.Lookup(t.Name); f != nil && f.Cases.Prepare != nil {
		return f.Cases.Prepare(env, &casefile.State{})
	}
	return nil
}

// startModes caches the results of StartMode by machine, because it makes a whole state.
var startModes sync.Map

// StartMode returns the static mode in which programs of the set expect to start.
func StartMode(t *isa.Target) uint32 {
	if mode, ok := startModes.Load(t.Machine()); ok {
		return mode.(uint32)
	}
	st, err := exec.NewState(t.Machine(), 0)
	if err != nil {
		panic("eval: " + err.Error())
	}
	begin(t, st)
	startModes.Store(t.Machine(), st.Mode())
	return st.Mode()
}

// spaceName returns the name of an address space of the set in cases.
func spaceName(t *isa.Target, id ir.SpaceID) string {
	var names []string
	if f := platforms.Lookup(t.Name); f != nil {
		for name, space := range f.Spaces() {
			if space.ID == id && space.Bank == 0 {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return id.String()
	}
	sort.Strings(names)
	return names[0]
}
