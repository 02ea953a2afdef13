// Package clang compiles source files with the clang of the machine into code objects that package object reads: OpenCL C, C, and
// LLVM's text.
//
//	FILE.cl --clang--> LLVM's text --clang, with built-in functions--> relocatable file --object.Link--> code object
//
// A clang alone declares the built-in functions of OpenCL C and defines none. The folder library has definitions of them, in OpenCL C;
// those that a program calls are compiled and linked into it. Functions that need a mathematics library (pow, erf) come from libclc, if
// it is installed. What is compiled is kept in a cache by its content.
//
// Sources: The OpenCL C Specification, Khronos, chapter 6.15 of version 3.0; docs/reference/gcn.md 9.
package clang
