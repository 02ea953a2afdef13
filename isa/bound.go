package isa

import (
	"fmt"
	"strings"
)

// A Bound is the largest error of hardware in approximate rows, relative to the result here, which is correctly
// rounded.
type Bound struct {
	Of     []string // mnemonics, or their prefixes
	ULP    float64  // units in the last place of the result; 0: the bound cannot be given in ULPs
	Text   string   // the bound in words; "": ULP says it
	Source string
}

// BoundOf returns the bound of a row, or nil if none is known.
func (a *Arch) BoundOf(d *Def) *Bound {
	if a.Bounds == nil {
		return nil
	}
	list := a.Bounds()
	for i := range list {
		for _, name := range list[i].Of {
			if strings.HasPrefix(d.Name, name) {
				return &list[i]
			}
		}
	}
	return nil
}

// Says returns the bound in words.
func (b *Bound) Says() string {
	if b.Text != "" {
		return b.Text
	}
	return fmt.Sprintf("%g ulp", b.ULP)
}
