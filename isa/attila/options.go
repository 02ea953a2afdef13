package attila

import (
	"github.com/heddle-gpu/heddle/isa"
)

// A departure is a difference of the reference simulator from the instruction-set text.
type departure struct {
	option string
	where  string // docs/reference/attila.md 12
	text   string // what the text says
	sim    string // what the simulator does
}

// Departures, by index.
const (
	intAbs = iota
	stpltiEq
	arlMask
	effectGuard
	jumpGuard
	zxsQuarter
	numDepartures
)

// departures are all differences between the variants. Each is an option: variant, the default, follows the variant,
// text and sim select one side whatever the variant.
var departures = [numDepartures]departure{
	intAbs:      {"integer-abs", "12 no. 4", "the absolute value of an integer is exact", "it goes through a float: exact below 2^24"},
	stpltiEq:    {"stplti", "12 no. 1", "stplti compares for less", "stplti compares for equality"},
	arlMask:     {"arl-mask", "12 no. 2", "arl writes the components of its mask", "arl writes all four components"},
	effectGuard: {"effect-guard", "12 no. 3", "kil, kls, cmpkil, zxp, zxs and chs obey the guard", "they do not"},
	jumpGuard:   {"jump-guard", "12 no. 3", "jmp needs its guard to hold in all lanes too", "jmp ignores its guard"},
	zxsQuarter:  {OptZxsFirst, "12 no. 7", "zxs starts at the current sample", "at the current sample divided by 4"},
}

// Options by name.
const (
	OptFxpBits = "fxp-bits"    // fraction bits of the fixed-point unit
	OptKilled  = "killed-quad" // the treatment of a quad whose lanes are all killed

	OptZxsFirst = "zxs-first" // a departure that launches of recorded cases select
)

// Options by index: those two, then the departures.
const (
	optFxpBits = iota
	optKilled
	optDeparture
)

// Values of options by index.
const (
	killedStop = 1

	byVariant = 0
	byText    = 1
	bySim     = 2
)

// fractionBits are the values of option fxp-bits.
var fractionBits = [...]int{8, 4, 12}

func options() []isa.Option {
	os := []isa.Option{
		optFxpBits: {Name: OptFxpBits, Values: []string{"8", "4", "12"}, Default: "8", Source: "docs/reference/attila.md 8",
			Doc: "Fraction bits of the fixed-point unit: a parameter of the machine."},
		optKilled: {Name: OptKilled, Values: []string{"run", killedStop: "stop"}, Default: "run", Source: "docs/reference/attila.md 10",
			Doc: "Whether a wave goes on whose lanes have all killed sample 0: the timing model does, the functional one stops."},
	}
	for i := range departures {
		d := &departures[i]
		os = append(os, isa.Option{Name: d.option, Values: []string{byVariant: "variant", byText: "text", bySim: "sim"}, Default: "variant",
			Source: "docs/reference/attila.md " + d.where, Doc: "Text: " + d.text + ". Simulator: " + d.sim + "."})
	}
	return os
}

// departs reports whether the lift follows the simulator in a departure.
func departs(l *isa.Lift, id int) bool {
	switch l.Option(optDeparture + id) {
	case byText:
		return false
	case bySim:
		return true
	}
	return l.Target.Variant == Sim
}
