package chips

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
)

// How sure a figure is, best first.
const (
	Documented = "documented" // by who made the chip
	Measured   = "measured"   // by others, on hardware
	Compiler   = "compiler"   // a compiler schedules with it
	Derived    = "derived"    // from other figures
	Assumed    = "assumed"    // no source has it
	Given      = "given"      // by the user
)

// A Figure is a number that a model of a chip's time uses. Its name is UNIT.WHAT or UNIT.CLASS.WHAT, the unit and
// class as in [isa.Cost]:
//
//	issue    clocks for which an instruction of a wave keeps the unit from others
//	word     clocks more for each word that a lane moves: Cost.Count
//	rate     operations a clock, of Cost.Count for each lane, in place of issue
//	latency  clocks from the issue until another instruction of the wave can use the result
//	taken    clocks until the instruction at the target of a branch
//	shared   how many SIMDs the unit serves
//
// lines.issue is the clocks of a core's way to memory for each line that a request touches, and chip.cores the number
// of cores: compute units, multiprocessors. wave.lanes is the lanes of a wave, wave.issue the clocks between two
// instructions of one, and simd.waves the most waves of a SIMD.
type Figure struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Sure   string  `json:"confidence"`
	Source string  `json:"source"`
}

// A Chip is a product, or several that no figure tells apart.
type Chip struct {
	Name    string   `json:"name"`
	ISA     string   `json:"isa"`
	Also    []string `json:"also,omitempty"`
	Default bool     `json:"default"` // of its instruction set and variant
	Figures []Figure `json:"figures"`
}

// Chips returns those of an instruction set and variant, such as gcn:gfx8; "" all.
func Chips(isa string) (list []*Chip) {
	for _, c := range slices.Concat(gcnChips(), valhallChips(), teslaChips(), rogueChips(), attilaChips()) {
		if isa == "" || c.ISA == isa {
			c.Default = !slices.ContainsFunc(list, func(d *Chip) bool { return d.ISA == c.ISA })
			list = append(list, c)
		}
	}
	return list
}

// Named returns a chip of an instruction set and variant, or of any if that is "", by its name; "": the default.
func Named(isa, name string) (*Chip, error) {
	list, names := Chips(isa), []string{}
	for _, c := range list {
		if name == "" || strings.EqualFold(c.Name, name) || slices.ContainsFunc(c.Also, func(a string) bool { return strings.EqualFold(a, name) }) {
			return c, nil
		}
		names = append(names, c.Name)
	}
	switch {
	case len(list) == 0:
		return nil, fmt.Errorf("no source has a figure of the time of any chip of %s", isa)
	case slices.ContainsFunc(Chips(""), func(c *Chip) bool { return strings.EqualFold(c.Name, name) }):
		return nil, fmt.Errorf("%s is no chip of %s, only %s", name, isa, strings.Join(names, ", "))
	}
	if isa == "" {
		return nil, fmt.Errorf("no chip %q%s; heddle cost --chips lists them", name, meant(name, names))
	}
	return nil, fmt.Errorf("no chip %q%s; of %s there are %s", name, meant(name, names), isa, strings.Join(names, ", "))
}

// Figure returns a figure by its name; nil: none.
func (c *Chip) Figure(name string) *Figure {
	for i := range c.Figures {
		if c.Figures[i].Name == name {
			return &c.Figures[i]
		}
	}
	return nil
}

// of returns a figure of a cost: that of its class, else of its unit.
func (c *Chip) of(x *isa.Cost, what string) *Figure {
	if f := c.Figure(x.Unit + "." + x.Class + "." + what); f != nil {
		return f
	}
	return c.Figure(x.Unit + "." + what)
}

// Set changes a figure: NAME=VALUE.
func (c *Chip) Set(text string) error {
	name, value, _ := strings.Cut(text, "=")
	f := c.Figure(name)
	if f == nil {
		var names, units []string
		unit, _, _ := strings.Cut(name, ".")
		for i := range c.Figures {
			n := c.Figures[i].Name
			of, _, _ := strings.Cut(n, ".")
			if of == unit {
				names = append(names, n)
			}
			if !slices.Contains(units, of) {
				units = append(units, of)
			}
		}
		if len(names) == 0 {
			return fmt.Errorf("%s has no figure %q; there are figures of %s", c.Name, name, strings.Join(units, ", "))
		}
		return fmt.Errorf("%s has no figure %q; of %s there are %s", c.Name, name, unit, strings.Join(names, ", "))
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 1e6 {
		return fmt.Errorf("%s=%s: want a number from 0 to 1000000", name, value)
	}
	if whole := strings.HasSuffix(name, ".shared") || slices.Contains([]string{"chip.cores", "wave.lanes", "simd.waves"}, name); whole && (v < 1 || v != math.Trunc(v)) {
		return fmt.Errorf("%s=%s: want a whole number from 1", name, value)
	}
	*f = Figure{name, v, Given, "the command line"}
	return nil
}

// Value returns the value of a figure; 0: there is none.
func (c *Chip) Value(name string) float64 {
	if f := c.Figure(name); f != nil {
		return f.Value
	}
	return 0
}

// Time is how long an instruction of a wave takes of a unit, in clocks of the unit's share that a SIMD has if all
// SIMDs want as much.
type Time struct {
	Issue, Latency float64
	Alone          float64 // the clocks of the unit, if nothing else wants it
	Known, Late    bool    // there is an issue, a latency
}

// Time returns that of a cost.
func (c *Chip) Time(x *isa.Cost) (t Time) {
	shared := max(1, c.Value(x.Unit+".shared"))
	if f := c.of(x, "issue"); f != nil {
		t.Issue, t.Known = f.Value, true
		if w := c.of(x, "word"); w != nil {
			t.Issue += w.Value * float64(x.Count)
		}
	} else if f := c.of(x, "rate"); f != nil && f.Value > 0 {
		t.Issue, t.Known = c.Value("wave.lanes")*float64(max(1, x.Count))/f.Value, true
	}
	t.Alone, t.Issue = t.Issue, t.Issue*shared
	if f := c.of(x, "latency"); f != nil {
		t.Latency, t.Late = f.Value, f.Value > 0
	}
	return t
}

// Timed reports whether sources have latencies of the chip.
func (c *Chip) Timed() bool {
	return slices.ContainsFunc(c.Figures, func(f Figure) bool { return f.Value > 0 && strings.HasSuffix(f.Name, ".latency") })
}

// Idle reports whether instructions of a unit take only the wave's own issue, as those that no unit executes.
func (c *Chip) Idle(unit string) bool { return unit == "internal" || unit == "none" }

// figures concatenates figures; of two with one name the last counts.
func figures(lists ...[]Figure) (all []Figure) {
	for _, f := range slices.Concat(lists...) {
		if at := slices.IndexFunc(all, func(x Figure) bool { return x.Name == f.Name }); at >= 0 {
			all[at] = f
		} else {
			all = append(all, f)
		}
	}
	return all
}

// times returns the issue and latency of units, which are the same, of one source.
func times(sure, source string, clocks float64, units ...string) (list []Figure) {
	for _, u := range units {
		list = append(list, Figure{u + ".issue", clocks, sure, source}, Figure{u + ".latency", clocks, sure, source})
	}
	return list
}

// meant proposes the nearest of the names for one that is none; "": none is near.
func meant(name string, names []string) string {
	if near := spell.Nearest(name, names); near != "" {
		return "; " + near + " is the nearest"
	}
	return ""
}
