package rogue

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// What rules about control flow query. docs/reference/rogue.md 1, 5.6 to 5.9 and 6.

// Traits of rows besides those of all sets: the fence that is waited for, and the mutex that is released or locked.
const (
	traitWait0 isa.Traits = isa.TraitOwn << iota
	traitWait1
	traitRelease // of mutex 0; the bits of the others follow
	traitLock    = traitRelease << numMutex
	traitEndTask = traitLock << numMutex // a backend instruction ends the task
)

func newFlow() *isa.Flow {
	var never []ir.Cell
	for _, f := range [...]int{FileR, FileI, FileIdx, FileP, FileLink} {
		never = append(never, isa.Cells(f, 0, machine.Files[f].Count)...)
	}
	return &isa.Flow{
		Traits: traitsOf, More: moreTraits, Lead: lead, Touches: touches, Pending: operations, Goes: goes, Unset: unsetRule, Never: never, Wait: waitText,
		Nest: nesting, NestNone: ruleBlockNone, NestOpen: ruleBlockOpen, Needs: needs(),
	}
}

// needs are the preconditions of waits and of operations on mutexes.
func needs() []isa.Need {
	list := []isa.Need{
		{Rule: ruleFenceIdle, Traits: traitWait0, Queues: 1 << 0, Some: true},
		{Rule: ruleFenceIdle, Traits: traitWait1, Queues: 1 << 1, Some: true},
		{Rule: ruleMutexHeld, Traits: isa.TraitEnd, Queues: (1<<numMutex - 1) << firstMutex, Says: "a mutex that the task has locked is not released on all paths to here"},
		{Rule: ruleVertexKept, Traits: isa.TraitEnd | traitEndTask, Queues: 1 << vertexQueue, Behind: true, Says: "a vertex output is written, and no emit says that the vertex is done, on a path to here"},
	}
	order := isa.Need{Rule: ruleMutexOrder, Queues: (1<<numMutex - 1) << firstMutex, Order: true}
	for i := range numMutex {
		order.Traits |= traitLock << i
		q := uint64(1) << (firstMutex + i)
		list = append(list,
			isa.Need{Rule: ruleMutexFree, Traits: traitRelease << i, Queues: q, Some: true, Says: "no path to here has locked the mutex; what releasing it does no source says"},
			isa.Need{Rule: ruleMutexTwice, Traits: traitLock << i, Queues: q, Says: "a path to here has locked the mutex, and the task would wait for itself"})
	}
	return append(list, order)
}

// lead is the instruction that names a group: the one that acts last.
func lead(b *isa.Bundle) *isa.Inst {
	for i := len(inOrder) - 1; i >= 0; i-- {
		if in := group.Find(b, inOrder[i]); in != nil && !omitted(b, in) {
			return in
		}
	}
	return head(b)
}

// traitsOf are the traits of a row.
func traitsOf(d *isa.Def) isa.Traits {
	switch d.Data.(*row).layout.name {
	case "branch":
		if d.Data.(*row).entry == "BRL" || d.Data.(*row).entry == "BAL" {
			return isa.TraitGoes | isa.TraitCall
		}
		return isa.TraitGoes | isa.TraitLanes
	case "lapc":
		return isa.TraitGoes
	case "uvsw_write_emit_endtask_reg", "uvsw_write_emit_endtask_imm", "uvsw_endtask", "uvsw_emit_endtask":
		return isa.TraitGoes | traitEndTask
	}
	if d.Name == "nop.end" {
		return isa.TraitEnd
	}
	return 0
}

// moreTraits are the traits that follow from the fields of a part.
func moreTraits(in *isa.Inst, _ isa.Traits) (more isa.Traits) {
	switch c := in.Def.Class; {
	case c == group.Header && in.Opt(nameEnd) != 0:
		return isa.TraitEnd
	case c == group.Control && info(in).entry == "WDF":
		return traitWait0 << in.Get(nameDRC)
	case c == group.Control && info(in).name == "mutex":
		if in.Get(nameOp) == mutexLock {
			return traitLock << in.Get(nameID)
		}
		return traitRelease << in.Get(nameID)
	}
	return 0
}

// goes returns the targets of a branch. A branch without a condition counts as taken: if no lane is active, nothing
// happens after it either. After the end of the task compilers place another end of the program, or nothing.
func goes(b *isa.Bundle) (g isa.Going) {
	in := &b.Parts[0]
	if in.Def.Class != group.Control {
		goesOn := in.Opt(nameEnd) == 0
		return isa.Going{Falls: goesOn, Vague: goesOn}
	}
	to, ok := branch(b, 0)
	if !ok { // lapc
		return isa.Going{Open: true, Falls: conditional(in)}
	}
	link := info(in).entry == "BRL" || info(in).entry == "BAL"
	return isa.Going{Jumps: true, Target: to, Falls: link || in.Get(nameBPred) != 0 || conditional(in)}
}

// nesting is the change of block depth by an instruction of the mask counter, in counts. One that sets the counter from
// a constant starts again: programs initialise their counter so, with a block that need not end. The end of a loop
// leaves its own lanes or none; the effect of calls is unknown.
func nesting(_ *isa.Target, b *isa.Bundle) isa.Nesting {
	in := head(b)
	a := int(in.Opt(nameAdjust))
	switch info(in).entry {
	case "CNDST":
		var rt routing
		route(b, &rt)
		n := isa.Nesting{Least: a, Most: a, Anew: rt.src[0].bank == bankSpecial && isConstant(rt.src[0].n)}
		if n.Anew && in.Get(namePCnd) == whenTrue {
			n.Least = 0
		}
		return n
	case "CNDEND":
		return isa.Nesting{Least: -a, Most: -a, Ends: true}
	case "CNDLT":
		return isa.Nesting{Least: -a, Ends: true}
	case "CNDSETL", "CNDLPC":
		return isa.Nesting{Anew: true, Most: 1 << 8}
	}
	return isa.Nesting{}
}

// conditional reports whether a group executes under P0 or its negation.
func conditional(h *isa.Inst) bool {
	cc := h.Get(nameCC)
	return cc == group.IfP0 || cc == group.IfNotP0
}

// touches fills in what a group reads and writes. Which register an indexed operand is, is unknown: for writes, the
// whole file counts as partly written.
func touches(t *isa.Target, b *isa.Bundle, to *isa.Touched) {
	var rt routing
	route(b, &rt)
	slots := t.Option(optSlots)
	from, at, memory := destination(b)
	for n := range rt.src {
		if rt.used>>n&1 != 0 && (!memory || n != at || keepsSource(from)) {
			to.Reads = spans(rt.src[n], extent(b, n), slots, to.Reads)
		}
	}
	for i, has := range rt.has {
		if has {
			to.Writes, to.Perhaps = written(rt.dst[i], results(b), slots, to.Writes, to.Perhaps)
		}
		if _, _, ok := rt.dst[i].indexed(); has && ok {
			to.Reads = append(to.Reads, indexCell(rt.dst[i]))
		}
	}
	for i := range b.Parts {
		predicate(&b.Parts[i], to)
	}
	if conditional(head(b)) {
		to.Reads = append(to.Reads, ir.Span{Cell: p0, Count: 1})
	}
	if memory && from.Def.Class == group.Control {
		to.Writes = append(to.Writes, iteratedSpan(from))
	} else if memory {
		to.Writes, to.Perhaps = written(rt.src[at], extent(b, at), slots, to.Writes, to.Perhaps)
	}
}

// keepsSource reports whether the instruction may write a source that it reads: an atomic may return the old word in
// the register of the address.
func keepsSource(in *isa.Inst) bool {
	return in.Has(nameDst) && in.Has(nameSrc) && in.Get(nameDst) == in.Get(nameSrc)
}

// predicate adds P0 and the link address if a part reads or writes them.
func predicate(in *isa.Inst, to *isa.Touched) {
	r := info(in)
	reads := r.reads&readP0 != 0 && (!in.Has(nameCin) || in.Get(nameCin) != 0)
	if in.Has(namePCnd) && in.Get(namePCnd)&1 != 0 {
		switch r.name {
		case "cndst", "cndef", "cndsm", "cndlt":
			reads = true
		}
	}
	if reads {
		to.Reads = append(to.Reads, ir.Span{Cell: p0, Count: 1})
	}
	if r.reads&writeP0 != 0 && (!in.Has(namePred) || in.Get(namePred) != 0) || in.Def.Class == group.BitTest && in.Get(namePred) != 0 {
		to.Writes = append(to.Writes, ir.Span{Cell: p0, Count: 1})
	}
	link := ir.Span{Cell: ir.Cell{File: FileLink}, Count: 1}
	switch r.entry {
	case "LAPC", "SAVL":
		to.Reads = append(to.Reads, link)
	case "BRL", "BAL":
		to.Writes = append(to.Writes, link)
	}
	if r.name == "setl" || r.entry == "CNDSETL" {
		to.Writes = append(to.Writes, link)
	}
}

// spans appends the cells of n registers from r on; for an indexed register, the cell of the index register.
func spans(r reg, n, slots int, dst []ir.Span) []ir.Span {
	if _, _, ok := r.indexed(); ok {
		return append(dst, indexCell(r))
	}
	for i := range n {
		if c, ok := r.behind(i).cell(slots); ok {
			dst = append(dst, ir.Span{Cell: c, Count: 1})
		}
	}
	return dst
}

// indexCell is the index register of an indexed register.
func indexCell(r reg) ir.Span {
	return ir.Span{Cell: ir.Cell{File: FileIdx, Index: uint16(r.bank - bankIdx0)}, Count: 1}
}

// written is spans for registers that are written; an indexed one adds its whole file to perhaps.
func written(r reg, n, slots int, dst, perhaps []ir.Span) (_, _ []ir.Span) {
	bank, _, ok := r.indexed()
	switch {
	case !ok:
		return spans(r, n, slots, dst), perhaps
	case bank == idxSelf || bank == idxDynamic:
		return dst, perhaps
	}
	f := idxFiles[bank]
	return dst, append(perhaps, ir.Span{Cell: ir.Cell{File: f}, Count: uint16(machine.Files[f].Count)})
}

// destination is the instruction of a group whose results arrive after the group, and the source that names the first
// of them; in control instructions a field of their own does.
func destination(b *isa.Bundle) (in *isa.Inst, source int, ok bool) {
	in = group.Find(b, group.Backend)
	if in == nil {
		in = head(b)
	}
	switch info(in).entry {
	case "LD", "FITR", "FITRP":
		return in, group.FirstUpper, true
	case "SMP":
		return in, 4, !in.Has(nameWrite)
	case "ATOM":
		return in, int(in.Get(nameDst)), true
	case "DITR", "ITRSMP":
		return in, -1, true
	}
	return in, 0, false
}

// iteratedSpan is the temporaries that a control instruction for iteration writes.
func iteratedSpan(in *isa.Inst) ir.Span {
	n := 1
	if in.Has(nameChan) { // the count of a sample is that of its coordinates
		n = 1 + int(in.Get(nameChan))
	} else if in.Has(nameCount) {
		n = times(in)
	}
	if in.Opt(nameF16) != 0 {
		n = (n + 1) / 2
	}
	at := min(int(in.Get(nameDst)), numTemps-1)
	return ir.Span{Cell: ir.Cell{File: FileR, Index: uint16(at)}, Count: uint16(min(n, numTemps-at))}
}

// operations are the operations that a group issues on its data fence, or waits for.
func operations(_ *isa.Inst, t *isa.Touched, dst []isa.Operation) []isa.Operation {
	in, at, later := destination(t.Bundle)
	switch {
	case info(in).name == "mutex":
		return append(dst, isa.Operation{Queue: firstMutex + int(in.Get(nameID)), Wait: in.Get(nameOp) != mutexLock})
	case info(in).entry == "DEPTHF" || info(in).entry == "ATST": // docs/reference/rogue.md 5.6: it has no field for the fence
		return append(dst, isa.Operation{Queue: 0})
	case info(in).entry == "UVSW" && strings.Contains(info(in).name, ".emit"):
		return append(dst, isa.Operation{Queue: vertexQueue, Wait: true})
	case info(in).name == "uvsw.write":
		return append(dst, isa.Operation{Queue: vertexQueue})
	case !in.Has(nameDRC):
		return dst
	case info(in).entry == "WDF":
		return append(dst, isa.Operation{Queue: int(in.Get(nameDRC)), Wait: true})
	}
	o := isa.Operation{Queue: int(in.Get(nameDRC))}
	switch {
	case !later || in.Opt(nameSched) == waitsAtOnce: // it has no results, or waits itself
	case at < 0:
		o.Writes = []ir.Span{iteratedSpan(in)}
	default:
		var rt routing
		route(t.Bundle, &rt)
		o.Writes, _ = written(rt.src[at], extent(t.Bundle, at), 0, nil, nil)
	}
	return append(dst, o)
}

// unsetRule: per-lane registers, P0 and the link address are undefined until written. docs/reference/rogue.md 1.
func unsetRule(_ *isa.Inst, _ isa.Traits, c ir.Cell) string {
	switch c.File {
	case FileR, FileI, FileIdx:
		return ruleUnset
	case FileP, FileLink:
		return ruleUnsetState
	}
	return ""
}

// waitText is a group that waits for a data fence, or releases a mutex.
func waitText(queue, _ int) string {
	switch {
	case queue == vertexQueue:
		return "{ backend: uvsw.emit; }"
	case queue >= firstMutex:
		return fmt.Sprintf("{ ctrl: mutex.release %d; }", queue-firstMutex)
	case queue == 1:
		return "{ ctrl: wdf drc1; }"
	}
	return "{ ctrl: wdf drc0; }"
}
