package valhall

import "testing"

func TestCompiles(t *testing.T) {
	if o := Set().Overlaps(0, 0); len(o) > 0 {
		t.Errorf("%d overlaps, the first %s", len(o), o[0])
	}
}

// TestUnit: 248 instructions, and of each the unit says whether it is a message.
func TestUnit(t *testing.T) {
	ds := Set().Arch.Defs
	if len(ds) != 248 {
		t.Errorf("%d rows", len(ds))
	}
	messages := 0
	for i := range ds {
		if ds[i].Data.(*row).isMessage() {
			messages++
		}
	}
	if messages != 67 {
		t.Errorf("%d messages", messages)
	}
}
