package valhall

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/launch"
)

// Platform provides this package to tools that take any instruction set.
var Platform = &launch.Platform{
	ISA: "valhall",
	Register: func(variant int, name string) (launch.Register, error) {
		return LookupRegister(variant, name)
	},
	Spaces:  spaces,
	Compute: compute,
	Scenes:  Scenes,
	Cases: launch.Cases{
		Stages:   []string{"compute", "raw"},
		Init:     func(int, *exec.State) {},
		End:      []byte{0, 0, 0, 0, 0, 0xc0, 0, 0x78}, // NOP.end
		Uniforms: true,
		Groups:   &launch.CaseGroups{Flat: true, Init: func(g *launch.Group, wave int, st *exec.State) { initThreads(g, wave, PreloadAll, st) }},
	},
}

// spaces returns the address spaces by the names that cases use.
func spaces() map[string]launch.Space {
	return map[string]launch.Space{"global": {ID: ir.GlobalSpace}, "shared": {ID: ir.GroupSpace}}
}

// A Register is a register by the name that cases and debuggers use: r5, u17, workgroup_local_pointer, or a word of it:
// workgroup_local_pointer.w0.
type Register struct {
	cell ir.Cell
	wide bool // the next cell is its high word
}

// LookupRegister returns a register by name.
func LookupRegister(variant int, name string) (Register, error) {
	cs, err := valhall.Set().Cell(variant, name)
	switch {
	case err != nil:
		return Register{}, err
	case len(cs) > 1 && cs[0].File != valhall.FileS:
		return Register{}, fmt.Errorf("valhall: %s is %d registers, want one", name, len(cs))
	}
	return Register{cs[0], len(cs) > 1}, nil
}

// PerLane reports whether the register has one value per lane.
func (r Register) PerLane() bool { return valhall.Machine().Kind(r.cell).PerLane() }

// Get returns the value in a lane.
func (r Register) Get(st *exec.State, lane int) uint64 {
	v := uint64(st.Get(r.cell, lane))
	if r.wide {
		v |= uint64(st.Get(r.high(), lane)) << 32
	}
	return v
}

// Set sets the value in a lane.
func (r Register) Set(st *exec.State, lane int, v uint64) {
	st.Set(r.cell, lane, uint32(v))
	if r.wide {
		st.Set(r.high(), lane, uint32(v>>32))
	}
}

func (r Register) high() ir.Cell { return ir.Cell{File: r.cell.File, Index: r.cell.Index + 1} }
