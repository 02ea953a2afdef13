package valhall

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// withheld says why a load does not access memory: for LD_BUFFER, its tables and buffers.
// docs/reference/valhall.md 9.2.
func withheld(in *isa.Inst, get func(c ir.Cell) uint32) (why string, once int) {
	if !strings.HasPrefix(in.Def.Name, "LD_BUFFER.") {
		return "", 0
	}
	at := uint64(get(Special(PagePointers, SpecialTable, 1)))<<32 | uint64(get(Special(PagePointers, SpecialTable, 0)))
	tables := "1 table"
	if n := at & TableCount; n != 1 {
		tables = fmt.Sprintf("%d tables", n)
	}
	why = fmt.Sprintf("resource_table_pointer is %#x, which has %s (bits 0-5): a handle that names no buffer in them, or an offset outside of the buffer, gives 0", at, tables)
	return why, 0
}
