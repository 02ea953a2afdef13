package gcn

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// counted is what the counters of s_waitcnt count, by their queue. docs/reference/gcn.md 5.
var counted = [...]struct{ what, order string }{
	queueVM: {"loads, stores and atomics of buffers, images and FLAT (vector memory) that are not done",
		"They end in the order in which they began, so vmcnt(N) lets the N youngest stay pending."},
	queueEXP: {"exports and GDS operations whose data registers are not read yet, and on gfx6 those of stores",
		"Those of one kind end in order; exports of colours, positions and parameters are three kinds."},
	queueLGKM: {"operations of LDS, GDS, constants (scalar loads) and messages that are not done, and FLAT, which may turn out to be LDS",
		"LDS operations end in order; scalar loads end in any order, so after them only lgkmcnt(0) is safe."},
}

// waited is the description of instructions that wait, or let others wait, without a value as result.
var waited = map[string]string{
	"s_barrier":      "Waits until all waves of the workgroup that have not ended have come to an s_barrier. It waits for no memory: `s_waitcnt lgkmcnt(0)` before it makes LDS stores visible to the others, `s_waitcnt vmcnt(0)` global ones.",
	"s_sendmsg":      "Sends the message and M0 as its payload to the host or the geometry stage. It counts in lgkmcnt until it is sent.",
	"s_sendmsghalt":  "Sends the message, as s_sendmsg does, and stops the wave until the host lets it go on.",
	"s_sleep":        "Waits about 64 cycles times the constant, and lets other waves run. It waits for no counter.",
	"s_nop":          "Waits one cycle more than the constant says: wait states between an instruction and one that depends on it in a way that hardware does not check. It waits for no counter.",
	"s_setprio":      "Sets how the wave is preferred to others of its SIMD, 0 lowest to 3 highest. It changes no result.",
	"s_icache_inv":   "Invalidates the instruction cache: to be run after code was written, before it is executed.",
	"s_dcache_inv":   "Invalidates the scalar cache: scalar loads after it see what others have written before. `s_waitcnt lgkmcnt(0)` waits for it.",
	"s_dcache_wb":    "Writes the scalar cache back to memory. `s_waitcnt lgkmcnt(0)` waits for it.",
	"buffer_wbinvl1": "Invalidates the vector L1 cache: loads after it see what others have written before. It counts in vmcnt until it is done.",
}

// waits describes the counters that an instruction waits for, or counts in.
func waits(t *isa.Target, b *isa.Bundle) (lines []string) {
	in := &b.Parts[0]
	if in.Def.Operands() == 1 && in.Def.Operand(0).Kind == waitcnt {
		return waitcntLines(in)
	}
	if text := waited[in.Def.Name]; text != "" {
		return []string{text}
	}
	var to isa.Touched
	to.Of(in)
	var names []string
	for _, o := range t.Flow.Pending(in, &to, nil) {
		if name := counterOf(o.Queue); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if name == "expcnt" {
			lines = append(lines, "Counts in expcnt until its data registers are read: `s_waitcnt expcnt(0)` before anything overwrites them.")
			continue
		}
		lines = append(lines, fmt.Sprintf("Counts in %s until it is done: `s_waitcnt %s(0)` before anything reads or overwrites its result.", name, name))
	}
	return lines
}

// counterOf returns the counter of s_waitcnt in which operations of a queue count.
func counterOf(queue int) string {
	if c := queues[queue].Counter; c != 0 {
		queue = c - 1
	}
	for i := range counters {
		if counters[i].queue == queue {
			return counters[i].name
		}
	}
	return ""
}

// waitcntLines describes what an s_waitcnt waits for.
func waitcntLines(in *isa.Inst) (lines []string) {
	imm, idle := in.Word, false
	for i := range counters {
		c := &counters[i]
		n, most := imm.Get(c.at), uint64(1)<<c.at.Len()-1
		what := counted[c.queue]
		if n == most {
			idle = true
			lines = append(lines, fmt.Sprintf("%s(%d): does not wait for it. It counts %s.", c.name, n, what.what))
			continue
		}
		rest := "until none is pending"
		if n > 0 {
			rest = fmt.Sprintf("until at most %d are pending", n)
		}
		lines = append(lines, fmt.Sprintf("%s(%d): waits %s. It counts %s. %s", c.name, n, rest, what.what, what.order))
	}
	if idle {
		lines = append(lines, "A counter that the text leaves out is not waited for.")
	}
	return lines
}
