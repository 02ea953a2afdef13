package tesla

import (
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// TestValueNames: displays of register values name the flags of one separately, each by an unambiguous name; text
// names all four.
func TestValueNames(t *testing.T) {
	tg := Set().At(G200, CP)
	seen := map[string]bool{}
	for i := range machine.Files[FileC].Count {
		c := ir.Cell{File: FileC, Index: uint16(i)}
		name := tg.ValueName(c)
		if cells, err := tg.RegisterCells(name); err != nil || len(cells) != 1 || cells[0] != c || seen[name] {
			t.Errorf("cell %d is %q, which is %v, %v", i, name, cells, err)
		}
		seen[name] = true
	}
	if got := tg.ValueName(ir.Cell{File: FileC, Index: 4*1 + 2}); got != "$c1.c" {
		t.Errorf("the carry of $c1 is %q", got)
	}
	if got := tg.RegisterName(ir.Cell{File: FileC, Index: 4*1 + 2}); got != "$c1" {
		t.Errorf("text names it %q", got)
	}
	if got := tg.ValueName(ir.Cell{File: FileR, Index: 5}); got != "$r5" {
		t.Errorf("register 5 is %q", got)
	}
}
