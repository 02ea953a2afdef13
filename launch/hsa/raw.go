package hsa

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// RawMode is the MODE register of a wave without a kernel descriptor: what clang's kernels run
// under. Round to nearest, f32 denormals flushed and the others kept, DX10_CLAMP, IEEE.
// Source: docs/reference/gcn.md 3.
const RawMode = 0xc0 | 1<<8 | 1<<9

// InitRaw makes a started state that of code without conventions: zeros, RawMode, the apertures.
func InitRaw(st *exec.State) { setMachine(st, RawMode) }

// A Register is a register of one word, as cases and debuggers name it.
type Register struct {
	cell ir.Cell
	exec int // 1 exec_lo, 2 exec_hi; else cell
	kind ir.CellKind
}

// LookupRegister finds a register of one word by name: v5, s20, vcc_lo, exec_hi, m0, scc, mode.
func LookupRegister(variant int, name string) (Register, error) {
	switch name {
	case "exec_lo":
		return Register{exec: 1, kind: ir.Wave32}, nil
	case "exec_hi":
		return Register{exec: 2, kind: ir.Wave32}, nil
	}
	set := gcn.Set()
	cells, err := set.Cell(variant, name)
	if err != nil {
		return Register{}, err
	}
	if len(cells) != 1 {
		return Register{}, fmt.Errorf("gcn: %s is %d registers, want one", name, len(cells))
	}
	return Register{cell: cells[0], kind: set.Machine(variant).Kind(cells[0])}, nil
}

// PerLane is whether the register has a value a lane.
func (r Register) PerLane() bool { return r.kind.PerLane() }

// Get is the value in a lane.
func (r Register) Get(st *exec.State, lane int) uint64 {
	if r.exec != 0 {
		return st.Exec >> (32 * (r.exec - 1)) & 0xffff_ffff
	}
	return uint64(st.Get(r.cell, lane))
}

// Set changes the value in a lane. Bits of EXEC beyond the wave's lanes are dropped.
func (r Register) Set(st *exec.State, lane int, v uint64) {
	if r.exec == 0 {
		st.Set(r.cell, lane, uint32(v))
		return
	}
	shift := 32 * (r.exec - 1)
	st.Exec = (st.Exec&^(0xffff_ffff<<shift) | v&0xffff_ffff<<shift) & st.Full
}
