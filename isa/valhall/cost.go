package valhall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Costs of instructions, as Mesa's compilers of 2026 count them. docs/reference/valhall.md 14.

// changes are instructions that another unit executes from an architecture on, with the time of their operations there,
// 1 before. docs/reference/valhall.md 14.
var changes = [...]struct {
	name  string
	since int
	unit  unit
	time  int
}{{"FROUND.f32", 11, unitFMA, 2}, {"CLPER.i32", 11, unitCVT, 2},
	{"RSHIFT_AND.i32", 11, unitCVT, 1}, {"RSHIFT_OR.i32", 11, unitCVT, 1}, {"RSHIFT_XOR.i32", 11, unitCVT, 1},
	{"LSHIFT_AND.i32", 11, unitCVT, 1}, {"LSHIFT_OR.i32", 11, unitCVT, 1}, {"LSHIFT_XOR.i32", 11, unitCVT, 1},
	{"MMUL.f32", 11, unitFMA, 4}, {"MMUL.v2f16", 11, unitFMA, 4}, {"MMUL.v4s8", 11, unitFMA, 4}, {"MMUL.v4u8", 11, unitFMA, 4}}

// executes returns the unit that executes an instruction in its architecture, and the time of one operation.
func executes(in *isa.Inst) (u unit, time int) {
	r := rowOf(in)
	for i := range changes {
		if c := &changes[i]; c.name == r.name && archOf(in) >= c.since {
			return c.unit, c.time
		}
	}
	return r.unit, 1
}

// Unit is the unit that executes an instruction in its architecture: fma, cvt or sfu, and msg for all messages.
func Unit(in *isa.Inst) string {
	u, _ := executes(in)
	return unitNames[min(u, unitNone)]
}

// unitNames are the names of the arithmetic units, and that of all others.
var unitNames = [...]string{unitFMA: CostFMA, unitCVT: CostCVT, unitSFU: CostSFU, unitNone: "msg"}

// A Chip is the peak throughput of a product's shader core per clock. 0: no source has a figure.
type Chip struct {
	Name string
	Arch int
	// FMA, CVT and SFU are 32-bit operations of that unit per clock, each for another thread.
	FMA, CVT, SFU int
	Varying       int // words of varyings
	Texel, Pixel  int // texels sampled, pixels written
}

// chips are the products for which Mesa has figures.
var chips = [...]Chip{
	{"Mali-G57", 9, 32, 32, 8, 8, 4, 2}, {"Mali-G68", 9, 32, 32, 8, 8, 4, 2},
	{"Mali-G710", 10, 64, 64, 16, 16, 8, 4}, {"Mali-G610", 10, 64, 64, 16, 16, 8, 4},
	{"Mali-G310v1", 10, 16, 16, 4, 8, 2, 2}, {"Mali-G310v2", 10, 32, 32, 8, 8, 4, 2}, {"Mali-G310v3", 10, 48, 48, 12, 8, 4, 4},
	{"Mali-G310v4", 10, 48, 48, 12, 8, 8, 4}, {"Mali-G310v5", 10, 64, 64, 16, 8, 8, 4},
	{"Mali-G715", 11, 128, 64, 16, 32, 8, 4}, {"Mali-G615", 11, 128, 64, 16, 32, 8, 4},
	{"Mali-G720", 12, 128, 64, 16, 32, 8, 4}, {"Mali-G725", 13, 128, 128, 16, 32, 8, 4},
	{"Mali-G1-Ultra", 14, 128, 0, 0, 0, 8, 4}, {"Mali-G1-Premium", 14, 128, 0, 0, 0, 8, 4}, {"Mali-G1-Pro", 14, 128, 0, 0, 0, 8, 4},
	{"Mali-G1-Pro, the smaller", 14, 64, 0, 0, 0, 4, 4},
}

// Chips are the products of an architecture, given by the name of its variant, for which sources have figures.
func Chips(variant string) (list []Chip) {
	for _, c := range chips {
		if variant == fmt.Sprintf("v%d", c.Arch) {
			list = append(list, c)
		}
	}
	return list
}

// Names of units in a [isa.Cost].
const (
	CostFMA       = "fma" // arithmetic
	CostCVT       = "cvt" // conversions, comparisons, integers and branches
	CostSFU       = "sfu" // special functions and other slow operations
	CostLoadStore = "ls"
	CostVarying   = "v"
	CostTexture   = "t"
)

// Rate is the number of operations of a kind that a core of the chip performs per clock; 0: no source has a figure, as
// for loads and stores on any chip, and all but fma and textures from v14 on.
func (c *Chip) Rate(unit string) int {
	switch unit {
	case CostFMA:
		return c.FMA
	case CostCVT:
		return c.CVT
	case CostSFU:
		return c.SFU
	case CostVarying:
		return c.Varying
	case CostTexture:
		return c.Texel
	}
	return 0
}

// Threads is the number of threads per core of a program, relative to one that uses all 64 registers: 2 if it uses at
// most 32, else 1. docs/reference/valhall.md 14.
func Threads(registers int) int { return NumR / max(registers, NumR/2) }

// uncounted are messages that Mesa does not count, noFigure those that none of its compilers has, by prefixes of their
// names.
var (
	uncounted = [...]string{"ATEST", "BARRIER", "BLEND", "LD_TILE", "ST_TILE", "ZS_EMIT"}
	noFigure  = [...]string{"DOORBELL", "EUREKA", "KABOOM", "LD_CHECKED", "LD_MULTI", "ST_MULTI", "TEX_WEIGHTS"}
)

// Costs is what an instruction costs per thread. The costs of all instructions on one path of a program add up; divided
// by the rates of a chip they are clocks of a core, and the largest of them is the minimum time of the path.
//
// Arithmetic is counted in operations of its unit: one per 32 bits of the result, one if there is no result, times the
// time of the operation. Textures are counted in samples, varyings in words that are loaded, loads and stores in
// messages. docs/reference/valhall.md 14.
func Costs(in *isa.Inst) []isa.Cost {
	r := rowOf(in)
	begins := func(name string) bool { return strings.HasPrefix(r.name, name) }
	switch u, time := executes(in); {
	case u < unitNone:
		return []isa.Cost{{Unit: unitNames[u], Count: wordsOfResult(in) * time}}
	case slices.ContainsFunc(noFigure[:], begins):
		return []isa.Cost{{Unit: unitNames[unitNone], Lack: "no source says what it costs"}}
	case slices.ContainsFunc(uncounted[:], begins), r.name == "LD_VAR_SPECIAL" && in.Get(nameIndex) == fragZ:
		return []isa.Cost{{Unit: unitNames[unitNone], Lack: "Mesa counts nothing for it"}}
	}
	switch r.unit {
	case unitV:
		return []isa.Cost{{Unit: CostVarying, Count: wordsOfVarying(in)}}
	case unitT:
		return []isa.Cost{{Unit: CostTexture, Count: texturesOf(r)}}
	case unitVT: // as the older compiler counts: the newer never emits them
		return []isa.Cost{{Unit: CostTexture, Count: 1}, {Unit: CostLoadStore, Count: 4}}
	}
	return []isa.Cost{{Unit: CostLoadStore, Count: 1}}
}

// fragZ is the varying of the pipeline that costs nothing: depth.
const fragZ = 3

// texturesOf is the number of textures that an instruction samples.
func texturesOf(r *row) int {
	if r.name == "TEX_DUAL" {
		return 2
	}
	return 1
}

// wordsOfResult is the number of 32-bit words in the result of an arithmetic instruction; 1 if it has no result.
func wordsOfResult(in *isa.Inst) int {
	if d := rowOf(in).form.dst; d >= 0 {
		return (in.Def.Args[d].Width + 31) / 32
	}
	return 1
}

// wordsOfVarying is the number of words that a load of varyings reads: words in memory for a vertex packet, else its
// registers.
func wordsOfVarying(in *isa.Inst) int {
	n := int(in.Opt(nameVector)) + 1
	if strings.HasPrefix(rowOf(in).name, "LD_VAR_BUF") && !strings.HasPrefix(rowOf(in).name, "LD_VAR_BUF_FLAT") {
		return regsOf(n, in.Get(nameSource)&1 != 0)
	}
	return rowOf(in).moves(in, nil)
}

// costLines is Costs of a bundle, with the rates of the architecture's chips.
func costLines(t *isa.Target, b *isa.Bundle) []isa.Cost {
	list := Costs(&b.Parts[0])
	for i := range list {
		list[i].Rates = ratesOf(t.Variants[t.Variant].Name, list[i].Unit)
	}
	return list
}

// ratesOf are the chips of an architecture with their rates of one unit.
func ratesOf(variant, unit string) (list []isa.Rate) {
	for _, c := range Chips(variant) {
		if n := c.Rate(unit); n > 0 {
			list = append(list, isa.Rate{Chip: c.Name, PerClock: n})
		}
	}
	return list
}
