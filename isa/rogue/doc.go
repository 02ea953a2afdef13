// Package rogue declares the instruction set of PowerVR Rogue, Series 6XT and later. docs/reference/rogue.md has the
// facts.
//
// # A group's life
//
// The unit of Rogue is the instruction group, not the instruction. A group is a header, instructions of some phases,
// and the maps of its sources and results. It is encoded, issued, repeated and predicated as a whole, and its
// instructions pass values to each other by feed-throughs. Only a group can be the target of a branch. Its header holds
// its length: an even number of bytes, at most 32.
//
// To package isa a group is an isa.Bundle, whose parts are isa.Inst. Each header, instruction and map is one part,
// decoded and printed by a row (instruction.go, rows_*.go). Where several units share bytes, as those of the bit unit
// do, each unit has a part: the first holds the bytes; the others are views of them, with size 0 (group.IsView). groups
// in set_steps.go gives isa the functions of the steps below.
//
// Text to group. parse (set_parse.go) reads the text of one group into a groupText (set_encode.go): what the text says,
// before maps and header are chosen: the instructions, each parsed by its row (reader.part), the registers assigned to
// the sources s0 to s5 and the results w0 and w1, the selectors is0 to is5, condition, repetition, flags, and the
// encodings that .form(…) requests. Listings of the reference name registers in place of sources. Package listing reads
// and prints them; set_listing.go is what it asks this package for. Rows of Mesa 24.1's text are twins (set_twin.go)
// and become the row that decodes as soon as they are read.
//
// Group to encoding: groupText.encode (set_encode.go). It selects the encodings that .form(…) requests (lengthen), adds
// the idle units of the bit unit (addUnits), adds the smallest source maps, selectors and destination map that hold the
// registers (addMaps, place), checks that the phases may occur together and adds the header (phases, header, complete).
// Package group then puts the parts into the order of memory, merges the bytes of views, and completes addresses,
// padding and the sizes in the header (group.Sort, group.Layout). reader.held then rejects text that the group cannot
// hold, and reader.branch stores the distance to a label, which depends on the length of the group. isa.Bundle.Encode
// writes the bytes of the parts; group.Pad makes those of the padding.
//
// Bytes to parts: group.Decoder. Nearly all valid groups are decoded in one pass by tables of rows, whose keys are a
// few bits of each part. For others the decoder starts again with a splitter, which decodes part after part in the
// order of memory and reports all errors. The order is header; backend, phase 2, phase 1, phase 0; lower and upper
// source map; internal selectors; destination map; padding. steps (set_steps.go) states the same rules in words, for
// documents. validator and rules (rules.go, rules_feed.go) check what decodes but is wrong.
//
// Parts to routing: route (route.go). An instruction names sources of the group by number, not registers. route decodes
// the maps and selectors once into a routing: the register of each source, the selectors IS0 to IS5, the destinations
// of w0 and w1, and what the instructions read of these. Printer, lift, rules and control flow all start from it.
//
// Parts to text: join (set_join.go). joinPCO prints condition, repetition, sources and selectors, the instructions in
// the order of their classes, results and flags, then what text alone would not give back: forms that are not the
// shortest, and padding. Other dialects: set_join_mesa.go, package listing.
//
// Parts to IR: lift (mean_group.go). It makes one state per run (repetitions that write together, see runs) and per
// turn of an atomic group. state.begin starts an IR mark, routes the group and applies its condition (guard).
// state.phases then lifts the parts in the order in which they take effect (inOrder), not that of memory. Each part's
// meaning (mean_*.go) reads sources through sourceOf and drives feed-throughs or results through result.
//
// Later writes. A group reads all registers before it writes any, so that it can swap two. So a meaning never writes a
// register: it appends a set to the state (state.later, state.setPredicate), and state.write performs the writes at the
// end of the run: first w0 and w1, then the sets in order. A constant whose index is known only at run time is loaded
// by a mark of its own before the one that writes (mean_dynamic.go).
package rogue
