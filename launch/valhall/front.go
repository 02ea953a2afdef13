package valhall

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/launch"
)

// Front is what tools that take any instruction set use of this package.
var Front = &launch.Front{
	ISA:    "valhall",
	Stages: []string{"raw"},
	Register: func(variant int, name string) (launch.Register, error) {
		return LookupRegister(variant, name)
	},
	Init:     func(*exec.State) {},
	Spaces:   spaces,
	Uniforms: true,
}

// spaces are the address spaces by the names in cases.
func spaces() map[string]launch.Space {
	return map[string]launch.Space{"global": {ID: ir.GlobalSpace}, "shared": {ID: ir.GroupSpace}}
}

// A Register is what cases and debuggers name: r5, u17, workgroup_local_pointer.w0.
type Register struct{ cell ir.Cell }

// LookupRegister finds a register by name.
func LookupRegister(variant int, name string) (Register, error) {
	cs, err := valhall.Set().Cell(variant, name)
	switch {
	case err != nil:
		return Register{}, err
	case len(cs) > 1:
		return Register{}, fmt.Errorf("valhall: %s is %d registers, want one", name, len(cs))
	}
	return Register{cs[0]}, nil
}

// PerLane is whether the register has a value a lane.
func (r Register) PerLane() bool { return valhall.Machine().Kind(r.cell).PerLane() }

// Get is the value in a lane.
func (r Register) Get(st *exec.State, lane int) uint64 { return uint64(st.Get(r.cell, lane)) }

// Set changes the value in a lane.
func (r Register) Set(st *exec.State, lane int, v uint64) { st.Set(r.cell, lane, uint32(v)) }
