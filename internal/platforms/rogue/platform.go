package rogue

import (
	"fmt"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/launch"
)

// Platform provides this package to tools that take any instruction set.
var Platform = &launch.Platform{
	ISA: "rogue",
	Register: func(variant int, name string) (launch.Register, error) {
		return LookupRegister(variant, name)
	},
	Spaces:  func() map[string]launch.Space { return map[string]launch.Space{"global": {ID: ir.GlobalSpace}} },
	Compute: compute,
	Cases: launch.Cases{
		Stages: []string{"raw", "vertex", "fragment", "compute"},
		Init:   func(int, *exec.State) {},
		End:    []byte{0x02, 0x80, 0xee, 0x00}, // { ctrl: nop.end; }
		Prepare: func(env *exec.Env, _ *casefile.State) error {
			env.ImageOf = NewResources(env.Space(ir.GlobalSpace, 0)).Of
			env.Outputs = oneVertex{}
			return nil
		},
	},
}

// A Register is a register by the name that cases and debuggers use: r5, sh17, p0, pe.
type Register struct{ cell ir.Cell }

// LookupRegister returns a register by name.
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

// PerLane reports whether the register has one value per lane.
func (r Register) PerLane() bool { return rogue.Machine().Kind(r.cell).PerLane() }

// stopped holds the final Pe of a task that has ended.
var stopped = ir.Cell{File: rogue.FileStopped}

// Get returns the value in a lane. For Pe of a task that has ended, it is the value at the end.
func (r Register) Get(st *exec.State, lane int) uint64 {
	if r.cell.File == rogue.FileExec && st.Ended() {
		return uint64(st.Get(stopped, lane) ^ 1)
	}
	return uint64(st.Get(r.cell, lane))
}

// Set sets the value in a lane.
func (r Register) Set(st *exec.State, lane int, v uint64) {
	st.Set(r.cell, lane, uint32(v))
	if r.cell.File == rogue.FileExec {
		st.Set(stopped, lane, uint32(v)&1^1)
	}
}
