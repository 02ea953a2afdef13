package rogue

import (
	"testing"

	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/isa"
)

// TestForeign checks that the hints for other tools' words are groups, also if the word is a mnemonic outside a group.
func TestForeign(t *testing.T) {
	tg := Set().At(0, 0)
	laws.Leads(t, Set(), otherTools, func(word string) bool {
		err := isa.AsError(tg.Parse(word+" r0, r1", 0, new(isa.Bundle)))
		return err.Hint != ""
	})
}
