package rogue

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
)

// TestForeign: what a word of another tool leads to are groups, also where the word is a mnemonic and stands without a group.
func TestForeign(t *testing.T) {
	tg := Set().At(0, 0)
	laws.Leads(t, Set(), otherTools, func(word string) bool {
		err := isa.AsError(tg.Parse(word+" r0, r1", 0, new(isa.Bundle)))
		return err.Hint != ""
	})
}
