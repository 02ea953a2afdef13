package gcn

import (
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// The operations that instructions leave outstanding. docs/reference/gcn.md 5.

// afterMeaning issues the operations that the instruction leaves outstanding, for rows of all families.
func afterMeaning(l *isa.Lift) {
	if l.Done() {
		return
	}
	left := leaves(l.In.Def)
	if left == nil {
		return
	}
	r, _ := l.Data.(*pendingRoom)
	if r == nil {
		r = new(pendingRoom)
		l.Data = r
	}
	r.touched.Of(l.In)
	r.list = left(l.In, &r.touched, r.list[:0])
	for i := range r.list {
		o := &r.list[i]
		l.Issue(o.Queue, o.Writes, o.Reads)
	}
}

// A pendingRoom is the buffers of afterMeaning, kept from instruction to instruction.
type pendingRoom struct {
	touched isa.Touched
	list    []isa.Operation
}

// A pending appends the operations that an instruction leaves outstanding. A load will write its results, and an
// operation on the counter of exports has yet to read its data.
type pending = func(in *isa.Inst, t *isa.Touched, dst []isa.Operation) []isa.Operation

// leaves returns the pending of a row, by its encoding; nil: it leaves nothing.
func leaves(d *isa.Def) pending {
	switch d.Enc.Name {
	case "MUBUF", "MTBUF", "MIMG":
		return vectorPending
	case "FLAT":
		return flatPending
	case "SMEM", "SMRD":
		return scalarPending
	case "DS":
		return sharePending
	case "EXP":
		return exportPending
	case "SOPP":
		if strings.HasPrefix(d.Name, "s_sendmsg") {
			return messagePending
		}
	}
	return nil
}

// operations appends the operations that any instruction leaves outstanding.
func operations(in *isa.Inst, t *isa.Touched, dst []isa.Operation) []isa.Operation {
	if left := leaves(in.Def); left != nil {
		return left(in, t, dst)
	}
	return dst
}

func vectorPending(in *isa.Inst, t *isa.Touched, dst []isa.Operation) []isa.Operation {
	dst = append(dst, isa.Operation{Queue: queueVM, Writes: inFile(FileV, t.Writes)})
	if data := storeData(in, t); in.Var == gfx6 && len(data) > 0 {
		dst = append(dst, isa.Operation{Queue: queueStoreData, Reads: data})
	}
	return dst
}

func flatPending(_ *isa.Inst, t *isa.Touched, dst []isa.Operation) []isa.Operation {
	v := inFile(FileV, t.Writes)
	return append(dst, isa.Operation{Queue: queueVM, Writes: v}, isa.Operation{Queue: queueFlat, Writes: v})
}

func scalarPending(_ *isa.Inst, t *isa.Touched, dst []isa.Operation) []isa.Operation {
	if len(t.Writes)+len(t.Reads) == 0 { // cache maintenance is not counted
		return dst
	}
	return append(dst, isa.Operation{Queue: queueSMEM, Writes: inFile(FileS, t.Writes)})
}

func sharePending(in *isa.Inst, t *isa.Touched, dst []isa.Operation) []isa.Operation {
	v, r := inFile(FileV, t.Writes), inFile(FileV, t.Reads)
	switch {
	case in.Field(nameGDS) != 0:
		dst = append(dst, isa.Operation{Queue: queueGDS, Writes: v}, isa.Operation{Queue: queueGDSData, Reads: r})
	case len(v)+len(r) > 0:
		dst = append(dst, isa.Operation{Queue: queueLGKM, Writes: v})
	}
	return dst
}

func exportPending(in *isa.Inst, t *isa.Touched, dst []isa.Operation) []isa.Operation {
	return append(dst, isa.Operation{Queue: exportQueue(in), Reads: inFile(FileV, t.Reads)})
}

func messagePending(_ *isa.Inst, _ *isa.Touched, dst []isa.Operation) []isa.Operation {
	return append(dst, isa.Operation{Queue: queueMessage})
}

// inFile returns the spans of one file, within it.
func inFile(file uint8, spans []ir.Span) (in []ir.Span) {
	for _, s := range spans {
		n := machine.Files[file].Count - int(s.Cell.Index)
		if s.Cell.File == file && n > 0 {
			s.Count = min(s.Count, uint16(n))
			in = append(in, s)
		}
	}
	return in
}

// storeData returns the registers whose contents an instruction stores to memory: those of its data operand, if it
// reads them.
func storeData(in *isa.Inst, t *isa.Touched) []ir.Span {
	i := operandOf(in.Def, "vdata", "data", "data0")
	if i < 0 {
		return nil
	}
	a := &in.Def.Args[i]
	if r := a.RoleIn(in); r != isa.Use && r != isa.UseDef {
		return nil
	}
	return inFile(FileV, t.Operand(in, a, nil))
}

// operandOf returns the index of the first arg that has one of the names; -1: there is none.
func operandOf(d *isa.Def, names ...string) int {
	for i := range d.Args {
		for _, n := range names {
			if d.Args[i].Name == n {
				return i
			}
		}
	}
	return -1
}

// exportQueue returns the queue of an export's target: each kind completes in its own order. docs/reference/gcn.md
// 8.4.
func exportQueue(in *isa.Inst) int {
	switch tgt := in.Word.Get(bits.Span(4, 9)); {
	case tgt >= 32:
		return queueEXPParam
	case tgt >= 12:
		return queueEXPPos
	}
	return queueEXP
}
