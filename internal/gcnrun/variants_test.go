package gcnrun

import (
	"testing"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/gcn"
)

// The generations by index of the variant.
const (
	gfx8 = iota
	gfx7
	gfx6
)

// A variantRow is a row that can run, on one of its generations.
type variantRow struct {
	*isa.Def
	variant int
}

// rowsOf returns the rows that pick selects, on each generation.
func rowsOf(pick func(d *isa.Def) bool) (rows []variantRow) {
	for i := range gcn.Set().Defs {
		d := &gcn.Set().Defs[i]
		for v := range gcn.Set().Variants {
			if d.Meaning != nil && !d.Alias && d.InVariant(v) && pick(d) {
				rows = append(rows, variantRow{d, v})
			}
		}
	}
	return rows
}

// on switches the wave to another generation, with options.
func (m *memRun) on(variant int, options map[string]string) *memRun {
	m.t.Helper()
	tg, err := gcn.Set().At(variant, 0).With(0, options)
	if err != nil {
		m.t.Fatal(err)
	}
	m.target = tg
	return m
}

// flatScratch returns the number of FLAT_SCRATCH_LO. docs/reference/gcn.md 2.
func flatScratch(variant int) int {
	if variant == gfx7 {
		return 104
	}
	return 102
}

// newMemRunOn is newMemRun on a generation.
func newMemRunOn(t *testing.T, variant int) *memRun { return newMemRun(t).on(variant, nil) }
