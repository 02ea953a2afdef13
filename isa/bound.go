package isa

import (
	"fmt"
	"strings"
)

// A Bound is how far hardware may be from what approximate rows give, which round correctly here.
type Bound struct {
	Of     []string // mnemonics, or what they begin with
	ULP    float64  // units in the last place of the result; 0: the bound is no number of these
	Text   string   // the bound in words; "": so many ulp
	Source string
}

// BoundOf is the bound of a row; nil: none is known.
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

// Says is the bound in words.
func (b *Bound) Says() string {
	if b.Text != "" {
		return b.Text
	}
	return fmt.Sprintf("%g ulp", b.ULP)
}
