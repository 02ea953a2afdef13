package sets

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// TestUnits: every row has a unit, one of those that docs/costs.md names, or says why nothing is known of it.
func TestUnits(t *testing.T) {
	units := map[string]string{
		"gcn":     "branch export flat gds internal lds message salu smem valu vmem",
		"valhall": "cvt fma ls msg sfu t v",
		"tesla":   "attribute constant control dp global local output sfu shared sp texture",
		"rogue":   "backend bit 0 bit 1 bit 2 control main 0 main 1 main 2",
		"attila":  "alu control texture",
	}
	lacks := map[string]string{ // of rows that alone make no instruction, or that sources count nothing for
		"valhall": "ATEST BARRIER BLEND DOORBELL EUREKA KABOOM LD_CHECKED LD_CHECKED_IMM LD_MULTI LD_TILE ST_MULTI ST_TILE TEX_WEIGHTS ZS_EMIT",
		"tesla":   "cvt",
	}
	for _, s := range Sets() {
		seen, lacking := map[string]bool{}, map[string]bool{}
		for v := range s.Variants {
			tg := s.At(v, 0)
			for i := range tg.Defs {
				d := &tg.Defs[i]
				if !d.InVariant(v) {
					continue
				}
				b := isa.Bundle{Parts: []isa.Inst{{Def: d, Word: d.Value(), Var: uint8(v), Size: uint8(d.EncodedSize(d.Value()))}}}
				costs := tg.Costs(tg, &b)
				if len(costs) == 0 {
					t.Errorf("%s: %s has no unit", tg, d.Name)
				}
				if s.Group != nil && costs[0].Unit == "none" { // headers, maps: parts that no unit executes
					continue
				}
				for _, c := range costs {
					seen[c.Unit] = true
					if c.Lack != "" {
						name, _, _ := strings.Cut(d.Name, ".")
						lacking[name] = true
					}
				}
			}
		}
		if got := strings.Join(slices.Sorted(maps.Keys(seen)), " "); got != units[s.Name] {
			t.Errorf("%s: units %q, want %q", s.Name, got, units[s.Name])
		}
		if got := strings.Join(slices.Sorted(maps.Keys(lacking)), " "); got != lacks[s.Name] {
			t.Errorf("%s: rows without figures: %q, want %q", s.Name, got, lacks[s.Name])
		}
	}
}
