package profiles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/profile"
)

// Launches is how often a kernel was launched with groups of one size, and how many of its waves run beside each other.
type Launches struct {
	Kernel    string          `json:"kernel"`
	Count     uint64          `json:"count"`
	Occupancy chips.Occupancy `json:"occupancy"`
}

// Where the registers of a program are known from.
const (
	fromObject = "allocated"
	fromCode   = "those that the code names"
)

// launchesOf returns the launches of a code with their occupancy.
func launchesOf(of *profile.Code, name string) (list []Launches) {
	var named *chips.Resources
	described, _ := ir.Describe(of.Code)
	program, _ := described.(*isa.Program)
	for _, l := range of.Launches {
		r, from := chips.Resources{Vector: l.Sizes.Vector, Scalar: l.Sizes.Scalar, Memory: l.Sizes.Group, Items: l.Sizes.Items}, fromObject
		if r.Vector == 0 && program != nil {
			if named == nil {
				var ran []uint64 // with what is called at computed addresses
				for i := range of.Insts {
					ran = append(ran, of.Insts[i].PC)
				}
				n := chips.RegistersOf(program, ran...)
				named = &n
			}
			r.Vector, r.Scalar, from = named.Vector, named.Scalar, fromCode
		}
		x := Launches{l.Kernel, l.Count, chips.OccupancyOf(name, r)}
		if r.Vector != 0 || r.Scalar != 0 {
			x.Occupancy.From = from
		}
		list = append(list, x)
	}
	return list
}

// Occupancies says how many waves run beside each other, once for launches of which that is the same.
func (p *Profile) Occupancies() (list []string) {
	for i := range p.Launches {
		o := &p.Launches[i].Occupancy
		line := o.String()
		if d := o.Detail(p.ISA); d != "" {
			line = d + ": " + line
		}
		if !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list
}

// LaunchCount returns how many launches there were.
func (p *Profile) LaunchCount() (n uint64) {
	for i := range p.Launches {
		n += p.Launches[i].Count
	}
	return n
}

// Occupied describes the occupancies of the launches in a few words: 4 of 10.
func (p *Profile) Occupied() string {
	var list []string
	for i := range p.Launches {
		o, text := &p.Launches[i].Occupancy, "not known"
		if o.Unit != "" {
			text = fmt.Sprintf("%d of %d", o.Waves, o.Most)
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return strings.Join(list, ", ")
}
