package gcn

import "github.com/heddle-gpu/heddle/isa"

// memoryDefs are the rows of SMEM, DS, FLAT, MUBUF, MTBUF, MIMG, EXP and VINTRP.
func memoryDefs() []isa.Def { return nil }
