package group

import "github.com/heddle-gpu/heddle/isa"

// Contents are what the text of a group says, before maps and header are chosen.
type Contents struct {
	Bundle    *isa.Bundle // its instructions
	Src       [6]Operand
	Named     [6]bool  // the text names the source
	IS0       uint8    // source number
	Sel       [6]uint8 // codes of IS1 to IS5
	Dst       [2]Operand
	HasDst    [2]bool
	Condition uint64
	Repeat    int // 1 to 4
}

// FirstUpper is the number of the first source of the upper source map.
const FirstUpper = 3

// Codes of the condition of a group.
const (
	IfActive = iota // active lanes
	IfP0            // active lanes with P0
	Always          // all lanes
	IfNotP0         // active lanes without P0
)

// Feed-throughs by code of IS4, IS5 and moves.
const (
	FT0 = iota
	FT1
	FT2
	FTE
)

// FeedNames are the feed-throughs by number and code of a selector.
var FeedNames = [...][4]string{1: {"ft0", "fte"}, 2: {"ft1", "fte"}, 3: {"ft0", "ft1", "s2", "fte"}, 4: {"ft0", "ft1", "ft2", "fte"}, 5: {"ft0", "ft1", "ft2", "fte"}}

// Find is the part of a class; nil if the group has none.
func Find(b *isa.Bundle, class uint8) *isa.Inst {
	for i := range b.Parts {
		if b.Parts[i].Def.Class == class {
			return &b.Parts[i]
		}
	}
	return nil
}
