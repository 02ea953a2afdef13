package gcn

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// withheld says which limit keeps lanes of an instruction from memory: M0 those of LDS and the global data share (docs/reference/gcn.md 8.3),
// the descriptor those of buffers (docs/reference/gcn.md 8.1).
func withheld(in *isa.Inst, get func(c ir.Cell) uint32) string {
	switch in.Def.Enc.Name {
	case "DS":
		m0 := get(CellM0)
		switch {
		case traitsOf(in.Def)&isa.TraitGroup == 0:
			return ""
		case in.Field(nameGDS) != 0:
			return fmt.Sprintf("M0 is %#x: addresses of the global data share end at M0[15:0], %#x", m0, m0&0xffff)
		}
		return fmt.Sprintf("M0 is %#x, and addresses of LDS end there; m0=-1 sets no limit, --lds zero:4096 gives the wave LDS", m0)
	case "MUBUF", "MTBUF":
		if !in.Has(nameSrsrc) {
			return ""
		}
		at := uint16(4 * in.Get(nameSrsrc))
		word := func(i uint16) uint32 { return get(ir.Cell{File: FileS, Index: at + i}) }
		if int(at)+3 >= SGPRs(int(in.Var)) {
			return ""
		}
		var words []string
		for i := range uint16(4) {
			words = append(words, fmt.Sprintf("%#x", word(i)))
		}
		return fmt.Sprintf("they are outside of what the descriptor s[%d:%d] = (%s) allows: stride %d, %d records", at, at+3, strings.Join(words, " "),
			word(1)>>16&0x3fff, word(2))
	}
	return ""
}
