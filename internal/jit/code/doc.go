// Package code keeps machine code of the host in executable pages, and calls it.
//
// # Pages
//
// An [Arena] maps pages readable and writable, copies code there, and makes them readable and executable. No page is
// ever writable and executable, and none that may be executing is made writable again: each piece of code, a [Unit],
// has pages of its own. If a system refuses such pages, the error satisfies errors.Is with [ErrRefused]; on platforms
// without support it is [ErrNotHere]. In both cases an engine must run without machine code.
//
// Units are reference-counted. The maker of a unit has the first reference and returns it by [Unit.Drop]; the garbage
// collector does so when the Unit becomes unreachable. A worker takes a reference before it enters the code and
// returns it after it has left, so pages are freed only when none can be executing.
//
// # Requirements on generated code
//
// It runs on the stack of a goroutine, and the runtime does not know about it.
//
//  1. It begins with the address of its [Context] in rdi and ends by ret. It may change every register except rsp and
//     rbp. It does not push, pop or call, and uses no memory below rsp. So a stack walk in a signal handler finds
//     what it expects.
//  2. Vector instructions have VEX or EVEX prefixes. Call executes the VZEROUPPER.
//  3. MXCSR at entry is that of [Context.SetMode]. Code may change it; Call restores the host's. Exceptions stay
//     masked.
//  4. It never calls Go. What it cannot do it leaves to the caller: it stores a reason and the resume address, and
//     returns.
//  5. The goroutine cannot be preempted in it, and garbage collection waits for it. So every back edge decrements
//     Context.Budget and exits with [OutOfBudget] when that is negative: after a millisecond at most.
//  6. All memory that it accesses is reached from the Context, and none is on a goroutine's stack: stacks move when
//     they grow. Memory of the Go heap is permitted as long as it is reachable for the collector, which does not move
//     heap objects. The Context escapes to the heap, and holds its pointers as pointers, which keeps alive what they
//     point to. Code stores no pointers into it: there would be no write barrier.
//  7. It accesses guest memory only after a bounds check. A fault in generated code ends the program.
//
// The race detector does not see the memory accesses of generated code.
package code
