package costs

import (
	"strings"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/disasm"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/lint"
)

// oneLine returns the text of an instruction on one line.
func oneLine(t *isa.Target, b *isa.Bundle) string {
	return strings.Join(strings.Fields(string(t.Print(nil, b))), " ")
}

// A Report is the model of code.
type Report struct {
	Says    string         `json:"model"` // what the numbers are
	ISA     string         `json:"isa"`
	Chip    string         `json:"chip"`
	Default bool           `json:"chip_by_default"`
	Waves   int            `json:"waves"` // that share a SIMD
	Figures []chips.Figure `json:"figures"`
	Blocks  []Block        `json:"blocks"`
}

// Says is what the numbers of a report are.
const Says = "modelled from the figures listed, not measured: instructions in order, results through registers, no conflicts, no misses"

// Code models the blocks of code that control reaches. named returns the name of an address; "": it has none.
func Code(code *disasm.Code, chip *chips.Chip, waves int, named func(addr uint64) string) *Report {
	r := &Report{Says: Says, ISA: code.Target.FullName(), Chip: chip.Name, Default: chip.Default, Waves: waves, Figures: []chips.Figure{}, Blocks: []Block{}}
	for _, p := range code.Pieces {
		g := lint.Flow(code.Flow(p))
		for i := range g.Nodes {
			n := &g.Nodes[i]
			var bundles []isa.Bundle
			for _, x := range n.Insts {
				var b isa.Bundle
				if code.Target.DecodeBundle(p.Code[x.Addr-p.Base:], x.Addr, &b) == nil {
					bundles = append(bundles, b)
				}
			}
			if len(bundles) == 0 {
				continue
			}
			loop := false
			for _, e := range n.Edges {
				loop = loop || e.Kind == lint.EdgeJump && e.Node == i
			}
			b := Of(code.Target, chip, waves, bundles, loop)
			b.Name = named(b.Addr)
			r.Blocks = append(r.Blocks, b)
		}
	}
	r.figures(chip)
	return r
}

// figures lists those of units of the code, and of waves.
func (r *Report) figures(chip *chips.Chip) {
	used := map[string]bool{"wave": true, "simd": true}
	for i := range r.Blocks {
		for k := range r.Blocks[i].Insts {
			for _, u := range r.Blocks[i].Insts[k].Units {
				used[u] = true
			}
		}
	}
	for _, f := range chip.Figures {
		if unit, _, _ := strings.Cut(f.Name, "."); used[unit] {
			r.Figures = append(r.Figures, f)
		}
	}
}
