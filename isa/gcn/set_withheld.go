package gcn

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// withheld says which limit prevents memory accesses of an instruction: M0 for LDS and the global data share
// (docs/reference/gcn.md 8.3), the descriptor for buffers (docs/reference/gcn.md 8.1 and 4).
func withheld(in *isa.Inst, get func(c ir.Cell) uint32) (why string, once int) {
	switch in.Def.Enc.Name {
	case "DS":
		m0 := get(CellM0)
		switch {
		case traitsOf(in.Def)&isa.TraitGroup == 0, !in.Has(nameAddr): // ds_append and ds_consume are not limited
			return "", 0
		case in.Field(nameGDS) != 0:
			return fmt.Sprintf("M0 is %#x: addresses of the global data share end at M0[15:0], %#x", m0, m0&0xffff), 0
		}
		return fmt.Sprintf("M0 is %#x, and addresses of LDS end there; m0=-1 sets no limit", m0), 0
	case "MUBUF", "MTBUF":
		if !in.Has(nameSrsrc) {
			return "", 0
		}
		return outsideBuffer(4*in.Get(nameSrsrc), in, get), 0
	case "SMEM", "SMRD":
		if !strings.HasPrefix(in.Def.Name, "s_buffer_") {
			return "", 0
		}
		_, words, many := strings.Cut(in.Def.Name, "dwordx")
		if once = 1; many {
			once, _ = strconv.Atoi(words) // a row of rows_smem.go: the words are 2 to 16
		}
		return outsideBuffer(2*in.Get(nameSbase), in, get), once
	}
	return "", 0
}

// outsideBuffer describes what the descriptor in four registers from a code on allows; "" if there are no such
// registers.
func outsideBuffer(code uint64, in *isa.Inst, get func(c ir.Cell) uint32) string {
	at := uint16(code)
	if int(at)+3 >= SGPRs(int(in.Var)) {
		return ""
	}
	var words []string
	for i := range uint16(4) {
		words = append(words, fmt.Sprintf("%#x", get(ir.Cell{File: FileS, Index: at + i})))
	}
	return fmt.Sprintf("the descriptor s[%d:%d] = (%s) does not reach them: stride %d, %d records", at, at+3, strings.Join(words, " "),
		get(ir.Cell{File: FileS, Index: at + 1})>>16&0x3fff, get(ir.Cell{File: FileS, Index: at + 2}))
}
