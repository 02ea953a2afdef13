// Package group is the format of an instruction group of PowerVR Rogue: bytes to parts (Decoder.Split) and parts to
// bytes (Sort, Layout). docs/reference/rogue.md 2 and 3.
//
// A group has, in the order of memory: a header; instructions, of one unit each; the source maps; the byte of internal
// selectors; the destination map; padding. A control instruction is its own header. Every part is decoded by the rows
// of its class. Which parts there are follows from the header: its set of phases, and the results that it names.
//
// Classes of views (IsView) have no bytes: they read the bytes of the part before them, of which each owns some bits.
//
// The package knows no instruction. It asks rows for their tags (TagSources, TagResult), for the field EndOfPhase2, and
// those of maps for the Map. What a group needs to express its operands (the choice of encodings and maps, the header's
// fields apart from its sizes) and what registers mean is the business of package rogue.
package group
