package tesla

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

// waited is the description of instructions that wait for other threads, or let them wait.
var waited = map[string]string{
	"bar":       "With `inc` the warp arrives at the barrier of that number, with `wait` it waits there until all threads of the block (CTA), or as many as the instruction says, have. Stores to s[] before it are seen by the others after it; global memory is not waited for.",
	"joinat":    "Pushes the address onto the stack of the warp: threads that branch apart after it run together again at the instruction with `join` there.",
	"breakaddr": "Pushes the address at which threads that `break` go on, when no thread of the loop is left.",
	"vote":      "Asks all active threads of the warp, which are in lockstep: nothing is waited for.",
	"quadon":    "Makes all threads of each quad active that has an active one, until quadpop.",
	"quadpop":   "Takes back what quadon did.",
	"discard":   "Ends the thread of a fragment: it leaves no colour.",
}

// waits says which other threads an instruction waits for. docs/reference/tesla.md 8. No instruction waits for
// memory.
func waits(_ *isa.Target, b *isa.Bundle) (lines []string) {
	for i := range b.Parts {
		if text := waited[b.Parts[i].Def.Name]; text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}

// terms returns the registers and special operands of Tesla, for users who look them up.
func terms() []isa.Term {
	const registers, flags, special, spaces = "docs/reference/tesla.md 3.1", "docs/reference/tesla.md 3.2", "docs/reference/tesla.md 3.3", "docs/reference/tesla.md 5.3"
	const thread = "32 bits per thread"
	list := []isa.Term{
		{Name: "$r#", Most: 127, Size: thread, Source: registers, Doc: "A register. Instructions write it in the active threads whose predicate holds. A program has as many as it asked for: one beyond them reads 0 and drops what is written. Short forms reach $r0 to $r63."},
		{Name: "$r#l", Most: 63, Size: "16 bits per thread", Source: registers, Doc: "The low half of a register. Writing it keeps the other half."},
		{Name: "$r#h", Most: 63, Size: "16 bits per thread", Source: registers, Doc: "The high half of a register. Writing it keeps the other half."},
		{Name: "$r#d", Most: 126, Step: 2, Size: "64 bits per thread", Source: registers, Doc: "Two registers from an even number on; the lower one holds the low bits."},
		{Name: "$r#q", Most: 124, Step: 4, Size: "128 bits per thread", Source: registers, Doc: "Four registers from a multiple of four on; the lowest one holds the low bits."},
		{Name: "$a#", Most: 7, Size: "16 bits per thread", Source: registers, Doc: "An address register, for operands as s[$a1+0x10] and c0[$a2+4]. add and shl with a result in $a write it. $a0 reads 0; $a1 to $a4 are for programs, $a5 and $a6 cannot be used, $a7 is one for the warp."},
		{Name: "$c#", Most: 3, Size: "4 flags per thread: Z S C O", Source: flags, Doc: "A flag register (condition code): zero, sign, carry, overflow. Instructions write it that have it as a result, such as `set $c0 #...` or `add $c0 b32 $r0 …`; a predicate as `(lg $c0)` reads it and guards its instruction."},
		{Name: "s[]", Size: "shared memory of the block", Source: spaces, Doc: "Shared memory: a block (CTA) has up to 16 KiB. The first bytes hold the arguments and the ids that the launch writes."},
		{Name: "l[]", Size: "memory of the thread", Source: spaces, Doc: "Local memory: private to each thread."},
		{Name: "a[]", Size: thread, Source: spaces, Doc: "Inputs (attributes) of vertex programs."},
		{Name: "v[]", Size: thread, Source: spaces, Doc: "Inputs of fragment programs: interp reads them."},
		{Name: "p[]", Size: thread, Source: spaces, Doc: "Inputs of geometry programs: the vertices of the primitive."},
		{Name: "o[]", Size: thread, Source: registers, Doc: "Outputs: only written."},
		{Name: "b#", Most: 15, Size: "16 barriers a block", Source: "docs/reference/tesla.md 8.5", Doc: "A barrier, for bar: it counts the warps that arrive, and lets those that wait go on when all of the block have."},
	}
	for i := range 16 {
		list = append(list, isa.Term{Name: fmt.Sprintf("c%d[]", i), Size: "up to 64 KiB, the same for all threads", Source: spaces, Doc: "A constant buffer that the driver binds. In CUDA's programs c0 holds constants of the user, c1 those of the kernel, c14 relocations."},
			isa.Term{Name: fmt.Sprintf("g%d[]", i), Size: "memory", Source: spaces, Doc: "Global memory, one of 16 windows with addresses of 32 bits: g[$r] names an address by a register. CUDA's addresses are those of g14; Mesa binds storage buffer n to window n."})
	}
	for _, r := range specialDocs {
		list = append(list, isa.Term{Name: r[0], Size: thread, Source: special, Doc: r[1] + " A special register: mov reads it, the hardware writes it."})
	}
	return list
}

// specialDocs are the contents of special registers.
var specialDocs = [...][2]string{
	{"physid", "Where the thread runs: thread of the warp in 7:0, warp in 15:8, multiprocessor of the cluster in 19:16, cluster in 23:20."},
	{"clock", "Cycles of the multiprocessor."},
	{"sr2", "Reads 0."},
	{"vstride", "The distance from one attribute of a vertex in p[] to the next, in geometry programs."},
	{"pm0", "A performance counter."}, {"pm1", "A performance counter."}, {"pm2", "A performance counter."}, {"pm3", "A performance counter."},
	{"sampleid", "The number of the sample, on gt215."},
}
