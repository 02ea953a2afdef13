// Package rogue declares the instruction set of PowerVR Rogue, Series 6XT and what follows it. docs/reference/rogue.md has the facts.
//
// What issues together is a group: a header, instructions of some phases, the maps of its sources and results. The parts of a
// group are the parts of a bundle, in the order of memory. Where several units share a byte, as the bit unit's do, each has a part
// of its own: the first holds the bytes, the others are views of them and have no size.
package rogue
