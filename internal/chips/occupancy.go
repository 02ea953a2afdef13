package chips

import (
	"fmt"
	"slices"
	"strings"
)

// Resources are what a program takes of the part of a chip that runs it. 0: none, or not known.
type Resources struct {
	Vector int `json:"vector_registers,omitempty"` // of a lane
	Scalar int `json:"scalar_registers,omitempty"` // of a wave, with those that hardware keeps after them
	Memory int `json:"group_bytes,omitempty"`      // of group memory of a group
	Items  int `json:"group_items,omitempty"`      // work-items of a group
}

// An Occupancy is how many waves of a program run beside each other.
type Occupancy struct {
	Unit   string    `json:"unit"`             // waves a SIMD; "": not known, and Source says why
	Waves  int       `json:"waves"`            // of a unit; 0: a group does not fit
	Most   int       `json:"most"`             // of a unit, of any program
	By     []Limit   `json:"limits,omitempty"` // that allow no more waves
	Next   int       `json:"next,omitempty"`   // waves if all of them were met; 0: that is not known
	Takes  Resources `json:"takes"`
	From   string    `json:"registers_from,omitempty"` // where the numbers of registers are from
	Source string    `json:"source"`
}

// A Limit is why there are not more waves.
type Limit struct {
	Of    string `json:"of"`              // what is used up
	Takes int    `json:"takes,omitempty"` // by the program
	Next  int    `json:"next,omitempty"`  // what it may take for more waves; 0: nothing changes that
	Fewer bool   `json:"or_fewer,omitempty"`
}

// A pool is something that waves or groups share. 0: not known.
type pool struct {
	name         string
	total, grain int // how much there is, and in which units it is given out
}

// of returns for how many users it is enough that take so much each.
func (p pool) of(each int) int { return p.total / roundUp(max(each, 1), p.grain) }

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// A core is a part of a chip that runs whole groups.
type core struct {
	isa            string
	unit           string // waves of a part of it
	units          int    // of these
	lanes          int    // of a wave
	waves          int    // of a unit
	groups         int    // of the core
	slots          int    // of groups of more than one wave, which have a barrier; 0: no limit
	largest        int    // work-items of a group
	vector, scalar pool   // vector registers of all lanes, scalar registers: of a unit
	pair           int    // registers of whole groups are given out, of a multiple of so many waves; 0: those of each wave
	memory         pool   // of the core
	group          int    // bytes of it that a group can have; 0: all
	source         string
}

// groupWaves returns the number of waves of a group.
func (c *core) groupWaves(r *Resources) int { return (max(r.Items, 1) + c.lanes - 1) / c.lanes }

// ofGroups returns the waves of a unit if so many groups run.
func (c *core) ofGroups(n int, r *Resources) int {
	return min(c.waves, (n*c.groupWaves(r)+c.units-1)/c.units)
}

// limits are what limits waves. Each has the number of waves of a unit that it allows, and what a program could change.
var limits = [...]struct {
	name   func(c *core) string
	allows func(c *core, r *Resources) int
	takes  func(r *Resources) *int
	fewer  bool // only less of it can allow more waves
}{
	{func(c *core) string { return c.vector.name }, (*core).byVector, func(r *Resources) *int { return &r.Vector }, true},
	{func(c *core) string { return c.scalar.name }, (*core).byScalar, func(r *Resources) *int { return &r.Scalar }, true},
	{func(c *core) string { return c.memory.name }, (*core).byMemory, func(r *Resources) *int { return &r.Memory }, true},
	{func(*core) string { return "work-items of a group" }, (*core).byGroups, func(r *Resources) *int { return &r.Items }, false},
}

func (c *core) byVector(r *Resources) int {
	switch {
	case r.Vector == 0 || c.vector.total == 0:
		return c.waves
	case c.pair == 0:
		return min(c.waves, c.vector.of(r.Vector*c.lanes))
	case r.Items == 0:
		return c.waves
	}
	return c.ofGroups(c.vector.of(roundUp(c.groupWaves(r), c.pair)*c.lanes*r.Vector), r)
}

func (c *core) byScalar(r *Resources) int {
	if r.Scalar == 0 || c.scalar.total == 0 {
		return c.waves
	}
	return min(c.waves, c.scalar.of(r.Scalar))
}

func (c *core) byMemory(r *Resources) int {
	if c.group > 0 && r.Memory > c.group {
		return 0
	}
	if r.Memory == 0 || r.Items == 0 || c.memory.total == 0 {
		return c.waves
	}
	return c.ofGroups(c.memory.of(r.Memory), r)
}

// byGroups is the limit of groups, which have a barrier each if they have several waves.
func (c *core) byGroups(r *Resources) int {
	if r.Items == 0 {
		return c.waves
	}
	n := min(c.groups, c.waves*c.units/c.groupWaves(r))
	if c.slots > 0 && c.groupWaves(r) > 1 {
		n = min(n, c.slots)
	}
	return c.ofGroups(n, r)
}

// least returns how many waves all limits allow, and all how many of them whole groups make up.
func (c *core) least(r *Resources) int {
	n := c.waves
	for i := range limits {
		n = min(n, limits[i].allows(c, r))
	}
	return n
}

func (c *core) all(r *Resources) int {
	n := c.least(r)
	if r.Items == 0 {
		return n
	}
	return c.ofGroups(n*c.units/c.groupWaves(r), r)
}

// coreOf returns the core of a variant; nil: there is none.
func coreOf(isa string) *core {
	if at := slices.IndexFunc(cores, func(c core) bool { return strings.HasPrefix(isa, c.isa) }); at >= 0 {
		return &cores[at]
	}
	return nil
}

// OccupancyOf returns how many waves of a program run beside each other on chips of a variant, such as gcn:gfx8.
func OccupancyOf(isa string, r Resources) Occupancy {
	c := coreOf(isa)
	if c == nil {
		return Occupancy{Takes: r, Source: "nothing is published of how many waves run beside each other"}
	}
	o := Occupancy{Takes: r, Source: c.source}
	switch {
	case c.waves == 0:
		return o
	case r.Vector == 0 && r.Scalar == 0 && r.Memory == 0:
		o.Source = "nothing is known of what the program takes"
		return o
	case c.pair > 0 && r.Items == 0:
		o.Source = "registers are those of whole groups, whose size is not known"
		return o
	case c.groups == 0:
		r.Items = 0
	case c.groups > 0 && r.Items > c.largest:
		o.Source = fmt.Sprintf("a group has %d work-items at most; %s", c.largest, c.source)
		return o
	}
	o.Unit, o.Waves, o.Most = c.unit, c.all(&r), c.waves
	if o.Waves < o.Most {
		c.explain(&o, &r)
	}
	return o
}

// explain says why there are not more waves, and what would allow more: a change of all that allows no more.
func (c *core) explain(o *Occupancy, r *Resources) {
	better, least := *r, c.least(r)
	var tight []int
	for i := range limits {
		if limits[i].allows(c, r) == least {
			tight = append(tight, i)
		}
	}
	for _, i := range tight {
		l := &limits[i]
		enough := func(r *Resources) bool { return l.allows(c, r) > least }
		if len(tight) == 1 {
			enough = func(r *Resources) bool { return c.all(r) > o.Waves }
		}
		by := Limit{Of: l.name(c), Takes: *l.takes(r), Next: c.nearest(*r, l.takes, l.fewer, enough), Fewer: l.fewer}
		if by.Next != 0 {
			*l.takes(&better) = by.Next
		}
		o.By = append(o.By, by)
	}
	if groups := len(limits) - 1; o.Waves < least && !slices.Contains(tight, groups) {
		o.By = append(o.By, Limit{Of: limits[groups].name(c), Takes: r.Items})
	}
	if n := c.all(&better); n > o.Waves {
		o.Next = n
	}
}

// mostNeeded is more than any core has of something that fewer of allow more waves.
const mostNeeded = 64 << 10

// nearest returns the nearest amount of something that is enough; 0: there is none.
func (c *core) nearest(r Resources, takes func(r *Resources) *int, fewer bool, enough func(r *Resources) bool) int {
	has := *takes(&r)
	try := func(n int) bool {
		*takes(&r) = n
		return n > 0 && enough(&r)
	}
	if fewer {
		for n := min(has-1, mostNeeded); n > 0; n-- {
			if try(n) {
				return n
			}
		}
		return 0
	}
	for apart := c.lanes; apart < c.largest; apart += c.lanes {
		for _, n := range [2]int{roundUp(has, c.lanes) + apart, roundUp(has, c.lanes) - apart} {
			if n <= c.largest && try(n) {
				return n
			}
		}
	}
	return 0
}

// String describes it in a line.
func (o *Occupancy) String() string {
	switch {
	case o.Unit == "":
		return "not known: " + o.Source
	case o.Waves == o.Most:
		return fmt.Sprintf("%d of %d %s", o.Waves, o.Most, o.Unit)
	}
	var by, change []string
	for _, l := range o.By {
		by = append(by, fmt.Sprintf("%d %s", l.Takes, l.Of))
		switch {
		case l.Next != 0 && l.Fewer:
			change = append(change, fmt.Sprintf("%d %s or fewer", l.Next, l.Of))
		case l.Next != 0:
			change = append(change, fmt.Sprintf("%d %s", l.Next, l.Of))
		}
	}
	s := fmt.Sprintf("%d of %d %s, limited by %s", o.Waves, o.Most, o.Unit, strings.Join(by, " and "))
	if o.Waves == 0 {
		s = fmt.Sprintf("a group does not fit: %s", strings.Join(by, " and "))
	}
	if o.Next > 0 {
		s += fmt.Sprintf("; with %s %d", strings.Join(change, " and "), o.Next)
	}
	return s
}

// Detail describes what a program of a variant takes.
func (o *Occupancy) Detail(isa string) string {
	c, list := coreOf(isa), []string(nil)
	if c == nil {
		return ""
	}
	add := func(n int, format, of string) {
		if n > 0 && of != "" {
			list = append(list, fmt.Sprintf(format, n, of))
		}
	}
	add(o.Takes.Vector, "%d %s", c.vector.name)
	add(o.Takes.Scalar, "%d %s", c.scalar.name)
	if o.From != "" && len(list) > 0 {
		list[len(list)-1] += " (" + o.From + ")"
	}
	add(o.Takes.Memory, "%d %s", c.memory.name)
	if o.Takes.Items > 0 {
		list = append(list, fmt.Sprintf("groups of %d", o.Takes.Items))
	}
	return strings.Join(list, ", ")
}
