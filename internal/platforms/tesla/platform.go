package tesla

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/launch"
)

// Platform provides this package to tools that take any instruction set. Cases do not define p[]: a geometry program
// that reads it faults.
var Platform = &launch.Platform{
	ISA: "tesla",
	Register: func(variant int, name string) (launch.Register, error) {
		return LookupRegister(variant, name)
	},
	Spaces:  spaces,
	Compute: compute,
	Scenes:  Scenes,
	Cases: launch.Cases{
		Stages:  []string{"compute", "vertex", "geometry", "fragment"},
		Init:    initPhysID,
		End:     []byte{0x01, 0x00, 0x00, 0xf0, 0x81, 0x07, 0x00, 0xe0}, // exit nop
		Fill:    []byte{0x00, 0x80, 0x00, 0x10},                         // mov b32 $r0 $r0, the short form
		Prepare: prepare,
		Check:   checkEnd,
		Private: maxLocal,
		Groups:  &launch.CaseGroups{Bytes: maxShared, Banks: sharedBanks, Memory: caseHeader, Init: initThreads},
	},
}

// spaces returns the address spaces by the names that cases use: g[] and c[] by number, s[].
func spaces() map[string]launch.Space {
	m := map[string]launch.Space{"shared": {ID: ir.GroupSpace}}
	for i := range uint8(tesla.Banks) {
		m["global"+strconv.Itoa(int(i))] = launch.Space{ID: ir.GlobalSpace, Bank: i}
		m["const"+strconv.Itoa(int(i))] = launch.Space{ID: ir.ConstSpace, Bank: i}
	}
	return m
}

// A Register is a register by the name that cases and debuggers use: $r5, $a1, o[0x4], or a $c, whose four flags are
// one number.
type Register struct {
	cell  ir.Cell
	flags int // 1, or 4 of a $c
}

// LookupRegister returns a register by name: r5, a1, c0, c0.z, o[0x4], with or without the $ of assembly.
func LookupRegister(variant int, name string) (Register, error) {
	cs, err := tesla.Set().Cell(variant, name)
	switch {
	case err != nil:
		return Register{}, err
	case len(cs) > 1 && cs[0].File != tesla.FileC:
		return Register{}, fmt.Errorf("tesla: %s is %d registers, want one", name, len(cs))
	}
	return Register{cs[0], len(cs)}, nil
}

// PerLane reports whether the register has one value per lane: all have.
func (r Register) PerLane() bool { return true }

// Get returns the value in a lane; for a $c bit 0 is Z, then S, C, O.
func (r Register) Get(st *exec.State, lane int) (v uint64) {
	for i := range r.flags {
		v |= uint64(st.Get(r.at(i), lane)) << i
	}
	return v
}

// Set sets the value in a lane.
func (r Register) Set(st *exec.State, lane int, v uint64) {
	if r.flags == 1 {
		st.Set(r.cell, lane, uint32(v))
		return
	}
	for i := range r.flags {
		st.Set(r.at(i), lane, uint32(v>>i&1))
	}
}

func (r Register) at(i int) ir.Cell {
	return ir.Cell{File: r.cell.File, Index: r.cell.Index + uint16(i)}
}

// prepare gives a wave of a case its inputs: words of a[] or v[].
func prepare(env *exec.Env, s *casefile.State) error {
	words := s.Attributes
	if len(words) == 0 {
		words = s.Varyings
	}
	in, err := listInputs(words, env.Wave*tesla.Lanes)
	if err == nil && in != nil {
		env.Inputs = in
	}
	return err
}

// A wordInputs executes input ops from a list for each word, whatever interpolation they request.
type wordInputs struct {
	words map[uint32]casefile.Words
	first int // lane of the case that is lane 0 of the wave
}

// listInputs returns the inputs that a case lists as a[0x10] or v[0x10]; nil if there are none.
func listInputs(words map[string]casefile.Words, first int) (*wordInputs, error) {
	if len(words) == 0 {
		return nil, nil
	}
	in := &wordInputs{map[uint32]casefile.Words{}, first}
	for name, w := range words {
		n, err := wordOf(name)
		if err != nil {
			return nil, err
		}
		in.words[n] = w
	}
	return in, nil
}

// wordOf returns the number of the word that a[0x10], v[0x10] or o[0x10] names.
func wordOf(name string) (uint32, error) {
	if len(name) > 3 && strings.IndexByte("avo", name[0]) >= 0 && name[1] == '[' && strings.HasSuffix(name, "]") {
		if at, err := strconv.ParseUint(name[2:len(name)-1], 0, 16); err == nil && at%4 == 0 {
			return uint32(at / 4), nil
		}
	}
	return 0, fmt.Errorf("tesla: no word %q; such as a[0x10], v[0x10]", name)
}

// Input implements exec.Inputs.
func (in *wordInputs) Input(c *exec.IOCall) (refused uint64, err error) {
	return each(c, func(slot uint32, lane int) (uint32, error) {
		w, ok := in.words[slot]
		if !ok {
			return 0, fmt.Errorf("there is no input word %#x", 4*slot)
		}
		return uint32(w.Lane(in.first + lane)), nil
	})
}

// checkEnd compares which fragments are discarded.
func checkEnd(k *launch.Case, c *casefile.StateCase) string {
	if len(c.Final.Discarded) == 0 {
		return ""
	}
	get, _, err := k.Reg(killName)
	if err != nil {
		return err.Error()
	}
	for lane, want := range c.Final.Discarded {
		if got := get(lane) != 0; got != want {
			return fmt.Sprintf("lane %d: discarded is %v, want %v", lane, got, want)
		}
	}
	return ""
}

// killName is the register that is not 0 in a lane whose fragment is discarded.
const killName = "discarded"

// caseHeader writes the initial contents of s[] of a block of a case.
func caseHeader(g *launch.Group, grid *launch.Grid, env *exec.Env) error {
	data := env.Space(ir.GroupSpace, 0).Segments()[0].Data
	writeHeader(data, g, grid)
	writeHeaderZ(data, g, grid)
	return nil
}
