package decoder

import "slices"

// A group is a bundle being decoded by the rule rogue-group; its methods are the steps in the document.
type group struct {
	s       *Set
	variant int
	code    []byte
	body    []byte // of the group
	at      int
	starts  []int
	parts   []Inst
}

// Bundle decodes a bundle. The verdict is "" on success; pad is the number of padding bytes.
func (s *Set) Bundle(variant int, code []byte) (parts []Inst, pad int, verdict string) {
	g := &group{s: s, variant: variant, code: code}
	verdict = g.split()
	return g.parts, len(g.body) - g.at, verdict
}

func (s *Set) class(name string) int {
	for i := range s.Classes {
		if s.Classes[i].Name == name {
			return i
		}
	}
	return -1
}

func (g *group) split() string {
	class := g.s.class("group header")
	control := len(g.code) > 2 && g.code[1]&0x80 != 0 && g.code[2]>>5&3 == 3
	if control {
		class = g.s.class("control instruction")
	}
	var first Inst
	if verdict := g.s.Decode(g.variant, 0, class, g.code, &first); verdict != "" {
		return verdict
	}
	g.parts, g.starts = append(g.parts, first), append(g.starts, 0)
	n := 2 * int(first.named("length"))
	if n == 0 {
		n = 32
	}
	if n > len(g.code) {
		return Truncated
	}
	if g.body, g.at = g.code[:n], first.Size; n < first.Size {
		return Illegal
	}
	if verdict := g.units(control); verdict != "" {
		return verdict
	}
	if !padding(g.body[g.at:]) {
		return Illegal
	}
	return ""
}

func (g *group) first() *Inst { return &g.parts[0] }

func (g *group) tag(name string) bool { return slices.Contains(g.s.Rows[g.first().Row].Tags, name) }

// run runs steps up to the first that fails.
func run(steps ...func() string) string {
	for _, step := range steps {
		if verdict := step(); verdict != "" {
			return verdict
		}
	}
	return ""
}

func (g *group) units(control bool) string {
	switch {
	case control && !g.tag("sources") && !g.tag("result"):
		if g.results() != 0 {
			return Illegal
		}
		return g.assist(0)
	case control:
		return run(func() string { return g.assist(g.at) }, func() string {
			if !g.tag("sources") && g.ends(g.at) {
				return g.destinations()
			}
			return g.maps(false)
		})
	case g.tag("bit-unit"):
		return run(g.bitUnit, func() string { return g.assist(g.at) }, func() string { return g.maps(false) })
	}
	return run(g.mainUnit, func() string { return g.maps(true) })
}

func (g *group) assist(n int) string {
	if g.first().named("da") != uint64(n%16) {
		return Illegal
	}
	return ""
}

func (g *group) part(name string) string {
	class, at := g.s.class(name), g.at
	view := g.s.Classes[class].View
	if view {
		at = g.starts[len(g.starts)-1]
	}
	var in Inst
	if g.s.Decode(g.variant, 0, class, g.code[at:], &in) != "" || at+in.Size > len(g.body) {
		if verdict := g.s.Decode(g.variant, 0, class, g.body[at:], &in); verdict == Truncated {
			return Illegal
		} else if verdict != "" {
			return verdict
		}
	}
	if view {
		in.Size = 0
	}
	g.at += in.Size
	g.parts, g.starts = append(g.parts, in), append(g.starts, at)
	return ""
}

// list decodes consecutive parts.
func (g *group) list(names ...string) string {
	for _, name := range names {
		if verdict := g.part(name); verdict != "" {
			return verdict
		}
	}
	return ""
}

func (g *group) bitUnit() string {
	phases := g.first().named("phases")
	if phases == 0 {
		return Illegal
	}
	for i, names := range [][]string{{"second shift", "bit test"}, {"logical instruction"}, {"bitmask instruction", "first shift", "bit count"}} {
		if phases>>(2-i)&1 != 0 {
			if verdict := g.list(names...); verdict != "" {
				return verdict
			}
		}
	}
	return ""
}

func (g *group) mainUnit() string {
	const p0, p1, p2, backend = 1, 2, 4, 8
	set := [8]int{p0, p2, backend, p0 | p1, p0 | p2, p0 | p1 | p2, p0 | p2 | backend, p0 | p1 | p2 | backend}[g.first().named("phases")&7]
	only := func(phase int, f func() string) func() string {
		return func() string {
			if set&phase == 0 {
				return ""
			}
			return f()
		}
	}
	return run(only(backend, func() string { return g.part("backend instruction") }), only(p2, g.phase2), func() string { return g.assist(g.at) },
		only(p1, func() string { return g.part("instruction of phase 1") }), only(p0, func() string {
			if g.at < len(g.body) && g.body[g.at]>>4 == 11 && g.fits(g.at+3) && !g.fits(g.at+2) {
				return g.part("instruction of phase 0 with elements")
			}
			return g.part("instruction of phase 0")
		}))
}

func (g *group) phase2() string {
	for op, name := range map2 {
		if g.at < len(g.body) && int(g.body[g.at]>>5) == 6+op {
			if verdict := g.part(name); verdict != "" {
				return verdict
			}
			if g.parts[len(g.parts)-1].named("p2end") != 0 {
				return ""
			}
		}
	}
	return g.part("pack")
}

// map2 are the instructions of phase 2 before a pack.
var map2 = [...]string{"move", "test"}

func (g *group) maps(selector bool) string {
	if verdict := g.list("lower source map", "upper source map"); verdict != "" {
		return verdict
	}
	if selector {
		if verdict := g.part("internal source selector"); verdict != "" {
			return verdict
		}
	}
	return g.destinations()
}

func (g *group) results() int { return int(g.first().named("w0p") + g.first().named("w1p")) }

func (g *group) destinations() string {
	switch g.results() {
	case 1:
		return g.part("destination map")
	case 2:
		return g.part("map of two destinations")
	}
	return ""
}

func (g *group) bit(x, i int) int {
	if x >= len(g.body) {
		return 0
	}
	return int(g.body[x] >> i & 1)
}

func (g *group) mapBytes(x int) int {
	switch {
	case g.bit(x, 7) == 0:
		return 1
	case g.bit(x+1, 7) == 0:
		return 3 + g.bit(x+1, 6)*(1+g.bit(x+2, 7)*(1+g.bit(x+4, 2)))
	}
	return 2 + g.bit(x+1, 6)*(1+g.bit(x+2, 7))
}

func (g *group) ends(x int) bool {
	switch g.results() {
	case 1:
		x += 1 + g.bit(x, 7)
	case 2:
		x += 2 + g.bit(x+1, 7)*(1+g.bit(x+2, 7))
	}
	return x <= len(g.body) && padding(g.body[x:])
}

func (g *group) fits(x int) bool {
	x += g.mapBytes(x)
	x += g.mapBytes(x)
	return g.ends(x + 1)
}

// padding reports whether bytes are padding.
func padding(left []byte) bool {
	if len(left)&1 != 0 {
		if left[0] != 0xff {
			return false
		}
		left = left[1:]
	}
	for i, b := range left {
		if want := byte(0xff); i == 0 && b != 0xf0+byte(len(left)/2) || i > 0 && b != want {
			return false
		}
	}
	return true
}
