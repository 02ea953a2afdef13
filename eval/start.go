package eval

import (
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// conventions are the states in which programs of an instruction set expect to begin, as far as they are
// not about a launch. A set without an entry begins with zeros.
var conventions = map[string]func(st *exec.State, env *exec.Env){
	"gcn": func(st *exec.State, env *exec.Env) { st.Set(gcn.CellMode, 0, gcnMode) },
}

// gcnMode is MODE as compilers set it: round to nearest, denormals kept in f64 and f16 and flushed in
// f32 (FLOAT_MODE 0xc0), IEEE. isa/gcn.md section 3.
const gcnMode = 1<<9 | 1<<8 | 0xc0

// Conventions is the state in which programs of the set expect to begin.
func Conventions(s *isa.Set) func(st *exec.State, env *exec.Env) { return conventions[s.Name] }

// StartMode is the static mode under which programs of the set expect to begin.
func StartMode(s *isa.Set, variant int) uint32 {
	st, err := exec.NewState(s.Machine(variant), 0)
	if err != nil {
		panic("eval: " + err.Error())
	}
	if f := conventions[s.Name]; f != nil {
		f(st, &exec.Env{})
	}
	return st.Mode()
}
