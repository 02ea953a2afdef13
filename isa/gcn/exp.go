package gcn

import (
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// EXP: exports of colours, positions and parameters. docs/reference/gcn.md 1 and 8.4.

var expRows = []memRow{
	// gfx6 gfx7 gfx8 mnemonic signature meaning doc
	{0x00, 0x00, 0x00, "exp", "", nil, "Up to four values a lane go to a target of the pipeline; with compr two pairs of 16 bits."},
}

// expVI is the layout of gfx8; gfx6 and gfx7 differ in the bits that identify it. There is no opcode.
var expVI = &isa.Encoding{Name: "EXP", Bits: 64, Fixed: []isa.Fixed{isa.Must(26, 31, 0b110001)},
	Fields: []isa.Field{
		isa.Bits("en", 0, 3, nil), isa.Bits("tgt", 4, 9, expTarget), isa.Bits("compr", 10, 10, nil),
		isa.Bits("done", 11, 11, flag("done")), isa.Bits("vm", 12, 12, flag("vm")),
		isa.Bits("vsrc0", 32, 39, vregs[1]), isa.Bits("vsrc1", 40, 47, vregs[1]),
		isa.Bits("vsrc2", 48, 55, vregs[1]), isa.Bits("vsrc3", 56, 63, vregs[1]),
	}, Source: "docs/reference/gcn.md 1.1"}

// expTargets are the runs of targets: first code, how many, name; a single one has no number.
var expTargets = []struct {
	code, count int
	name        string
}{{0, 8, "mrt"}, {8, 1, "mrtz"}, {9, 1, "null"}, {12, 4, "pos"}, {32, 32, "param"}}

// expTarget stands in front of the registers, with a blank between them.
var expTarget = func() *isa.Kind {
	k := &isa.Kind{Name: "an export target", Table: make([]string, 64), Reserved: make([]bool, 64), Samples: []uint64{0, 7, 8, 9, 12, 15, 32, 63}}
	for _, r := range expTargets {
		for i := range r.count {
			k.Table[r.code+i] = r.name
			if r.count > 1 {
				k.Table[r.code+i] += strconv.Itoa(i)
			}
			k.Table[r.code+i] += " "
		}
	}
	for v, t := range k.Table {
		k.Reserved[v] = t == ""
	}
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		s.Space()
		for v, t := range k.Table {
			if t != "" && s.Accept(t[:len(t)-1]) {
				return uint64(v), true
			}
		}
		return 0, s.Expect("an export target (mrt0-7, mrtz, null, pos0-3, param0-31)")
	}
	return k
}()

// expForms are one form for each set of enabled sources, which the text shows as registers in place of off, with and
// without compr.
func expForms(*memRow) (ds []isa.Def) {
	for compr := range uint64(2) {
		for en := range uint64(16) {
			ds = append(ds, isa.Def{Enc: expVI, Fix: []isa.Fixed{isa.Must(0, 3, en), isa.Must(10, 10, compr)}, Args: expArgs(en, compr), Rank: len(ds)})
		}
	}
	return ds
}

// expArgs are the operands of a form. With compr sources 0 and 1 are both the first register, 2 and 3 the second.
func expArgs(en, compr uint64) []isa.Arg {
	args := []isa.Arg{{Name: "tgt"}}
	used := ""
	for i := range 4 {
		name := "vsrc" + strconv.Itoa(i>>compr)
		field := nameVsrc0 + isa.Name(i>>compr)
		switch {
		case en>>i&1 == 0:
			a := wordArg("off", false)
			a.Tight = i == 0
			args = append(args, a)
		case name == used:
			args = append(args, isa.Arg{Name: name + " again", Kind: again(field), At: bits.Ranges{}})
		default:
			args = append(args, isa.Arg{Name: name, Role: isa.Use, Width: 32, Tight: i == 0})
			used = name
		}
	}
	args = append(args, modArgs("done")...)
	if compr != 0 {
		args = append(args, wordArg("compr", true))
	}
	return append(args, modArgs("vm")...)
}

// again is the second mention of a register.
func again(name isa.Name) *isa.Kind {
	return &isa.Kind{Name: "the same register again",
		Text: func(_ *isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, _ uint64) []byte {
			return append(dst, vregs[1].Table[in.Get(name)]...)
		},
		Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
			at := s.Pos
			v, ok := vregs[1].Parse(s, in, a)
			if ok && v != in.Get(name) {
				s.Pos = at
				return 0, s.Expect(vregs[1].Table[in.Get(name)])
			}
			return 0, ok
		}}
}
