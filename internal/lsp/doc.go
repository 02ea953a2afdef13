// Package lsp is a server of the Language Server Protocol for assembly of all instruction sets.
//
//	stdin  --reader-->  session  --a goroutine each-->  requests, diagnostics  --writer-->  stdout
//
// Messages are handled in order. A change makes a new snapshot of a document; a request is answered for the snapshot
// that it found, whatever follows it. A snapshot computes each of these once, when first needed: target, outline,
// names, assembly, findings. A snapshot that a change has made stale stops computing.
//
// The meaning of a text comes from the packages that other tools use, too: asm and codeobj for errors and bytes, lint
// for findings, internal/manual for what an instruction does. This package knows no instruction set.
//
// Types of the protocol (version 3.17) have only the members that are used. They are defined here, and so is the
// framing: a message that cannot be read must be answered without ending the session, sizes must be limited, and
// nothing may be initialised at program start.
package lsp
