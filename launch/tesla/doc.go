// Package tesla starts programs of Tesla: blocks of threads of compute programs, state cases, and recorded draws.
//
// The conventions are those of docs/reference/tesla.md 9: what $r0 and s[] begin with, where vertex programs find their
// attributes and leave their outputs, what the words of v[] are, where colours are found. Textures are bound by number;
// what a texture instruction's operands mean follows from the texture that it names.
package tesla
