package eval

import (
	"sort"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch/all"
	"github.com/heddle-gpu/heddle/object"
)

// begin makes a state what programs of the set expect to find before any launch convention.
func begin(s *isa.Set, st *exec.State) {
	if f := all.Lookup(s.Name); f != nil && f.Init != nil {
		f.Init(st)
	}
}

// resources gives a wave what programs of the set find without any launch, constants of zero for example.
func resources(s *isa.Set, env *exec.Env) error {
	if f := all.Lookup(s.Name); f != nil && f.Prepare != nil {
		return f.Prepare(env, &object.State{})
	}
	return nil
}

// StartMode is the static mode under which programs of the set expect to begin.
func StartMode(s *isa.Set, variant int) uint32 {
	st, err := exec.NewState(s.Machine(variant), 0)
	if err != nil {
		panic("eval: " + err.Error())
	}
	begin(s, st)
	return st.Mode()
}

// spaceName is what cases call an address space of the set.
func spaceName(s *isa.Set, id ir.SpaceID) string {
	var names []string
	if f := all.Lookup(s.Name); f != nil {
		for name, space := range f.Spaces {
			if space.ID == id {
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
