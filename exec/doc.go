// Package exec is the state of running waves and the contract between those who run them
// (engines: packages below this one) and those who start, stop and watch them (launch,
// debuggers, tests). It knows lifted code (package ir) and memory (package mem); it knows no
// instruction set.
//
// A [State] is all of one wave's guest state: cells, masks, position, clock, divergence
// bookkeeping. An [Env] is what the wave can reach: memory spaces, texture units, attribute
// streams, who answers for stage inputs and outputs, and what happens when an access is refused.
// A [Program] is lifted code with its blocks and their graph cached for many goroutines; an engine
// keeps its own form of them there ([FormsOf]).
// An [Engine] makes a [Runner] for each goroutine, and a Runner runs one wave after another:
//
//	p := exec.NewProgram(code)
//	st, err := exec.NewState(code.Machine(), 64)
//	st.Start(entry, lanes)
//	stop := engine.NewRunner(p).Run(st, &exec.Env{Spaces: exec.Spaces{ir.GlobalSpace: {space}}}, exec.Budget{Steps: 1e6})
//
// # One instruction, worked
//
// The block of v_add_u32 v2, vcc, v0, v1 (GCN gfx8) is, in one mark:
//
//	%0 = get v[0] i32         one value a lane
//	%1 = get v[1] i32
//	%2 = const 0 i1           one value a wave: carry in
//	%3, %4 = addc %0 %1 %2    %4 is a lane mask
//	%5 = get exec i1
//	set v[2] %3 %5            lanes of the mask only
//	%6 = ballot %4 %5         0 in lanes outside the mask
//	%7, %8 = unpack %6
//	set s[106] %7             vcc_lo: one value a wave, no mask
//	set s[107] %8
//
// An engine may do this in any way that leaves the same State behind at the next mark.
// Values are total: the addition happens in all lanes, active or not, and never traps. Masks
// count only where there is an effect.
//
// # What an engine must keep
//
//  1. A wave can be stopped at every mark of a canonical block and started there again,
//     by the same engine or another one. Between marks nothing is visible.
//  2. An access checks all lanes and all words before it changes anything. On a fault the
//     state is that of the mark at fault, as if its instruction had not begun. It names all
//     lanes at fault, with the address of each; its text is the lowest lane's.
//  3. Lanes act in ascending order: of two stores to one byte the higher lane's stays,
//     atomics happen lane by lane, lowest first.
//  4. Counters are those of the canonical block ([Costs]), however the engine gets there, if
//     Budget.Counted asks for that. Otherwise they may be near, and Counters.About says so; but
//     State.Clock is exact wherever code can read it, and Counters.Barriers always.
//  5. Terminators other than jumps and branches go through [State.Leave], the one place
//     that knows divergence policies, unless a [Shortcut] holds, or generated code leaves
//     exactly what that would.
//  6. A serial block is one lane after another ([ir.Block.Serial]); its costs count once.
//  7. A tex op asks a [Sampler] about whole quads: the coordinates of all four lanes, active
//     or not, and which of them want a texel. A handle that no lane of the mask has is not
//     looked at. A sample op asks an [Image] in the same way, an image op lane by lane; without a
//     lane in the mask nobody is asked for the image.
//  8. Under RobustFaults and RecordFaults lanes at fault read 0 and write nothing, the others
//     go on, and the latter enters one [Fault] for all lanes of an op into Env.Faults. A check op
//     does nothing then: the access that it is for finds the same lanes.
//  9. An access that no segment holds is asked for (mem.MissFunc) lane by lane, lowest first,
//     before anything is read or written. What a device serves happens in the order of lanes too.
//  10. Words of a row of State.V beyond Lanes are padding: no result depends on them.
//  11. If Budget.Yields asks for that, a wave stops with StopYield where [Program.Yields] says:
//     there, at barriers, at its end and at faults, and nowhere else, other waves of its group
//     run. A wave that stops for its budget goes on before others do. So what waves leave in
//     memory that they share does not depend on the engine, or on how it cuts a wave into pieces.
//  12. What probe ops record has been flushed when Run returns.
//
// # Control steps
//
// On machines with a policy (MaskStack, LowestPC) a live lane runs, which is its bit in State.Exec,
// or waits: in one [Token] of State.Stack, or at its place in State.LanePC. Lanes part, wait and
// meet only where a block ends in retire, ctl or ctlx. Ordinary jumps move the running lanes and
// ask nobody. Package ir says what each step means ([ir.ControlKind]).
//
// Most steps of most programs part nobody. An engine may carry a step out itself, and stay in its
// own code, where the step moves the running lanes together and touches nothing else:
//
//	retire, call, calllim, break, return   no lane takes the step
//	diverge                                none or all of the running lanes take it
//	reconverge                             all live lanes run, and none or all of them take it
//	ctlx diverge                           no lane takes the step
//
// The wave then goes on at the target if lanes took the step, else behind the instruction. All other
// steps go through State.Leave, or leave what it does to the bit: machine code has steps of the stack
// that push, part and join in the plain way. [ShortcutOf] is this table, [Shortcut.Holds] its conditions, [Fast]
// the whole rule. So a loop that all lanes of a wave run together never leaves an engine, under
// LowestPC with all its reconvergence points too.
//
// Package exec/exectest tests any engine against these and against the meanings of ops.
package exec
