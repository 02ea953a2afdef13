// Package exec is the state of running waves, and the contract between engines (packages below this one) and the
// callers that start, stop and observe waves (launch, debuggers, tests). It knows lifted code (package ir) and memory
// (package mem); it knows no instruction set.
//
// A [State] is all of one wave's guest state: cells, masks, position, clock, divergence bookkeeping. An [Env] is what
// the wave can access: memory spaces, texture units, attribute streams, the implementation of stage inputs and outputs,
// and the policy for refused accesses. A [Program] is lifted code with its blocks and their graph cached for many
// goroutines; an engine caches its own form of them there ([FormsOf]). An [Engine] makes a [Runner] for each goroutine,
// and a Runner runs one wave after another:
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
//	%0 = get v[0] i32         one value per lane
//	%1 = get v[1] i32
//	%2 = const 0 i1           uniform: carry in
//	%3, %4 = addc %0 %1 %2    %4 is a lane mask
//	%5 = get exec i1
//	set v[2] %3 %5            lanes of the mask only
//	%6 = ballot %4 %5         0 in lanes outside the mask
//	%7, %8 = unpack %6
//	set s[106] %7             vcc_lo: per wave, no mask
//	set s[107] %8
//
// An engine may execute this in any way that results in the same State at the next mark. Values are total: the addition
// happens in all lanes, active or not, and never traps. Masks matter only for effects.
//
// # What an engine must keep
//
//  1. A wave can be stopped at every mark of a canonical block and started there again,
//     by the same engine or another one. Between marks nothing is visible.
//  2. An access checks all lanes and all words before it changes anything. On a fault the
//     state is that of the mark at fault, as if its instruction had not begun. The fault names
//     all lanes at fault, with the address of each; its text is that of the lowest lane.
//  3. Lanes act in ascending order: of two stores to one byte the higher lane's stays,
//     atomics happen lane by lane, lowest first.
//  4. If Budget.Counted is set, counters are those of the canonical block ([Costs]), whatever
//     code the engine runs. Otherwise they may be approximate, and Counters.About says so; but
//     State.Clock is exact wherever code can read it, and Counters.Barriers always.
//  5. Terminators other than jumps and branches go through [State.Leave], the only implementation
//     of the divergence policies, unless a [Shortcut] holds, or generated code has exactly the
//     same result.
//  6. A serial block runs one lane after another ([ir.Block.Serial]); its costs count once.
//  7. A tex op calls a [Sampler] for whole quads: with the coordinates of all four lanes, active
//     or not, and the set of lanes that need a texel. A handle that no lane of the mask has is
//     not used. A sample op calls an [Image] in the same way, an image op lane by lane; if the
//     mask is empty no image is requested.
//  8. Under RobustFaults and RecordFaults lanes at fault read 0 and write nothing, and the others
//     continue. RecordFaults adds one [Fault] for all lanes of an op to Env.Faults. A check op does
//     nothing under these policies: the access that it precedes finds the same lanes.
//  9. An access that no segment contains is requested (mem.MissFunc) lane by lane, lowest first,
//     before anything is read or written. A device serves accesses in the order of lanes too.
//  10. Words of a row of State.V beyond Lanes are padding: no result depends on them.
//  11. If Budget.Yields is set, a wave stops with StopYield where [Program.Yields] and
//     [State.Passes] say. Other waves of its group run there, at barriers, at its end and at faults,
//     and nowhere else. A wave that stops for its budget continues before others run. So the
//     contents of memory that waves share do not depend on the engine, nor on how it divides the
//     run of a wave.
//  12. The records of probe ops have been flushed when Run returns.
//  13. A runner calls [State.Runs] before it writes a state.
//
// # Control steps
//
// On machines with a divergence policy (MaskStack, LowestPC) a live lane is active, which is its bit in State.Exec,
// or waits: in one [Token] of State.Stack, or at its address in State.LanePC. Lanes diverge, wait and reconverge only
// where a block ends in retire, ctl or ctlx. Ordinary jumps move the active lanes and do not involve the policy.
// Package ir says what each step means ([ir.ControlKind]).
//
// Most steps of most programs do not diverge. An engine may execute a step without State.Leave, and stay in its own
// code, if the step only moves the active lanes together:
//
//	retire, call, calllim, break, return   no lane takes the step
//	diverge                                none or all of the active lanes take it
//	reconverge                             all live lanes are active, and none or all of them take it
//	ctlx diverge                           no lane takes the step
//
// The wave then continues at the target if lanes took the step, else after the instruction. All other steps go through
// State.Leave, or have exactly the same result: machine code implements the common cases of pushing tokens, diverging
// and joining. [ShortcutOf] is this table, [Shortcut.Holds] its conditions, [Fast] the whole rule. So a loop that all
// lanes of a wave execute together never leaves an engine; under LowestPC this includes its reconvergence points.
//
// Package internal/exectest tests any engine against these rules and against the meanings of ops.
package exec
