// Package lsp is a server of the Language Server Protocol for assembly of all instruction sets: what an editor shows while
// somebody writes.
//
//	stdin  --reader-->  session  --a goroutine each-->  requests, diagnostics  --writer-->  stdout
//
// Messages are taken in order. What changes a document makes a new snapshot of it; a request is answered of the snapshot that it
// found, whatever comes behind it. A snapshot computes what it is asked for once: target, outline, names, assembly, findings. One that
// a change has made stale stops computing.
//
// What a text means is asked of the packages that other tools ask: asm and codeobj for errors and bytes, lint for findings,
// internal/manual for what an instruction does. This package knows no instruction set.
//
// Of the protocol (version 3.17) types hold the members that are used. They are written here, and so is the framing: a message that
// cannot be read must be answered and be no end of the session, sizes must be bounded, and nothing may be made at start.
package lsp
