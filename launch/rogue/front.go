package rogue

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// Front is what tools that take any instruction set use of this package.
var Front = &launch.Front{
	ISA:    "rogue",
	Stages: []string{"raw", "vertex", "fragment", "compute"},
	Register: func(variant int, name string) (launch.Register, error) {
		return LookupRegister(variant, name)
	},
	Init:        func(int, *exec.State) {},
	End:         []byte{0x02, 0x80, 0xee, 0x00}, // { ctrl: nop.end; }
	Spaces:      func() map[string]launch.Space { return map[string]launch.Space{"global": {ID: ir.GlobalSpace}} },
	RunManifest: RunManifest,
	Prepare: func(env *exec.Env, _ *object.State) error {
		env.ImageOf = NewResources(env.Space(ir.GlobalSpace, 0)).Of
		env.Outputs = oneVertex{}
		return nil
	},
}

// A Register is what cases and debuggers name: r5, sh17, p0, pe.
type Register struct{ cell ir.Cell }

// LookupRegister finds a register by name.
func LookupRegister(variant int, name string) (Register, error) {
	cs, err := rogue.Set().Cell(variant, name)
	if err != nil {
		return Register{}, err
	}
	if len(cs) != 1 {
		return Register{}, fmt.Errorf("rogue: %s is %d registers, want one", name, len(cs))
	}
	return Register{cs[0]}, nil
}

// PerLane is whether the register has a value a lane.
func (r Register) PerLane() bool { return rogue.Machine().Kind(r.cell).PerLane() }

// stopped is what is left of Pe when the task has ended.
var stopped = ir.Cell{File: rogue.FileStopped}

// Get is the value in a lane. Of Pe it is, once the task has ended, what it was then.
func (r Register) Get(st *exec.State, lane int) uint64 {
	if r.cell.File == rogue.FileExec && st.Ended() {
		return uint64(st.Get(stopped, lane) ^ 1)
	}
	return uint64(st.Get(r.cell, lane))
}

// Set changes the value in a lane.
func (r Register) Set(st *exec.State, lane int, v uint64) {
	st.Set(r.cell, lane, uint32(v))
	if r.cell.File == rogue.FileExec {
		st.Set(stopped, lane, uint32(v)&1^1)
	}
}
