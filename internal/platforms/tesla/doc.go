// Package tesla starts programs of Tesla: blocks of threads of compute programs, state cases, and recorded draws.
//
// The conventions are those of docs/reference/tesla.md 9: the initial contents of $r0 and s[], the locations of
// attributes and outputs of vertex programs, the words of v[], and the registers of colours. Textures are bound by
// number; the operands of a texture instruction depend on the texture that it names.
package tesla
