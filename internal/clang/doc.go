// Package clang compiles source files with the installed clang to code objects that package object reads: OpenCL C, C,
// and LLVM IR text.
//
//	FILE.cl --clang--> LLVM's text --clang, with built-in functions--> relocatable file --object.Link--> code object
//
// clang alone declares the built-in functions of OpenCL C but does not define them. The folder library has definitions
// of them in OpenCL C; those that a program calls are compiled and linked into it. Functions that need a mathematics
// library (pow, erf) come from libclc, if it is installed. Results are cached by the digest of all inputs.
//
// Sources: The OpenCL C Specification, Khronos, chapter 6.15 of version 3.0; docs/reference/gcn.md 9.
package clang
