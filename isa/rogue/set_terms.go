package rogue

import (
	"fmt"
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// waitLines says which data fence a group signals or waits for. docs/reference/rogue.md 5.6 and 5.8.
func waitLines(t *isa.Target, b *isa.Bundle) (lines []string) {
	for i := range b.Parts {
		in := &b.Parts[i]
		switch name := info(in).name; {
		case name == "mutex":
			lines = append(lines, mutexLines[in.Get(nameOp)])
		case name == "wop":
			lines = append(lines, "Waits until the outputs that the task has sent are written. It waits for no data fence.")
		case !in.Has(nameDRC):
		case info(in).entry == "WDF":
			drc := in.Get(nameDRC)
			lines = append(lines, fmt.Sprintf("Waits until no operation is pending on the data fence DRC%d: loads, stores, atomics, samples and iterations that name drc%d. A fence is no counter: it cannot be waited for in part.", drc, drc))
		default:
			drc := in.Get(nameDRC)
			lines = append(lines, fmt.Sprintf("Signals the data fence DRC%d when it is done, and the task goes on at once: `wdf drc%d` comes before anything reads or overwrites its result.", drc, drc))
		}
	}
	return lines
}

// mutexLines describe mutex, by operation.
var mutexLines = [4]string{
	mutexLock:    "Waits until no other task has locked the mutex, and locks it.",
	mutexRelease: "Releases the mutex: a task that waits for it can lock it.",
	mutexSleep:   "Releases the mutex, and the task sleeps until another one releases it with wakeup.",
	mutexWakeup:  "Releases the mutex and wakes all tasks that sleep at it; these have their turn before this one goes on.",
}

// terms explain the registers and special operands of Rogue.
func terms() []isa.Term {
	const registers, groups, machineRef, memory = "docs/reference/rogue.md 4", "docs/reference/rogue.md 2", "docs/reference/rogue.md 1", "docs/reference/rogue.md 5.6"
	const lane, task, workgroup = "32 bits per lane", "32 bits per task", "32 bits per workgroup"
	const inner = "32 bits per lane, inside a group"
	return append(specialTerms(), []isa.Term{
		{Name: "r#", Most: numTemps - 1, Size: lane, Source: registers, Doc: "A temporary. Groups write it in the lanes that their condition chooses. It is undefined when a program begins."},
		{Name: "vi#", Most: numTemps - 1, Size: lane, Source: registers, Doc: "A vertex input; in compute programs the local id among others."},
		{Name: "i#", Most: numInternal - 1, Size: lane, Source: registers, Doc: "An internal register: a temporary that does not count among r. It is undefined when a program begins."},
		{Name: "po#", Most: numPixels - 1, Size: lane, Source: registers, Doc: "A pixel output: what the fragment leaves."},
		{Name: "idx#", Most: numIndex - 1, Size: lane, Source: registers, Doc: "An index register: r[idx0], sh[idx1] name a register by number plus its value."},
		{Name: "vo#", Most: numOutputs - 1, Size: lane, Source: registers, Doc: "A vertex output. UVSW writes it, and nothing reads it."},
		{Name: "sh#", Most: numShared - 1, Size: workgroup, Source: registers, Doc: "A shared register: one value for all tasks of a workgroup. A driver fills in what the program reads, addresses and sizes."},
		{Name: "cf#", Most: numShared - 1, Size: workgroup, Source: registers, Doc: "A coefficient, of the planes that FITR iterates; in compute programs the memory of the workgroup."},
		{Name: "cfa#", Most: numShared - 1, Size: workgroup, Source: registers, Doc: "A coefficient of the alternate set."},
		{Name: "sc#", Most: numSpecial - 1, Size: "32 bits", Source: registers, Doc: "A constant by its number: sc0 to sc31 are integers, sc64 is 1.0. Only read."},
		{Name: "sr#", Most: numSpecial - 1, Size: lane, Source: registers, Doc: "A special register: the lane, the instance in the workgroup, the pixel. Programs read it; the hardware writes it."},
		{Name: "sl#", Most: numInternal - 1, Size: task, Source: registers, Doc: "A slot register of the task."},
		{Name: "g#", Most: numGlobals - 1, Size: workgroup, Source: registers, Doc: "A global register of the tasks of a workgroup."},
		{Name: "dc#", Most: 255, Size: "32 bits", Source: registers, Doc: "A constant of memory, a word by number. A group reads up to 32 of them."},
		{Name: "p0", Size: "1 bit per lane", Source: machineRef, Doc: "The predicate. Tests write it; the condition of a group, and branches, ask it."},
		{Name: "pe", Size: "1 bit per lane", Source: machineRef, Doc: "The execution predicate: lanes without it write nothing unless the condition of the group is all. The conditional instructions (cndst, cndef, cndend …) write it."},
		{Name: "ft#", Most: 5, Size: inner, Source: machineRef, Doc: "A feed-through: what a phase of a group hands to a later phase or to w0 and w1. ft0 is that of phase 0, ft1 of phase 1, ft2 of phase 2; the bit unit has ft0 to ft5. Its value ends with the group."},
		{Name: "fte", Size: inner, Source: groups, Doc: "The source that is0 names, handed to w0 or w1 as it is."},
		{Name: "ftt", Size: "1 bit per lane, inside a group", Source: machineRef, Doc: "The result of the test of phase 2."},
		{Name: "w#", Most: 1, Size: inner, Source: groups, Doc: "A result of a group: `w0 = r3` says that register r3 takes it. is4 and is5 name the feed-through that becomes w0 and w1."},
		{Name: "s#", Most: 5, Size: inner, Source: groups, Doc: "A source of a group: `s0 = r1` says that it is register r1. s0 to s2 are in the lower source map, s3 to s5 in the upper."},
		{Name: "is#", Most: 5, Size: inner, Source: groups, Doc: "An internal selector: is0 names the source that becomes fte, is1 to is5 a feed-through that is an input of phase 1, phase 2, the test, w0 and w1."},
		{Name: "drc#", Most: 1, Size: "a count per task", Source: memory, Doc: "A data fence. Loads, stores, atomics, samples and iterations end later than they begin, and signal the fence that they name; `wdf drc0` waits until none is pending on it."},
		{Name: "link", Size: task, Source: "docs/reference/rogue.md 5.8", Doc: "The link address: br.link and setl write it, lapc goes on there, savl reads it."},
	}...)
}

// specialTerms explain the named special registers.
func specialTerms() (list []isa.Term) {
	for n, name := range specialNames {
		if name == "" {
			continue
		}
		number := "sr" + strconv.Itoa(n)
		list = append(list,
			isa.Term{Name: number, Size: "32 bits per lane", Source: "docs/reference/rogue.md 4", Doc: "The special register " + name + ", as Mesa's compiler PCO calls it. Text takes either name."},
			isa.Term{Name: name, Size: "32 bits per lane", Source: "docs/reference/rogue.md 4", Doc: "The special register " + number + ", by the name that Mesa's compiler PCO gives it. Text takes either name."})
	}
	return list
}
