package tesla

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// flowRows are control flow, barriers and program ends. docs/reference/tesla.md 8.
func flowRows() []row {
	guarded := func(ops ...operand) *form { return newForm(control, ops...).with(guardArg) }
	plain := func(ops ...operand) *form { return newForm(control, ops...).with(ignoredGuard) }
	to := operand{arg: isa.Arg{Name: "target"}}
	toLimited := to.having(bitPart("lim", 38, limited))
	through := operand{arg: isa.Arg{Name: "address", At: span(9, 24), Kind: const8, Role: isa.Use, Width: 32, Parts: []isa.Part{bitPart("lim", 38, limited)}}, uses: []string{"addr", "bank"}}
	voting := func(of string) *form {
		f := newForm(long, text(of), cDst).with(ignoredFlag)
		f.asked = true
		return f
	}
	return append(barrierRows(), []row{
		{name: "trap", op: 9, form: newForm(shortControl), mean: isa.Effect(trap), doc: "the program fails", ref: "8.4", traits: isa.TraitEnd},
		{name: "brkpt", op: 11, form: newForm(shortControl), variants: fromG84, mean: isa.Effect(nothingDone), doc: "a breakpoint, where a debugger has enabled them", ref: "8.4"},
		{name: "discard", op: 0, form: guarded(), stages: 1 << FP, mean: isa.Effect(discard), doc: "the fragment ends without a colour", ref: "8.4"},
		{name: "bra", op: 1, form: guarded(to), mean: isa.Effect(branchTo), doc: "the threads of the predicate go on at the target", ref: "8.2", option: choiceDivergence, note: "Sources do not say which side of a warp that parts runs first: here the one that was taken does (docs/reference/tesla.md 12)."},
		{name: "call", op: 2, form: plain(toLimited), mean: limitable(ir.CtlCall, ir.CtlCallLimited), doc: "calls a function", ref: "8.3"},
		{name: "ret", op: 3, form: guarded(), mean: step(ir.CtlReturn), doc: "returns from a function", ref: "8.3", option: choiceStack, note: noteInner},
		{name: "breakaddr", op: 4, form: plain(to), mean: step(ir.CtlPushBreak), doc: "says where threads go on that break", ref: "8.3"},
		{name: "break", op: 5, form: guarded(), mean: step(ir.CtlBreak), doc: "waits for the other threads at the place of breakaddr", ref: "8.3", option: choiceStack, note: noteInner},
		{name: "quadon", op: 6, form: plain(), mean: step(ir.CtlQuadOn), doc: "runs all threads of the quads", ref: "8.5"},
		{name: "quadpop", op: 7, form: plain(), mean: step(ir.CtlQuadPop), doc: "ends quadon", ref: "8.5"},
		{name: "trap", op: 9, form: plain(), mean: isa.Effect(trap), doc: "the program fails", ref: "8.4", traits: isa.TraitEnd},
		{name: "joinat", op: 10, form: plain(to), mean: step(ir.CtlPush), doc: "says where threads meet again", ref: "8.2"},
		{name: "brkpt", op: 11, form: guarded(), variants: fromG84, mean: isa.Effect(nothingDone), doc: "a breakpoint, where a debugger has enabled them", ref: "8.4"},
		{name: "bra", op: 12, form: plain(through), variants: onlyGT215, mean: isa.Effect(branchThrough), doc: "goes on at an address that is in c[]", ref: "8.2", option: choiceDivergence},
		{name: "preret", op: 13, form: plain(toLimited), variants: onlyGT215, mean: isa.Effect(preret), doc: "says where threads go on that return", ref: "8.3"},

		{name: "vote", op: 1, fix: fixed(61, 63, 3, 9, 10, 1), form: voting("any"), variants: fromG200, mean: vote(V.Any), doc: "whether the predicate holds in any active thread", ref: "8.5", option: choiceVote, traits: isa.TraitSame},
		{name: "vote", op: 1, fix: fixed(61, 63, 3, 9, 10, 2), form: voting("all"), variants: fromG200, mean: vote(V.All), doc: "whether the predicate holds in all active threads", ref: "8.5", option: choiceVote, traits: isa.TraitSame},
		{name: "emit", op: 15, fix: fixed(61, 63, 6, 9, 10, 1), stages: 1 << GP, form: newForm(long), mean: isa.Effect(emit), doc: "the outputs become a vertex, and are cleared", ref: "9.3"},
		{name: "restart", op: 15, fix: fixed(61, 63, 6, 9, 10, 2), stages: 1 << GP, form: newForm(long), mean: isa.Effect(restart), doc: "ends a primitive", ref: "9.3"},
		{name: "nop", op: 15, fix: fixed(61, 63, 7, 34, 34, 0), form: newForm(long), mean: isa.Effect(nothingDone), doc: "nothing", ref: "8.4"},
		{name: "pmevent", op: 15, fix: fixed(61, 63, 7, 34, 34, 1), form: newForm(long, pick("event", 10, 13, event)), mean: isa.Effect(nothingDone), doc: "counts an event", ref: "8.4"},
	}...)
}

// noteInner is the behaviour of ret and break here where sources are silent.
const noteInner = "Sources do not say what happens with another entry on top of the stack: here threads go to the innermost that fits (docs/reference/tesla.md 12)."

// barrierRows are those of bar.
func barrierRows() (rows []row) {
	at := pick("barrier", 21, 24, barrier)
	for _, sync := range [...]int{syncInc | syncWait, syncInc, syncWait, 0} {
		words := [...]string{"", "inc", "wait", "inc wait"}[sync]
		for all, threads := range [...]operand{pick("threads", 9, 20, threads), text("all")} {
			ops := []operand{at, threads}
			if words != "" {
				ops = append([]operand{text(words)}, ops...)
			}
			r := row{name: "bar", op: 8, fix: fixed(25, 26, sync, 46, 46, all), form: newForm(control, ops...).with(ignoredGuard), ref: "8.5",
				mean: barrierOf(sync, all != 0), doc: barrierDocs[sync] + [...]string{" of so many threads", " of all threads of the block"}[all]}
			if sync != 0 {
				r.traits = isa.TraitBarrier
				if all == 0 {
					r.option, r.note = choiceBarrier, noteCount
				}
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// barrierDocs are what bar does, by its words.
var barrierDocs = [...]string{"nothing, at a barrier", "the warp arrives, and goes on, at a barrier", "waits until warps that are missing have arrived, at a barrier", "the warp arrives and waits, at a barrier"}

// noteCount is the unit of the number of bar.
const noteCount = "One source counts warps, what compilers write counts threads: option barrier-count says which (docs/reference/tesla.md 12)."
