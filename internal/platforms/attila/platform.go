package attila

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/attila"
	"github.com/heddle-gpu/heddle/launch"
)

// Platform provides this package to tools that take any instruction set.
var Platform = &launch.Platform{
	ISA: "attila",
	Register: func(variant int, name string) (launch.Register, error) {
		return LookupRegister(variant, name)
	},
	Spaces: func() map[string]launch.Space { return map[string]launch.Space{"global": {ID: ir.GlobalSpace}} },

	Captures: captures,
	Cases: launch.Cases{
		Stages:  []string{"vertex", "fragment", "raw"},
		Init:    func(int, *exec.State) {},
		End:     []byte{0x37, 0x00, 0xce, 0x39, 0xf7, 0x00, 0x00, 0x00, 0x00, 0x1b, 0x00, 0x00, 0x1b, 0x00, 0x1b, 0x00}, // end
		Expand:  cases,
		Width:   Width,
		Options: options,
		Prepare: prepare,
		Check:   checkEnd,
	},
}

// Width returns the number of lanes of a wave: a vertex, a quad, or four quads with one program counter.
func Width(lanes int) int {
	switch {
	case lanes == 1:
		return 1
	case lanes > 4:
		return 16
	}
	return 4
}

// cases expands a case of the simulator, whose variant is "unified", into one case for each variant. If FinalSpec
// states the result of the specification's text, the variant attila is compared with it. A case that names one of the
// variants is for that one only.
func cases(c *casefile.StateCase) []*casefile.StateCase {
	for _, v := range attila.Set().Arch.Variants {
		if v.Name == c.Variant {
			return []*casefile.StateCase{c}
		}
	}
	text, sim := *c, *c
	text.Variant, sim.Variant = "attila", "sim"
	if c.FinalSpec != nil {
		text.Final = c.FinalSpec
	}
	return []*casefile.StateCase{&text, &sim}
}

// options: a single quad stops once all of its lanes are killed, a group of quads does not. docs/reference/attila.md
// 10. FinalSpec states the result of the specification's text for items 1 to 4 of section 12 only; for the others Final
// holds for both variants.
func options(c *casefile.StateCase) map[string]string {
	o := map[string]string{attila.OptZxsFirst: "sim"}
	if c.Launch.Total() == 4 {
		o[attila.OptKilled] = "stop"
	}
	if c.Initial != nil && c.Initial.FxpBits != 0 {
		o[attila.OptFxpBits] = strconv.Itoa(c.Initial.FxpBits)
	}
	return o
}

// checkEnd compares, for each wave, the number of executed instructions and where the program ended; and exactly,
// whatever tolerance the case grants, what is not a number: predicates, kill flags, the current sample.
func checkEnd(k *launch.Case, c *casefile.StateCase) string {
	for name, want := range c.Final.Regs {
		get, _, err := k.Reg(name)
		if err != nil || !isBits(name) {
			continue // a register that does not exist was reported before
		}
		for lane := range k.Lanes() {
			if got := get(lane); got != want.Lane(lane) {
				return fmt.Sprintf("%s lane %d is %d, want %d", name, lane, got, want.Lane(lane))
			}
		}
	}
	for i := range k.Waves {
		w := &k.Waves[i]
		if n := w.Env.Count.Instructions; c.Final.Steps != 0 && n != uint64(c.Final.Steps) {
			return fmt.Sprintf("wave %d executed %d instructions, want %d", i, n, c.Final.Steps)
		}
		if pc := int(k.End(i) / 16); c.Final.EndPC != 0 && pc != c.Final.EndPC {
			return fmt.Sprintf("wave %d ended before instruction %d, want %d", i, pc, c.Final.EndPC)
		}
	}
	return ""
}

// isBits reports whether a register holds bits rather than a number.
func isBits(name string) bool {
	return strings.HasPrefix(name, "p") || strings.HasPrefix(name, "kill") || name == "sample"
}

// A Register is one cell by the name that cases and debuggers use: i6.x, p3, kill0, z2, sample.
type Register struct{ cell ir.Cell }

// LookupRegister returns a register of one cell by name.
func LookupRegister(variant int, name string) (Register, error) {
	cs, err := attila.Set().Cell(variant, name)
	if err != nil {
		return Register{}, err
	}
	if len(cs) != 1 {
		return Register{}, fmt.Errorf("attila: %s is %d registers, want one: a component", name, len(cs))
	}
	return Register{cs[0]}, nil
}

// PerLane reports whether the register has one value per lane: all have.
func (r Register) PerLane() bool { return true }

// Get returns the value in a lane.
func (r Register) Get(st *exec.State, lane int) uint64 { return uint64(st.Get(r.cell, lane)) }

// Set sets the value in a lane.
func (r Register) Set(st *exec.State, lane int, v uint64) { st.Set(r.cell, lane, uint32(v)) }
