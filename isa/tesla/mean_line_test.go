package tesla

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/num"
)

// reads gives registers of one lane, by name.
type reads func(name string) uint64

// lines are instructions in forms with few recorded cases: the expected contents of one cell. Nothing else may
// change.
var lines = []struct {
	text           string
	variant, stage int
	cell           string
	want           func(lane int, r reads) uint64
}{
	{"mov b16 $r4l $r1h", G80, CP, "r4", func(_ int, r reads) uint64 { return r("r4")&^0xffff | r("r1")>>16 }},
	{"mov b32 $r4 $r1", G80, CP, "r4", func(_ int, r reads) uint64 { return r("r1") }},
	{"mov b16 $r4h 0x1234", G80, CP, "r4", func(_ int, r reads) uint64 { return r("r4")&0xffff | 0x12340000 }},
	{"mov b32 $r4 0x12345678", G80, CP, "r4", func(int, reads) uint64 { return 0x12345678 }},
	{"long mov b16 $r4h $r1h", G80, CP, "r4", func(_ int, r reads) uint64 { return r("r4")&0xffff | r("r1")&^0xffff }},
	{"(l02) mov b32 $r4 $r1", G80, CP, "r4", func(lane int, r reads) uint64 { return []uint64{r("r1"), r("r4")}[lane&1] }},
	{"(l3) mov b16 $r4l $r1l", G80, FP, "r4", func(lane int, r reads) uint64 {
		if lane&3 != 3 {
			return r("r4")
		}
		return r("r4")&^0xffff | r("r1")&0xffff
	}},
	{"mov $r4 $a1", G80, VP, "r4", func(_ int, r reads) uint64 { return r("a1") }},
	{"mov $r4 $physid", G80, VP, "r4", func(_ int, r reads) uint64 { return r("physid") }},
	{"shl $a1 $r1 0x3", G80, VP, "a1", func(_ int, r reads) uint64 { return r("r1") << 3 & 0xffff }},
	{"add $a2 $a1 0xfff8", G80, VP, "a2", func(_ int, r reads) uint64 { return (r("a1") - 8) & 0xffff }},
	{"add f32 $r4 neg $r1 $r2", G80, CP, "r4", func(_ int, r reads) uint64 { return add32(r("r1")^1<<31, r("r2"), toNearest) }},
	{"add sat f32 $r4 $r1 neg $r2", G80, CP, "r4", func(_ int, r reads) uint64 {
		return saturatedBits(add32(r("r1"), r("r2")^1<<31, toNearest), f32NaN)
	}},
	{"add f32 $r4 neg $r1 0x3f800001", G80, CP, "r4", func(_ int, r reads) uint64 { return add32(r("r1")^1<<31, 0x3f800001, toNearest) }},
	{"add sat f32 $r4 $r1 neg 0x3f800001", G80, CP, "r4", func(_ int, r reads) uint64 {
		return saturatedBits(add32(r("r1"), 0xbf800001, toNearest), f32NaN)
	}},
	{"add sat f32 $r4 neg (mul $r1 0x3f800001) neg $r4", G80, CP, "r4", func(_ int, r reads) uint64 {
		return saturatedBits(mad32(r("r1")^1<<31, 0x3f800001, r("r4")^1<<31, false), f32NaN)
	}},
	{"add f32 $r4 neg (mul $r1 $r2) neg $r4", G80, CP, "r4", func(_ int, r reads) uint64 {
		return mad32(r("r1")^1<<31, r("r2"), r("r4")^1<<31, false)
	}},
	{"mul f32 $r4 neg $r1 $r2", G80, CP, "r4", func(_ int, r reads) uint64 { return mul32(r("r1")^1<<31, r("r2"), toNearest, false) }},
	{"mul f32 $r4 $r1 neg 0x3f800001", G84, CP, "r4", func(_ int, r reads) uint64 { return mul32(r("r1"), 0xbf800001, toNearest, false) }},
	{"mul rz f32 $r4 $r1 neg $r2", G80, CP, "r4", func(_ int, r reads) uint64 { return mul32(r("r1"), r("r2")^1<<31, toZero, false) }},
	{"mul sat f32 $r4 $r1 neg $r2", MCP77, CP, "r4", func(_ int, r reads) uint64 {
		return saturatedBits(mul32(r("r1"), r("r2")^1<<31, toNearest, false), f32NaN)
	}},
	{"mul sat f32 $r4 $r1 0x3f800001", GT215, CP, "r4", func(_ int, r reads) uint64 {
		return saturatedBits(mul32(r("r1"), 0x3f800001, toNearest, false), f32NaN)
	}},
	{"rcp f32 $r4 neg abs $r1", G80, CP, "r4", func(_ int, r reads) uint64 { return uint64(num.TeslaRcp.Of(uint32(r("r1") | 1<<31))) }},
	{"quadop f32 add subr sub mov2 $r4 l2 $r1 $r3", G80, GP, "r4", func(lane int, r reads) uint64 {
		a := r("r1 of l2")
		return []uint64{add32(a, r("r3"), toNearest), add32(r("r3"), a^1<<31, toNearest), add32(a, r("r3")^1<<31, toNearest), add32(r("r3"), 0, toNearest)}[lane&3]
	}},
	{"add b32 o[0x8] $r1 $r2", G80, VP, "o[0x8]", func(_ int, r reads) uint64 { return (r("r1") + r("r2")) & 0xffffffff }},
	{"sub b16 o[0x4] $r1l $r2h", G80, VP, "o[0x4]", func(_ int, r reads) uint64 { return (r("r1") - r("r2")>>16) & 0xffff * 0x10001 }},
	{"sub b32 $c1 # $r1 $r2", G80, VP, "c1", func(_ int, r reads) uint64 { return added(1, false, 32, r("r1"), r("r2"), 0).cc }},
	{"addc b16 sat $c2 $r4l $r1l $r2h $c1", G80, CP, "r4", func(_ int, r reads) uint64 {
		return r("r4")&^0xffff | added(3, true, 16, r("r1")&0xffff, r("r2")>>16, r("c1")>>FlagC&1).v
	}},
	{"mov $c3 $r1", G80, CP, "c3", func(_ int, r reads) uint64 { return r("r1") & 15 }},
	{"add b32 $r4 $r1 $r124", G80, CP, "r4", func(_ int, r reads) uint64 { return r("r1") }},
	{"add b32 $r124 $r1 $r2", G80, CP, "r124", func(_ int, r reads) uint64 { return r("r124") }},
}

// valueOf returns a register of a lane; for a $c its flags as a number. "r1 of l2" is that of lane 2 of the quad.
func valueOf(t *testing.T, w wave, lane int, name string) (v uint64) {
	if len(name) > 6 && name[len(name)-6:len(name)-1] == " of l" {
		name, lane = name[:len(name)-6], lane&^3|int(name[len(name)-1]-'0')
	}
	cs, err := cell(0, name)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cs {
		v |= w.at(int(c.File), int(c.Index))[lane] << i
	}
	return v
}

// randomWave returns a warp with random registers.
func randomWave(r *rand.Rand) wave {
	w := wave{}
	for file, f := range machine.Files {
		for i := range f.Count {
			for lane := range Lanes {
				x := irgen.Bits(r, 32)
				switch file {
				case FileC:
					x &= 1
				case FileA:
					x &= 0xffff
				case FileExec:
					x = flagOf(r.IntN(4) != 0)
				}
				w.at(file, i)[lane] = x
			}
		}
	}
	return w
}

// clone is a copy.
func (w wave) clone() wave {
	c := maps.Clone(w)
	for at, v := range c {
		lanes := *v
		c[at] = &lanes
	}
	return c
}

// TestLines runs lines as text gives them, in programs of 124 registers: two registers that they name do not exist.
func TestLines(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	for _, line := range lines {
		tg, err := Set().At(line.variant, line.stage).With(0, map[string]string{OptRegisters: "124"})
		if err != nil {
			t.Fatal(err)
		}
		var b isa.Bundle
		if err := tg.Parse(line.text, 0, &b); err != nil {
			t.Errorf("%s: %v", line.text, err)
			continue
		}
		block := tg.LiftOne(&b, 0)
		for range 6 {
			before := randomWave(r)
			after := before.clone()
			after.run(block)
			tryLine(t, tg, line.text, line.cell, before, after, line.want)
		}
	}
}

// evaluated returns the command that runs a line in a lane of a warp by itself, with the cells of those names; or the
// test's, if other lanes matter.
func evaluated(t *testing.T, tg *isa.Target, text string, names []string, w wave, lane int) string {
	t.Helper()
	b := fmt.Sprintf("heddle eval --isa tesla:%s --stage %s --option %s=%d '%s' exec=%d", variants[tg.Variant].Name, stages[tg.Stage], OptRegisters, registerCount(tg), text,
		w.at(FileExec, 0)[lane])
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		cs, err := cell(0, name)
		if err != nil { // of another lane
			return rerun(t)
		}
		for _, c := range cs {
			b += fmt.Sprintf(" '%s=%#x'", cellName(c), w.at(int(c.File), int(c.Index))[lane])
		}
	}
	return b
}

// tryLine compares a cell of each lane, and finds others that have changed: flags may if the text names a $c.
func tryLine(t *testing.T, tg *isa.Target, text, name string, before, after wave, want func(lane int, r reads) uint64) {
	t.Helper()
	own := map[ir.Cell]bool{}
	cs, err := cell(0, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cs {
		own[c] = true
	}
	for lane := range Lanes {
		names := []string{name} // of cells that count
		w := valueOf(t, before, lane, name)
		if before.at(FileExec, 0)[lane] != 0 {
			w = want(lane, func(name string) uint64 {
				names = append(names, name)
				return valueOf(t, before, lane, name)
			})
		}
		if got := valueOf(t, after, lane, name); got != w {
			t.Fatalf("%s: %s of lane %d is %#x, want %#x\n\t%s", text, name, lane, got, w, evaluated(t, tg, text, names, before, lane))
		}
		for c, v := range after {
			if !own[c] && (c.File != FileC || !strings.Contains(text, "$c")) && v[lane] != before.at(int(c.File), int(c.Index))[lane] {
				t.Fatalf("%s: %s of lane %d changes", text, cellName(c), lane)
			}
		}
	}
}
