// Package code keeps machine code of the host in executable pages, and calls it.
//
// # Pages
//
// An [Arena] maps pages to read and write, writes code there, and makes them ones to read and execute. No page is
// ever both, and one that somebody may execute is never made writable again: each piece of code, a [Unit], has pages of
// its own. A system that refuses such pages gives an error for which errors.Is with [ErrRefused] holds; platforms for
// which there is nothing here give [ErrNotHere]. Both mean that an engine without machine code has to do.
//
// Units count their references. Whoever made one has the first and gives it back by [Unit.Drop]; the collector does so
// when it finds the Unit out of reach. A worker takes one before it goes in and gives it back when it has come out, so
// pages are taken away only when nobody can be inside.
//
// # What generated code must keep to
//
// It runs on the stack of a goroutine, and the runtime knows nothing of it.
//
//  1. It begins with the address of its [Context] in rdi and ends by ret. It may change every register but rsp and rbp.
//     It pushes, pops and calls nothing and uses no memory below rsp. Then whatever walks the stack while a
//     signal is handled finds what it expects.
//  2. Vector instructions have VEX or EVEX prefixes. Call does the VZEROUPPER.
//  3. MXCSR at entry is as [Context.SetMode] said. Code may change it; Call puts the host's back. Exceptions stay masked.
//  4. It never calls Go. What it cannot do it leaves to the caller: it stores a reason and where to go on, and returns.
//  5. The goroutine cannot be stopped in it, and a collection waits for it. So every way back counts down
//     Context.Budget and leaves with [OutOfBudget] when that is below zero: after a millisecond at most.
//  6. What it reads and writes is reached from the Context, and is no memory of a goroutine's stack. Memory of the Go heap will do as
//     long as something that the collector knows points to it: it does not move what is on the heap. The Context is on the heap too,
//     because it escapes here, and holds its pointers as pointers, so what they lead to stays while the Context does.
//     Code stores no pointers into it: the collector would not be told. Stacks do move, when they grow.
//  7. It touches guest memory only behind a check of bounds. A fault in generated code ends the program.
//
// The race detector sees nothing of what generated code reads and writes.
package code
