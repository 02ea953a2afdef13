package gcn

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/object"
)

// RawMode is the MODE register of a wave without a kernel descriptor: the mode of clang's kernels. Round to nearest,
// f32 denormals flushed and the others kept, DX10_CLAMP, IEEE. Source: docs/reference/gcn.md 3.
const RawMode = 0xc0 | 1<<8 | 1<<9

// InitRaw initialises a started wave for code without conventions: zeros, RawMode, the apertures.
func InitRaw(st *exec.State) { setMachine(st, RawMode) }

// A Register is a register of one word by the name that cases and debuggers use.
type Register struct {
	cell ir.Cell
	exec int // 1 exec_lo, 2 exec_hi; otherwise cell
	kind ir.CellKind
}

// LookupRegister returns a register of one word by name: v5, s20, vcc_lo, exec_hi, m0, scc, mode.
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

// PerLane reports whether the register has one value per lane.
func (r Register) PerLane() bool { return r.kind.PerLane() }

// Get returns the value in a lane. For EXEC of a wave that s_endpgm has ended, it is the value at the end.
func (r Register) Get(st *exec.State, lane int) uint64 {
	if r.exec != 0 {
		mask := st.Exec
		if st.Ended() {
			mask = st.Last()
		}
		return mask >> (32 * (r.exec - 1)) & 0xffff_ffff
	}
	return uint64(st.Get(r.cell, lane))
}

// Set sets the value in a lane. Bits of EXEC for lanes that the wave does not have are dropped.
func (r Register) Set(st *exec.State, lane int, v uint64) {
	if r.exec == 0 {
		st.Set(r.cell, lane, uint32(v))
		return
	}
	shift := 32 * (r.exec - 1)
	st.Exec = (st.Exec&^(0xffff_ffff<<shift) | v&0xffff_ffff<<shift) & st.Full
}

// An InitRegister is the initial value of a register: one value for all lanes, or one per lane; further lanes keep
// theirs.
type InitRegister struct {
	Name   string // of Reg, as LookupRegister has it
	Reg    Register
	Values []uint32
}

// AddRegisters adds initial values of registers. It is an error if a register is set already, by any of its names.
func (k *Kernel) AddRegisters(list ...InitRegister) error {
	for _, r := range list {
		if slices.ContainsFunc(k.Registers, func(o InitRegister) bool { return o.Reg == r.Reg }) {
			return fmt.Errorf("register %s is set already", r.Name)
		}
		k.Registers = append(k.Registers, r)
	}
	return nil
}

func (r *InitRegister) put(st *exec.State) {
	if len(r.Values) == 1 || !r.Reg.PerLane() {
		for lane := range st.Lanes {
			r.Reg.Set(st, lane, uint64(r.Values[0]))
			if !r.Reg.PerLane() {
				return
			}
		}
		return
	}
	for lane, v := range r.Values[:min(len(r.Values), st.Lanes)] {
		r.Reg.Set(st, lane, uint64(v))
	}
}

// Bare describes code without a descriptor.
type Bare struct {
	Name    string // of the kernel
	Target  string // processor, gfx803
	Base    uint64 // address of the first byte of the code, which is also the entry
	LDS     uint32 // bytes
	Scratch uint32 // bytes of a lane
}

// SetListing gives an object of bare code the labels and positions of its assembly text; nil: there is none.
func SetListing(o *object.CodeObject, m *loc.Map) {
	if m == nil {
		return
	}
	for i, y := range m.Symbols { // before the name of the kernel, which is not in the text
		o.Symbols = slices.Insert(o.Symbols, i, object.Symbol{Name: y.Name, Addr: y.Addr, Kind: object.Func, Defined: true})
	}
	o.SetText(m.Text)
}

// BareObject creates a code object from bare code. A wave starts like those of clang's kernels: the scratch resource in
// s[0:3], the address of the arguments in s[4:5], the group's id in s6, s7, s8, the wave's scratch offset in s9, the
// work-item's id in v0, v1, v2, and RawMode in MODE.
func BareObject(code []byte, b Bare) *object.CodeObject {
	const (
		properties = 1<<0 | 1<<3 // scratch resource, arguments
		rsrc1      = 0x3f | 0xc<<6 | RawMode&0xff<<12 | 1<<21 | 1<<23
		rsrc2      = 1 | 6<<1 | 7<<7 | 2<<11 // scratch offset, six user SGPRs, three group ids, three work-item ids
	)
	d := object.Descriptor{GroupSize: b.LDS, PrivateSize: b.Scratch, Rsrc1: rsrc1, Rsrc2: rsrc2, Properties: properties}
	return &object.CodeObject{
		Version: 5, Target: b.Target, Image: append([]byte(nil), code...), Base: b.Base,
		Segments: []object.ImageSegment{{Addr: b.Base, Size: uint64(len(code)), Read: true, Exec: true}},
		Symbols:  []object.Symbol{{Name: b.Name, Addr: b.Base, Size: uint64(len(code)), Kind: object.Func, Bind: object.BindGlobal, Defined: true}},
		Kernels:  []object.Kernel{{Name: b.Name, Descriptor: d, Entry: b.Base, CodeSize: uint64(len(code))}},
	}
}
