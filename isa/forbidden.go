package isa

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
)

// What Def.Check refuses, and what is known of words without a row, is also declared here as data: other programs
// decode from the tables alone, and package internal/spec writes these tables out for them.

// A FieldIn is a condition: bits of a word hold one of some values.
type FieldIn struct {
	At     bits.Ranges
	Values []uint64 // sorted; nil: any
}

// In reports whether the word meets the condition.
func (h *FieldIn) In(w bits.Word) bool {
	return h.Values == nil || slices.Contains(h.Values, h.At.Get(w))
}

// A Forbidden is a combination of fields that are legal one by one but that no instruction of a row may have together.
type Forbidden struct {
	Variants uint32    // bit i: variant i; 0: all
	Stages   uint32    // bit i: stage i; 0: all
	If       []FieldIn // all must hold
	Why      string
}

// In reports whether it applies to an instruction.
func (b *Forbidden) In(in *Inst) bool {
	if b.Variants != 0 && b.Variants>>in.Var&1 == 0 || b.Stages != 0 && b.Stages>>in.Stage&1 == 0 {
		return false
	}
	return holdsAll(b.If, in.Word)
}

func holdsAll(list []FieldIn, w bits.Word) bool {
	for i := range list {
		if !list[i].In(w) {
			return false
		}
	}
	return true
}

// A Gap describes words that no row matches.
type Gap struct {
	Class int
	If    []FieldIn // all must hold
	Code  string    // the error code; "": ErrInvalid
	Msg   string    // a verb in it is replaced by the value of the first of If
}

// gap returns the first gap that matches a word, and its message, or nil if none does.
func (a *Arch) gap(class int, w bits.Word) (*Gap, string) {
	if a.Gaps == nil {
		return nil, ""
	}
	for i, list := 0, a.Gaps(); i < len(list); i++ {
		g := &list[i]
		if g.Class != class || !holdsAll(g.If, w) {
			continue
		}
		if slices.Contains([]byte(g.Msg), '%') {
			return g, fmt.Sprintf(g.Msg, g.If[0].At.Get(w))
		}
		return g, g.Msg
	}
	return nil, ""
}
