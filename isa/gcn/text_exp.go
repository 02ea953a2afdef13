package gcn

import (
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// Operands of EXP. docs/reference/gcn.md 1 and 8.4.

// expSources are the fields of the registers that are sources.
var expSources = [...]string{"vsrc0", "vsrc1", "vsrc2", "vsrc3"}

// expTargets are the runs of targets: first code, how many, name; a single one has no number.
var expTargets = []struct {
	code, count int
	name        string
}{{0, 8, "mrt"}, {8, 1, "mrtz"}, {9, 1, "null"}, {12, 4, "pos"}, {32, 32, "param"}}

// expTarget precedes the registers, with a blank between them.
func (k *kinds) expTarget() *isa.Kind { return k.once("export", newExpTarget) }

func newExpTarget() *isa.Kind {
	k := &isa.Kind{Name: "an export target", Table: make([]string, 64), Samples: []uint64{0, 7, 8, 9, 12, 15, 32, 63}}
	for _, r := range expTargets {
		for i := range r.count {
			k.Table[r.code+i] = r.name
			if r.count > 1 {
				k.Table[r.code+i] += strconv.Itoa(i)
			}
			k.Table[r.code+i] += " "
		}
	}
	k.Reserved = absent(k.Table)
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		s.Space()
		for v, t := range k.Table {
			if t != "" && s.Accept(t[:len(t)-1]) {
				if s.Space(); s.Byte(',') { // LLVM accepts one, and prints none
					s.Space()
				}
				return uint64(v), true
			}
		}
		return 0, s.Expect("an export target (mrt0-7, mrtz, null, pos0-3, param0-31)")
	}
	return k
}

// again is a register that compr reads a second time. Like LLVM it accepts any register, and prints the first one.
func (k *kinds) again(name isa.Name) *isa.Kind {
	one := k.vgprs(1)
	return &isa.Kind{Name: "the same register again", Parse: one.Parse,
		Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, _ uint64) []byte {
			return append(dst, one.Table[in.Get(name)]...)
		}}
}
