// Package ir is the intermediate representation of lifted guest code: typed ops in SSA form, one basic block at a
// time. It knows no instruction set and no engine. Frontends (packages below isa) lift instructions to it, package
// internal/pass analyses and rewrites it, engines (packages below exec) execute it.
//
// A [Block] is ops and values. A value is per lane, or uniform: one per wave ([ValInfo]). Its type is an integer, a
// float or packed elements of 32 bits ([Type]); a varying I1 is a lane mask. Values are bit patterns, and package num
// defines all arithmetic on them.
//
// Everything known about an op is its row in the op table ([OpInfo]): type rule, class, semantics, which lanes its
// result depends on, and documentation. docs/ir.md is generated from it. Pure ops are total: they run in all lanes,
// active or not, and never trap. Ops with effects on cells and memory take a lane mask as their last operand.
//
// A [Machine] describes the state that ops access: register files of [Cell]s, address spaces, queues of outstanding
// operations, the policy by which lanes diverge ([Control]). A [Mark] is the begin of a guest instruction. In a
// canonical block, as a lift produces it, no value is live across a mark, so that a wave can stop at each of them.
// Within a mark reads and faults precede effects. [Verify] checks this.
//
// A [Builder] makes blocks. [Print] and [Parse] convert them to text and back:
//
//	block 0x100
//	mark 0x100 size 4
//	  %0 = get.f32 v[0]
//	  %1w = const.f32 0x3f800000 ; 1
//	  %2 = ffma.f32 %0, %0, %1w {rne ftz}
//	  %3 = get.i1 exec
//	  set v[1], %2, %3
//	mark 0x104 size 4
//	  end
//
// Start with [Builder], [Verify] and the op table.
package ir
