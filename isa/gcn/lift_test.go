package gcn

import (
	"fmt"
	"testing"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// TestLifts: every row with semantics lifts to a block that verifies, for sample operands and several modes.
func TestLifts(t *testing.T) {
	set := Set()
	seen := map[string]bool{}
	for i := range set.Defs {
		d := &set.Defs[i]
		if d.Meaning == nil {
			continue
		}
		for _, mode := range []uint32{0x2c0, 0x2f0 | 1<<modeGPRIdx, 0x000, 0x3ff, 1 << modeVSkip} {
			for n := range 6 {
				in := isa.Inst{Def: d, Word: sampleWord(d, n), Addr: 0x100}
				in.Size = uint8(d.EncodedSize(in.Word))
				b := isa.Bundle{Parts: []isa.Inst{in}}
				func() {
					defer func() {
						if r := recover(); r != nil {
							key := d.Name + fmt.Sprint(r)
							if !seen[key] {
								seen[key] = true
								t.Errorf("%s (%s): %v", in.String(), d.Enc.Name, r)
							}
						}
					}()
					blk := set.At(gfx8, 0).LiftOne(&b, mode)
					if err := ir.Verify(machine, blk); err != nil && !seen[d.Name] {
						seen[d.Name] = true
						t.Errorf("%s: %v", in.String(), err)
					}
				}()
			}
		}
	}
}

// sampleWord returns the row's fixed bits with sample n of each operand.
func sampleWord(d *isa.Def, n int) bits.Word {
	w := d.Value()
	for i := range d.Args {
		a := &d.Args[i]
		if len(a.At) == 0 {
			continue
		}
		v := uint64(n)
		if s := a.Kind.Samples; len(s) > 0 {
			v = s[n%len(s)]
		}
		v &= bits.Ones(a.At.Len())
		if v < uint64(len(a.Kind.Reserved)) && a.Kind.Reserved[v] {
			v = 0
			for v < uint64(len(a.Kind.Reserved)) && a.Kind.Reserved[v] {
				v++
			}
		}
		w = a.Put(w, v)
	}
	return w
}
