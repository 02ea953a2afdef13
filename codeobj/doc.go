// Package codeobj turns assembly as clang writes it for amdgcn-amd-amdhsa into code objects that can be loaded, and
// code objects into such text.
//
//	text  --Assemble-->  code object, for object.ReadHSA or a file  --Source-->  text
//
// Package asm defines sections, symbols and references; package object links them into a loadable file. This package
// knows the directives in between: the kernel descriptor, the target, the metadata.
//
// Sources: docs/reference/gcn.md 9.1; LLVM, "User Guide for AMDGPU Backend", assembler directives.
package codeobj
