package isa

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/bits"
)

// What Def.Check refuses and what is known of words without row stand here as data, too: others decode from the tables alone, and
// package internal/spec writes them out for them.

// A Held is bits of a word that hold one of some values.
type Held struct {
	At     bits.Ranges
	Values []uint64 // sorted; nil: any
}

// In reports whether the word is so.
func (h *Held) In(w bits.Word) bool {
	return h.Values == nil || slices.Contains(h.Values, h.At.Get(w))
}

// A Bar is a combination of fields that each are legal and together are no instruction of a row.
type Bar struct {
	Variants uint32 // bit i: of variant i; 0: of all
	Stages   uint32 // bit i: of stage i; 0: of all
	If       []Held // all of them
	Why      string
}

// In reports whether an instruction has what the bar says.
func (b *Bar) In(in *Inst) bool {
	if b.Variants != 0 && b.Variants>>in.Var&1 == 0 || b.Stages != 0 && b.Stages>>in.Stage&1 == 0 {
		return false
	}
	return holdsAll(b.If, in.Word)
}

func holdsAll(list []Held, w bits.Word) bool {
	for i := range list {
		if !list[i].In(w) {
			return false
		}
	}
	return true
}

// A Gap is what is known of words that no row has.
type Gap struct {
	Class int
	If    []Held // all of them
	Code  string // of the error; "": ErrInvalid
	Msg   string // a verb in it stands for the value of the first of If
}

// gap is the first that a word is in, and its message; nil: nothing is known of it.
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
