package gcn

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Exports as output ops. docs/reference/gcn.md 8.4.

// An Export is the slot of the output op of EXP: the low bits of its first word, which are the same in all
// generations, and whether the lane executes. The op has the values of the four source registers, of the first two
// with compr, 0 in place of those that are off. With vm or done it is executed for all lanes, since EXEC itself
// counts; otherwise for active ones.
type Export uint32

const (
	exportCompr = 1 << 10
	exportDone  = 1 << 11
	exportVM    = 1 << 12
	exportLane  = 1 << 13
)

// Enabled returns which components are exported, bit i for component i; with Compressed those of pairs of halves.
func (e Export) Enabled() int { return int(e & 15) }

// Target returns the number of the target: MRT 0 to 7, ExportDepth, ExportNull, positions from ExportPos and
// parameters from ExportParam on.
func (e Export) Target() int { return int(e >> 4 & 63) }

// Compressed, Done and Valid return the modifiers compr, done and vm.
func (e Export) Compressed() bool { return e&exportCompr != 0 }
func (e Export) Done() bool       { return e&exportDone != 0 }
func (e Export) Valid() bool      { return e&exportVM != 0 }

// Executes reports whether EXEC has the lane's bit.
func (e Export) Executes() bool { return e&exportLane != 0 }

// Targets of exports.
const (
	ExportDepth  = 8
	ExportNull   = 9
	ExportPos    = 12 // 4 of them
	ExportParam  = 32 // 32 of them
	ExportParams = 32
)

// export executes an EXP.
func export(l *isa.Lift) {
	en, n := l.In.Field(nameEn), 4
	slot := uint32(en | l.In.Field(nameTgt)<<4)
	slot |= uint32(l.In.Field(nameCompr)<<10 | l.In.Field(nameDone)<<11 | l.In.Field(nameVM)<<12)
	if slot&exportCompr != 0 {
		n = 2
	}
	var reads []ir.Span
	vals := make([]V, n)
	for i := range vals {
		vals[i] = l.I32(0)
		if used := en >> i & 1; n == 2 && en>>(2*i)&3 != 0 || n == 4 && used != 0 {
			r := VGPR(int(l.In.Field(nameVsrc0 + isa.Name(i))))
			vals[i] = l.Get(r, ir.I32)
			reads = append(reads, ir.Span{Cell: r, Count: 1})
		}
	}
	at, lanes := l.I32(slot|exportLane), l.Exec()
	if slot&(exportDone|exportVM) != 0 {
		at, lanes = lanes.Select(at, l.I32(slot)), l.I1(true)
	}
	l.Output(ir.IOAttr{Count: uint8(n)}, at, vals, lanes)
	l.Issue(queueEXP, nil, reads)
}
