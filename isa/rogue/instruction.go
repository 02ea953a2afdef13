package rogue

import (
	mathbits "math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// V is a value of the IR.
type V = ir.V

// A reads is what an instruction reads from the routing of its group, besides named sources.
type reads uint16

const (
	readIS0 reads = 1 << iota // the source that IS0 selects, as FTE
	readIS1                   // the operands of a test
	readIS2
	readIS3 // the operand of a pack
	readIS4 // the results if there is no move
	readIS5
	readW0 // what is written
	readW1
	writeW0 // writes the result itself instead of driving a feed-through
	writeW1
	readP0
	writeP0
)

// A row is an instruction in one encoding.
type row struct {
	name    string
	spell   []string // by dialect, if it differs
	also    []string
	entry   string // the name in the reference's list; "" if it is not listed
	classes []uint8
	layout  layout
	fix     []isa.Fixed
	args    []isa.Arg
	uses    uint8      // bit n: source n
	picks   []isa.Name // fields that name a source
	sop     *sop       // of a sum of products
	reads   reads
	mean    isa.Meaning
	doc     string
	ref     string
	private bool
	lack    isa.Lack
	note    string
	check   func(in *isa.Inst) string
	bars    func(d *isa.Def) []isa.Forbidden // check as data
	options []string
	// fidelity is that of the row itself; unset: modelled with an option, else exact.
	fidelity ir.Fidelity
	bits     bool                          // of a header: it is of the bit unit
	pair     uint8                         // of narrow integers: which elements of s2 it can read
	mapping  *mapping                      // of a map
	short    *shortForm                    // when text alone would give a shorter form; nil: never
	extent   func(in *isa.Inst, n int) int // number of registers that source n stands for; nil: one
	alias    bool                          // the row is a twin, see set_twin.go
	heard    bool                          // of a twin: it is only read and never printed
	original *isa.Def                      // of a twin: the row that decodes
	twin     *isa.Def                      // the row in Mesa 24.1's syntax; nil: the same
	named    uint8                         // uses as sources of the group, if it names no others
	simple   bool                          // named is set and reads is all that it reads; never for idleBits
	head     *heading                      // of a header and a control instruction
	result   bool                          // of a control instruction: it has a result and no source
	form     string                        // the encoding's name in text if it is not the shortest
}

// GroupMap is the map of the row, or nil.
func (r *row) GroupMap() *group.Map {
	if r.mapping == nil {
		return nil
	}
	return &r.mapping.Map
}

// info is the row of a part.
func info(in *isa.Inst) *row { return in.Def.Data.(*row) }

// Modes of the level of detail.
const (
	lodNormal = iota
	lodBias
	lodReplace
	lodGradients
)

// sharedLOD reports whether a sample reads one level of detail for all lanes.
func sharedLOD(in *isa.Inst) bool {
	m := in.Get(nameLOD)
	return (m == lodBias || m == lodReplace) && in.Opt(namePPLOD) == 0
}

// allSources is the mask of all sources; bit n is source n.
const allSources = 1<<6 - 1

// sourcesOf is the mask of the sources that an instruction names; bit n is source n.
func sourcesOf(in *isa.Inst) uint8 {
	r := info(in)
	u := r.uses
	for _, n := range r.picks {
		u |= 1 << in.Get(n) & allSources
	}
	if r.sop != nil {
		u |= r.sop.sources(in)
	}
	switch {
	case in.Has(nameLOD) && sharedLOD(in):
		u |= 1 << group.FirstUpper
	case in.Def.Class == group.Count && in.Get(nameCountSrc) == 0:
		u |= 1 << 2
	}
	if in.Def.Class == group.P1 { // its sources are the upper ones
		return u << group.FirstUpper
	}
	return u
}

// head is the header, or the control instruction that includes it.
func head(b *isa.Bundle) *isa.Inst { return &b.Parts[0] }

// isControl reports whether the group is one control instruction.
func isControl(b *isa.Bundle) bool { return b.Parts[0].Def.Class == group.Control }

// muxSource is the source that a code of IS0 selects.
var muxSource = [8]uint8{0, 3, 4, 5, 1, 2, 6, 7}

// muxCode is the inverse of muxSource.
var muxCode = [6]uint8{0, 4, 5, 1, 2, 3}

// readsOf is what an instruction reads from the routing; for an instruction with a w0 or w1 selector, that result.
func readsOf(in *isa.Inst) reads {
	r := info(in).reads
	if in.Has(nameSink) {
		if in.Get(nameSink) == 0 {
			return r &^ readW1
		}
		return r &^ readW0
	}
	return r
}

// omitted reports whether text leaves the unit out: a unit of the bit unit that passes its input on.
func omitted(b *isa.Bundle, in *isa.Inst) bool {
	switch in.Def.Class {
	case group.Shift1:
		return info(in).name == "byp"
	case group.Count:
		return info(in).name == "byp" && in.Get(nameCountSrc) == 0
	case group.BitTest:
		return info(in).name == "tz" && in.Get(namePred)|in.Get(nameTestSrc) == 0
	case group.Bitmask:
		if info(in).name != "byp" || in.Def.Enc.Bits > 8 {
			return false
		}
		s, c := group.Find(b, group.Shift1), group.Find(b, group.Count)
		return s != nil && !omitted(b, s) || c != nil && !omitted(b, c)
	}
	return false
}

// takesShift reports whether a logical operation or a count reads the result of the first shift, which is s2 if text
// has no shift.
func takesShift(logical, count *isa.Inst) bool {
	return logical != nil && info(logical).uses != 0 || count != nil && info(count).layout.name == "count" && count.Get(nameCountSrc) != 0
}

// repeats is the number of times the group runs.
func repeats(b *isa.Bundle) int {
	if isControl(b) {
		return 1
	}
	h := head(b)
	return 1 + int(info(h).head.repeat.get(h.Word.Lo))
}

// count is the number of sources up to the highest in a mask.
func count(mask uint8) int { return mathbits.Len8(mask) }

// burst is the length of a transfer: 1 if a source gives it.
func burst(in *isa.Inst) int {
	if slices.Contains(info(in).picks, nameBurst) {
		return 1
	}
	return upTo16(in.Get(nameBurst))
}

// upTo16 decodes a number from 1 to 16 in four bits: 0 is 16.
func upTo16(v uint64) int { return 1 + int(v+15)&15 }

// A shortForm tells when an instruction could be encoded in fewer bytes with the same text: if the bits under the mask
// hold the value.
type shortForm struct{ mask, value bits.Word }

// tags are those of a row.
func (r *row) tags(class uint8) (list []string) {
	switch {
	case class == group.Header && r.bits:
		list = append(list, group.TagBits)
	case class == group.Control:
		if r.uses != 0 {
			list = append(list, group.TagSources)
		}
		if r.reads&writeW0 != 0 {
			list = append(list, group.TagResult)
		}
	}
	return list
}
